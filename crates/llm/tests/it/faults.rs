//! What goes wrong between us and a provider.

use std::time::Duration;

use serde_json::json;
use sitewright_llm::{Ending, ErrorClass};
use sitewright_testkit::model::{Dialect, Faults, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use super::{Host, client, egress, plan, provider, run};

const SAID: &str = "Grüße aus Tromsø: 4 °C, snø ☃ 😀.";

/// The faults that a provider may have without anything being lost.
fn harmless() -> Vec<Faults> {
    let none = Faults::default;
    vec![
        Faults {
            crlf: true,
            ..none()
        },
        Faults {
            lone_cr: true,
            ..none()
        },
        Faults {
            bom: true,
            tight: true,
            ..none()
        },
        Faults {
            keepalives: true,
            unknown_events: true,
            ..none()
        },
        Faults {
            chunk_bytes: Some(1),
            ..none()
        },
        Faults {
            chunk_bytes: Some(7),
            crlf: true,
            keepalives: true,
            piece_chars: Some(1),
            ..none()
        },
        Faults {
            drip_ms: Some(0),
            ..none()
        },
    ]
}

#[tokio::test]
async fn k01_k02_k05_line_ends_splits_marks_and_keepalives_lose_nothing() {
    for dialect in Dialect::ALL {
        for faults in harmless() {
            let simulator =
                ModelSimulator::start(dialect, Scenario::named("text").with_faults(&faults));
            let host = Host::default();
            let (ending, _) = run(plan(dialect), &client(&simulator, dialect), &host).await;
            assert_eq!(
                (ending, host.text().as_str()),
                (Ending::Done, SAID),
                "{dialect:?} {faults:?}"
            );
        }
    }
}

fn class(ending: &Ending) -> Option<ErrorClass> {
    match ending {
        Ending::Failed(error) => Some(error.class),
        _ => None,
    }
}

#[tokio::test]
async fn rate_limits_and_overload_are_waited_for() {
    for (dialect, status) in [
        (Dialect::Anthropic, 529),
        (Dialect::Anthropic, 429),
        (Dialect::OpenAi, 429),
        (Dialect::Ollama, 503),
    ] {
        let scenario = format!(
            r#"{{"rounds": [{{"error": {{"status": {status}, "message": "slow", "retryAfter": "0.05"}}}}, {{"reply": {{"blocks": [{{"text": "ok"}}]}}}}]}}"#
        );
        let simulator = ModelSimulator::start(dialect, Scenario::from_json(&scenario));
        let host = Host::default();
        assert_eq!(
            run(plan(dialect), &client(&simulator, dialect), &host)
                .await
                .0,
            Ending::Done
        );
        assert_eq!(
            host.written_of("retry")[0]["afterMs"],
            json!(50),
            "as long as the provider asked for"
        );
    }
}

#[tokio::test]
async fn errors_that_will_not_pass_end_the_turn_with_a_sentence() {
    let check = async |dialect, error: &str, expected: ErrorClass| {
        let scenario = Scenario::from_json(&format!(r#"{{"rounds": [{{"error": {error}}}]}}"#));
        let simulator = ModelSimulator::start(dialect, scenario);
        let host = Host::default();
        let (ending, _) = run(plan(dialect), &client(&simulator, dialect), &host).await;
        assert_eq!(class(&ending), Some(expected), "{dialect:?} {error}");
        let told = host.written();
        assert_eq!(told[0]["type"], "error");
        assert!(
            told[0]["message"]
                .as_str()
                .is_some_and(|text| text.starts_with(expected.sentence()))
        );
    };
    for dialect in Dialect::ALL {
        check(
            dialect,
            r#"{"status": 401, "message": "bad key"}"#,
            ErrorClass::Auth,
        )
        .await;
        check(
            dialect,
            r#"{"status": 402, "message": "no credit"}"#,
            ErrorClass::Billing,
        )
        .await;
        check(
            dialect,
            r#"{"status": 404, "message": "no such model"}"#,
            ErrorClass::InvalidRequest,
        )
        .await;
    }
    check(
        Dialect::OpenAi,
        r#"{"status": 429, "kind": "insufficient_quota", "message": "quota"}"#,
        ErrorClass::Billing,
    )
    .await;
    check(
        Dialect::Anthropic,
        r#"{"status": 429, "message": "spend cap"}"#,
        ErrorClass::RateLimited,
    )
    .await;
    check(
        Dialect::Ollama,
        r#"{"status": 400, "message": "llama2 does not support tools"}"#,
        ErrorClass::NoToolSupport,
    )
    .await;
    check(
        Dialect::OpenAi,
        r#"{"status": 400, "kind": "context_length_exceeded", "message": "long"}"#,
        ErrorClass::ContextOverflow,
    )
    .await;
    check(
        Dialect::OpenRouter,
        r#"{"status": 413, "body": "<html><title>413 Too Large</title></html>"}"#,
        ErrorClass::InvalidRequest,
    )
    .await;
}

#[tokio::test]
async fn k35_a_connection_that_breaks_before_the_first_token_is_tried_again() {
    for dialect in Dialect::ALL {
        let cut = r#"{"reply": {"blocks": [{"text": "lost"}], "faults": {"disconnectAt": 0}}}"#;
        let scenario =
            format!(r#"{{"rounds": [{cut}, {{"reply": {{"blocks": [{{"text": "ok"}}]}}}}]}}"#);
        let simulator = ModelSimulator::start(dialect, Scenario::from_json(&scenario));
        let host = Host::default();
        assert_eq!(
            run(plan(dialect), &client(&simulator, dialect), &host)
                .await
                .0,
            Ending::Done,
            "{dialect:?}"
        );
        assert_eq!(
            (host.text().as_str(), host.written_of("retry").len()),
            ("ok", 1)
        );
    }
}

#[tokio::test]
async fn k03_a_disconnect_at_any_byte_never_runs_a_partial_call_and_always_ends() {
    for dialect in Dialect::ALL {
        for at in (40..3200).step_by(211) {
            let reply = r#"{"blocks": [{"text": "Let me write that down."}, {"toolCall": {"id": "c", "name": "ping", "arguments": {"a": 1}}}], "#;
            let scenario = format!(
                r#"{{"rounds": [{{"reply": {reply} "faults": {{"disconnectAt": {at}}}}}}}, {{"error": {{"status": 400}}}}]}}"#
            );
            let simulator = ModelSimulator::start(dialect, Scenario::from_json(&scenario));
            let host = Host::default();
            let (ending, _) = run(plan(dialect), &client(&simulator, dialect), &host).await;
            let ran = !host.batches.lock().unwrap().is_empty();
            let expected = if ran {
                ErrorClass::InvalidRequest
            } else {
                class(&ending).unwrap()
            };
            assert_eq!(class(&ending), Some(expected), "{dialect:?} at {at}");
            if !host.text().is_empty() && !ran {
                assert_eq!(
                    simulator.requests().len(),
                    1,
                    "what was shown is not asked for again"
                );
            }
            simulator.forgive();
        }
    }
}

#[tokio::test]
async fn k06_an_error_in_the_middle_of_a_stream_keeps_what_was_said() {
    for dialect in Dialect::ALL {
        let faults = Faults {
            error_after: Some(9),
            piece_chars: Some(3),
            ..Faults::default()
        };
        let simulator =
            ModelSimulator::start(dialect, Scenario::named("text").with_faults(&faults));
        let host = Host::default();
        let (ending, turn) = run(plan(dialect), &client(&simulator, dialect), &host).await;
        let expected = match dialect {
            Dialect::Anthropic => ErrorClass::Overloaded,
            // A local server just stops.
            Dialect::Ollama => ErrorClass::StreamTruncated,
            _ => ErrorClass::Server,
        };
        assert_eq!(class(&ending), Some(expected), "{dialect:?}");
        assert!(!host.text().is_empty() && SAID.starts_with(&host.text()));
        assert_eq!(turn.messages().len(), 2);
    }
}

#[tokio::test]
async fn malformed_empty_and_duplicate_calls_are_answered_and_the_turn_goes_on() {
    for dialect in Dialect::ALL {
        let scenario = Scenario::from_json(
            r#"{"rounds": [
                {"reply": {"blocks": [
                    {"toolCall": {"id": "same", "name": "ping", "arguments": "{\"a\":"}},
                    {"toolCall": {"id": "same", "name": "ping", "arguments": ""}},
                    {"toolCall": {"id": "other", "name": "nobody", "arguments": {}}}
                ]}},
                {"expect": ["Send the call again", "There is no tool `nobody`"], "reply": {"blocks": [{"text": "sorry"}]}}
            ]}"#,
        );
        let simulator = ModelSimulator::start(dialect, scenario);
        let host = Host::default();
        assert_eq!(
            run(plan(dialect), &client(&simulator, dialect), &host)
                .await
                .0,
            Ending::Done,
            "{dialect:?}"
        );
        let batches = host.batches.lock().unwrap();
        assert_eq!(
            (batches.len(), batches[0].len(), &batches[0][0].input),
            (1, 1, &json!({}))
        );
    }
}

#[tokio::test]
async fn k15_a_call_cut_off_at_the_limit_is_told_to_the_model() {
    for dialect in Dialect::ALL {
        let mut scenario = Scenario::named("length");
        scenario.rounds.extend(
            Scenario::from_json(r#"{"rounds": [{"expect": ["was cut off at the output limit"], "reply": {"blocks": [{"text": "shorter"}]}}]}"#).rounds,
        );
        let simulator = ModelSimulator::start(dialect, scenario);
        let host = Host::default();
        assert_eq!(
            run(plan(dialect), &client(&simulator, dialect), &host)
                .await
                .0,
            Ending::Done,
            "{dialect:?}"
        );
        assert!(host.batches.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn k28_a_refusal_ends_the_turn_as_one() {
    for dialect in Dialect::ALL {
        let simulator = ModelSimulator::start(dialect, Scenario::named("refusal"));
        let host = Host::default();
        let (ending, turn) = run(plan(dialect), &client(&simulator, dialect), &host).await;
        assert!(
            matches!(ending, Ending::Refused { .. }),
            "{dialect:?} {ending:?}"
        );
        assert_eq!(
            turn.messages().len(),
            1,
            "what was refused is not said again"
        );
    }
}

#[tokio::test]
async fn a_silent_stream_is_given_up() {
    let faults = Faults {
        stall_after: Some(1),
        ..Faults::default()
    };
    let simulator = ModelSimulator::start(
        Dialect::Anthropic,
        Scenario::says("never").with_faults(&faults),
    );
    let mut plan = plan(Dialect::Anthropic);
    plan.limits.rounds = 1;
    let client = client(&simulator, Dialect::Anthropic).with_idle(Duration::from_millis(500));
    let (ending, _) = run(plan, &client, &Host::default()).await;
    // It is tried again, and the simulator has no second round.
    assert_eq!(class(&ending), Some(ErrorClass::InvalidRequest));
    assert_eq!(simulator.forgive(), ["the scenario has no round left"]);
}

/// A provider that answers once with this, as ours sees it.
async fn against(answer: Answer) -> Ending {
    let vendor = Vendor::answering(move |_| answer.clone());
    let client = sitewright_llm::ModelClient::new(
        egress(),
        provider(Dialect::OpenAi),
        Some(&vendor.url("/v1")),
        None,
    );
    run(plan(Dialect::OpenAi), &client, &Host::default())
        .await
        .0
}

#[tokio::test]
async fn k07_an_error_behind_a_status_of_success_is_an_error() {
    let json = |body: &str| {
        Answer::Reply(Reply::new(200, body).with_header("content-type", "application/json"))
    };
    let ending = against(json(r#"{"error":{"code":402,"message":"credits"}}"#)).await;
    assert_eq!(class(&ending), Some(ErrorClass::Billing));
    let ending = against(json(r#"{"id":"resp_1","output":[]}"#)).await;
    assert_eq!(class(&ending), Some(ErrorClass::Protocol));
    let html = Reply::new(200, "<html><title>Sign in</title></html>")
        .with_header("content-type", "text/html");
    assert!(matches!(
        against(Answer::Reply(html)).await,
        Ending::Failed(_)
    ));
}

#[tokio::test]
async fn redirects_are_not_followed_with_a_key_in_hand() {
    let ending = against(Answer::redirect(307, "http://127.0.0.1:9/v1/responses")).await;
    assert_eq!(class(&ending), Some(ErrorClass::Network));
}

#[tokio::test]
async fn an_endless_event_is_cut_off() {
    let endless = Answer::Endless {
        headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
        part: [b"data: ".to_vec(), vec![b'x'; 1 << 20]].concat(),
    };
    let ending = against(endless).await;
    assert_eq!(class(&ending), Some(ErrorClass::Protocol));
}

#[tokio::test]
async fn an_address_that_may_not_be_reached_is_said_so_and_not_tried_again() {
    let policy = sitewright_egress::EgressPolicy::default();
    let closed =
        sitewright_egress::Egress::new(policy, sitewright_egress::Limits::default()).unwrap();
    let client = sitewright_llm::ModelClient::new(
        closed,
        provider(Dialect::Ollama),
        Some("http://127.0.0.1:9"),
        None,
    );
    let host = Host::default();
    let (ending, _) = run(plan(Dialect::Ollama), &client, &host).await;
    assert_eq!(class(&ending), Some(ErrorClass::Network));
    assert!(
        host.written()[0]["message"]
            .as_str()
            .unwrap()
            .contains("SITEWRIGHT_EGRESS_ALLOW")
    );
    assert_eq!(host.written_of("retry").len(), 0);
}

#[tokio::test]
async fn a_key_that_a_stream_quotes_is_not_passed_on() {
    let vendor = Vendor::answering(|received| {
        let key = received.header("x-api-key").unwrap_or_default();
        let error = json!({ "type": "error", "error": { "type": "authentication_error", "message": format!("<{key}> expired") } });
        let stream = format!("event: error\ndata: {error}\n\n");
        Answer::Reply(Reply::new(200, stream).with_header("content-type", "text/event-stream"))
    });
    let key = Some("open-sesame".into());
    let (provider, url) = (provider(Dialect::Anthropic), vendor.url(""));
    let client = sitewright_llm::ModelClient::new(egress(), provider, Some(&url), key);
    let host = Host::default();
    let (ending, _) = run(plan(Dialect::Anthropic), &client, &host).await;
    let Ending::Failed(error) = ending else {
        panic!("{ending:?}");
    };
    assert_eq!(
        (error.class, error.detail.as_str()),
        (ErrorClass::Auth, "<[redacted]> expired")
    );
}
