use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Dialect, Faults, ModelSimulator, Scenario};

/// Sends a body and gives the status line and everything behind the head.
fn post(simulator: &ModelSimulator, path: &str, body: &Value) -> (String, String) {
    let url = simulator.vendor.url("");
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer k\r\n\
         anthropic-version: 2023-06-01\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap();
    let status = head.lines().next().unwrap().to_owned();
    (status, rest.to_owned())
}

fn refused(dialect: Dialect, path: &str, body: &Value) -> String {
    let simulator = ModelSimulator::start(dialect, Scenario::says("never said"));
    let (status, _) = post(&simulator, path, body);
    assert_eq!(status, "HTTP/1.1 400 -");
    simulator.forgive().join("; ")
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
}

#[test]
fn anthropic_refuses_what_the_real_one_refuses() {
    let check = |messages: Value, problem: &str| {
        let body = json!({ "model": "claude-opus-5-5", "max_tokens": 10, "stream": true, "messages": messages });
        assert_eq!(refused(Dialect::Anthropic, "/v1/messages", &body), problem);
    };
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": [] });
    check(
        json!([user("a"), user("b")]),
        "messages.1: roles must alternate, expected assistant",
    );
    check(
        json!([user("a"), { "role": "assistant", "content": [call("t")] }, user("b")]),
        "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: {\"t\"}",
    );
    check(
        json!([user("a"), { "role": "assistant", "content": [call("t"), call("t")] }]),
        "messages.1: `tool_use` ids must be unique",
    );
    check(
        json!([{ "role": "user", "content": [result("ghost")] }]),
        "messages.0: unexpected tool_use_id \"ghost\" in a tool_result block",
    );
    check(
        json!([user("a"), { "role": "assistant", "content": [call("t")] },
               { "role": "user", "content": [{ "type": "text", "text": "x" }, result("t")] }]),
        "messages.2: tool_result blocks must come first",
    );
    check(
        json!([user(" ")]),
        "messages.0: text content blocks must be non-empty",
    );
    let body = json!({ "model": "m", "stream": true, "messages": [user("a")] });
    assert_eq!(
        refused(Dialect::Anthropic, "/v1/messages", &body),
        "max_tokens: Field required"
    );
    let body = json!({ "model": "claude-opus-5-5", "max_tokens": 9, "stream": true, "messages": [user("a")],
                       "tools": [{ "name": "a.b", "input_schema": { "type": "object" } }] });
    assert_eq!(
        refused(Dialect::Anthropic, "/v1/messages", &body),
        "tools.name: \"a.b\" does not match ^[a-zA-Z0-9_-]{1,64}$"
    );
}

#[test]
fn openai_refuses_calls_and_outputs_without_each_other() {
    let check = |input: Value, problem: &str| {
        let body = json!({ "model": "gpt-6-sol", "stream": true, "store": false, "input": input });
        assert_eq!(refused(Dialect::OpenAi, "/v1/responses", &body), problem);
    };
    let call = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" });
    check(json!([call]), "no tool output found for a function call");
    check(
        json!([{ "type": "function_call_output", "call_id": "c", "output": "x" }]),
        "input[0]: no tool call found for function call output \"c\"",
    );
    check(
        json!([{ "type": "reasoning", "id": "rs_1", "summary": [] }]),
        "input[0]: item with id \"rs_1\" not found, nothing is stored",
    );
    check(
        json!([{ "type": "reasoning", "summary": [], "encrypted_content": "x" }]),
        "input[0]: 'reasoning' was provided without its required following item",
    );
}

#[test]
fn ollama_refuses_what_it_would_silently_lose() {
    let body = json!({ "model": "qwen3", "stream": true, "messages": [
        { "role": "assistant", "content": "", "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": [{ "type": "text", "text": "x" }] },
    ] });
    assert_eq!(
        refused(Dialect::Ollama, "/v1/chat/completions", &body),
        "messages[1]: a list as content would lose the call's id"
    );
}

#[test]
fn a_problem_fails_the_test_that_caused_it() {
    let outcome = std::panic::catch_unwind(|| {
        let simulator = ModelSimulator::start(Dialect::OpenAi, Scenario::says("x"));
        drop(post(
            &simulator,
            "/v1/chat/completions",
            &json!({ "model": "m" }),
        ));
    });
    let reason = outcome.unwrap_err();
    assert_eq!(
        reason.downcast_ref::<String>().map(String::as_str),
        Some("the openai simulator refused: there is no POST /v1/chat/completions")
    );
}

#[test]
fn faults_change_how_bytes_travel_and_not_what_they_say() {
    let body = json!({ "model": "claude-opus-5-5", "max_tokens": 10, "stream": true, "messages": [user("a")] });
    let faults = Faults {
        crlf: true,
        keepalives: true,
        ..Faults::default()
    };
    let simulator = ModelSimulator::start(
        Dialect::Anthropic,
        Scenario::says("snø").with_faults(&faults),
    );
    let (status, text) = post(&simulator, "/v1/messages", &body);
    assert_eq!(status, "HTTP/1.1 200 -");
    assert!(
        text.contains("event: ping\r\n") && text.contains("\"text\":\"snø\""),
        "{text}"
    );
    assert_eq!(simulator.rounds_left(), 0);
}

#[test]
fn a_round_that_the_history_does_not_show_is_played_again() {
    let call = |id: &str| json!({ "reply": { "blocks": [{ "toolCall": { "id": id, "name": "f", "arguments": {} } }] } });
    let says = json!({ "reply": { "blocks": [{ "text": "All done." }] } });
    let scenario = json!({ "order": "history", "rounds": [call("t1"), call("t2"), says] });
    let simulator = ModelSimulator::start(
        Dialect::Anthropic,
        Scenario::from_json(&scenario.to_string()),
    );
    let answer_after = |ids: &[&str]| {
        let mut messages = vec![user("a")];
        for id in ids {
            messages.push(json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "f", "input": {} }] }));
            messages.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": [] }] }));
        }
        let body = json!({ "model": "claude-opus-5-5", "max_tokens": 10, "stream": true, "messages": messages });
        post(&simulator, "/v1/messages", &body).1
    };
    for _ in 0..2 {
        assert!(answer_after(&[]).contains("\"t1\""));
        assert!(answer_after(&["t1"]).contains("\"t2\""));
        assert!(answer_after(&["t1", "t2"]).contains("All done."));
    }
}
