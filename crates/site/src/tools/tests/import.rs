//! A whole document becomes a page.

use serde_json::{Value, json};

use super::{Bench, page};
use crate::{BodyId, Item, List, Outcome, Page, Purpose, Target};

const DOCUMENT: &str = "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\"><html lang=de class=dark>\
    <title>{page.title} &amp; {site}</title><meta name=description content='Brot {x.y}'>\
    <meta property=og:image content=img/oven.jpg><link rel=canonical href=https://example.com/brot>\
    <link rel=stylesheet href=css/site.css><link rel=stylesheet href=https://cdn.example.com/x.css>\
    <link rel=stylesheet href=lost.css><style>body { background: url(img/flour.png) }</style><script>alert(1)</script>\
    <body class=home onload=alert(2) style='background: url(img/oven.jpg)'><h1 title='{page.title}'>{{ site.name }}</h1>\
    <img src=img/oven.jpg srcset='img/oven.jpg 1x, img/oven-2.jpg 2x' alt=''><a href=/team>Team</a><a href=menu.pdf>Menu</a>";

fn import(bench: &mut Bench, input: Value) -> (BodyId, Value) {
    let run = bench.call("import_page", input).unwrap();
    let id: BodyId = run.data["pageId"].as_str().unwrap().parse().unwrap();
    assert_eq!(run.open.map(|open| open.id), Some(id));
    let root = bench.site.bodies[&id].root();
    assert_eq!(run.data["rootNodeId"], json!(root));
    let data = json!({ "data": run.data, "receipt": run.receipt });
    (id, data)
}

fn imported(bench: &Bench, id: BodyId) -> &Page {
    bench.site.shell.pages.get(id).unwrap()
}

