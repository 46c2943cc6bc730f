mod elision;
mod endings;

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use sitewright_tool::Image;

use super::{
    Ending, Limit, LoopInput, LoopOutput, ToolLoop, ToolOutcome, TurnEvent, TurnLimits, TurnPlan,
};
use crate::capability::Capabilities;
use crate::error::{ErrorClass, ModelError};
use crate::message::{Block, Message, Role, ToolCall, ToolResult};
use crate::price::Catalogue;
use crate::prompt::SystemPrompt;
use crate::provider::ProviderId;
use crate::request::{ModelSettings, ToolSpec};
use crate::stream::{StopReason, StreamEvent, Usage};

fn tool(name: &str, heavy: bool) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({}),
        heavy,
        pictures: None,
    }
}

fn plan() -> TurnPlan {
    let model = "claude-opus-5";
    TurnPlan {
        provider: ProviderId::Anthropic,
        settings: ModelSettings::new(model, Capabilities::of(model)),
        system: SystemPrompt::new("rules", "today"),
        tools: Arc::new([
            tool("f", false),
            tool("read_document", true),
            ToolSpec {
                pictures: Some("captureScreenshot"),
                ..tool("render_snapshot", false)
            },
        ]),
        history: vec![Message::user("hi")],
        goes_on: false,
        limits: TurnLimits::default(),
        prices: Catalogue::bundled(),
        seed: 7,
    }
}

fn begun(plan: TurnPlan) -> ToolLoop {
    let mut turn = ToolLoop::new(plan);
    assert_eq!(turn.step(0, LoopInput::Begin), [LoopOutput::Send]);
    turn
}

fn call(id: &str, name: &str) -> StreamEvent {
    StreamEvent::Call {
        call: ToolCall {
            tool_call_id: id.to_owned(),
            tool_name: name.to_owned(),
            input: json!({}),
            echo: None,
        },
        problem: None,
    }
}

fn usage(prompt: u64) -> StreamEvent {
    StreamEvent::Usage(Usage {
        prompt_tokens: prompt,
        completion_tokens: 10,
        cache_read_tokens: 5,
        ..Usage::default()
    })
}

/// Feeds stream events to the loop and returns all outputs.
fn stream(turn: &mut ToolLoop, events: impl IntoIterator<Item = StreamEvent>) -> Vec<LoopOutput> {
    let steps = events
        .into_iter()
        .map(|event| turn.step(1, LoopInput::Stream(event)));
    steps.flatten().collect()
}

/// A round that calls these tools.
fn calls(turn: &mut ToolLoop, named: &[(&str, &str)]) -> Vec<LoopOutput> {
    let mut events: Vec<StreamEvent> = named.iter().map(|(id, name)| call(id, name)).collect();
    events.push(usage(100));
    events.push(StreamEvent::Ended(StopReason::ToolCalls));
    stream(turn, events)
}

fn done(turn: &mut ToolLoop, id: &str, name: &str, data: Value) -> Vec<LoopOutput> {
    let result = ToolResult {
        tool_call_id: id.to_owned(),
        tool_name: name.to_owned(),
        ok: true,
        data: Some(data),
        error: None,
        receipt: None,
        images: Vec::new(),
    };
    turn.step(
        2,
        LoopInput::ToolDone(ToolOutcome {
            result,
            ends_turn: false,
        }),
    )
}

fn ending(outputs: &[LoopOutput]) -> Option<&Ending> {
    match outputs.last()? {
        LoopOutput::Over(ending) => Some(ending),
        _ => None,
    }
}

