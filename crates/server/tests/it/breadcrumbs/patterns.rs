//! The six patterns, with the records of docs/invocation.md.

use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Vendor};

use super::{Follower, post};
use crate::agent::{PLANTED, Stage, says};
use crate::ai::with_loopback;
use crate::instance::{Browser, Instance};

const DOCUMENT: &str = include_str!("../../../../../docs/invocation.md");

/// A record of the document, with its placeholders filled in.
fn example(name: &str, session: &str) -> Value {
    let marker = format!("```json {name}\n");
    let (_, rest) = DOCUMENT.split_once(&marker).expect("the example");
    let (text, _) = rest.split_once("```").expect("its end");
    serde_json::from_str(&text.replace("SESSION_ID", session)).expect("JSON")
}

async fn responses(instance: &Instance, ada: &Browser, session: &str) -> Follower {
    let query = format!("after=0&schema_name=tool.response.v1&tag=session:{session}");
    Follower::new(instance, ada, &query).await
}

/// What the model said in a session, as records.
async fn said(stage: &Stage, session: &str) -> Follower {
    let query = format!("after=0&schema_name=agent.response.v1&tag=session:{session}");
    Follower::new(&stage.instance, &stage.ada, &query).await
}

#[tokio::test]
async fn pattern_1_a_result_goes_straight_to_the_user() {
    let (instance, ada) = Instance::owned().await;
    let made = post(&instance, &ada, example("pattern-1", "one")).await;
    assert_eq!(made["schema_name"], "agent.response.v1");
    assert_eq!(made["context"]["message"], "Calculating...");
    assert_eq!(made["tags"], json!(["agent:response", "session:one"]));
    let response = responses(&instance, &ada, "one").await.next().await;
    let record = &response["breadcrumb"];
    assert_eq!(
        record["context"],
        json!({ "request_id": "calc-001", "tool": "calculator", "status": "success", "output": { "result": 100 } })
    );
    let tags = record["tags"].as_array().expect("tags");
    for tag in [
        "tool:response",
        "request:calc-001",
        "session:one",
        "to:user",
    ] {
        assert!(tags.contains(&json!(tag)), "{tags:?}");
    }
}

#[tokio::test]
async fn pattern_2_a_model_with_a_configuration_and_a_final_response_made_from_its_answer() {
    let stage = Stage::new(
        Dialect::Anthropic,
        json!([{ "expect": ["The mood is good"], "reply": { "blocks": [{ "text": "It is a happy text." }] } }]),
    )
    .await;
    let (instance, ada) = (&stage.instance, &stage.ada);
    let asked = Scenario::from_json(&json!({ "rounds": [says("The mood is good.")] }).to_string());
    let openrouter = ModelSimulator::start(Dialect::OpenRouter, asked);
    let mut config = example("config", "two");
    config["context"]["config"]["api_key"] = json!(PLANTED);
    config["context"]["config"]["base_url"] = json!(openrouter.base_url());
    let config = post(instance, ada, config).await;
    assert_eq!(
        config["context"]["config"]["api_key"],
        json!({ "sealed": true })
    );
    let mut record = example("pattern-2", "two");
    record["breadcrumb"]["context"]["tool_requests"][0]["config_id"] = config["id"].clone();
    post(instance, ada, record).await;
    let response = responses(instance, ada, "two").await.next().await;
    let context = &response["breadcrumb"]["context"];
    assert_eq!(context["status"], "success", "{context}");
    assert_eq!(context["output"]["content"], "The mood is good.");
    assert_eq!(context["output"]["model"], "anthropic/claude-opus-5.5");
    assert!(context["output"]["usage"]["total_tokens"].as_u64() > Some(0));
    assert!(context["output"]["cost_estimate"].as_f64() >= Some(0.0));
    let mut said = said(&stage, "two").await;
    let last = said.records(2).await.remove(1);
    assert_eq!(last["context"], json!({ "message": "It is a happy text." }));
    assert_eq!(openrouter.problems(), Vec::<String>::new());
    let key = openrouter.received()[0]
        .header("authorization")
        .map(str::to_owned);
    assert_eq!(key, Some(format!("Bearer {PLANTED}")));
    let everything = ada.get(instance, "/breadcrumbs?limit=500").await.body;
    let found = ada
        .get(instance, &format!("/breadcrumbs?q={PLANTED}"))
        .await;
    assert!(!everything.to_string().contains(PLANTED));
    assert_eq!(found.body["count"], 0);
}

