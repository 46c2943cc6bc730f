//! The assistant in the real product: killed at every kind of event, and spoken to from a terminal.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};

use crate::http::{Call, connect};
use crate::product::{Instance, Server, until};

const KEY: &str = "sk-planted-fedcba9876543210";

fn calls(id: &str, name: &str, arguments: &Value) -> Value {
    json!({ "reply": { "blocks": [{ "toolCall": { "id": id, "name": name, "arguments": arguments } }] } })
}

fn says(text: &str) -> Value {
    json!({ "reply": { "blocks": [{ "text": text }] } })
}

/// An instance whose assistant is a simulator, and everything to speak to it.
struct Stage {
    instance: Instance,
    server: Server,
    token: String,
    simulator: ModelSimulator,
    conversation: String,
}

impl Stage {
    fn new(instance: Instance, scenario: impl Fn(&str) -> Value) -> Self {
        let instance = instance.with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32");
        instance.set_up();
        let token = instance.token("all");
        let server = instance.serve("");
        let post = |path: &str, body: &Value| Call::post(path, body).token(&token).send(&server);
        let add = json!({ "tool": "addPage", "scope": "site", "arguments": { "title": "Old" } });
        let page = post("/tools/call", &add).json()["data"]["pageId"].clone();
        let scenario = scenario(page.as_str().unwrap());
        let scenario = Scenario::from_json(&scenario.to_string());
        let simulator = ModelSimulator::start(Dialect::Anthropic, scenario);
        let credential = json!({
            "providerId": "anthropic", "label": "Main", "apiKey": KEY, "baseUrl": simulator.base_url(),
        });
        post("/admin/api/ai/credentials", &credential).json();
        let begin = json!({ "scope": "site" });
        let begun = post("/admin/api/ai/conversations", &begin).json();
        let conversation = begun["id"].as_str().unwrap().to_owned();
        Self {
            instance,
            server,
            token,
            simulator,
            conversation,
        }
    }

    fn get(&self, path: &str) -> Value {
        Call::get(path).token(&self.token).send(&self.server).json()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let call = Call::post(path, body).token(&self.token);
        call.send(&self.server).json()
    }

    /// Says something, reads the lines until one of a type has come, and gives them all.
    fn say_until(&self, kind: &str) -> String {
        let body = json!({ "conversationId": self.conversation, "prompt": "tidy up" });
        self.chat_until(&body, kind)
    }

    fn chat_until(&self, body: &Value, kind: &str) -> String {
        self.chat(body, kind).1
    }

