//! Structure as HTML.

use serde_json::json;

use super::{Bench, node, page};
use crate::{Facts, Kind, NodeId, Outcome};

#[test]
fn html_is_inserted_where_it_is_asked_for_and_reads_back() {
    let mut bench = Bench::new();
    let html = "<h1 class=\"title\">Hi <em>you</em></h1><!-- note --><ul><li>a<li>b</ul>";
    let run = bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    assert_eq!(run.data["nodeIds"].as_array().map(Vec::len), Some(3));
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": node(13) }))
        .unwrap();
    let expected = "<section id=\"section\"><h1 class=\"title\">Hi <em>you</em></h1><!-- note --><ul><li>a</li><li>b</li></ul></section>";
    assert_eq!(read.data["html"], expected);
    bench
        .call(
            "insertHtml",
            json!({ "parentId": node(10), "index": 0, "html": "<nav></nav>" }),
        )
        .unwrap();
    assert!(
        bench.shown().starts_with("body(nav p("),
        "{}",
        bench.shown()
    );
    let row = bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": "<table><tbody></tbody></table>" }),
        )
        .unwrap();
    let table: NodeId = row.data["nodeIds"][0].as_str().unwrap().parse().unwrap();
    let body = bench.site.bodies[&page()].children(table).next().unwrap();
    bench
        .call(
            "insertHtml",
            json!({ "parentId": body, "html": "<tr><td>1</td></tr>" }),
        )
        .unwrap();
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": table }))
        .unwrap();
    assert_eq!(
        read.data["html"],
        "<table><tbody><tr><td>1</td></tr></tbody></table>"
    );
}

#[test]
fn styles_with_elements_add_and_styles_alone_edit() {
    let mut bench = Bench::new();
    bench
        .call("applyCss", json!({ "css": ".hero { color: red }" }))
        .unwrap();
    let html =
        "<style>.hero { color: blue } .cta { color: green }</style><div class=\"hero\"></div>";
    let run = bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    assert_eq!(run.receipt.notes, ["Kept your existing `.hero` style."]);
    let edit = bench
        .call(
            "replaceNodeHtml",
            json!({ "nodeId": node(13), "html": "<style>.hero { color: blue }</style>" }),
        )
        .unwrap();
    assert_eq!(
        edit.data,
        json!({ "cssRulesCreated": 0, "cssRulesUpdated": 1 })
    );
    assert!(
        bench.shown().ends_with("section(div))"),
        "the children are left alone: {}",
        bench.shown()
    );
    let sheet = bench.site.site_sheet().unwrap();
    let pieces: Vec<crate::Piece> = bench
        .site
        .shell
        .items
        .pieces(sheet)
        .map(|(_, piece)| piece.clone())
        .collect();
    assert_eq!(
        sitewright_markup::css::write_css(&pieces, sitewright_markup::css::CssForm::Compact),
        ".hero{color:blue}.cta{color:green}"
    );
}

