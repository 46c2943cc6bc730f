//! Access to model providers from the command line, on the folder and through the server that has it.

use std::path::Path;

use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::product::Instance;

const KEY: &str = "canaryKey7f3e9a";

fn reachable() -> Instance {
    Instance::ready()
        .with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32")
        .with("SITEWRIGHT_LOG", "trace")
}

fn add(instance: &Instance, provider: &str, base_url: &str) -> Value {
    let words = format!(
        "credential add --provider {provider} --label Main --base-url {base_url} --api-key-stdin --json"
    );
    instance.run_with_input(&words, &format!("{KEY}\n")).json()
}

/// Whether a text stands in any file of a folder.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => holds(&path, text),
            false => std::fs::read(&path)
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text)),
        }
    })
}

#[test]
fn a_credential_is_added_listed_tested_and_removed_on_the_folder_and_on_the_server() {
    let instance = reachable();
    let simulator = ModelSimulator::start(Dialect::Anthropic, Scenario::default());
    for served in [false, true] {
        let server = served.then(|| instance.serve(""));
        let added = add(&instance, "anthropic", &simulator.base_url());
        let id = added["id"].as_str().unwrap();
        let listed = instance.run("credential list --json").json();
        assert_eq!(listed, json!([added]));
        let tested = instance.run(&format!("credential test {id} --json")).json();
        assert_eq!(
            tested,
            json!({ "ok": true, "message": "Anthropic answers and offers 2 models.", "modelCount": 2 })
        );
        let refused = instance.run(&format!("credential remove {id} --json"));
        assert_eq!(refused.failure().1, "conflict");
        let table = instance.run("credential list").stdout;
        assert!(
            table.ends_with("anthropic  site, content, data, plugin, breadcrumbs\n"),
            "{table}"
        );
        let token = instance.token("ai.providers.manage");
        drop(server);
        // The defaults are cleared over HTTP, as the shell does it.
        let server = instance.serve("");
        for scope in ["site", "content", "data", "plugin", "breadcrumbs"] {
            let path = format!("/admin/api/ai/defaults/{scope}");
            let cleared = crate::http::Call::delete(&path).token(&token).send(&server);
            assert_eq!(cleared.status, 204);
        }
        instance
            .run(&format!("credential remove {id} --json"))
            .json();
        assert_eq!(instance.run("credential list --json").json(), json!([]));
    }
}

#[test]
fn a_key_that_is_refused_is_told_in_words_and_stands_nowhere() {
    let instance = reachable();
    let quoting = Vendor::answering(|received| {
        let key = received.header("authorization").unwrap_or_default();
        let body = json!({ "error": { "code": "invalid_api_key", "message": format!("Incorrect key {key}.") } });
        Answer::Reply(Reply::new(401, body.to_string()))
    });
    let server = instance.serve("");
    let added = add(&instance, "openai", &quoting.url("/v1"));
    assert_eq!(added["defaultFor"], json!([]));
    let id = added["id"].as_str().unwrap();
    let tested = instance.run(&format!("credential test {id}"));
    assert_eq!(
        (tested.code, tested.stderr.as_str()),
        (
            Some(1),
            "sitewright: The provider does not accept the key: check the credential in AI settings. \
             (Incorrect key Bearer [redacted])\n"
        )
    );
    instance
        .run(&format!("credential remove {id} --json"))
        .json();
    assert!(quoting.requests().len() >= 2, "the key did travel");
    let log = server.log();
    assert!(
        log.contains("/admin/api/ai/credentials"),
        "the log was kept"
    );
    drop(server);
    assert!(!holds(instance.folder(), KEY));
}

#[test]
fn a_credential_without_its_key_or_for_nobody_is_refused() {
    let instance = Instance::ready();
    let refused = instance.run("credential add --provider anthropic --label x --json");
    assert_eq!(
        refused.failure(),
        (
            Some(1),
            "invalid_input".to_owned(),
            "Anthropic needs a key: send it as `apiKey`.".to_owned()
        )
    );
    let refused = instance.run("credential add --provider offline --label x --json");
    assert_eq!(
        refused.failure().2,
        "`offline` is the built-in commands, which need no credential."
    );
}
