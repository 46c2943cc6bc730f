//! Policies that are too deep or too large for the stack. Without the limits, most of these abort the process.

use proptest::prelude::*;
use sitewright_tool::Effect;

use super::limit::{DEPTH_MAX, IS_IN_MAX, OPERATORS_IN_TEXT_MAX, OPERATORS_MAX, check};
use super::tests::call;
use super::{Decision, Policy, SHIPPED};

/// The brackets of `permit (…) when { … }`: two count, and one of them encloses the condition.
const FRAME_OPERATORS: usize = 2;
const FRAME_COMMAS: usize = 2;
const FRAME_DEPTH: usize = 1;

fn policy(condition: &str) -> String {
    format!("permit (principal, action, resource) when {{ {condition} }};")
}

fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

fn refusal(text: &str) -> String {
    let problems = Policy::parse(text).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].to_string()
}

const TOO_DEEP: &str =
    "line 1: brackets are nested more than 32 deep: split the condition into several policies";
const TOO_LARGE: &str = "line 1: the policy has more than 500 operators and brackets: split it into several policies, or ask \
     `[\"a\", \"b\"].contains(context.tool)` instead of comparing with one value after the other";

#[test]
fn deep_brackets_are_refused_with_the_line_and_the_limit() {
    assert_eq!(refusal(&policy(&nested("(", "true", ")", 300))), TOO_DEEP);
    assert_eq!(
        refusal(&policy(&nested("[", "true", "]", 50_000))),
        TOO_DEEP
    );
    assert_eq!(
        refusal(&policy(&nested("{a: ", "true", "}", 300))),
        TOO_DEEP
    );
    assert_eq!(refusal(&policy(&nested("!(", "true", ")", 143))), TOO_DEEP);
    assert_eq!(refusal(&"(".repeat(100_000)), TOO_DEEP);
    let below = format!(
        "\n\n{}",
        policy(&format!("\n{}", nested("(", "true", ")", 300)))
    );
    assert_eq!(refusal(&below), TOO_DEEP.replace("line 1", "line 4"));
}

#[test]
fn long_chains_are_refused_with_the_line_and_the_limit() {
    for condition in [
        vec!["context.approved"; 2_756].join(" || "),
        vec!["context.approved"; 2_756].join(" && "),
        vec!["1"; 2_756].join(" + "),
        nested("if true then true else ", "true", "", 1_122),
        nested("if ", "true", " then true else true", 1_122),
        format!("context{}", ".a".repeat(20_000)),
        format!("context{}", "[\"a\"]".repeat(20_000)),
        format!("context has {}a", "a.".repeat(20_000)),
        format!("[true]{}", ".contains(true)".repeat(2_000)),
        format!("{}true", "!".repeat(20_000)),
        format!("{}1 == 1", "-".repeat(20_000)),
    ] {
        assert_eq!(refusal(&policy(&condition)), TOO_LARGE, "{condition:.60}");
    }
    let conditions = "when { context.approved } ".repeat(1_000);
    let text = format!("permit (principal, action, resource) {conditions};");
    assert_eq!(refusal(&text), TOO_LARGE);
}

#[test]
fn what_doubles_with_each_level_is_refused() {
    let asked = |inner: &str| {
        format!("(if {inner} is Agent in Agent::\"x\" then principal else principal)")
    };
    let times = |count| (0..count).fold("principal".to_owned(), |inner, _| asked(&inner));
    let policy_of = |count| policy(&format!("{} == principal", times(count)));
    assert_eq!(
        refusal(&policy_of(IS_IN_MAX + 1)),
        "line 1: the policy asks `is … in …` more than 4 times: split it into several policies, or ask `==`"
    );
    assert_judged(&policy_of(IS_IN_MAX));
}

