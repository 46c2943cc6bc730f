//! Whole turns with every provider.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sitewright_llm::{
    Backend, Ending, Limit, LocalModel, Message, ProviderId, Role, StopReason, StreamEvent,
    ToolCall, ToolLoop, ToolOutcome, TurnEvent, TurnHost, TurnPlan, run_turn,
};
use sitewright_testkit::model::{Dialect, Faults, ModelSimulator, Scenario};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Host, PATIENCE, answer, client, model, plan, run};

#[tokio::test]
async fn every_provider_calls_tools_and_answers() {
    for dialect in Dialect::ALL {
        let simulator = ModelSimulator::start(dialect, Scenario::named("tools"));
        let host = Host::default();
        let (ending, turn) = run(plan(dialect), &client(&simulator, dialect), &host).await;
        assert_eq!(ending, Ending::Done, "{dialect:?}");
        assert_eq!(host.text(), "Let me look at Tromsø ☃ first.4 °C — snø 😀");
        let batches = host.batches.lock().unwrap();
        let calls: Vec<(&str, &Value)> = batches[0]
            .iter()
            .map(|call| (call.tool_name.as_str(), &call.input))
            .collect();
        assert_eq!(
            calls,
            [
                ("get_weather", &json!({ "city": "Tromsø", "days": 3 })),
                ("ping", &json!({}))
            ]
        );
        let roles: Vec<Role> = turn.messages().iter().map(|message| message.role).collect();
        assert_eq!(
            roles,
            [Role::User, Role::Assistant, Role::Tool, Role::Assistant]
        );
        assert_eq!(
            (simulator.rounds_left(), simulator.requests().len()),
            (0, 2)
        );
    }
}

#[tokio::test]
async fn the_meter_shows_the_latest_round_and_the_bill_sums_them() {
    for dialect in Dialect::ALL {
        let simulator = ModelSimulator::start(dialect, Scenario::named("tools"));
        let host = Host::default();
        run(plan(dialect), &client(&simulator, dialect), &host).await;
        let meter: Vec<Value> = host
            .written_of("context")
            .iter()
            .map(|event| event["contextTokens"].clone())
            .collect();
        assert_eq!(meter, [json!(1000), json!(1400)], "{dialect:?}");
        let bill = &host.written_of("usage")[0];
        let input = match dialect {
            // Without what came from the cache or went to it.
            Dialect::Anthropic => 300 + 400,
            _ => 2400,
        };
        assert_eq!(
            (&bill["promptTokens"], &bill["completionTokens"]),
            (&json!(input), &json!(59)),
            "{dialect:?}"
        );
        let cost = bill["costUsd"].as_f64();
        match dialect {
            Dialect::OpenRouter => assert!(
                cost.is_some_and(|cost| (cost - 0.0019).abs() < 1e-9),
                "its own figure"
            ),
            Dialect::Ollama => assert_eq!(cost, Some(0.0)),
            Dialect::Venice => assert_eq!(cost, None, "no price is known"),
            Dialect::Anthropic | Dialect::OpenAi => assert!(cost.is_some_and(|cost| cost > 0.0)),
        }
    }
}

#[tokio::test]
async fn a_tool_name_with_a_dot_survives_the_way_there_and_back() {
    for dialect in Dialect::ALL {
        let scenario = Scenario::from_json(
            r#"{"rounds": [
                {"expect": ["pim__getProduct"], "expectNot": ["pim.getProduct"],
                 "reply": {"blocks": [{"toolCall": {"id": "c", "name": "pim__getProduct", "arguments": {"sku": "1"}}}]}},
                {"reply": {"blocks": [{"text": "done"}]}}
            ]}"#,
        );
        let simulator = ModelSimulator::start(dialect, scenario);
        let mut plan = plan(dialect);
        let mut tools = plan.tools.to_vec();
        tools[0].name = "pim.getProduct".to_owned();
        plan.tools = tools.into();
        let host = Host::default();
        assert_eq!(
            run(plan, &client(&simulator, dialect), &host).await.0,
            Ending::Done
        );
        assert_eq!(
            host.batches.lock().unwrap()[0][0].tool_name,
            "pim.getProduct"
        );
    }
}

