//! Records: versions, visibility, keys, filters and the stream.

use http::header::HeaderValue;
use serde_json::{Value, json};

use super::{Follower, get, post};
use crate::instance::{Browser, Instance, request};

fn note(title: &str, context: Value) -> Value {
    json!({ "schema_name": "note.v1", "title": title, "tags": ["note"], "context": context })
}

#[tokio::test]
async fn a_record_is_created_read_changed_and_deleted_with_its_versions() {
    let (instance, ada) = Instance::owned().await;
    let made = post(
        &instance,
        &ada,
        json!({ "action": "create", "breadcrumb": note("First", json!({ "a": 1 })) }),
    )
    .await;
    assert_eq!(
        (&made["version"], &made["visibility"], &made["sensitivity"]),
        (&json!(1), &json!("team"), &json!("low"))
    );
    let path = format!("/breadcrumbs/{}", made["id"].as_str().expect("an id"));
    assert_eq!(
        get(&instance, &ada, &path).await.body["context"],
        json!({ "a": 1 })
    );
    let patch = json!({ "version": 1, "context": { "a": 2 }, "tags": ["note", "done"] });
    let changed = ada.call(&instance, "PATCH", &path, patch.clone()).await;
    assert_eq!(
        (changed.said().as_str(), &changed.body["version"]),
        ("200", &json!(2))
    );
    let late = ada.call(&instance, "PATCH", &path, patch).await;
    assert_eq!(
        late.said(),
        "409 conflict: The record has version 2 by now; read it again, then change that version."
    );
    assert_eq!(
        (&late.body["version"], &late.body["current"]["context"]),
        (&json!(2), &json!({ "a": 2 }))
    );
    let history = get(&instance, &ada, &format!("{path}/history")).await.body;
    let contexts: Vec<&Value> = history["versions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["context"])
        .collect();
    assert_eq!(contexts, [&json!({ "a": 1 }), &json!({ "a": 2 })]);
    let tagged = get(&instance, &ada, "/breadcrumbs?tag=note,done")
        .await
        .body;
    assert_eq!(tagged["count"], 1);
    assert_eq!(
        ada.call(&instance, "DELETE", &path, Value::Null)
            .await
            .said(),
        "204"
    );
    assert_eq!(
        get(&instance, &ada, &path).await.said(),
        "404 not_found: There is no record with this id."
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_record_is_named() {
    let (instance, ada) = Instance::owned().await;
    let request = |change: fn(&mut Value)| {
        let mut request =
            json!({ "tool": "echo", "input": {}, "requestId": "a", "return_to_llm": false });
        change(&mut request);
        json!({ "schema_name": "agent.response.v1", "title": "T", "context": { "tool_requests": [request] } })
    };
    let twice = json!({ "tool": "echo", "input": {}, "requestId": "a", "return_to_llm": false });
    for (body, field) in [
        (
            json!({ "action": "destroy", "breadcrumb": note("T", json!({})) }),
            "action",
        ),
        (json!({ "title": "T" }), "schema_name"),
        (json!({ "schema_name": "a b", "title": "T" }), "schema_name"),
        (
            json!({ "schema_name": "note.v1", "title": "T", "colour": 1 }),
            "colour",
        ),
        (
            json!({ "schema_name": "note.v1", "title": "T", "ttl": -1 }),
            "ttl",
        ),
        (
            request(|one| one["requestId"] = Value::Null),
            "context.tool_requests[0].requestId",
        ),
        (
            request(|one| one["input"] = json!([])),
            "context.tool_requests[0].input",
        ),
        (
            request(|one| drop(one.as_object_mut().map(|one| one.remove("return_to_llm")))),
            "context.tool_requests[0]",
        ),
        (
            json!({ "schema_name": "agent.response.v1", "title": "T", "context": { "tool_requests": [twice, twice] } }),
            "context.tool_requests[1].requestId",
        ),
    ] {
        let answer = ada
            .call(&instance, "POST", "/breadcrumbs", body.clone())
            .await;
        assert_eq!(answer.status.as_u16(), 400, "{body}");
        let named = answer.body["errors"][0]["field"]
            .as_str()
            .unwrap_or_default();
        assert!(
            named == field || answer.said().contains(field),
            "{body}: {answer:?}"
        );
    }
    assert_eq!(get(&instance, &ada, "/breadcrumbs").await.body["count"], 0);
}

#[tokio::test]
async fn a_repeat_with_the_same_key_gets_the_first_record() {
    let (instance, ada) = Instance::owned().await;
    let keyed = async |body: Value| {
        let mut request = ada.dress(request("POST", "/breadcrumbs", Some(body)));
        request
            .headers_mut()
            .insert("idempotency-key", HeaderValue::from_static("k-1"));
        instance.send(request).await
    };
    let first = keyed(note("One", json!({}))).await;
    let again = keyed(note("One", json!({}))).await;
    assert_eq!(
        (again.said().as_str(), &again.body["id"]),
        ("201", &first.body["id"])
    );
    let other = keyed(note("Two", json!({}))).await;
    assert_eq!(
        other.said(),
        "409 conflict: The idempotency key was used for another record; choose a new one for this."
    );
    assert_eq!(get(&instance, &ada, "/breadcrumbs").await.body["count"], 1);
}

#[tokio::test]
async fn private_records_and_sessions_are_their_owners_alone() {
    let (instance, ada) = Instance::owned().await;
    let eve = instance.member("eve@example.com", "admin").await;
    let mut secret = note("Mine", json!({ "x": 1 }));
    secret["visibility"] = json!("private");
    let made = post(&instance, &ada, secret).await;
    let path = format!("/breadcrumbs/{}", made["id"].as_str().expect("an id"));
    assert_eq!(get(&instance, &eve, &path).await.status.as_u16(), 404);
    assert_eq!(get(&instance, &eve, "/breadcrumbs").await.body["count"], 0);
    let mut in_session = note("Here", json!({}));
    in_session["tags"] = json!(["session:s1"]);
    post(&instance, &ada, in_session.clone()).await;
    let refused = eve
        .call(&instance, "POST", "/breadcrumbs", in_session)
        .await;
    assert_eq!(
        refused.said(),
        "403 forbidden: The session `s1` belongs to someone else; use your own session."
    );
    let query = "after=0";
    let seen = Follower::new(&instance, &eve, query).await.next().await;
    assert_eq!(
        seen["breadcrumb"]["title"], "Here",
        "the private one is not in the stream"
    );
    let nobody = Browser::default().get(&instance, "/breadcrumbs").await;
    assert_eq!(nobody.status.as_u16(), 401);
}

#[tokio::test]
async fn lists_go_on_where_they_ended_and_conditions_fail_closed() {
    let (instance, ada) = Instance::owned().await;
    for number in 0..7 {
        post(
            &instance,
            &ada,
            note(
                &format!("Note {number}"),
                json!({ "n": number, "text": "Needle" }),
            ),
        )
        .await;
    }
    let mut titles = Vec::new();
    let mut after = String::new();
    loop {
        let page = get(&instance, &ada, &format!("/breadcrumbs?limit=3{after}"))
            .await
            .body;
        titles.extend(
            page["breadcrumbs"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|one| one["title"].to_string()),
        );
        let Some(next) = page["next"].as_i64() else {
            break;
        };
        after = format!("&after={next}");
    }
    assert_eq!(titles.len(), 7);
    assert!(titles.is_sorted());
    assert_eq!(
        get(&instance, &ada, "/breadcrumbs?q=needle&schema_name=note.v1")
            .await
            .body["count"],
        7
    );
    assert_eq!(
        get(&instance, &ada, "/breadcrumbs?q=%25").await.body["count"],
        0,
        "a wildcard is a character"
    );
    let found = |selector: Value| {
        let text: String =
            url::form_urlencoded::byte_serialize(selector.to_string().as_bytes()).collect();
        format!("/breadcrumbs?selector={text}")
    };
    let condition = |op: &str, value: Value| json!({ "context_match": [{ "path": "$.n", "op": op, "value": value }] });
    assert_eq!(
        get(&instance, &ada, &found(condition("gte", json!(5))))
            .await
            .body["count"],
        2
    );
    assert_eq!(
        get(&instance, &ada, &found(condition("like", json!(5))))
            .await
            .status
            .as_u16(),
        400
    );
    let tool = json!({ "tool": "breadcrumb-search", "scope": "breadcrumbs", "arguments": { "q": "needle", "limit": 2 } });
    let called = ada.call(&instance, "POST", "/tools/call", tool).await.body;
    assert_eq!(called["data"]["count"], 2, "{called}");
    assert_eq!(called["data"]["breadcrumbs"][0]["title"], "Note 6");
}

/// A client that loses its connection at any point and resumes sees every event once, in order.
#[tokio::test]
async fn a_stream_that_is_resumed_loses_and_repeats_nothing() {
    let (instance, ada) = Instance::owned().await;
    let mut seen: Vec<i64> = Vec::new();
    for round in 0..5_i64 {
        for number in 0..20 {
            post(
                &instance,
                &ada,
                note(&format!("{round}.{number}"), json!({})),
            )
            .await;
        }
        let after = seen.last().copied().unwrap_or_default();
        let mut follower = Follower::new(&instance, &ada, &format!("after={after}")).await;
        // Fewer than there are, so that the next connection has to take up the rest.
        for _ in 0..15 {
            seen.push(follower.next().await["seq"].as_i64().expect("a number"));
        }
    }
    let after = seen.last().copied().unwrap_or_default();
    let mut follower = Follower::new(&instance, &ada, &format!("after={after}")).await;
    while seen.len() < 100 {
        seen.push(follower.next().await["seq"].as_i64().expect("a number"));
    }
    assert_eq!(seen, (1..=100).collect::<Vec<i64>>());
    post(&instance, &ada, note("live", json!({}))).await;
    assert_eq!(
        follower.next().await["seq"],
        101,
        "and what comes later arrives by itself"
    );
}

#[tokio::test]
async fn sensitive_content_is_withheld_from_models_and_searches() {
    let (instance, ada) = Instance::owned().await;
    let mut personal = note("Person", json!({ "phone": "555-0100" }));
    personal["sensitivity"] = json!("pii");
    let made = post(&instance, &ada, personal).await;
    let path = format!("/breadcrumbs/{}", made["id"].as_str().expect("an id"));
    let shown = get(&instance, &ada, &path).await.body;
    assert_eq!(
        (&shown["context"], &shown["withheld"]),
        (&json!({}), &json!(true))
    );
    let full = get(&instance, &ada, &format!("{path}/full")).await.body;
    assert_eq!(full["context"], json!({ "phone": "555-0100" }));
    assert_eq!(
        get(&instance, &ada, "/breadcrumbs?q=555-0100").await.body["count"],
        0
    );
    let hinted = note(
        "Hints",
        json!({ "a": 1, "b": 2, "llm_hints": { "exclude": ["b"] } }),
    );
    let made = post(&instance, &ada, hinted).await;
    let path = format!("/breadcrumbs/{}", made["id"].as_str().expect("an id"));
    assert_eq!(
        get(&instance, &ada, &path).await.body["context"],
        json!({ "a": 1 })
    );
}
