//! Calls that ask, over HTTP: an agent's token gets a link, a person decides, and the same call then has its answer.

use serde_json::{Value, json};
use sitewright_store::{Place, SiteId, SitePolicy, Stamp, Store, Timestamp};

use crate::instance::{Browser, Instance};

async fn agent_token(instance: &Instance, ada: &Browser) -> String {
    let body = json!({ "name": "Claude", "kind": "agent", "capabilities": ["all"] });
    let made = ada.call(instance, "POST", "/admin/api/tokens", body).await;
    made.body["token"].as_str().expect("a token").to_owned()
}

/// An agent's wish to remove a page, with the answer that it waits.
async fn removal(instance: &Instance, ada: &Browser, token: &str) -> (Value, Value) {
    let add = json!({ "tool": "addPage", "arguments": { "title": "News" } });
    let added = ada.call(instance, "POST", "/tools/call", add).await.body;
    let wish = json!({
        "tool": "deletePage", "scope": "site", "idempotencyKey": "remove-1",
        "arguments": { "pageId": added["data"]["pageId"] },
    });
    let answer = instance
        .with_token(token, "POST", "/tools/call", wish.clone())
        .await
        .body;
    (wish, answer)
}

#[tokio::test]
async fn an_agent_waits_for_a_person_and_then_has_its_answer() {
    let (instance, ada) = Instance::owned().await;
    let token = agent_token(&instance, &ada).await;
    let (wish, answer) = removal(&instance, &ada, &token).await;
    assert_eq!(answer["error"]["code"], "approval_required", "{answer}");
    let approval = &answer["error"]["details"]["approval"];
    let id = approval["id"].as_str().expect("an id");
    let link = approval["link"].as_str().expect("a link");
    assert!(
        link.starts_with("http") && link.ends_with(&format!("/admin/approvals/{id}")),
        "{link}"
    );

    let inbox = ada.get(&instance, "/admin/api/approvals").await.body;
    let call = &inbox["approvals"][0]["calls"][0];
    assert_eq!(
        (&call["id"], &call["callerName"], &call["callerKind"]),
        (&json!(id), &json!("Claude"), &json!("agent"))
    );
    assert_eq!(call["preview"]["change"]["pagesRemoved"], 1);
    assert!(
        call["why"]
            .as_str()
            .is_some_and(|why| why.contains("Removing a page needs approval.")),
        "{call}"
    );

    let path = format!("/admin/api/approvals/{id}");
    let yes = json!({ "decision": "approve" });
    let by_agent = instance
        .with_token(&token, "POST", &path, yes.clone())
        .await;
    assert_eq!(by_agent.status.as_u16(), 403, "{by_agent:?}");
    let viewer = instance.member("vera@example.com", "viewer").await;
    assert_eq!(
        viewer
            .call(&instance, "POST", &path, yes.clone())
            .await
            .status
            .as_u16(),
        403
    );
    let decided = ada.call(&instance, "POST", &path, yes.clone()).await.body;
    assert_eq!(decided["calls"][0]["state"], "done", "{decided}");
    assert_eq!(decided["calls"][0]["approvedBy"], "Ada");
    let again = instance
        .with_token(&token, "POST", "/tools/call", wish)
        .await
        .body;
    assert_eq!(again["ok"], true, "{again}");
    let second = ada.call(&instance, "POST", &path, yes).await;
    assert_eq!(
        second.said(),
        "409 conflict: This call does not wait for a decision: it is done."
    );
    let inbox = ada.get(&instance, "/admin/api/approvals").await.body;
    assert_eq!(inbox["approvals"], json!([]));
}

#[tokio::test]
async fn a_person_who_may_approve_can_say_yes_with_the_call() {
    let (instance, ada) = Instance::owned().await;
    let token = agent_token(&instance, &ada).await;
    let (mut wish, _) = removal(&instance, &ada, &token).await;
    wish["confirmed"] = json!(true);
    wish["idempotencyKey"] = json!("remove-2");
    let by_agent = instance
        .with_token(&token, "POST", "/tools/call", wish.clone())
        .await
        .body;
    assert_eq!(
        by_agent["error"]["code"], "approval_required",
        "a model's word counts for nothing"
    );
    let editor = instance.member("ed@example.com", "editor").await;
    let by_editor = editor
        .call(&instance, "POST", "/tools/call", wish.clone())
        .await;
    assert_ne!(by_editor.body["ok"], true, "{by_editor:?}");
    let by_ada = ada.call(&instance, "POST", "/tools/call", wish).await.body;
    assert_eq!(by_ada["ok"], true, "{by_ada}");
}

