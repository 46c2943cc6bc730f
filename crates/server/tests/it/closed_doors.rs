//! The findings of the security review that are about doors of the HTTP API, each by its number.

use http::StatusCode;
use serde_json::{Value, json};

use crate::instance::{Browser, Instance, PASSWORD};

async fn agent_token(instance: &Instance, maker: &Browser, capabilities: Value) -> String {
    let body = json!({ "name": "agent", "kind": "agent", "capabilities": capabilities });
    let made = maker
        .call(instance, "POST", "/admin/api/tokens", body)
        .await;
    made.body["token"].as_str().expect("a token").to_owned()
}

async fn audited(instance: &Instance, ada: &Browser, action: &str) -> Vec<Value> {
    let page = ada.get(instance, "/admin/api/audit?limit=200").await.body;
    let entries = page["entries"].as_array().into_iter().flatten();
    entries
        .filter(|entry| entry["action"] == action)
        .cloned()
        .collect()
}

/// H1: raw changes, reverts, deletions and preview links went around the policy.
#[tokio::test]
async fn h1_an_agent_cannot_change_the_site_around_the_policy() {
    let (instance, ada) = Instance::owned().await;
    let agent = agent_token(&instance, &ada, json!(["all"])).await;
    let page = ada
        .call(
            &instance,
            "POST",
            "/tools/call",
            json!({ "tool": "addPage", "arguments": { "title": "About" } }),
        )
        .await
        .body["data"]["pageId"]
        .clone();
    let removal = json!({ "op": "remove", "entity": { "type": "page", "id": page } });
    let code = json!({ "op": "put", "entity": { "type": "site" }, "field": "headCode", "value": "<script>1</script>" });
    let change = |op: Value| json!({ "id": "x", "summary": "x", "format": 1, "ops": [op] });
    for (method, path, body) in [
        ("POST", "/admin/api/site/changes", change(removal)),
        ("POST", "/admin/api/site/changes", change(code)),
        (
            "POST",
            "/admin/api/site/reverts",
            json!({ "id": "r", "after": 1 }),
        ),
        ("DELETE", "/admin/api/media/x", json!(null)),
        (
            "POST",
            "/admin/api/site/preview-link",
            json!({ "pageId": page }),
        ),
    ] {
        let refused = instance.with_token(&agent, method, path, body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{method} {path}");
        assert!(refused.said().contains("POST /tools/call"), "{refused:?}");
    }
    let asked = instance
        .with_token(
            &agent,
            "POST",
            "/tools/call",
            json!({ "tool": "deletePage", "arguments": { "pageId": page } }),
        )
        .await;
    assert_eq!(asked.body["error"]["code"], "approval_required");
}

/// H2: an agent with all capabilities could switch the policy off, invite itself, and lift its limits.
#[tokio::test]
async fn h2_an_agent_never_manages_people_policy_providers_or_settings() {
    let (instance, ada) = Instance::owned().await;
    let agent = agent_token(&instance, &ada, json!(["all"])).await;
    let tokens = ada.get(&instance, "/admin/api/tokens").await.body;
    let granted = tokens["tokens"][0]["capabilities"].to_string();
    let offered = tokens["grantable"]["agent"].to_string();
    assert!(offered.contains("site.write"), "{offered}");
    for kept in [
        "users.manage",
        "tools.manage",
        "tools.approve",
        "ai.providers.manage",
        "settings.manage",
    ] {
        assert!(!granted.contains(kept), "{granted}");
        assert!(!offered.contains(kept), "{offered}");
        let for_scripts = tokens["grantable"]["script"].to_string();
        assert!(for_scripts.contains(kept), "{for_scripts}");
        let body = json!({ "name": "a", "kind": "agent", "capabilities": [kept] });
        let refused = ada.call(&instance, "POST", "/admin/api/tokens", body).await;
        assert_eq!(
            refused.said(),
            format!(
                "403 forbidden: An agent's token never allows this: {kept}. Use a script's token for it."
            )
        );
    }
    let everything = json!({ "active": "permit (principal, action, resource);" });
    for (method, path, body) in [
        ("PUT", "/admin/api/policy", everything),
        (
            "POST",
            "/admin/api/users",
            json!({ "email": "shadow@example.com", "role": "admin" }),
        ),
        ("GET", "/admin/api/users", json!(null)),
        ("PUT", "/admin/api/ai/budget", json!({})),
        ("POST", "/admin/api/ai/credentials", json!({})),
        (
            "POST",
            "/admin/api/tokens",
            json!({ "name": "s", "kind": "script", "capabilities": ["all"] }),
        ),
    ] {
        let refused = instance.with_token(&agent, method, path, body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{method} {path}");
    }
}

/// H4: the password was hashed before the link was looked at.
#[tokio::test]
async fn h4_a_stranger_without_a_link_costs_no_hash() {
    let (instance, _) = Instance::owned().await;
    let browser = Browser::default();
    let mut refused = 0;
    let mut too_many = 0;
    for _ in 0..150 {
        let answer = browser
            .call(
                &instance,
                "POST",
                "/admin/api/password-links/redeem",
                // Too short: had the link been valid, this would be the refusal.
                json!({ "token": "x", "password": "short" }),
            )
            .await;
        match answer.status.as_u16() {
            403 => refused += 1,
            429 => too_many += 1,
            other => panic!("{other}"),
        }
    }
    assert!(refused >= 90, "{refused}");
    assert!(too_many > 0, "{too_many}");
}

/// M5: the answers of `/tools` had none of the headers of the administration.
#[tokio::test]
async fn m5_tools_are_answered_like_the_rest_of_the_administration() {
    let (instance, ada) = Instance::owned().await;
    let tools = ada.get(&instance, "/tools").await;
    assert_eq!(tools.headers["cache-control"], "no-store");
    assert_eq!(tools.headers["x-frame-options"], "DENY");
    assert!(tools.headers.contains_key("content-security-policy"));
}

/// M7: guessing and refused requests left no trace.
#[tokio::test]
async fn m7_failed_sign_ins_and_refused_requests_are_in_the_log() {
    let (instance, ada) = Instance::owned().await;
    let mut stranger = Browser::default();
    for _ in 0..12 {
        stranger
            .sign_in(&instance, "eve@example.com", "not a password")
            .await;
    }
    let grace = instance.member("grace@example.com", "viewer").await;
    for _ in 0..3 {
        let refused = grace.get(&instance, "/admin/api/audit").await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
    }
    let bad = instance
        .with_token("swt_x", "GET", "/tools", json!(null))
        .await;
    assert_eq!(bad.status, StatusCode::UNAUTHORIZED);
    let failed = audited(&instance, &ada, "session.refused").await;
    // One entry at once for the guesses and the token, from one address within a minute.
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["subject"], "eve@example.com");
    assert_eq!(failed[0]["detail"]["address"], "192.0.2.7");
    let throttled = audited(&instance, &ada, "throttle.reached").await;
    assert_eq!(throttled.len(), 1, "{throttled:?}");
    let refused = audited(&instance, &ada, "access.refused").await;
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(refused[0]["subject"], "GET /admin/api/audit");
    assert_eq!(refused[0]["actorName"], "grace");
    // What came after the first is counted into one more entry.
    let app = instance.app.clone();
    app.close().await.expect("closed");
    let instance = instance.opened_again(|_| {}).await;
    let mut ada = Browser::default();
    ada.sign_in(&instance, "ada@example.com", PASSWORD).await;
    let refused = audited(&instance, &ada, "access.refused").await;
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert_eq!(refused[0]["detail"]["count"], 2);
}

/// M12: viewers read what everybody's tools were given and answered.
#[tokio::test]
async fn m12_viewers_see_their_own_calls_only() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "viewer").await;
    let call = json!({ "tool": "addPage", "arguments": { "title": "Secret" } });
    ada.call(&instance, "POST", "/tools/call", call).await;
    let all = ada.get(&instance, "/admin/api/calls").await.body;
    let id = all["calls"][0]["id"].as_str().expect("a call");
    let hers = grace.get(&instance, "/admin/api/calls").await.body;
    assert_eq!(hers["calls"], json!([]));
    for path in ["calls", "approvals"] {
        let one = format!("/admin/api/{path}/{id}");
        let one = grace.get(&instance, &one).await;
        assert_eq!(one.status, StatusCode::NOT_FOUND, "{path}");
    }
}

