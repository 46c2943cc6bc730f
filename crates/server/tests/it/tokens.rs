use serde_json::{Value, json};

use crate::instance::{Browser, Instance};

async fn make(instance: &Instance, maker: &Browser, capabilities: Value) -> String {
    let body = json!({ "name": "t", "kind": "script", "capabilities": capabilities });
    let made = maker
        .call(instance, "POST", "/admin/api/tokens", body)
        .await;
    made.body["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn a_token_allows_what_it_says_and_no_more() {
    let (instance, ada) = Instance::owned().await;
    let token = make(&instance, &ada, json!(["users.manage", "site.read"])).await;
    assert_eq!(
        instance
            .with_token(&token, "GET", "/admin/api/users", json!(null))
            .await
            .said(),
        "200"
    );
    assert_eq!(
        instance
            .with_token(&token, "GET", "/admin/api/audit", json!(null))
            .await
            .status
            .as_u16(),
        403
    );
    let wider =
        json!({ "name": "w", "kind": "script", "capabilities": ["users.manage", "site.code"] });
    let refused = instance
        .with_token(&token, "POST", "/admin/api/tokens", wider)
        .await
        .said();
    assert_eq!(
        refused,
        "403 forbidden: A token cannot allow what you are not allowed to do yourself: site.code."
    );
    let all = json!({ "name": "a", "kind": "agent", "capabilities": ["all"] });
    let narrowed = instance
        .with_token(&token, "POST", "/admin/api/tokens", all)
        .await
        .body;
    assert_eq!(
        (&narrowed["info"]["capabilities"], &narrowed["info"]["kind"]),
        (&json!(["site.read"]), &json!("agent"))
    );
    let account = instance
        .with_token(&token, "GET", "/admin/api/account", json!(null))
        .await
        .said();
    assert_eq!(
        account,
        "403 forbidden: This is about a person's own account; sign in to use it."
    );
}

#[tokio::test]
async fn a_token_shrinks_and_dies_with_its_maker() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "admin").await;
    let token = make(&instance, &grace, json!(["all"])).await;
    assert_eq!(
        instance
            .with_token(&token, "GET", "/admin/api/users", json!(null))
            .await
            .said(),
        "200"
    );
    let users = ada.get(&instance, "/admin/api/users").await.body;
    let id = users["users"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|user| user["name"] == "grace")
        .map(|user| user["id"].clone());
    let path = format!(
        "/admin/api/users/{}",
        id.as_ref().and_then(Value::as_str).expect("an id")
    );
    ada.call(&instance, "PATCH", &path, json!({ "role": "viewer" }))
        .await;
    assert_eq!(
        instance
            .with_token(&token, "GET", "/admin/api/users", json!(null))
            .await
            .status
            .as_u16(),
        403
    );
    ada.call(&instance, "PATCH", &path, json!({ "disabled": true }))
        .await;
    assert_eq!(
        instance
            .with_token(&token, "GET", "/admin/api/openapi.json", json!(null))
            .await
            .said(),
        "401 unauthenticated: The token is not valid: it was revoked, has expired, or was never made here."
    );
}

#[tokio::test]
async fn people_see_and_revoke_their_own_tokens_only() {
    let (instance, ada) = Instance::owned().await;
    let hers = make(&instance, &ada, json!(["site.read"])).await;
    let grace = instance.member("grace@example.com", "editor").await;
    make(&instance, &grace, json!(["site.*"])).await;
    let seen = grace.get(&instance, "/admin/api/tokens").await.body;
    assert_eq!(seen["tokens"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        seen["tokens"][0]["capabilities"],
        json!(["site.read", "site.write", "site.publish"]),
        "no site.code"
    );
    let all = ada.get(&instance, "/admin/api/tokens").await.body;
    let id = |creator: &str| {
        let mut tokens = all["tokens"].as_array().into_iter().flatten();
        tokens
            .find(|token| token["createdBy"] == creator)
            .and_then(|token| token["id"].as_str())
            .expect("an id")
            .to_owned()
    };
    let refused = grace
        .call(
            &instance,
            "DELETE",
            &format!("/admin/api/tokens/{}", id("Ada")),
            json!(null),
        )
        .await
        .said();
    assert_eq!(refused, "404 not_found: There is no such token.");
    assert_eq!(
        instance
            .with_token(&hers, "GET", "/admin/api/tokens", json!(null))
            .await
            .status
            .as_u16(),
        200
    );
    assert_eq!(
        ada.call(
            &instance,
            "DELETE",
            &format!("/admin/api/tokens/{}", id("Ada")),
            json!(null)
        )
        .await
        .said(),
        "204"
    );
    assert_eq!(
        instance
            .with_token(&hers, "GET", "/admin/api/tokens", json!(null))
            .await
            .status
            .as_u16(),
        401
    );
}

#[tokio::test]
async fn bad_wishes_are_refused_by_field() {
    let (instance, ada) = Instance::owned().await;
    for (body, field) in [
        (
            json!({ "name": "", "kind": "script", "capabilities": ["all"] }),
            "name",
        ),
        (
            json!({ "name": "t", "kind": "robot", "capabilities": ["all"] }),
            "kind",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": [] }),
            "capabilities",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": ["site.reed"] }),
            "capabilities",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": "all" }),
            "capabilities",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": [7] }),
            "capabilities[0]",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": ["all"], "expiresInDays": 0 }),
            "expiresInDays",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": ["all"], "expiresInDays": -1 }),
            "expiresInDays",
        ),
        (
            json!({ "name": "t", "kind": "script", "capabilities": ["all"], "admin": true }),
            "admin",
        ),
    ] {
        let refused = ada
            .call(&instance, "POST", "/admin/api/tokens", body.clone())
            .await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["errors"][0]["field"]),
            (400, &json!(field)),
            "{body}"
        );
    }
}

#[tokio::test]
async fn what_is_no_token_is_refused_everywhere_but_never_on_probes() {
    let (instance, _) = Instance::owned().await;
    for token in ["swt_guess", "guess", "", "swt_\u{fc}"] {
        let answer = instance
            .with_token(token, "GET", "/admin/api/users", json!(null))
            .await;
        assert_eq!(answer.status.as_u16(), 401, "{token}");
    }
}

#[tokio::test]
async fn a_token_made_with_a_token_takes_after_it_and_goes_with_it() {
    let (instance, ada) = Instance::owned().await;
    let script =
        json!({ "name": "a", "kind": "script", "capabilities": ["site.read"], "expiresInDays": 1 });
    let made = ada
        .call(&instance, "POST", "/admin/api/tokens", script)
        .await
        .body;
    let parent = made["token"].as_str().expect("a token");
    let wish = |kind: &str| json!({ "name": "b", "kind": kind, "capabilities": ["all"] });
    let child = instance
        .with_token(parent, "POST", "/admin/api/tokens", wish("agent"))
        .await
        .body;
    assert_eq!(child["info"]["expiresAt"], made["info"]["expiresAt"]);
    let child = child["token"].as_str().expect("a token");
    assert_eq!(
        instance
            .with_token(child, "GET", "/admin/api/tokens", json!(null))
            .await
            .said(),
        "200"
    );
    let path = format!(
        "/admin/api/tokens/{}",
        made["info"]["id"].as_str().expect("an id")
    );
    assert_eq!(
        ada.call(&instance, "DELETE", &path, json!(null))
            .await
            .said(),
        "204"
    );
    assert_eq!(
        instance
            .with_token(child, "GET", "/admin/api/tokens", json!(null))
            .await
            .status
            .as_u16(),
        401
    );
}