#[tokio::test]
async fn reasoning_goes_back_to_the_model_that_made_it_and_to_no_other() {
    for (dialect, proof) in [
        (Dialect::Anthropic, "c2lnbmVk"),
        (Dialect::OpenAi, "c2lnbmVk"),
        (Dialect::OpenRouter, "c2lnbmVk"),
    ] {
        let simulator = ModelSimulator::start(dialect, Scenario::named("tools"));
        let (_, turn) = run(
            plan(dialect),
            &client(&simulator, dialect),
            &Host::default(),
        )
        .await;
        assert!(
            simulator.requests()[1].to_string().contains(proof),
            "{dialect:?}"
        );
        let mut history = turn.messages().to_vec();
        history.push(Message::user("And tomorrow?"));
        for other in Dialect::ALL.into_iter().filter(|other| *other != dialect) {
            let simulator = ModelSimulator::start(other, Scenario::says("Rain."));
            let plan = sitewright_llm::TurnPlan {
                history: history.clone(),
                ..plan(other)
            };
            assert_eq!(
                run(plan, &client(&simulator, other), &Host::default())
                    .await
                    .0,
                Ending::Done
            );
            assert!(
                !simulator.requests()[0].to_string().contains(proof),
                "{dialect:?} to {other:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_history_that_was_cut_off_can_be_continued_with_every_provider() {
    for dialect in Dialect::ALL {
        let simulator = ModelSimulator::start(dialect, Scenario::named("tools"));
        let (_, turn) = run(
            plan(dialect),
            &client(&simulator, dialect),
            &Host::default(),
        )
        .await;
        let mut history = turn.messages()[..2].to_vec();
        history.push(Message::user("Still there?"));
        let scenario = Scenario::from_json(
            r#"{"rounds": [{"expect": ["was interrupted"], "reply": {"blocks": [{"text": "Yes."}]}}]}"#,
        );
        let simulator = ModelSimulator::start(dialect, scenario);
        let plan = sitewright_llm::TurnPlan {
            history,
            ..plan(dialect)
        };
        assert_eq!(
            run(plan, &client(&simulator, dialect), &Host::default())
                .await
                .0,
            Ending::Done,
            "{dialect:?}"
        );
    }
}

#[tokio::test]
async fn the_key_is_shown_in_each_providers_way() {
    for dialect in Dialect::ALL {
        let simulator = ModelSimulator::start(dialect, Scenario::says("hi"));
        run(
            plan(dialect),
            &client(&simulator, dialect),
            &Host::default(),
        )
        .await;
        let received = &simulator.received()[0];
        let (name, value) = match dialect {
            Dialect::Anthropic => ("x-api-key", "sk-test-0123456789"),
            _ => ("authorization", "Bearer sk-test-0123456789"),
        };
        assert_eq!(received.header(name), Some(value));
        assert_eq!(
            received.header("accept-encoding"),
            Some("identity"),
            "a compressor would hold events back"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_closes_the_connection_at_once_and_is_no_error() {
    for dialect in Dialect::ALL {
        let faults = Faults {
            stall_after: Some(9),
            piece_chars: Some(4),
            ..Faults::default()
        };
        let simulator = ModelSimulator::start(
            dialect,
            Scenario::says("Words and more words and more.").with_faults(&faults),
        );
        let abort = CancellationToken::new();
        let mut host = Host::default();
        let token = abort.clone();
        host.on_text = Box::new(move || token.cancel());
        let mut turn = ToolLoop::new(plan(dialect));
        // The stream stalls: nothing else than the stop would end the turn for half an hour.
        let client = client(&simulator, dialect).with_idle(Duration::from_secs(3600));
        let mut listener = &host;
        let running = run_turn(&mut turn, Backend::Provider(&client), &mut listener, &abort);
        let ending = tokio::time::timeout(PATIENCE, running).await;
        assert_eq!(ending, Ok(Ending::Stopped), "{dialect:?}");
        assert!(
            simulator.saw_hang_up(PATIENCE),
            "the provider goes on writing"
        );
        assert_eq!(host.written_of("error").len(), 0);
        assert_eq!(host.written_of("usage")[0]["estimated"], true);
        assert!(
            turn.messages()
                .last()
                .is_some_and(|last| last.role == Role::Assistant),
            "what was said stays"
        );
    }
}

#[tokio::test]
async fn a_stop_while_tools_run_gives_them_up() {
    let simulator = ModelSimulator::start(Dialect::Anthropic, Scenario::named("tools"));
    let abort = CancellationToken::new();
    let token = abort.clone();
    let host = Host {
        answering: Box::new(move |call| match call.tool_name.as_str() {
            "get_weather" => Some(answer(call, json!(1))),
            _ => {
                token.cancel();
                None
            }
        }),
        ..Host::default()
    };
    let mut turn = ToolLoop::new(plan(Dialect::Anthropic));
    let ending = run_turn(
        &mut turn,
        Backend::Provider(&client(&simulator, Dialect::Anthropic)),
        &mut &host,
        &abort,
    )
    .await;
    assert_eq!(ending, Ending::Stopped);
    let results: Vec<Value> = host
        .written_of("toolResult")
        .iter()
        .map(|event| event["ok"].clone())
        .collect();
    assert_eq!(results, [json!(true), json!(false)]);
}

#[tokio::test]
async fn a_turn_that_takes_too_long_ends_at_its_deadline() {
    let faults = Faults {
        stall_after: Some(6),
        ..Faults::default()
    };
    let simulator = Arc::new(ModelSimulator::start(
        Dialect::Anthropic,
        Scenario::says("On and on and on.").with_faults(&faults),
    ));
    let mut plan = plan(Dialect::Anthropic);
    plan.limits.time = Duration::from_millis(150);
    let host = Host::default();
    // The clock stands still until the provider has the request, and then jumps: tokio leaves a paused clock where it is
    // while blocking work is under way.
    tokio::time::pause();
    tokio::task::spawn_blocking(simulator.until_requests(1));
    let (ending, _) = run(plan, &client(&simulator, Dialect::Anthropic), &host).await;
    let Ending::OutOfBudget(budget) = ending else {
        panic!("{ending:?}")
    };
    assert_eq!(budget.limit, Limit::Time);
    assert_eq!(host.written_of("budget").len(), 1);
    let hung_up = tokio::task::spawn_blocking(move || simulator.saw_hang_up(PATIENCE));
    assert!(hung_up.await.unwrap());
}

#[tokio::test]
async fn the_same_conversation_is_the_same_bytes() {
    let bodies = |dialect| async move {
        let simulator = ModelSimulator::start(dialect, Scenario::named("tools"));
        run(
            plan(dialect),
            &client(&simulator, dialect),
            &Host::default(),
        )
        .await;
        let received = simulator.received();
        received
            .into_iter()
            .map(|received| received.body)
            .collect::<Vec<_>>()
    };
    for dialect in Dialect::ALL {
        assert_eq!(
            bodies(dialect).await,
            bodies(dialect).await,
            "{}",
            model(dialect)
        );
    }
}

/// Calls a tool, then says what it answered.
struct Planner;

impl LocalModel for Planner {
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>> {
        let is_answered = conversation
            .last()
            .is_some_and(|last| last.role == Role::Tool);
        let call = ToolCall {
            tool_call_id: "1".to_owned(),
            tool_name: "ping".to_owned(),
            input: json!({}),
            echo: None,
        };
        let said = if is_answered {
            StreamEvent::Text("It answered.".to_owned())
        } else {
            StreamEvent::Call {
                call,
                problem: None,
            }
        };
        Box::pin(async { vec![said, StreamEvent::Ended(StopReason::End)] })
    }
}

#[tokio::test]
async fn a_planner_in_this_process_drives_the_same_loop() {
    let host = Host::default();
    let mut turn = ToolLoop::new(TurnPlan {
        provider: ProviderId::Offline,
        ..plan(Dialect::Ollama)
    });
    let never = CancellationToken::new();
    let ending = run_turn(&mut turn, Backend::BuiltIn(&Planner), &mut &host, &never).await;
    assert_eq!(ending, Ending::Done);
    assert_eq!(host.text(), "It answered.");
    assert_eq!(host.written_of("toolResult")[0]["ok"], true);
}

/// A tool that takes longer than the turn may, because it waits for a person.
struct Patient {
    began: tokio::time::Instant,
    host: Host,
}

impl<'a> TurnHost for &'a Patient {
    type Report = ToolOutcome;
    type Batch = BoxFuture<'a, ()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        Box::pin(async { (&mut &self.host).event(event).await })
    }

    fn report(&mut self, outcome: ToolOutcome) -> Option<ToolOutcome> {
        Some(outcome)
    }

    fn run(&mut self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) -> Self::Batch {
        let mut host = &self.host;
        Box::pin(async move {
            tokio::time::sleep(Duration::from_mins(5)).await;
            host.run(batch, done).await;
        })
    }

    fn waited(&self) -> Duration {
        self.began.elapsed()
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_spends_no_time() {
    let host = Patient {
        began: tokio::time::Instant::now(),
        host: Host::default(),
    };
    let mut plan = TurnPlan {
        provider: ProviderId::Offline,
        ..plan(Dialect::Ollama)
    };
    plan.limits.time = Duration::from_secs(60);
    let mut turn = ToolLoop::new(plan);
    let never = CancellationToken::new();
    let ending = run_turn(&mut turn, Backend::BuiltIn(&Planner), &mut &host, &never).await;
    assert_eq!(ending, Ending::Done);
}
