//! Content over HTTP: what there is, and the bin.

use serde_json::{Value, json};

use crate::instance::{Browser, Instance};

const BIN: &str = "/admin/api/content/bin";

async fn tool(instance: &Instance, by: &Browser, name: &str, arguments: Value) -> Value {
    let call = json!({ "tool": name, "scope": "content", "arguments": arguments });
    by.call(instance, "POST", "/tools/call", call).await.body
}

#[tokio::test]
async fn a_deleted_entry_is_restored_from_the_bin() {
    let (instance, ada) = Instance::owned().await;
    let setup = ada.get(&instance, "/admin/api/content/collections").await;
    assert_eq!(setup.said(), "200");
    let collection = &setup.body["collections"][0];
    assert_eq!(
        (&collection["slug"], &collection["fields"][0]["name"]),
        (&json!("blog"), &json!("body"))
    );
    assert_eq!(setup.body["navigations"][1]["slug"], "footer");
    let post = json!({ "collectionSlug": "blog", "slug": "a", "title": "A", "content": { "body": "Words" } });
    let made = tool(&instance, &ada, "createPost", post.clone()).await;
    assert_eq!(made["ok"], true, "{made}");
    let preview = tool(&instance, &ada, "deletePost", json!({ "slugs": ["a"] })).await;
    assert_eq!(preview["data"]["requiresConfirmation"], true, "{preview}");
    let delete = json!({ "slugs": ["a"], "confirmed": true });
    let deleted = tool(&instance, &ada, "deletePost", delete.clone()).await;
    assert_eq!(deleted["data"]["deleted"][0]["slug"], "a", "{deleted}");
    let bin = ada.get(&instance, BIN).await.body;
    let id = bin["entries"][0]["id"].as_str().expect("an id").to_owned();
    let restore = format!("{BIN}/{id}/restore");
    let viewer = instance.member("vic@example.com", "viewer").await;
    assert_eq!(
        viewer
            .call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        403
    );
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .said(),
        "200"
    );
    let back = tool(&instance, &ada, "getPost", json!({ "slug": "a" })).await;
    assert_eq!(back["data"]["items"][0]["content"]["body"], "Words");
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        404
    );
    // While another entry has its slug, it stays in the bin.
    tool(&instance, &ada, "deletePost", delete).await;
    tool(&instance, &ada, "createPost", post).await;
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        409
    );
}

/// Sends a request as somebody, and returns the body of an answer that must be fine.
async fn done(instance: &Instance, by: &Browser, request: &str, body: Value) -> Value {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let path = format!("/admin/api/content/{path}");
    let answer = by.call(instance, method, &path, body).await;
    assert!(answer.status.is_success(), "{request}: {}", answer.said());
    answer.body
}

async fn status(instance: &Instance, by: &Browser, request: &str, body: Value) -> u16 {
    let (method, path) = request.split_once(' ').expect("a method and a path");
    let path = format!("/admin/api/content/{path}");
    by.call(instance, method, &path, body).await.status.as_u16()
}

#[tokio::test]
async fn a_collection_is_set_up_and_its_fields_change_without_losing_data() {
    let (instance, ada) = Instance::owned().await;
    let fields = json!([
        { "name": "price", "kind": { "type": "text" } },
        { "name": "size", "kind": { "type": "group", "fields": [{ "name": "width", "kind": { "type": "number" } }] } },
    ]);
    let new = json!({ "slug": "goods", "label": "Goods", "routeBase": "/goods", "fields": fields });
    let made = done(&instance, &ada, "POST collections", new.clone()).await;
    assert_eq!(
        status(&instance, &ada, "POST collections", new).await / 100,
        4
    );
    let entry = json!({ "collectionId": "goods", "slug": "vase", "title": "Vase",
        "content": { "price": "cheap", "size": { "width": 3 } } });
    let entry = done(&instance, &ada, "POST entries", entry).await;
    let id = made["id"].as_str().expect("an id");
    let setup = done(&instance, &ada, "GET collections", json!(null)).await;
    let goods = setup["collections"].as_array().expect("a list");
    let goods = goods
        .iter()
        .find(|one| one["slug"] == "goods")
        .expect("it is there");
    let change = format!("PATCH collections/{id}");
    // A field that an entry does not fit is not retyped.
    let mut retyped = goods["fields"].clone();
    retyped[0]["kind"] = json!({ "type": "number" });
    let body = json!({ "fields": retyped });
    let refused = ada
        .call(
            &instance,
            "PATCH",
            &format!("/admin/api/content/collections/{id}"),
            body,
        )
        .await;
    assert!(refused.said().contains("Vase"), "{}", refused.said());
    // A renamed one keeps its values.
    let mut renamed = goods["fields"].clone();
    renamed[0]["name"] = json!("cost");
    let body = json!({ "fields": renamed, "version": goods["version"] });
    done(&instance, &ada, &change, body.clone()).await;
    assert_eq!(status(&instance, &ada, &change, body).await, 409);
    let read = format!("GET entries/{}", entry["id"].as_str().expect("an id"));
    let shown = done(&instance, &ada, &read, json!(null)).await;
    assert_eq!(
        shown["content"],
        json!({ "cost": "cheap", "size": { "width": 3 } })
    );
    let delete = format!("DELETE collections/{id}");
    assert_eq!(status(&instance, &ada, &delete, json!(null)).await, 400);
}

