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
fn sent(turn: &ToolLoop) -> Vec<String> {
    let body: Value = serde_json::from_slice(&turn.request_body()).unwrap();
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect()
}

#[test]
fn stale_heavy_results_are_elided_once_and_the_rest_of_the_prefix_never_changes() {
    let mut turn = begun(plan());
    let mut requests = vec![sent(&turn)];
    for round in 0..6 {
        let id = format!("r{round}");
        calls(&mut turn, &[(&id, "read_document")]);
        done(
            &mut turn,
            &id,
            "read_document",
            json!({ "html": format!("<p>{round}</p>") }),
        );
        requests.push(sent(&turn));
    }
    for pair in requests.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        // Only the newest result of the previous request may differ, because this request elides it.
        let differing: Vec<usize> = (0..before.len())
            .filter(|at| before[*at] != after[*at])
            .collect();
        let newest = before.len() - 1;
        let expected = if before.len() > 1 {
            vec![newest]
        } else {
            vec![]
        };
        assert_eq!(differing, expected);
        if before.len() > 1 {
            assert!(
                after[newest].contains("Earlier read_document output removed"),
                "{}",
                after[newest]
            );
            assert!(
                after[newest].contains("Call read_document again"),
                "{}",
                after[newest]
            );
        }
    }
    assert!(requests[6].last().unwrap().contains("<p>5</p>"));
}

#[test]
fn results_of_one_batch_are_equally_new_and_pictures_are_heavy() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "read_document"), ("b", "read_document")]);
    done(&mut turn, "a", "read_document", json!("part 1"));
    done(&mut turn, "b", "read_document", json!("part 2"));
    let body = String::from_utf8(turn.request_body()).unwrap();
    assert!(body.contains("part 1") && body.contains("part 2"));
    for id in ["c", "d"] {
        calls(&mut turn, &[(id, "render_snapshot")]);
        let image = Image {
            mime_type: "image/png".to_owned(),
            data: format!("picture{id}"),
        };
        let result = ToolResult {
            tool_call_id: id.to_owned(),
            tool_name: "render_snapshot".to_owned(),
            ok: true,
            data: None,
            error: None,
            receipt: None,
            images: vec![image],
        };
        turn.step(
            2,
            LoopInput::ToolDone(ToolOutcome {
                result,
                ends_turn: false,
            }),
        );
    }
    let body = String::from_utf8(turn.request_body()).unwrap();
    assert!(!body.contains("picturec") && body.contains("pictured"));
    assert!(
        body.contains("part 1"),
        "another tool's results are not touched"
    );
}

#[test]
fn reasoning_that_is_bound_to_its_prefix_goes_when_the_prefix_is_elided() {
    let mut plan = plan();
    plan.settings = ModelSettings::new("claude-opus-5-5", Capabilities::of("claude-opus-5-5"));
    let mut turn = begun(plan);
    let thought = |turn: &mut ToolLoop, id: &str| {
        let echo = crate::message::Echo {
            format: crate::message::Format::Messages,
            model: "claude-opus-5-5".to_owned(),
            fields: serde_json::Map::new(),
        };
        let mut events = vec![StreamEvent::Block(Block::Reasoning(echo))];
        events.extend([
            call(id, "read_document"),
            StreamEvent::Ended(StopReason::ToolCalls),
        ]);
        stream(turn, events);
        done(turn, id, "read_document", json!(id));
    };
    let kept = |turn: &ToolLoop| {
        let blocks = turn.messages().iter().flat_map(|message| &message.content);
        blocks
            .filter(|block| matches!(block, Block::Reasoning(_)))
            .count()
    };
    thought(&mut turn, "a");
    assert_eq!(kept(&turn), 1);
    thought(&mut turn, "b");
    assert_eq!(
        kept(&turn),
        1,
        "the one before the elided result stays, the one behind it goes"
    );
}

