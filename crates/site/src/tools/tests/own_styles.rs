//! Styles of one node, by breakpoint and state.

use serde_json::{Value, json};
use sitewright_markup::css::{CssForm, write_css};

use super::{Bench, node, page};
use crate::{Breakpoint, Item, ItemId, NewEntity, NodeId, Op, Piece};

fn bench() -> Bench {
    let mut bench = Bench::new();
    for (number, breakpoint) in (20..).zip(Breakpoint::defaults()) {
        let new = NewEntity::Item {
            id: ItemId::from(number),
            item: Box::new(Item::Breakpoint(breakpoint)),
            pieces: Vec::new(),
            after: None,
        };
        let op = Op::Insert { new: Box::new(new) };
        bench.site.apply(&op, 1).unwrap();
    }
    bench
}

fn style(bench: &mut Bench, breakpoint: Option<&str>, state: Option<&str>, patch: Value) {
    let mut input = json!({ "nodeId": node(13), "patch": patch });
    if let Some(breakpoint) = breakpoint {
        input["breakpointId"] = json!(breakpoint);
    }
    if let Some(state) = state {
        input["state"] = json!(state);
    }
    bench.call("updateNodeProps", input).unwrap();
}

/// The site's sheet, with `.own` for the class of the node.
fn css(bench: &Bench, id: NodeId) -> String {
    let Some(sheet) = bench.site.site_sheet() else {
        return String::new();
    };
    let pieces = bench.site.shell.items.pieces(sheet);
    let pieces: Vec<Piece> = pieces.map(|(_, piece)| piece.clone()).collect();
    write_css(&pieces, CssForm::Compact).replace(&format!(".n-{id}"), ".own")
}

#[test]
fn rules_are_in_the_order_of_the_cascade_whichever_was_set_first() {
    let mut bench = bench();
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.padding": "1px" }),
    );
    style(
        &mut bench,
        Some("tablet"),
        None,
        json!({ "style.padding": "2px" }),
    );
    style(&mut bench, None, None, json!({ "style.padding": "3px" }));
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.color": "red" }),
    );
    assert_eq!(
        css(&bench, node(13)),
        ".own{padding:3px}@media (max-width: 1024px){.own{padding:2px!important}}\
         @media (max-width: 640px){.own{padding:1px!important;color:red!important}}"
    );
}

#[test]
fn a_state_has_rules_of_its_own_at_each_width() {
    let mut bench = bench();
    style(
        &mut bench,
        None,
        Some("hover"),
        json!({ "style.backgroundColor": "black" }),
    );
    style(
        &mut bench,
        Some("mobile"),
        Some("hover"),
        json!({ "style.backgroundColor": "red" }),
    );
    style(
        &mut bench,
        None,
        Some("focus"),
        json!({ "style.color": "red" }),
    );
    assert_eq!(
        css(&bench, node(13)),
        ".own:hover{background-color:black!important}\
         @media (max-width: 640px){.own:hover{background-color:red!important}}\
         .own:focus-visible{color:red!important}"
    );
    let styles = bench.site.node_view(page(), node(13)).unwrap().own_styles;
    assert_eq!(
        json!(styles),
        json!([
            { "state": "hover", "declarations": [{ "property": "background-color", "value": "black", "important": true }] },
            { "breakpoint": "mobile", "state": "hover",
              "declarations": [{ "property": "background-color", "value": "red", "important": true }] },
            { "state": "focus", "declarations": [{ "property": "color", "value": "red", "important": true }] },
        ])
    );
    let tag = bench.refused(
        "updateNodeProps",
        json!({ "nodeId": node(13), "state": "hover", "patch": { "tag": "div" } }),
    );
    assert_eq!(
        tag.message,
        "`tag` is the same in every state; only style.* takes a state."
    );
}

#[test]
fn null_takes_the_declaration_away_and_the_class_with_the_last_one() {
    let mut bench = bench();
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.padding": "1px", "style.color": "red" }),
    );
    style(&mut bench, None, None, json!({ "style.padding": "3px" }));
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.padding": null, "hidden": false }),
    );
    assert_eq!(
        css(&bench, node(13)),
        ".own{padding:3px}@media (max-width: 640px){.own{color:red!important}}"
    );
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.color": null }),
    );
    assert_eq!(css(&bench, node(13)), ".own{padding:3px}");
    style(&mut bench, None, None, json!({ "style.padding": null }));
    assert_eq!(css(&bench, node(13)), "");
    assert_eq!(
        bench.site.bodies[&page()].node(node(13)).unwrap().classes,
        None
    );
    let input = json!({ "nodeId": node(13), "patch": { "style.padding": null } });
    assert_eq!(bench.call("updateNodeProps", input).unwrap().ops, []);
}

#[test]
fn a_value_cannot_end_its_rule() {
    let mut bench = bench();
    for value in ["red } body { color: red", "red; top: 0", "/*", "url(", ""] {
        let input = json!({ "nodeId": node(13), "breakpointId": "mobile", "patch": { "style.color": value } });
        let refused = bench.refused("updateNodeProps", input);
        assert_eq!(
            refused.message, "style.color must be one property with one value.",
            "{value}"
        );
    }
}

#[test]
fn a_copy_has_rules_of_its_own() {
    let mut bench = bench();
    style(
        &mut bench,
        None,
        Some("hover"),
        json!({ "style.color": "blue" }),
    );
    style(
        &mut bench,
        Some("mobile"),
        None,
        json!({ "style.color": "red" }),
    );
    let run = bench
        .call("duplicateNode", json!({ "nodeId": node(13) }))
        .unwrap();
    let copy: NodeId = serde_json::from_value(run.data["nodeId"].clone()).unwrap();
    let classes = |id| bench.site.bodies[&page()].node(id).unwrap().classes.clone();
    assert_eq!(classes(copy), Some(format!("n-{copy}")));
    assert_eq!(classes(node(13)), Some(format!("n-{}", node(13))));
    assert_eq!(
        css(&bench, node(13)).replace(&format!(".n-{copy}"), ".copy"),
        ".own:hover{color:blue!important}.copy:hover{color:blue!important}\
         @media (max-width: 640px){.own{color:red!important}.copy{color:red!important}}"
    );
}
