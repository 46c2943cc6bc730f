use http::header::SET_COOKIE;
use serde_json::json;

use crate::instance::{Browser, Instance, PASSWORD};

#[tokio::test]
async fn the_session_tells_the_page_what_it_needs() {
    let (instance, ada) = Instance::owned().await;
    let session = ada.get(&instance, "/admin/api/session").await.body;
    assert_eq!(session["signedIn"], true);
    assert_eq!(session["setupRequired"], false);
    assert_eq!(session["user"]["email"], "ada@example.com");
    assert_eq!(session["site"]["name"], "Engines");
    assert_eq!(session["role"], "owner");
    assert_eq!(session["csrfToken"].as_str(), ada.csrf.as_deref());
    assert_eq!(session["capabilities"].as_array().map(Vec::len), Some(18));
    let stranger = Browser::default()
        .get(&instance, "/admin/api/session")
        .await
        .body;
    assert_eq!(
        (&stranger["signedIn"], &stranger["capabilities"]),
        (&json!(false), &json!([]))
    );
    assert!(stranger.get("csrfToken").is_none());
}

#[tokio::test]
async fn the_name_of_the_site_is_told_once_it_is_public() {
    let (instance, ada) = Instance::owned().await;
    let name = async || {
        let browser = Browser::default();
        let session = browser.get(&instance, "/admin/api/session").await;
        session.body["publicSiteName"].clone()
    };
    assert_eq!(name().await, json!(null));
    let published = ada.call(&instance, "POST", "/admin/api/site/publish", json!({}));
    assert_eq!(published.await.said(), "200");
    assert_eq!(name().await, json!("Engines"));
}

#[tokio::test]
async fn the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    let (instance, _) = Instance::owned().await;
    let answer = Browser::default()
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    let cookie = answer.headers[SET_COOKIE].to_str().expect("a cookie");
    let attributes: Vec<&str> = cookie.split("; ").skip(1).collect();
    assert_eq!(
        attributes,
        ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=34560000"]
    );
}

#[tokio::test]
async fn an_unknown_address_and_a_wrong_password_are_told_apart_by_nobody() {
    let (instance, _) = Instance::owned().await;
    let expected = "401 unauthenticated: The email address or password is incorrect.";
    for (email, password) in [
        ("ada@example.com", "wrong wrong wrong"),
        ("nobody@example.com", PASSWORD),
        ("", ""),
        ("ada@example.com", ""),
    ] {
        assert_eq!(
            Browser::default()
                .sign_in(&instance, email, password)
                .await
                .said(),
            expected,
            "{email}"
        );
    }
    let answer = Browser::default()
        .sign_in(&instance, " ADA@example.com ", PASSWORD)
        .await;
    assert_eq!(
        answer.said(),
        "200",
        "the address is read as people write it"
    );
}

#[tokio::test]
async fn guessing_is_stopped_and_another_person_is_not_hindered() {
    let (instance, _) = Instance::owned().await;
    instance.member("grace@example.com", "editor").await;
    for _ in 0..10 {
        let answer = Browser::default()
            .sign_in(&instance, "ada@example.com", "wrong wrong wrong")
            .await;
        assert_eq!(answer.status.as_u16(), 401);
    }
    let answer = Browser::default()
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    assert_eq!(
        answer.said(),
        "429 rate_limited: Too many attempts. Wait 15 minutes and try again."
    );
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(
        Browser::default()
            .sign_in(&instance, "grace@example.com", PASSWORD)
            .await
            .said(),
        "200"
    );
}

#[tokio::test]
async fn signing_out_ends_the_session_for_good() {
    let (instance, ada) = Instance::owned().await;
    let answer = ada
        .call(&instance, "DELETE", "/admin/api/session", json!(null))
        .await;
    assert_eq!(answer.said(), "204");
    assert!(
        answer.headers[SET_COOKIE]
            .to_str()
            .expect("a cookie")
            .starts_with("sitewright=; Path=/")
    );
    assert_eq!(
        ada.get(&instance, "/admin/api/session").await.body["signedIn"],
        false
    );
    assert_eq!(
        ada.get(&instance, "/admin/api/account")
            .await
            .status
            .as_u16(),
        401
    );
}

#[tokio::test]
async fn a_change_needs_the_pages_token_and_origin() {
    let (instance, ada) = Instance::owned().await;
    let rename = json!({ "name": "Ada L." });
    let without = Browser {
        csrf: None,
        ..ada.clone()
    };
    let refused = without
        .call(&instance, "PATCH", "/admin/api/account", rename.clone())
        .await;
    assert_eq!(
        refused.said(),
        "403 forbidden: The header x-csrf-token is missing or old; reload the page and try again."
    );
    let forged = Browser {
        csrf: Some("forged".to_owned()),
        ..ada.clone()
    };
    assert_eq!(
        forged
            .call(&instance, "PATCH", "/admin/api/account", rename.clone())
            .await
            .status
            .as_u16(),
        403
    );
    let mut foreign = ada.dress(crate::instance::request(
        "PATCH",
        "/admin/api/account",
        Some(rename.clone()),
    ));
    foreign
        .headers_mut()
        .insert("origin", "http://evil.example".parse().expect("a header"));
    let refused = instance.send(foreign).await.said();
    assert!(
        refused.contains("http://evil.example") && refused.contains("http://localhost:8080"),
        "{refused}"
    );
    assert_eq!(
        ada.call(&instance, "PATCH", "/admin/api/account", rename)
            .await
            .body["person"]["name"],
        "Ada L."
    );
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    let (instance, ada) = Instance::owned().await;
    let mut elsewhere = Browser::default();
    elsewhere
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    let path = "/admin/api/account/password";
    for (current, new, field) in [
        (
            "wrong wrong wrong",
            "another long password",
            "currentPassword",
        ),
        (PASSWORD, "short", "newPassword"),
        (PASSWORD, "ADA@example.com", "newPassword"),
        (PASSWORD, &"x".repeat(1025), "newPassword"),
    ] {
        let refused = ada
            .call(
                &instance,
                "POST",
                path,
                json!({ "currentPassword": current, "newPassword": new }),
            )
            .await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["errors"][0]["field"]),
            (400, &json!(field))
        );
    }
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another long password" });
    assert_eq!(
        ada.call(&instance, "POST", path, change).await.said(),
        "204"
    );
    assert_eq!(ada.get(&instance, "/admin/api/account").await.said(), "200");
    assert_eq!(
        elsewhere
            .get(&instance, "/admin/api/account")
            .await
            .status
            .as_u16(),
        401
    );
    assert_eq!(
        Browser::default()
            .sign_in(&instance, "ada@example.com", PASSWORD)
            .await
            .status
            .as_u16(),
        401
    );
    assert_eq!(
        Browser::default()
            .sign_in(&instance, "ada@example.com", "another long password")
            .await
            .said(),
        "200"
    );
}

