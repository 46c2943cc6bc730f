//! What holds for every input.

use proptest::prelude::*;
use sitewright_markup::css::{
    CssForm, CssLimits, Origin, Piece, check_piece, parse_css, plan_add, plan_upsert, tally_css,
    write_css,
};

use crate::fuzz::css::carry_out;

/// Text made of what CSS is made of, well-formed and not.
fn soup() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => proptest::sample::select(PARTS.to_vec()).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9 .#:;{}()\\[\\]\"'\\\\/*<>@!,_\\n\u{0}\u{e9}-]{0,6}",
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

const PARTS: &[&str] = &[
    ".a",
    "#b",
    "c",
    "{",
    "}",
    "{",
    "}",
    ":",
    ";",
    "color",
    "red",
    " ",
    "\n",
    "!important",
    "--x",
    "@media",
    "@layer",
    "@supports",
    "@scope",
    "@keyframes k",
    "@import 'x';",
    "@font-face",
    "(min-width: 600px)",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "url(",
    "</style",
    "</STYLE>",
    "<!--",
    "-->",
    ",",
    ">",
    "&",
    "*zoom:1",
    "\\31 ",
    "\u{fffd}",
    "@",
    "a:b{c:d}",
    ".a{color:red;--x:{y}}",
    "@media print{.a{left:0}.b{}}",
    "@layer{.x{}}",
    ":is(.a,.b)",
    "~=",
    "!ie",
    "\r\n",
    "\u{c}",
    "@charset \"x\";",
    "0",
    "1px",
    "%",
    "-",
    "e3",
    "u+1",
];

/// Whole rules, so that plans have something to do.
fn rules() -> impl Strategy<Value = String> {
    let selector =
        proptest::sample::select(vec![".a", ".b", ".a:hover", ":root", "a > b", ".a, .b"]);
    let property = proptest::sample::select(vec!["color", "margin", "margin-left", "--x", "--X"]);
    let value = proptest::sample::select(vec!["red", "0", "1px !important", "var(--x)"]);
    let declarations = proptest::collection::vec((property, value), 0..4);
    let wrapper = proptest::sample::select(vec!["", "", "@media print", "@layer l"]);
    let rule = (wrapper, selector, declarations).prop_map(|(wrapper, selector, declarations)| {
        let body: String = declarations
            .iter()
            .map(|(property, value)| format!("{property}:{value};"))
            .collect();
        match wrapper {
            "" => format!("{selector}{{{body}}}"),
            wrapper => format!("{wrapper}{{{selector}{{{body}}}}}"),
        }
    });
    let raw = proptest::sample::select(vec![
        "@keyframes k{to{left:0}}",
        "@keyframes k{to{left:1px}}",
        ".a{&:hover{x:y}}",
        "@import 'x';",
        "@layer m;",
    ])
    .prop_map(str::to_owned);
    proptest::collection::vec(prop_oneof![6 => rule, 1 => raw], 0..8)
        .prop_map(|rules| rules.concat())
}

fn read(css: &str, origin: Origin) -> Vec<Piece> {
    parse_css(css, origin, &CssLimits::default())
        .unwrap()
        .pieces
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back_the_same(css in soup()) {
        let pieces = read(&css, Origin::Author);
        for form in [CssForm::Readable, CssForm::Compact] {
            let written = write_css(&pieces, form);
            prop_assert!(!written.to_ascii_lowercase().contains("</style"));
            let again = parse_css(&written, Origin::Author, &CssLimits::default()).unwrap();
            prop_assert_eq!(&again.pieces, &pieces, "{:?} wrote {}", form, written);
            prop_assert_eq!(again.problems, []);
        }
        for piece in &pieces {
            prop_assert_eq!(check_piece(piece, &CssLimits::default()), Ok(()));
        }
    }

    #[test]
    fn neighbours_do_not_change_each_other(one in soup(), two in soup()) {
        let mut pieces = read(&one, Origin::Author);
        pieces.extend(read(&two, Origin::Author));
        let written = write_css(&pieces, CssForm::Compact);
        prop_assert_eq!(read(&written, Origin::Author), pieces);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn planning_again_plans_nothing(base in rules(), generated in rules(), incoming in rules()) {
        let mut before = read(&generated, Origin::Framework);
        before.extend(read(&base, Origin::Author));
        let incoming = read(&incoming, Origin::Author);
        for planner in [plan_upsert::<usize>, plan_add::<usize>] {
            let named: Vec<(usize, &Piece)> = before.iter().enumerate().collect();
            let after = carry_out(&before, &planner(&named, incoming.clone()));
            let named: Vec<(usize, &Piece)> = after.iter().enumerate().collect();
            let again = tally_css(&planner(&named, incoming.clone()));
            prop_assert_eq!((again.created, again.updated), (0, 0));
        }
    }

    #[test]
    fn adding_leaves_everything_as_it_was(base in rules(), incoming in rules()) {
        let before = read(&base, Origin::Author);
        let named: Vec<(usize, &Piece)> = before.iter().enumerate().collect();
        let after = carry_out(&before, &plan_add(&named, read(&incoming, Origin::Author)));
        let mut rest = after.iter();
        prop_assert!(before.iter().all(|piece| rest.any(|found| found == piece)));
    }
}