fn events(outputs: &[LoopOutput]) -> Vec<Value> {
    let told = outputs.iter().filter_map(|output| match output {
        LoopOutput::Emit(TurnEvent::Message(_)) => None,
        LoopOutput::Emit(event) => Some(serde_json::to_value(event).unwrap()),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_turn_goes_on_until_the_model_stops_calling_tools() {
    let mut turn = begun(plan());
    let out = calls(&mut turn, &[("a", "f"), ("b", "f")]);
    let Some(LoopOutput::Run(batch)) = out.last() else {
        panic!("{out:?}")
    };
    assert_eq!(batch.len(), 2);
    assert_eq!(
        events(&out),
        [
            json!({ "type": "context", "contextTokens": 105 }),
            json!({ "type": "toolCall", "toolCallId": "a", "toolName": "f", "input": {}, "status": "pending" }),
            json!({ "type": "toolCall", "toolCallId": "b", "toolName": "f", "input": {}, "status": "pending" }),
        ]
    );
    let out = done(&mut turn, "b", "f", json!(2));
    assert_eq!(
        events(&out),
        [json!({ "type": "toolResult", "toolCallId": "b", "toolName": "f", "ok": true })]
    );
    assert_eq!(
        done(&mut turn, "a", "f", json!(1)).last(),
        Some(&LoopOutput::Send)
    );
    let out = stream(
        &mut turn,
        [
            StreamEvent::Text("ok".to_owned()),
            StreamEvent::Block(Block::text("ok")),
            usage(200),
            StreamEvent::Ended(StopReason::End),
        ],
    );
    assert_eq!(ending(&out), Some(&Ending::Done));
    let told = events(&out);
    assert_eq!(told[1], json!({ "type": "context", "contextTokens": 205 }));
    // Billing sums the input of all rounds; the context meter shows only the latest.
    assert_eq!(
        (&told[2]["type"], &told[2]["promptTokens"]),
        (&json!("usage"), &json!(300))
    );
    assert_eq!(told[3], json!({ "type": "done" }));
    let roles: Vec<Role> = turn.messages().iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [Role::User, Role::Assistant, Role::Tool, Role::Assistant]
    );
    let Block::ToolResult(first) = &turn.messages()[2].content[0] else {
        panic!("a result")
    };
    assert_eq!(
        first.tool_call_id, "a",
        "results stand in the order of their calls"
    );
}

#[test]
fn the_cost_is_the_tokens_at_the_lists_prices() {
    let mut turn = begun(plan());
    let round = Usage {
        prompt_tokens: 1_000_000,
        completion_tokens: 100_000,
        ..Usage::default()
    };
    let out = stream(
        &mut turn,
        [
            StreamEvent::Usage(round),
            StreamEvent::Ended(StopReason::End),
        ],
    );
    let Some(LoopOutput::Emit(TurnEvent::Usage(usage))) = out
        .iter()
        .find(|output| matches!(output, LoopOutput::Emit(TurnEvent::Usage(_))))
    else {
        panic!("{out:?}")
    };
    assert_eq!(usage.cost_usd, Some(7.5));
}

#[test]
fn k20_an_unknown_tool_and_bad_arguments_go_back_to_the_model() {
    let mut turn = begun(plan());
    let StreamEvent::Call { call: bad, .. } = call("b", "f") else {
        unreachable!()
    };
    let out = stream(
        &mut turn,
        [
            call("a", "gone"),
            StreamEvent::Call {
                call: bad,
                problem: Some("no object".to_owned()),
            },
            StreamEvent::Ended(StopReason::ToolCalls),
        ],
    );
    assert_eq!(
        out.last(),
        Some(&LoopOutput::Send),
        "there was nothing to run"
    );
    let errors: Vec<Value> = events(&out)
        .into_iter()
        .filter(|event| event["type"] == "toolResult")
        .map(|event| event["error"].clone())
        .collect();
    assert_eq!(
        errors,
        [
            json!("There is no tool `gone` on offer."),
            json!("no object")
        ]
    );
}

#[test]
fn k14_ids_that_repeat_over_rounds_become_unique() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("call_0", "f")]);
    done(&mut turn, "call_0", "f", json!(1));
    let out = calls(&mut turn, &[("call_0", "f"), ("", "f")]);
    let Some(LoopOutput::Run(batch)) = out.last() else {
        panic!("{out:?}")
    };
    let ids: Vec<&str> = batch
        .iter()
        .map(|call| call.tool_call_id.as_str())
        .collect();
    assert_eq!(ids, ["call_0-2", "call"]);
}

#[test]
fn only_models_that_see_have_screenshots_made_and_the_model_has_no_say() {
    for (model, sees) in [("claude-opus-5", true), ("llama3.2", false)] {
        let mut plan = plan();
        plan.settings = ModelSettings::new(model, Capabilities::of(model));
        let mut turn = begun(plan);
        let mut wish = call("a", "render_snapshot");
        if let StreamEvent::Call { call, .. } = &mut wish {
            call.input = json!({ "captureScreenshot": !sees, "nodeId": "n" });
        }
        let out = stream(&mut turn, [wish, StreamEvent::Ended(StopReason::ToolCalls)]);
        let Some(LoopOutput::Run(batch)) = out.last() else {
            panic!("{out:?}")
        };
        assert_eq!(
            batch[0].input,
            json!({ "captureScreenshot": sees, "nodeId": "n" })
        );
    }
}