#[test]
fn replacing_keeps_the_node_and_refuses_before_it_removes() {
    let mut bench = Bench::new();
    bench
        .call(
            "replaceNodeHtml",
            json!({ "nodeId": node(11), "html": "<b>new</b>" }),
        )
        .unwrap();
    assert_eq!(bench.shown(), r#"body(p(b("new")) section)"#);
    for (html, reason) in [
        ("", "invalid_input: There is nothing in the HTML."),
        (
            "{{post.title}}",
            "invalid_input: `{{post.title}}` has two braces; write `{currentEntry.title}`.",
        ),
    ] {
        assert_eq!(
            bench.call(
                "replaceNodeHtml",
                json!({ "nodeId": node(11), "html": html })
            ),
            Err(reason.to_owned())
        );
    }
    assert_eq!(bench.shown(), r#"body(p(b("new")) section)"#);
    let text = bench.site.bodies[&page()].walk(node(11)).last().unwrap();
    let refused = bench.call("insertHtml", json!({ "parentId": text, "html": "<i></i>" }));
    assert_eq!(
        refused,
        Err("invalid_input: Text holds no HTML; insert under its parent.".to_owned())
    );
}

#[test]
fn loops_and_outlets_come_from_their_elements_and_there_is_one_outlet() {
    let mut bench = Bench::new();
    let html = "<instatic-loop data-source-id=\"data.rows\" data-table-id=\"posts\" data-limit=\"3\"><h3>{currentEntry.title}</h3></instatic-loop>";
    let run = bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let looped: NodeId = run.data["nodeIds"][0].as_str().unwrap().parse().unwrap();
    let Kind::Loop(found) = &bench.site.bodies[&page()].node(looped).unwrap().kind else {
        panic!("a loop")
    };
    assert_eq!(
        (found.source.as_str(), found.table.as_deref(), found.limit),
        ("data.rows", Some("posts"), Some(3))
    );
    bench
        .call(
            "insertHtml",
            json!({ "parentId": node(10), "html": "<instatic-outlet></instatic-outlet>" }),
        )
        .unwrap();
    let second = bench.call(
        "insertHtml",
        json!({ "parentId": node(10), "html": "<instatic-outlet></instatic-outlet>" }),
    );
    assert_eq!(
        second,
        Err("conflict: A document has one outlet at most, and there is one already.".to_owned())
    );
}

#[test]
fn braces_of_foreign_html_stay_text() {
    let mut bench = Bench::new();
    let html = "<p title=\"{page.title}\">{{post.title}} and {site.name}, { plain }</p>";
    let input = json!({ "parentId": node(13), "html": html, "braces": "literal" });
    let run = bench.call("insertHtml", input).unwrap();
    let id = run.data["nodeIds"][0].as_str().unwrap().parse().unwrap();
    let outcome = bench.site.render_node(page(), id, &Facts::default());
    let Some(Outcome::Done(rendered)) = outcome else {
        panic!("it was not rendered")
    };
    assert!(
        rendered
            .html
            .contains("{{post.title}} and {site.name}, { plain }")
            && rendered.html.contains("title=\"{page.title}\""),
        "{}",
        rendered.html
    );
}

#[test]
fn what_could_run_code_is_taken_out_and_told() {
    let mut bench = Bench::new();
    let html = "<p onclick=\"x()\">a</p><script>y()</script><a href=\"javascript:z()\">b</a>";
    let run = bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let mut told: Vec<&str> = run
        .receipt
        .sanitised
        .iter()
        .map(|gone| gone.what.as_str())
        .collect();
    told.sort_unstable();
    assert_eq!(told.len(), 3, "{told:?}");
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": node(13) }))
        .unwrap();
    let html = read.data["html"].as_str().unwrap();
    for gone in ["onclick", "script", "x()", "y()", "z()"] {
        assert!(!html.contains(gone), "{html}");
    }
    assert!(
        html.starts_with("<section id=\"section\"><p>a</p><a"),
        "{html}"
    );
}

#[test]
fn a_style_alone_brings_rules_and_no_node() {
    let mut bench = Bench::new();
    let before = bench.shown();
    let run = bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": "<style>.a { top: 0 } .b { top: 1px }</style>" }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "cssRulesCreated": 2, "cssRulesUpdated": 0 })
    );
    let again = bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": "<style>.a { top: 2px }</style>" }),
        )
        .unwrap();
    assert_eq!(
        again.data,
        json!({ "cssRulesCreated": 0, "cssRulesUpdated": 1 })
    );
    assert_eq!(bench.shown(), before);
}

#[test]
fn what_replaces_is_named_and_cleaned() {
    let mut bench = Bench::new();
    let html = "<p onclick=\"x()\">a</p><script>y()</script><p>b</p>";
    let run = bench
        .call(
            "replaceNodeHtml",
            json!({ "nodeId": node(13), "html": html }),
        )
        .unwrap();
    let children = bench.site.bodies[&page()].children(node(13));
    assert_eq!(run.data, json!({ "nodeIds": children.collect::<Vec<_>>() }));
    assert_eq!(
        run.receipt.sanitised.len(),
        2,
        "{:?}",
        run.receipt.sanitised
    );
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": node(13) }))
        .unwrap();
    assert_eq!(
        read.data["html"],
        "<section id=\"section\"><p>a</p><p>b</p></section>"
    );
}

