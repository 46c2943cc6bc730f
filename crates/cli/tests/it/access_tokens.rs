//! Access tokens of OAuth 2: fetched with the client's secret, used for several calls, and replaced in the middle of a mission.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use sitewright_testkit::vendor::{Answer, Received, Reply, Vendor};

use crate::product::{Instance, Outcome, run};

const FLIGHTS: &str = include_str!("../../../connect/tests/openapi/flights.yaml");

/// A vendor whose first token ends after two bookings. Returns what it was asked for as well.
fn vendor() -> (Vendor, Arc<Mutex<Vec<String>>>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&log);
    let vendor = Vendor::answering(move |received: &Received| {
        let mut log: std::sync::MutexGuard<'_, Vec<String>> =
            written.lock().unwrap_or_else(PoisonError::into_inner);
        let authorization = received.header("authorization").unwrap_or_default();
        let body = String::from_utf8_lossy(&received.body);
        let (status, reply) = match received.path.as_str() {
            "/token" => {
                let tokens = log.iter().filter(|line| line.starts_with("token")).count();
                log.push(format!("token {authorization} {body}"));
                let token = format!("t{}", tokens + 1);
                let answer =
                    json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 });
                (200, answer)
            }
            path => {
                let booked = log.iter().filter(|line| line.ends_with("Bearer t1"));
                let is_over = authorization == "Bearer t1" && booked.count() >= 2;
                log.push(format!("{path} {authorization}"));
                match is_over {
                    true => (401, json!({ "message": "the token is over" })),
                    false => (200, json!({ "booking_id": "B" })),
                }
            }
        };
        let reply = Reply::new(status, reply.to_string());
        Answer::Reply(reply.with_header("content-type", "application/json"))
    });
    (vendor, log)
}

fn document(vendor: &Vendor) -> String {
    let scheme = format!(
        "security: [{{login: [bookings]}}]\ncomponents:\n  securitySchemes:\n    login:\n      type: oauth2\n      flows:\n        \
         clientCredentials: {{tokenUrl: '{}', scopes: {{bookings: Book}}}}\npaths:\n",
        vendor.url("/token")
    );
    FLIGHTS.replace("paths:\n", &scheme)
}

fn add(instance: &Instance, document: &str, base: &str) -> Outcome {
    let path = instance.folder().join("api.yaml");
    std::fs::write(&path, document).unwrap();
    let mut command = instance.command("openapi add --credentials-stdin --json");
    command.arg(&path).args(["--base-url", base]);
    run(command, r#"{"login": "id:s3cret canary"}"#)
}

#[test]
fn a_token_is_fetched_once_and_replaced_in_the_middle_of_a_mission() {
    let (vendor, log) = vendor();
    let instance = Instance::ready().with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32");
    add(&instance, &document(&vendor), &vendor.url("")).json();
    let leg = |number: usize| {
        let before: Vec<String> = (1..number).map(|before| format!("l{before}")).collect();
        let arguments = json!({ "offer_id": "O", "traveler_id": "T" });
        json!({ "id": format!("l{number}"), "tool": "flight_book_offer", "arguments": arguments, "dependencies": before })
    };
    let legs = json!({ "legs": [leg(1), leg(2), leg(3)] });
    let mut command = instance.command("tool call mission.run --yes --json");
    command.args(["--args", &legs.to_string()]);
    let reply = run(command, "").json();
    assert_eq!(reply["data"]["state"], "completed", "{reply}");
    let log = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // `id:s3cret+canary`, as RFC 6749 encodes it.
    let token = "token Basic aWQ6czNjcmV0K2NhbmFyeQ== grant_type=client_credentials&scope=bookings";
    assert_eq!(
        log,
        [
            token,
            "/book Bearer t1",
            "/book Bearer t1",
            "/book Bearer t1",
            token,
            "/book Bearer t2"
        ]
    );
}

#[test]
fn a_document_that_moves_where_secrets_go_waits_for_a_person() {
    let (vendor, log) = vendor();
    let instance = Instance::ready().with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32");
    let first = document(&vendor);
    add(&instance, &first, &vendor.url("")).json();
    let moved = first.replace("/token'", "/elsewhere'");
    let added = add(&instance, &moved, &vendor.url(""));
    let expected = format!(
        "The credential `login` was sent to {}, and would be to {}.",
        vendor.url("/token"),
        vendor.url("/elsewhere")
    );
    let said = format!("{}{}", added.stdout, added.stderr);
    assert!(said.contains(&expected), "{said}");
    let mut command = instance.command("tool call flight_book_offer --yes --json");
    command.args(["--args", r#"{"offer_id": "O", "traveler_id": "T"}"#]);
    run(command, "").json();
    let log = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert!(
        log.iter().all(|line| !line.starts_with("/elsewhere")),
        "{log:?}"
    );
}
