//! The scenario that `web/src/site/site-copy.test.ts` runs against the real wasm: both must give the same answers.

use serde_json::{Value, json};
use sitewright_site::{BodyId, ChangeId, Entity, Site, first_ops};

use super::SiteCopy;

/// The first site of an installation, at entry 1 of its log.
fn first_site() -> Site {
    let mut site = Site::default();
    let ops = first_ops("Northwind", ChangeId::from("first".to_owned())).unwrap();
    assert_eq!(site.apply_all(&ops, 1).rejected, []);
    site
}

fn answer(answer: Result<String, crate::failure::Failure>) -> Value {
    match answer {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(failure) => panic!("{}", failure.to_json()),
    }
}

fn refused<T>(result: Result<T, crate::failure::Failure>) -> Value {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(failure) => serde_json::from_str(&failure.to_json()).unwrap(),
    }
}

/// A replica with the home page open, and that page's id.
fn copy() -> (SiteCopy, BodyId) {
    let site = first_site();
    let shell = serde_json::to_string(&site.shell_snapshot()).unwrap();
    let (page, _) = site.shell.pages.iter().next().unwrap();
    let body = serde_json::to_string(&site.body_snapshot(page)).unwrap();
    let mut copy = SiteCopy::new(&shell, 1.0).unwrap();
    copy.open(&page.to_string(), &body, 1.0).unwrap();
    (copy, page)
}

fn call(site: &Site, page: BodyId) -> Value {
    let root = site.bodies[&page].root();
    json!({
        "input": { "parentId": root, "html": "<section class=\"hero\"><h1>Good bread</h1><p>Every morning.</p></section>" },
        "view": { "current": page },
        "change": "from-the-test",
    })
}

#[test]
fn the_browser_and_the_server_make_the_same_of_a_call() {
    let site = first_site();
    let (mut copy, page) = copy();
    let call = call(&site, page);
    let run = answer(copy.run_tool("insertHtml", &call.to_string()));
    let story = json!({
        "seq": 1,
        "shell": site.shell_snapshot(),
        "page": page,
        "body": site.body_snapshot(page),
        "tool": "insertHtml",
        "call": call,
        "answer": run,
    });
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../web/src/site/native-story.json"
    );
    let written = serde_json::to_string_pretty(&story).unwrap() + "\n";
    if std::fs::read_to_string(path).ok().as_deref() != Some(&written) {
        std::fs::write(path, &written).unwrap();
        panic!(
            "web/src/site/native-story.json was out of date and has been written anew; commit it"
        );
    }
}

#[test]
fn an_edit_is_done_at_once_and_confirmed_by_the_log() {
    let (mut copy, page) = copy();
    let site = json!(Entity::Site);
    let ops = json!([{ "op": "put", "entity": site, "field": "name", "value": "Southwind" },
                     { "op": "remove", "entity": { "type": "node", "body": page, "node": "000000000000" } }]);
    let change = json!({ "id": "one", "author": { "kind": "local" }, "summary": "Rename", "ops": ops, "format": 1 });
    let done = answer(copy.act(&change.to_string()));
    assert_eq!(done["touched"], json!([site]));
    assert_eq!(
        done["leftOut"],
        json!([{ "position": 1, "reason": "what it refers to no longer exists" }])
    );
    assert_eq!(answer(copy.field(&site.to_string(), "name")), "Southwind");
    assert_eq!(answer(copy.pending())[0]["id"], "one");
    let entry = json!({
        "seq": 2, "at": 0, "id": "one", "author": { "kind": "local" }, "summary": "Rename", "ops": [ops[0]], "format": 1,
    });
    assert_eq!(
        answer(copy.receive(&entry.to_string())),
        json!({ "touched": [site] })
    );
    assert_eq!(answer(copy.pending()), json!([]));
    assert_eq!(
        (copy.seq(), copy.rev(&site.to_string()).unwrap()),
        (2.0, 2.0)
    );
}

#[test]
fn what_cannot_be_done_is_told_with_a_code() {
    let (mut copy, _) = copy();
    let entry = json!({
        "seq": 9, "at": 0, "id": "x", "author": { "kind": "local" }, "summary": "", "ops": [], "format": 1,
    });
    assert_eq!(
        refused(copy.receive(&entry.to_string())),
        json!({ "code": "astray", "message": "the log goes on at 2, and 9 came" })
    );
    assert_eq!(refused(copy.act("{}"))["code"], "invalid_input");
    assert_eq!(
        refused(copy.render("000000000000", "canvas", None)),
        json!({ "code": "not_found", "message": "there is no page 000000000000 here" })
    );
    let call = json!({ "input": {}, "change": "x" }).to_string();
    assert_eq!(
        answer(copy.run_tool("flyAway", &call))["error"]["code"],
        "unknown_tool"
    );
}

#[test]
fn a_page_is_rendered_with_ops_that_are_never_kept() {
    let (mut copy, page) = copy();
    let page = page.to_string();
    let before = answer(copy.render(&page, "canvas", None));
    let call = call(&first_site(), page.parse().unwrap());
    let run = answer(copy.run_tool("insertHtml", &call.to_string()));
    let ops = run["done"]["ops"].to_string();
    let shown = answer(copy.render_with(&page, &ops, None));
    let html = shown["done"]["html"].as_str().unwrap();
    assert_eq!(html.matches("Good bread").count(), 1, "{html}");
    assert_eq!(answer(copy.render(&page, "canvas", None)), before);
    assert_eq!(answer(copy.pending()), json!([]));
}