#[test]
fn html_is_read_back_as_it_is_published() {
    let mut bench = Bench::new();
    let html =
        "<h2 class=\"title big\" style=\"color: red\">A &amp; b</h2><img src=\"/a.png\" alt=\"\">";
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let read = bench
        .call("getNodeHtml", json!({ "nodeId": node(13) }))
        .unwrap();
    let facts = crate::Facts::default();
    let rendered = bench.site.render(page(), crate::Purpose::Publish, &facts);
    let Some(crate::Outcome::Done(rendered)) = rendered else {
        panic!("{rendered:?}")
    };
    let read = read.data["html"].as_str().unwrap();
    assert!(rendered.html.contains(read), "{read} | {}", rendered.html);
}

#[test]
fn every_imported_element_can_be_moved_styled_and_deleted() {
    let mut bench = Bench::new();
    let html = "<nav><ul><li><a href=\"/\">x</a></li></ul></nav><svg><g></g></svg><custom-box></custom-box>";
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let tree = &bench.site.bodies[&page()];
    let elements: Vec<NodeId> = tree
        .walk(node(13))
        .skip(1)
        .filter(|id| {
            matches!(
                tree.node(*id).map(|node| &node.kind),
                Some(Kind::Element(_))
            )
        })
        .collect();
    assert_eq!(elements.len(), 7);
    for element in elements.into_iter().rev() {
        let style = json!({ "nodeId": element, "patch": { "style.color": "red" } });
        bench.call("updateNodeProps", style).unwrap();
        let tree = &bench.site.bodies[&page()];
        let mut copy = bench.site.clone();
        let moved = crate::Op::Place {
            body: page(),
            node: element,
            place: crate::Place {
                parent: tree.parent(element).unwrap(),
                after: None,
            },
        };
        copy.apply(&moved, 90).unwrap();
        bench
            .call("deleteNode", json!({ "nodeId": element }))
            .unwrap();
    }
    assert_eq!(bench.shown(), r#"body(p("Hello") section)"#);
}

/// A class needs no registry here: it is the view of all rules with its selector, so nodes and rules meet by name and one undo takes back both.
#[test]
fn classes_of_imported_nodes_can_be_styled_whether_or_not_a_rule_came_with_them() {
    let mut bench = Bench::new();
    let html = "<style>.card { color: red } .card a { color: blue }</style><div class=\"card bare\">Hi</div>";
    let insert = json!({ "parentId": node(13), "html": html });
    let run = bench.call("insertHtml", insert).unwrap();
    let view = |bench: &Bench, class: &str| {
        let sheets = bench.site.shell.items.list(crate::List::Sheets);
        let pieces: Vec<crate::Piece> = sheets
            .flat_map(|(sheet, _)| bench.site.shell.items.pieces(sheet))
            .map(|(_, piece)| piece.clone())
            .collect();
        sitewright_markup::css::class_view(&pieces, class, &[])
    };
    assert!(format!("{:?}", view(&bench, "card")).contains("red"));
    assert!(
        !format!("{:?}", view(&bench, "card")).contains("blue"),
        "that rule is for what is in it"
    );
    assert!(!format!("{:?}", view(&bench, "bare")).contains("green"));
    bench
        .call("applyCss", json!({ "css": ".bare { color: green }" }))
        .unwrap();
    assert!(format!("{:?}", view(&bench, "bare")).contains("green"));
    let id = run.data["nodeIds"][0]
        .as_str()
        .and_then(|id| id.parse().ok());
    let classes = |id| bench.site.bodies[&page()].node(id)?.classes.clone();
    assert_eq!(id.and_then(classes).as_deref(), Some("card bare"));
}

/// Sections of the library bring an h1 that belongs to them only on a page without one.
#[test]
fn an_h1_becomes_an_h2_where_the_page_has_one_and_that_is_asked_for() {
    let mut bench = Bench::new();
    let mut insert = |headings: &str| {
        let html = "<header><h1 class=\"section-title\">Hi</h1></header>";
        let input = json!({ "parentId": node(13), "html": html, "headings": headings });
        bench.call("insertHtml", input).unwrap();
        bench.shown()
    };
    insert("oneMain");
    insert("oneMain");
    assert_eq!(
        insert("asWritten"),
        "body(p(\"Hello\") section(header(h1(\"Hi\")) header(h2(\"Hi\")) header(h1(\"Hi\"))))"
    );
}
