//! The assistant through the public API: whole turns with every provider's simulator, in a tab and without one.

mod bridge;
mod commands;
mod content;
mod content_commands;
mod content_injections;
mod ends;
mod identity;
mod injections;
mod people;
mod plans;
mod providers;
mod requests;

use axum::body::Body;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use tower::ServiceExt as _;

use crate::ai::with_loopback;
use crate::instance::{Browser, Instance, request};

/// A key that must never be seen anywhere.
pub(crate) const PLANTED: &str = "sk-planted-0123456789abcdef";

pub(crate) fn model(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic => "claude-opus-5-5",
        Dialect::OpenAi => "gpt-6-sol",
        Dialect::OpenRouter => "anthropic/claude-opus-5.5",
        Dialect::Ollama => "qwen3",
        Dialect::Venice => "kimi-k3",
    }
}

/// An instance with a provider that plays a scenario.
pub(crate) struct Stage {
    pub(crate) instance: Instance,
    pub(crate) ada: Browser,
    pub(crate) simulator: ModelSimulator,
    pub(crate) dialect: Dialect,
    pub(crate) credential: String,
}

impl Stage {
    pub(crate) async fn new(dialect: Dialect, rounds: Value) -> Self {
        let (instance, ada) = with_loopback().await;
        Self::on(instance, ada, dialect, rounds).await
    }

    pub(crate) async fn on(
        instance: Instance,
        ada: Browser,
        dialect: Dialect,
        rounds: Value,
    ) -> Self {
        let scenario = Scenario::from_json(&json!({ "rounds": rounds }).to_string());
        let simulator = ModelSimulator::start(dialect, scenario);
        let body = json!({
            "providerId": dialect.id(), "label": "Main", "apiKey": PLANTED, "baseUrl": simulator.base_url(),
        });
        let added = ada
            .call(&instance, "POST", "/admin/api/ai/credentials", body)
            .await;
        assert_eq!(added.said(), "200");
        let credential = added.body["id"].as_str().expect("an id").to_owned();
        Self {
            instance,
            ada,
            simulator,
            dialect,
            credential,
        }
    }

    pub(crate) async fn conversation(&self) -> String {
        let body = json!({
            "scope": "site", "credentialId": self.credential, "modelId": model(self.dialect),
        });
        let begun = self.post("/admin/api/ai/conversations", body).await;
        begun["id"].as_str().expect("a conversation").to_owned()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.ada.call(&self.instance, "POST", path, body).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        answer.body
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.ada.get(&self.instance, path).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        answer.body
    }

    /// Says something and reads the whole turn.
    pub(crate) async fn say(&self, conversation: &str, prompt: &str) -> Vec<Value> {
        let mut turn = self
            .open(json!({ "conversationId": conversation, "prompt": prompt }))
            .await;
        turn.rest().await
    }

    /// Says something and follows the turn.
    pub(crate) async fn open(&self, body: Value) -> Stream {
        let request = request("POST", "/admin/api/ai/chat/site", Some(body));
        Stream::of(&self.instance, self.ada.dress(request)).await
    }

    /// Follows a turn.
    pub(crate) async fn follow(&self, turn: &str) -> Stream {
        let path = format!("/admin/api/ai/turns/{turn}/events");
        Stream::of(&self.instance, self.ada.dress(request("GET", &path, None))).await
    }

    /// Calls a tool as Ada.
    pub(crate) async fn tool(&self, tool: &str, arguments: Value) -> Value {
        let body = json!({ "tool": tool, "scope": "site", "arguments": arguments });
        let answer = self.post("/tools/call", body).await;
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        answer["data"].clone()
    }

    /// The root of the home page.
    pub(crate) async fn root(&self) -> String {
        self.tool("read_document", json!({})).await;
        let documents = self.tool("list_documents", json!({})).await;
        let root = &documents["documents"][0]["rootNodeId"];
        root.as_str().expect("a root").to_owned()
    }

