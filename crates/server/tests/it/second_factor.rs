//! M8: a second step when signing in, with codes of an authenticator app and recovery codes.

use http::header::SET_COOKIE;
use serde_json::{Value, json};
use sitewright_store::Timestamp;
use totp_rs::{Builder, Secret};

use crate::instance::{Answer, Browser, Instance, PASSWORD};

const WRONG: &str = "400 invalid_input: That code is wrong or has already been used. Wait for a new one and try again.";

/// A person's authenticator app.
struct Phone(String);

impl Phone {
    /// The code that the app shows some steps of 30 seconds from now.
    fn code(&self, steps: u64) -> String {
        let secret = Secret::try_from_base32(&self.0).expect("a secret");
        let totp = Builder::new().with_secret(secret).build().expect("an app");
        let now = u64::try_from(Timestamp::now().millis() / 1000).expect("a time");
        totp.generate(now + 30 * steps).to_string()
    }
}

/// Turns the second step on for a person; returns their phone and recovery codes.
async fn turn_on(instance: &Instance, browser: &Browser) -> (Phone, Vec<String>) {
    let begun = browser
        .call(
            instance,
            "POST",
            "/admin/api/account/second-factor/start",
            json!({}),
        )
        .await;
    assert_eq!(begun.said(), "200");
    let phone = Phone(begun.body["secret"].as_str().expect("a secret").to_owned());
    let first = json!({ "ticket": begun.body["ticket"], "code": phone.code(0) });
    let path = "/admin/api/account/second-factor";
    let on = browser.call(instance, "POST", path, first).await;
    assert_eq!(on.said(), "200");
    let codes = on.body["codes"].as_array().into_iter().flatten();
    let codes = codes.map(|code| code.as_str().expect("a code").to_owned());
    (phone, codes.collect())
}

async fn give_code(instance: &Instance, ticket: &Value, code: &str) -> Answer {
    let body = json!({ "ticket": ticket, "code": code });
    Browser::default()
        .call(instance, "POST", "/admin/api/session/second-step", body)
        .await
}

/// The ticket that the right password gives.
async fn first_step(instance: &Instance) -> Value {
    let first = Browser::default()
        .sign_in(instance, "ada@example.com", PASSWORD)
        .await;
    assert_eq!(first.said(), "200");
    first.body["secondStep"]["ticket"].clone()
}

#[tokio::test]
async fn m8_no_session_begins_before_the_code_is_given() {
    let (instance, ada) = Instance::owned().await;
    let (phone, codes) = turn_on(&instance, &ada).await;
    assert_eq!(codes.len(), 10);
    let mut browser = Browser::default();
    let first = browser
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    assert_eq!(first.body["signedIn"], false);
    assert!(first.body.get("csrfToken").is_none());
    let cookie = first.headers[SET_COOKIE].to_str().expect("a cookie");
    assert!(cookie.starts_with("sitewright=; "), "{cookie}");
    let account = browser.get(&instance, "/admin/api/account").await;
    assert_eq!(account.status.as_u16(), 401);
    let ticket = first.body["secondStep"]["ticket"].clone();
    assert_eq!(give_code(&instance, &ticket, "000000x").await.said(), WRONG);
    let second = give_code(&instance, &ticket, &phone.code(1)).await;
    assert_eq!(second.body["signedIn"], true);
    browser.keep(&second);
    let account = browser.get(&instance, "/admin/api/account").await;
    assert_eq!(account.body["secondFactor"]["recoveryCodesLeft"], 10);
}

#[tokio::test]
async fn m8_a_code_and_a_ticket_are_for_one_use() {
    let (instance, ada) = Instance::owned().await;
    let (phone, codes) = turn_on(&instance, &ada).await;
    let code = phone.code(1);
    let ticket = first_step(&instance).await;
    assert_eq!(give_code(&instance, &ticket, &code).await.said(), "200");
    let another = first_step(&instance).await;
    assert_eq!(
        give_code(&instance, &another, &code).await.said(),
        WRONG,
        "the code was used"
    );
    assert_eq!(
        give_code(&instance, &ticket, &codes[0]).await.said(),
        "409 conflict: This took too long or was already done. Start again."
    );
    let shouted = codes[1].to_uppercase().replace('-', " ");
    assert_eq!(
        give_code(&instance, &another, &shouted).await.said(),
        "200",
        "a recovery code as people write it"
    );
    let third = first_step(&instance).await;
    assert_eq!(give_code(&instance, &third, &codes[1]).await.said(), WRONG);
}

