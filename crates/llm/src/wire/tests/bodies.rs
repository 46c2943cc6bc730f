//! Encoded requests, byte by byte.

use serde_json::{Value, json};
use sitewright_tool::Image;

use super::RequestInfo;
use crate::capability::Capabilities;
use crate::message::{Block, Echo, Message, Role, ToolCall, ToolResult};
use crate::provider::ProviderId;
use crate::request::{Effort, ToolChoice};

fn body(asked: &RequestInfo) -> Value {
    serde_json::from_slice(&asked.encoded()).unwrap()
}

fn call(id: &str, name: &str, input: Value) -> Block {
    Block::ToolCall(ToolCall {
        tool_call_id: id.to_owned(),
        tool_name: name.to_owned(),
        input,
        echo: None,
    })
}

fn result(id: &str, name: &str, images: usize) -> Block {
    let image = Image {
        mime_type: "image/png".to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
    };
    Block::ToolResult(ToolResult {
        tool_call_id: id.to_owned(),
        tool_name: name.to_owned(),
        ok: true,
        data: Some(json!({ "n": 1 })),
        error: None,
        receipt: None,
        images: vec![image; images],
    })
}

/// A conversation with every kind of block, as if the provider's own model had written the answers.
fn conversation(asked: &RequestInfo) -> Vec<Message> {
    let fields = match asked.provider {
        ProviderId::Anthropic => json!({ "type": "thinking", "thinking": "", "signature": "EqQB" }),
        ProviderId::OpenAi | ProviderId::OpenRouter => {
            json!({ "type": "reasoning", "summary": [], "encrypted_content": "gAAA" })
        }
        ProviderId::Ollama | ProviderId::Venice | ProviderId::Offline => {
            json!({ "reasoning": "hm" })
        }
    };
    let Value::Object(fields) = fields else {
        unreachable!()
    };
    let echo = |model: &str| {
        Block::Reasoning(Echo {
            format: asked.format(),
            model: model.to_owned(),
            fields: fields.clone(),
        })
    };
    let picture = Image {
        mime_type: "image/png".to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
    };
    let failed = ToolCall {
        tool_call_id: "t2".to_owned(),
        tool_name: "f".to_owned(),
        input: json!({}),
        echo: None,
    };
    vec![
        Message {
            role: Role::User,
            content: vec![Block::text("Look at this."), Block::Image(picture)],
        },
        Message::assistant(vec![
            echo("another-model"),
            echo(&asked.settings.model),
            Block::text("I look."),
            call("t1", "pim.getProduct", json!({ "city": "Tromsø" })),
            call("t2", "f", json!({})),
        ]),
        Message {
            role: Role::Tool,
            content: vec![
                result("t1", "pim.getProduct", 2),
                Block::ToolResult(ToolResult::failed(&failed, "no such thing")),
            ],
        },
        Message::user("Go on."),
    ]
}

#[test]
fn each_provider_gets_the_same_conversation_in_its_own_words() {
    for provider in ProviderId::ALL {
        let mut asked = RequestInfo::new(provider);
        asked.settings.cache_key = Some("sw-site-key".to_owned());
        asked.messages = conversation(&asked);
        insta::assert_json_snapshot!(format!("body_{provider}"), body(&asked));
    }
}

#[test]
fn k16_pictures_go_where_the_model_can_see_them_and_else_a_line_says_so() {
    let note = "screenshot(s) omitted";
    for provider in ProviderId::ALL {
        let mut asked = RequestInfo::new(provider);
        asked.messages = conversation(&asked);
        for sees in [true, false] {
            asked.settings.capabilities.vision_input = sees;
            let text = body(&asked).to_string();
            assert_eq!(
                text.matches("iVBORw0KGgo=").count(),
                if sees { 3 } else { 0 },
                "{provider}"
            );
            assert_eq!(
                text.matches(note).count(),
                if sees { 0 } else { 2 },
                "{provider}"
            );
            assert_eq!(
                text.contains("[2 screenshot(s) omitted"),
                !sees,
                "{provider}"
            );
        }
    }
}

#[test]
fn k16_a_picture_that_the_server_cannot_read_is_left_out() {
    let gif = Block::Image(Image {
        mime_type: "image/gif".to_owned(),
        data: "R0lG".to_owned(),
    });
    let mut asked = RequestInfo::new(ProviderId::Ollama);
    asked.settings.capabilities.vision_input = true;
    asked.messages = vec![Message {
        role: Role::User,
        content: vec![gif],
    }];
    assert_eq!(
        body(&asked)["messages"][1]["content"],
        "[1 screenshot(s) omitted: this model does not take them]"
    );
}

