//! The content workspace: whole turns in its scope, with its prompt, its tools and what it has open.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;
use sitewright_testkit::outside_world::{KEY, OutsideWorld};

use super::{Stage, Stream, answers, calls, model, says, text};
use crate::ai::with_loopback;
use crate::instance::{Browser, Instance, request};

const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The tools of the scope and the three of every turn.
const TOOLS: [&str; 34] = [
    "searchTools",
    "acknowledgeRequest",
    "finalAnswer",
    "getPage",
    "createPage",
    "updatePage",
    "deletePage",
    "getSectionTemplate",
    "getSection",
    "createSection",
    "updateSection",
    "deleteSection",
    "getImage",
    "createImage",
    "updateImage",
    "deleteImage",
    "getPost",
    "createPost",
    "updatePost",
    "deletePost",
    "getNavItem",
    "createNavItem",
    "updateNavItem",
    "deleteNavItem",
    "getEntry",
    "createEntry",
    "updateEntry",
    "deleteEntry",
    "browseImages",
    "importImage",
    "searchWeb",
    "fetchContent",
    "httpGet",
    "httpPost",
];

/// A stage whose conversations are about content.
struct Workspace(Stage);

impl Workspace {
    async fn new(rounds: Value) -> Self {
        let (instance, ada) = with_loopback().await;
        Self(Stage::on(instance, ada, Dialect::Anthropic, rounds).await)
    }

    /// The same instance with another model.
    async fn plays(self, rounds: Value) -> Self {
        let Stage { instance, ada, .. } = self.0;
        Self(Stage::on(instance, ada, Dialect::Anthropic, rounds).await)
    }

    async fn open(&self, prompt: &str, snapshot: Value) -> Stream {
        let Stage {
            credential,
            dialect,
            ..
        } = &self.0;
        let begin =
            json!({ "scope": "content", "credentialId": credential, "modelId": model(*dialect) });
        let begun = self.0.post("/admin/api/ai/conversations", begin).await;
        let said = json!({ "conversationId": begun["id"], "prompt": prompt, "snapshot": snapshot });
        let request = request("POST", "/admin/api/ai/chat/content", Some(said));
        Stream::of(&self.0.instance, self.0.ada.dress(request)).await
    }

    /// Calls a tool as Ada.
    async fn tool(&self, tool: &str, arguments: Value) -> Value {
        let body = json!({ "tool": tool, "scope": "content", "arguments": arguments });
        let answer = self.0.post("/tools/call", body).await;
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        answer["data"].clone()
    }

    async fn post(&self, slug: &str) -> Value {
        let new = json!({ "collectionSlug": "blog", "slug": slug, "title": slug, "content": { "body": "Words" } });
        self.tool("createPost", new).await
    }

    async fn image(&self) -> Value {
        let new = json!({ "buffer": PIXEL, "filename": "engine.png", "description": "An engine" });
        self.tool("createImage", new).await
    }

    /// Has what is due released. A server of its own does it in the background; here, a request that changes another entry does.
    async fn release(&self, other: &Value) {
        let path = format!(
            "/admin/api/content/entries/{}",
            other.as_str().expect("an id")
        );
        let change = json!({ "content": { "excerpt": "Something else" } });
        let Stage { instance, ada, .. } = &self.0;
        let changed = ada.call(instance, "PATCH", &path, change).await;
        assert!(changed.status.is_success(), "{changed:?}");
    }

    /// Says yes to what a turn asks for next.
    async fn approve(&self, turn: &mut Stream) -> Value {
        let asked = turn.until("approvalRequest").await;
        let id = asked["approvalId"].as_str().expect("an id");
        let path = format!("/admin/api/approvals/{id}");
        self.0.post(&path, json!({ "decision": "approve" })).await;
        asked
    }

    /// The prompt and the names of the tools of the first request.
    fn first_request(&self) -> (String, BTreeSet<String>) {
        let sent = self.0.simulator.requests().remove(0);
        let parts = sent["system"].as_array().expect("a prompt").iter();
        let prompt = parts.filter_map(|part| part["text"].as_str()).collect();
        let tools = sent["tools"].as_array().expect("tools").iter();
        let names = tools.filter_map(|tool| tool["name"].as_str());
        (prompt, names.map(str::to_owned).collect())
    }
}

