//! Pitfalls of the providers' formats, each tested with the bytes that cause it.

mod bodies;
mod recorded;

use serde_json::json;

use super::{Quirks, StreamDecoder, WrittenTools};
use crate::capability::Capabilities;
use crate::error::ErrorClass;
use crate::message::{Block, Format, Message, ToolCall};
use crate::prompt::SystemPrompt;
use crate::provider::ProviderId;
use crate::request::{ModelRequest, ModelSettings, ToolSpec};
use crate::stream::{StopReason, StreamEvent};

/// A provider and the model that the tests use with it.
pub(super) struct RequestInfo {
    pub(super) provider: ProviderId,
    pub(super) settings: ModelSettings,
    pub(super) system: SystemPrompt,
    pub(super) messages: Vec<Message>,
    pub(super) tools: Vec<ToolSpec>,
}

impl RequestInfo {
    pub(super) fn new(provider: ProviderId) -> Self {
        let model = match provider {
            ProviderId::Anthropic => "claude-opus-5-5",
            ProviderId::OpenAi => "gpt-6-sol",
            ProviderId::OpenRouter => "anthropic/claude-opus-5.5",
            ProviderId::Ollama => "qwen3",
            ProviderId::Venice | ProviderId::Offline => "kimi-k3",
        };
        let tool = |name: &str| ToolSpec {
            name: name.to_owned(),
            description: "A tool.".to_owned(),
            input_schema: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
            heavy: false,
            pictures: None,
        };
        Self {
            provider,
            settings: ModelSettings::new(model, Capabilities::of(model)),
            system: SystemPrompt::new("rules", "today"),
            messages: vec![Message::user("hi")],
            tools: vec![tool("pim.getProduct"), tool("f")],
        }
    }

    pub(super) fn request(&self) -> ModelRequest<'_> {
        ModelRequest {
            settings: &self.settings,
            system: &self.system,
            messages: &self.messages,
            tools: &self.tools,
        }
    }

    pub(super) fn format(&self) -> Format {
        self.provider.record().format
    }

    pub(super) fn quirks(&self) -> &'static Quirks {
        &self.provider.record().quirks
    }

    pub(super) fn encoded(&self) -> Vec<u8> {
        let tools = WrittenTools::new(self.format(), &self.tools);
        super::encode(self.format(), self.quirks(), &self.request(), &tools)
    }

    pub(super) fn decoder(&self) -> StreamDecoder {
        let tools = WrittenTools::new(self.format(), &self.tools);
        StreamDecoder::new(self.format(), self.quirks(), &self.settings.model, &tools)
    }

    pub(super) fn read(&self, pieces: &[&[u8]]) -> Vec<StreamEvent> {
        let (mut decoder, mut events) = (self.decoder(), Vec::new());
        for piece in pieces {
            decoder.push(piece, &mut events);
        }
        decoder.end(&mut events);
        events
    }
}

/// The events of a stream with these data lines.
pub(super) fn read(provider: ProviderId, lines: &[&str]) -> Vec<StreamEvent> {
    let text: String = lines
        .iter()
        .map(|line| format!("data: {line}\n\n"))
        .collect();
    RequestInfo::new(provider).read(&[text.as_bytes()])
}

