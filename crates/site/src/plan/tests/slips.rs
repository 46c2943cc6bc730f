//! Every slip that is repaired, and inputs that look like one but are not.

use serde_json::{Value, json};

use super::{Bench, page};
use crate::plan::{NormalisedPlan, Slip, normalise};

fn plan(ops: Value) -> Value {
    json!({ "intent": "edit_plan", "summary_for_user": "Edits.", "change_log": ["Edits."], "ops": ops })
}

fn with(field: &str, value: Value) -> Value {
    let mut plan = plan(json!([remove_about()]));
    plan[field] = value;
    plan
}

fn remove_about() -> Value {
    json!({ "op": "remove_page", "page": page(2) })
}

/// An input and the plan it is read as; by default the plan that removes About.
struct Case {
    slip: Slip,
    written: Value,
    read: Value,
}

fn case(slip: Slip, written: Value) -> Case {
    Case {
        slip,
        written,
        read: plan(json!([remove_about()])),
    }
}

fn case_as(slip: Slip, written: Value, read: Value) -> Case {
    Case {
        slip,
        written,
        read,
    }
}

fn op(op: Value) -> Value {
    plan(json!([op]))
}

fn cases(bench: &Bench) -> Vec<Case> {
    let usual = plan(json!([remove_about()]));
    let about = page(2).to_string();
    let hero = bench.node("hero").to_string();
    let mut cases = packed(&usual);
    cases.extend(named(&about));
    cases.extend(called());
    cases.extend(formed(&about, &hero));
    for marked in ["uid={}", "\"{}\"", "uid=\"{}\"", "#{}", "<{}>", " {} "] {
        cases.push(case_as(
            Slip::MarkedId,
            op(json!({ "op": "remove_node", "node": marked.replace("{}", &hero) })),
            op(json!({ "op": "remove_node", "node": hero })),
        ));
    }
    cases.extend([
        case_as(
            Slip::IntentMissing,
            json!({ "summary_for_user": "Edits.", "change_log": ["Edits."], "ops": [remove_about()] }),
            usual,
        ),
        case_as(
            Slip::ChangeLogMissing,
            json!({ "intent": "edit_plan", "summary_for_user": "Edits.", "ops": [remove_about()] }),
            with("change_log", json!(["Removes the page “About”."])),
        ),
        case_as(
            Slip::TooManySuggestions,
            with("suggested_next_actions", json!(["a", "b", "c", "d", "e", "f"])),
            with("suggested_next_actions", json!(["a", "b", "c", "d", "e"])),
        ),
    ]);
    cases
}

fn formed(about: &str, hero: &str) -> Vec<Case> {
    vec![
        case(
            Slip::FieldAsText,
            with("ops", json!(json!([remove_about()]).to_string())),
        ),
        case(
            Slip::FieldAsText,
            with("ops", json!([remove_about().to_string()])),
        ),
        case(Slip::FieldAsText, with("change_log", json!("[\"Edits.\"]"))),
        case_as(
            Slip::FieldAsText,
            op(json!({ "op": "update_props", "node": hero, "props": "{\"hidden\":true}" })),
            op(json!({ "op": "update_props", "node": hero, "props": { "hidden": true } })),
        ),
        case_as(
            Slip::SettingsOutside,
            op(json!({ "op": "update_page_settings", "page": about, "noIndex": true })),
            op(
                json!({ "op": "update_page_settings", "page": about, "settings": { "no_index": true } }),
            ),
        ),
        case(
            Slip::NullForAbsent,
            with("suggested_next_actions", Value::Null),
        ),
        case_as(
            Slip::NullForAbsent,
            op(json!({ "op": "move_node", "node": hero, "parent": null, "position": 0 })),
            op(json!({ "op": "move_node", "node": hero, "position": 0 })),
        ),
        case_as(
            Slip::NumberAsText,
            op(json!({ "op": "move_node", "node": hero, "position": " 2 " })),
            op(json!({ "op": "move_node", "node": hero, "position": 2 })),
        ),
        case_as(
            Slip::NumberAsText,
            op(json!({ "op": "move_node", "node": hero, "position": 2.0 })),
            op(json!({ "op": "move_node", "node": hero, "position": 2 })),
        ),
        case_as(
            Slip::NumberAsText,
            op(
                json!({ "op": "update_page_settings", "page": about, "settings": { "draft": "true" } }),
            ),
            op(
                json!({ "op": "update_page_settings", "page": about, "settings": { "draft": true } }),
            ),
        ),
        case(Slip::OneForList, with("ops", remove_about())),
        case(Slip::OneForList, with("change_log", json!("Edits."))),
        case_as(
            Slip::OneForList,
            op(json!({ "op": "update_classes", "node": hero, "add": "wide" })),
            op(json!({ "op": "update_classes", "node": hero, "add": ["wide"] })),
        ),
    ]
}