#[tokio::test]
async fn a_person_sees_and_ends_their_sessions() {
    let (instance, ada) = Instance::owned().await;
    let mut elsewhere = Browser::default();
    elsewhere
        .sign_in(&instance, "ada@example.com", PASSWORD)
        .await;
    let account = ada.get(&instance, "/admin/api/account").await.body;
    let other = account["sessions"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["current"] == false))
        .cloned()
        .expect("the other");
    assert_eq!(
        (
            account["sessions"].as_array().map(Vec::len),
            &other["address"]
        ),
        (Some(2), &json!("192.0.2.7"))
    );
    let path = format!(
        "/admin/api/account/sessions/{}",
        other["id"].as_str().expect("an id")
    );
    assert_eq!(
        ada.call(&instance, "DELETE", &path, json!(null))
            .await
            .said(),
        "204"
    );
    assert_eq!(
        elsewhere
            .get(&instance, "/admin/api/account")
            .await
            .status
            .as_u16(),
        401
    );
}

#[tokio::test]
async fn setting_up_takes_the_link_and_happens_once() {
    let instance = Instance::new().await;
    let link = instance
        .local("POST", "/admin/api/setup/link", json!({}))
        .await
        .body["url"]
        .clone();
    let token = link
        .as_str()
        .and_then(|url| url.split_once("#token="))
        .map(|(_, token)| token)
        .expect("a token");
    let with = |token: &str, password: &str| json!({ "token": token, "email": "ada@example.com", "name": "", "password": password, "siteName": "Engines" });
    let mut ada = Browser::default();
    let refused = ada
        .call(
            &instance,
            "POST",
            "/admin/api/setup",
            with("guess", PASSWORD),
        )
        .await
        .said();
    assert_eq!(
        refused,
        "403 forbidden: This set-up link has expired or is not complete. Run `sitewright setup --link` on the server for a new one."
    );
    let weak = ada
        .call(&instance, "POST", "/admin/api/setup", with(token, "short"))
        .await;
    assert_eq!(
        weak.said(),
        "400 invalid_input: Choose a password of at least 12 characters."
    );
    let done = ada
        .call(&instance, "POST", "/admin/api/setup", with(token, PASSWORD))
        .await;
    assert_eq!(
        (done.said().as_str(), &done.body["user"]["name"]),
        ("200", &json!("ada"))
    );
    ada.keep(&done);
    assert_eq!(
        ada.get(&instance, "/admin/api/session?expect=signed-in")
            .await
            .said(),
        "200"
    );
    let again = Browser::default()
        .call(&instance, "POST", "/admin/api/setup", with(token, PASSWORD))
        .await
        .said();
    assert_eq!(
        again,
        "403 forbidden: This instance is already set up; sign in instead."
    );
    let link = instance
        .local("POST", "/admin/api/setup/link", json!({}))
        .await
        .said();
    assert_eq!(
        link,
        "409 conflict: This instance is already set up; sign in instead."
    );
}

#[tokio::test]
async fn a_dropped_cookie_is_explained() {
    let (instance, _) = Instance::owned().await;
    let said = Browser::default()
        .get(&instance, "/admin/api/session?expect=signed-in")
        .await
        .said();
    assert_eq!(
        said,
        "401 unauthenticated: You signed in at http://localhost:8080, but your browser did not keep the cookie. Allow cookies for \
         this site and sign in again."
    );
}

#[tokio::test]
async fn preferences_follow_a_person_and_are_few() {
    let (instance, ada) = Instance::owned().await;
    let set = async |values: serde_json::Value| {
        let body = json!({ "preferences": values });
        ada.call(&instance, "PATCH", "/admin/api/account", body)
            .await
    };
    set(json!({ "tour": "done", "checklist": "seen" })).await;
    let kept = set(json!({ "checklist": null, "zoom": "0.5" })).await.body;
    assert_eq!(
        kept["preferences"],
        json!({ "tour": "done", "zoom": "0.5" })
    );
    let mut other = Browser::default();
    other.sign_in(&instance, "ada@example.com", PASSWORD).await;
    let account = other.get(&instance, "/admin/api/account").await.body;
    assert_eq!(account["preferences"], kept["preferences"]);
    let many: serde_json::Map<String, serde_json::Value> = (0..31)
        .map(|number| (number.to_string(), json!("x")))
        .collect();
    assert_eq!(
        set(json!(many)).await.said(),
        "409 conflict: At most 32 preferences are kept for a person; take others away first."
    );
    let long = set(json!({ "tour": "x".repeat(201) })).await;
    assert_eq!(long.body["errors"][0]["field"], "preferences");
}