    /// The home page as HTML, without the ids of nodes.
    pub(crate) async fn page(&self) -> String {
        let read = self.tool("read_document", json!({})).await;
        let html = read["html"].as_str().expect("HTML");
        let mut out = String::new();
        let mut rest = html;
        while let Some(at) = rest.find(" uid=\"") {
            out.push_str(&rest[..at]);
            let after = &rest[at + 6..];
            rest = &after[after.find('"').expect("an end") + 1..];
        }
        out + rest
    }
}

/// A turn as it streams.
pub(crate) struct Stream {
    body: Body,
    read: String,
}

impl Stream {
    pub(crate) async fn of(instance: &Instance, request: http::Request<Body>) -> Self {
        let mut request = request;
        let visitor = sitewright_server::Peer::Network(([192, 0, 2, 7], 40_000).into());
        request.extensions_mut().insert(visitor);
        let response = instance
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        if !parts.status.is_success() {
            let bytes = body.collect().await.expect("a body").to_bytes();
            panic!("{}: {}", parts.status, String::from_utf8_lossy(&bytes));
        }
        assert_eq!(parts.headers["content-type"], "application/x-ndjson");
        Self {
            body,
            read: String::new(),
        }
    }

    /// The next event.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.read.find('\n') {
                let line: String = self.read.drain(..=end).collect();
                return Some(serde_json::from_str(&line).expect("JSON"));
            }
            let frame = self.body.frame().await?.expect("a frame");
            let data = frame.into_data().expect("data");
            self.read
                .push_str(std::str::from_utf8(&data).expect("UTF-8"));
        }
    }

    /// Reads until an event of a type.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        let mut seen = Vec::new();
        while let Some(event) = self.next().await {
            if event["type"] == kind {
                return event;
            }
            seen.push(event);
        }
        panic!("no {kind} in {seen:#?}")
    }

    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

pub(crate) fn of_type<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

pub(crate) fn text(events: &[Value]) -> String {
    let texts = of_type(events, "text");
    texts
        .iter()
        .filter_map(|event| event["text"].as_str())
        .collect()
}

/// What tools answered to a model, in the order of the calls.
pub(crate) fn answers(stage: &Stage) -> Vec<Value> {
    let last = stage.simulator.requests().pop().expect("a request");
    let messages = last["messages"].as_array().expect("messages").iter();
    let blocks = messages.filter_map(|message| message["content"].as_array());
    let results = blocks
        .flatten()
        .filter(|block| block["type"] == "tool_result");
    let text = |result: &Value| {
        let content = &result["content"];
        let text = content.as_str().or_else(|| content[0]["text"].as_str());
        text.unwrap_or_else(|| panic!("{result}")).to_owned()
    };
    let answers = results.map(|result| serde_json::from_str::<Value>(&text(result)).expect("JSON"));
    answers.map(|answer| answer["data"].clone()).collect()
}

/// A round of a model that calls one tool.
pub(crate) fn calls(id: &str, name: &str, arguments: Value) -> Value {
    json!({ "reply": { "blocks": [{ "toolCall": { "id": id, "name": name, "arguments": arguments } }] } })
}

/// A round of a model that only speaks.
pub(crate) fn says(text: &str) -> Value {
    json!({ "reply": { "blocks": [{ "text": text }] } })
}

/// The rounds of a model that builds a landing page.
pub(crate) fn landing_page(root: &str) -> Value {
    let section =
        |id: &str, html: &str| calls(id, "insertHtml", json!({ "parentId": root, "html": html }));
    json!([
        calls("c1", "read_document", json!({})),
        calls(
            "c2",
            "set_color_tokens",
            json!({ "tokens": [{ "slug": "primary", "lightValue": "#0a66ff" }] })
        ),
        section(
            "c3",
            "<section class=\"hero\"><h1>Engines that think</h1><a href=\"/contact\">Start</a></section><style>.hero { color: var(--primary) }</style>"
        ),
        section(
            "c4",
            "<section class=\"pricing\"><h2>Prices</h2><p>On request</p></section>"
        ),
        section("c5", "<footer class=\"footer\"><p>Engines</p></footer>"),
        calls(
            "c6",
            "finalAnswer",
            json!({ "text": "The page has a hero, prices and a footer now." })
        ),
    ])
}
