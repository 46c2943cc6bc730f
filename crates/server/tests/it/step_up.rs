//! M8: dangerous actions need a recent proof of who is acting.

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_store::{NewSession, Place, Store, Timestamp};

use crate::instance::{Browser, Instance, PASSWORD};

const REFUSED: &str = "403 step_up_required: Confirm that it is you, then try again.";

/// A browser in which Ada signed in an hour ago.
async fn signed_in_an_hour_ago(instance: &Instance) -> Browser {
    let store = Store::open(&Place::File(instance.settings.data.join("sitewright.db")))
        .await
        .expect("the database");
    let user = store.user_by_email("ada@example.com").await;
    let user = user.expect("the database").expect("Ada");
    let site = store.sites().await.expect("the database").remove(0);
    let new = NewSession {
        user: &user.id,
        site: &site.id,
        user_agent: "a browser",
        address: "192.0.2.7",
    };
    let then = Timestamp::now().before(Duration::from_secs(60 * 60));
    let (secret, session) = store.create_session(new, then).await.expect("a session");
    Browser {
        cookie: Some(format!("sitewright={}", secret.expose())),
        csrf: Some(session.csrf_token),
    }
}

/// Method, path and body of everything that needs a recent proof.
fn dangerous() -> Vec<(&'static str, &'static str, Value)> {
    let token = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let role = json!({ "name": "Host", "capabilities": [] });
    let guest = json!({ "email": "guest@example.com", "role": "editor" });
    let credential = json!({ "providerId": "ollama", "label": "l" });
    vec![
        ("POST", "/admin/api/tokens", token),
        ("PUT", "/admin/api/roles/host", role),
        ("DELETE", "/admin/api/roles/host", json!(null)),
        ("POST", "/admin/api/users", guest),
        ("PATCH", "/admin/api/users/x", json!({ "disabled": true })),
        ("DELETE", "/admin/api/users/x", json!(null)),
        ("POST", "/admin/api/users/x/password-link", json!({})),
        ("DELETE", "/admin/api/users/x/sessions", json!(null)),
        ("DELETE", "/admin/api/users/x/second-factor", json!(null)),
        ("DELETE", "/admin/api/users/x/account", json!(null)),
        ("PUT", "/admin/api/policy", json!({})),
        ("POST", "/admin/api/ai/credentials", credential),
        ("PATCH", "/admin/api/ai/credentials/x", json!({})),
        ("DELETE", "/admin/api/ai/credentials/x", json!(null)),
        ("POST", "/admin/api/account/second-factor/start", json!({})),
        (
            "POST",
            "/admin/api/account/second-factor",
            json!({ "ticket": "", "code": "" }),
        ),
        ("DELETE", "/admin/api/account/second-factor", json!(null)),
        ("POST", "/admin/api/account/recovery-codes", json!({})),
        ("POST", "/admin/api/account/passkeys/start", json!({})),
        (
            "POST",
            "/admin/api/account/passkeys",
            json!({ "ticket": "", "credential": {}, "name": "n" }),
        ),
        ("DELETE", "/admin/api/account/passkeys/x", json!(null)),
        ("DELETE", "/admin/api/account", json!(null)),
    ]
}

#[tokio::test]
async fn m8_an_old_session_proves_who_it_is_first() {
    let (instance, _) = Instance::owned().await;
    let ada = signed_in_an_hour_ago(&instance).await;
    for (method, path, body) in dangerous() {
        let answer = ada.call(&instance, method, path, body).await;
        assert_eq!(answer.said(), REFUSED, "{method} {path}");
    }
    let rename = json!({ "name": "Ada L." });
    let path = "/admin/api/account";
    let renamed = ada.call(&instance, "PATCH", path, rename).await;
    assert_eq!(renamed.said(), "200", "what is harmless goes on");
}

#[tokio::test]
async fn m8_a_proof_counts_for_its_session_and_for_a_while() {
    let (instance, _) = Instance::owned().await;
    let ada = signed_in_an_hour_ago(&instance).await;
    let elsewhere = signed_in_an_hour_ago(&instance).await;
    let confirm = "/admin/api/session/confirm";
    let ways = ada.get(&instance, confirm).await.body;
    assert_eq!(ways, json!({ "methods": ["password"] }));
    for (proof, said) in [
        (
            json!({ "password": "wrong wrong wrong" }),
            "400 invalid_input: That password is incorrect.",
        ),
        (
            json!({}),
            "400 invalid_input: Give a password, a code or a passkey, and only one of them.",
        ),
        (
            json!({ "code": "123456" }),
            "400 invalid_input: That code is wrong or has already been used. Wait for a new one and try again.",
        ),
        (json!({ "password": PASSWORD }), "204"),
    ] {
        let answer = ada.call(&instance, "POST", confirm, proof).await;
        assert_eq!(answer.said(), said);
    }
    let token = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let path = "/admin/api/tokens";
    let made = ada.call(&instance, "POST", path, token.clone()).await;
    assert_eq!(made.said(), "200");
    let refused = elsewhere.call(&instance, "POST", path, token).await;
    assert_eq!(refused.said(), REFUSED);
}

#[tokio::test]
async fn tokens_and_the_command_line_are_not_asked() {
    let (instance, ada) = Instance::owned().await;
    let all = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let path = "/admin/api/tokens";
    let made = ada.call(&instance, "POST", path, all.clone()).await.body;
    let token = made["token"].as_str().expect("a token");
    let role = json!({ "name": "Host", "capabilities": [] });
    let host = "/admin/api/roles/host";
    let put = instance.with_token(token, "PUT", host, role.clone()).await;
    assert_eq!(put.said(), "200");
    let put = instance.local("PUT", host, role).await;
    assert_eq!(put.said(), "200");
}
