//! What protects accounts from others: who may change whom, what ends when, and what people are told.

use serde_json::{Value, json};
use sitewright_store::{BuiltInRole, NewUser, Place, Stamp, Store, Timestamp};

use crate::instance::{Browser, Instance, PASSWORD};
use crate::people::token_of;

async fn id_of(browser: &Browser, instance: &Instance) -> String {
    let account = browser.get(instance, "/admin/api/account").await.body;
    account["person"]["id"].as_str().expect("an id").to_owned()
}

async fn put_role(
    instance: &Instance,
    browser: &Browser,
    key: &str,
    capabilities: Value,
) -> String {
    let body = json!({ "name": key, "capabilities": capabilities });
    let path = format!("/admin/api/roles/{key}");
    browser.call(instance, "PUT", &path, body).await.said()
}

/// M13: a role with `users.manage` alone could take everything from those above it, by emptying their role.
#[tokio::test]
async fn m13_nobody_changes_a_role_that_allows_more_than_they_may() {
    let (instance, ada) = Instance::owned().await;
    let wide = json!(["users.manage", "site.write", "site.publish"]);
    assert_eq!(put_role(&instance, &ada, "boss", wide).await, "200");
    assert_eq!(
        put_role(&instance, &ada, "host", json!(["users.manage"])).await,
        "200"
    );
    assert_eq!(put_role(&instance, &ada, "empty", json!([])).await, "200");
    let host = instance.member("host@example.com", "host").await;
    let boss = instance.member("boss@example.com", "boss").await;
    let refused = "403 forbidden: The role `boss` allows what you are not allowed to do yourself: site.write, site.publish.";
    assert_eq!(put_role(&instance, &host, "boss", json!([])).await, refused);
    let path = "/admin/api/roles/boss";
    let removed = host.call(&instance, "DELETE", path, json!(null)).await;
    assert_eq!(removed.said(), refused);
    let session = boss.get(&instance, "/admin/api/session").await.body;
    assert_eq!(
        session["capabilities"],
        json!(["site.write", "site.publish", "users.manage"])
    );
    assert_eq!(put_role(&instance, &host, "empty", json!([])).await, "200");
    let own = json!(["users.manage"]);
    assert_eq!(put_role(&instance, &host, "new", own).await, "200");
}

/// L16: an account that another site has invited is not this site's to give a password to.
#[tokio::test]
async fn l16_inviting_somebody_elses_guest_answers_no_password_link() {
    let (instance, _) = Instance::owned().await;
    let admin = instance.member("admin@example.com", "admin").await;
    let store = Store::open(&Place::File(instance.settings.data.join("sitewright.db")))
        .await
        .expect("the database");
    let now = Timestamp::now();
    let elsewhere = store.create_site("second", "Second", now).await;
    let guest = NewUser {
        email: "guest@example.com",
        name: "Guest",
        password_hash: None,
        role: BuiltInRole::Editor.key(),
    };
    let elsewhere = elsewhere.expect("a site").id;
    store
        .add_member(&elsewhere, guest, &Stamp::local(now))
        .await
        .expect("a guest");
    let invite = json!({ "email": "guest@example.com", "role": "editor" });
    let path = "/admin/api/users";
    let invited = admin.call(&instance, "POST", path, invite).await;
    assert_eq!(invited.said(), "200");
    assert_eq!(invited.body["user"]["invited"], true);
    assert!(invited.body.get("link").is_none(), "{}", invited.body);
    let id = invited.body["user"]["id"].as_str().expect("an id");
    let path = format!("/admin/api/users/{id}/password-link");
    let link = admin.call(&instance, "POST", &path, json!({})).await;
    assert_eq!(link.status.as_u16(), 403);
    let new = json!({ "email": "new@example.com", "role": "editor" });
    let invited = admin.call(&instance, "POST", "/admin/api/users", new).await;
    assert!(invited.body["link"]["url"].is_string());
}