#[test]
fn k12_results_stand_together_before_any_text() {
    let mut asked = RequestInfo::new(ProviderId::Anthropic);
    asked.messages = conversation(&asked);
    let body = body(&asked);
    let kinds: Vec<&str> = body["messages"][2]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tool_result", "tool_result", "text"]);
    assert_eq!(body["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn k18_the_same_tools_in_another_order_are_the_same_bytes() {
    for provider in ProviderId::ALL {
        let mut asked = RequestInfo::new(provider);
        let bytes = asked.encoded();
        asked.tools.reverse();
        assert_eq!(asked.encoded(), bytes);
    }
}

#[test]
fn k22_thinking_goes_back_first_and_unmodified() {
    let mut asked = RequestInfo::new(ProviderId::Anthropic);
    asked.messages = conversation(&asked);
    assert_eq!(
        body(&asked)["messages"][1]["content"][0],
        json!({ "type": "thinking", "thinking": "", "signature": "EqQB" })
    );
}

#[test]
fn k24_reasoning_goes_back_only_before_what_it_led_to() {
    let mut asked = RequestInfo::new(ProviderId::OpenAi);
    asked.messages = conversation(&asked);
    asked.messages[1].content.truncate(2);
    asked.messages.remove(2);
    let types: Vec<String> = body(&asked)["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(types, ["message", "message"]);
}

#[test]
fn k30_empty_texts_and_empty_answers_are_not_sent() {
    for provider in ProviderId::ALL {
        let mut asked = RequestInfo::new(provider);
        asked.messages = vec![
            Message::user("a"),
            Message::assistant(vec![Block::text("")]),
            Message::user("b"),
        ];
        let body = body(&asked);
        let assistant = |list: &Value| {
            list.as_array()
                .is_some_and(|list| list.iter().any(|message| message["role"] == "assistant"))
        };
        assert!(
            !assistant(&body["messages"]) && !assistant(&body["input"]),
            "{provider}"
        );
    }
}

#[test]
fn k31_k32_the_system_prompt_stands_where_each_provider_wants_it_and_only_its_static_part_is_cached()
 {
    let joined = "rules\n\n__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\n\ntoday";
    let anthropic = body(&RequestInfo::new(ProviderId::Anthropic));
    assert_eq!(
        anthropic["system"],
        json!([
            { "type": "text", "text": "rules", "cache_control": { "type": "ephemeral" } },
            { "type": "text", "text": "today" },
        ])
    );
    assert_eq!(anthropic.to_string().matches("cache_control").count(), 1);
    assert_eq!(
        body(&RequestInfo::new(ProviderId::OpenAi))["instructions"],
        joined
    );
    assert_eq!(
        body(&RequestInfo::new(ProviderId::OpenRouter))["instructions"],
        joined
    );
    for provider in [ProviderId::Ollama, ProviderId::Venice] {
        assert_eq!(
            body(&RequestInfo::new(provider))["messages"][0],
            json!({ "role": "system", "content": joined })
        );
    }
}

/// The fields that depend on the model, each with a setting.
fn model_fields(model: &str, effort: Option<Effort>) -> Value {
    let mut asked = RequestInfo::new(ProviderId::Anthropic);
    asked.settings.model = model.to_owned();
    asked.settings.capabilities = Capabilities::of(model);
    asked.settings.effort = effort;
    asked.settings.temperature = Some(0.5);
    asked.settings.tool_choice = ToolChoice::Tool("f".to_owned());
    let body = body(&asked);
    json!([
        body["thinking"]["type"],
        body["output_config"]["effort"],
        body["temperature"],
        body["tool_choice"]["type"]
    ])
}

#[test]
fn thinking_forced_tools_and_sampling_follow_the_model() {
    let check = |model: &str, effort, expected: Value| {
        assert_eq!(model_fields(model, effort), expected, "{model} {effort:?}")
    };
    check("claude-haiku-4-5", None, json!([null, null, 0.5, "tool"]));
    check(
        "claude-haiku-4-5",
        Some(Effort::High),
        json!(["enabled", null, null, null]),
    );
    check(
        "claude-opus-4-6",
        Some(Effort::XHigh),
        json!(["adaptive", "high", null, "tool"]),
    );
    check("claude-opus-4-7", None, json!([null, null, null, "tool"]));
    check(
        "claude-opus-5",
        Some(Effort::Off),
        json!(["disabled", null, null, "tool"]),
    );
    check(
        "claude-opus-5-5",
        Some(Effort::Off),
        json!(["adaptive", "low", null, null]),
    );
    check(
        "claude-opus-5-5",
        Some(Effort::XHigh),
        json!(["adaptive", "xhigh", null, null]),
    );
    check(
        "claude-from-the-future",
        None,
        json!(["adaptive", null, null, "tool"]),
    );
}

#[test]
fn k27_a_budget_leaves_room_for_the_answer() {
    let mut asked = RequestInfo::new(ProviderId::Anthropic);
    asked.settings.capabilities = Capabilities::of("claude-haiku-4-5");
    asked.settings.effort = Some(Effort::Max);
    asked.settings.max_output_tokens = 4096;
    assert_eq!(body(&asked)["thinking"]["budget_tokens"], 2048);
    asked.settings.max_output_tokens = 1500;
    assert_eq!(body(&asked)["thinking"], Value::Null);
}

#[test]
fn one_call_at_a_time_is_asked_for_in_each_providers_way() {
    let field = |provider| {
        let mut asked = RequestInfo::new(provider);
        asked.settings.parallel_calls = false;
        let body = body(&asked);
        json!([
            body["tool_choice"]["disable_parallel_tool_use"],
            body["parallel_tool_calls"]
        ])
    };
    assert_eq!(field(ProviderId::Anthropic), json!([true, null]));
    assert_eq!(field(ProviderId::OpenAi), json!([null, false]));
    assert_eq!(field(ProviderId::Ollama), json!([null, null]));
    assert_eq!(field(ProviderId::Venice), json!([null, false]));
}
