//! Tool requests of records: errors, approvals, many at once, and the tools of the scope.

use serde_json::{Value, json};

use sitewright_testkit::vendor::{Answer, Vendor};

use super::{Follower, answered, ask, asking, post};
use crate::ai::with_loopback;
use crate::instance::Instance;

#[tokio::test]
async fn every_tool_answers_the_fields_of_the_catalogue() {
    let (instance, ada) = Instance::owned().await;
    let note = json!({ "schema_name": "note.v1", "title": "N", "context": { "a": 1 } });
    let answers = answered(
        &instance,
        &ada,
        "s",
        json!([
            ask("calculator", json!({ "expression": "25 * 4" }), "a-calc"),
            ask("random", json!({}), "b-random"),
            ask("echo", json!({ "message": { "deep": [1, "x"] } }), "c-echo"),
            ask("timer", json!({ "seconds": 0.01 }), "d-timer"),
            ask("breadcrumb-create", note, "e-create"),
            ask(
                "breadcrumb-search",
                json!({ "schema_name": "no.v1" }),
                "f-search"
            ),
        ]),
    )
    .await;
    for answer in &answers {
        assert_eq!(answer["status"], "success", "{answer}");
        assert!(answer.get("error").is_none());
    }
    assert_eq!(answers[0]["output"], json!({ "result": 100 }));
    let drawn = answers[1]["output"]["numbers"].as_array().expect("numbers");
    assert_eq!(drawn.len(), 1);
    assert_eq!(
        answers[2]["output"],
        json!({ "echo": { "deep": [1, "x"] } })
    );
    assert_eq!(answers[3]["output"], json!({ "waited": 0.01 }));
    assert_eq!(answers[4]["output"]["success"], true);
    assert_eq!(
        answers[5]["output"],
        json!({ "breadcrumbs": [], "count": 0 })
    );
    let id = answers[4]["output"]["id"].as_str().expect("an id");
    assert_eq!(
        uuid::Uuid::parse_str(id).map(|id| id.get_version_num()),
        Ok(7)
    );
    let change = json!({ "id": id, "version": 1, "context": { "a": 2 } });
    let again = change.clone();
    let changed = answered(
        &instance,
        &ada,
        "s",
        json!([ask("breadcrumb-update", change, "u")]),
    )
    .await;
    assert_eq!(
        changed[0]["output"],
        json!({ "id": id, "success": true, "new_version": 2 })
    );
    let late = answered(
        &instance,
        &ada,
        "s",
        json!([ask("breadcrumb-update", again, "u")]),
    )
    .await;
    assert_eq!(late[0]["status"], "error");
}