/// The rounds of a model that writes a post, links it, gives it a cover and publishes it.
fn writes_a_post() -> Value {
    json!([
        { "reply": { "blocks": [
            { "toolCall": { "id": "c1", "name": "createPost", "arguments": {
                "collectionSlug": "blog", "slug": "engines", "title": "Engines", "content": { "body": "They think." } } } },
            { "toolCall": { "id": "c0", "name": "acknowledgeRequest", "arguments": { "text": "A post about engines, in the menu." } } },
        ] } },
        calls("c2", "createNavItem", json!({
            "navigationId": "header", "label": "Engines", "targetType": "entry", "targetId": "{{last id}}" })),
        calls("c3", "getImage", json!({ "query": "engine" })),
        calls("c4", "updatePost", json!({
            "slug": "engines", "featuredImage": "{{last url}}", "content": { "cover": { "url": "{{last url}}", "alt": "An engine" } } })),
        calls("c5", "updatePost", json!({ "slug": "engines", "status": "published" })),
        calls("c6", "finalAnswer", json!({ "text": "The post is live and in the header menu." })),
    ])
}

async fn visit(workspace: &Workspace) -> u16 {
    let visit = request("GET", "/blog/engines", None);
    workspace.0.instance.send(visit).await.status.as_u16()
}

#[tokio::test]
async fn a_post_is_written_linked_illustrated_published_and_taken_back() {
    let before = Workspace::new(json!([])).await;
    before.0.post("/admin/api/site/publish", json!({})).await;
    let image = before.image().await;
    let draft = before.post("other").await;
    let workspace = before.plays(writes_a_post()).await;
    let snapshot = json!({ "currentEntryId": draft["id"] });
    let mut turn = workspace
        .open("write a post about engines and publish it", snapshot)
        .await;
    let turn_id = turn.until("bridgeReady").await["turnId"].clone();
    let mut results = Vec::new();
    while results.len() < 5 {
        results.push(turn.until("toolResult").await["toolCallId"].clone());
    }
    assert_eq!(
        results,
        ["c0", "c1", "c2", "c3", "c4"],
        "it is acknowledged first"
    );
    assert_eq!(
        visit(&workspace).await,
        404,
        "nothing is live before the yes"
    );
    let asked = workspace.approve(&mut turn).await;
    assert_eq!(asked["toolName"], "updatePost", "{asked}");
    let events = turn.rest().await;
    assert_eq!(
        text(&events),
        "The post is live and in the header menu.",
        "{events:#?}"
    );
    workspace.release(&draft["id"]).await;
    assert_eq!(visit(&workspace).await, 200);
    let post = workspace
        .tool("getPost", json!({ "slug": "engines" }))
        .await["items"][0]
        .clone();
    assert_eq!(
        (
            &post["status"],
            &post["content"]["featuredImage"],
            &post["content"]["cover"]["url"]
        ),
        (&json!("published"), &image["url"], &image["url"]),
        "{post}"
    );
    let items = json!({ "navigationId": "header", "all": true });
    let menu = workspace.tool("getNavItem", items).await;
    assert_eq!(
        (&menu["count"], &menu["items"][0]["targetId"]),
        (&json!(1), &post["id"]),
        "{menu}"
    );
    let (prompt, _) = workspace.first_request();
    let open = format!(
        "Open: entry {}=blog/other \"other\" (draft)",
        draft["id"].as_str().expect("an id")
    );
    assert!(prompt.contains(&open), "{prompt}");
    assert!(
        prompt.contains("=header \"Header\" (0 of 5 items)"),
        "{prompt}"
    );
    take_back(&workspace, &turn_id).await;
}

async fn take_back(workspace: &Workspace, turn: &Value) {
    let taken_back = json!({ "id": "back", "turn": turn });
    workspace
        .0
        .post("/admin/api/site/reverts", taken_back)
        .await;
    let gone = workspace
        .tool("getPost", json!({ "slug": "engines" }))
        .await;
    let items = json!({ "navigationId": "header", "all": true });
    let menu = workspace.tool("getNavItem", items).await;
    assert_eq!((&gone["count"], &menu["count"]), (&json!(0), &json!(0)));
    let left = workspace.tool("getPost", json!({ "all": true })).await;
    assert_eq!(left["count"], 1);
}

