//! The pictures of the site over HTTP: adding, listing, naming, and not deleting what is shown.

use std::io::Cursor;

use axum::body::Body;
use http::Request;
use http::header::HOST;
use serde_json::{Value, json};

use crate::instance::{Answer, Browser, Instance};

const MEDIA: &str = "/admin/api/media";

pub(crate) fn picture(shade: u8) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(700, 400, image::Rgb([shade, 90, 10]));
    let mut bytes = Cursor::new(Vec::new());
    let written = image::DynamicImage::from(picture).write_to(&mut bytes, image::ImageFormat::Png);
    written.expect("a file");
    bytes.into_inner()
}

async fn upload(instance: &Instance, by: &Browser, query: &str, bytes: Vec<u8>) -> Answer {
    let request = Request::builder()
        .method("POST")
        .uri(format!("{MEDIA}{query}"))
        .header(HOST, "localhost:8080")
        .body(Body::from(bytes))
        .expect("a request");
    instance.send(by.dress(request)).await
}

async fn names(instance: &Instance, by: &Browser, query: &str) -> Vec<String> {
    let listed = by.get(instance, &format!("{MEDIA}{query}")).await;
    assert_eq!(listed.said(), "200");
    let name = |item: &Value| item["name"].as_str().expect("a name").to_owned();
    listed.body["media"]
        .as_array()
        .expect("a list")
        .iter()
        .map(name)
        .collect()
}

#[tokio::test]
async fn a_picture_is_added_found_named_and_served() {
    let (instance, ada) = Instance::owned().await;
    let added = upload(
        &instance,
        &ada,
        "?name=boat.png&alt=A%20red%20boat",
        picture(1),
    )
    .await;
    assert_eq!(added.said(), "200");
    let item = &added.body;
    assert_eq!(
        (&item["width"], &item["format"], &item["alt"]),
        (&json!(700), &json!("image/png"), &json!("A red boat"))
    );
    assert_eq!(
        item["srcset"].as_str().expect("sizes").split(", ").count(),
        3
    );
    for address in [&item["url"], &item["thumbnail"]] {
        let stranger = Browser::default();
        let address = address.as_str().expect("an address");
        assert_eq!(stranger.get(&instance, address).await.status, 200);
    }
    let again = upload(&instance, &ada, "?name=other.png", picture(1)).await;
    assert_eq!(
        again.body["id"], item["id"],
        "the same bytes are one picture"
    );
    upload(&instance, &ada, "", picture(2)).await;
    assert_eq!(names(&instance, &ada, "").await, ["Picture", "boat.png"]);
    assert_eq!(names(&instance, &ada, "?search=RED").await, ["boat.png"]);
    let first = ada.get(&instance, &format!("{MEDIA}?limit=1")).await.body;
    let next = first["next"].as_str().expect("more");
    let rest = format!("?limit=1&before={next}");
    assert_eq!(names(&instance, &ada, &rest).await, ["boat.png"]);
    let one = format!("{MEDIA}/{}", item["id"].as_str().expect("an id"));
    let named = ada.call(
        &instance,
        "PATCH",
        &one,
        json!({ "name": " Boat ", "alt": "" }),
    );
    let named = named.await.body;
    assert_eq!(
        (&named["name"], &named["alt"]),
        (&json!("Boat"), &json!(""))
    );
    let nameless = ada
        .call(&instance, "PATCH", &one, json!({ "name": " " }))
        .await;
    assert_eq!(
        nameless.said(),
        "400 invalid_input: A picture needs a name."
    );
}

#[tokio::test]
async fn what_is_no_picture_is_refused_with_what_to_do() {
    let (instance, ada) = Instance::owned().await;
    let mut broken = picture(1);
    broken.truncate(60);
    for (bytes, expected) in [
        (Vec::new(), "400 invalid_input: The file is empty."),
        (
            b"<svg onload='alert(1)'/>".to_vec(),
            "400 invalid_input: The file is an SVG, and pictures must be PNG, JPEG, WebP or GIF: save it as one of those.",
        ),
        (
            broken,
            "400 invalid_input: The picture is damaged: open it in a picture editor and save it again.",
        ),
        (
            vec![0; 50 * 1024 * 1024 + 1],
            "413 too_large: The body is larger than the 52428800 bytes allowed here.",
        ),
    ] {
        let answer = upload(&instance, &ada, "?name=x.png", bytes).await;
        assert_eq!(answer.said(), expected);
    }
    let viewer = instance.member("vi@example.com", "viewer").await;
    assert_eq!(upload(&instance, &viewer, "", picture(1)).await.status, 403);
    let author = instance.member("au@example.com", "author").await;
    assert_eq!(
        upload(&instance, &author, "", picture(1)).await.said(),
        "200"
    );
}