#[test]
fn every_limit_stops_the_turn_cleanly() {
    let check = |limits: TurnLimits, now_ms: u64, limit: Limit| {
        let mut plan = plan();
        plan.limits = limits;
        let mut turn = begun(plan);
        calls(&mut turn, &[("a", "f")]);
        let result = ToolResult::failed(
            &ToolCall {
                tool_call_id: "a".to_owned(),
                tool_name: "f".to_owned(),
                input: json!({}),
                echo: None,
            },
            "x",
        );
        let out = turn.step(
            now_ms,
            LoopInput::ToolDone(ToolOutcome {
                result,
                ends_turn: false,
            }),
        );
        let Some(Ending::OutOfBudget(budget)) = ending(&out) else {
            panic!("{out:?}")
        };
        assert_eq!(budget.limit, limit);
        let told = events(&out);
        assert_eq!(told[1]["type"], "budget");
        assert_eq!(told.last(), Some(&json!({ "type": "done" })));
        assert_eq!(
            turn.messages().last().map(|message| message.role),
            Some(Role::Tool),
            "the history stays whole"
        );
    };
    let free = TurnLimits::default();
    check(TurnLimits { rounds: 1, ..free }, 2, Limit::Rounds);
    check(
        TurnLimits {
            time: Duration::from_secs(1),
            ..free
        },
        1000,
        Limit::Time,
    );
    check(
        TurnLimits {
            tokens: 115,
            ..free
        },
        2,
        Limit::Tokens,
    );
    check(
        TurnLimits {
            cost_usd: Some(0.0001),
            ..free
        },
        2,
        Limit::Cost,
    );
}

#[test]
fn a_turn_out_of_time_closes_what_is_open() {
    let mut plan = plan();
    plan.limits.time = Duration::from_secs(1);
    let mut turn = begun(plan);
    stream(&mut turn, [StreamEvent::Text("half".to_owned())]);
    assert_eq!(turn.step(999, LoopInput::Tick), []);
    let out = turn.step(turn.deadline_ms(), LoopInput::Tick);
    assert!(out.contains(&LoopOutput::Close));
    assert!(matches!(ending(&out), Some(Ending::OutOfBudget(_))));
}

fn overloaded() -> StreamEvent {
    StreamEvent::Failed(ModelError::new(ErrorClass::Overloaded, ""))
}

#[test]
fn k08_failures_are_retried_before_the_first_token_and_never_after() {
    let mut turn = begun(plan());
    let out = stream(&mut turn, [overloaded()]);
    let Some(LoopOutput::Wait(first)) = out.last() else {
        panic!("{out:?}")
    };
    assert!(*first >= Duration::from_millis(375) && *first <= Duration::from_millis(500));
    assert_eq!(turn.step(1, LoopInput::Woke), [LoopOutput::Send]);
    assert!(matches!(
        stream(&mut turn, [overloaded()]).last(),
        Some(LoopOutput::Wait(_))
    ));
    assert_eq!(turn.step(1, LoopInput::Woke), [LoopOutput::Send]);
    let out = stream(&mut turn, [overloaded()]);
    assert!(
        matches!(ending(&out), Some(Ending::Failed(error)) if error.class == ErrorClass::Overloaded)
    );

    let mut turn = begun(plan());
    let out = stream(
        &mut turn,
        [StreamEvent::Text("shown".to_owned()), overloaded()],
    );
    assert!(matches!(ending(&out), Some(Ending::Failed(_))));
    assert_eq!(
        turn.messages().last(),
        Some(&Message::assistant(vec![Block::text("shown")]))
    );
}