#[test]
fn all_policies_together_are_bounded() {
    let one = policy("context.approved");
    let many = vec![one; 1_001].join("\n");
    assert_eq!(
        refusal(&many),
        "line 1001: there are more than 1000 policies: use fewer"
    );
    let large = policy(&vec!["context.approved"; 200].join(" || "));
    let operators = 200 + 199 + FRAME_OPERATORS + FRAME_COMMAS;
    let fit = OPERATORS_IN_TEXT_MAX / operators;
    assert_judged(&vec![large.clone(); fit].join("\n"));
    assert_eq!(
        refusal(&vec![large; fit + 1].join("\n")),
        format!(
            "line {}: the policies have more than {OPERATORS_IN_TEXT_MAX} operators, brackets and commas together: use fewer or shorter \
             policies",
            fit + 1
        )
    );
    for wrong in [
        policy(&format!("[{}]", ",".repeat(100_000))),
        ";".repeat(100_000),
    ] {
        let problems = Policy::parse(&wrong).unwrap_err();
        assert_eq!(problems.len(), 1, "Cedar does not even begin");
    }
    assert_eq!(
        refusal(&" ".repeat(300_000)),
        "the text is longer than 262144 bytes: use fewer or shorter policies"
    );
}

#[test]
fn brackets_and_operators_in_strings_and_comments_do_not_count() {
    let deep = "(".repeat(1_000);
    for text in [
        policy(&format!("context.tool == \"{deep}\"")),
        policy(&format!("context.tool == \"\\\"{deep}\"")),
        policy(&format!(
            "context.tool like \"*\\\\\" || context.tool == \"{deep}\""
        )),
        format!("// {deep} \"\n{}// {deep}", policy("true")),
        format!("@reason(\"// {deep}\n{deep}\") {}", policy("true")),
    ] {
        assert_judged(&text);
    }
    // Looks hidden but is not: Cedar ends a comment at a carriage return, and a string at its quotation mark.
    let payload = nested("(", "true", ")", 300);
    for text in [
        format!("// \r{}", policy(&payload)),
        policy(&format!("\"\\\\\" == \"\" || {payload}")),
        policy(&format!("\"//\" == \"\" || {payload}")),
    ] {
        assert_eq!(refusal(&text), TOO_DEEP, "{text:.60}");
    }
}

#[test]
fn a_bracket_of_another_kind_closes_nothing() {
    let text = policy(&"(]".repeat(DEPTH_MAX + 1));
    assert_eq!(refusal(&text), TOO_DEEP);
}

#[test]
fn a_long_list_of_values_is_no_chain() {
    let names: Vec<String> = (0..5_000)
        .map(|number| format!("\"tool{number}\""))
        .collect();
    assert_judged(&policy(&format!(
        "[{}].contains(context.tool)",
        names.join(", ")
    )));
}

#[test]
fn the_shipped_policy_is_far_from_every_limit() {
    let text = SHIPPED.repeat(5);
    assert_eq!(check(&text), Ok(()));
}

