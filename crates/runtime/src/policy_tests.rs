use serde_json::{Value, json};
use sitewright_tool::{Destination, Effect, Execution, Scope, Taint};

use super::{
    Decision, Facts, Judgement, PlannedChange, Policy, Principal, Verdict, judge_in_shadow,
};

pub(super) const NOW: i64 = 1_800_000_000_000;
pub(super) const HOUR: i64 = 60 * 60 * 1000;

fn nothing() -> &'static Value {
    static NOTHING: std::sync::OnceLock<Value> = std::sync::OnceLock::new();
    NOTHING.get_or_init(|| json!({}))
}

pub(super) fn call(effect: Effect) -> Judgement<'static> {
    Judgement {
        principal: Principal::Agent("ada"),
        person: Some("ada"),
        tool: "site.tool",
        scope: Scope::Site,
        effect,
        execution: Execution::Server,
        change: PlannedChange::default(),
        taint: Taint::Trusted,
        personal_data: false,
        destination: Destination::Here,
        arguments: nothing(),
        grants: &[],
        conversation: Some("talk"),
        now_ms: NOW,
    }
}

pub(super) fn draft(change: PlannedChange) -> Judgement<'static> {
    Judgement {
        change,
        ..call(Effect::Draft)
    }
}

/// Changes that are more than a draft edit.
pub(super) fn consequential() -> [PlannedChange; 3] {
    let none = PlannedChange::default();
    [
        PlannedChange {
            publishes: true,
            ..none
        },
        PlannedChange {
            code_touched: true,
            ..none
        },
        PlannedChange {
            head_code: true,
            ..none
        },
    ]
}

pub(super) fn judged(judgement: &Judgement<'_>) -> Verdict {
    Policy::shipped().unwrap().judge(judgement)
}

fn decided(judgement: &Judgement<'_>) -> (Decision, Vec<String>) {
    let verdict = judged(judgement);
    (
        verdict.decision,
        verdict
            .why
            .policies
            .iter()
            .map(|reason| reason.policy.clone())
            .collect(),
    )
}

pub(super) fn check(judgement: Judgement<'_>, decision: Decision, policies: &[&str]) {
    let expected: Vec<String> = policies.iter().map(|policy| (*policy).to_owned()).collect();
    assert_eq!(decided(&judgement), (decision, expected), "{judgement:?}");
}

fn every_call(judgement: Judgement<'static>) -> Vec<Judgement<'static>> {
    let principals = [
        Principal::User("ada"),
        Principal::Agent("ada"),
        Principal::Client("token"),
    ];
    let executions = [Execution::Server, Execution::Browser];
    principals
        .into_iter()
        .flat_map(|principal| {
            executions.map(|execution| Judgement {
                principal,
                execution,
                ..judgement
            })
        })
        .collect()
}

// One test per sentence of the shipped policy, in its order.

#[test]
fn the_shipped_policy_looks_at_the_effect_never_at_who_executes() {
    for (effect, decision) in [
        (Effect::None, Decision::Allow),
        (Effect::Draft, Decision::Allow),
        (Effect::Durable, Decision::Ask),
        (Effect::External, Decision::Ask),
    ] {
        for judgement in every_call(call(effect)) {
            assert_eq!(judged(&judgement).decision, decision, "{judgement:?}");
        }
    }
}

#[test]
fn reads_run() {
    check(call(Effect::None), Decision::Allow, &["reads-run"]);
}

#[test]
fn drafts_that_the_log_can_undo_run_in_the_browser_and_headless_alike() {
    for judgement in every_call(draft(PlannedChange {
        pages_touched: 10,
        nodes_removed: 500,
        ..PlannedChange::default()
    })) {
        check(judgement, Decision::Allow, &["drafts-run"]);
    }
}

#[test]
fn removing_a_page_asks() {
    let change = PlannedChange {
        pages_touched: 1,
        pages_removed: 1,
        ..PlannedChange::default()
    };
    check(draft(change), Decision::Ask, &["removing-a-page-asks"]);
}

#[test]
fn touching_more_than_ten_pages_asks() {
    let change = |pages_touched| PlannedChange {
        pages_touched,
        ..PlannedChange::default()
    };
    check(draft(change(10)), Decision::Allow, &["drafts-run"]);
    check(
        draft(change(11)),
        Decision::Ask,
        &["touching-many-pages-asks"],
    );
    check(
        draft(change(u32::MAX)),
        Decision::Ask,
        &["touching-many-pages-asks"],
    );
}

#[test]
fn touching_what_is_locked_asks() {
    let change = PlannedChange {
        locks_touched: 1,
        ..PlannedChange::default()
    };
    check(draft(change), Decision::Ask, &["touching-a-lock-asks"]);
}

#[test]
fn publishing_asks() {
    let change = PlannedChange {
        publishes: true,
        ..PlannedChange::default()
    };
    check(
        Judgement {
            change,
            ..call(Effect::Durable)
        },
        Decision::Ask,
        &["publishing-asks", "what-cannot-be-undone-asks"],
    );
    // Even if the tool's effect says that it is harmless.
    check(
        Judgement {
            change,
            ..call(Effect::None)
        },
        Decision::Ask,
        &["publishing-asks"],
    );
}

#[test]
fn scripts_and_head_code_ask() {
    check(
        draft(PlannedChange {
            code_touched: true,
            ..PlannedChange::default()
        }),
        Decision::Ask,
        &["code-asks"],
    );
    check(
        draft(PlannedChange {
            head_code: true,
            ..PlannedChange::default()
        }),
        Decision::Ask,
        &["code-asks"],
    );
}

#[test]
fn permanent_deletes_ask() {
    check(
        call(Effect::Durable),
        Decision::Ask,
        &["what-cannot-be-undone-asks"],
    );
}

#[test]
fn sending_spending_and_outside_effects_ask() {
    check(
        call(Effect::External),
        Decision::Ask,
        &["outside-effects-ask"],
    );
}

#[test]
fn taint_raises_the_bar_only_for_consequential_calls() {
    let tainted = |judgement: Judgement<'static>| Judgement {
        taint: Taint::Untrusted,
        ..judgement
    };
    check(tainted(call(Effect::None)), Decision::Allow, &["reads-run"]);
    check(
        tainted(call(Effect::External)),
        Decision::Ask,
        &["outside-effects-ask", "tainted-consequences-ask"],
    );
    for change in consequential() {
        assert_eq!(judged(&tainted(draft(change))).decision, Decision::Ask);
    }
    let personal = Judgement {
        personal_data: true,
        ..call(Effect::None)
    };
    check(personal, Decision::Allow, &["reads-run"]);
    check(
        tainted(personal),
        Decision::Ask,
        &["tainted-consequences-ask"],
    );
}

