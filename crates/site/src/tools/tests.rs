//! The tools, called as a model calls them.

use serde_json::{Value, json};

use super::{ToolRun, View, site_tools};
use crate::{
    Attr, BodyId, ChangeId, Element, Facts, Grown, Kind, Namespace, New, Node, NodeId, Op, Outcome,
    Page, Site, Subtree,
};

/// A site with one page, `body(p#1(text) p)`.
struct Bench {
    site: Site,
    view: View,
    calls: u32,
}

fn page() -> BodyId {
    BodyId::from(1)
}

fn node(number: u64) -> NodeId {
    NodeId::from(number)
}

fn element(tag: &str) -> Node {
    let attrs = vec![Attr {
        name: "id".into(),
        value: tag.to_owned(),
    }];
    Node::new(Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs,
    }))
}

impl Bench {
    fn new() -> Self {
        let grown = |number, parent, node| Grown {
            id: self::node(number),
            parent,
            node,
        };
        let tree = Subtree::new(vec![
            grown(10, None, element("body")),
            grown(11, Some(0), element("p")),
            grown(12, Some(1), Node::new(Kind::Text("Hello".to_owned()))),
            grown(13, Some(0), element("section")),
        ]);
        let mut site = Site::default();
        let new = New::Page {
            id: page(),
            page: Box::new(Page::new("Home", "index")),
            tree: tree.unwrap(),
            after: None,
        };
        site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
        Self {
            site,
            view: View {
                current: Some(page()),
                ..View::default()
            },
            calls: 0,
        }
    }

    /// Calls a tool and commits what it did.
    fn call(&mut self, tool: &str, input: Value) -> Result<ToolRun, String> {
        self.calls += 1;
        let change = ChangeId::of_call("turn", &self.calls.to_string());
        let before = self.site.clone();
        let tool = site_tools()
            .into_iter()
            .find(|known| known.manifest.name.as_str() == tool)
            .expect("a tool");
        let outcome = tool.run(
            input,
            &mut self.site,
            &self.view,
            (&Facts::default(), change),
        );
        assert!(self.site == before, "a tool changes nothing by itself");
        match outcome {
            Ok(Outcome::Done(run)) => {
                let applied = self.site.apply_all(&run.ops, u64::from(self.calls) + 1);
                assert_eq!(applied.undone, []);
                Ok(run)
            }
            Ok(Outcome::Needs(needs)) => Err(format!("needs {needs:?}")),
            Err(error) => Err(format!("{}: {}", error.code.as_str(), error.message)),
        }
    }

    /// The tree in a small notation: `body(p("Hello") section)`.
    fn shown(&self) -> String {
        fn show(tree: &crate::Tree, at: NodeId) -> String {
            let name = match &tree.node(at).unwrap().kind {
                Kind::Element(element) => element.tag.as_str().to_owned(),
                Kind::Text(text) => format!("{text:?}"),
                other => format!("{other:?}"),
            };
            let children: Vec<String> = tree.children(at).map(|child| show(tree, child)).collect();
            if children.is_empty() {
                name
            } else {
                format!("{name}({})", children.join(" "))
            }
        }
        let tree = &self.site.bodies[&page()];
        show(tree, tree.root())
    }
}

#[test]
fn every_tool_has_a_name_of_its_own_and_schemas_of_objects() {
    let mut names = std::collections::BTreeSet::new();
    for tool in site_tools() {
        let manifest = tool.manifest;
        assert!(names.insert(manifest.name.to_string()), "{}", manifest.name);
        for schema in [&manifest.input_schema, &manifest.output_schema] {
            assert_eq!(schema["type"], "object", "{}", manifest.name);
        }
        assert_eq!(
            manifest.input_schema["additionalProperties"], false,
            "{}",
            manifest.name
        );
    }
}

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
    assert_eq!(run.data["nodeIds"].as_array().map(Vec::len), Some(2));
    assert_eq!(run.data["nodeId"], run.data["nodeIds"][0]);
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
fn pages_are_added_copied_renamed_and_deleted() {
    let mut bench = Bench::new();
    let added = bench
        .call("addPage", json!({ "title": "Über uns" }))
        .unwrap();
    let about: BodyId = added.data["pageId"].as_str().unwrap().parse().unwrap();
    assert_eq!(bench.site.permalink(about), "/über-uns");
    assert_eq!(added.open.map(|open| open.id), Some(about));
    let again = bench
        .call("addPage", json!({ "title": "Über uns" }))
        .unwrap();
    assert_eq!(
        again.receipt.notes,
        ["The slug `über-uns` is taken; the page has `über-uns-2`."]
    );
    let copy = bench
        .call(
            "duplicatePage",
            json!({ "pageId": page(), "title": "Copy" }),
        )
        .unwrap();
    let copy: BodyId = copy.data["pageId"].as_str().unwrap().parse().unwrap();
    assert_eq!(bench.site.bodies[&copy].len(), 4);

    let run = bench
        .call(
            "renamePage",
            json!({ "pageId": about, "title": "Start", "slug": "index" }),
        )
        .unwrap();
    assert_eq!(
        run.receipt.notes,
        ["`Home` was the home page and has the slug `home` now."]
    );
    assert_eq!(
        (bench.site.permalink(about), bench.site.permalink(page())),
        ("/".to_owned(), "/home".to_owned())
    );
    let taken = bench.call(
        "renamePage",
        json!({ "pageId": copy, "title": "Copy", "slug": "home" }),
    );
    assert_eq!(
        taken,
        Err("conflict: The page `Home` has the slug `home`; choose another one.".to_owned())
    );
    for slug in ["admin", "a b", "../x", "über/uns"] {
        assert!(
            bench
                .call("addPage", json!({ "title": "X", "slug": slug }))
                .unwrap_err()
                .starts_with("invalid_input: slug"),
            "{slug}"
        );
    }
}