fn rendered(bench: &Bench, id: BodyId) -> String {
    match bench.site.render(id, Purpose::Publish, &bench.facts) {
        Some(Outcome::Done(rendered)) => rendered.html,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_document_keeps_its_head_its_attributes_its_styles_and_its_files() {
    let mut bench = Bench::new();
    let files = json!([
        { "path": "css/site.css", "css": "h1 { background: url(../img/oven.jpg) } i { background: url(dot.png) }" },
        { "path": "img/oven.jpg", "url": "/uploads/1/oven.jpg" },
        { "path": "menu.pdf", "url": "/uploads/2/menu.pdf" },
    ]);
    let (id, answer) = import(
        &mut bench,
        json!({ "html": DOCUMENT, "fileName": "brot.html", "files": files }),
    );
    let page = imported(&bench, id);
    assert_eq!(page.title, "{page.title} & {site}");
    assert_eq!(page.slug, "brot");
    let settings = &page.settings;
    assert_eq!(settings.description.as_deref(), Some("Brot {x.y}"));
    assert_eq!(
        settings.canonical.as_deref(),
        Some("https://example.com/brot")
    );
    assert_eq!(
        settings.social_image.as_deref(),
        Some("/uploads/1/oven.jpg")
    );
    let html = rendered(&bench, id);
    for kept in [
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">",
        "<html lang=\"de\" class=\"dark\">",
        "<title>{page.title} &amp; {site} – My site</title>",
        "<body class=\"home\" style=\"background: url(&quot;/uploads/1/oven.jpg&quot;)\">",
        "<h1 title=\"{page.title}\">{{ site.name }}</h1>",
        "<img src=\"/uploads/1/oven.jpg\" srcset=\"/uploads/1/oven.jpg 1x, img/oven-2.jpg 2x\" alt=\"\">",
        "<a href=\"/uploads/2/menu.pdf\">Menu</a>",
        "url(\"/uploads/1/oven.jpg\")",
        "https://cdn.example.com/x.css",
    ] {
        assert!(html.contains(kept), "{kept} is missing in {html}");
    }
    assert_eq!(
        answer["data"]["missingFiles"],
        json!(["css/dot.png", "img/flour.png", "img/oven-2.jpg", "lost.css"])
    );
    assert_eq!(
        answer["data"]["externalStylesheets"],
        json!(["https://cdn.example.com/x.css"])
    );
    assert_eq!(
        answer["receipt"]["sanitised"],
        json!([
            { "what": "onload", "at": "body", "count": 1 },
            { "what": "script", "at": "head", "count": 1 },
        ])
    );
}

#[test]
fn its_styles_stay_with_the_page_and_its_copies() {
    let mut bench = Bench::new();
    let html = "<!doctype html><title>About</title><style>p { color: red }</style><p>About us";
    let (id, _) = import(&mut bench, json!({ "html": html }));
    let copied = bench
        .call("duplicatePage", json!({ "pageId": id, "title": "Copy" }))
        .unwrap();
    let copy: BodyId = copied.data["pageId"].as_str().unwrap().parse().unwrap();
    let sheets = bench.site.shell.items.list(List::Sheets);
    let targets: Vec<&Target> = sheets
        .map(|(_, item)| match item {
            Item::Sheet(sheet) => &sheet.target,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        targets,
        [&Target::Documents {
            ids: vec![id, copy]
        }]
    );
    assert!(!rendered(&bench, page()).contains("color: red"));
    assert!(rendered(&bench, copy).contains("color: red"));
}

#[test]
fn a_page_is_called_by_what_is_given_its_title_or_its_file() {
    let mut bench = Bench::new();
    for (input, title, slug) in [
        (
            json!({ "html": "<title>\n Our\u{1} bread </title>" }),
            "Our bread",
            "our-bread",
        ),
        (
            json!({ "html": "<title>Our bread</title>", "fileName": "Bread & more.htm" }),
            "Our bread",
            "bread-more",
        ),
        (
            json!({ "html": "<title>Start</title>", "fileName": "index.html" }),
            "Start",
            "start",
        ),
        (
            json!({ "html": "<p>x", "fileName": "team.html" }),
            "team",
            "team",
        ),
        (json!({ "html": "<p>x" }), "Imported page", "imported-page"),
        (
            json!({ "html": "<p>x", "fileName": "admin.html" }),
            "admin",
            "admin-page",
        ),
        (
            json!({ "html": "<title>Index</title>" }),
            "Index",
            "index-page",
        ),
        (
            json!({ "html": "<title>x</title>", "title": "Shop", "slug": "/shop/" }),
            "Shop",
            "shop",
        ),
    ] {
        let (id, _) = import(&mut bench, input.clone());
        let page = imported(&bench, id);
        assert_eq!(
            (page.title.as_str(), page.slug.as_str()),
            (title, slug),
            "{input}"
        );
    }
}

#[test]
fn what_is_no_page_is_refused() {
    let mut bench = Bench::new();
    for (input, expected) in [
        (
            json!({ "html": " \n" }),
            "There is nothing in the document.",
        ),
        (
            json!({ "html": "<frameset><frame src=x></frameset>" }),
            "frames",
        ),
        (
            json!({ "html": "<p>x", "slug": "a b" }),
            "`a b` is not a valid address",
        ),
        (json!({ "html": "<p>x", "title": " " }), "Enter a title"),
    ] {
        let refused = bench.refused("import_page", input.clone());
        assert!(
            refused.message.contains(expected),
            "{input}: {}",
            refused.message
        );
    }
}

#[test]
fn links_to_pages_of_the_site_follow_them() {
    let mut bench = Bench::new();
    let team = bench.call("addPage", json!({ "title": "Team" })).unwrap();
    let (id, _) = import(&mut bench, json!({ "html": DOCUMENT }));
    let rename = json!({ "pageId": team.data["pageId"], "title": "People", "slug": "people" });
    bench.call("renamePage", rename).unwrap();
    let html = rendered(&bench, id);
    assert!(html.contains("<a href=\"/people\">Team</a>"), "{html}");
}
