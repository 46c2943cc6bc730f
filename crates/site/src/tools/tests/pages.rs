//! Pages and templates.

use serde_json::json;

use super::{Bench, node, page};
use crate::{BodyId, Op};

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
