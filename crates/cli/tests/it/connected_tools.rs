//! Remote tools in the product: what its log says and never says, and what another node sees.

use serde_json::{Value, json};

use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::http::Call;
use crate::product::Instance;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn pim() -> Value {
    json!({
        "manifest": {
            "name": "pim.getProduct", "description": "A product by its number", "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object" }, "capability": "read", "timeoutMs": 3000,
            "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
        },
        "endpoint": "https://vendor.example.com/pim?secret=query-canary",
        "staticHeaders": { "x-api-key": "k3y-canary" }
    })
}

fn named(name: &str) -> Value {
    let mut registration = pim();
    registration["manifest"]["name"] = json!(name);
    registration
}

/// The lowest level of the log is for whoever looks for a fault, and still not for secrets.
#[test]
fn the_log_tells_of_the_bootstrap_file_in_words_and_never_a_secret() {
    let instance = Instance::ready();
    let mut slow = named("dam.slow");
    slow["manifest"]["timeoutMs"] = json!(1);
    let path = instance.folder().join("tools.json");
    let tools = json!({ "tools": [named("dam.searchAssets"), slow, named("dam.two")] });
    std::fs::write(&path, tools.to_string()).unwrap();
    let path = path.to_str().unwrap().to_owned();
    let instance = instance
        .with("ORCHESTRATOR_TOOL_MANIFEST_PATH", &path)
        .with("SITEWRIGHT_LOG", "trace");
    let server = instance.serve("");
    let token = instance.token("all");
    for body in [
        pim(),
        pim(),
        json!({ "manifest": "k3y-canary", "staticHeaders": { "a b": "k3y-canary" } }),
    ] {
        Call::post("/tools/register", &body)
            .token(&token)
            .send(&server);
    }
    let removed = Call::delete("/tools/pim.getProduct")
        .token(&token)
        .send(&server);
    assert_eq!(removed.status, 204);
    let log = server.log();
    for sentence in [
        format!(
            "in {path}, entry 1 (`dam.slow`) is refused: `manifest.timeoutMs` is 1: give a whole number from 250 to 600000"
        ),
        format!("tools from {path}: dam.searchAssets, dam.two"),
        format!(
            "{path} has secrets in it and others on this machine can read it: run `chmod 600` on it"
        ),
    ] {
        assert!(log.contains(&sentence), "{sentence}\n{log}");
    }
    assert!(!log.contains("canary"), "{log}");
}

#[test]
fn a_server_starts_without_its_bootstrap_file_and_says_so() {
    let instance = Instance::ready().with("ORCHESTRATOR_TOOL_MANIFEST_PATH", "/nowhere/tools.json");
    let server = instance.serve("");
    let sentence = "no tools were loaded from a file: /nowhere/tools.json cannot be read";
    assert!(server.log().contains(sentence), "{}", server.log());
    let tools = instance.run("tool list --json").json();
    assert!(tools.as_array().unwrap().len() >= 35);
}

#[test]
fn a_tool_registered_on_one_node_is_there_on_the_other() {
    let Some(first) = Instance::on_postgres() else {
        return;
    };
    let first = first.with("SITEWRIGHT_SECRET_KEY", KEY);
    let second = Instance::new()
        .with("DATABASE_URL", first.variable("DATABASE_URL"))
        .with("SITEWRIGHT_SECRET_KEY", KEY);
    first.set_up();
    let (one, two) = (first.serve(""), second.serve(""));
    let token = first.token("all");
    let is_there = |server| {
        let tools = Call::get("/tools").token(&token).send(server).json();
        let mut tools = tools["tools"].as_array().unwrap().iter();
        tools.any(|tool| tool["name"] == "pim.getProduct")
    };
    assert!(!is_there(&two));
    let registered = Call::post("/tools/register", &pim())
        .token(&token)
        .send(&one);
    assert_eq!(registered.json()["outcome"], "registered");
    assert!(is_there(&one) && is_there(&two));
    let removed = Call::delete("/tools/pim.getProduct")
        .token(&token)
        .send(&two);
    assert_eq!(removed.status, 204);
    assert!(!is_there(&one) && !is_there(&two));
}

/// Calls go out with the secrets, and come back from vendors that repeat them; neither leaves a trace at any level of the log.
#[test]
fn calling_a_tool_leaves_none_of_its_secrets_in_the_log_or_the_answer() {
    let vendor = Vendor::answering(|received| {
        let echo = format!("{:?}", received.headers);
        match received.path.as_str() {
            "/pim?secret=query-canary" => Answer::Reply(Reply::new(401, echo)),
            _ => Answer::Close,
        }
    });
    let instance = Instance::ready()
        .with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32")
        .with("SITEWRIGHT_LOG", "trace");
    let server = instance.serve("");
    let token = instance.token("all");
    for (name, path) in [
        ("pim.getProduct", "/pim?secret=query-canary"),
        ("pim.second", "/close?secret=query-canary"),
    ] {
        let mut registration = named(name);
        registration["endpoint"] = json!(vendor.url(path));
        registration["staticHeaders"]["authorization"] = json!("Bearer t0ken-canary");
        let registered = Call::post("/tools/register", &registration)
            .token(&token)
            .send(&server);
        assert_eq!(registered.json()["outcome"], "registered");
        let call = Call::post("/tools/call", &json!({ "tool": name })).token(&token);
        let answer = call.send(&server).json();
        assert_eq!(answer["error"]["code"], "upstream_error", "{answer}");
        assert!(!answer.to_string().contains("canary"), "{answer}");
    }
    let sent = format!("{:?}", vendor.requests());
    assert!(
        sent.contains("k3y-canary") && sent.contains("t0ken-canary"),
        "{sent}"
    );
    let log = server.log();
    assert!(log.contains("TRACE"));
    let line = log.lines().find(|line| line.contains("canary"));
    assert_eq!(line, None);
}