pub(super) fn texts(events: &[StreamEvent]) -> String {
    let pieces = events.iter().filter_map(|event| match event {
        StreamEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    pieces.collect()
}

pub(super) fn calls(events: &[StreamEvent]) -> Vec<(ToolCall, Option<String>)> {
    let calls = events.iter().filter_map(|event| match event {
        StreamEvent::Call { call, problem } => Some((call.clone(), problem.clone())),
        _ => None,
    });
    calls.collect()
}

pub(super) fn blocks(events: &[StreamEvent]) -> Vec<Block> {
    let blocks = events.iter().filter_map(|event| match event {
        StreamEvent::Block(block) => Some(block.clone()),
        _ => None,
    });
    blocks.collect()
}

pub(super) fn stop(events: &[StreamEvent]) -> Option<StopReason> {
    match events.last()? {
        StreamEvent::Ended(stop) => Some(stop.clone()),
        _ => None,
    }
}

pub(super) fn failure(events: &[StreamEvent]) -> Option<ErrorClass> {
    match events.last()? {
        StreamEvent::Failed(error) => Some(error.class),
        _ => None,
    }
}

const MESSAGE: &str = r#"{"type":"message_start","message":{"id":"m","model":"claude-opus-5-5-20260922","content":[],"usage":{"input_tokens":25,"output_tokens":1}}}"#;
const END_TURN: &str =
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#;
const TOOL_USE: &str =
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#;
const MESSAGE_STOP: &str = r#"{"type":"message_stop"}"#;
const CLOSE_0: &str = r#"{"type":"content_block_stop","index":0}"#;
const CREATED: &str =
    r#"{"type":"response.created","response":{"model":"gpt-6-sol-2026","output":[]}}"#;
const COMPLETED: &str =
    r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#;

fn anthropic(middle: &[&str], end: &str) -> Vec<StreamEvent> {
    let mut lines = vec![MESSAGE];
    lines.extend(middle);
    lines.extend([end, MESSAGE_STOP]);
    read(ProviderId::Anthropic, &lines)
}

fn openai(middle: &[&str]) -> Vec<StreamEvent> {
    let mut lines = vec![CREATED];
    lines.extend(middle);
    lines.push(COMPLETED);
    read(ProviderId::OpenAi, &lines)
}

fn text_block(middle: &[&str]) -> Vec<StreamEvent> {
    let mut lines = vec![
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    ];
    lines.extend(middle);
    lines.push(CLOSE_0);
    anthropic(&lines, END_TURN)
}

#[test]
fn k01_a_surrogate_pair_split_over_two_deltas_is_one_character_in_every_format() {
    let events = text_block(&[
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00b"}}"#,
    ]);
    assert_eq!(texts(&events), "a😀b");
    assert_eq!(blocks(&events), [Block::text("a😀b")]);
    let events = openai(&[
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83d"}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"\ude00b"}"#,
    ]);
    assert_eq!(texts(&events), "a😀b");
    let events = read(
        ProviderId::Venice,
        &[
            r#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#,
            r#"{"choices":[{"delta":{"content":"\ude00b"},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
    );
    assert_eq!(texts(&events), "a😀b");
}

#[test]
fn k03_a_stream_without_its_end_was_cut_off_and_its_calls_are_not_run() {
    let events = read(
        ProviderId::Anthropic,
        &[
            MESSAGE,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"partial"}}"#,
            CLOSE_0,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
        ],
    );
    assert_eq!(failure(&events), Some(ErrorClass::StreamTruncated));
    assert_eq!(
        (blocks(&events), calls(&events)),
        (vec![Block::text("partial")], vec![])
    );
    let events = read(
        ProviderId::OpenAi,
        &[
            CREATED,
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"partial"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}"#,
        ],
    );
    assert_eq!(failure(&events), Some(ErrorClass::StreamTruncated));
    assert_eq!(
        (blocks(&events), calls(&events)),
        (vec![Block::text("partial")], vec![])
    );
    // A local server that fails midway sends an empty chunk and stops.
    let events = read(
        ProviderId::Ollama,
        &[
            r#"{"choices":[{"delta":{"content":"partial"}}]}"#,
            r#"{"choices":[{"delta":{"content":"","tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"content":""}}]}"#,
        ],
    );
    assert_eq!(failure(&events), Some(ErrorClass::StreamTruncated));
    assert_eq!(
        (blocks(&events), calls(&events)),
        (vec![Block::text("partial")], vec![])
    );
}

#[test]
fn k03_a_reason_or_done_is_an_end_of_a_chat_stream() {
    let reason = read(
        ProviderId::Ollama,
        &[r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}"#],
    );
    assert_eq!(stop(&reason), Some(StopReason::End));
    let done = read(
        ProviderId::Ollama,
        &[r#"{"choices":[{"delta":{"content":"x"}}]}"#, "[DONE]"],
    );
    assert_eq!(stop(&done), Some(StopReason::End));
}

#[test]
fn k04_unknown_events_deltas_and_blocks_are_ignored_or_kept() {
    let events = anthropic(
        &[
            r#"{"type":"something_new","x":1}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"crystal","facets":[1,2]}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"crystal_delta","n":3}}"#,
            CLOSE_0,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","glow":"red","citations":null}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"cited_text":"q"}}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
        ],
        END_TURN,
    );
    let mut asked = RequestInfo::new(ProviderId::Anthropic);
    asked.messages.push(Message::assistant(blocks(&events)));
    asked.messages.push(Message::user("more"));
    let body = asked.encoded();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "crystal", "facets": [1, 2] },
            { "type": "text", "text": "x", "glow": "red", "citations": [{ "cited_text": "q" }] },
        ])
    );
}

