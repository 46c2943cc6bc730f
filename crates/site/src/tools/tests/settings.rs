//! Settings of pages and of the site.

use serde_json::{Value, json};

use super::{Bench, page};
use crate::BodyId;

fn add(bench: &mut Bench, title: &str) -> BodyId {
    let run = bench.call("addPage", json!({ "title": title })).unwrap();
    run.data["pageId"].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_page_tells_its_settings_and_changes_those_that_are_named() {
    let mut bench = Bench::new();
    let about = add(&mut bench, "About");
    let run = bench.call(
        "updatePageSettings",
        json!({ "pageId": about, "title": "About us", "locale": "de-AT", "draft": true, "description": " We bake. ", "socialImage": "/media/us.jpg",
                "canonical": "https://example.org/about", "noIndex": true, "hideInMenus": true }),
    );
    assert_eq!(
        run.unwrap().receipt.changed[0].name.as_deref(),
        Some("About us")
    );
    let told = bench
        .call("getPageSettings", json!({ "pageId": "/about" }))
        .unwrap();
    assert_eq!(
        told.data,
        json!({ "pageId": about, "title": "About us", "slug": "about", "path": "/about", "parentId": null, "locale": "de-AT", "draft": true,
                "isProtected": false, "description": "We bake.", "socialImage": "/media/us.jpg", "canonical": "https://example.org/about",
                "noIndex": true, "hideInMenus": true })
    );
    let same = bench
        .call(
            "updatePageSettings",
            json!({ "pageId": about, "noIndex": true, "description": "We bake." }),
        )
        .unwrap();
    assert_eq!((same.ops.len(), same.receipt.unchanged.len()), (0, 1));
    let run = bench
        .call(
            "updatePageSettings",
            json!({ "pageId": about, "description": null, "locale": null }),
        )
        .unwrap();
    assert_eq!(run.receipt.changed.len(), 1);
    let told = bench
        .call("getPageSettings", json!({ "pageId": about }))
        .unwrap()
        .data;
    assert_eq!(
        (&told["description"], &told["locale"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn settings_that_cannot_be_are_refused_with_their_place() {
    let mut bench = Bench::new();
    let about = add(&mut bench, "About");
    for (field, value) in [
        ("title", json!("  ")),
        ("slug", json!("admin")),
        ("slug", json!("a/b")),
        ("locale", json!("german")),
        ("socialImage", json!("javascript:alert(1)")),
        ("canonical", json!("//elsewhere.example")),
        ("description", json!("x".repeat(1001))),
        ("parentId", json!(BodyId::from(404))),
        ("parentId", json!(about)),
        ("parentId", json!(page())),
    ] {
        let input = json!({ "pageId": about, field: value });
        let error = bench.refused("updatePageSettings", input);
        let pointer = &error.details.unwrap()["errors"][0]["pointer"];
        assert_eq!(
            (error.code.as_str(), pointer),
            ("invalid_input", &json!(format!("/{field}")))
        );
    }
    let nothing = bench.call("updatePageSettings", json!({ "pageId": about }));
    assert_eq!(
        nothing,
        Err("invalid_input: Name at least one setting to change.".to_owned())
    );
    let protect = bench.call(
        "updatePageSettings",
        json!({ "pageId": about, "isProtected": false }),
    );
    assert!(
        protect
            .unwrap_err()
            .starts_with("invalid_input: `/isProtected`")
    );
}

#[test]
fn a_page_moves_under_another_and_its_address_is_unique_there() {
    let mut bench = Bench::new();
    let (about, team, other) = (
        add(&mut bench, "About"),
        add(&mut bench, "Team"),
        add(&mut bench, "Other"),
    );
    let run = bench
        .call(
            "updatePageSettings",
            json!({ "pageId": team, "parentId": about, "slug": "admin" }),
        )
        .unwrap();
    assert_eq!(
        run.receipt.notes,
        ["Its address was `/team` and is `/about/admin` now."],
        "only first segments are reserved"
    );
    let up = bench.refused(
        "updatePageSettings",
        json!({ "pageId": team, "parentId": null }),
    );
    assert_eq!(up.details.unwrap()["errors"][0]["pointer"], "/slug");
    let circle = bench.call(
        "updatePageSettings",
        json!({ "pageId": about, "parentId": team }),
    );
    assert_eq!(
        circle,
        Err("invalid_input: `Team` is under this page itself.".to_owned())
    );
    let taken = bench.call(
        "updatePageSettings",
        json!({ "pageId": other, "parentId": about, "slug": "admin" }),
    );
    assert_eq!(
        taken,
        Err(
            "conflict: The page `Team` already has the address `admin`; choose another one."
                .to_owned()
        )
    );
    let home = bench
        .call(
            "updatePageSettings",
            json!({ "pageId": other, "slug": "index" }),
        )
        .unwrap();
    assert_eq!(
        home.receipt.notes[0],
        "`Home` was the home page and has the slug `home` now."
    );
    assert_eq!(
        (
            bench.site.permalink(other).as_str(),
            bench.site.permalink(page()).as_str()
        ),
        ("/", "/home")
    );
    let nested = bench.refused(
        "updatePageSettings",
        json!({ "pageId": other, "parentId": about }),
    );
    assert_eq!(nested.details.unwrap()["errors"][0]["pointer"], "/slug");
}

#[test]
fn a_slug_that_several_pages_have_names_none() {
    let mut bench = Bench::new();
    let about = add(&mut bench, "About");
    let under = json!({ "pageId": "/", "parentId": about, "slug": "home" });
    bench.call("updatePageSettings", under).unwrap();
    add(&mut bench, "Home");
    let several = bench.call("getPageSettings", json!({ "pageId": "home" }));
    assert_eq!(
        several,
        Err("invalid_input: pageId: several pages have the slug `home`: /about/home, /home. Name one by its path.".to_owned())
    );
}

#[test]
fn a_slug_is_unique_among_the_new_siblings_wherever_the_move_is_applied() {
    let mut bench = Bench::new();
    let (about, team) = (add(&mut bench, "About"), add(&mut bench, "Team"));
    let before = bench.site.clone();
    let run = bench
        .call(
            "updatePageSettings",
            json!({ "pageId": team, "parentId": about }),
        )
        .unwrap();
    // Meanwhile, someone else adds another `team` there.
    bench.site = before;
    let theirs = add(&mut bench, "Team");
    bench
        .call(
            "updatePageSettings",
            json!({ "pageId": theirs, "parentId": about, "slug": "team" }),
        )
        .unwrap();
    assert_eq!(bench.site.apply_all(&run.ops, 90).rejected, []);
    assert_eq!(bench.site.permalink(team), "/about/team-2");
}

#[test]
fn the_site_tells_its_settings_and_changes_those_that_are_named() {
    let mut bench = Bench::new();
    let run = bench.call(
        "updateSiteSettings",
        json!({ "name": "Bakery", "language": "de", "titlePattern": "{title} | {site}", "favicon": "/icon.svg", "socialImage": "https://example.org/a.png",
                "discourageSearchEngines": true, "headCode": "<!-- head -->", "bodyCode": "<!-- body -->" }),
    );
    assert_eq!(run.unwrap().ops.len(), 8);
    let told = bench.call("getSiteSettings", json!({})).unwrap().data;
    assert_eq!(
        told,
        json!({ "name": "Bakery", "language": "de", "titlePattern": "{title} | {site}", "favicon": "/icon.svg",
                "socialImage": "https://example.org/a.png", "discourageSearchEngines": true, "headCode": "<!-- head -->", "bodyCode": "<!-- body -->" })
    );
    let same = bench
        .call("updateSiteSettings", json!({ "name": "Bakery" }))
        .unwrap();
    assert_eq!((same.ops.len(), same.receipt.unchanged.len()), (0, 1));
    bench
        .call(
            "updateSiteSettings",
            json!({ "favicon": null, "headCode": null }),
        )
        .unwrap();
    assert_eq!(bench.site.shell.settings.favicon, None);
    for (field, value) in [
        ("name", json!("")),
        ("language", json!("x")),
        ("titlePattern", json!("Bakery")),
        ("favicon", json!("icon.svg")),
    ] {
        let error = bench.refused("updateSiteSettings", json!({ field: value }));
        assert_eq!(
            error.details.unwrap()["errors"][0]["pointer"],
            json!(format!("/{field}"))
        );
    }
}