#[tokio::test]
async fn calls_are_listed_with_what_came_of_them() {
    let (instance, ada) = Instance::owned().await;
    let token = agent_token(&instance, &ada).await;
    let (_, answer) = removal(&instance, &ada, &token).await;
    let id = answer["error"]["details"]["approval"]["id"]
        .as_str()
        .expect("an id");
    let path = format!("/admin/api/approvals/{id}");
    ada.call(&instance, "POST", &path, json!({ "decision": "deny" }))
        .await;
    let denied = ada
        .get(&instance, "/admin/api/calls?state=denied")
        .await
        .body;
    assert_eq!(denied["calls"][0]["id"], id, "{denied}");
    let one = ada
        .get(&instance, &format!("/admin/api/calls/{id}"))
        .await
        .body;
    assert_eq!(
        (&one["state"], &one["decision"]),
        (&json!("denied"), &json!("ask"))
    );
    let wrong = ada.get(&instance, "/admin/api/calls?state=lost").await;
    assert!(
        wrong.said().contains("`state` must be one of waiting"),
        "{}",
        wrong.said()
    );
    let known = json!({ "found": "happened" });
    let settled = ada
        .call(&instance, "POST", &format!("/admin/api/calls/{id}"), known)
        .await;
    assert_eq!(
        settled.said(),
        "409 conflict: The outcome of this call is known: it is denied."
    );
}