    /// The same, with the connection on which the rest will come.
    fn chat(&self, body: &Value, kind: &str) -> (TcpStream, String) {
        let call = Call::post("/admin/api/ai/chat/site", body).token(&self.token);
        let mut stream = connect(&self.server.address).unwrap();
        stream
            .write_all(&call.to_bytes(&self.server.address))
            .unwrap();
        let mark = format!("\"type\":\"{kind}\"");
        let (mut seen, mut buffer) = (String::new(), [0; 4096]);
        while !seen.contains(&mark) {
            let read = stream.read(&mut buffer).unwrap();
            assert_ne!(read, 0, "no {kind} in {seen}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        (stream, seen)
    }

    fn last_turn(&self) -> (String, String) {
        let path = format!("/admin/api/ai/conversations/{}", self.conversation);
        let read = self.get(&path);
        let text = |field: &str| read["lastTurn"][field].as_str().unwrap().to_owned();
        (text("id"), text("state"))
    }

    /// Waits until no turn is under way any more, saying yes to what asks.
    fn settle(&self) -> String {
        until("the turn is over", || {
            for card in self.get("/admin/api/approvals")["approvals"].as_array()? {
                let words = format!("approvals approve {}", card["id"].as_str()?);
                self.instance.run(&words);
            }
            let (_, state) = self.last_turn();
            (!matches!(state.as_str(), "running" | "waiting")).then_some(state)
        })
    }
}

/// A turn with every kind of event.
///
/// The model answers by the history that it is sent: a process that dies while an answer is on its way asks again, and must get
/// that answer and not the one behind it.
fn every_event(page: &str) -> Value {
    json!({ "order": "history", "rounds": [
        { "reply": { "blocks": [{ "text": "I look at it first." }, { "toolCall": { "id": "c1", "name": "list_documents", "arguments": {} } }] } },
        calls("c2", "addPage", &json!({ "title": "Kept" })),
        calls("c3", "deletePage", &json!({ "pageId": page })),
        says("All done."),
    ] })
}

#[test]
fn kill_at_any_event_of_a_turn_leaves_a_conversation_on_sqlite() {
    kill_at_any_event(|| Some(Instance::new()));
}

#[test]
fn kill_at_any_event_of_a_turn_leaves_a_conversation_on_postgres() {
    // The lease of a dead node must run out first, which takes a minute: once is enough here.
    kill_at(Instance::on_postgres(), "approvalRequest");
}

fn kill_at_any_event(make: impl Fn() -> Option<Instance>) {
    for kind in [
        "bridgeReady",
        "budget",
        "text",
        "toolCall",
        "toolResult",
        "context",
        "change",
        "approvalRequest",
    ] {
        kill_at(make(), kind);
    }
}

fn kill_at(instance: Option<Instance>, kind: &str) {
    let Some(instance) = instance else { return };
    let is_postgres = instance.is_postgres();
    let mut stage = Stage::new(instance, every_event);
    let seen = stage.say_until(kind);
    stage.server.kill();
    stage.server = stage.instance.serve("");
    if is_postgres {
        let (_, state) = stage.last_turn();
        assert_eq!(state, "waiting", "another node would still be believed");
        return;
    }
    let left = until("the turn is taken over", || {
        let (_, state) = stage.last_turn();
        (state != "running").then_some(state)
    });
    let expected = if kind == "approvalRequest" {
        "waiting"
    } else {
        "interrupted"
    };
    // The process may have been further than what was read of its stream.
    assert!(
        [expected, "waiting"].contains(&left.as_str()),
        "{kind}: {left}"
    );
    let path = format!("/admin/api/ai/conversations/{}", stage.conversation);
    let messages = stage.get(&path)["messages"].to_string();
    assert!(messages.contains("tidy up"), "{kind}: {messages}");
    if seen.contains("\"type\":\"change\"") {
        let list = json!({ "tool": "list_documents", "scope": "site" });
        let documents = stage.post("/tools/call", &list).to_string();
        assert!(documents.contains("Kept"), "{kind}: what was told is there");
    }
    if left == "interrupted" {
        // It can go on where it was, and nothing is done twice.
        let (turn, _) = stage.last_turn();
        let body = json!({ "conversationId": stage.conversation, "turnId": turn });
        stage.chat_until(&body, "state");
    }
    assert_eq!(stage.settle(), "done", "{kind}");
    let list = json!({ "tool": "list_documents", "scope": "site" });
    let documents = stage.post("/tools/call", &list).to_string();
    assert_eq!(
        documents.matches("\"Kept\"").count(),
        1,
        "{kind}: {documents}"
    );
    assert!(!documents.contains("\"Old\""), "{kind}: {documents}");
    assert!(!stage.server.log().contains(KEY));
}

/// A turn that runs is interrupted, one that waits for a person goes on waiting; whoever watches hears which, and then the end.
#[test]
fn a_stop_of_the_server_is_the_last_event_of_a_turn() {
    let stalls = |_: &str| json!({ "rounds": [{ "reply": { "blocks": [{ "text": "I begin." }], "faults": { "stallAfter": 4 } } }] });
    let asks =
        |page: &str| json!({ "rounds": [calls("c1", "deletePage", &json!({ "pageId": page }))] });
    check_stop(Stage::new(Instance::new(), stalls), "text", "interrupted");
    check_stop(
        Stage::new(Instance::new(), asks),
        "approvalRequest",
        "waiting",
    );
}

fn check_stop(mut stage: Stage, kind: &str, outcome: &str) {
    let body = json!({ "conversationId": stage.conversation, "prompt": "tidy up" });
    let (mut stream, _) = stage.chat(&body, kind);
    stage.server.signal("TERM");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    let mut events = rest.lines().filter(|line| line.starts_with('{'));
    let last: Value = serde_json::from_str(events.next_back().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["outcome"]),
        (&json!("done"), &json!(outcome)),
        "{rest}"
    );
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "it is cut off: {rest:?}");
    assert_eq!(stage.server.wait(), Some(0));
    stage.server = stage.instance.serve("");
    assert_eq!(stage.last_turn().1, outcome);
    stage.simulator.forgive();
}

#[test]
fn a_terminal_shows_words_calls_and_what_asks() {
    let stage = Stage::new(Instance::new(), |page| {
        json!({ "rounds": [
            calls("c1", "addPage", &json!({ "title": "Team" })),
            calls("c2", "deletePage", &json!({ "pageId": page })),
            says("Team is there and Old is gone."),
            calls(
                "c3",
                "write_code_asset",
                &json!({ "path": "a.js", "type": "script", "content": "1" })
            ),
        ] })
    });
    let chat = |words: &[&str]| {
        let mut command = stage.instance.command("chat");
        command.args(words);
        crate::product::run(command, "")
    };
    let done = chat(&["--yes", "tidy up"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stdout, "Team is there and Old is gone.\n");
    assert!(
        done.stderr.contains("· addPage\n· deletePage\n"),
        "{done:?}"
    );
    assert!(done.stderr.contains("tokens,"), "{done:?}");
    let asks = chat(&["--json", "once more"]);
    assert_eq!(asks.code, Some(1));
    let last: Value = serde_json::from_str(asks.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["code"], "approval_required", "{asks:?}");
    assert!(asks.stdout.contains("\"type\":\"approvalRequest\""));
    let wrong = chat(&["--model", "m", "--credential", "nobody", "x"]);
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong.stderr.contains("There is no such credential."),
        "{wrong:?}"
    );
}