#[tokio::test]
async fn a_picture_that_is_shown_cannot_be_deleted() {
    let (instance, ada) = Instance::owned().await;
    let added = upload(&instance, &ada, "?name=boat", picture(1)).await.body;
    let one = format!("{MEDIA}/{}", added["id"].as_str().expect("an id"));
    let url = added["url"].as_str().expect("an address").to_owned();
    let call = async |tool: &str, arguments: Value| {
        let call = json!({ "tool": tool, "arguments": arguments, "confirmed": true });
        let answer = ada.call(&instance, "POST", "/tools/call", call).await.body;
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    };
    let page = call("addPage", json!({ "title": "Boats" })).await;
    let root = page["data"]["rootNodeId"].clone();
    let html = format!("<img id=\"boat\" src=\"{url}\" alt=\"A boat\">");
    call("insertHtml", json!({ "parentId": root, "html": html })).await;
    let shown = ada.get(&instance, &one).await.body;
    assert_eq!(
        (&shown["uses"][0]["name"], &shown["published"]),
        (&json!("Boats"), &json!(false))
    );
    let refused = ada.call(&instance, "DELETE", &one, json!({})).await;
    assert_eq!(
        refused.said(),
        "409 conflict: This picture is used by Boats. Take it out there first."
    );
    assert_eq!(refused.body["uses"], shown["uses"]);
    call("publishSite", json!({})).await;
    call("undo", json!({})).await;
    let refused = ada.call(&instance, "DELETE", &one, json!({})).await;
    assert_eq!(
        refused.said(),
        "409 conflict: This picture is used by the published site. Take it out there first."
    );
    call("publishSite", json!({})).await;
    let deleted = ada.call(&instance, "DELETE", &one, json!({})).await;
    assert_eq!(deleted.said(), "204");
    assert_eq!(ada.get(&instance, &url).await.status, 404);
    assert_eq!(
        ada.call(&instance, "DELETE", &one, json!({})).await.said(),
        "404 not_found: There is no such picture."
    );
}

/// A deleted picture is gone for visitors at once, waits in the bin, and comes back under the same address.
#[tokio::test]
async fn a_deleted_picture_waits_in_the_bin_and_can_be_restored() {
    let (instance, ada) = Instance::owned().await;
    let added = upload(&instance, &ada, "?name=boat.png&alt=A%20boat", picture(1)).await;
    let id = added.body["id"].as_str().expect("an id").to_owned();
    let address = added.body["url"].as_str().expect("an address").to_owned();
    let bin = async || ada.get(&instance, "/admin/api/media-bin").await.body["media"].clone();
    assert_eq!(bin().await, json!([]));
    let stranger = Browser::default();
    assert_eq!(stranger.get(&instance, &address).await.status, 200);

    let one = format!("{MEDIA}/{id}");
    let removed = ada.call(&instance, "DELETE", &one, json!({})).await;
    assert_eq!(removed.said(), "204");
    assert_eq!(names(&instance, &ada, "").await, Vec::<String>::new());
    assert_eq!(ada.get(&instance, &one).await.status, 404);
    assert_eq!(stranger.get(&instance, &address).await.status, 404);
    let binned = bin().await;
    assert_eq!(
        (&binned[0]["id"], &binned[0]["name"], &binned[0]["alt"]),
        (&json!(id), &json!("boat.png"), &json!("A boat"))
    );
    let days = (binned[0]["keptUntil"].as_i64().expect("a time")
        - binned[0]["createdAt"].as_i64().expect("a time"))
        / (24 * 60 * 60 * 1000);
    assert_eq!(days, 30);

    let back = format!("/admin/api/media-bin/{id}/restore");
    let restored = ada.call(&instance, "POST", &back, json!({})).await;
    assert_eq!(restored.said(), "200");
    assert_eq!(restored.body["id"], json!(id));
    assert_eq!(bin().await, json!([]));
    assert_eq!(names(&instance, &ada, "").await, ["boat.png"]);
    assert_eq!(stranger.get(&instance, &address).await.status, 200);
    let again = ada.call(&instance, "POST", &back, json!({})).await;
    assert_eq!(again.status, 404, "{}", again.said());
}