fn packed(usual: &Value) -> Vec<Case> {
    vec![
        case(Slip::PlanAsText, json!(usual.to_string())),
        case(Slip::Fenced, json!(format!("```json\n{usual}\n```"))),
        case(
            Slip::Fenced,
            json!(format!("Here it is:\n```\n{usual}\n```\nDone.")),
        ),
        case(Slip::Wrapped, json!({ "plan": usual })),
        case(Slip::Wrapped, json!({ "editPlan": usual.to_string() })),
        case(
            Slip::Wrapped,
            json!({ "name": "submit_edit_plan", "arguments": usual }),
        ),
    ]
}

fn named(about: &str) -> Vec<Case> {
    let camel = json!({
        "intent": "editPlan", "summaryForUser": "Edits.", "changeLog": ["Edits."], "ops": [remove_about()],
        "suggestedNextActions": []
    });
    let others = json!({
        "intent": "edit_plan", "summary": "Edits.", "change_log": ["Edits."], "operations": [remove_about()],
        "suggestions": []
    });
    vec![
        case(Slip::FieldSpelling, camel),
        case(Slip::FieldName, others),
        case(
            Slip::TagName,
            op(json!({ "type": "remove_page", "page": about })),
        ),
        case(
            Slip::TagName,
            op(json!({ "operation": "remove_page", "page": about })),
        ),
        case(
            Slip::TagName,
            op(json!({ "action": "removePage", "page": about })),
        ),
        case(
            Slip::OpNested,
            op(json!({ "remove_page": { "page": about } })),
        ),
        case(
            Slip::OpNested,
            op(json!({ "op": "remove_page", "args": { "page": about } })),
        ),
        case(
            Slip::OpNested,
            op(json!({ "name": "remove_page", "arguments": { "page": about } })),
        ),
        case(
            Slip::OpName,
            op(json!({ "op": "delete_page", "page": about })),
        ),
        case(
            Slip::OpName,
            op(json!({ "op": "removePage", "page": about })),
        ),
        case(
            Slip::DocumentForPage,
            op(json!({ "op": "remove_page", "page": { "type": "page", "id": about } })),
        ),
    ]
}

/// Pages by the names that people use.
fn called() -> Vec<Case> {
    let made = |page: &str, name: Option<&str>| {
        let mut create = json!({ "op": "create_page", "title": "Our Prices", "slug": "prices" });
        if let Some(name) = name {
            create["as"] = json!(name);
        }
        plan(json!([create, { "op": "add_section", "page": page, "html": "<p>x</p>" }]))
    };
    let mut cases = vec![
        case(
            Slip::PageByTitle,
            op(json!({ "op": "remove_page", "page": "ABOUT " })),
        ),
        case(
            Slip::PageByTitle,
            op(json!({ "op": "remove_page", "title": "About" })),
        ),
    ];
    for key in ["pageId", "page_id", "pageSlug", "path", "slug"] {
        for written in ["/about", "about", "/about/"] {
            let mut by_address = json!({ "op": "remove_page" });
            by_address[key] = json!(written);
            cases.push(case(Slip::PageByAddress, op(by_address)));
        }
    }
    for written in ["/prices", "prices", "our prices", "Our Prices"] {
        cases.push(case_as(
            Slip::MadePageByAddress,
            made(written, None),
            made("@page-0", Some("page-0")),
        ));
        cases.push(case_as(
            Slip::MadePageByAddress,
            made(written, Some("cost")),
            made("@cost", Some("cost")),
        ));
    }
    cases
}

#[test]
fn every_slip_is_put_right_and_told() {
    let bench = Bench::new();
    let cases = cases(&bench);
    for slip in Slip::ALL {
        assert!(
            cases.iter().any(|case| case.slip == *slip),
            "{slip:?} has no case"
        );
        assert!(slip.about().ends_with('.'));
    }
    for Case {
        slip,
        written,
        read,
    } in cases
    {
        let expected = normalise(read, &bench.site).unwrap();
        assert_eq!(expected.repairs, [], "what is expected has no slips");
        let NormalisedPlan { plan, repairs } = normalise(written.clone(), &bench.site)
            .unwrap_or_else(|refused| panic!("{slip:?}: {written} gave {:?}", refused.problems));
        assert_eq!(plan, expected.plan, "{slip:?}: {written}");
        assert!(
            repairs.iter().any(|repair| repair.slip == slip),
            "{slip:?}: {written} told {repairs:?}"
        );
    }
}

#[test]
fn a_repair_says_where_what_and_how() {
    let bench = Bench::new();
    let written = plan(json!([{ "type": "deletePage", "pageSlug": "/about" }]));
    let repairs = normalise(written, &bench.site).unwrap().repairs;
    insta::assert_json_snapshot!(repairs);
}