#[test]
fn the_last_page_and_protected_pages_stay() {
    let mut bench = Bench::new();
    let last = bench.call("deletePage", json!({ "pageId": page() }));
    assert_eq!(
        last,
        Err(
            "conflict: This is the last page, and a site needs one. Add another page first."
                .to_owned()
        )
    );
    bench.call("addPage", json!({ "title": "Other" })).unwrap();
    let protect = Op::Put {
        entity: crate::Entity::Page { id: page() },
        field: "isProtected".to_owned(),
        value: json!(true),
    };
    bench.site.apply(&protect, 90).unwrap();
    let refused = bench.call("deletePage", json!({ "pageId": page() }));
    assert_eq!(
        refused,
        Err("conflict: The page `Home` is protected and cannot be deleted.".to_owned())
    );
}

#[test]
fn a_page_becomes_a_template_and_a_page_again() {
    let mut bench = Bench::new();
    let set = json!({ "pageId": page(), "target": { "kind": "everywhere" } });
    let run = bench.call("setPageTemplate", set.clone()).unwrap();
    assert_eq!(
        run.receipt.notes.len(),
        1,
        "it says that the outlet is missing"
    );
    assert_eq!(bench.call("setPageTemplate", set).unwrap().ops, []);
    let listed = bench.call("list_documents", json!({})).unwrap().data;
    assert_eq!(
        listed["documents"][0]["document"],
        json!({ "type": "template", "id": page() })
    );
    assert_eq!(listed["documents"][0]["template"]["priority"], 100);
    bench
        .call("clearPageTemplate", json!({ "pageId": page() }))
        .unwrap();
    let again = bench.call("clearPageTemplate", json!({ "pageId": page() }));
    assert_eq!(
        again,
        Err("conflict: The page `Home` is not a template.".to_owned())
    );
    let none = bench.call(
        "setPageTemplate",
        json!({ "pageId": page(), "target": { "kind": "postTypes", "tableSlugs": [] } }),
    );
    assert!(none.unwrap_err().starts_with("invalid_input: tableSlugs"));
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
fn css_is_written_edited_and_left_alone_where_it_is_so_already() {
    let mut bench = Bench::new();
    let css = |bench: &Bench| {
        let sheet = bench.site.site_sheet().unwrap();
        let pieces: Vec<crate::Piece> = bench
            .site
            .shell
            .items
            .pieces(sheet)
            .map(|(_, piece)| piece.clone())
            .collect();
        crate::write_css(&pieces, crate::CssForm::Compact)
    };
    let run = bench
        .call(
            "applyCss",
            json!({ "css": ".hero { color: red } .hero a:hover { color: blue }" }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "cssRulesCreated": 2, "cssRulesUpdated": 0 })
    );
    let run = bench.call("applyCss", json!({ "css": ".hero { color: green; margin: 0 } @media (max-width: 768px) { .hero { margin: 1px } }" }));
    assert_eq!(
        run.unwrap().data,
        json!({ "cssRulesCreated": 1, "cssRulesUpdated": 1 })
    );
    assert_eq!(
        css(&bench),
        ".hero{color:green;margin:0}@media (max-width: 768px){.hero{margin:1px}}.hero a:hover{color:blue}"
    );
    let again = bench
        .call(
            "applyCss",
            json!({ "css": ".hero { color: green; margin: 0 }" }),
        )
        .unwrap();
    assert_eq!((again.ops.len(), again.receipt.unchanged.len()), (0, 1));
    let nothing = bench.call("applyCss", json!({ "css": "/* nothing */" }));
    assert!(
        nothing
            .unwrap_err()
            .starts_with("invalid_input: There is no rule in the CSS")
    );
}

