//! Nodes and their classes.

use serde_json::json;

use super::{Bench, node, page};
use crate::NodeId;

#[test]
fn nodes_move_to_the_index_they_are_given() {
    let mut bench = Bench::new();
    bench
        .call(
            "moveNode",
            json!({ "nodeId": node(13), "newParentId": node(10), "newIndex": 0 }),
        )
        .unwrap();
    assert_eq!(bench.shown(), r#"body(section p("Hello"))"#);
    let run = bench
        .call(
            "moveNode",
            json!({ "nodeId": node(13), "newParentId": node(10), "newIndex": 0 }),
        )
        .unwrap();
    assert_eq!(
        (run.ops.len(), run.receipt.unchanged.len()),
        (0, 1),
        "what is so already is said, not done"
    );
    bench
        .call(
            "moveNode",
            json!({ "nodeId": node(13), "newParentId": node(11), "newIndex": 99 }),
        )
        .unwrap();
    assert_eq!(bench.shown(), r#"body(p("Hello" section))"#);
    assert_eq!(
        bench.call(
            "moveNode",
            json!({ "nodeId": node(11), "newParentId": node(13), "newIndex": 0 })
        ),
        Err(format!(
            "invalid_input: {} is inside {}, so {} cannot be placed there. Read the document again and correct the call.",
            node(13),
            node(11),
            node(11)
        ))
    );
}

#[test]
fn nodes_are_copied_one_to_fifty_times_with_ids_of_their_own() {
    let mut bench = Bench::new();
    let run = bench
        .call("duplicateNode", json!({ "nodeId": node(11), "count": 2 }))
        .unwrap();
    assert_eq!(
        bench.shown(),
        r#"body(p("Hello") p("Hello") p("Hello") section)"#
    );
    let tree = &bench.site.bodies[&page()];
    let copies: Vec<NodeId> = tree
        .children(node(10))
        .filter(|child| ![node(11), node(13)].contains(child))
        .collect();
    assert_eq!(
        tree.children(node(10)).collect::<Vec<_>>(),
        [node(11), copies[0], copies[1], node(13)]
    );
    assert_eq!(run.data, json!({ "nodeId": copies[0], "nodeIds": copies }));
    for count in [0, 51] {
        let refused = bench.call(
            "duplicateNode",
            json!({ "nodeId": node(11), "count": count }),
        );
        assert_eq!(
            refused,
            Err(format!(
                "invalid_input: count must be 1 to 50, and was {count}."
            ))
        );
    }
    let root = bench.call("duplicateNode", json!({ "nodeId": node(10) }));
    assert_eq!(
        root,
        Err(
            "invalid_input: The root of a document cannot be copied; duplicate the page."
                .to_owned()
        )
    );
}

#[test]
fn a_call_made_twice_makes_the_same_ids() {
    let mut one = Bench::new();
    let mut other = Bench::new();
    let first = one
        .call("duplicateNode", json!({ "nodeId": node(11) }))
        .unwrap();
    assert_eq!(
        other
            .call("duplicateNode", json!({ "nodeId": node(11) }))
            .unwrap(),
        first
    );
}

#[test]
fn what_is_not_there_is_an_error_and_never_an_ok() {
    let mut bench = Bench::new();
    let missing = NodeId::from(999);
    for (tool, input) in [
        ("deleteNode", json!({ "nodeId": missing })),
        ("renameNode", json!({ "nodeId": missing, "label": "x" })),
        ("assignClass", json!({ "nodeId": missing, "classId": "x" })),
        (
            "moveNode",
            json!({ "nodeId": missing, "newParentId": node(10), "newIndex": 0 }),
        ),
    ] {
        let refused = bench.call(tool, input);
        assert_eq!(
            refused,
            Err(format!(
                "not_found: There is no node {missing}. Read the document again: ids are never made up, and nodes can be gone."
            )),
            "{tool}"
        );
    }
    assert!(
        bench
            .call("deletePage", json!({ "pageId": missing }))
            .unwrap_err()
            .starts_with("not_found: There is no page")
    );
    assert!(
        bench
            .call("deleteNode", json!({ "nodeId": "hero" }))
            .unwrap_err()
            .starts_with("invalid_input: `/nodeId`: `hero` is not an id")
    );
    assert!(
        bench
            .call("deleteNode", json!({ "nodeId": node(11), "force": true }))
            .unwrap_err()
            .contains("unknown field `force`")
    );
    let root = bench
        .call("deleteNode", json!({ "nodeId": node(10) }))
        .unwrap_err();
    assert_eq!(
        root,
        "invalid_input: the root of a document stays where it is. Read the document again and correct the call."
    );
}

#[test]
fn classes_come_and_go_and_the_written_text_stays_otherwise() {
    let mut bench = Bench::new();
    let classes = |bench: &Bench| {
        bench.site.bodies[&page()]
            .node(node(13))
            .unwrap()
            .classes
            .clone()
    };
    bench
        .call("applyCss", json!({ "css": ".hero { color: red }" }))
        .unwrap();
    let styles = bench.site.shell.items.clone();
    bench
        .call(
            "assignClass",
            json!({ "nodeId": node(13), "classId": ".hero" }),
        )
        .unwrap();
    bench
        .call(
            "assignClass",
            json!({ "nodeId": node(13), "classId": "md:flex" }),
        )
        .unwrap();
    assert_eq!(classes(&bench).as_deref(), Some("hero md:flex"));
    assert_eq!(
        bench
            .call(
                "assignClass",
                json!({ "nodeId": node(13), "classId": "hero" })
            )
            .unwrap()
            .ops,
        []
    );
    bench
        .call(
            "removeClass",
            json!({ "nodeId": node(13), "classId": "hero" }),
        )
        .unwrap();
    bench
        .call(
            "removeClass",
            json!({ "nodeId": node(13), "classId": "md:flex" }),
        )
        .unwrap();
    assert_eq!(classes(&bench), None);
    assert!(
        bench.site.shell.items == styles,
        "the class itself is still there for others"
    );
    let refused = bench.call(
        "assignClass",
        json!({ "nodeId": node(13), "classId": "two words" }),
    );
    assert_eq!(
        refused,
        Err(
            "invalid_input: classId must be the name of one class, without a dot or blanks."
                .to_owned()
        )
    );
}

#[test]
fn a_node_of_another_document_leads_the_editor_there() {
    let mut bench = Bench::new();
    bench.view.current = None;
    let run = bench
        .call(
            "renameNode",
            json!({ "nodeId": node(11), "label": "Intro" }),
        )
        .unwrap();
    assert_eq!(run.open.map(|open| open.id), Some(page()));
}

#[test]
fn deleting_takes_everything_in_a_node_and_tells() {
    let mut bench = Bench::new();
    let run = bench
        .call("deleteNode", json!({ "nodeId": node(11) }))
        .unwrap();
    assert_eq!(bench.shown(), "body(section)");
    assert_eq!(run.receipt.removed[0].id, node(11).to_string());
}

#[test]
fn a_label_is_for_the_editor_alone() {
    let mut bench = Bench::new();
    bench
        .call(
            "renameNode",
            json!({ "nodeId": node(11), "label": " Intro " }),
        )
        .unwrap();
    let labelled = bench.site.bodies[&super::page()].node(node(11)).unwrap();
    assert_eq!(labelled.label.as_deref(), Some("Intro"));
    let html = bench
        .call("getNodeHtml", json!({ "nodeId": node(11) }))
        .unwrap()
        .data["html"]
        .clone();
    assert_eq!(html, "<p id=\"p\">Hello</p>");
}

/// A receipt tells what these did; their answer has nothing to add.
#[test]
fn edits_of_known_nodes_and_pages_answer_no_data() {
    let mut bench = Bench::new();
    let other = bench.call("addPage", json!({ "title": "Other" })).unwrap();
    let other = other.data["pageId"].clone();
    let calls = [
        (
            "updateNodeProps",
            json!({ "nodeId": node(13), "patch": { "tag": "article" } }),
        ),
        (
            "moveNode",
            json!({ "nodeId": node(13), "newParentId": node(10), "newIndex": 0 }),
        ),
        (
            "renameNode",
            json!({ "nodeId": node(13), "label": "Intro" }),
        ),
        (
            "assignClass",
            json!({ "nodeId": node(13), "classId": "hero" }),
        ),
        (
            "removeClass",
            json!({ "nodeId": node(13), "classId": "hero" }),
        ),
        ("deleteNode", json!({ "nodeId": node(13) })),
        ("renamePage", json!({ "pageId": other, "title": "Another" })),
        (
            "setPageTemplate",
            json!({ "pageId": other, "target": { "kind": "everywhere" } }),
        ),
        ("clearPageTemplate", json!({ "pageId": other })),
        ("deletePage", json!({ "pageId": other })),
    ];
    for (tool, input) in calls {
        let run = bench
            .call(tool, input)
            .unwrap_or_else(|error| panic!("{tool}: {error}"));
        assert_eq!(run.data, json!({}), "{tool}");
        assert!(!run.ops.is_empty(), "{tool}");
        let receipt = &run.receipt;
        assert!(
            !receipt.changed.is_empty() || !receipt.removed.is_empty(),
            "{tool}"
        );
    }
}