#[test]
fn what_would_take_a_guess_is_refused() {
    let bench = Bench::new();
    let refused = |written: Value| -> Vec<String> {
        let refused = normalise(written, &bench.site).unwrap_err();
        refused.problems.iter().map(ToString::to_string).collect()
    };
    let hero = bench.node("hero").to_string();
    let usual = plan(json!([remove_about()]));
    let texts = [
        refused(json!(usual.to_string().replace("}]", "},]"))),
        refused(json!(format!("// the plan\n{usual}"))),
        refused(json!([remove_about()])),
        refused(json!({ "plan": usual, "notes": { "a": 1 } })),
        refused(plan(json!([{ "op": "remove_page", "page": "News" }]))),
        refused(plan(json!([{ "op": "remove_page", "page": "Abuot" }]))),
        refused(plan(json!([{ "op": "remove_page", "page": page(77) }]))),
        refused(plan(
            json!([{ "op": "remove_page", "pageId": page(2), "slug": "news" }]),
        )),
        refused(plan(
            json!([{ "op": "create_page", "title": "News", "slug": "fresh" }, { "op": "remove_page", "page": "News" }]),
        )),
        refused(plan(json!([{ "op": "remove_pages", "page": page(2) }]))),
        refused(plan(json!([{ "op": "publish" }]))),
        refused(plan(json!([{ "page": page(2) }]))),
        refused(plan(json!(["remove the page"]))),
        refused(plan(json!([{ "op": "remove_node", "node": "hero" }]))),
        refused(plan(json!([{ "op": "remove_node" }]))),
        refused(plan(
            json!([{ "op": "update_text", "node": hero, "text": 5 }]),
        )),
        refused(plan(
            json!([{ "op": "update_text", "node": hero, "txet": "x" }]),
        )),
        refused(plan(
            json!([{ "op": "update_item", "list": hero, "index": 0, "content": "x" }]),
        )),
        refused(plan(
            json!([{ "op": "move_node", "node": hero, "position": "last" }]),
        )),
        refused(plan(
            json!([{ "op": "move_node", "node": hero, "position": -1 }]),
        )),
        refused(plan(
            json!([{ "op": "update_page_settings", "page": page(2), "settings": { "robots": "none" } }]),
        )),
        refused(plan(json!([{ "op": "remove_node", "node": "@hero" }]))),
        refused(plan(json!([
            { "op": "add_node", "parent": hero, "html": "<p>x</p>", "as": "new" },
            { "op": "remove_page", "page": "@new" },
            { "op": "remove_node", "node": "@other" },
            { "op": "add_node", "parent": hero, "html": "<p>x</p>", "as": "new" },
            { "op": "add_node", "parent": hero, "html": "<p>x</p>", "as": "1st" },
        ]))),
    ];
    insta::assert_snapshot!(texts.concat().join("\n"));
}

#[test]
fn what_no_schema_says_is_checked() {
    let bench = Bench::new();
    let refused = |written: Value| -> Vec<String> {
        let refused = normalise(written, &bench.site).unwrap_err();
        refused.problems.iter().map(ToString::to_string).collect()
    };
    let hero = bench.node("hero").to_string();
    let question = json!({ "intent": "needs_clarification", "summary_for_user": "Which page?", "ops": [remove_about()] });
    let texts = [
        refused(plan(json!([]))),
        refused(question),
        refused(json!({ "intent": "guess", "summary_for_user": "x" })),
        refused(json!({ "summary_for_user": "x" })),
        refused(with("summary_for_user", json!(" "))),
        refused(plan(json!([
            { "op": "rename_page", "page": page(2) },
            { "op": "move_page", "page": page(2) },
            { "op": "add_section", "page": page(2) },
            { "op": "add_section", "page": page(2), "html": "<p>x</p>", "props": {} },
            { "op": "add_item", "list": hero, "html": "<p>x</p>", "fields": {} },
            { "op": "update_item", "list": hero, "index": 0 },
            { "op": "update_classes", "node": hero },
            { "op": "update_props", "node": hero, "props": {} },
            { "op": "update_page_settings", "page": page(2), "settings": {} },
            { "op": "update_site_settings", "settings": {} },
        ]))),
    ];
    insta::assert_snapshot!(texts.concat().join("\n"));
}

#[test]
fn everything_has_a_limit() {
    let bench = Bench::new();
    let first = |written: Value| {
        let refused = normalise(written, &bench.site).unwrap_err();
        refused.problems[0].to_string()
    };
    let many: Vec<Value> = (0..201).map(|_| remove_about()).collect();
    let long = |length: usize| "x".repeat(length);
    let texts = [
        first(plan(json!(many))),
        first(json!(long(3 << 20))),
        first(with("summary_for_user", json!(long(3 << 20)))),
        first(with("summary_for_user", json!(long(4_001)))),
        first(with("change_log", json!([long(501)]))),
        first(with("change_log", json!(vec!["x"; 201]))),
        first(with("suggested_next_actions", json!([long(201)]))),
        first(plan(json!([{ "op": "create_page", "title": long(201) }]))),
        first(plan(
            json!([{ "op": "create_page", "title": "x", "html": long(200_001) }]),
        )),
    ];
    let texts = texts.map(|text| text.split(" For example").next().unwrap().to_owned());
    insta::assert_snapshot!(texts.join("\n"));
}