#[tokio::test]
async fn m8_a_change_of_password_ends_tokens_unless_they_are_to_stay() {
    let (instance, ada) = Instance::owned().await;
    let token = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let mut passwords = [PASSWORD, "a second long one", "a third long one"].windows(2);
    for (choice, works) in [(Some(false), "200"), (None, "401")] {
        let path = "/admin/api/tokens";
        let made = ada.call(&instance, "POST", path, token.clone()).await.body;
        let secret = made["token"].as_str().expect("a token");
        let pair = passwords.next().expect("a password");
        let mut change = json!({ "currentPassword": pair[0], "newPassword": pair[1] });
        if let Some(choice) = choice {
            change["endTokens"] = json!(choice);
        }
        let path = "/admin/api/account/password";
        let changed = ada.call(&instance, "POST", path, change).await;
        assert_eq!(changed.said(), "204");
        let used = instance
            .with_token(secret, "GET", "/admin/api/users", json!(null))
            .await;
        assert_eq!(used.status.as_str(), works);
    }
}

#[tokio::test]
async fn m8_ending_everything_takes_the_password() {
    let (instance, ada) = Instance::owned().await;
    let mut other = Browser::default();
    other.sign_in(&instance, "ada@example.com", PASSWORD).await;
    let token = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let made = ada
        .call(&instance, "POST", "/admin/api/tokens", token)
        .await;
    let secret = made.body["token"].as_str().expect("a token");
    let path = "/admin/api/account/end-everything";
    let wrong = json!({ "password": "wrong wrong wrong" });
    let refused = ada.call(&instance, "POST", path, wrong).await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: That password is incorrect."
    );
    let right = json!({ "password": PASSWORD });
    let ended = ada.call(&instance, "POST", path, right).await;
    assert_eq!(ended.said(), "204");
    for browser in [&ada, &other] {
        let account = browser.get(&instance, "/admin/api/account").await;
        assert_eq!(account.status.as_u16(), 401);
    }
    let used = instance
        .with_token(secret, "GET", "/admin/api/users", json!(null))
        .await;
    assert_eq!(used.status.as_u16(), 401);
}

#[tokio::test]
async fn m8_an_administrator_ends_somebodys_sessions_and_they_learn_of_it() {
    let (instance, ada) = Instance::owned().await;
    let mut grace = instance.member("grace@example.com", "editor").await;
    let id = id_of(&grace, &instance).await;
    let path = format!("/admin/api/users/{id}/sessions");
    let owners = format!("/admin/api/users/{}/sessions", id_of(&ada, &instance).await);
    let refused = grace.call(&instance, "DELETE", &owners, json!(null)).await;
    assert_eq!(refused.status.as_u16(), 403);
    let ended = ada.call(&instance, "DELETE", &path, json!(null)).await;
    assert_eq!(ended.said(), "204");
    let account = grace.get(&instance, "/admin/api/account").await;
    assert_eq!(account.status.as_u16(), 401);
    grace
        .sign_in(&instance, "grace@example.com", PASSWORD)
        .await;
    let account = grace.get(&instance, "/admin/api/account").await.body;
    let notice = &account["notices"][0];
    assert_eq!(
        (&notice["event"], &notice["byName"]),
        (&json!("sessions_ended"), &json!("Ada"))
    );
    let id = notice["id"].as_str().expect("an id");
    let path = format!("/admin/api/account/notices/{id}");
    let dismissed = grace.call(&instance, "DELETE", &path, json!(null)).await;
    assert_eq!(dismissed.said(), "204");
    let account = grace.get(&instance, "/admin/api/account").await.body;
    assert_eq!(account["notices"], json!([]));
}