#[test]
fn k05_signs_of_life_say_nothing() {
    let events = read(
        ProviderId::Anthropic,
        &[
            r#"{"type":"ping"}"#,
            MESSAGE,
            r#"{"type":"ping"}"#,
            END_TURN,
            MESSAGE_STOP,
        ],
    );
    assert_eq!(stop(&events), Some(StopReason::End));
    let events = openai(&[
        r#"{"type":"keepalive","sequence_number":3}"#,
        r#"{"type":"response.keep_alive"}"#,
    ]);
    assert_eq!(stop(&events), Some(StopReason::End));
}

#[test]
fn k06_errors_in_the_middle_of_a_stream_end_it_with_their_class() {
    let check = |provider, line: &str, class| {
        let events = read(provider, &[line, MESSAGE_STOP]);
        assert_eq!(failure(&events), Some(class), "{line}");
    };
    check(
        ProviderId::Anthropic,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ErrorClass::Overloaded,
    );
    check(
        ProviderId::OpenAi,
        r#"{"type":"error","code":"rate_limit_exceeded","message":"m"}"#,
        ErrorClass::RateLimited,
    );
    check(
        ProviderId::OpenAi,
        r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"m"}}}"#,
        ErrorClass::Server,
    );
    check(
        ProviderId::OpenRouter,
        r#"{"error":{"code":402,"message":"credits"}}"#,
        ErrorClass::Billing,
    );
    check(
        ProviderId::Venice,
        r#"{"error":{"code":502,"message":"m"},"choices":[{"delta":{},"finish_reason":"error"}]}"#,
        ErrorClass::Server,
    );
    check(
        ProviderId::Ollama,
        r#"{"object":"error","message":"vLLM"}"#,
        ErrorClass::Server,
    );
    check(
        ProviderId::Ollama,
        r#"{"error":"runner died"}"#,
        ErrorClass::Server,
    );
}

#[test]
fn k09_a_call_without_arguments_has_none_however_it_is_written() {
    let start = |input: &str| {
        format!(
            r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"tool_use","id":"t","name":"f","input":{input}}}}}"#
        )
    };
    let empty = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}"#;
    for (lines, expected) in [
        (vec![start("{}"), empty.to_owned()], json!({})),
        (vec![start("{}")], json!({})),
        (vec![start(r#"{"city":"Oslo"}"#)], json!({ "city": "Oslo" })),
    ] {
        let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        lines.push(CLOSE_0);
        let calls = calls(&anthropic(&lines, TOOL_USE));
        assert_eq!((&calls[0].0.input, &calls[0].1), (&expected, &None));
    }
    for arguments in ["", "{}"] {
        let item = format!(
            r#"{{"type":"response.output_item.done","output_index":0,"item":{{"type":"function_call","call_id":"c","name":"f","arguments":"{arguments}"}}}}"#
        );
        let events = openai(&[&item]);
        assert_eq!(calls(&events)[0].0.input, json!({}));
        assert_eq!(stop(&events), Some(StopReason::ToolCalls));
    }
}

#[test]
fn k10_malformed_arguments_are_a_call_with_a_problem() {
    let lines = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"pim__getProduct","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"[1"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"]"}}"#,
        CLOSE_0,
    ];
    let (call, problem) = calls(&anthropic(&lines, TOOL_USE)).remove(0);
    assert_eq!(
        (call.tool_name.as_str(), call.input),
        ("pim.getProduct", json!({}))
    );
    assert_eq!(
        problem.as_deref(),
        Some(
            "the arguments must be one JSON object, not a list. Send the call again with an object."
        )
    );
}

#[test]
fn k12_parallel_calls_interleave_and_keep_apart() {
    let events = openai(&[
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"f","arguments":""}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"b","name":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"n\":"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"n\":1}"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":1,"delta":"2}"}"#,
    ]);
    let inputs: Vec<_> = calls(&events)
        .into_iter()
        .map(|(call, _)| (call.tool_call_id, call.input))
        .collect();
    assert_eq!(
        inputs,
        [
            ("a".to_owned(), json!({ "n": 1 })),
            ("b".to_owned(), json!({ "n": 2 }))
        ]
    );
    let events = read(
        ProviderId::Venice,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":"}},{"index":1,"id":"b","function":{"name":"f","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\":2}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
    );
    let inputs: Vec<_> = calls(&events)
        .into_iter()
        .map(|(call, _)| (call.tool_call_id, call.input))
        .collect();
    assert_eq!(
        inputs,
        [
            ("a".to_owned(), json!({ "n": 1 })),
            ("b".to_owned(), json!({ "n": 2 }))
        ]
    );
    // The calls count even if the finish reason is `stop`.
    assert_eq!(stop(&events), Some(StopReason::ToolCalls));
}

