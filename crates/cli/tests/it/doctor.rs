//! What was acknowledged can be read by the next process, and what is damaged is named, with a way out.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::product::{Instance, Outcome, run};

fn call(instance: &Instance, tool: &str, arguments: &Value) -> Outcome {
    let mut command = instance.command(&format!("tool call {tool} --scope site --json --yes"));
    command.args(["--args", &arguments.to_string()]);
    run(command, "")
}

fn data(outcome: &Outcome) -> Value {
    let envelope = outcome.json();
    assert_eq!(envelope["ok"], true, "{envelope}");
    envelope["data"].clone()
}

/// Every command is a process of its own, so each one opens what the ones before it left.
#[test]
fn styling_a_node_of_a_new_page_leaves_a_site_that_opens_again() {
    let instance = Instance::ready();
    let page = data(&call(&instance, "addPage", &json!({ "title": "New" })));
    let words = json!({ "parentId": page["rootNodeId"], "html": "<p>Words</p>" });
    let inserted = data(&call(&instance, "insertHtml", &words));
    let red = json!({ "nodeId": inserted["nodeIds"][0], "patch": { "style.color": "red" } });
    data(&call(&instance, "updateNodeProps", &red));
    let listed = data(&call(&instance, "list_documents", &json!({})));
    assert!(listed.to_string().contains("\"New\""), "{listed}");
    let read = json!({ "document": { "type": "page", "id": page["pageId"] } });
    let seen = data(&call(&instance, "read_document", &read)).to_string();
    assert!(seen.contains("Words"), "{seen}");
}

#[test]
fn a_request_to_the_assistant_leaves_an_example_site_that_opens_again() {
    let instance = Instance::ready();
    let mut chat = instance.command("chat");
    chat.arg("make the text in the footer smaller");
    let answered = run(chat, "");
    assert_eq!(answered.code, Some(0), "{answered:?}");
    data(&call(&instance, "list_documents", &json!({})));
    assert_eq!(instance.run("doctor").code, Some(0));
}

#[test]
fn a_sound_instance_is_told_to_be_sound() {
    let instance = Instance::ready();
    let found = instance.run("doctor --all-files");
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.starts_with("No problems found"), "{found:?}");
    let recovered = instance.run("doctor --recover");
    assert!(
        recovered.stdout.contains("Nothing was changed"),
        "{recovered:?}"
    );
}

/// Writes other bytes of the same length into the closed database, as a failing disk would.
fn damage(instance: &Instance, good: &str, bad: &str) {
    assert_eq!(good.len(), bad.len());
    let file = instance.data().join("sitewright.db");
    let mut bytes = fs::read(&file).unwrap();
    let places: Vec<usize> = bytes
        .windows(good.len())
        .enumerate()
        .filter(|(_, window)| *window == good.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "{good} is not in the database");
    for at in places {
        bytes[at..at + bad.len()].copy_from_slice(bad.as_bytes());
    }
    fs::write(&file, bytes).unwrap();
}

#[test]
fn a_damaged_log_leaves_a_site_that_can_be_read_exported_and_recovered() {
    let instance = Instance::ready();
    let page = data(&call(
        &instance,
        "addPage",
        &json!({ "title": "Zebra one" }),
    ));
    let rename = |title: &str| {
        let input = json!({ "pageId": page["pageId"], "title": title });
        data(&call(&instance, "renamePage", &input));
    };
    rename("Zebra two");
    rename("Zebra three");
    damage(
        &instance,
        "\"field\":\"title\",\"value\":\"Zebra three\"",
        "\"field\":\"titlX\",\"value\":\"Zebra three\"",
    );

    let server = instance.serve("");
    let listed = data(&call(&instance, "list_documents", &json!({}))).to_string();
    assert!(
        listed.contains("Zebra two"),
        "as of the last entry that reads: {listed}"
    );
    let refused = call(&instance, "addPage", &json!({ "title": "Later" }));
    assert_eq!(refused.code, Some(1));
    let envelope: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(envelope["error"]["code"], "forbidden", "{envelope}");
    let sentence = envelope["error"]["message"].as_str().unwrap_or_default();
    assert!(
        sentence.contains("read-only") && sentence.contains("sitewright doctor"),
        "{sentence}"
    );
    let unpublished = instance.run("publish --json");
    assert_eq!(
        unpublished.failure().1,
        "forbidden",
        "visitors keep what they see"
    );
    let found = instance.run("doctor");
    assert_eq!(found.code, Some(1));
    assert!(
        found.stderr.contains("The site is read-only: entry "),
        "{found:?}"
    );
    drop(server);

    let export = instance.folder().join("site.ndjson");
    let saved = instance.run(&format!("doctor --export {}", export.display()));
    assert_eq!(saved.code, Some(0), "{saved:?}");
    let lines = fs::read_to_string(&export).unwrap();
    let values: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(values[0]["damage"][0]["entry"].is_u64(), "{}", values[0]);
    assert!(
        lines.contains("Zebra three"),
        "what cannot be read is saved, too"
    );

    let recovered = instance.run("doctor --recover");
    assert_eq!(recovered.code, Some(0), "{recovered:?}");
    data(&call(&instance, "addPage", &json!({ "title": "Later" })));
    let listed = data(&call(&instance, "list_documents", &json!({}))).to_string();
    assert!(
        listed.contains("Zebra two") && listed.contains("Later"),
        "{listed}"
    );
    // The site is whole again. That its history was altered stays true, and is still told.
    let found: Value = serde_json::from_str(&instance.run("doctor --json").stdout).unwrap();
    assert_eq!(found["damage"], json!([]), "{found}");
    let altered = found["audit"].as_str().unwrap_or_default();
    assert!(altered.contains("was altered"), "{found}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path),
        }
    }
    found
}

#[test]
fn missing_files_of_the_release_are_named_and_written_again() {
    let instance = Instance::ready();
    assert_eq!(instance.run("publish").code, Some(0));
    let blobs = files_below(&instance.data().join("blobs"));
    assert!(!blobs.is_empty());
    for blob in &blobs {
        fs::remove_file(blob).unwrap();
    }
    let found = instance.run("doctor");
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.stderr.contains("missing"), "{found:?}");
    let repaired = instance.run("doctor --repair");
    assert_eq!(repaired.code, Some(0), "{repaired:?}");
    assert_eq!(instance.run("doctor").code, Some(0));
}