#[test]
fn k29_a_stream_that_broke_is_billed_by_a_guess_that_says_so() {
    let mut turn = begun(plan());
    let out = stream(
        &mut turn,
        [StreamEvent::Text("12345678".to_owned()), overloaded()],
    );
    let told = events(&out);
    let bill = told.iter().find(|event| event["type"] == "usage").unwrap();
    assert_eq!(
        (&bill["estimated"], &bill["completionTokens"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn a_stop_keeps_what_was_said_and_answers_what_was_asked() {
    let mut turn = begun(plan());
    stream(&mut turn, [StreamEvent::Text("half a".to_owned())]);
    let out = turn.step(1, LoopInput::Abort);
    assert_eq!(out[0], LoopOutput::Close);
    assert_eq!(ending(&out), Some(&Ending::Stopped));
    assert!(events(&out).iter().all(|event| event["type"] != "error"));
    assert_eq!(
        turn.messages().last(),
        Some(&Message::assistant(vec![Block::text("half a")]))
    );
    assert_eq!(turn.step(1, LoopInput::Abort), [], "once is enough");

    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "f"), ("b", "f")]);
    done(&mut turn, "a", "f", json!(1));
    let out = turn.step(1, LoopInput::Abort);
    assert_eq!(ending(&out), Some(&Ending::Stopped));
    let results: Vec<bool> = turn.messages()[2]
        .content
        .iter()
        .map(|block| matches!(block, Block::ToolResult(result) if result.ok))
        .collect();
    assert_eq!(
        results,
        [true, false],
        "k12: a call that was given up has a result too"
    );
}

#[test]
fn k28_a_refusal_is_not_kept_and_a_pause_is_continued() {
    let mut turn = begun(plan());
    let out = stream(
        &mut turn,
        [
            StreamEvent::Text("I will".to_owned()),
            StreamEvent::Block(Block::text("I will")),
            StreamEvent::Ended(StopReason::Refusal {
                explanation: Some("no".to_owned()),
            }),
        ],
    );
    assert_eq!(
        ending(&out),
        Some(&Ending::Refused {
            explanation: Some("no".to_owned())
        })
    );
    assert_eq!(turn.messages().len(), 1);

    let mut turn = begun(plan());
    for _ in 0..5 {
        let out = stream(
            &mut turn,
            [
                StreamEvent::Block(Block::text("…")),
                StreamEvent::Ended(StopReason::Pause),
            ],
        );
        assert_eq!(out.last(), Some(&LoopOutput::Send));
    }
    let out = stream(&mut turn, [StreamEvent::Ended(StopReason::Pause)]);
    assert!(
        matches!(ending(&out), Some(Ending::Failed(_))),
        "a provider that never stops pausing is stuck"
    );
}

#[test]
fn k15_a_call_that_was_cut_off_is_told_to_the_model_and_never_ends_a_turn_silently() {
    let mut turn = begun(plan());
    let cut = || {
        [
            StreamEvent::Block(Block::text("I write")),
            StreamEvent::Ended(StopReason::Length { call_lost: true }),
        ]
    };
    for _ in 0..2 {
        let out = stream(&mut turn, cut());
        assert_eq!(out.last(), Some(&LoopOutput::Send));
        assert_eq!(
            turn.messages().last().map(|message| message.role),
            Some(Role::User)
        );
    }
    let out = stream(&mut turn, cut());
    assert_eq!(ending(&out), Some(&Ending::CutOff));
    assert_eq!(events(&out).last().unwrap()["type"], "error");
}

#[test]
fn an_empty_answer_is_tried_once_more_where_that_is_a_cold_start() {
    let mut plan = plan();
    plan.provider = ProviderId::OpenRouter;
    let mut turn = begun(plan);
    assert_eq!(
        stream(&mut turn, [StreamEvent::Ended(StopReason::End)]).last(),
        Some(&LoopOutput::Send)
    );
    assert_eq!(
        ending(&stream(&mut turn, [StreamEvent::Ended(StopReason::End)])),
        Some(&Ending::Done)
    );
}

#[test]
fn a_tool_may_end_the_turn() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "f")]);
    let StreamEvent::Call { call, .. } = call("a", "f") else {
        unreachable!()
    };
    let outcome = ToolOutcome {
        result: ToolResult {
            ok: true,
            error: None,
            ..ToolResult::failed(&call, "")
        },
        ends_turn: true,
    };
    let out = turn.step(2, LoopInput::ToolDone(outcome));
    assert_eq!(ending(&out), Some(&Ending::EndedByTool));
}

#[test]
fn tools_that_never_answer_are_reported() {
    let mut turn = begun(plan());
    calls(&mut turn, &[("a", "f")]);
    let out = turn.step(2, LoopInput::ToolsEnded);
    assert_eq!(out.last(), Some(&LoopOutput::Send));
    assert_eq!(events(&out)[0]["ok"], false);
}

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
