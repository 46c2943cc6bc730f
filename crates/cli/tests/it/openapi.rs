//! OpenAPI documents and missions through the product: the forms that scripts rely on, and what vendors are sent.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sitewright_testkit::vendor::{Answer, Received, Reply, Vendor};

use crate::product::{Instance, Outcome, bare_command, run};

/// The example of the specification, completed where OpenAPI demands it.
const FLIGHTS: &str = include_str!("../../../connect/tests/openapi/flights.yaml");

/// A vendor that books what it is asked for, and cancels what it is told the key of.
fn agency(fails: &'static str) -> (Vendor, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&log);
    let vendor = Vendor::answering(move |received: &Received| {
        let mut log = written.lock().unwrap_or_else(PoisonError::into_inner);
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let key = received
            .header("idempotency-key")
            .unwrap_or_default()
            .to_owned();
        let reply = |status: u16, body: Value| {
            let reply = Reply::new(status, body.to_string());
            Answer::Reply(reply.with_header("content-type", "application/json"))
        };
        match received.path.as_str() {
            "/book" if body["offer_id"] == fails => reply(422, json!({ "message": "sold out" })),
            "/book" => {
                log.push(format!("book {key}"));
                reply(
                    200,
                    json!({ "booking_id": format!("B-{}", body["offer_id"].as_str().unwrap_or_default()) }),
                )
            }
            "/cancel" => {
                log.push(format!(
                    "cancel {}",
                    body["idempotency_key"].as_str().unwrap_or_default()
                ));
                reply(200, json!({ "cancelled": body["booking_id"] }))
            }
            "/openapi.yaml" => Answer::Reply(Reply::new(200, FLIGHTS)),
            _ => reply(404, json!({})),
        }
    });
    (vendor, log)
}

fn lines(log: &Mutex<Vec<String>>) -> Vec<String> {
    log.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn instance() -> Instance {
    Instance::ready().with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32")
}

/// Writes a document and adds it for a vendor.
fn add(instance: &Instance, document: &str, vendor: &Vendor) -> Outcome {
    let path = instance.folder().join("api.yaml");
    std::fs::write(&path, document).unwrap();
    let mut command = instance.command("openapi add --json");
    command.arg(&path).args(["--base-url", &vendor.url("")]);
    run(command, "")
}

fn call(instance: &Instance, words: &str, arguments: &Value) -> Outcome {
    let mut command = instance.command(&format!("tool call {words} --json"));
    command.args(["--args", &arguments.to_string()]);
    run(command, "")
}

#[test]
fn lint_prints_findings_in_the_fixed_form_and_needs_no_instance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.yaml");
    let lint = |document: &str, json: bool| {
        std::fs::write(&path, document).unwrap();
        let mut command = bare_command(if json {
            "openapi lint --json"
        } else {
            "openapi lint"
        });
        command.arg(&path);
        run(command, "")
    };
    let good = lint(FLIGHTS, true);
    assert_eq!(good.code, Some(0));
    let warnings = good.json();
    let findings = warnings["findings"].as_array().unwrap();
    assert!(
        findings.iter().all(|finding| finding["level"] == "warning"),
        "{warnings}"
    );
    let bad = FLIGHTS.replace("      x-orchet-cancel-for: flight_book_offer\n", "");
    let refused = lint(&bad, true);
    assert_eq!(refused.code, Some(1));
    let report: Value = serde_json::from_str(&refused.stdout).unwrap();
    let finding = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["level"] == "error")
        .unwrap();
    assert_eq!(
        *finding,
        json!({
            "level": "error", "code": "cancel-not-mutual", "pointer": "/paths/~1book/post/x-orchet-cancels", "line": 12,
            "message": "`flight_cancel_booking` does not name this operation back: add `x-orchet-cancel-for: flight_book_offer` to it.",
        })
    );
    let words = lint(&bad, false);
    assert_eq!(words.code, Some(1));
    assert!(
        words
            .stderr
            .contains("error[cancel-not-mutual]: `flight_cancel_booking` does not"),
        "{words:?}"
    );
    assert!(
        words
            .stderr
            .contains("api.yaml:12 (/paths/~1book/post/x-orchet-cancels)"),
        "{words:?}"
    );
    let nothing = run(
        {
            let mut command = bare_command("openapi lint --json");
            command.arg(folder.path().join("no.yaml"));
            command
        },
        "",
    );
    assert_eq!(nothing.failure().1, "invalid_input");
}

