//! Breadcrumbs over HTTP: records, their stream, and the six patterns of calling tools by records.

mod patterns;
mod records;
mod requests;

use axum::body::Body;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use sitewright_server::Peer;
use tower::ServiceExt as _;

use crate::instance::{Answer, Browser, Instance, request};

/// A client of the stream.
pub(crate) struct Follower {
    body: Body,
    read: String,
}

impl Follower {
    pub(crate) async fn new(instance: &Instance, who: &Browser, query: &str) -> Self {
        let path = format!("/breadcrumbs/stream?{query}");
        let mut request = who.dress(request("GET", &path, None));
        let visitor = Peer::Network(([192, 0, 2, 7], 40_000).into());
        request.extensions_mut().insert(visitor);
        let response = instance.router.clone().oneshot(request).await;
        let response = response.expect("an answer");
        assert_eq!(response.status().as_u16(), 200);
        Self {
            body: response.into_body(),
            read: String::new(),
        }
    }

    /// The next event. Its `id` is its sequence number.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let field = |name: &str| {
                    let mut lines = event.lines();
                    lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
                };
                let (id, data) = (field("id: "), field("data: "));
                self.read = rest.to_owned();
                let Some(data) = data else {
                    continue;
                };
                let data: Value = serde_json::from_str(&data).expect("JSON");
                assert_eq!(id, Some(data["seq"].to_string()));
                return data;
            }
            let frame = self.body.frame().await.expect("the stream goes on");
            let data = frame.expect("a frame").into_data().expect("data");
            self.read.push_str(&String::from_utf8_lossy(&data));
        }
    }

    /// The records of the next events.
    pub(crate) async fn records(&mut self, count: usize) -> Vec<Value> {
        let mut records = Vec::with_capacity(count);
        while records.len() < count {
            records.push(self.next().await["breadcrumb"].clone());
        }
        records
    }
}

pub(crate) async fn post(instance: &Instance, who: &Browser, body: Value) -> Value {
    let answer = who.call(instance, "POST", "/breadcrumbs", body).await;
    assert_eq!(answer.said(), "201", "{answer:?}");
    answer.body
}

/// A record that requests tools.
pub(crate) fn asking(session: &str, requests: Value) -> Value {
    json!({
        "schema_name": "agent.response.v1", "title": "Response", "tags": ["agent:response", format!("session:{session}")],
        "context": { "message": "m", "tool_requests": requests },
    })
}

/// A request.
pub(crate) fn ask(tool: &str, input: Value, id: &str) -> Value {
    json!({ "tool": tool, "input": input, "requestId": id, "return_to_llm": false })
}

/// Creates a record and returns the contexts of its answers, by `request_id`.
pub(crate) async fn answered(
    instance: &Instance,
    who: &Browser,
    session: &str,
    requests: Value,
) -> Vec<Value> {
    let count = requests.as_array().expect("a list").len();
    let made = post(instance, who, asking(session, requests)).await;
    let id = made["id"].as_str().expect("an id");
    let query = format!("after=0&schema_name=tool.response.v1&tag=record:{id}");
    let mut follower = Follower::new(instance, who, &query).await;
    let mut contexts: Vec<Value> = follower
        .records(count)
        .await
        .into_iter()
        .map(|record| record["context"].clone())
        .collect();
    contexts.sort_by_key(|context| context["request_id"].to_string());
    contexts
}

pub(crate) async fn get(instance: &Instance, who: &Browser, path: &str) -> Answer {
    who.get(instance, path).await
}
