//! Installing a font, and what visitors get of it.

use serde_json::{Value, json};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::instance::Instance;

const PATH: &str = "/admin/api/cms/fonts/install";

fn woff2() -> Vec<u8> {
    let mut bytes = b"wOF2\0\x01\0\0\0\0\0\x10".to_vec();
    bytes.extend(b"data");
    bytes
}

/// A place that has Lobster.
fn google() -> Vendor {
    Vendor::answering(|received| {
        let host = received.header("host").unwrap_or_default();
        match received.path.as_str() {
            "/css2?family=Lobster&display=swap" => Answer::ok(format!(
                "/* latin */ @font-face {{ font-weight: 400; src: url(http://{host}/l.woff2) format('woff2'); }}"
            )),
            "/l.woff2" => Answer::ok(woff2()),
            _ => Answer::Reply(Reply::new(400, "")),
        }
    })
}

#[tokio::test]
async fn a_family_is_installed_and_its_files_come_from_our_host() {
    let google = google();
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
        settings.google_fonts_url = google.url("");
    })
    .await;
    let installed = ada
        .call(
            &instance,
            "POST",
            PATH,
            json!({ "googleFamily": "Lobster" }),
        )
        .await;
    assert_eq!(installed.said(), "200");
    let blob = installed.body["files"][0]["blob"].as_str().expect("a blob");
    assert_eq!(
        installed.body,
        json!({ "family": "Lobster", "files": [{ "weight": "400", "italic": false, "blob": blob, "format": "woff2" }] })
    );
    let visitor = crate::instance::Browser::default();
    let font = visitor
        .get(&instance, &format!("/uploads/fonts/{blob}.woff2"))
        .await;
    assert_eq!(font.said(), "200");
    assert_eq!(
        font.body,
        Value::String(String::from_utf8_lossy(&woff2()).into_owned())
    );
    for (name, value) in [
        ("content-type", "font/woff2"),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("access-control-allow-origin", "*"),
    ] {
        assert_eq!(font.headers[name], value);
    }
    for file in [
        "nothing.woff2".to_owned(),
        format!("{}.woff2", "0".repeat(64)),
        format!("{blob}.ttf"),
    ] {
        let none = visitor
            .get(&instance, &format!("/uploads/fonts/{file}"))
            .await;
        assert_eq!(none.said(), "404 not_found: There is no such font.");
    }
}

#[tokio::test]
async fn a_wish_that_cannot_be_met_is_refused_in_words() {
    let google = google();
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
        settings.google_fonts_url = google.url("");
    })
    .await;
    for (body, expected) in [
        (
            json!({ "googleFamily": "Nosuch" }),
            "404 not_found: Google Fonts has no family of this name with these variants.",
        ),
        (
            json!({ "googleFamily": "Lobster", "subsets": ["greek"] }),
            "400 invalid_input: It has none of these subsets; it has latin.",
        ),
        (
            json!({ "googleFamily": "Lobster", "variants": ["heavy"] }),
            "400 invalid_input: variants must be weights from 100 to 900, with `italic` behind them for slanted ones: 400, \
             700italic.",
        ),
    ] {
        let refused = ada.call(&instance, "POST", PATH, body).await;
        assert_eq!(refused.said(), expected);
    }
    let viewer = instance.member("vera@example.com", "viewer").await;
    let refused = viewer
        .call(
            &instance,
            "POST",
            PATH,
            json!({ "googleFamily": "Lobster" }),
        )
        .await;
    assert_eq!(refused.status.as_u16(), 403);
}
