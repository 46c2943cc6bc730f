use serde_json::{Value, json};

use crate::instance::{Browser, Instance, PASSWORD};

async fn id_of(instance: &Instance, email: &str) -> String {
    let users = instance
        .local("GET", "/admin/api/users", json!(null))
        .await
        .body;
    let mut all = users["users"].as_array().into_iter().flatten();
    let user = all.find(|user| user["email"] == email).expect("the person");
    user["id"].as_str().expect("an id").to_owned()
}

pub(crate) fn token_of(link: &Value) -> &str {
    link["url"]
        .as_str()
        .and_then(|url| url.split_once("/admin/join#token="))
        .map(|(_, token)| token)
        .expect("a token")
}

#[tokio::test]
async fn an_invited_person_chooses_a_password_and_is_signed_in() {
    let (instance, ada) = Instance::owned().await;
    let invited = ada
        .call(
            &instance,
            "POST",
            "/admin/api/users",
            json!({ "email": "grace@example.com", "role": "editor" }),
        )
        .await
        .body;
    assert_eq!(
        (&invited["user"]["invited"], &invited["user"]["name"]),
        (&json!(true), &json!("grace"))
    );
    assert!(
        invited["link"]["url"]
            .as_str()
            .expect("a link")
            .starts_with("http://localhost:8080/admin/join#token=")
    );
    let redeem = json!({ "token": token_of(&invited["link"]), "password": PASSWORD });
    let mut grace = Browser::default();
    let joined = grace
        .call(
            &instance,
            "POST",
            "/admin/api/password-links/redeem",
            redeem.clone(),
        )
        .await;
    assert_eq!(
        (joined.said().as_str(), &joined.body["role"]),
        ("200", &json!("editor"))
    );
    grace.keep(&joined);
    assert_eq!(
        grace
            .get(&instance, "/admin/api/users")
            .await
            .status
            .as_u16(),
        403
    );
    let again = Browser::default()
        .call(
            &instance,
            "POST",
            "/admin/api/password-links/redeem",
            redeem,
        )
        .await
        .said();
    assert_eq!(
        again,
        "403 forbidden: This link has expired or was already used; ask for a new one."
    );
}

#[tokio::test]
async fn only_the_command_line_sets_somebody_elses_password() {
    let (instance, ada) = Instance::owned().await;
    let body = json!({ "email": "grace@example.com", "role": "editor", "password": PASSWORD });
    let refused = ada
        .call(&instance, "POST", "/admin/api/users", body)
        .await
        .said();
    assert_eq!(
        refused,
        "400 invalid_input: People choose their own password with the link; leave this out."
    );
}

/// Somebody who may manage people and little else, and an administrator.
async fn host_and_admin(instance: &Instance, ada: &Browser) -> (Browser, Browser) {
    let role = json!({ "name": "Host", "capabilities": ["users.manage", "site.read"] });
    assert_eq!(
        ada.call(instance, "PUT", "/admin/api/roles/host", role)
            .await
            .said(),
        "200"
    );
    (
        instance.member("host@example.com", "host").await,
        instance.member("admin@example.com", "admin").await,
    )
}

#[tokio::test]
async fn nobody_gives_more_than_they_have() {
    let (instance, ada) = Instance::owned().await;
    let (host, admin) = host_and_admin(&instance, &ada).await;
    let invite = |role: &str| json!({ "email": format!("{role}@example.org"), "role": role });
    for (browser, role, expected) in [
        (&host, "host", "200"),
        (
            &host,
            "owner",
            "403 forbidden: Only an owner can make or change owners.",
        ),
        (
            &admin,
            "owner",
            "403 forbidden: Only an owner can make or change owners.",
        ),
        (&admin, "admin", "200"),
        (
            &host,
            "no-such",
            "400 invalid_input: There is no role `no-such` on this site.",
        ),
        (
            &host,
            "__proto__",
            "400 invalid_input: There is no role `__proto__` on this site.",
        ),
    ] {
        assert_eq!(
            browser
                .call(&instance, "POST", "/admin/api/users", invite(role))
                .await
                .said(),
            expected,
            "{role}"
        );
    }
    let refused = host
        .call(&instance, "POST", "/admin/api/users", invite("viewer"))
        .await
        .said();
    assert_eq!(
        refused,
        "403 forbidden: The role `viewer` allows what you are not allowed to do yourself: content.read, content.deliver, tools.read."
    );
    let wide = json!({ "name": "Wide", "capabilities": ["site.code"] });
    let refused = host
        .call(&instance, "PUT", "/admin/api/roles/wide", wide)
        .await
        .said();
    assert_eq!(
        refused,
        "403 forbidden: A role cannot allow what you are not allowed to do yourself: site.code."
    );
}

