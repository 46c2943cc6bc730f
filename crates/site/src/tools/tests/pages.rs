//! Pages and templates.

use serde_json::json;

use super::{Bench, node, page};
use crate::{BodyId, ChangeId, Op, content_ops};

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

    let title = |bench: &Bench| bench.site.shell.pages.get(about).unwrap().title.clone();
    bench
        .call("renamePage", json!({ "pageId": about, "title": "Team" }))
        .unwrap();
    assert_eq!(
        (title(&bench).as_str(), bench.site.permalink(about).as_str()),
        ("Team", "/über-uns"),
        "the address stays unless a slug is given"
    );
    let run = bench
        .call(
            "renamePage",
            json!({ "pageId": about, "title": "Start", "slug": "index" }),
        )
        .unwrap();
    assert_eq!(title(&bench), "Start");
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
        Err(
            "conflict: The page `Home` already has the address `home`; choose another one."
                .to_owned()
        )
    );
    for slug in ["admin", "a b", "../x", "über/uns"] {
        assert!(
            bench
                .call("addPage", json!({ "title": "X", "slug": slug }))
                .unwrap_err()
                .starts_with(&format!("invalid_input: `{slug}` is ")),
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
fn a_template_that_becomes_a_page_loses_its_bindings_to_the_entry() {
    let mut bench = Bench::new();
    let target = json!({ "kind": "postTypes", "tableSlugs": ["posts"] });
    bench
        .call(
            "setPageTemplate",
            json!({ "pageId": page(), "target": target }),
        )
        .unwrap();
    let html = "<h1 class=\"t\">{currentEntry.title|Untitled} – {site.name}</h1><a href=\"{currentEntry.permalink}\" title=\"\\{page.title}\">x</a>\
                <instatic-loop data-source-id=\"data.rows\" data-table-id=\"t\"><b>{currentEntry.title} {parentEntry.title|?}</b></instatic-loop>";
    bench
        .call(
            "replaceNodeHtml",
            json!({ "nodeId": node(11), "html": html }),
        )
        .unwrap();
    let run = bench
        .call("clearPageTemplate", json!({ "pageId": page() }))
        .unwrap();
    assert_eq!(
        run.receipt.notes,
        [
            "`{currentEntry.title|Untitled}` in h1.t is `Untitled` now: a page shows no entry.",
            "`{currentEntry.permalink}` in a is `` now: a page shows no entry.",
            "`{parentEntry.title|?}` in b is `?` now: a page shows no entry.",
        ]
    );
    assert_eq!(bench.site.shell.pages.get(page()).unwrap().template, None);
    let html = bench
        .call("getNodeHtml", json!({ "nodeId": node(11) }))
        .unwrap()
        .data["html"]
        .clone();
    assert_eq!(
        html,
        "<p id=\"p\"><h1 class=\"t\">Untitled – {site.name}</h1><a title=\"\\{page.title}\">x</a>\
         <sw-loop data-source-id=\"data.rows\" data-table-id=\"t\" data-direction=\"desc\"><b>{currentEntry.title} ?</b></sw-loop></p>"
    );
}

#[test]
fn a_new_page_is_linked_in_a_menu_written_by_hand() {
    let mut bench = Bench::new();
    let add = |title: &str| json!({ "title": title, "inMenu": true });
    assert_eq!(
        bench.call("addPage", add("Team")),
        Err("conflict: The site has no menu yet. Insert a header with one first.".to_owned())
    );
    let header = r#"<header><nav><ul class="menu"><li><a class="quiet" href="/">Home</a></li></ul></nav></header>"#;
    let insert = json!({ "parentId": node(13), "html": header });
    bench.call("insertHtml", insert).unwrap();
    let run = bench.call("addPage", add(" {page.title} & B ")).unwrap();
    let made: BodyId = run.data["pageId"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        run.open.map(|open| open.id),
        Some(made),
        "the page is shown"
    );
    let html = bench.call("getNodeHtml", json!({ "nodeId": node(13) }));
    let html = html.unwrap().data["html"].as_str().unwrap().to_owned();
    assert_eq!(
        html,
        r#"<section id="section"><header><nav><ul class="menu"><li><a class="quiet" href="/">Home</a></li><li><a class="quiet" href="/page-title-b">\{page.title} &amp; B</a></li></ul></nav></header></section>"#
    );
    let rename = json!({ "pageId": made, "title": "AB", "slug": "ab" });
    bench.call("renamePage", rename).unwrap();
    let html = bench.call("getNodeHtml", json!({ "nodeId": node(13) }));
    let html = html.unwrap().data["html"].to_string();
    assert!(html.contains("/ab"), "the link follows the page: {html}");
}

#[test]
fn a_new_page_becomes_an_item_of_the_menu_that_the_layout_shows() {
    let mut bench = Bench::new();
    for op in content_ops(ChangeId::of_call("content", "start")) {
        bench.site.apply(&op, 1).unwrap();
    }
    let layout = bench.call("addPage", json!({ "title": "Layout" })).unwrap();
    let root = layout.data["rootNodeId"].clone();
    let header = r#"<nav><ul><sw-loop data-source-id="site.navigation" data-table-id="header"><li><a href="{currentEntry.url}">{currentEntry.label}</a></li></sw-loop></ul></nav><sw-outlet></sw-outlet>"#;
    bench
        .call("insertHtml", json!({ "parentId": root, "html": header }))
        .unwrap();
    let target = json!({ "pageId": layout.data["pageId"], "target": { "kind": "everywhere" } });
    bench.call("setPageTemplate", target).unwrap();
    for title in ["One", "Two", "Three", "Four", "Five"] {
        bench
            .call("addPage", json!({ "title": title, "inMenu": true }))
            .unwrap();
    }
    let labels: Vec<&str> = bench
        .site
        .nav_items()
        .map(|(_, item)| item.label.as_str())
        .collect();
    assert_eq!(labels, ["One", "Two", "Three", "Four", "Five"]);
    assert_eq!(
        bench.call("addPage", json!({ "title": "Six", "inMenu": true })),
        Err("conflict: The menu “Header” is full: it has 5 items. Remove one first.".to_owned())
    );
    assert!(
        !bench
            .site
            .shell
            .pages
            .iter()
            .any(|(_, page)| page.title == "Six")
    );
}