/// The encoded messages of the request, one string each.
fn any_input() -> impl Strategy<Value = LoopInput> {
    let named = (0..4_u8, 0..3_u8).prop_map(|(id, name)| {
        let name = ["f", "read_document", "gone"][usize::from(name)];
        call(&format!("c{id}"), name)
    });
    let stop = prop::sample::select(vec![
        StopReason::End,
        StopReason::ToolCalls,
        StopReason::Pause,
        StopReason::ContextFull,
        StopReason::Length { call_lost: true },
        StopReason::Length { call_lost: false },
        StopReason::Refusal { explanation: None },
    ]);
    let class = prop::sample::select(vec![
        ErrorClass::Overloaded,
        ErrorClass::Auth,
        ErrorClass::StreamTruncated,
    ]);
    prop_oneof![
        2 => Just(LoopInput::Begin),
        6 => "[a-z]{1,4}".prop_map(|text| LoopInput::Stream(StreamEvent::Text(text))),
        6 => named.prop_map(LoopInput::Stream),
        3 => (1..1000_u64).prop_map(|tokens| LoopInput::Stream(usage(tokens))),
        5 => stop.prop_map(|stop| LoopInput::Stream(StreamEvent::Ended(stop))),
        2 => class.prop_map(|class| LoopInput::Stream(StreamEvent::Failed(ModelError::new(class, "")))),
        5 => (0..4_u8).prop_map(|id| {
            let StreamEvent::Call { call, .. } = call(&format!("c{id}"), "f") else { unreachable!() };
            LoopInput::ToolDone(ToolOutcome { result: ToolResult::failed(&call, "x"), ends_turn: false })
        }),
        2 => Just(LoopInput::ToolsEnded),
        2 => Just(LoopInput::Woke),
        1 => Just(LoopInput::Tick),
        1 => Just(LoopInput::Abort),
    ]
}

proptest! {
    #[test]
    fn the_same_inputs_give_the_same_outputs_and_a_history_that_can_be_sent(
        inputs in prop::collection::vec(any_input(), 0..60),
        seed in any::<u64>(),
    ) {
        let run = || {
            let mut turn = ToolLoop::new(TurnPlan { seed, prices: Arc::default(), ..plan() });
            let mut outputs = turn.step(0, LoopInput::Begin);
            for (at, input) in inputs.iter().enumerate() {
                outputs.extend(turn.step(at as u64 * 100, input.clone()));
            }
            outputs.extend(turn.step(100_000, LoopInput::Abort));
            (outputs, turn.messages().to_vec())
        };
        let (outputs, messages) = run();
        prop_assert_eq!(&(outputs.clone(), messages.clone()), &run());
        let overs = outputs.iter().filter(|output| matches!(output, LoopOutput::Over(_))).count();
        prop_assert_eq!(overs, 1);
        prop_assert!(matches!(outputs.last(), Some(LoopOutput::Over(_))));
        // Every call has its result right after it, and no id is used twice.
        let mut seen = std::collections::BTreeSet::new();
        for (at, message) in messages.iter().enumerate() {
            let asked: Vec<&str> = message.content.iter().filter_map(|block| match block {
                Block::ToolCall(call) => Some(call.tool_call_id.as_str()),
                _ => None,
            }).collect();
            prop_assert!(asked.iter().all(|id| seen.insert(*id)));
            if asked.is_empty() {
                continue;
            }
            let answered: Vec<&str> = messages[at + 1].content.iter().filter_map(|block| match block {
                Block::ToolResult(result) => Some(result.tool_call_id.as_str()),
                _ => None,
            }).collect();
            prop_assert_eq!(asked, answered);
        }
    }
}

#[test]
fn a_turn_that_goes_on_runs_its_open_calls_before_anything_is_sent() {
    let open = ToolCall {
        tool_call_id: "a".to_owned(),
        tool_name: "f".to_owned(),
        input: json!({ "x": 1 }),
        echo: None,
    };
    let history = vec![
        Message::user("hi"),
        Message::assistant(vec![Block::text("I look."), Block::ToolCall(open.clone())]),
    ];
    let going_on = |goes_on| {
        ToolLoop::new(TurnPlan {
            history: history.clone(),
            goes_on,
            ..plan()
        })
    };
    let mut turn = going_on(true);
    assert_eq!(
        turn.step(0, LoopInput::Begin),
        [LoopOutput::Run(vec![open])]
    );
    let out = done(&mut turn, "a", "f", json!(7));
    assert_eq!(out.last(), Some(&LoopOutput::Send));
    let Some(Block::ToolResult(result)) = turn.messages()[2].content.first() else {
        panic!("{:?}", turn.messages())
    };
    assert_eq!(result.data, Some(json!(7)));
    // A new turn does not run calls that an earlier one left open.
    assert_eq!(
        going_on(false).step(0, LoopInput::Begin),
        [LoopOutput::Send]
    );
}

#[test]
fn what_people_say_and_other_tools_are_taken_up_between_rounds() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "f")]);
    done(&mut turn, "a", "f", json!(1));
    turn.take_up(
        vec![Message::user("blue, please")],
        Some(Arc::new([tool("g", false)])),
    );
    let body: Value = serde_json::from_slice(&turn.request_body()).unwrap();
    assert!(body["messages"].to_string().contains("blue, please"));
    assert_eq!(body["tools"][0]["name"], "g");
    let out = calls(&mut turn, &[("b", "g")]);
    assert!(matches!(out.last(), Some(LoopOutput::Run(_))), "{out:?}");
}