#[tokio::test]
async fn a_plan_is_refused_where_there_are_no_pages_to_edit() {
    let workspace = Workspace::new(json!([])).await;
    let begin = json!({ "scope": "content" });
    let begun = workspace.0.post("/admin/api/ai/conversations", begin).await;
    let said = json!({ "conversationId": begun["id"], "prompt": "plan a post", "mode": "plan" });
    let Stage { instance, ada, .. } = &workspace.0;
    let path = "/admin/api/ai/chat/content";
    let refused = ada.call(instance, "POST", path, said).await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: A plan is made of edits of pages, so only `site` has one; leave `mode` out."
    );
}

/// The rounds of a model whose work others undo while it waits for a yes. It claims success first, and is told what is different.
fn claims_too_much(image: &Value) -> Value {
    let post = |id: &str, slug: &str| {
        calls(
            id,
            "createPost",
            json!({
            "collectionSlug": "blog", "slug": slug, "title": format!("Post {slug}"), "content": { "body": "Words" } }),
        )
    };
    json!([
        post("c1", "a"),
        post("c2", "b"),
        calls("c3", "createNavItem", json!({ "navigationId": "header", "label": "Link", "targetType": "url", "url": "/blog" })),
        calls("c4", "updateImage", json!({ "id": image["imageId"], "description": "An old engine" })),
        calls("c5", "deletePost", json!({ "slugs": ["old"], "confirmed": true })),
        calls("c6", "deletePost", json!({ "slugs": ["older"], "confirmed": true })),
        calls("c7", "finalAnswer", json!({ "text": "All done." })),
        { "expect": [
            "the entry Post a no longer exists",
            "someone else has changed the entry Post b since",
            "the navItem Link no longer exists",
            "the image engine.png no longer exists",
            "the entry old is there again",
        ], "reply": { "blocks": [{ "toolCall": { "id": "c8", "name": "finalAnswer", "arguments": { "text": "Others were faster." } } }] } },
    ])
}

#[tokio::test]
async fn a_final_answer_is_held_against_entries_menus_and_pictures() {
    let before = Workspace::new(json!([])).await;
    let image = before.image().await;
    before.post("old").await;
    before.post("older").await;
    let workspace = before.plays(claims_too_much(&image)).await;
    let mut turn = workspace.open("tidy up", json!({})).await;
    workspace.approve(&mut turn).await;
    let asked = turn.until("approvalRequest").await;
    workspace
        .tool("deletePost", json!({ "slugs": ["a"], "confirmed": true }))
        .await;
    workspace
        .tool("updatePost", json!({ "slug": "b", "excerpt": "By Ada" }))
        .await;
    let menu = workspace
        .tool(
            "getNavItem",
            json!({ "navigationId": "header", "all": true }),
        )
        .await;
    workspace
        .tool(
            "deleteNavItem",
            json!({ "ids": [menu["items"][0]["id"]], "confirmed": true }),
        )
        .await;
    workspace
        .tool(
            "deleteImage",
            json!({ "ids": [image["imageId"]], "confirmed": true }),
        )
        .await;
    let bin = workspace.0.get("/admin/api/content/bin").await;
    let entries = bin["entries"].as_array().expect("a bin");
    let old = entries
        .iter()
        .find(|entry| entry["title"] == "old")
        .expect("the old one");
    let restore = format!(
        "/admin/api/content/bin/{}/restore",
        old["id"].as_str().expect("an id")
    );
    workspace.0.post(&restore, json!({})).await;
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    workspace
        .0
        .post(&path, json!({ "decision": "approve" }))
        .await;
    let events = turn.rest().await;
    assert_eq!(text(&events), "Others were faster.", "{events:#?}");
}

/// An instance that can reach photographs and a web search.
async fn connected(world: &OutsideWorld) -> (Instance, Browser) {
    let (unsplash, pexels, tavily) = (world.unsplash(), world.pexels(), world.tavily());
    Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
        settings.unsplash_url = unsplash;
        settings.unsplash_access_key = Some(KEY.into());
        settings.pexels_url = pexels;
        settings.pexels_api_key = Some(KEY.into());
        settings.web_search_url = Some(tavily);
        settings.web_search_key = Some(KEY.into());
    })
    .await
}