#[tokio::test]
async fn m8_tokens_expire_unless_a_script_says_never() {
    let (instance, ada) = Instance::owned().await;
    let day = 24 * 60 * 60 * 1000;
    for (body, days) in [
        (json!({ "kind": "script" }), Some(90)),
        (json!({ "kind": "agent" }), Some(90)),
        (json!({ "kind": "agent", "expiresInDays": 7 }), Some(7)),
        (json!({ "kind": "script", "neverExpires": true }), None),
    ] {
        let mut body = body;
        body["name"] = json!("t");
        body["capabilities"] = json!(["all"]);
        let made = ada.call(&instance, "POST", "/admin/api/tokens", body).await;
        let info = &made.body["info"];
        let lasts = info["expiresAt"]
            .as_i64()
            .zip(info["createdAt"].as_i64())
            .map(|(expires, created)| (expires - created) / day);
        assert_eq!(lasts, days, "{}", made.body);
    }
    for (kind, days) in [("agent", json!(null)), ("script", json!(3))] {
        let body = json!({ "name": "t", "kind": kind, "capabilities": ["all"], "neverExpires": true, "expiresInDays": days });
        let refused = ada.call(&instance, "POST", "/admin/api/tokens", body).await;
        assert_eq!(refused.body["errors"][0]["field"], "neverExpires");
    }
}

#[tokio::test]
async fn l10_an_account_is_deleted_and_its_changes_stay() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "editor").await;
    let joan = instance.member("joan@example.com", "editor").await;
    let path = format!("/admin/api/users/{}/account", id_of(&joan, &instance).await);
    let deleted = ada.call(&instance, "DELETE", &path, json!(null)).await;
    assert_eq!(deleted.said(), "204");
    let path = "/admin/api/account";
    let deleted = grace.call(&instance, "DELETE", path, json!(null)).await;
    assert_eq!(deleted.said(), "204");
    for email in ["grace@example.com", "joan@example.com"] {
        let refused = Browser::default().sign_in(&instance, email, PASSWORD).await;
        assert_eq!(refused.status.as_u16(), 401);
    }
    let users = ada.get(&instance, "/admin/api/users").await.body;
    assert_eq!(users["users"].as_array().map(Vec::len), Some(1));
    let last = ada.call(&instance, "DELETE", path, json!(null)).await;
    assert_eq!(
        last.said(),
        "409 conflict: This is the last owner. Make someone else an owner first."
    );
    let audit = ada.get(&instance, "/admin/api/audit").await.body;
    let mut entries = audit["entries"].as_array().into_iter().flatten();
    let entry = entries.find(|entry| entry["action"] == "user.deleted");
    let entry = entry.expect("an entry");
    assert_eq!(entry["actorName"], "Someone who left");
}

/// M8: neither the length nor decoration makes a common password, a name or an address a good one.
#[tokio::test]
async fn m8_passwords_that_are_easy_to_guess_are_refused_wherever_one_is_chosen() {
    let (instance, ada) = Instance::owned().await;
    for password in ["password1234", "Engines2026!!", "Ada-Ada-Ada-Ada"] {
        let change = json!({ "currentPassword": PASSWORD, "newPassword": password });
        let path = "/admin/api/account/password";
        let refused = ada.call(&instance, "POST", path, change).await;
        assert_eq!(
            refused.body["errors"][0]["field"], "newPassword",
            "{password}"
        );
        let user = json!({ "email": "x@example.com", "name": "Ada", "role": "editor", "password": password });
        let refused = instance.local("POST", "/admin/api/users", user).await;
        assert_eq!(refused.body["errors"][0]["field"], "password", "{password}");
    }
    let invitation =
        json!({ "email": "grace.hopper@navy.example", "name": "Grace Brewster", "role": "editor" });
    let path = "/admin/api/users";
    let invited = ada.call(&instance, "POST", path, invitation).await.body;
    for password in [
        "password1234",
        "Engines2026!!",
        "GraceHopper1906!",
        "Brewster-Brewster",
    ] {
        let redeem = json!({ "token": token_of(&invited["link"]), "password": password });
        let path = "/admin/api/password-links/redeem";
        let refused = Browser::default()
            .call(&instance, "POST", path, redeem)
            .await;
        assert_eq!(refused.body["errors"][0]["field"], "password", "{password}");
    }
    let fresh = Instance::new().await;
    for password in ["password1234", "Engines2026!!"] {
        let owner =
            json!({ "email": "ada@example.com", "password": password, "siteName": "Engines" });
        let path = "/admin/api/setup/local";
        let refused = fresh.local("POST", path, owner).await;
        assert_eq!(refused.body["errors"][0]["field"], "password", "{password}");
    }
}