#[tokio::test]
async fn m8_codes_cannot_be_guessed_without_limit() {
    let (instance, ada) = Instance::owned().await;
    turn_on(&instance, &ada).await;
    let ticket = first_step(&instance).await;
    // The first step counts as a try as well, and its right password does not reset the count.
    for _ in 0..9 {
        assert_eq!(give_code(&instance, &ticket, "12345").await.said(), WRONG);
    }
    let refused = give_code(&instance, &ticket, "12345").await;
    assert_eq!(refused.status.as_u16(), 429);
    let refused = Browser::default()
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    assert_eq!(refused.status.as_u16(), 429);
    for _ in 0..11 {
        let confirm = json!({ "code": "12345" });
        let path = "/admin/api/session/confirm";
        let answer = ada.call(&instance, "POST", path, confirm).await;
        assert!(answer.said() == WRONG || answer.status.as_u16() == 429);
    }
    let path = "/admin/api/session/confirm";
    let confirm = json!({ "code": "12345" });
    let refused = ada.call(&instance, "POST", path, confirm).await;
    assert_eq!(
        refused.said(),
        "429 rate_limited: There were too many wrong codes. Wait 60 minutes and try again."
    );
}

#[tokio::test]
async fn m8_a_password_link_does_not_replace_the_second_step() {
    let (instance, ada) = Instance::owned().await;
    turn_on(&instance, &ada).await;
    let account = ada.get(&instance, "/admin/api/account").await.body;
    let id = account["person"]["id"].as_str().expect("an id");
    let path = format!("/admin/api/users/{id}/password-link");
    let link = instance.local("POST", &path, json!({})).await.body;
    let url = link["url"].as_str().expect("a link");
    let token = url.split_once("#token=").expect("a token").1;
    let redeem = json!({ "token": token, "password": "a new and long one" });
    let path = "/admin/api/password-links/redeem";
    let redeemed = Browser::default()
        .call(&instance, "POST", path, redeem)
        .await;
    assert_eq!(redeemed.said(), "200");
    assert_eq!(redeemed.body["signedIn"], false);
    assert!(redeemed.body["secondStep"]["ticket"].is_string());
}

#[tokio::test]
async fn a_new_password_ends_a_sign_in_that_the_old_one_began() {
    let (instance, ada) = Instance::owned().await;
    let (phone, _) = turn_on(&instance, &ada).await;
    let ticket = first_step(&instance).await;
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "a new and long one" });
    let path = "/admin/api/account/password";
    let changed = ada.call(&instance, "POST", path, change).await;
    assert_eq!(changed.said(), "204");
    assert_eq!(
        give_code(&instance, &ticket, &phone.code(1)).await.said(),
        "403 forbidden: Your account was changed in the meantime. Sign in again."
    );
}

#[tokio::test]
async fn the_second_step_is_turned_off_by_its_owner_or_an_administrator() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "editor").await;
    turn_on(&instance, &ada).await;
    turn_on(&instance, &grace).await;
    let path = "/admin/api/account/second-factor";
    let off = ada.call(&instance, "DELETE", path, json!(null)).await;
    assert_eq!(off.said(), "204");
    let signed_in = Browser::default()
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    assert_eq!(signed_in.body["signedIn"], true);
    let users = ada.get(&instance, "/admin/api/users").await.body;
    let mut users = users["users"].as_array().into_iter().flatten();
    let found = users.find(|user| user["email"] == "grace@example.com");
    let found = found.expect("the person");
    assert_eq!(found["secondFactor"], true);
    let id = found["id"].as_str().expect("an id");
    let path = format!("/admin/api/users/{id}/second-factor");
    let off = ada.call(&instance, "DELETE", &path, json!(null)).await;
    assert_eq!(off.said(), "204");
    let account = grace.get(&instance, "/admin/api/account").await.body;
    assert!(account.get("secondFactor").is_none());
    let notice = &account["notices"][0];
    assert_eq!(
        (&notice["event"], &notice["by"], &notice["byName"]),
        (&json!("second_factor_off"), &json!("person"), &json!("Ada"))
    );
}