#[test]
fn under_taint_consequences_ask_even_where_the_rest_is_loosened() {
    let loosened = super::SHIPPED
        .replace("@id(\"outside-effects-ask\")", "@id(\"x\")")
        .replace(
            "when { context.effect == Effect::\"external\" }\nunless { context.approved };",
            "when { false };\n@id(\"loose\") permit (principal, action, resource);",
        );
    let policy = Policy::parse(&loosened).unwrap();
    assert_eq!(
        policy.judge(&call(Effect::External)).decision,
        Decision::Allow
    );
    let tainted = Judgement {
        taint: Taint::Untrusted,
        ..call(Effect::External)
    };
    assert_eq!(policy.judge(&tainted).decision, Decision::Ask);
}

/// M10: a read in another system carries its arguments there.
#[test]
fn m10_under_taint_sending_asks_unless_the_tool_was_marked_as_harmless() {
    use Destination::{Harmless, Here, Vendor};
    let read = |taint, destination| Judgement {
        taint,
        destination,
        ..call(Effect::None)
    };
    for (taint, destination, decision) in [
        (Taint::Trusted, Vendor, Decision::Allow),
        (Taint::Untrusted, Here, Decision::Allow),
        (Taint::Untrusted, Harmless, Decision::Allow),
        (Taint::Untrusted, Vendor, Decision::Ask),
    ] {
        let verdict = judged(&read(taint, destination));
        assert_eq!(verdict.decision, decision, "{taint:?} {destination:?}");
    }
    let sending = read(Taint::Untrusted, Vendor);
    check(sending, Decision::Ask, &["tainted-sending-asks"]);
    let why = judged(&sending).why.sentences();
    assert!(
        why.ends_with("What mattered: it sends its arguments to another system; something from outside had a part in it."),
        "{why}"
    );
}

#[test]
fn drafts_made_under_taint_run() {
    check(
        Judgement {
            taint: Taint::Untrusted,
            ..call(Effect::Draft)
        },
        Decision::Allow,
        &["drafts-run"],
    );
}

// Policies of administrators.

