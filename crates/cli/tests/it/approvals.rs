//! Saying yes and no on the command line, and the policy behind it.

use serde_json::{Value, json};
use sitewright_store::{Place, SiteId, SitePolicy, Stamp, Store, Timestamp};
use sitewright_testkit::vendor::{Answer, Vendor};

use crate::http::Call;
use crate::product::{Instance, Outcome, run};

fn call(instance: &Instance, words: &str, args: &Value) -> Outcome {
    let mut command = instance.command(&format!("tool call {words} --json"));
    command.args(["--args", &args.to_string()]);
    run(command, "")
}

/// The code of the envelope that a failed call printed.
fn code(outcome: &Outcome) -> String {
    let envelope: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(outcome.code, Some(1), "{envelope}");
    envelope["error"]["code"].as_str().unwrap().to_owned()
}

/// Adds a page, asks to remove it, and tells the page and the call that waits.
fn asked(instance: &Instance) -> (Value, String) {
    let added = call(instance, "addPage", &json!({ "title": "News" })).json();
    let page = json!({ "pageId": added["data"]["pageId"] });
    let waits = call(instance, "deletePage --key remove", &page);
    assert_eq!(code(&waits), "approval_required");
    let envelope: Value = serde_json::from_str(&waits.stdout).unwrap();
    let id = &envelope["error"]["details"]["approval"]["id"];
    (page, id.as_str().unwrap().to_owned())
}

/// Without a server, and with one: the row is all there is.
#[test]
fn what_waits_is_listed_explained_and_decided() {
    let instance = Instance::ready();
    let (page, id) = asked(&instance);
    let listed = instance.run("approvals list");
    assert!(
        listed.stdout.contains(&id) && listed.stdout.contains("deletePage"),
        "{listed:?}"
    );
    let why = instance.run(&format!("policy why {id}"));
    assert!(
        why.stdout.contains("Removing a page needs approval."),
        "{why:?}"
    );
    let server = instance.serve("");
    let done = instance.run(&format!("approvals approve {id}"));
    assert_eq!(
        (done.code, done.stdout),
        (Some(0), format!("deletePage was done ({id}).\n"))
    );
    assert_eq!(
        call(&instance, "deletePage --key remove", &page).json()["ok"],
        true
    );
    let again = instance.run(&format!("approvals approve {id} --json"));
    assert_eq!(again.failure().1, "conflict");
    assert_eq!(
        instance.run("approvals list").stdout,
        "Nothing to approve.\n"
    );
    assert_eq!(
        instance.run("approvals list --unknown").stdout,
        "No calls with an unknown outcome.\n"
    );
    let numbers = Call::get("/metrics").send(&server).text();
    let counted = "sitewright_tool_calls_total{tool=\"deletePage\",code=\"ok\"} 1";
    assert!(numbers.lines().any(|line| line == counted), "{numbers}");
}

#[test]
fn a_no_is_told_and_a_yes_can_come_with_the_call() {
    let instance = Instance::ready();
    let (page, id) = asked(&instance);
    let denied = instance.run(&format!("approvals deny {id}"));
    assert_eq!(
        (denied.code, denied.stdout),
        (Some(0), format!("deletePage was denied ({id}).\n"))
    );
    assert_eq!(
        code(&call(&instance, "deletePage --key remove", &page)),
        "approval_denied"
    );
    assert_eq!(
        call(&instance, "deletePage --yes", &page).json()["ok"],
        true
    );
}

#[test]
fn a_policy_is_shown_tried_and_changed() {
    let instance = Instance::ready();
    asked(&instance);
    let shipped = instance.run("policy show").stdout;
    assert!(shipped.contains("@id(\"reads-run\")"), "{shipped}");
    let file = instance.folder().join("policy.cedar");
    let stricter = format!(
        "{shipped}\n@id(\"frozen\") @reason(\"The site is frozen.\")\nforbid (principal, action, resource) when {{ context.effect != Effect::\"none\" }};\n"
    );
    std::fs::write(&file, stricter).unwrap();
    let tried = instance.run(&format!("policy test {}", file.display()));
    assert!(
        tried
            .stdout
            .contains("The policy is valid. It decides 2 of 2 recorded calls differently."),
        "{tried:?}"
    );
    let shadow = instance.run(&format!("policy set {} --shadow", file.display()));
    assert_eq!(shadow.code, Some(0), "{shadow:?}");
    assert_eq!(
        call(&instance, "addPage", &json!({ "title": "Still" })).json()["ok"],
        true
    );
    assert_eq!(
        instance.run(&format!("policy set {}", file.display())).code,
        Some(0)
    );
    assert_eq!(
        code(&call(&instance, "addPage", &json!({ "title": "Frozen" }))),
        "forbidden"
    );
    assert_eq!(instance.run("policy set --shipped").code, Some(0));
    assert_eq!(
        call(&instance, "addPage", &json!({ "title": "Thawed" })).json()["ok"],
        true
    );
    std::fs::write(&file, "permit (principal").unwrap();
    let broken = instance.run(&format!("policy test {} --json", file.display()));
    assert_eq!(broken.failure().1, "invalid_input");
}