#[tokio::test]
async fn pattern_3_both_calls_are_under_way_at_the_same_time() {
    let (instance, ada) = with_loopback().await;
    // Each answers only when the other has been asked, so one after the other would never end.
    let both = std::sync::Arc::new(std::sync::Barrier::new(2));
    let mut vendors = Vec::new();
    for name in ["search1", "search2"] {
        let both = std::sync::Arc::clone(&both);
        let vendor = Vendor::answering(move |_| {
            both.wait();
            Answer::ok(json!({ "data": { "found": name } }).to_string())
        });
        let registration = json!({
            "manifest": {
                "name": name, "description": "Searches.", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" },
                "capability": "read", "timeoutMs": 30000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true,
            },
            "endpoint": vendor.url("/search"),
        });
        let registered = ada
            .call(&instance, "POST", "/tools/register", registration)
            .await;
        assert_eq!(registered.said(), "200");
        vendors.push(vendor);
    }
    post(&instance, &ada, example("pattern-3", "three")).await;
    let mut follower = responses(&instance, &ada, "three").await;
    let mut found: Vec<String> = Vec::new();
    for record in follower.records(2).await {
        assert_eq!(record["untrusted"], true, "what a vendor says stays marked");
        found.push(record["context"]["output"]["found"].to_string());
    }
    found.sort();
    assert_eq!(found, ["\"search1\"", "\"search2\""]);
}

#[tokio::test]
async fn pattern_4_a_workflow_answers_once_with_all_its_steps() {
    let (instance, ada) = Instance::owned().await;
    post(&instance, &ada, example("pattern-4", "four")).await;
    let response = responses(&instance, &ada, "four").await.next().await;
    let context = &response["breadcrumb"]["context"];
    assert_eq!(
        (&context["status"], &context["request_id"]),
        (&json!("success"), &json!("wf-001"))
    );
    let output = &context["output"];
    let drawn = output["results"]["step1"]["numbers"][0]
        .as_i64()
        .expect("a number");
    assert_eq!(output["results"]["step2"]["result"], json!(drawn + 5));
    assert_eq!(output["executionOrder"], json!(["step1", "step2"]));
    assert_eq!(output["errors"], json!([]));
    let listed = ada.get(&instance, "/admin/api/workflows").await.body;
    let steps = listed["workflows"][0]["steps"].as_array().expect("steps");
    let states: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["state"].as_str())
        .collect();
    assert_eq!(states, ["done", "done"]);
    assert_eq!(steps[0]["output"], Value::Null, "a list is small");
    let id = listed["workflows"][0]["id"].as_str().expect("an id");
    let whole = format!("/admin/api/workflows/{id}");
    let whole = ada.get(&instance, &whole).await.body;
    assert_eq!(whole["steps"][0]["output"]["numbers"], json!([drawn]));
    let older = format!("/admin/api/workflows?before={id}");
    let older = ada.get(&instance, &older).await.body;
    assert_eq!(older["workflows"], json!([]));
}