#[tokio::test]
async fn an_entry_is_written_published_compared_and_restored_over_http() {
    let (instance, ada) = Instance::owned().await;
    let site = ada
        .call(&instance, "POST", "/admin/api/site/publish", json!({}))
        .await;
    assert_eq!(site.said(), "200");
    let new = json!({ "collectionId": "blog", "slug": "a", "title": "A", "content": { "body": "*One*" },
        "idempotencyKey": "first" });
    let made = done(&instance, &ada, "POST entries", new.clone()).await;
    let again = done(&instance, &ada, "POST entries", new).await;
    assert_eq!(made["id"], again["id"]);
    let id = made["id"].as_str().expect("an id").to_owned();
    let visit = || instance.send(crate::instance::request("GET", "/blog/a", None));
    assert_eq!(visit().await.status.as_u16(), 404);
    let publish = format!("POST entries/{id}/publish");
    let viewer = instance.member("vic@example.com", "viewer").await;
    assert_eq!(status(&instance, &viewer, &publish, json!({})).await, 403);
    done(&instance, &ada, &publish, json!({})).await;
    let page = visit().await.body.to_string();
    assert!(page.contains("<em>One</em>"), "{page}");
    // An edit is not live until somebody publishes it, and one of an older version is refused.
    let read = format!("GET entries/{id}");
    let version = done(&instance, &ada, &read, json!(null)).await["version"].clone();
    let change = format!("PATCH entries/{id}");
    let edit = json!({ "content": { "body": "Two" }, "version": version });
    done(&instance, &ada, &change, edit.clone()).await;
    assert_eq!(status(&instance, &ada, &change, edit).await, 409);
    assert!(visit().await.body.to_string().contains("One"));
    done(&instance, &ada, &publish, json!({})).await;
    assert!(visit().await.body.to_string().contains("Two"));
    let versions = done(
        &instance,
        &ada,
        &format!("GET entries/{id}/versions"),
        json!(null),
    )
    .await;
    let first = versions["versions"]
        .as_array()
        .and_then(|list| list.last())
        .expect("one");
    let first = format!("entries/{id}/versions/{}", first["version"]);
    let past = done(&instance, &ada, &format!("GET {first}"), json!(null)).await;
    assert_eq!(past["content"]["body"], "*One*");
    let changed = past["changes"].as_array().expect("a list").iter();
    let changed: Vec<&str> = changed
        .filter_map(|change| change["field"].as_str())
        .collect();
    assert_eq!(changed, ["body", "status"]);
    done(&instance, &ada, &format!("POST {first}/restore"), json!({})).await;
    let shown = done(&instance, &ada, &read, json!(null)).await;
    assert_eq!(
        (&shown["content"]["body"], &shown["status"]),
        (&json!("*One*"), &json!("published"))
    );
    done(
        &instance,
        &ada,
        &format!("DELETE entries/{id}"),
        json!(null),
    )
    .await;
    assert_eq!(visit().await.status.as_u16(), 404);
}