/// A policy from before there were limits: neither the command line nor a server may end because of it.
#[test]
fn a_stored_policy_over_the_limits_is_shown_and_replaced() {
    let instance = Instance::ready();
    let chain = vec!["context.approved"; 2_756].join(" || ");
    let stored = format!("permit (principal, action, resource) when {{ {chain} }};");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let place = Place::File(instance.data().join("sitewright.db"));
        let store = Store::open(&place).await.unwrap();
        let policy = SitePolicy {
            active: Some(stored.clone()),
            candidate: None,
        };
        let site = SiteId::from("main".to_owned());
        let by = Stamp::local(Timestamp::now());
        store.set_policy(&site, &policy, &by).await.unwrap();
        store.close().await;
    });
    let page = json!({ "title": "News" });
    assert_eq!(code(&call(&instance, "addPage", &page)), "forbidden");
    let server = instance.serve("");
    assert_eq!(code(&call(&instance, "addPage", &page)), "forbidden");
    assert_eq!(instance.run("policy show").stdout.trim_end(), stored);
    let file = instance.folder().join("policy.cedar");
    std::fs::write(&file, &stored).unwrap();
    let refused = instance.run(&format!("policy set {} --json", file.display()));
    assert_eq!(refused.failure().1, "invalid_input");
    assert_eq!(instance.run("policy set --shipped").code, Some(0));
    assert_eq!(call(&instance, "addPage", &page).json()["ok"], true);
    drop(server);
}

/// A tool elsewhere that hangs up after it was called, until it is told to answer.
fn with_vendor(name: &str, is_idempotent: bool, vendor: &Vendor) -> Value {
    json!({
        "manifest": {
            "name": name, "description": "Sends a letter", "inputSchema": { "type": "object" },
            "outputSchema": {}, "capability": "write", "timeoutMs": 3000,
            "retryPolicy": { "maxAttempts": 1 }, "idempotent": is_idempotent
        },
        "endpoint": vendor.url("/letters"),
    })
}

/// Each way in which a person settles what the other side left open, and what the command says to it.
#[test]
fn a_call_whose_outcome_is_unknown_is_listed_and_settled() {
    let vendor = Vendor::scripted([
        Answer::Close,
        Answer::Close,
        Answer::Close,
        Answer::ok(r#"{"data": "sent"}"#),
    ]);
    let instance = Instance::ready().with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32");
    let server = instance.serve("");
    let token = instance.token("all");
    let lost = |name: &str, is_idempotent| {
        let registration = with_vendor(name, is_idempotent, &vendor);
        let registered = Call::post("/tools/register", &registration).token(&token);
        assert_eq!(registered.send(&server).json()["outcome"], "registered");
        let words = format!("{name} --yes --key {name}");
        assert_eq!(
            code(&call(&instance, &words, &json!({}))),
            "outcome_unknown"
        );
        let unknown = instance.run("approvals list --unknown --json").json();
        let calls = unknown.as_array().unwrap();
        assert_eq!((calls.len(), &calls[0]["tool"]), (1, &json!(name)));
        let id = calls[0]["id"].as_str().unwrap().to_owned();
        let listed = instance.run("approvals list --unknown").stdout;
        assert!(listed.contains(&id) && listed.contains(name), "{listed}");
        id
    };
    let settle = |id: &str, found: &str| {
        let settled = instance.run(&format!("approvals settle {id} {found}"));
        (settled.code, settled.stdout)
    };

    let id = lost("post.first", false);
    let again = instance.run(&format!("approvals settle {id} send-again --json"));
    assert_eq!(again.failure().1, "conflict", "it would be sent twice");
    let done = format!("post.first was done ({id}).\n");
    assert_eq!(settle(&id, "happened"), (Some(0), done));
    assert_eq!(
        call(&instance, "post.first --yes --key post.first", &json!({})).json()["ok"],
        true,
        "whoever asks again has the answer"
    );
    let again = instance.run(&format!("approvals settle {id} happened --json"));
    assert_eq!(again.failure().1, "conflict", "it is settled");

    let id = lost("post.second", false);
    let not_done =
        format!("post.second was not done ({id}): A person found that it was not done.\n");
    assert_eq!(settle(&id, "did-not-happen"), (Some(0), not_done));

    let id = lost("post.third", true);
    let done = format!("post.third was done ({id}).\n");
    assert_eq!(settle(&id, "send-again"), (Some(0), done));
    let keys: Vec<String> = vendor.requests()[2..]
        .iter()
        .map(|request| request.header("idempotency-key").unwrap().to_owned())
        .collect();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]), "the vendor can tell");
    assert_eq!(
        instance.run("approvals list --unknown").stdout,
        "No calls with an unknown outcome.\n"
    );
}
