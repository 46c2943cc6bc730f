//! Links that follow their targets.

use serde_json::json;

use super::{Bench, node, page};
use crate::{Entity, Need, Op, Outcome, Purpose, Reference, Rendered};

fn rendered(bench: &Bench) -> Rendered {
    match bench.site.render(page(), Purpose::Publish, &bench.facts) {
        Some(Outcome::Done(rendered)) => rendered,
        other => panic!("{other:?}"),
    }
}

#[test]
fn links_follow_a_page_that_moves_and_are_named_before_it_goes() {
    let mut bench = Bench::new();
    let about = bench
        .call("addPage", json!({ "title": "About" }))
        .unwrap()
        .data["pageId"]
        .clone();
    let html = "<a href=\"/about/#team\">Team</a><a href=\"/\">Home</a><a href=\"/nowhere\">No</a><img src=\"/about\">";
    bench
        .call(
            "replaceNodeHtml",
            json!({ "nodeId": node(11), "html": html }),
        )
        .unwrap();
    let shown = |bench: &mut Bench| {
        bench
            .call("getNodeHtml", json!({ "nodeId": node(11) }))
            .unwrap()
            .data["html"]
            .clone()
    };
    assert_eq!(
        shown(&mut bench),
        format!("<p id=\"p\">{html}</p>"),
        "a spelling that leads there stays"
    );
    bench
        .call(
            "renamePage",
            json!({ "pageId": about, "title": "Us", "slug": "us" }),
        )
        .unwrap();
    let moved = shown(&mut bench);
    assert_eq!(
        moved,
        format!("<p id=\"p\">{}</p>", html.replace("/about/#", "/us#"))
    );
    let shown_page = rendered(&bench);
    assert!(
        shown_page.html.contains("href=\"/us#team\"") && shown_page.html.contains("href=\"/\"")
    );
    let read = bench
        .call(
            "read_document",
            json!({ "document": { "type": "page", "id": page() } }),
        )
        .unwrap();
    assert!(
        read.data["html"]
            .as_str()
            .unwrap()
            .contains("href=\"/us#team\""),
        "what is read is what can be written"
    );
    let gone = bench
        .call("deletePage", json!({ "pageId": about }))
        .unwrap();
    assert_eq!(
        gone.receipt.notes,
        ["Links to it are left without a page in `Home`."]
    );
    let shown_page = rendered(&bench);
    assert_eq!(
        shown_page.problems,
        ["The link to `/about/#team` leads to something that no longer exists."]
    );
}

#[test]
fn a_link_that_is_set_points_at_its_page_and_undoing_it_gives_back_what_was() {
    let mut bench = Bench::new();
    bench.call("addPage", json!({ "title": "About" })).unwrap();
    let made = bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": "<a href=\"/about\">x</a>" }),
        )
        .unwrap();
    let link: crate::NodeId = made.data["nodeIds"][0].as_str().unwrap().parse().unwrap();
    let entity = Entity::Node {
        body: page(),
        node: link,
    };
    let field = |bench: &Bench| bench.site.field(entity, "attrs.href").unwrap();
    let before = field(&bench);
    assert_eq!(before["target"]["type"], "page");
    let same = bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": link, "patch": { "href": "/about" } }),
        )
        .unwrap();
    assert_eq!(same.ops, []);
    let run = bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": link, "patch": { "href": "https://example.org" } }),
        )
        .unwrap();
    assert_eq!(field(&bench), json!("https://example.org"));
    let applied = bench.site.apply_all(&run.ops, 91);
    bench.site.undo_all(&applied).unwrap();
    let back = Op::Put {
        entity,
        field: "attrs.href".to_owned(),
        value: before.clone(),
    };
    bench.site.apply(&back, 92).unwrap();
    assert_eq!(field(&bench), before);
    let sneaky =
        json!({ "value": "javascript:alert(1)", "target": { "type": "page", "id": page() } });
    let sneaky = Op::Put {
        entity,
        field: "attrs.href".to_owned(),
        value: sneaky,
    };
    assert!(
        bench.site.apply(&sneaky, 93).is_err(),
        "a target is no way around what is refused"
    );
}

#[test]
fn what_only_the_host_knows_the_address_of_is_asked_for() {
    let mut bench = Bench::new();
    let made = bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": "<img src=\"/uploads/a.jpg\">" }),
        )
        .unwrap();
    let image = made.data["nodeIds"][0].as_str().unwrap().parse().unwrap();
    let target = Reference::Media {
        id: "m1".to_owned(),
    };
    let put = Op::Put {
        entity: Entity::Node {
            body: page(),
            node: image,
        },
        field: "attrs.src".to_owned(),
        value: json!({ "value": "/uploads/a.jpg", "target": target }),
    };
    bench.site.apply(&put, 90).unwrap();
    let needs = bench.site.render(page(), Purpose::Publish, &bench.facts);
    assert_eq!(
        needs,
        Some(Outcome::Needs(vec![Need::Address(target.clone())]))
    );
    bench
        .facts
        .addresses
        .insert(target.clone(), Some("/uploads/b.jpg".to_owned()));
    assert!(
        rendered(&bench)
            .html
            .contains("<img src=\"/uploads/b.jpg\">")
    );
    bench.facts.addresses.insert(target.clone(), None);
    assert!(
        rendered(&bench)
            .html
            .contains("<img src=\"/uploads/a.jpg\">")
    );
    assert_eq!(bench.site.referrers(&target).len(), 1);
}
