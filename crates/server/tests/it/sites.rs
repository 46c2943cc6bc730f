use http::header::AUTHORIZATION;
use serde_json::json;
use sitewright_store::{Place, Store, Timestamp};

use crate::instance::{Browser, Instance, request};

async fn add_site(instance: &Instance, slug: &str) {
    let store = Store::open(&Place::File(instance.settings.data.join("sitewright.db")))
        .await
        .expect("the database");
    store
        .create_site(slug, slug, Timestamp::now())
        .await
        .expect("a site");
}

async fn at(instance: &Instance, browser: &Browser, site: &str) -> crate::instance::Answer {
    let mut request = browser.dress(request("GET", "/admin/api/users", None));
    request
        .headers_mut()
        .insert("sitewright-site", site.parse().expect("a header"));
    instance.send(request).await
}

#[tokio::test]
async fn the_header_chooses_the_site_and_a_role_counts_on_its_own_site_only() {
    let (instance, ada) = Instance::owned().await;
    let admin = instance.member("admin@example.com", "admin").await;
    add_site(&instance, "second").await;
    assert_eq!(
        at(&instance, &ada, "second").await.body["users"],
        json!([]),
        "an owner of the instance is above every site"
    );
    assert_eq!(at(&instance, &admin, "main").await.said(), "200");
    assert_eq!(
        at(&instance, &admin, "second").await.said(),
        "403 forbidden: You have no role on this site; ask its owner to add you."
    );
    assert_eq!(
        at(&instance, &admin, "third").await.said(),
        "404 not_found: There is no such site."
    );
    let several = instance
        .local("GET", "/admin/api/users", json!(null))
        .await
        .said();
    assert_eq!(
        several,
        "400 invalid_input: There are several sites; choose one with --site: main, second."
    );
}

#[tokio::test]
async fn a_token_stays_on_its_site() {
    let (instance, ada) = Instance::owned().await;
    let body = json!({ "name": "t", "kind": "script", "capabilities": ["all"] });
    let token = ada
        .call(&instance, "POST", "/admin/api/tokens", body)
        .await
        .body["token"]
        .clone();
    add_site(&instance, "second").await;
    let mut elsewhere = request("GET", "/admin/api/users", None);
    let header = format!("Bearer {}", token.as_str().expect("a token"));
    elsewhere
        .headers_mut()
        .insert(AUTHORIZATION, header.parse().expect("a header"));
    elsewhere
        .headers_mut()
        .insert("sitewright-site", "second".parse().expect("a header"));
    assert_eq!(
        instance.send(elsewhere).await.said(),
        "403 forbidden: This token belongs to the site `main`."
    );
}