#[tokio::test]
async fn nobody_touches_whoever_may_do_more() {
    let (instance, ada) = Instance::owned().await;
    let (host, admin) = host_and_admin(&instance, &ada).await;
    let ada_path = format!(
        "/admin/api/users/{}",
        id_of(&instance, "ada@example.com").await
    );
    for browser in [&host, &admin] {
        for (method, path) in [
            ("PATCH", ada_path.clone()),
            ("DELETE", ada_path.clone()),
            ("POST", format!("{ada_path}/password-link")),
        ] {
            let refused = browser
                .call(&instance, method, &path, json!({}))
                .await
                .said();
            assert_eq!(
                refused,
                "403 forbidden: Only an owner of the instance can do this to another owner."
            );
        }
    }
    let admin_path = format!(
        "/admin/api/users/{}",
        id_of(&instance, "admin@example.com").await
    );
    let refused = host
        .call(&instance, "PATCH", &admin_path, json!({ "role": "host" }))
        .await
        .status;
    assert_eq!(
        refused.as_u16(),
        403,
        "whoever may do less cannot take from whoever may do more"
    );
}

#[tokio::test]
async fn a_change_that_is_half_wrong_changes_nothing() {
    let (instance, ada) = Instance::owned().await;
    instance.member("grace@example.com", "editor").await;
    let path = format!(
        "/admin/api/users/{}",
        id_of(&instance, "grace@example.com").await
    );
    let refused = ada
        .call(
            &instance,
            "PATCH",
            &path,
            json!({ "role": "viewer", "disabled": true, "name": " " }),
        )
        .await;
    assert_eq!(
        (refused.status.as_u16(), &refused.body["errors"][0]["field"]),
        (400, &json!("name"))
    );
    let users = ada.get(&instance, "/admin/api/users").await.body;
    let grace = users["users"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|user| user["email"] == "grace@example.com")
        .cloned();
    let grace = grace.expect("the person");
    assert_eq!(
        (&grace["role"], &grace["disabled"]),
        (&json!("editor"), &json!(false))
    );
}

#[tokio::test]
async fn a_changed_role_and_a_disabled_account_count_at_once() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "admin").await;
    assert_eq!(grace.get(&instance, "/admin/api/users").await.said(), "200");
    let path = format!(
        "/admin/api/users/{}",
        id_of(&instance, "grace@example.com").await
    );
    assert_eq!(
        ada.call(&instance, "PATCH", &path, json!({ "role": "viewer" }))
            .await
            .said(),
        "200"
    );
    assert_eq!(
        grace.get(&instance, "/admin/api/users").await.said(),
        "403 forbidden: This needs the capability users.manage, which your role or token does not have."
    );
    assert_eq!(
        ada.call(&instance, "PATCH", &path, json!({ "disabled": true }))
            .await
            .said(),
        "200"
    );
    assert_eq!(
        grace
            .get(&instance, "/admin/api/account")
            .await
            .status
            .as_u16(),
        401
    );
    let refused = Browser::default()
        .sign_in(&instance, "grace@example.com", PASSWORD)
        .await
        .said();
    assert_eq!(
        refused,
        "401 unauthenticated: The email address or password is incorrect."
    );
}

#[tokio::test]
async fn what_happened_is_listed_with_names() {
    let (instance, ada) = Instance::owned().await;
    instance.member("grace@example.com", "editor").await;
    ada.call(
        &instance,
        "PATCH",
        "/admin/api/account",
        json!({ "name": "Ada L." }),
    )
    .await;
    let page = ada.get(&instance, "/admin/api/audit?limit=2").await.body;
    let shown: Vec<(&Value, &Value)> = page["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| (&entry["action"], &entry["actorName"]))
        .collect();
    assert_eq!(
        shown,
        [
            (&json!("user.renamed"), &json!("Ada L.")),
            (&json!("session.began"), &json!("grace"))
        ]
    );
    let next = page["next"].as_str().expect("there is more");
    let older = ada
        .get(
            &instance,
            &format!("/admin/api/audit?limit=200&before={next}"),
        )
        .await
        .body;
    assert_eq!(
        (older["entries"][0]["action"].as_str(), older.get("next")),
        (Some("user.added"), None)
    );
    let verified = ada
        .call(&instance, "POST", "/admin/api/audit/verify", json!({}))
        .await
        .body;
    assert_eq!(verified["ok"], true);
}

#[tokio::test]
async fn people_added_before_set_up_do_not_stand_in_for_an_owner() {
    let instance = Instance::new().await;
    let early = json!({ "email": "early@example.com", "role": "editor" });
    assert_eq!(
        instance
            .local("POST", "/admin/api/users", early)
            .await
            .said(),
        "200"
    );
    let session = Browser::default()
        .get(&instance, "/admin/api/session")
        .await
        .body;
    assert_eq!(session["setupRequired"], true);
    assert_eq!(
        instance
            .local("POST", "/admin/api/setup/link", json!({}))
            .await
            .said(),
        "200"
    );
}