#[test]
fn added_operations_are_tools_that_ask_with_a_card() {
    let (vendor, log) = agency("none");
    let instance = instance();
    let added = add(&instance, FLIGHTS, &vendor);
    assert_eq!(
        added.json(),
        json!({ "tools": ["flight_book_offer", "flight_cancel_booking"] })
    );
    assert_eq!(
        add(&instance, FLIGHTS, &vendor).json(),
        added.json(),
        "the same document again changes nothing"
    );
    let arguments = json!({ "offer_id": "O1", "traveler_id": "T1" });
    let asked = call(&instance, "flight_book_offer --key one", &arguments);
    let envelope: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "approval_required", "{envelope}");
    assert_eq!(lines(&log), [""; 0]);
    let cards = instance.run("approvals list --json").json();
    let preview = &cards[0]["calls"][0]["preview"];
    assert_eq!(preview["kind"], "structured-itinerary", "{cards}");
    assert_eq!(
        preview["fields"][0],
        json!({ "name": "offer_id", "label": "Offer id", "value": "O1" })
    );
    let id = envelope["error"]["details"]["approval"]["id"]
        .as_str()
        .unwrap();
    assert_eq!(
        instance.run(&format!("approvals approve {id}")).code,
        Some(0)
    );
    let done = call(&instance, "flight_book_offer --key one", &arguments).json();
    assert_eq!(done["data"], json!({ "booking_id": "B-O1" }));
    assert_eq!(done["card"]["kind"], "receipt", "{done}");
    assert_eq!(
        done["card"]["fields"],
        json!([{ "label": "Booking id", "value": "B-O1" }])
    );
    assert_eq!(done["card"]["actions"][0]["tool"], "flight_cancel_booking");
    assert_eq!(lines(&log).len(), 1);
    let told = instance.run("audit list --json").stdout;
    assert!(told.contains("\"flight_book_offer\""), "{told}");
    let missing = call(
        &instance,
        "flight_book_offer --yes",
        &json!({ "offer_id": "O1" }),
    );
    let envelope: Value = serde_json::from_str(&missing.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "invalid_input");
}

#[test]
fn a_document_can_be_added_from_an_address() {
    let (vendor, _) = agency("none");
    let instance = instance();
    let add = |path: &str| {
        let mut command = instance.command("openapi add --json");
        command.arg(vendor.url(path));
        command.args(["--base-url", &vendor.url("")]);
        run(command, "")
    };
    let tools = json!({ "tools": ["flight_book_offer", "flight_cancel_booking"] });
    assert_eq!(add("/openapi.yaml").json(), tools);
    assert_eq!(add("/openapi.yaml").json(), tools, "again");
    assert_eq!(add("/nowhere.yaml").failure().1, "invalid_input");
}

/// `requires-confirmation: false` means that the vendor demands no card; the policy still decides about a write.
#[test]
fn a_cancel_tool_that_is_called_directly_follows_the_policy() {
    let (vendor, log) = agency("none");
    let instance = instance();
    add(&instance, FLIGHTS, &vendor).json();
    let described = instance
        .run("tool describe flight_cancel_booking --json")
        .json();
    assert_eq!(described["confirmation"], Value::Null);
    let asked = call(
        &instance,
        "flight_cancel_booking",
        &json!({ "booking_id": "B1" }),
    );
    let envelope: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "approval_required");
    assert_eq!(lines(&log), [""; 0]);
}

