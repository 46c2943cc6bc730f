//! The catalogue: documents, breakpoints, tokens, sources of loops.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sitewright_tool::Execution;

use super::{Bench, node, page};
use crate::tools::site_tools;
use crate::{
    Breakpoint, Component, Facts, Item, ItemId, Kind, Lock, Need, NewEntity, Node, Op, Outcome,
    Purpose, Subtree, SubtreeNode,
};

/// A home page, a template and a component.
fn of_each() -> (Bench, Value, Value) {
    let mut bench = Bench::new();
    let layout = bench.call("addPage", json!({ "title": "Layout" })).unwrap();
    let layout = layout.data["pageId"].clone();
    bench
        .call(
            "setPageTemplate",
            json!({ "pageId": layout, "target": { "kind": "everywhere" } }),
        )
        .unwrap();
    let root = SubtreeNode {
        id: node(40),
        parent: None,
        node: Node::new(Kind::Element(crate::Element {
            tag: "template".into(),
            namespace: crate::Namespace::Html,
            attrs: Vec::new(),
        })),
    };
    let new = NewEntity::Component {
        id: crate::BodyId::from(7),
        component: Box::new(Component {
            name: "Card".to_owned(),
            params: Vec::new(),
            template_key: None,
            lock: Lock::Open,
        }),
        tree: Subtree::new(vec![root]).unwrap(),
        after: None,
    };
    let op = Op::Insert { new: Box::new(new) };
    bench.site.apply(&op, 50).unwrap();
    (bench, layout, json!(crate::BodyId::from(7)))
}

#[test]
fn documents_are_listed_with_references_that_can_be_read_and_opened() {
    let (mut bench, layout, card) = of_each();
    let listed = bench.call("list_documents", json!({})).unwrap().data;
    let roots = [&listed["documents"][0], &listed["documents"][1]].map(|it| &it["rootNodeId"]);
    assert_eq!(
        listed,
        json!({ "documents": [
            { "document": { "type": "page", "id": page() }, "title": "Home", "rootNodeId": node(10), "active": true, "current": true,
              "summary": "Home page" },
            { "document": { "type": "template", "id": layout }, "title": "Layout", "rootNodeId": roots[1], "active": false, "current": false,
              "summary": "Template around all pages", "template": { "target": { "kind": "everywhere" }, "priority": 100 } },
            { "document": { "type": "visualComponent", "id": card }, "title": "Card", "rootNodeId": node(40), "active": false,
              "current": false, "summary": "Component with 0 params" },
        ] })
    );
    for item in listed["documents"].as_array().unwrap() {
        let named = json!({ "document": item["document"] });
        let read = bench.call("read_document", named.clone()).unwrap();
        assert_eq!(
            (&read.data["document"], &read.data["title"], read.open),
            (&item["document"], &item["title"], None),
            "reading shows nothing in the editor"
        );
        let opened = bench.call("open_document", named.clone()).unwrap();
        assert_eq!(
            (opened.data, json!(opened.open)),
            (named, item["document"].clone())
        );
    }
}

