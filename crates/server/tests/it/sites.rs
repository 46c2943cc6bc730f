use http::header::AUTHORIZATION;
use serde_json::{Value, json};
use sitewright_server::FirstSite;
use sitewright_store::{Place, Store, Timestamp};

use crate::instance::{Browser, Instance, PASSWORD, request};

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

const SET_UP: &str = "/admin/api/setup/local";

/// The first account, with what the site is to begin with.
fn owner(first_site: Option<&str>) -> Value {
    let mut body =
        json!({ "email": "ada@example.com", "password": PASSWORD, "siteName": "Oak & Ember" });
    if let Some(first_site) = first_site {
        body["firstSite"] = json!(first_site);
    }
    body
}

async fn count_pages(instance: &Instance) -> usize {
    let document = instance
        .local("GET", "/admin/api/site/document", json!({}))
        .await;
    let pages = document.body["shell"]["shell"]["pages"].as_array();
    pages.expect("pages").len()
}

/// Setting up brings the example through the gate, in one change.
#[tokio::test]
async fn a_new_installation_begins_with_the_example() {
    let instance = Instance::new().await;
    let done = instance.local("POST", SET_UP, owner(None)).await;
    assert_eq!(done.said(), "200");
    assert_eq!(count_pages(&instance).await, 8);
    let history = instance
        .local("GET", "/admin/api/site/history", json!({}))
        .await
        .body;
    let summaries: Vec<&Value> = history["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|change| &change["summary"])
        .collect();
    assert_eq!(summaries[0], "Added the example site");
    assert_eq!(summaries.len(), 2, "the first page and the example");
    let compared = instance
        .local("GET", "/admin/api/site/publish", json!({}))
        .await
        .body;
    assert_eq!(
        (&compared["pages"], &compared["problems"]),
        (&json!(8), &json!([]))
    );
    for change in compared["changes"].as_array().expect("a list") {
        assert_eq!(change["problems"], json!([]), "{change}");
    }
    instance
        .local("POST", "/admin/api/site/publish", json!({}))
        .await;
    let home = Browser::default().get(&instance, "/").await;
    let html = home.body.as_str().expect("a page");
    assert!(html.contains("<span>Oak &amp; Ember</span>"), "{html}");
    assert!(html.contains("href=\"/classes\""), "{html}");
    let post = Browser::default()
        .get(&instance, "/blog/opening-the-kiln")
        .await;
    let html = post.body.as_str().expect("a page");
    assert!(html.contains("<h1>Opening the kiln</h1>"), "{html}");
}

#[tokio::test]
async fn whoever_wants_an_empty_page_gets_it_with_the_base_theme() {
    let chosen = Instance::new().await;
    chosen.local("POST", SET_UP, owner(Some("empty"))).await;
    assert_eq!(count_pages(&chosen).await, 1);
    chosen
        .local("POST", "/admin/api/site/publish", json!({}))
        .await;
    let home = Browser::default().get(&chosen, "/").await;
    let html = home.body.as_str().expect("a page");
    assert!(html.contains("--accent:"), "the base theme: {html}");
    let font = html.split("url(\"/uploads/fonts/").nth(1);
    let font = font.and_then(|rest| rest.split('"').next());
    let font = format!("/uploads/fonts/{}", font.expect("a font"));
    let file = Browser::default().get(&chosen, &font).await;
    assert_eq!(file.said(), "200", "{font}");
    let set = Instance::with(|settings| settings.first_site = FirstSite::Empty).await;
    set.local("POST", SET_UP, owner(None)).await;
    assert_eq!(count_pages(&set).await, 1);

    // What somebody has begun before the first account was made stays alone.
    let begun = Instance::new().await;
    let add = json!({ "tool": "addPage", "arguments": { "title": "News" } });
    begun.local("POST", "/tools/call", add).await;
    begun.local("POST", SET_UP, owner(None)).await;
    assert_eq!(count_pages(&begun).await, 2);
}