#[tokio::test]
async fn a_menu_and_its_items_are_changed_over_http() {
    let (instance, ada) = Instance::owned().await;
    let menu = json!({ "slug": "legal", "label": "Legal" });
    let menu = done(&instance, &ada, "POST navigations", menu).await;
    let menu = menu["id"].as_str().expect("an id").to_owned();
    let items = format!("navigations/{menu}/items");
    let item = json!({ "label": "Terms", "targetType": "url", "url": "https://example.com" });
    let made = done(&instance, &ada, &format!("POST {items}"), item).await;
    let item = format!("items/{}", made["id"].as_str().expect("an id"));
    done(
        &instance,
        &ada,
        &format!("PATCH {item}"),
        json!({ "label": "Conditions" }),
    )
    .await;
    let list = done(&instance, &ada, &format!("GET {items}"), json!(null)).await;
    assert_eq!(list["items"][0]["label"], "Conditions");
    let change = format!("PATCH navigations/{menu}");
    done(&instance, &ada, &change, json!({ "label": "Small print" })).await;
    done(
        &instance,
        &ada,
        &format!("DELETE navigations/{menu}"),
        json!(null),
    )
    .await;
    let setup = done(&instance, &ada, "GET collections", json!(null)).await;
    assert_eq!(setup["navigations"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn published_content_is_read_with_a_token() {
    let (instance, ada) = Instance::owned().await;
    for (slug, author, status) in [
        ("a", "Ana", "published"),
        ("b", "Bo", "published"),
        ("c", "Ana", "draft"),
        ("d", "Ana", "published"),
    ] {
        let entry = json!({ "collectionId": "blog", "slug": slug, "title": slug, "status": status,
            "content": { "author": author, "body": "Words" } });
        done(&instance, &ada, "POST entries", entry).await;
    }
    let token = json!({ "name": "App", "kind": "script", "capabilities": ["content.read"] });
    let token = ada
        .call(&instance, "POST", "/admin/api/tokens", token)
        .await;
    let token = token.body["token"].as_str().expect("a token").to_owned();
    let read = |path: &'static str| instance.with_token(&token, "GET", path, json!(null));
    let list = read("/_sw/content/blog?sort=slug&fields=slug&limit=2")
        .await
        .body;
    let slugs = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().into_iter().flatten();
        items
            .map(|item| item["slug"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(
        (slugs(&list), &list["total"]),
        (vec!["a".to_owned(), "b".to_owned()], &json!(3))
    );
    assert_eq!(
        list["items"][0].as_object().map(serde_json::Map::len),
        Some(2)
    );
    let next = list["next"].as_str().expect("there are more");
    let rest = format!("/_sw/content/blog?sort=slug&fields=slug&limit=2&cursor={next}");
    let rest = instance
        .with_token(&token, "GET", &rest, json!(null))
        .await
        .body;
    assert_eq!(slugs(&rest), ["d"]);
    let filtered = read("/_sw/content/blog?sort=slug&filter=author:Ana")
        .await
        .body;
    assert_eq!(slugs(&filtered), ["a", "d"]);
    let unknown = read("/_sw/content/blog?fields=slug,prize").await;
    assert_eq!(unknown.status.as_u16(), 400);
    assert_eq!(unknown.body["errors"][0]["field"], "fields");
    let one = read("/_sw/content/blog/a").await;
    assert_eq!(
        (&one.body["body"], &one.body["permalink"]),
        (&json!("Words"), &json!("/blog/a"))
    );
    assert_eq!(read("/_sw/content/blog/c").await.status.as_u16(), 404);
    assert_eq!(read("/_sw/content/none").await.status.as_u16(), 404);
    assert_eq!(
        read("/_sw/content/blog?sort=colour").await.status.as_u16(),
        400
    );
    let tag = one.headers["etag"].clone();
    let mut request = crate::instance::request("GET", "/_sw/content/blog/a", None);
    let bearer = format!("Bearer {token}").parse().expect("a header");
    request.headers_mut().insert("authorization", bearer);
    request.headers_mut().insert("if-none-match", tag);
    assert_eq!(instance.send(request).await.status.as_u16(), 304);
    let stranger = crate::instance::request("GET", "/_sw/content/blog", None);
    assert_eq!(instance.send(stranger).await.status.as_u16(), 401);
}

/// The admin API and the public one answer an entry in the language that is asked for, or in the nearest one there is.
#[tokio::test]
async fn entries_are_read_in_a_language_over_http() {
    let (instance, ada) = Instance::owned().await;
    let new =
        json!({ "collectionId": "blog", "slug": "tea", "title": "Tea", "status": "published" });
    let tea = done(&instance, &ada, "POST entries", new).await;
    let tea = tea["id"].as_str().expect("an id").to_owned();
    let new = json!({ "collectionId": "blog", "slug": "tee", "title": "Tee", "locale": "de", "translationOf": tea, "status": "published" });
    done(&instance, &ada, "POST entries", new).await;
    let new =
        json!({ "collectionId": "blog", "slug": "bread", "title": "Bread", "status": "published" });
    done(&instance, &ada, "POST entries", new).await;
    let one = format!("GET entries/{tea}?locale=de-AT");
    let german = done(&instance, &ada, &one, json!(null)).await;
    assert_eq!(
        (&german["title"], &german["permalink"]),
        (&json!("Tee"), &json!("/de/blog/tee"))
    );
    assert_eq!(german["translations"][0]["locale"], "de");

    let title = async |path: &str| {
        let found = ada
            .get(&instance, &format!("/_sw/content/blog{path}"))
            .await;
        (found.status.as_u16(), found.body["title"].clone())
    };
    for (path, expected) in [
        ("/tea", "Tea"),
        ("/tea?locale=de", "Tee"),
        ("/tee?locale=de", "Tee"),
        ("/tea?locale=fr", "Tea"),
        ("/bread?locale=de", "Bread"),
    ] {
        assert_eq!(title(path).await, (200, json!(expected)), "{path}");
    }
    let listed = ada
        .get(
            &instance,
            "/_sw/content/blog?locale=de&sort=title&fields=title",
        )
        .await
        .body;
    let titles: Vec<&Value> = listed["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| &item["title"])
        .collect();
    assert_eq!(
        (titles, &listed["total"]),
        (vec![&json!("Bread"), &json!("Tee")], &json!(2))
    );
}
