//! Changing nodes through their modules.

use serde_json::json;

use super::{Bench, node};
use crate::{Breakpoint, Item, ItemId, NewEntity, Op};

fn update(bench: &mut Bench, id: u64, patch: serde_json::Value) -> Result<crate::ToolRun, String> {
    bench.call(
        "updateNodeProps",
        json!({ "nodeId": node(id), "patch": patch }),
    )
}

fn html(bench: &mut Bench, id: u64) -> String {
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": node(id) }))
        .unwrap();
    read.data["html"].as_str().unwrap().to_owned()
}

#[test]
fn props_write_texts_tags_and_attributes() {
    let mut bench = Bench::new();
    update(
        &mut bench,
        11,
        json!({ "text": "Hello {page.title}", "tag": "h1", "id": null }),
    )
    .unwrap();
    assert_eq!(html(&mut bench, 11), "<h1>Hello {page.title}</h1>");
    assert_eq!(
        update(&mut bench, 11, json!({ "tag": "h1" })).unwrap().ops,
        [],
        "what is so already is said, not done"
    );
    let made = bench.call("insertHtml", json!({ "parentId": node(13), "html": "<img src=\"/a.png\"><video></video><a><b>x</b></a>" })).unwrap();
    let id = |position: usize| made.data["nodeIds"][position].clone();
    bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": id(0), "patch": { "alt": "A tree", "width": 300 } }),
        )
        .unwrap();
    bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": id(1), "patch": { "controls": true, "src": "/v.mp4" } }),
        )
        .unwrap();
    assert!(html(&mut bench, 13).contains("<img src=\"/a.png\" alt=\"A tree\" width=\"300\"><video controls=\"\" src=\"/v.mp4\"></video>"));
    let nested = bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": id(2), "patch": { "text": "y" } }),
        )
        .unwrap_err();
    assert!(
        nested.starts_with("invalid_input: This node holds other nodes"),
        "{nested}"
    );
    let unsafe_link = bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": id(2), "patch": { "href": "java\tscript:alert(1)" } }),
        )
        .unwrap_err();
    assert_eq!(
        unsafe_link,
        "invalid_input: Not allowed: href with a javascript: address. Use one that begins with https:, mailto:, tel:, / or #."
    );
}

#[test]
fn what_a_module_does_not_have_is_refused_with_what_it_has() {
    let mut bench = Bench::new();
    assert_eq!(
        update(&mut bench, 11, json!({ "href": "/x" })).unwrap_err(),
        "invalid_input: base.text has no prop `href`; it has text, tag, id, hidden, style.<property>."
    );
    assert_eq!(
        update(&mut bench, 11, json!({ "hidden": "yes" })).unwrap_err(),
        "invalid_input: `hidden` must be true or false."
    );
    assert_eq!(
        update(&mut bench, 11, json!({ "tag": "script" })).unwrap_err(),
        "invalid_input: tag must be the tag of a module; list_modules names them."
    );
    assert_eq!(
        update(&mut bench, 12, json!({ "text": "x" })).unwrap_err(),
        "invalid_input: Text has no props; change the text prop of what holds it."
    );
    assert_eq!(
        update(&mut bench, 11, json!({})).unwrap_err(),
        "invalid_input: patch must hold at least one prop."
    );
}

#[test]
fn hidden_and_styles_alone_differ_by_breakpoint() {
    let mut bench = Bench::new();
    let at = |patch: serde_json::Value, breakpoint: &str| json!({ "nodeId": node(13), "breakpointId": breakpoint, "patch": patch });
    let none = bench
        .call("updateNodeProps", at(json!({ "hidden": true }), "tablet"))
        .unwrap_err();
    assert_eq!(
        none,
        "invalid_input: There is no breakpoint `tablet`; the site has none, so leave breakpointId out."
    );
    let item = Box::new(Item::Breakpoint(Breakpoint::up_to("tablet", "Tablet", 768)));
    let new = NewEntity::Item {
        id: ItemId::from(7),
        item,
        pieces: Vec::new(),
        after: None,
    };
    bench
        .site
        .apply(&Op::Insert { new: Box::new(new) }, 50)
        .unwrap();
    update(&mut bench, 13, json!({ "style.backgroundColor": "red" })).unwrap();
    bench
        .call(
            "updateNodeProps",
            at(json!({ "hidden": true, "style.color": "blue" }), "tablet"),
        )
        .unwrap();
    let sheet = bench.site.site_sheet().unwrap();
    let pieces: Vec<crate::Piece> = bench
        .site
        .shell
        .items
        .pieces(sheet)
        .map(|(_, piece)| piece.clone())
        .collect();
    let class = format!(".n-{}", node(13));
    assert_eq!(
        sitewright_markup::css::write_css(&pieces, sitewright_markup::css::CssForm::Compact),
        format!(
            "{class}{{background-color:red}}@media (max-width: 768px){{{class}{{display:none!important;color:blue!important}}}}"
        )
    );
    assert!(html(&mut bench, 13).contains(&format!("class=\"n-{}\"", node(13))));
    let refused = bench
        .call("updateNodeProps", at(json!({ "tag": "div" }), "tablet"))
        .unwrap_err();
    assert_eq!(
        refused,
        "invalid_input: `tag` is the same at every width; only hidden and style.* take a breakpointId."
    );
    let invented = bench
        .call("updateNodeProps", at(json!({ "hidden": true }), "mobile"))
        .unwrap_err();
    assert_eq!(
        invented,
        "invalid_input: There is no breakpoint `mobile`; there are tablet."
    );
    let bad = update(
        &mut bench,
        13,
        json!({ "style.color": "red; } body { display: none" }),
    )
    .unwrap_err();
    assert_eq!(
        bad,
        "invalid_input: style.color must be one property with one value."
    );
}

#[test]
fn modules_are_listed_with_what_can_be_set_and_what_holds_until_then() {
    let mut bench = Bench::new();
    let modules = bench.call("list_modules", json!({})).unwrap().data;
    let modules = modules["modules"].as_array().unwrap();
    for module in modules {
        for field in ["id", "name", "category"] {
            assert!(module[field].is_string(), "{field} of {module}");
        }
        for prop in module["props"].as_array().unwrap() {
            assert!(prop["name"].is_string() && prop["kind"].is_string());
            assert!(prop.get("default").is_some(), "{prop}");
        }
    }
    let default = |module: &str, prop: &str| {
        let module = modules.iter().find(|known| known["id"] == module).unwrap();
        let mut props = module["props"].as_array().unwrap().iter();
        props.find(|known| known["name"] == prop).unwrap()["default"].clone()
    };
    assert_eq!(default("base.text", "tag"), "p");
    assert_eq!(default("base.loop", "direction"), "desc");
    assert_eq!(default("base.input", "required"), false);
    assert_eq!(default("base.text", "id"), json!(null));
}

#[test]
fn modules_are_listed_by_category() {
    let mut bench = Bench::new();
    let forms = bench
        .call("list_modules", json!({ "category": "forms" }))
        .unwrap()
        .data;
    let ids: Vec<&str> = forms["modules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|module| module["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        ["base.form", "base.input", "base.label", "base.option"]
    );
}
