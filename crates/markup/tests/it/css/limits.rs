//! Hostile input is refused or handled, at a cost like that of ordinary input of its length.

use sitewright_markup::css::{
    CssError, CssForm, CssLimits, Origin, Piece, parse_css, plan_upsert, selector_needs, write_css,
};

use crate::cost::{Parser, times_as_much};

const BYTES: usize = 512 * 1024;
/// How many times as much each byte may cost as cssparser alone takes for one of an ordinary stylesheet. What is quadratic
/// costs thousands of times as much.
const TIMES_MAX: f64 = 50.0;

fn outcome(css: &str, limits: &CssLimits) -> String {
    let (outcome, times) = times_as_much(Parser::Css, css.len(), || parsed(css, limits));
    assert!(
        times < TIMES_MAX,
        "{times} times as much as ordinary CSS: {outcome}"
    );
    outcome
}

fn parsed(css: &str, limits: &CssLimits) -> String {
    match parse_css(css, Origin::Author, limits) {
        Ok(parsed) => {
            let written = write_css(&parsed.pieces, CssForm::Compact);
            assert!(written.len() < css.len() * 2 + 1024);
            format!("{} pieces", parsed.pieces.len())
        }
        Err(CssError::TooLarge { .. }) => "too large".to_owned(),
        Err(CssError::TooMany { .. }) => "too many".to_owned(),
        Err(CssError::TooDeep { .. }) => "too deep".to_owned(),
        Err(CssError::TooWrapped) => "too wrapped".to_owned(),
        Err(other) => other.to_string(),
    }
}

fn check(css: &str, expected: &str) {
    assert_eq!(outcome(css, &CssLimits::default()), expected);
}

#[test]
fn nesting_is_bounded() {
    for opener in ["{", "(", "[", "a{", "@media{", "a:b{", "f(", "@x{(["] {
        check(&opener.repeat(100_000), "too deep");
    }
    check(&format!("{}{}", "@media a{".repeat(60), ".x{}"), "1 pieces");
    check(&"}".repeat(BYTES), "0 pieces");
    check(&")".repeat(BYTES), "0 pieces");
}

#[test]
fn size_and_number_are_bounded() {
    check(&" ".repeat(4 * 1024 * 1024 + 1), "too large");
    check(&"a{}".repeat(100_001), "too many");
    check(&"@a;".repeat(100_001), "too many");
    check(&"a{}".repeat(20_000), "20000 pieces");
    let few = CssLimits {
        declarations: 1_000,
        ..CssLimits::default()
    };
    assert_eq!(outcome(&"a{b:c}".repeat(1_000), &few), "1000 pieces");
    assert_eq!(
        outcome(&format!("a{{{}", "b:c;".repeat(1_001)), &few),
        "too many"
    );
}

#[test]
fn long_tokens_are_read_once() {
    let long = "x".repeat(BYTES);
    for css in [
        long.clone(),
        format!(".{long}{{}}"),
        format!("a{{b:{long}"),
        format!("a{{b:\"{long}"),
        format!("a{{{long}:b"),
        format!("/*{long}"),
        format!("@media {long}{{.a{{}}}}"),
        format!("a{{b:url({long}"),
        format!("a{{b:{}", "\\".repeat(BYTES)),
    ] {
        let outcome = outcome(&css, &CssLimits::default());
        assert!(
            ["0 pieces", "1 pieces"].contains(&outcome.as_str()),
            "{outcome}"
        );
    }
}

#[test]
fn repeated_wrappers_do_not_multiply_memory() {
    let prelude = "x".repeat(60_000);
    let open = format!("@media {prelude}{{").repeat(4);
    check(&format!("{open}{}", "a{}".repeat(1_000)), "too wrapped");
    let deep = "@media print{".repeat(40);
    check(&format!("{deep}{}", "a{}".repeat(10_000)), "1 pieces");
}

#[test]
fn many_small_troubles_cost_little() {
    for unit in [
        "a:b{",
        "a{b:c{}}",
        "a{b c;}",
        "a{*b:c;d}",
        ";",
        "a{}}",
        "<!--",
        "@;",
        "@media{a",
        "/**/",
        "</style",
        "'</style\n",
        "a,",
        "\\",
        "\"",
        "!",
        "url(",
        "#",
        "@layer a{",
    ] {
        let css = unit.repeat(40_000 / unit.len());
        outcome(&css, &CssLimits::default());
    }
}

#[test]
fn plans_and_needs_stay_linear() {
    let css: String = (0..5_000)
        .map(|n| format!(".c{}{{--p{n}:{n};color:red!important}}", n % 50))
        .collect();
    let pieces = parse_css(&css, Origin::Author, &CssLimits::default())
        .unwrap()
        .pieces;
    let existing: Vec<(usize, &Piece)> = pieces.iter().enumerate().collect();
    let plan = || plan_upsert(&existing, pieces.clone()).len();
    let (edits, times) = times_as_much(Parser::Css, css.len(), plan);
    assert_eq!(edits, 5_000);
    assert!(times < TIMES_MAX, "planning costs {times} times as much");
    let list = ".a .b #c:not(.d),".repeat(20_000);
    let (needs, times) = times_as_much(Parser::Css, list.len(), || selector_needs(&list).len());
    assert_eq!(needs, 20_001);
    assert!(times < TIMES_MAX, "selectors cost {times} times as much");
}
