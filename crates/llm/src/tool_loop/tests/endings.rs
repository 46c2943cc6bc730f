//! How a turn ends: at limits, by failures, by a stop, by a refusal and by a tool.

use super::*;

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
