//! The example vendor behind real calls: from the bootstrap file through the pipeline to a socket and back.

#[path = "../../../../examples/vendor/tools.rs"]
mod tools;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_store::{Place, Store};
use sitewright_testkit::vendor::{Answer as Said, Reply, Vendor};
use tokio::task::JoinSet;

use crate::instance::{Answer, Browser, Instance, PASSWORD};

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

fn elsewhere(vendor: &Vendor, name: &str) -> Value {
    json!({
        "manifest": {
            "name": name, "description": "Echoes", "inputSchema": { "type": "object" }, "outputSchema": {}, "capability": "read",
            "timeoutMs": 20_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
        },
        "endpoint": vendor.url("/echo")
    })
}

async fn with_vendor(vendor: &Vendor) -> (Instance, Browser) {
    let allow = |settings: &mut sitewright_server::Settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
    };
    let (instance, ada) = Instance::owned_with(allow).await;
    let done = ada
        .call(
            &instance,
            "POST",
            "/tools/register",
            elsewhere(vendor, "echo.say"),
        )
        .await;
    assert_eq!(done.said(), "200");
    (instance, ada)
}

#[tokio::test]
async fn a_remote_tool_learns_where_its_call_belongs() {
    let vendor = Vendor::answering(|_| Said::ok(r#"{"data": 1}"#));
    let (instance, ada) = with_vendor(&vendor).await;
    let call = json!({ "tool": "echo.say", "arguments": { "a": 1 } });
    for _ in 0..2 {
        let answer = ada
            .call(&instance, "POST", "/tools/call", call.clone())
            .await
            .body;
        assert_eq!(answer["data"], 1, "{answer}");
    }
    let mut elsewhere = Browser::default();
    elsewhere
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    elsewhere
        .call(&instance, "POST", "/tools/call", call.clone())
        .await;
    let tokens = call_with_tokens(&instance, &ada, &call).await;
    // Nobody signed in stands behind the machine itself.
    assert_eq!(
        instance.local("POST", "/tools/call", call).await.body["data"],
        1
    );
    let contexts = contexts_of_calls(&vendor);
    let users = ada.get(&instance, "/admin/api/users").await.body;
    let place = Place::File(instance.settings.data.join("sitewright.db"));
    let store = Store::open(&place).await.expect("the database");
    let sites = store.sites().await.expect("sites");
    let [first, second, elsewhere, script, agent, local] = &contexts[..] else {
        panic!("{contexts:?}");
    };
    // L17: pseudonyms. The vendor tells people and sessions apart, and learns none of their ids.
    assert_ne!(first["userId"], users["users"][0]["id"]);
    assert!(first["userId"].is_string() && first["userId"] == elsewhere["userId"]);
    assert_eq!(first["siteId"], sites[0].id.as_str());
    assert_eq!(first["plannerProvider"], "none");
    let account = ada.get(&instance, "/admin/api/account").await.body;
    let ids = account["sessions"].as_array().expect("a list").iter();
    let ids = ids.map(|session| session["id"].clone());
    let ids: Vec<Value> = ids.chain(tokens.iter().map(|id| json!(id))).collect();
    let sessions: Vec<&Value> = contexts
        .iter()
        .map(|context| &context["sessionId"])
        .collect();
    assert_eq!(sessions[0], sessions[1]);
    for (position, session) in sessions.iter().enumerate().skip(1) {
        assert!(session.is_string() && !ids.contains(session), "{session}");
        assert!(!sessions[position + 1..].contains(session), "{sessions:?}");
    }
    assert!(
        [second, elsewhere, script, agent]
            .iter()
            .all(|context| context["siteId"] == first["siteId"]),
        "{contexts:?}"
    );
    assert!(
        first["traceId"].is_string() && first["traceId"] != second["traceId"],
        "{contexts:?}"
    );
    let fields: Vec<&String> = local.as_object().expect("an object").keys().collect();
    assert_eq!(
        fields,
        ["siteId", "sessionId", "traceId", "plannerProvider"]
    );
    assert_eq!(local["siteId"], first["siteId"]);
}

/// Calls with a token of each kind, and tells how a context names them.
async fn call_with_tokens(instance: &Instance, ada: &Browser, call: &Value) -> Vec<String> {
    let mut tokens = Vec::new();
    for kind in ["script", "agent"] {
        let body = json!({ "name": kind, "kind": kind, "capabilities": ["all"] });
        let made = ada.call(instance, "POST", "/admin/api/tokens", body).await;
        let token = made.body["token"].as_str().expect("a token");
        instance
            .with_token(token, "POST", "/tools/call", call.clone())
            .await;
        tokens.push(format!(
            "token:{}",
            made.body["info"]["id"].as_str().expect("an id")
        ));
    }
    tokens
}

fn contexts_of_calls(vendor: &Vendor) -> Vec<Value> {
    let received = vendor.requests();
    let contexts = received.iter().map(|request| {
        let mut body: Value = serde_json::from_slice(&request.body).expect("JSON");
        assert_eq!(
            (&body["toolName"], &body["arguments"]),
            (&json!("echo.say"), &json!({ "a": 1 }))
        );
        body["context"].take()
    });
    contexts.collect()
}

#[tokio::test]
async fn the_time_of_a_call_is_measured_whether_it_went_well_or_not() {
    let slow = |status| Said::Drip {
        reply: Reply::new(status, r#"{"data": "a little longer than a moment"}"#),
        pause: Duration::from_millis(2),
    };
    let vendor = Vendor::scripted([slow(200), slow(404)]);
    let (instance, ada) = with_vendor(&vendor).await;
    for ok in [true, false] {
        let call = json!({ "tool": "echo.say", "arguments": {} });
        let asked = Instant::now();
        let answer = ada.call(&instance, "POST", "/tools/call", call).await.body;
        let passed = asked.elapsed();
        assert_eq!(
            (&answer["ok"], &answer["attempts"]),
            (&json!(ok), &json!(1)),
            "{answer}"
        );
        // The vendor takes two milliseconds for each of more than 50 bytes, and the call is part of the request.
        let millis = u128::from(answer["latencyMs"].as_u64().expect("a number"));
        assert!(
            (100..=passed.as_millis()).contains(&millis),
            "{millis} of {passed:?}"
        );
    }
}