#[test]
fn the_limits_of_a_schema_hold_before_anything_is_sent() {
    let vendor = Vendor::answering(|_| Answer::Close);
    let instance = instance();
    let flights = include_str!("../../../../examples/travel/flights.yaml");
    assert_eq!(
        add(&instance, flights, &vendor).json(),
        json!({ "tools": ["flight_book", "flight_cancel"] })
    );
    for (arguments, pointer) in [
        (json!({}), "/offer_id"),
        (json!({ "offer_id": "O1", "currency": "GBP" }), "/currency"),
        (json!({ "offer_id": "O1", "price": -1 }), "/price"),
    ] {
        let refused = call(&instance, "flight_book --yes", &arguments);
        let envelope: Value = serde_json::from_str(&refused.stdout).unwrap();
        assert_eq!(envelope["error"]["code"], "invalid_input", "{envelope}");
        assert_eq!(
            envelope["error"]["details"]["errors"][0]["pointer"], pointer,
            "{envelope}"
        );
    }
    assert_eq!(vendor.connections(), 0);
    let described = instance.run("tool describe flight_book --json").json();
    let offer = &described["inputSchema"]["properties"]["offer_id"];
    assert_eq!(offer["description"], "The offer, such as BER-LIS-0900.");
}

/// The documents of the guide have nothing to find fault with.
#[test]
fn the_documents_of_the_guide_are_in_order() {
    for vendor in ["flights", "hotels", "cars"] {
        let path = format!(
            "{}/../../examples/travel/{vendor}.yaml",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut command = bare_command("openapi lint --json");
        command.arg(path);
        assert_eq!(
            run(command, "").json(),
            json!({ "findings": [] }),
            "{vendor}"
        );
    }
}

#[test]
fn a_version_that_weakens_a_promise_waits_for_a_person() {
    let (vendor, _) = agency("none");
    let instance = instance();
    add(&instance, FLIGHTS, &vendor).json();
    let weaker = FLIGHTS.replace("structured-itinerary", "structured-cart");
    let waits = add(&instance, &weaker, &vendor);
    assert_eq!(waits.code, Some(1));
    let reply: Value = serde_json::from_str(&waits.stdout).unwrap();
    assert_eq!(
        reply["weakened"],
        json!([
            "`flight_book_offer` asked with structured-itinerary, and would ask with structured-cart."
        ])
    );
    let confirmation = || {
        let tool = instance
            .run("tool describe flight_book_offer --json")
            .json();
        tool["confirmation"].as_str().unwrap().to_owned()
    };
    assert_eq!(confirmation(), "structured-itinerary");
    assert_eq!(
        instance.run("openapi review Flights --accept --json").code,
        Some(0)
    );
    assert_eq!(confirmation(), "structured-cart");
    assert_eq!(instance.run("openapi remove Flights --json").code, Some(0));
    assert_eq!(
        instance.run("tool describe flight_book_offer").code,
        Some(1)
    );
}

#[test]
fn credentials_and_personal_data_are_needed_before_anything_is_sent() {
    let (vendor, log) = agency("none");
    let instance = instance();
    let secured = FLIGHTS.replace(
        "paths:\n",
        "security: [{key: []}]\ncomponents:\n  securitySchemes:\n    key: {type: apiKey, in: header, name: X-Api-Key}\npaths:\n",
    );
    let secured = secured.replace(
        "      x-orchet-cancels:",
        "      x-orchet-pii-required: [traveler_id]\n      x-orchet-cancels:",
    );
    add(&instance, &secured, &vendor).json();
    let arguments = json!({ "offer_id": "O1", "traveler_id": "T1" });
    let code = |outcome: &Outcome| {
        let envelope: Value = serde_json::from_str(&outcome.stdout).unwrap();
        envelope["error"]["code"]
            .as_str()
            .unwrap_or("ok")
            .to_owned()
    };
    assert_eq!(
        code(&call(&instance, "flight_book_offer --yes", &arguments)),
        "forbidden"
    );
    assert_eq!(
        instance.run("openapi grant flight_book_offer --json").code,
        Some(0)
    );
    assert_eq!(
        code(&call(&instance, "flight_book_offer --yes", &arguments)),
        "unavailable"
    );
    assert_eq!(lines(&log), [""; 0]);
    let path = instance.folder().join("api.yaml");
    let mut command = instance.command("openapi add --credentials-stdin --json");
    command.arg(&path).args(["--base-url", &vendor.url("")]);
    assert_eq!(run(command, r#"{"key": "k3y-canary"}"#).code, Some(0));
    assert_eq!(
        code(&call(&instance, "flight_book_offer --yes", &arguments)),
        "ok"
    );
    let requests = vendor.requests();
    assert_eq!(requests[0].header("x-api-key"), Some("k3y-canary"));
    let sent: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(sent["traveler_id"], "T1");
    let listed = instance.run("openapi list --json").stdout;
    assert!(
        !listed.contains("canary") && listed.contains("\"key\""),
        "{listed}"
    );
    assert_eq!(
        instance.run("openapi revoke flight_book_offer --json").code,
        Some(0)
    );
    assert_eq!(
        code(&call(&instance, "flight_book_offer --yes", &arguments)),
        "forbidden"
    );
}

#[test]
fn a_failed_mission_cancels_the_booking_at_the_vendor() {
    let (vendor, log) = agency("O2");
    let instance = instance();
    add(&instance, FLIGHTS, &vendor).json();
    let leg = |id: &str, offer: &str, dependencies: &[&str]| {
        let arguments = json!({ "offer_id": offer, "traveler_id": "T1" });
        json!({ "id": id, "tool": "flight_book_offer", "arguments": arguments, "dependencies": dependencies })
    };
    let legs = json!({ "legs": [leg("out", "O1", &[]), leg("back", "O2", &["out"])] });
    let reply = call(&instance, "mission.run --yes", &legs).json();
    let mission = &reply["data"];
    assert_eq!(mission["state"], "rolled_back", "{mission}");
    assert_eq!(
        mission["legs"][0],
        json!({ "id": "out", "state": "rolled_back", "output": { "booking_id": "B-O1" } })
    );
    assert_eq!(mission["legs"][1]["state"], "failed");
    assert_eq!(mission["residuals"], json!([]));
    let written = lines(&log);
    let key = written[0].strip_prefix("book ").unwrap();
    assert_eq!(
        written[1..],
        [format!("cancel {key}")],
        "the cancel has the key of the booking"
    );
    let id = mission["missionId"].as_str().unwrap();
    let listed = instance.run("mission list --json").json();
    assert_eq!(listed[0]["missionId"], id);
    let shown = instance.run(&format!("mission show {id} --json")).json();
    assert_eq!(
        (&shown["legs"], &shown["state"]),
        (&mission["legs"], &mission["state"])
    );
    let resumed = instance.run(&format!("mission resume {id} --json")).json();
    assert_eq!(resumed["state"], "rolled_back");
    assert_eq!(
        instance.run("mission show nowhere --json").failure().1,
        "not_found"
    );
    let kept = json!({ "legs": [leg("out", "O1", &[]), leg("back", "O3", &["out"])] });
    assert_eq!(
        call(&instance, "mission.run --yes", &kept).json()["data"]["state"],
        "completed"
    );
}

#[test]
fn personal_data_is_shown_to_who_decides_and_not_in_the_log() {
    let (vendor, _log) = agency("none");
    let instance = instance();
    let personal = FLIGHTS.replace(
        "      x-orchet-cancels:",
        "      x-orchet-pii-required: [traveler_id]\n      x-orchet-cancels:",
    );
    add(&instance, &personal, &vendor).json();
    let granted = instance.run("openapi grant flight_book_offer --json");
    assert_eq!(granted.code, Some(0));
    let arguments = json!({ "offer_id": "O1", "traveler_id": "T-canary" });
    let asked = call(&instance, "flight_book_offer --key one", &arguments);
    let envelope: Value = serde_json::from_str(&asked.stdout).unwrap();
    let id = envelope["error"]["details"]["approval"]["id"]
        .as_str()
        .unwrap();
    let asked = instance.run("approvals list --json").stdout;
    assert!(asked.contains("T-canary"), "{asked}");
    let approved = instance.run(&format!("approvals approve {id}"));
    assert_eq!(approved.code, Some(0));
    let sent: Value = serde_json::from_slice(&vendor.requests()[0].body).unwrap();
    assert_eq!(sent["traveler_id"], "T-canary");
    let call = instance.run(&format!("policy why {id} --json"));
    let call = call.json();
    assert_eq!(
        call["arguments"],
        json!({ "offer_id": "O1", "traveler_id": "[personal data]" })
    );
    let audit = instance.run("audit list --json").stdout;
    let logged = format!("{call}{audit}");
    assert!(!logged.contains("canary"), "{logged}");
}
