//! The example vendor behind real calls: from the bootstrap file through the pipeline to a socket and back.

#[path = "../../../../examples/vendor/tools.rs"]
mod tools;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::instance::{Answer, Browser, Instance};

struct Running {
    instance: Instance,
    ada: Browser,
    folder: tempfile::TempDir,
    _vendor: JoinSet<()>,
}

/// The vendor on a free port, and an instance that knows its tools from the example's own file.
async fn running() -> Running {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let mut vendor = JoinSet::new();
    vendor.spawn(async move {
        axum::serve(listener, tools::router("demo-key"))
            .await
            .expect("it serves");
    });
    let folder = tempfile::tempdir().expect("a folder");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/vendor");
    let manifests = std::fs::read_to_string(format!("{example}/tools.json")).expect("the file");
    let path = folder.path().join("tools.json");
    std::fs::write(&path, manifests.replace("127.0.0.1:4010", &address)).expect("a file");
    std::fs::copy(
        format!("{example}/demo.key"),
        folder.path().join("demo.key"),
    )
    .expect("the key");
    let (instance, ada) = Instance::owned_with(|settings| {
        settings.tool_manifest_path = Some(path);
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
    })
    .await;
    Running {
        instance,
        ada,
        folder,
        _vendor: vendor,
    }
}

impl Running {
    async fn call(&self, body: Value) -> Answer {
        self.ada
            .call(&self.instance, "POST", "/tools/call", body)
            .await
    }
}

#[tokio::test]
async fn the_example_tools_of_the_contract_answer_through_a_vendor() {
    let running = running().await;
    let product = running
        .call(json!({ "tool": "pim.getProduct", "arguments": { "sku": "SKU-123" } }))
        .await
        .body;
    assert_eq!(
        (&product["ok"], &product["taint"], &product["attempts"]),
        (&json!(true), &json!("untrusted"), &json!(1))
    );
    assert_eq!(
        product["data"],
        json!({
            "sku": "SKU-123", "title": "Walnut desk", "description": "Solid walnut, 140 by 70 cm, oiled by hand.",
            "imageUrl": "https://vendor.example.com/images/sku-123.jpg", "price": "EUR 840.00"
        })
    );
    let bare = running
        .call(json!({ "tool": "pim.getProduct", "arguments": { "sku": "SKU-456" } }))
        .await
        .body;
    assert_eq!(
        bare["data"],
        json!({ "sku": "SKU-456", "title": "Desk lamp" })
    );
    let assets = running
        .call(json!({ "tool": "dam.searchAssets", "arguments": { "query": "desk", "limit": 2 } }))
        .await
        .body;
    assert_eq!(
        assets["data"],
        json!({ "items": [
            { "id": "desk-front", "url": "https://vendor.example.com/assets/desk-front", "alt": "Walnut desk from the front", "mimeType": "image/jpeg" },
            { "id": "desk-detail", "url": "https://vendor.example.com/assets/desk-detail", "alt": "Grain of the walnut desk", "mimeType": "image/jpeg" }
        ] })
    );
}

#[tokio::test]
async fn what_a_vendor_refuses_comes_back_in_the_envelope() {
    let running = running().await;
    let none = running
        .call(json!({ "tool": "pim.getProduct", "arguments": { "sku": "SKU-0" } }))
        .await
        .body;
    assert_eq!(
        (
            &none["ok"],
            &none["error"]["code"],
            &none["error"]["retryable"]
        ),
        (&json!(false), &json!("not_found"), &json!(false))
    );
    assert_eq!(
        (&none["data"], &none["taint"]),
        (&Value::Null, &json!("untrusted"))
    );
    let sentence = none["error"]["message"].as_str().expect("a sentence");
    assert!(
        sentence.ends_with("in its own unchecked words: \"no product has this number\""),
        "{sentence}"
    );
    let wrong = running
        .call(json!({ "tool": "pim.getProduct", "arguments": { "number": 7 } }))
        .await
        .body;
    assert_eq!(wrong["error"]["code"], "invalid_input");
    assert_eq!(wrong["error"]["details"]["errors"][0]["pointer"], "");
}

/// A registered tool can be called at once, and its headers go with every call.
#[tokio::test]
async fn a_tool_registered_over_the_api_is_called_with_its_headers() {
    let running = running().await;
    let file = std::fs::read_to_string(running.folder.path().join("tools.json")).expect("the file");
    let mut registration = serde_json::from_str::<Value>(&file).expect("JSON")["tools"][0].take();
    registration["manifest"]["name"] = json!("pim.second");
    registration["staticHeaders"] = json!({ "x-api-key": "wrong-canary" });
    let mut ask = async |key: &str| {
        registration["staticHeaders"]["x-api-key"] = json!(key);
        registration["replace"] = json!(true);
        let done = running
            .ada
            .call(
                &running.instance,
                "POST",
                "/tools/register",
                registration.clone(),
            )
            .await;
        assert_eq!(done.status, 200, "{done:?}");
        running
            .call(json!({ "tool": "pim.second", "arguments": { "sku": "SKU-456" } }))
            .await
            .body
    };
    let refused = ask("wrong-canary").await;
    assert_eq!(refused["error"]["code"], "upstream_error");
    assert!(!refused.to_string().contains("canary"), "{refused}");
    assert_eq!(ask("demo-key").await["data"]["title"], "Desk lamp");
}

/// A1, A3 and A5: a write had no way to be approved, was sent again without asking, and keys of strangers were mixed up.
#[tokio::test]
async fn a_write_elsewhere_waits_for_a_person_and_happens_once() {
    let running = running().await;
    let arguments = json!({ "room": "Ada", "date": "2026-12-01" });
    let asked = running
        .call(json!({ "tool": "booking.reserve", "arguments": arguments }))
        .await
        .body;
    assert_eq!(asked["error"]["code"], "approval_required", "{asked}");
    let reserve = json!({ "tool": "booking.reserve", "arguments": arguments, "confirmed": true, "idempotencyKey": "mine" });
    let first = running.call(reserve.clone()).await.body;
    assert_eq!(first["data"]["reservationId"], "R-1", "{first}");
    let again = running.call(reserve.clone()).await.body;
    assert_eq!(again["data"]["reservationId"], "R-1");
    let body = json!({ "name": "script", "kind": "script", "capabilities": ["all"] });
    let token = running
        .ada
        .call(&running.instance, "POST", "/admin/api/tokens", body)
        .await;
    let token = token.body["token"].as_str().expect("a token").to_owned();
    let mut other = reserve;
    other["arguments"]["room"] = json!("Grace");
    let other = running
        .instance
        .with_token(&token, "POST", "/tools/call", other)
        .await
        .body;
    assert_eq!(
        (&other["data"]["reservationId"], &other["data"]["room"]),
        (&json!("R-2"), &json!("Grace")),
        "{other}"
    );
}