#[tokio::test]
async fn every_error_has_the_standard_form() {
    let (instance, ada) = Instance::owned().await;
    let mut with_config = ask(
        "openrouter",
        json!({ "messages": [{ "role": "user", "content": "hi" }] }),
        "d",
    );
    with_config["config_id"] = json!("nowhere");
    let answers = answered(
        &instance,
        &ada,
        "s",
        json!([
            ask("no-such-tool", json!({}), "a"),
            ask("Calculator", json!({ "expression": "1" }), "b"),
            ask("calculator", json!({ "expresion": "1" }), "c"),
            with_config,
            ask(
                "openrouter",
                json!({ "messages": [{ "role": "user", "content": "hi" }] }),
                "e"
            ),
        ]),
    )
    .await;
    for (answer, expected) in answers.iter().zip([
        "There is no tool `no-such-tool`",
        "names count by letter: is it `calculator`?",
        "expresion",
        "There is no configuration `nowhere`",
        "There is no access to OpenRouter",
    ]) {
        let fields: Vec<&String> = answer.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["request_id", "tool", "status", "output", "error"]);
        assert_eq!(answer["status"], "error");
        let error = answer["error"].as_str().expect("a sentence");
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_thousand_requests_of_one_record_are_all_answered_once() {
    let (instance, ada) = Instance::owned().await;
    let requests: Vec<Value> = (0..1000)
        .map(|number| ask("echo", json!({ "message": number }), &format!("r{number}")))
        .collect();
    let answers = answered(&instance, &ada, "s", json!(requests)).await;
    let mut echoed: Vec<i64> = answers
        .iter()
        .filter_map(|answer| answer["output"]["echo"].as_i64())
        .collect();
    echoed.sort_unstable();
    assert_eq!(echoed, (0..1000).collect::<Vec<i64>>());
    let too_many: Vec<Value> = (0..1001)
        .map(|number| ask("echo", json!({}), &format!("r{number}")))
        .collect();
    let refused = ada
        .call(
            &instance,
            "POST",
            "/breadcrumbs",
            asking("s", json!(too_many)),
        )
        .await;
    assert_eq!(refused.status.as_u16(), 400);
}

#[tokio::test]
async fn a_request_that_needs_approval_is_seen_to_wait_and_is_answered_after_the_decision() {
    let (instance, ada) = Instance::owned().await;
    let tool = |tool: &str, arguments: Value| json!({ "tool": tool, "scope": "site", "arguments": arguments });
    let added = ada
        .call(
            &instance,
            "POST",
            "/tools/call",
            tool("addPage", json!({ "title": "Old" })),
        )
        .await;
    let page = added.body["data"]["pageId"].clone();
    let made = post(
        &instance,
        &ada,
        asking(
            "s",
            json!([ask("deletePage", json!({ "pageId": page }), "del-1")]),
        ),
    )
    .await;
    let id = made["id"].as_str().expect("an id");
    let mut follower = Follower::new(&instance, &ada, "after=0&tag=session:s").await;
    let waiting = loop {
        let event = follower.next().await;
        if event["event"] == "waiting" {
            break event;
        }
    };
    assert_eq!(waiting["detail"]["request_id"], "del-1");
    let requests = ada
        .get(&instance, &format!("/breadcrumbs/{id}/requests"))
        .await
        .body;
    assert_eq!(requests["requests"][0]["state"], "waiting");
    let approval = waiting["detail"]["approval"]["id"].as_str().expect("an id");
    let path = format!("/admin/api/approvals/{approval}");
    let decided = ada
        .call(&instance, "POST", &path, json!({ "decision": "approve" }))
        .await;
    assert_eq!(decided.said(), "200");
    let answer = follower.next().await;
    assert_eq!(
        answer["breadcrumb"]["context"]["status"], "success",
        "{answer}"
    );
}

#[tokio::test]
async fn open_requests_can_be_stopped() {
    let (instance, ada) = Instance::owned().await;
    let made = post(
        &instance,
        &ada,
        asking("s", json!([ask("timer", json!({ "seconds": 300 }), "t")])),
    )
    .await;
    let path = format!("/breadcrumbs/{}/stop", made["id"].as_str().expect("an id"));
    assert_eq!(
        ada.call(&instance, "POST", &path, json!({})).await.said(),
        "204"
    );
    let query = "after=0&schema_name=tool.response.v1";
    let answer = Follower::new(&instance, &ada, query).await.next().await;
    let context = &answer["breadcrumb"]["context"];
    assert_eq!(
        (&context["status"], &context["error"]),
        (&json!("error"), &json!("The call was stopped."))
    );
}

/// As in a conversation, the vendor gets a pseudonym: it tells sessions apart and learns none of their names.
#[tokio::test]
async fn a_remote_tool_learns_the_session_of_the_record_that_asks() {
    let vendor = Vendor::answering(|_| Answer::ok(r#"{"data": 1}"#));
    let (instance, ada) = with_loopback().await;
    let registration = json!({
        "manifest": {
            "name": "echo_say", "description": "Echoes", "inputSchema": { "type": "object" }, "outputSchema": {},
            "capability": "read", "timeoutMs": 20_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
        },
        "endpoint": vendor.url("/echo")
    });
    let registered = ada
        .call(&instance, "POST", "/tools/register", registration)
        .await;
    assert!(registered.status.is_success(), "{registered:?}");
    for session in ["one", "one", "two"] {
        let asked = json!([ask("echo_say", json!({ "a": 1 }), "r")]);
        let answers = answered(&instance, &ada, session, asked).await;
        assert_eq!(answers.last().expect("an answer")["status"], "success");
    }
    let received = vendor.requests();
    let sessions: Vec<String> = received
        .iter()
        .map(|request| {
            let body: Value = serde_json::from_slice(&request.body).expect("JSON");
            let session = body["context"]["sessionId"].as_str();
            session.expect("a session").to_owned()
        })
        .collect();
    let [first, again, other] = &sessions[..] else {
        panic!("{sessions:?}");
    };
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(
        !first.contains("one") && !other.contains("two"),
        "{sessions:?}"
    );
}

#[tokio::test]
async fn an_answer_is_as_sensitive_as_the_record_that_asked() {
    let (instance, ada) = Instance::owned().await;
    let echo = ask("echo", json!({ "message": "555-0100" }), "r");
    let mut record = asking("s", json!([echo]));
    record["sensitivity"] = json!("pii");
    let made = post(&instance, &ada, record).await;
    let id = made["id"].as_str().expect("an id");
    let query = format!("after=0&schema_name=tool.response.v1&tag=record:{id}");
    let mut follower = Follower::new(&instance, &ada, &query).await;
    let answer = follower.next().await["breadcrumb"].clone();
    assert_eq!(
        (
            &answer["sensitivity"],
            &answer["context"],
            &answer["withheld"]
        ),
        (&json!("pii"), &json!({}), &json!(true))
    );
    let path = format!(
        "/breadcrumbs/{}/full",
        answer["id"].as_str().expect("an id")
    );
    let full = ada.get(&instance, &path).await.body;
    assert_eq!(full["context"]["output"], json!({ "echo": "555-0100" }));
}

#[tokio::test]
async fn an_output_that_no_record_holds_is_left_out_and_said_to_be() {
    let (instance, ada) = Instance::owned().await;
    let long = "x".repeat(300_000);
    let steps: Vec<Value> = (0..4)
        .map(|at| json!({ "id": format!("s{at}"), "tool": "echo", "input": { "message": long } }))
        .collect();
    let workflow = ask("workflow", json!({ "steps": steps }), "r");
    let refused = ada
        .call(
            &instance,
            "POST",
            "/breadcrumbs",
            asking("s", json!([workflow])),
        )
        .await;
    assert_eq!(refused.body["errors"][0]["field"], "context", "{refused:?}");
    let steps: Vec<Value> = (0..4)
        .map(|at| match at {
            0 => json!({ "id": "s0", "tool": "echo", "input": { "message": long } }),
            _ => json!({ "id": format!("s{at}"), "tool": "echo", "input": { "message": "${s0.echo}" } }),
        })
        .collect();
    let requests = json!([ask("workflow", json!({ "steps": steps }), "r")]);
    let answers = answered(&instance, &ada, "s", requests).await;
    assert_eq!(answers[0]["status"], "success");
    let output = &answers[0]["output"];
    assert_eq!(output["omitted"], true, "{output}");
    assert!(
        output["bytes"]
            .as_u64()
            .is_some_and(|bytes| bytes > 1_200_000),
        "{output}"
    );
}