/// The largest policies of each kind that the limits accept; one more level is refused.
#[test]
fn the_largest_policies_within_the_limits_are_judged() {
    let operators = OPERATORS_MAX - FRAME_OPERATORS;
    let depth = DEPTH_MAX - FRAME_DEPTH;
    let chain = |term: &str, operator: &str, of_each: usize| {
        let operator = operator.to_owned();
        let term = term.to_owned();
        move |more: usize| vec![term.as_str(); operators / of_each + more].join(&operator)
    };
    let levels = |open: &'static str, inner: &'static str, close: &'static str, count: usize| {
        move |more: usize| nested(open, inner, close, count + more)
    };
    let kinds: Vec<Box<dyn Fn(usize) -> String>> = vec![
        Box::new(levels("(", "true", ")", depth)),
        Box::new(levels(
            "(",
            "context.approved",
            " || context.granted)",
            depth,
        )),
        Box::new(levels("[", "true", "].contains(true)", depth)),
        Box::new(levels("{a: ", "true", "}.a", depth)),
        Box::new(levels("(", "true", " != false)", depth)),
        Box::new(levels("!!!!(", "true", ")", depth)),
        Box::new(levels(
            "(if context.approved then true else ",
            "true",
            ")",
            depth,
        )),
        Box::new(levels("if true then true else ", "true", "", operators)),
        Box::new(levels("if ", "true", " then true else false", operators)),
        Box::new(levels("if true then ", "true", " else false", operators)),
        Box::new(chain("context.approved", " || ", 2)),
        Box::new(chain("context.approved", " && ", 2)),
        Box::new(chain("true", " && ", 1)),
        Box::new(chain("false", " || ", 1)),
        Box::new(move |more| format!("{} > 0", vec!["1"; operators - 1 + more].join(" + "))),
        Box::new(move |more| {
            let negated = nested("!(", "true", ")", depth);
            let rest = operators - 2 * depth - 1;
            format!("{negated} && {}", vec!["true"; rest + more].join(" && "))
        }),
    ];
    for kind in kinds {
        let text = policy(&kind(0));
        assert_judged(&text);
        // Some kinds need more than one level to pass the limit.
        let beyond = policy(&kind(3));
        assert!(
            [TOO_DEEP, TOO_LARGE].contains(&refusal(&beyond).as_str()),
            "{beyond:.80}"
        );
    }
}

/// Parses and judges on a thread with as small a stack as tokio's workers have.
fn assert_judged(text: &str) {
    let text = text.to_owned();
    let worker = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let judging = worker.spawn(move || {
        let policy = Policy::parse(&text).unwrap();
        let verdict = policy.judge(&call(Effect::None));
        assert_eq!(verdict.why.error, None, "{text:.80}");
        verdict.decision
    });
    let decision = judging.unwrap().join().unwrap();
    assert!([Decision::Allow, Decision::Ask, Decision::Deny].contains(&decision));
}

/// Fragments that nest, repeat and hide one another, as an attacker might write to crash the process.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{a:",
        "!",
        "!(",
        "-",
        ".a",
        "[\"a\"]",
        " || ",
        " && ",
        " + ",
        " == ",
        " != ",
        " > ",
        " in ",
        " is Agent",
        " has a",
        " like \"*\"",
        "if ",
        " then ",
        " else ",
        "true",
        "context",
        "principal",
        "1",
        ",",
        ";",
        "\"",
        "\\",
        "//",
        "\n",
        "\r",
        "\u{a0}",
        "@id(\"x\")",
        "when {",
        "permit (principal, action, resource)",
        ".contains(",
        "Agent::\"x\"",
        "?principal",
    ]);
    let run = (prop::collection::vec(pieces, 1..4), 1..600usize)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times));
    prop::collection::vec(run, 1..6).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Reaching the end is the assertion: a stack overflow aborts the process.
    #[test]
    fn no_text_ends_the_process(text in hostile_text(), framed in any::<bool>()) {
        let text = if framed { policy(&text) } else { text };
        if let Ok(policy) = Policy::parse(&text) {
            policy.judge(&call(Effect::None));
        }
    }

    /// Balanced expressions of every kind, deep and wide: what the limits accept can be judged.
    #[test]
    fn nested_expressions_never_end_the_process(
        kinds in prop::collection::vec(0..8usize, 1..400),
    ) {
        let condition = kinds.iter().fold("context.approved".to_owned(), |inner, kind| match kind {
            0 => format!("({inner})"),
            1 => format!("!({inner})"),
            2 => format!("{inner} || context.granted"),
            3 => format!("context.granted && {inner}"),
            4 => format!("if {inner} then true else context.granted"),
            5 => format!("[{inner}].contains(true)"),
            6 => format!("{{a: {inner}}}.a"),
            _ => format!("({inner}) == true"),
        });
        if let Ok(policy) = Policy::parse(&policy(&condition)) {
            prop_assert_eq!(policy.judge(&call(Effect::None)).why.error, None);
        }
    }
}