#[tokio::test]
async fn a_policy_is_checked_tried_and_counts_once_it_is_kept() {
    let (instance, ada) = Instance::owned().await;
    let token = agent_token(&instance, &ada).await;
    removal(&instance, &ada, &token).await;
    let shipped = ada.get(&instance, "/admin/api/policy").await.body;
    assert_eq!(shipped["isShipped"], true);
    let frozen = "@id(\"frozen\") @reason(\"The site is frozen.\") forbid (principal, action, resource) \
                  when { context.effect != Effect::\"none\" };";
    let policy = format!("{}\n{frozen}", shipped["active"].as_str().expect("a text"));
    let tried = ada
        .call(
            &instance,
            "POST",
            "/admin/api/policy/test",
            json!({ "policy": policy }),
        )
        .await
        .body;
    assert_eq!(tried["judged"], 2, "{tried}");
    assert_eq!(tried["differences"][0]["wouldBe"], "deny", "{tried}");
    let broken =
        json!({ "active": "permit (principal, action, resource) when { context.effekt };" });
    let refused = ada
        .call(&instance, "PUT", "/admin/api/policy", broken)
        .await;
    assert!(
        refused
            .said()
            .starts_with("400 invalid_input: The policy cannot be used: line 1"),
        "{}",
        refused.said()
    );
    let kept = ada
        .call(
            &instance,
            "PUT",
            "/admin/api/policy",
            json!({ "active": policy }),
        )
        .await;
    assert_eq!(kept.said(), "200");
    let add = json!({ "tool": "addPage", "arguments": { "title": "x" }, "confirmed": true });
    let refused = ada.call(&instance, "POST", "/tools/call", add).await.body;
    assert_eq!(refused["error"]["code"], "forbidden", "{refused}");
    assert!(
        refused["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("The site is frozen."))
    );
}

/// Each of these used to end the process, at once or with the next call.
#[tokio::test]
async fn a_policy_that_would_overflow_the_stack_is_refused_and_the_server_goes_on() {
    let (instance, ada) = Instance::owned().await;
    let deep =
        "line 1: brackets are nested more than 32 deep: split the condition into several policies";
    let large = "line 1: the policy has more than 500 operators and brackets: split it into several policies, or ask \
                 `[\"a\", \"b\"].contains(context.tool)` instead of comparing with one value after the other";
    let brackets = format!("{}true{}", "(".repeat(300), ")".repeat(300));
    let chain = |operator: &str| vec!["context.approved"; 2_756].join(operator);
    let alternatives = format!("{}true", "if true then true else ".repeat(1_122));
    let members = format!("context{}", ".a".repeat(20_000));
    for (condition, problem) in [
        (brackets, deep),
        (chain(" || "), large),
        (chain(" && "), large),
        (alternatives, large),
        (members, large),
    ] {
        let policy = format!("permit(principal,action,resource) when {{{condition}}};");
        let refused = format!("400 invalid_input: The policy cannot be used: {problem}.");
        let put = async |body| {
            ada.call(&instance, "PUT", "/admin/api/policy", body)
                .await
                .said()
        };
        assert_eq!(put(json!({ "active": policy })).await, refused);
        assert_eq!(put(json!({ "candidate": policy })).await, refused);
        let test = json!({ "policy": policy });
        let tried = ada.call(&instance, "POST", "/admin/api/policy/test", test);
        assert_eq!(tried.await.said(), refused);
        let look = json!({ "tool": "list_documents" });
        let answer = ada.call(&instance, "POST", "/tools/call", look).await.body;
        assert_eq!(answer["ok"], true, "{answer}");
    }
}

/// A policy from before there were limits stays in the database: it refuses calls, and is shown and replaced like any other.
#[tokio::test]
async fn a_stored_policy_over_the_limits_refuses_calls_until_it_is_replaced() {
    let (instance, ada) = Instance::owned().await;
    let policy = SitePolicy {
        active: Some(format!(
            "permit (principal, action, resource) when {{ {} }};",
            vec!["true"; 2_756].join(" || ")
        )),
        candidate: None,
    };
    let by = Stamp::local(Timestamp::now());
    let place = Place::File(instance.settings.data.join("sitewright.db"));
    let store = Store::open(&place).await.expect("the database");
    let site = SiteId::from("main".to_owned());
    store.set_policy(&site, &policy, &by).await.expect("stored");
    let instance = instance.opened_again(|_| {}).await;
    let look = async || {
        let look = json!({ "tool": "list_documents" });
        ada.call(&instance, "POST", "/tools/call", look).await.body
    };
    let refused = look().await;
    assert_eq!(refused["error"]["code"], "forbidden", "{refused}");
    assert_eq!(
        refused["error"]["message"],
        "No tool runs, because the policy of this site cannot be used: line 1: the policy has more than 500 operators and brackets: \
         split it into several policies, or ask `[\"a\", \"b\"].contains(context.tool)` instead of comparing with one value after the \
         other. Replace it with `sitewright policy set FILE`, or with the one Sitewright comes with: `sitewright policy set --shipped`."
    );
    let shown = ada.get(&instance, "/admin/api/policy").await.body;
    assert_eq!(shown["active"].as_str(), policy.active.as_deref());
    let shipped = json!({ "active": null });
    let replaced = ada.call(&instance, "PUT", "/admin/api/policy", shipped);
    assert_eq!(replaced.await.said(), "200");
    assert_eq!(look().await["ok"], true);
}

#[tokio::test]
async fn a_call_is_judged_without_being_made() {
    let (instance, ada) = Instance::owned().await;
    let judge = async |browser: &Browser, body: Value| {
        let answer = browser
            .call(&instance, "POST", "/admin/api/policy/decision", body)
            .await;
        assert_eq!(answer.said(), "200");
        answer.body
    };
    let add = json!({ "tool": "addPage", "arguments": { "title": "News" } });
    let added = ada.call(&instance, "POST", "/tools/call", add).await.body;
    let page = &added["data"]["pageId"];
    let remove = json!({ "tool": "deletePage", "arguments": { "pageId": page }, "as": "agent" });
    let asked = judge(&ada, remove.clone()).await;
    assert_eq!(asked["decision"], "ask");
    let why = asked["why"].as_str().expect("a reason");
    assert!(why.contains("Removing a page needs approval."), "{why}");
    let mine = json!({ "tool": "deletePage" });
    let general = judge(&ada, mine.clone()).await;
    let why = general["why"].as_str().expect("a reason");
    assert!(why.contains("the tool in general"), "{why}");
    let wrong = json!({ "tool": "deletePage", "arguments": { "pageId": "000000000009" } });
    let why = judge(&ada, wrong).await["why"].take();
    assert!(
        why.as_str().is_some_and(|why| why.contains("would fail")),
        "{why}"
    );
    let viewer = instance.member("vera@example.com", "viewer").await;
    let refused = judge(&viewer, mine).await;
    assert_eq!(
        (&refused["decision"], &refused["capability"]),
        (&json!("deny"), &json!("site.write"))
    );
    let publish = json!({ "tool": "publishSite", "arguments": {}, "as": "agent" });
    assert_eq!(judge(&ada, publish).await["decision"], "ask");
    let pages = ada.get(&instance, "/admin/api/calls").await.body;
    let made = pages["calls"].as_array().expect("a list");
    assert_eq!(made.len(), 1, "only the page was added: {made:?}");
    let unknown = json!({ "tool": "nope" });
    let unknown = ada
        .call(&instance, "POST", "/admin/api/policy/decision", unknown)
        .await;
    assert_eq!(unknown.status.as_u16(), 404);
}