/// L2: links to drafts could not be withdrawn and outlived their maker.
#[tokio::test]
async fn l2_a_preview_link_is_withdrawn_and_ends_with_its_maker() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "editor").await;
    let page = ada
        .call(
            &instance,
            "POST",
            "/tools/call",
            json!({ "tool": "addPage", "arguments": { "title": "About" } }),
        )
        .await
        .body["data"]["pageId"]
        .clone();
    let make = async |who: &Browser| {
        let body = json!({ "pageId": page, "hours": 1 });
        let link = who
            .call(&instance, "POST", "/admin/api/site/preview-link", body)
            .await
            .body;
        let url = link["url"].as_str().expect("an address").to_owned();
        let path = url[url.find("/preview/").expect("a path")..].to_owned();
        (link["id"].as_str().expect("an id").to_owned(), path)
    };
    let (id, first) = make(&ada).await;
    let (same, _) = make(&ada).await;
    assert_eq!(id, same, "opening the dialog again makes no second link");
    let (_, hers) = make(&grace).await;
    let stranger = Browser::default();
    for path in [&first, &hers] {
        assert_eq!(stranger.get(&instance, path).await.status, 200);
    }
    let links = format!(
        "/admin/api/site/preview-links?pageId={}",
        page.as_str().unwrap_or_default()
    );
    let listed = ada.get(&instance, &links).await.body;
    assert_eq!(listed["links"].as_array().map(Vec::len), Some(2));
    let withdrawn = ada
        .call(
            &instance,
            "DELETE",
            &format!("/admin/api/site/preview-links/{id}"),
            json!(null),
        )
        .await;
    assert_eq!(withdrawn.status, 204);
    assert_eq!(stranger.get(&instance, &first).await.status, 404);
    let users = ada.get(&instance, "/admin/api/users").await.body;
    let users = users["users"].as_array().into_iter().flatten();
    let mut ids = users.filter(|user| user["email"] == "grace@example.com");
    let id = ids.next().and_then(|user| user["id"].as_str());
    let path = format!("/admin/api/users/{}", id.expect("an id"));
    let disabled = json!({ "disabled": true });
    ada.call(&instance, "PATCH", &path, disabled).await;
    assert_eq!(stranger.get(&instance, &hers).await.status, 404);
}

/// L9: a change could be put under somebody else's turn.
#[tokio::test]
async fn l9_nobody_puts_a_change_under_a_turn() {
    let (instance, ada) = Instance::owned().await;
    let op = json!({ "op": "put", "entity": { "type": "site" }, "field": "name", "value": "X" });
    let body = json!({ "id": "c", "summary": "c", "format": 1, "turn": "t", "ops": [op] });
    let refused = ada
        .call(&instance, "POST", "/admin/api/site/changes", body)
        .await;
    assert_eq!(refused.body["errors"][0]["field"], "turn");
}
