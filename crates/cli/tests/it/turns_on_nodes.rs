//! A turn of the assistant that runs on one node, followed and stopped from the other.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};

use crate::http::{Call, connect};
use crate::nodes::two_nodes;
use crate::product::{Instance, PATIENCE, Server, until};

/// Two nodes, and a conversation whose model is a simulator.
struct Stage {
    second: Instance,
    one: Server,
    two: Server,
    token: String,
    simulator: ModelSimulator,
    conversation: Value,
    _first: Instance,
}

impl Stage {
    fn new(scenario: impl Fn(&Value) -> Value) -> Option<Self> {
        let (first, second) = two_nodes()?;
        let [first, second] =
            [first, second].map(|node| node.with("SITEWRIGHT_EGRESS_ALLOW", "127.0.0.1/32"));
        first.set_up();
        let (one, two) = (first.serve(""), second.serve(""));
        let token = first.token("all");
        let post =
            |path: &str, body: &Value| Call::post(path, body).token(&token).send(&one).json();
        let add = json!({ "tool": "addPage", "scope": "site", "arguments": { "title": "Old" } });
        let page = post("/tools/call", &add)["data"]["pageId"].clone();
        let scenario = Scenario::from_json(&scenario(&page).to_string());
        let simulator = ModelSimulator::start(Dialect::Anthropic, scenario);
        let credential = json!({
            "providerId": "anthropic", "label": "Main", "apiKey": "sk-1", "baseUrl": simulator.base_url(),
        });
        post("/admin/api/ai/credentials", &credential);
        let conversation =
            post("/admin/api/ai/conversations", &json!({ "scope": "site" }))["id"].clone();
        Some(Self {
            second,
            one,
            two,
            token,
            simulator,
            conversation,
            _first: first,
        })
    }

    /// Says something on the first node.
    fn say(&self) -> Events {
        let body = json!({ "conversationId": self.conversation, "prompt": "tidy up" });
        let call = Call::post("/admin/api/ai/chat/site", &body);
        Events::of(&call.token(&self.token), &self.one)
    }

    /// Follows a turn on the second node.
    fn follow(&self, turn: &str) -> Events {
        let call = Call::get(&format!("/admin/api/ai/turns/{turn}/events"));
        Events::of(&call.token(&self.token), &self.two)
    }

    fn state_of(&self, turn: &str, server: &Server) -> Value {
        let call = Call::get(&format!("/admin/api/ai/turns/{turn}"));
        call.token(&self.token).send(server).json()["state"].clone()
    }
}

/// The lines of a turn, as they come.
struct Events {
    stream: TcpStream,
    received: String,
    read: usize,
}

impl Events {
    fn of(call: &Call, server: &Server) -> Self {
        let mut stream = connect(&server.address).unwrap();
        stream.write_all(&call.to_bytes(&server.address)).unwrap();
        Self {
            stream,
            received: String::new(),
            read: 0,
        }
    }

    /// The next event; nothing at the end.
    fn next(&mut self) -> Option<Value> {
        loop {
            while let Some((line, _)) = self.received[self.read..].split_once('\n') {
                self.read += line.len() + 1;
                if line.starts_with('{') {
                    return Some(serde_json::from_str(line).unwrap());
                }
            }
            let mut buffer = [0; 16 * 1024];
            match self.stream.read(&mut buffer).unwrap() {
                0 => return None,
                count => self
                    .received
                    .push_str(&String::from_utf8_lossy(&buffer[..count])),
            }
        }
    }

    /// The first event from here on that is wanted.
    fn find(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        while let Some(event) = self.next() {
            if is_wanted(&event) {
                return event;
            }
        }
        panic!("there is no {what} in {}", self.received);
    }

    fn find_type(&mut self, kind: &str) -> Value {
        self.find(kind, |event| event["type"] == kind)
    }
}

#[test]
fn a_turn_is_followed_from_the_other_node_to_its_end() {
    let stage = Stage::new(|page| {
        json!({ "rounds": [
            { "reply": { "blocks": [{ "toolCall": { "id": "c1", "name": "deletePage", "arguments": { "pageId": page } } }] } },
            { "reply": { "blocks": [{ "text": "Old is gone." }] } },
        ] })
    });
    let Some(stage) = stage else { return };
    let mut said = stage.say();
    let turn = said.find_type("bridgeReady")["turnId"].clone();
    let turn = turn.as_str().unwrap();
    let asked = said.find_type("approvalRequest");
    let mut followed = stage.follow(turn);
    // It waits for a person, so whatever is seen from here on is seen while it goes on.
    let first = followed.find_type("state");
    assert_eq!(first["status"], "waiting", "{first}");
    assert!(!first.to_string().contains("Old is gone."), "{first}");
    let approve = format!(
        "approvals approve {}",
        asked["approvalId"].as_str().unwrap()
    );
    assert_eq!(stage.second.run(&approve).code, Some(0));
    let told = followed.find("last words", |event| {
        event["type"] == "state" && event.to_string().contains("Old is gone.")
    });
    assert!(told["seq"].as_u64() > first["seq"].as_u64(), "{told}");
    let done = followed.find_type("done");
    assert_eq!(done["outcome"], "done", "{done}");
    assert_eq!(followed.next(), None);
    assert_eq!(said.find_type("done")["outcome"], "done");
    for server in [&stage.one, &stage.two] {
        assert_eq!(stage.state_of(turn, server), "done");
    }
}

#[test]
fn a_turn_is_stopped_from_the_other_node() {
    let stage = Stage::new(
        |_| json!({ "rounds": [{ "reply": { "blocks": [{ "text": "I begin." }], "faults": { "stallAfter": 4 } } }] }),
    );
    let Some(stage) = stage else { return };
    let mut said = stage.say();
    let turn = said.find_type("bridgeReady")["turnId"].clone();
    let turn = turn.as_str().unwrap();
    said.find_type("text");
    let mut followed = stage.follow(turn);
    assert_eq!(followed.find_type("state")["status"], "running");
    let abort =
        Call::post(&format!("/admin/api/ai/turns/{turn}/abort"), &json!({})).token(&stage.token);
    assert_eq!(abort.send(&stage.two).json(), json!({ "stopped": true }));
    for events in [&mut said, &mut followed] {
        assert_eq!(events.find_type("done")["outcome"], "stopped");
        assert_eq!(events.next(), None);
    }
    assert!(stage.simulator.saw_hang_up(PATIENCE), "the model talks on");
    for server in [&stage.one, &stage.two] {
        assert_eq!(stage.state_of(turn, server), "stopped");
    }
    assert_eq!(abort.send(&stage.two).json(), json!({ "stopped": false }));
    // The next message is a turn of its own.
    until("the conversation takes another message", || {
        let path = format!(
            "/admin/api/ai/conversations/{}",
            stage.conversation.as_str()?
        );
        let read = Call::get(&path).token(&stage.token).send(&stage.two).json();
        (read["lastTurn"]["state"] == "stopped").then_some(())
    });
    stage.simulator.forgive();
}
