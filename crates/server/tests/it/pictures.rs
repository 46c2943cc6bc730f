//! The tools that providers do the work for, from a call to the picture in a browser.

use std::io::Cursor;

use base64::Engine as _;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::json;
use sitewright_testkit::vendor::{Answer, Vendor};

use crate::instance::{Browser, Instance};

fn picture() -> String {
    let picture = image::RgbImage::from_pixel(640, 480, image::Rgb([200, 90, 10]));
    let mut bytes = Cursor::new(Vec::new());
    let written = image::DynamicImage::from(picture).write_to(&mut bytes, image::ImageFormat::Png);
    written.expect("a file");
    base64::engine::general_purpose::STANDARD.encode(bytes.into_inner())
}

#[tokio::test]
async fn a_picture_is_made_after_a_yes_and_served_to_everybody() {
    let vendor = Vendor::answering(|_| {
        Answer::ok(json!({ "data": [{ "b64_json": picture() }] }).to_string())
    });
    let url = vendor.url("/v1");
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
        settings.openai_url = url;
        settings.openai_api_key = Some("k3y-canary".into());
        settings.openai_image_model = "gpt-image-1".to_owned();
    })
    .await;
    let mut call = json!({ "tool": "image.generate", "arguments": { "prompt": "a fox" } });
    let asked = ada
        .call(&instance, "POST", "/tools/call", call.clone())
        .await
        .body;
    assert_eq!(asked["error"]["code"], "approval_required", "{asked}");
    assert_eq!(vendor.connections(), 0);
    call["confirmed"] = json!(true);
    let made = ada.call(&instance, "POST", "/tools/call", call).await.body;
    assert_eq!(made["ok"], true, "{made}");
    let sent: serde_json::Value = serde_json::from_slice(&vendor.requests()[0].body).expect("JSON");
    assert_eq!(
        sent["model"], "gpt-image-1",
        "the model is the operator's choice"
    );
    let item = &made["data"]["items"][0];
    let url = item["url"].as_str().expect("an address");
    let stranger = Browser::default();
    let served = stranger.get(&instance, url).await;
    assert_eq!(
        (
            served.status.as_u16(),
            served.headers[CONTENT_TYPE].as_bytes()
        ),
        (200, &b"image/webp"[..])
    );
    assert_eq!(
        served.headers[CACHE_CONTROL],
        "public, max-age=31536000, immutable"
    );
    for nothing in [
        "/uploads/x/320.webp".to_owned(),
        url.replace("640", "641"),
        url.replace("640.webp", "..%2f640.webp"),
    ] {
        assert_eq!(
            stranger.get(&instance, &nothing).await.status,
            404,
            "{nothing}"
        );
    }
}

#[tokio::test]
async fn tools_without_a_key_are_listed_as_off_and_say_what_to_set() {
    let (instance, ada) = Instance::owned().await;
    let list = ada.get(&instance, "/tools").await.body["tools"].take();
    for (name, variable) in [
        ("unsplash.search", "SITEWRIGHT_UNSPLASH_ACCESS_KEY"),
        ("unsplash.use", "SITEWRIGHT_UNSPLASH_ACCESS_KEY"),
        ("image.generate", "SITEWRIGHT_OPENAI_API_KEY"),
    ] {
        let found = list
            .as_array()
            .expect("a list")
            .iter()
            .find(|tool| tool["name"] == name);
        let tool = found.expect(name);
        assert_eq!(
            (&tool["enabled"], &tool["source"]),
            (&json!(false), &json!("built-in"))
        );
        let call = json!({ "tool": name, "arguments": { "query": "x" } });
        let error = ada.call(&instance, "POST", "/tools/call", call).await.body["error"].take();
        assert_eq!(
            (&error["code"], &error["retryable"]),
            (&json!("unavailable"), &json!(false))
        );
        let sentence = error["message"].as_str().expect("a sentence");
        assert!(sentence.contains(variable), "{sentence}");
    }
}
