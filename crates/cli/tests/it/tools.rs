//! Tools on the command line, as scripts use them.

use std::process::Command;

use serde_json::{Value, json};

use crate::http::Call;
use crate::product::{Instance, Outcome, run};

/// Calls a tool; what goes in has blanks, which `command` would split at.
fn call(instance: &Instance, tool: &str, args: &str, input: &str) -> Outcome {
    let words = format!("tool call {tool} --scope site --json");
    let mut command: Command = instance.command(&words);
    command.args(["--args", args]);
    run(command, input)
}

fn data(outcome: &Outcome) -> Value {
    let envelope = outcome.json();
    assert_eq!(envelope["ok"], true, "{envelope}");
    envelope["data"].clone()
}

#[test]
fn tools_are_listed_and_described() {
    let instance = Instance::ready();
    let tools = instance.run("tool list --scope site --json").json();
    let tools = tools.as_array().unwrap();
    assert!(tools.len() >= 35);
    for tool in tools {
        for field in [
            "name",
            "description",
            "inputSchema",
            "outputSchema",
            "capability",
            "timeoutMs",
            "retryPolicy",
            "idempotent",
        ] {
            assert!(!tool[field].is_null(), "{field} of {tool}");
        }
    }
    let words = instance.run("tool list");
    assert!(words.stdout.contains("insertHtml"), "{words:?}");
    let one = instance.run("tool describe insertHtml --json").json();
    assert_eq!(one["name"], "insertHtml");
    assert_eq!(
        instance.run("tool describe nothing --json").failure().1,
        "unknown_tool"
    );
    assert_eq!(
        instance.run("tool list --scope nowhere --json").code,
        Some(1)
    );
}

/// On the folder itself, then through the server that has it: each sees what the other did.
#[test]
fn tools_change_the_site_on_the_folder_and_through_its_server() {
    let instance = Instance::ready();
    let page = data(&call(&instance, "addPage", r#"{"title": "About us"}"#, ""));
    let insert =
        json!({ "parentId": page["rootNodeId"], "html": "<h1>About</h1><p>Since 1900.</p>" });
    data(&call(&instance, "insertHtml", "-", &insert.to_string()));

    let server = instance.serve("");
    let file = instance.folder().join("args.json");
    let more = json!({ "parentId": page["rootNodeId"], "html": "<p>And still here.</p>" });
    std::fs::write(&file, more.to_string()).unwrap();
    data(&call(
        &instance,
        "insertHtml",
        &format!("@{}", file.display()),
        "",
    ));
    let read = json!({ "document": { "type": "page", "id": page["pageId"] } });
    let seen = data(&call(&instance, "read_document", &read.to_string(), "")).to_string();
    assert!(
        seen.contains("Since 1900.") && seen.contains("And still here."),
        "{seen}"
    );

    let token = instance.token("site.read");
    let log = Call::get("/admin/api/site/changes?after=1")
        .token(&token)
        .send(&server)
        .json();
    let summaries: Vec<&str> = log["changes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|change| change["summary"].as_str())
        .collect();
    assert_eq!(summaries.len(), 3, "{summaries:?}");
}

#[test]
fn a_call_that_fails_says_why_and_exits_with_1() {
    let instance = Instance::ready();
    let refused = call(&instance, "deletePage", r#"{"pageId": "000000000000"}"#, "");
    assert_eq!(refused.code, Some(1));
    let envelope: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(
        (&envelope["ok"], &envelope["error"]["code"]),
        (&json!(false), &json!("not_found"))
    );
    let broken = call(&instance, "addPage", "{title}", "");
    assert_eq!(
        (broken.code, broken.failure().1),
        (Some(1), "invalid_input".to_owned())
    );
    let gone = call(&instance, "addPage", "@/nowhere/args.json", "");
    assert_eq!(gone.failure().1, "invalid_input");
    let words = instance.run("tool call addPage");
    assert_eq!(words.code, Some(1));
    assert!(words.stderr.contains("title"), "{words:?}");
}