#[test]
fn k14_calls_that_share_an_index_or_have_no_id_stay_apart() {
    let events = read(
        ProviderId::Ollama,
        &[
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":{"n":1}}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        ],
    );
    let inputs: Vec<_> = calls(&events)
        .into_iter()
        .map(|(call, _)| (call.tool_call_id, call.input))
        .collect();
    assert_eq!(
        inputs,
        [
            ("a".to_owned(), json!({})),
            ("b".to_owned(), json!({ "n": 1 }))
        ]
    );
}

#[test]
fn k15_a_call_at_the_output_limit_is_dropped_even_when_it_looks_complete() {
    let lines = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
        CLOSE_0,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
    ];
    let events = anthropic(
        &lines,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{}}"#,
    );
    assert_eq!(stop(&events), Some(StopReason::Length { call_lost: true }));
    assert_eq!(calls(&events).len(), 1);
    let events = read(
        ProviderId::OpenAi,
        &[
            CREATED,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"f","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"n\""}"#,
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}"#,
        ],
    );
    assert_eq!(
        (stop(&events), calls(&events).len()),
        (Some(StopReason::Length { call_lost: true }), 0)
    );
}

#[test]
fn k17_names_are_spelled_safely_on_the_way_there_and_are_their_own_on_the_way_back() {
    let mut asked = RequestInfo::new(ProviderId::OpenAi);
    asked.tools[0].name = "a.".repeat(60);
    let body: serde_json::Value = serde_json::from_slice(&asked.encoded()).unwrap();
    let spelled = body["tools"][0]["name"].as_str().unwrap();
    assert!(spelled.len() <= 64 && !spelled.contains('.'), "{spelled}");
    let item = format!(
        r#"{{"type":"response.output_item.done","output_index":0,"item":{{"type":"function_call","call_id":"c","name":"{spelled}","arguments":""}}}}"#
    );
    let text = format!("data: {item}\n\ndata: {COMPLETED}\n\n");
    let events = asked.read(&[text.as_bytes()]);
    assert_eq!(calls(&events)[0].0.tool_name, asked.tools[0].name);
}

#[test]
fn k21_server_tools_are_kept_and_are_no_calls_of_ours() {
    let lines = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}"#,
        CLOSE_0,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
    ];
    let events = anthropic(
        &lines,
        r#"{"type":"message_delta","delta":{"stop_reason":"pause_turn"},"usage":{}}"#,
    );
    assert_eq!((calls(&events).len(), blocks(&events).len()), (0, 2));
    assert_eq!(stop(&events), Some(StopReason::Pause));
    let Block::Reasoning(echo) = &blocks(&events)[0] else {
        panic!("kept as it is")
    };
    assert_eq!(echo.fields["input"], json!({ "query": "x" }));
}

#[test]
fn k23_a_signature_without_text_is_kept_and_replaces_the_empty_one() {
    let lines = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
        CLOSE_0,
    ];
    let events = anthropic(&lines, END_TURN);
    let Block::Reasoning(echo) = &blocks(&events)[0] else {
        panic!("a thinking block")
    };
    assert_eq!(
        json!(echo.fields),
        json!({ "type": "thinking", "thinking": "", "signature": "EqQB" })
    );
}