#[test]
fn what_tokens_generate_is_never_overwritten() {
    let mut bench = Bench::new();
    let color = crate::ColorToken::new("primary", "#336699");
    let new = New::Item {
        id: crate::ItemId::from(5),
        item: Box::new(crate::Item::Color(color)),
        pieces: Vec::new(),
        after: None,
    };
    bench
        .site
        .apply(&Op::Insert { new: Box::new(new) }, 50)
        .unwrap();
    let run = bench
        .call("applyCss", json!({ "css": ":root { --primary: red }" }))
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "cssRulesCreated": 0, "cssRulesUpdated": 0 })
    );
    assert_eq!(
        run.receipt.notes,
        ["`:root` was left alone: it is generated from tokens. Change the tokens instead."]
    );
}

#[test]
fn tokens_are_made_changed_and_left_as_they_are() {
    let mut bench = Bench::new();
    let primary = json!({ "tokens": [{ "slug": "primary", "lightValue": "#336699" }] });
    let run = bench.call("set_color_tokens", primary.clone()).unwrap();
    assert_eq!(
        run.data,
        json!({ "tokens": [{ "slug": "primary", "ref": "var(--primary)", "action": "created" }] })
    );
    assert_eq!(
        bench.call("set_color_tokens", primary).unwrap().data["tokens"][0]["action"],
        "unchanged"
    );
    let darker = json!({ "tokens": [{ "slug": "--primary", "lightValue": "#336699", "darkValue": "#99ccff", "category": "Brand" }] });
    let run = bench.call("set_color_tokens", darker).unwrap();
    assert_eq!(
        (&run.data["tokens"][0]["action"], run.ops.len()),
        (&json!("updated"), 3),
        "only what differs is written"
    );
    let css = crate::write_css(&bench.site.framework(), crate::CssForm::Compact);
    assert!(
        css.contains("--primary:#336699") && css.contains("#99ccff"),
        "{css}"
    );
    let bad = bench.call(
        "set_color_tokens",
        json!({ "tokens": [{ "slug": "a b", "lightValue": "red" }] }),
    );
    assert!(bad.unwrap_err().starts_with("invalid_input: "));
}

#[test]
fn scales_are_fluid_and_keep_what_is_left_out() {
    let mut bench = Bench::new();
    let run = bench
        .call(
            "set_type_scale",
            json!({ "steps": "s, m, l", "baseScaleIndex": 1, "min": { "fontSize": 16 } }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "groupId": "typography", "action": "created", "namingConvention": "text", "generatedVars": ["--text-s", "--text-m", "--text-l"] })
    );
    let run = bench
        .call("set_type_scale", json!({ "max": { "scaleRatio": 1.5 } }))
        .unwrap();
    assert_eq!(
        (
            run.data["action"].as_str(),
            run.data["generatedVars"].as_array().map(Vec::len)
        ),
        (Some("updated"), Some(3))
    );
    let spacing = bench
        .call("set_spacing_scale", json!({ "min": { "size": 12 } }))
        .unwrap();
    assert_eq!(spacing.data["groupId"], "spacing");
    let css = crate::write_css(&bench.site.framework(), crate::CssForm::Compact);
    assert!(
        css.contains("--text-m:clamp(1rem,") && css.contains("--space-m:clamp(0.75rem,"),
        "{css}"
    );
}

#[test]
fn fonts_are_named_by_role_and_families_must_be_installed() {
    let mut bench = Bench::new();
    let run = bench
        .call(
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Headings", "fallback": "Georgia, serif" }] }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "tokens": [{ "name": "Headings", "variable": "font-headings", "ref": "var(--font-headings)", "action": "created" }] })
    );
    let missing = bench.call(
        "set_font_tokens",
        json!({ "tokens": [{ "name": "Headings", "familyId": "Inter" }] }),
    );
    assert_eq!(
        missing,
        Err("not_found: The family `Inter` is not installed; none is.".to_owned())
    );
}

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
    assert_eq!(
        run.receipt.notes,
        ["`.hero` was left alone: it exists and says something else."]
    );
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
        crate::write_css(&pieces, crate::CssForm::Compact),
        ".hero{color:blue}.cta{color:green}"
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
    assert_eq!(
        read.data["html"],
        "<section id=\"section\"><p>a</p><a>b</a></section>"
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