#[tokio::test]
async fn pattern_5_the_model_reads_a_result_and_requests_the_next_tool() {
    let next = json!({
        "action": "create",
        "breadcrumb": {
            "schema_name": "agent.response.v1", "title": "Response", "tags": ["agent:response"],
            "context": { "message": "Doubling", "tool_requests": [
                { "tool": "calculator", "input": { "expression": "3 * 2" }, "requestId": "calc-1", "return_to_llm": true },
            ] },
        },
    });
    let rounds = json!([
        { "expect": ["\\\"numbers\\\":[3]"], "reply": { "blocks": [{ "text": next.to_string() }] } },
        { "expect": ["\\\"result\\\":6"], "reply": { "blocks": [{ "text": "Twice the roll is 6." }] } },
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    post(&stage.instance, &stage.ada, example("pattern-5", "five")).await;
    let records = said(&stage, "five").await.records(3).await;
    let messages: Vec<&Value> = records
        .iter()
        .map(|record| &record["context"]["message"])
        .collect();
    assert_eq!(
        messages,
        ["Rolling the dice...", "Doubling", "Twice the roll is 6."]
    );
    assert_eq!(stage.simulator.problems(), Vec::<String>::new());
}

#[tokio::test]
async fn pattern_6_after_an_error_the_model_tries_another_tool() {
    let retry = json!({ "message": "Another way", "tool_requests": [
        { "tool": "echo", "input": { "message": "undefined" }, "requestId": "try-2", "return_to_llm": true },
    ] });
    let rounds = json!([
        { "expect": ["\\\"status\\\":\\\"error\\\"", "no finite value"], "reply": { "blocks": [{ "text": retry.to_string() }] } },
        { "expect": ["\\\"echo\\\":\\\"undefined\\\""], "reply": { "blocks": [{ "text": "One cannot divide by zero." }] } },
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    post(&stage.instance, &stage.ada, example("pattern-6", "six")).await;
    let records = said(&stage, "six").await.records(3).await;
    assert_eq!(
        records[2]["context"],
        json!({ "message": "One cannot divide by zero." })
    );
    let first = responses(&stage.instance, &stage.ada, "six")
        .await
        .next()
        .await;
    let context = &first["breadcrumb"]["context"];
    assert_eq!(
        (&context["tool"], &context["status"]),
        (&json!("calculator"), &json!("error"))
    );
    assert!(
        context["error"]
            .as_str()
            .expect("a sentence")
            .contains("no finite value")
    );
}

#[tokio::test]
async fn the_model_reads_all_results_of_a_record_in_one_round() {
    let rounds = json!([
        { "expect": ["\\\"echo\\\":\\\"one\\\"", "\\\"echo\\\":\\\"two\\\""], "reply": { "blocks": [{ "text": "Both." }] } },
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let requests = ["one", "two"].map(|message| {
        json!({ "tool": "echo", "input": { "message": message }, "requestId": message, "return_to_llm": true })
    });
    let record = json!({
        "schema_name": "agent.response.v1", "title": "Two", "tags": ["agent:response", "session:both"],
        "context": { "message": "Two", "tool_requests": requests },
    });
    post(&stage.instance, &stage.ada, record).await;
    let records = said(&stage, "both").await.records(2).await;
    assert_eq!(records[1]["context"], json!({ "message": "Both." }));
    assert_eq!(stage.simulator.problems(), Vec::<String>::new());
}

/// What came from outside stays in the conversation, whatever the record asks for whose results the model reads next.
#[tokio::test]
async fn what_a_vendor_said_earlier_in_a_session_still_marks_what_the_model_says() {
    let rounds = json!([says("First."), says("Second.")]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let vendor = Vendor::answering(|_| Answer::ok(json!({ "data": { "found": "x" } }).to_string()));
    let registration = json!({
        "manifest": {
            "name": "search1", "description": "Searches.", "inputSchema": { "type": "object" }, "outputSchema": { "type": "object" },
            "capability": "read", "timeoutMs": 30000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true,
        },
        "endpoint": vendor.url("/search"),
    });
    let registered = stage
        .ada
        .call(&stage.instance, "POST", "/tools/register", registration)
        .await;
    assert_eq!(registered.said(), "200");
    let mut marks = Vec::new();
    for (tool, input, count) in [
        ("search1", json!({}), 2),
        ("calculator", json!({ "expression": "1 + 1" }), 4),
    ] {
        let request =
            json!({ "tool": tool, "input": input, "requestId": tool, "return_to_llm": true });
        let record = json!({
            "schema_name": "agent.response.v1", "title": tool, "tags": ["agent:response", "session:seven"],
            "context": { "message": tool, "tool_requests": [request] },
        });
        post(&stage.instance, &stage.ada, record).await;
        let records = said(&stage, "seven").await.records(count).await;
        marks.push(records[count - 1].clone());
    }
    let marks: Vec<(&Value, &Value)> = marks
        .iter()
        .map(|record| (&record["context"]["message"], &record["untrusted"]))
        .collect();
    assert_eq!(
        marks,
        [
            (&json!("First."), &json!(true)),
            (&json!("Second."), &json!(true))
        ]
    );
}

#[tokio::test]
async fn the_model_tools_answer_the_same_four_fields() {
    let (instance, ada) = with_loopback().await;
    for (tool, dialect, model) in [
        (
            "openrouter",
            Dialect::OpenRouter,
            "anthropic/claude-opus-5.5",
        ),
        ("venice", Dialect::Venice, "kimi-k3"),
        ("ollama_local", Dialect::Ollama, "qwen3"),
    ] {
        let asked = Scenario::from_json(&json!({ "rounds": [says("Hello.")] }).to_string());
        let provider = ModelSimulator::start(dialect, asked);
        let config = json!({
            "schema_name": "tool.config.v1", "title": tool,
            "context": { "tool_name": tool, "config": { "api_key": PLANTED, "base_url": provider.base_url(), "model": model } },
        });
        let config = post(&instance, &ada, config).await;
        let mut request = super::ask(
            tool,
            json!({ "messages": [{ "role": "user", "content": "Say hello." }] }),
            "m",
        );
        request["config_id"] = config["id"].clone();
        let answers = super::answered(&instance, &ada, tool, json!([request])).await;
        let output = &answers[0]["output"];
        assert_eq!(output["content"], "Hello.", "{answers:?}");
        assert!(output["model"].is_string() && output.get("cost_estimate").is_some());
        assert!(output["usage"]["total_tokens"].as_u64() > Some(0));
    }
}

#[tokio::test]
async fn an_answer_for_the_user_makes_no_round_of_the_model() {
    let stage = Stage::new(Dialect::Anthropic, json!([])).await;
    let before = stage.simulator.requests().len();
    post(&stage.instance, &stage.ada, example("pattern-1", "user")).await;
    responses(&stage.instance, &stage.ada, "user")
        .await
        .next()
        .await;
    // A later record of the session, so that a round of the first one would have begun by now.
    post(&stage.instance, &stage.ada, example("pattern-4", "user")).await;
    responses(&stage.instance, &stage.ada, "user")
        .await
        .records(2)
        .await;
    assert_eq!(stage.simulator.requests().len(), before);
}