#[test]
fn k24_the_last_word_on_an_item_counts_and_bare_reasoning_is_dropped() {
    let events = openai(&[
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"half"}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"whole"}}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"reasoning","id":"rs_2","summary":[]}}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"message","id":"msg_1","phase":"commentary","content":[{"type":"output_text","text":"x","annotations":[]}]}}"#,
    ]);
    let kept = blocks(&events);
    assert_eq!(kept.len(), 2);
    let Block::Reasoning(echo) = &kept[0] else {
        panic!("reasoning")
    };
    assert_eq!(
        json!(echo.fields),
        json!({ "type": "reasoning", "summary": [], "encrypted_content": "whole" })
    );
    let Block::Text {
        echo: Some(echo), ..
    } = &kept[1]
    else {
        panic!("text with its phase")
    };
    assert_eq!(json!(echo.fields), json!({ "phase": "commentary" }));
}

#[test]
fn k26_reasoning_is_found_in_every_field_that_servers_use() {
    let reasoning = |delta: &str| {
        let line = format!(r#"{{"choices":[{{"delta":{delta},"finish_reason":"stop"}}]}}"#);
        let events = read(ProviderId::Ollama, &[&line, "[DONE]"]);
        let said = events.iter().find_map(|event| match event {
            StreamEvent::Reasoning(text) => Some(text.clone()),
            _ => None,
        });
        (said, texts(&events))
    };
    let expected = (Some("hm".to_owned()), "ok".to_owned());
    assert_eq!(reasoning(r#"{"reasoning":"hm","content":"ok"}"#), expected);
    assert_eq!(
        reasoning(r#"{"reasoning_content":"hm","content":"ok"}"#),
        expected
    );
    assert_eq!(
        reasoning(r#"{"content":"<think>hm</think>\nok"}"#),
        expected
    );
}

#[test]
fn k28_refusals_and_full_windows_are_reasons_to_stop() {
    let reason = |json: &str| {
        stop(&anthropic(
            &[],
            &format!(r#"{{"type":"message_delta","delta":{json},"usage":{{}}}}"#),
        ))
    };
    assert_eq!(
        reason(r#"{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"no"}}"#),
        Some(StopReason::Refusal {
            explanation: Some("no".to_owned())
        })
    );
    assert_eq!(
        reason(r#"{"stop_reason":"model_context_window_exceeded"}"#),
        Some(StopReason::ContextFull)
    );
    assert_eq!(
        reason(r#"{"stop_reason":"from_the_future"}"#),
        Some(StopReason::End)
    );
    let events = openai(&[
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"no"}]}}"#,
    ]);
    assert_eq!(
        stop(&events),
        Some(StopReason::Refusal {
            explanation: Some("no".to_owned())
        })
    );
    let events = read(
        ProviderId::Venice,
        &[r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#],
    );
    assert_eq!(
        stop(&events),
        Some(StopReason::Refusal { explanation: None })
    );
}

#[test]
fn k29_counts_are_totals_and_null_says_nothing() {
    let usage = |events: &[StreamEvent]| {
        events.iter().rev().find_map(|event| match event {
            StreamEvent::Usage(usage) => Some(*usage),
            _ => None,
        })
    };
    let events = anthropic(
        &[r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":5,"input_tokens":null}}"#],
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"cache_read_input_tokens":7}}"#,
    );
    let found = usage(&events).unwrap();
    assert_eq!(
        (
            found.prompt_tokens,
            found.completion_tokens,
            found.cache_read_tokens
        ),
        (25, 9, 7)
    );
    let events = read(
        ProviderId::OpenRouter,
        &[
            CREATED,
            r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":9,"cost":0.0012}}}"#,
            "[DONE]",
        ],
    );
    let found = usage(&events).unwrap();
    assert_eq!(
        (found.prompt_tokens, found.cache_read_tokens, found.cost_usd),
        (100, 60, Some(0.0012))
    );
}

#[test]
fn k33_the_model_that_really_answers_is_told() {
    assert_eq!(
        anthropic(&[], END_TURN)[0],
        StreamEvent::Started {
            model: "claude-opus-5-5-20260922".to_owned()
        }
    );
}

#[test]
fn what_is_no_json_is_a_failure_of_the_protocol() {
    let events = read(ProviderId::OpenAi, &["<html>", COMPLETED]);
    assert_eq!(failure(&events), Some(ErrorClass::Protocol));
    assert_eq!(events.len(), 1);
}