fn problems(text: &str) -> Vec<String> {
    Policy::parse(text)
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn decide(text: &str, judgement: &Judgement<'_>) -> Decision {
    Policy::parse(text).unwrap().judge(judgement).decision
}

#[test]
fn policies_are_checked_against_the_facts_when_they_are_saved() {
    for (condition, expected) in [
        ("context.efect == Effect::\"none\"", "efect"),
        ("context.effect == \"none\"", "Effect"),
        ("context.effect == Effect::\"drfat\"", "drfat"),
        ("context.pagesTouched > \"3\"", "Long"),
        ("context.texts.getTag(\"/to\") == \"x\"", "/to"),
        ("context.person == \"ada\"", "person"),
        ("principal.name == \"ada\"", "name"),
    ] {
        let text = format!(
            "\n@id(\"mine\")\npermit (principal, action, resource) when {{ {condition} }};"
        );
        let found = problems(&text);
        assert!(
            found
                .iter()
                .all(|problem| problem.contains("policy `mine`: ")),
            "{found:?}"
        );
        assert!(
            found.iter().any(|problem| problem.contains(expected)),
            "{condition}: {found:?}"
        );
    }
    assert_eq!(
        problems("permit (principal,\n action resource);")[0]
            .split(':')
            .next(),
        Some("line 2")
    );
    assert_eq!(
        problems(
            "@id(\"a\") permit (principal, action, resource);\n@id(\"a\") forbid (principal, action, resource);"
        ),
        ["policy `a`: there are two policies with this @id: give each its own"]
    );
    assert_eq!(
        problems("permit (principal == ?principal, action, resource);"),
        ["policy `policy0`: has a slot such as `?principal`: write the entity itself"]
    );
    assert_eq!(problems(&"// x\n".repeat(100_000)).len(), 1);
}

#[test]
fn nothing_is_allowed_by_an_empty_policy() {
    let verdict = Policy::parse("").unwrap().judge(&call(Effect::None));
    assert_eq!(
        (verdict.decision, verdict.why.sentences().as_str()),
        (
            Decision::Deny,
            "It is not allowed, and approval would not change that. No policy allows it."
        )
    );
}

#[test]
fn any_error_of_an_evaluation_refuses() {
    // Cedar skips a `forbid` that fails, and would allow this call.
    let text = "@id(\"all\") permit (principal, action, resource);
        @id(\"overflows\") forbid (principal, action, resource)
        when { context.pagesTouched * 9223372036854775807 > 0 };";
    let policy = Policy::parse(text).unwrap();
    let touches = |pages_touched| {
        draft(PlannedChange {
            pages_touched,
            ..PlannedChange::default()
        })
    };
    assert_eq!(policy.judge(&touches(0)).decision, Decision::Allow);
    let verdict = policy.judge(&touches(2));
    assert_eq!(verdict.decision, Decision::Deny);
    assert!(
        verdict.why.sentences().contains("overflows"),
        "{}",
        verdict.why.sentences()
    );
    // Even if only one of the two evaluations fails.
    let text = "@id(\"all\") permit (principal, action, resource);
        @id(\"overflows\") forbid (principal, action, resource)
        when { context.approved && context.pagesTouched * 9223372036854775807 > 0 };";
    assert_eq!(decide(text, &touches(2)), Decision::Deny);
}

#[test]
fn only_the_approval_makes_the_difference_between_ask_and_deny() {
    let never = "permit (principal, action, resource) when { context.approved };
        forbid (principal, action, resource == Tool::\"site.tool\");";
    assert_eq!(decide(never, &call(Effect::None)), Decision::Deny);
    assert_eq!(
        decide(
            never,
            &Judgement {
                tool: "other",
                ..call(Effect::None)
            }
        ),
        Decision::Ask
    );
    let backwards = "permit (principal, action, resource) unless { context.approved };";
    assert_eq!(decide(backwards, &call(Effect::None)), Decision::Deny);
}

#[test]
fn people_agents_and_scripts_are_told_apart() {
    let text = "permit (principal is User, action, resource); permit (principal == Client::\"t1\", action, resource);";
    let by = |principal| {
        decide(
            text,
            &Judgement {
                principal,
                ..call(Effect::None)
            },
        )
    };
    assert_eq!(by(Principal::User("ada")), Decision::Allow);
    assert_eq!(by(Principal::Agent("ada")), Decision::Deny);
    assert_eq!(by(Principal::Client("t1")), Decision::Allow);
    assert_eq!(by(Principal::Client("ada")), Decision::Deny);
}

#[test]
fn policies_read_arguments_by_their_pointers() {
    let text = "permit (principal, action, resource);
        forbid (principal, action, resource)
        when { context.texts.hasTag(\"/to/0\") && !(context.texts.getTag(\"/to/0\") like \"*@example.com\") };
        forbid (principal, action, resource)
        when { context.numbers.hasTag(\"/amount\") && context.numbers.getTag(\"/amount\") > 100 };
        forbid (principal, action, resource) when { context.flags.hasTag(\"/all\") && context.flags.getTag(\"/all\") };
        forbid (principal, action, resource) unless { context.argumentsComplete };";
    let with = |arguments: Value| {
        decide(
            text,
            &Judgement {
                arguments: &arguments,
                ..call(Effect::External)
            },
        )
    };
    assert_eq!(
        with(json!({ "to": ["a@example.com"], "amount": 100, "all": false })),
        Decision::Allow
    );
    assert_eq!(with(json!({ "to": ["a@example.org"] })), Decision::Deny);
    assert_eq!(with(json!({ "amount": 101 })), Decision::Deny);
    assert_eq!(with(json!({ "all": true })), Decision::Deny);
    // Numbers that do not fit an `i64` are left out, and `argumentsComplete` shows that.
    assert_eq!(with(json!({ "amount": 1e300 })), Decision::Deny);
    assert_eq!(with(json!({ "amount": u64::MAX })), Decision::Deny);
    assert_eq!(with(json!({ "amount": null })), Decision::Allow);
}

const HOSTILE: &str = "permit (principal, action, resource) when { context.approved };
        @id(\"good\") permit (principal, action, resource == Tool::\"good\");
        @id(\"exact\") permit (principal, action, resource)
        when { context.texts.hasTag(\"/user/__entity/type\") && context.texts.getTag(\"/user/__entity/type\") == \"User\" };";

#[test]
fn hostile_names_are_only_names() {
    let policy = Policy::parse(HOSTILE).unwrap();
    for tool in [
        "__proto__",
        "constructor",
        "toString",
        "",
        "good\"",
        "good\" || true",
        "Tool::\"good\"",
        "\\\"good",
        "gооd",
        "good\0",
        "good\u{202e}",
        "GOOD",
        " good",
        "?resource",
        "good\n",
    ] {
        let judgement = Judgement {
            tool,
            ..call(Effect::External)
        };
        assert_eq!(policy.judge(&judgement).decision, Decision::Ask, "{tool:?}");
    }
    for principal in ["\"", "User::\"root\"", "__entity", ""] {
        let judgement = Judgement {
            principal: Principal::Client(principal),
            ..call(Effect::External)
        };
        assert_eq!(
            policy.judge(&judgement).decision,
            Decision::Ask,
            "{principal:?}"
        );
    }
}

#[test]
fn hostile_arguments_are_only_arguments() {
    let policy = Policy::parse(HOSTILE).unwrap();
    let asked = |arguments: &Value| {
        policy
            .judge(&Judgement {
                arguments,
                ..call(Effect::External)
            })
            .decision
    };
    assert_eq!(
        asked(&json!({ "user": { "__entity": { "type": "User", "id": "root" } } })),
        Decision::Allow
    );
    for arguments in [
        json!({ "__entity": { "type": "Tool", "id": "good" } }),
        json!({ "__extn": { "fn": "decimal", "arg": "1.0" } }),
        json!({ "__extn": { "fn": "no such function", "arg": {} } }),
        json!({ "__expr": "true" }),
        json!({ "approved": true, "granted": true, "context": { "approved": true } }),
        json!({ "": { "": "" }, "/": "~", "\u{0}": "\u{0}" }),
        json!([[], {}, null, 1.5, u64::MAX, i64::MIN]),
        json!("text"),
        Value::Null,
    ] {
        assert_eq!(asked(&arguments), Decision::Ask, "{arguments}");
    }
    let mut deep = json!(1);
    for _ in 0..500 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(asked(&deep), Decision::Ask);
    let wide: Vec<String> = (0..100_000).map(|number| "x".repeat(number % 50)).collect();
    assert_eq!(
        asked(&json!({ "wide": wide, "long": "y".repeat(10_000_000) })),
        Decision::Ask
    );
}

#[test]
fn what_is_judged_is_what_the_schema_of_facts_says() {
    let schema = super::language::facts_schema().unwrap();
    let language = super::language::Language::new().unwrap();
    let arguments = json!({ "a": "x", "b": 1, "c": true });
    // If a policy uses the whole record, all facts are built.
    let whole = language.parse("permit (principal, action, resource) when { context == context };");
    let read = whole.unwrap().read;
    for judgement in every_call(call(Effect::Durable)) {
        for person in [Some("ada"), None] {
            let judgement = Judgement {
                arguments: &arguments,
                person,
                ..judgement
            };
            let asked = super::PolicyQuery {
                approved: true,
                complete: true,
            };
            let request = language
                .request(&Facts::of(&judgement), &read, asked)
                .unwrap();
            let action = request.action().unwrap().clone();
            request
                .context()
                .unwrap()
                .clone()
                .validate(&schema, &action)
                .unwrap();
        }
    }
}

// Explanations.

#[test]
fn why_tells_the_policies_and_the_facts_in_words() {
    let change = PlannedChange {
        pages_touched: 12,
        pages_removed: 1,
        ..PlannedChange::default()
    };
    assert_eq!(
        judged(&draft(change)).why.sentences(),
        "It needs a person's approval. Removing a page needs approval. (policy `removing-a-page-asks`) Touching more than ten pages \
         at once needs approval. (policy `touching-many-pages-asks`) What mattered: it removes 1 page; it touches 12 pages."
    );
    assert_eq!(
        judged(&call(Effect::None)).why.sentences(),
        "It runs. Reading changes nothing, so it runs. (policy `reads-run`) What mattered: it changes nothing."
    );
    let verdict = judged(&Judgement {
        taint: Taint::Untrusted,
        personal_data: true,
        ..call(Effect::None)
    });
    assert_eq!(
        serde_json::to_value(&verdict).unwrap(),
        json!({
            "decision": "ask",
            "why": {
                "policies": [{
                    "policy": "tainted-consequences-ask",
                    "text": "Something from outside had a part in this call, and its consequences are not easily taken back, so it \
                             needs approval.",
                    "facts": ["approved", "codeTouched", "effect", "headCode", "personalData", "publishes", "tainted"],
                }],
                "facts": [
                    { "name": "effect", "text": "it changes nothing" },
                    { "name": "personalData", "text": "it uses or shows personal data" },
                    { "name": "tainted", "text": "something from outside had a part in it" },
                ],
            },
        })
    );
}

// Shadow mode.

#[test]
fn a_candidate_in_the_shadow_decides_nothing_and_its_differences_are_told() {
    let active = Policy::shipped().unwrap();
    let candidate = format!(
        "{}\n@id(\"no-agents\") @reason(\"Agents only read here.\")\nforbid (principal is Agent, action, resource)\n\
         unless {{ context.effect == Effect::\"none\" }};",
        super::SHIPPED
    );
    let candidate = Policy::parse(&candidate).unwrap();
    let same = judge_in_shadow(&active, &candidate, &call(Effect::None));
    assert_eq!(
        (same.verdict.decision, same.difference),
        (Decision::Allow, None)
    );
    let other = judge_in_shadow(&active, &candidate, &call(Effect::Draft));
    assert_eq!(other.verdict, active.judge(&call(Effect::Draft)));
    assert_eq!(
        other.difference.unwrap().sentence(),
        "`site.tool` runs and would be refused. It is not allowed, and approval would not change that. Agents only read here. (policy `no-agents`) \
         What mattered: it changes a draft, which undo takes back; an agent calls."
    );
}

// The cache of verdicts.

#[test]
fn a_remembered_verdict_is_never_another_call_s() {
    let text = format!(
        "{}\n@id(\"no-x\") forbid (principal, action, resource) when {{ resource == Tool::\"x\" }};
        @id(\"not-bob\") forbid (principal, action, resource) when {{ context has person && context.person == \"bob\" }};
        @id(\"no-scripts\") forbid (principal, action, resource) when {{ principal is Client }};",
        super::SHIPPED
    );
    let remembering = Policy::parse(&text).unwrap();
    let mut calls = Vec::new();
    for effect in [
        Effect::None,
        Effect::Draft,
        Effect::Durable,
        Effect::External,
    ] {
        for (tool, person) in [
            ("x", Some("ada")),
            ("y", Some("bob")),
            ("y", None),
            ("x, ", None),
        ] {
            for pages_touched in [0, 3, 11] {
                let change = PlannedChange {
                    pages_touched,
                    ..PlannedChange::default()
                };
                calls.extend(every_call(Judgement {
                    tool,
                    person,
                    change,
                    ..call(effect)
                }));
            }
        }
    }
    for judgement in calls.iter().chain(&calls) {
        let facts = Facts::of(judgement);
        assert_eq!(
            remembering.judge(judgement),
            remembering.evaluate(judgement, &facts),
            "{judgement:?}"
        );
    }
    for pages_touched in 0..5_000 {
        let change = PlannedChange {
            pages_touched,
            ..PlannedChange::default()
        };
        remembering.judge(&draft(change));
    }
    assert!(remembering.known().len() <= super::KNOWN_MAX);
}