#[tokio::test]
async fn a_turn_is_offered_the_34_tools_with_the_guidance_of_those_that_work() {
    let picture = base64::engine::general_purpose::STANDARD
        .decode(PIXEL)
        .expect("base64");
    let world = OutsideWorld::with_picture(picture);
    let (instance, ada) = connected(&world).await;
    let stage = Stage::on(instance, ada, Dialect::Anthropic, json!([says("Hello.")])).await;
    let whole = Workspace(stage);
    whole.open("hello", json!({})).await.rest().await;
    let (prompt, offered) = whole.first_request();
    let listed = whole.0.get("/tools").await;
    let listed = listed["tools"].as_array().expect("tools").iter();
    let own = listed.filter(|tool| tool["scopes"] == json!(["content"]));
    let own: BTreeSet<&str> = own.filter_map(|tool| tool["name"].as_str()).collect();
    let expected: BTreeSet<&str> = TOOLS.into_iter().collect();
    let defaults: BTreeSet<&str> = TOOLS[..3].iter().copied().collect();
    assert_eq!(
        own.union(&defaults).copied().collect::<BTreeSet<_>>(),
        expected
    );
    let missing: Vec<&&str> = expected
        .iter()
        .filter(|name| !offered.contains(**name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let lines: BTreeMap<String, String> =
        serde_json::from_str(include_str!("../../../../content/guidance.json")).expect("lines");
    for (name, line) in &lines {
        assert!(
            prompt.contains(&format!("<{name}>\n{line}\n</{name}>")),
            "{name}"
        );
    }

    let alone = Workspace::new(json!([says("Hello.")])).await;
    alone.open("hello", json!({})).await.rest().await;
    let (prompt, offered) = alone.first_request();
    assert!(offered.contains("getImage") && prompt.contains("<getImage>"));
    for name in ["browseImages", "importImage"] {
        assert!(
            !offered.contains(name) && !prompt.contains(&format!("<{name}>")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn searching_by_an_entity_finds_its_tools() {
    let find = |entity: &&str| calls(entity, "searchTools", json!({ "query": entity }));
    let entities = ["page", "post", "navigation", "entry", "image", "section"];
    let mut rounds: Vec<Value> = entities.iter().map(find).collect();
    rounds.push(says("That is all."));
    let workspace = Workspace::new(json!(rounds)).await;
    workspace
        .open("what can you do?", json!({}))
        .await
        .rest()
        .await;
    let families = ["Page", "Post", "NavItem", "Entry", "Image", "Section"];
    let answers = answers(&workspace.0);
    assert_eq!(answers.len(), families.len());
    for (answer, family) in answers.iter().zip(families) {
        let tools = answer["tools"].as_array().expect("tools").iter();
        let found: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
        for verb in ["get", "create", "update", "delete"] {
            let name = format!("{verb}{family}");
            assert!(found.contains(&name.as_str()), "{name}: {found:?}");
        }
    }
}

#[tokio::test]
async fn whoever_may_only_chat_is_acknowledged_and_answered() {
    let rounds = json!([
        calls(
            "c1",
            "acknowledgeRequest",
            json!({ "text": "You want a post." })
        ),
        calls(
            "c2",
            "finalAnswer",
            json!({ "text": "You may not write posts." })
        ),
    ]);
    let workspace = Workspace::new(rounds).await;
    let Stage {
        instance,
        ada,
        credential,
        dialect,
        ..
    } = &workspace.0;
    let role = json!({ "name": "Guest", "capabilities": ["ai.chat"] });
    let made = ada
        .call(instance, "PUT", "/admin/api/roles/guest", role)
        .await;
    assert!(made.status.is_success(), "{made:?}");
    let eve = instance.member("eve@example.com", "guest").await;
    let begin =
        json!({ "scope": "content", "credentialId": credential, "modelId": model(*dialect) });
    let begun = eve
        .call(instance, "POST", "/admin/api/ai/conversations", begin)
        .await
        .body;
    let said = json!({ "conversationId": begun["id"], "prompt": "write a post" });
    let said = request("POST", "/admin/api/ai/chat/content", Some(said));
    let events = Stream::of(instance, eve.dress(said)).await.rest().await;
    assert_eq!(text(&events), "You may not write posts.", "{events:#?}");
    let path = format!(
        "/admin/api/ai/conversations/{}",
        begun["id"].as_str().expect("an id")
    );
    let stored = eve.get(instance, &path).await.body["messages"].to_string();
    assert!(stored.contains("You want a post."), "{stored}");
}