#[test]
fn what_an_earlier_call_made_is_listed() {
    let mut bench = Bench::new();
    let added = bench.call("addPage", json!({ "title": "About" })).unwrap();
    let listed = bench.call("list_documents", json!({})).unwrap().data;
    assert_eq!(
        listed["documents"][1]["document"]["id"],
        added.data["pageId"]
    );
    bench
        .call(
            "set_spacing_scale",
            json!({ "steps": "s, m", "baseScaleIndex": 0 }),
        )
        .unwrap();
    let tokens = bench
        .call("list_tokens", json!({ "family": "spacing" }))
        .unwrap()
        .data;
    assert_eq!(tokens["spacing"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_catalogue_needs_no_browser() {
    let asked: Vec<String> = site_tools()
        .into_iter()
        .filter(|tool| tool.definition.manifest.execution == Execution::Server)
        .map(|tool| tool.definition.manifest.name.to_string())
        .collect();
    assert_eq!(
        asked,
        [
            "list_documents",
            "list_breakpoints",
            "list_post_types",
            "list_loop_sources",
            "list_tokens",
            "list_modules",
            "list_token_uses",
            "submit_edit_plan",
            "preview_edit_plan",
            "apply_edit_plan",
        ]
    );
}

#[test]
fn breakpoints_are_listed_with_the_one_in_front() {
    let mut bench = Bench::new();
    let new = NewEntity::Item {
        id: ItemId::from(7),
        item: Box::new(Item::Breakpoint(Breakpoint::up_to("tablet", "Tablet", 768))),
        pieces: Vec::new(),
        after: None,
    };
    let op = Op::Insert { new: Box::new(new) };
    bench.site.apply(&op, 50).unwrap();
    bench.view.breakpoint = Some("tablet".to_owned());
    let listed = bench.call("list_breakpoints", json!({})).unwrap().data;
    assert_eq!(listed["activeBreakpointId"], "tablet");
    let breakpoint = &listed["breakpoints"][0];
    assert_eq!(
        (
            &breakpoint["id"],
            &breakpoint["label"],
            &breakpoint["width"]
        ),
        (&json!("tablet"), &json!("Tablet"), &json!(768)),
        "{listed}"
    );
}

#[test]
fn tokens_are_listed_with_shades_tints_steps_and_fonts() {
    let mut bench = Bench::new();
    let color = json!({ "slug": "primary", "lightValue": "#336699", "darkValue": "#99ccff" });
    bench
        .call("set_color_tokens", json!({ "tokens": [color] }))
        .unwrap();
    for scale in ["set_type_scale", "set_spacing_scale"] {
        bench
            .call(scale, json!({ "steps": "s, m", "baseScaleIndex": 1 }))
            .unwrap();
    }
    let font = json!({ "name": "Headings", "fallback": "Georgia, serif" });
    bench
        .call("set_font_tokens", json!({ "tokens": [font] }))
        .unwrap();
    let listed = bench.call("list_tokens", json!({})).unwrap().data;
    let refs = |family: &str| -> Vec<String> {
        let tokens = listed[family].as_array().unwrap();
        let refs = tokens.iter().map(|token| token["ref"].as_str().unwrap());
        refs.map(str::to_owned).collect()
    };
    let see_through = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90].map(|percent| percent.to_string());
    let shades = [1, 2, 3, 4].map(|nth| format!("d-{nth}"));
    let tints = [1, 2, 3, 4].map(|nth| format!("l-{nth}"));
    let variants = see_through.iter().chain(&shades).chain(&tints);
    let variants = variants.map(|variant| format!("var(--primary-{variant})"));
    let expected: Vec<String> = std::iter::once("var(--primary)".to_owned())
        .chain(variants)
        .collect();
    assert_eq!(refs("colors"), expected);
    assert_eq!(
        (&listed["colors"][0]["value"], &listed["colors"][0]["dark"]),
        (&json!("#336699"), &json!("#99ccff"))
    );
    let values: BTreeSet<String> = listed["colors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|color| format!("{} {}", color["value"], color["dark"]))
        .collect();
    assert_eq!(values.len(), expected.len(), "each is another colour");
    assert_eq!(refs("typography"), ["var(--text-s)", "var(--text-m)"]);
    assert_eq!(refs("spacing"), ["var(--space-s)", "var(--space-m)"]);
    assert_eq!(refs("fonts"), ["var(--font-headings)"]);
}

#[test]
fn entries_are_looped_by_the_id_that_the_list_of_sources_names() {
    let mut bench = Bench::new();
    let fields = json!([{ "id": "000000000001", "name": "price", "kind": { "type": "number" } }]);
    bench.add_collection(ItemId::from(7), "blog", fields);
    let sources = bench.call("list_loop_sources", json!({})).unwrap().data;
    let rows = &sources["sources"][0];
    let (source, table) = (
        rows["id"].as_str().unwrap(),
        rows["tables"][0]["id"].as_str().unwrap(),
    );
    assert_eq!((source, table), ("data.rows", "000000000007"));
    assert_eq!(rows["filterBy"], json!(["slug"]));
    assert_eq!(rows["tables"][0]["filterBy"], json!(["price"]));
    let (order, token) = (
        rows["orderBy"][0].as_str().unwrap(),
        rows["tables"][0]["tokens"][0].as_str().unwrap(),
    );
    let html = format!(
        "<instatic-loop data-source-id=\"{source}\" data-table-id=\"{table}\" data-order-by=\"{order}\"><p>{token}</p></instatic-loop>"
    );
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let render = |facts: &Facts| bench.site.render(page(), Purpose::Publish, facts).unwrap();
    let Outcome::Needs(needs) = render(&Facts::default()) else {
        panic!("it needs rows")
    };
    let [Need::Rows { key, query }] = needs.as_slice() else {
        panic!("{needs:?}")
    };
    assert_eq!(
        (query.source.as_str(), query.table.as_deref()),
        ("data.rows", Some("000000000007"))
    );
    let facts = Facts {
        rows: [(
            key.clone(),
            vec![json!({ "price": 1 }), json!({ "price": 2 })],
        )]
        .into(),
        ..Facts::default()
    };
    let Outcome::Done(rendered) = render(&facts) else {
        panic!("it has its rows")
    };
    assert!(
        rendered.html.contains("<p>1</p><p>2</p>"),
        "{}",
        rendered.html
    );
}

#[test]
fn tools_are_described_in_the_names_of_this_product() {
    for tool in site_tools() {
        let described = serde_json::to_string(&tool.definition.manifest).unwrap();
        assert!(!described.contains("instatic"), "{described}");
    }
}
