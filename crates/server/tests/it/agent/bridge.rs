//! Tools that run in a tab: a client with the site core of its own answers what the turn asks for.

use serde_json::{Value, json};
use sitewright_site::{
    Author, BodySnapshot, Change, ChangeId, FORMAT, Facts, Outcome, Replica, Site, View, site_tools,
};
use sitewright_testkit::model::Dialect;

use super::{Stage, Stream, calls, landing_page, of_type, says, text};
use crate::ai::with_loopback;

/// A tab: a copy of the site, and the tools.
struct Tab {
    replica: Replica,
    view: View,
}

impl Tab {
    async fn open(stage: &Stage) -> Self {
        let document = stage.get("/admin/api/site/document").await;
        let shell = serde_json::from_value(document["shell"].clone()).expect("a shell");
        let seq = document["seq"].as_u64().expect("a number");
        let mut replica = Replica::new(shell, seq);
        let page = replica.site().shell.pages.iter().next().expect("a page").0;
        let path = format!("/admin/api/site/document?body={page}");
        let body: BodySnapshot =
            serde_json::from_value(stage.get(&path).await["body"].clone()).expect("a document");
        replica.open(page, &body, seq).expect("it opens");
        Self {
            replica,
            view: View {
                current: Some(page),
                ..View::default()
            },
        }
    }

    /// Runs a tool as the wasm core does: it plans, and applies nothing.
    fn run(&mut self, name: &str, input: Value, change: &str) -> (Value, Vec<Change>) {
        let tools = site_tools();
        let tool = tools
            .iter()
            .find(|tool| tool.definition.manifest.name.as_str() == name);
        let tool = tool.expect("a tool of the site");
        let id = ChangeId::from(change.to_owned());
        let facts = Facts::default();
        let site: &mut Site = self.replica.site_mut();
        match tool.run(input, site, &self.view, (&facts, id.clone())) {
            Ok(Outcome::Done(run)) => {
                let expects = self.replica.site().expects(&run.ops);
                let changes = match run.ops.is_empty() {
                    true => Vec::new(),
                    false => vec![Change {
                        id,
                        author: Author::Local,
                        turn: None,
                        summary: name.to_owned(),
                        expects,
                        ops: run.ops,
                        format: FORMAT,
                    }],
                };
                let result = json!({ "ok": true, "data": run.data, "receipt": run.receipt });
                (result, changes)
            }
            Ok(Outcome::Needs(needs)) => panic!("a tab does not have {needs:?}"),
            Err(error) => (json!({ "ok": false, "error": error.message }), Vec::new()),
        }
    }

    /// Takes in what was committed since.
    async fn catch_up(&mut self, stage: &Stage) {
        let path = format!("/admin/api/site/changes?after={}", self.replica.seq());
        let page = stage.get(&path).await;
        for entry in page["changes"].as_array().expect("changes") {
            let entry = serde_json::from_value(entry.clone()).expect("an entry");
            self.replica.receive(entry).expect("it follows");
        }
    }

    fn snapshot(&self) -> Value {
        json!({ "currentDocument": { "type": "page", "id": self.view.current }, "selectedNodeId": null, "activeBreakpointId": "desktop" })
    }
}

/// Answers every request of a turn, and gives its events.
async fn serve(stage: &Stage, turn: &mut Stream, tab: &mut Tab) -> Vec<Value> {
    let bridge = turn.until("bridgeReady").await["bridgeId"].clone();
    let mut events = Vec::new();
    while let Some(event) = turn.next().await {
        if event["type"] == "toolRequest" {
            tab.catch_up(stage).await;
            let name = event["toolName"].as_str().expect("a name");
            let change = event["changeId"].as_str().expect("an id");
            let (result, changes) = tab.run(name, event["input"].clone(), change);
            let body = json!({
                "bridgeId": bridge, "requestId": event["requestId"], "result": result,
                "snapshot": tab.snapshot(), "changes": changes,
            });
            stage.post("/admin/api/ai/tool-result", body).await;
        }
        events.push(event);
    }
    events
}

async fn staged(rounds: impl Fn(&str) -> Value) -> Stage {
    let (instance, ada) = with_loopback().await;
    let before = Stage::on(instance, ada, Dialect::Anthropic, json!([])).await;
    let root = before.root().await;
    let Stage { instance, ada, .. } = before;
    Stage::on(instance, ada, Dialect::Anthropic, rounds(&root)).await
}

#[tokio::test]
async fn a_tab_and_the_server_make_the_same_document() {
    let headless = staged(landing_page).await;
    let conversation = headless.conversation().await;
    headless.say(&conversation, "build it").await;

    let stage = staged(landing_page).await;
    let conversation = stage.conversation().await;
    let mut tab = Tab::open(&stage).await;
    let body =
        json!({ "conversationId": conversation, "prompt": "build it", "snapshot": tab.snapshot() });
    let mut turn = stage.open(body).await;
    let events = serve(&stage, &mut turn, &mut tab).await;
    assert_eq!(
        text(&events),
        "The page has a hero, prices and a footer now."
    );
    // Reading, tokens and three sections; the final answer is for the server.
    assert_eq!(of_type(&events, "toolRequest").len(), 5, "{events:#?}");
    assert_eq!(stage.page().await, headless.page().await);
    tab.catch_up(&stage).await;
    assert!(
        tab.replica.seq() >= 4,
        "the tab sees its own changes in the log"
    );
}

#[tokio::test]
async fn a_tab_that_goes_away_leaves_the_turn_to_the_server() {
    let stage = staged(landing_page).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "build it", "snapshot": {} });
    let mut turn = stage.open(body).await;
    let ready = turn.until("bridgeReady").await;
    let id = ready["turnId"].clone();
    let asked = turn.until("toolRequest").await;
    drop(turn);
    let mut followed = stage.follow(id.as_str().expect("an id")).await;
    let state = followed.next().await.expect("a state");
    assert_eq!(state["type"], "state");
    let events = followed.rest().await;
    let all = format!("{state}{}", json!(events));
    assert!(
        all.contains("The page has a hero, prices and a footer now."),
        "{all}"
    );
    assert!(stage.page().await.contains("Engines that think"));
    is_dropped(&stage, &conversation, &ready, &asked).await;
}

/// What a tab says to a question that nobody waits for is refused, and the change it sends is not made.
async fn is_dropped(stage: &Stage, conversation: &str, ready: &Value, asked: &Value) {
    let mut tab = Tab::open(stage).await;
    let change = asked["changeId"].as_str().expect("an id");
    let (result, changes) = tab.run("addPage", json!({ "title": "Late" }), change);
    assert_eq!(changes.len(), 1);
    let late = json!({
        "bridgeId": ready["bridgeId"], "requestId": asked["requestId"], "result": result, "snapshot": tab.snapshot(),
        "changes": changes,
    });
    let state = async || {
        let changes = stage.get("/admin/api/site/changes?after=0").await;
        let path = format!("/admin/api/ai/conversations/{conversation}");
        (changes, stage.get(&path).await)
    };
    let before = state().await;
    for bridge in [ready["bridgeId"].clone(), json!("never was")] {
        let mut late = late.clone();
        late["bridgeId"] = bridge;
        let refused = stage
            .ada
            .call(&stage.instance, "POST", "/admin/api/ai/tool-result", late)
            .await;
        assert_eq!(
            refused.said(),
            "404 not_found: This request is no longer waiting for an answer."
        );
    }
    assert_eq!(state().await, before, "nothing is changed");
}

#[tokio::test]
async fn a_stop_while_a_tab_is_asked_takes_the_question_back() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "addPage", json!({ "title": "Never" })),
            says("Hello again.")
        ])
    };
    let stage = staged(rounds).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "add it", "snapshot": {} });
    let mut turn = stage.open(body).await;
    let ready = turn.until("bridgeReady").await;
    let asked = turn.until("toolRequest").await;
    assert_eq!(stage.instance.app.under_way(), (1, 1));
    let id = ready["turnId"].as_str().expect("an id");
    stage
        .post(&format!("/admin/api/ai/turns/{id}/abort"), json!({}))
        .await;
    // The end is told after everything else, and the tab is still there to hear it.
    let events = turn.rest().await;
    assert_eq!(
        events.last().expect("an end")["outcome"],
        "stopped",
        "{events:#?}"
    );
    assert_eq!(of_type(&events, "change").len(), 0);
    assert_eq!(stage.instance.app.under_way().1, 0);
    is_dropped(&stage, &conversation, &ready, &asked).await;
    let documents = stage.tool("list_documents", json!({})).await.to_string();
    assert!(!documents.contains("Never"), "{documents}");
    assert_eq!(
        text(&stage.say(&conversation, "hello?").await),
        "Hello again."
    );
}

#[tokio::test]
async fn catalogue_tools_see_what_the_tab_did_a_moment_ago() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "addPage", json!({ "title": "Harbour" })),
            calls("c2", "list_documents", json!({})),
            { "expect": ["Harbour", "\\\"current\\\":true"], "reply": { "blocks": [{ "text": "There it is." }] } },
        ])
    };
    let stage = staged(rounds).await;
    let conversation = stage.conversation().await;
    let mut tab = Tab::open(&stage).await;
    let body =
        json!({ "conversationId": conversation, "prompt": "add it", "snapshot": tab.snapshot() });
    let mut turn = stage.open(body).await;
    let events = serve(&stage, &mut turn, &mut tab).await;
    assert_eq!(text(&events), "There it is.");
}

#[tokio::test]
async fn tabs_and_people_do_not_answer_for_each_other() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "addPage", json!({ "title": "One" })),
            says("Done.")
        ])
    };
    let stage = staged(rounds).await;
    let eve = stage.instance.member("eve@example.com", "editor").await;
    let conversation = stage.conversation().await;
    let mut tab = Tab::open(&stage).await;
    let body =
        json!({ "conversationId": conversation, "prompt": "add it", "snapshot": tab.snapshot() });
    let mut turn = stage.open(body).await;
    let bridge = turn.until("bridgeReady").await;
    let asked = turn.until("toolRequest").await;
    let answer = json!({ "bridgeId": bridge["bridgeId"], "requestId": asked["requestId"], "result": { "ok": true, "data": {} } });
    let others = eve
        .call(
            &stage.instance,
            "POST",
            "/admin/api/ai/tool-result",
            answer.clone(),
        )
        .await;
    assert_eq!(others.status.as_u16(), 404);
    let wrong =
        json!({ "bridgeId": "another", "requestId": asked["requestId"], "result": { "ok": true } });
    let wrong = stage
        .ada
        .call(&stage.instance, "POST", "/admin/api/ai/tool-result", wrong)
        .await;
    assert_eq!(wrong.status.as_u16(), 404);
    let path = format!(
        "/admin/api/ai/turns/{}/abort",
        bridge["turnId"].as_str().expect("an id")
    );
    let stopped = eve.call(&stage.instance, "POST", &path, json!({})).await;
    assert_eq!(stopped.status.as_u16(), 404);
    let change = asked["changeId"].as_str().expect("an id");
    let (result, changes) = tab.run("addPage", asked["input"].clone(), change);
    let body = json!({ "bridgeId": bridge["bridgeId"], "requestId": asked["requestId"], "result": result, "changes": changes });
    stage.post("/admin/api/ai/tool-result", body.clone()).await;
    assert_eq!(text(&turn.rest().await), "Done.");
    let again = stage
        .ada
        .call(&stage.instance, "POST", "/admin/api/ai/tool-result", body)
        .await;
    assert_eq!(again.status.as_u16(), 404, "an answer counts once");
}

#[tokio::test]
async fn a_tab_that_says_ok_without_a_change_is_not_believed() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "addPage", json!({ "title": "Truth" })),
            says("Done.")
        ])
    };
    let stage = staged(rounds).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "add it", "snapshot": {} });
    let mut turn = stage.open(body).await;
    let bridge = turn.until("bridgeReady").await["bridgeId"].clone();
    let asked = turn.until("toolRequest").await;
    let lie = json!({ "bridgeId": bridge, "requestId": asked["requestId"], "result": { "ok": true, "data": { "pageId": "made up" } } });
    stage.post("/admin/api/ai/tool-result", lie).await;
    turn.rest().await;
    let documents = stage.tool("list_documents", json!({})).await.to_string();
    assert!(
        documents.contains("Truth"),
        "the server did it: {documents}"
    );
}

/// Only `{ ok, data?, error?, images?, receipt? }` is a result; the question stays open until one arrives.
#[tokio::test]
async fn a_result_of_another_shape_is_refused_and_the_turn_goes_on_with_a_good_one() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "read_document", json!({})),
            { "expect": ["A page as the tab sees it"], "reply": { "blocks": [{ "text": "Read." }] } },
        ])
    };
    let stage = staged(rounds).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "read it", "snapshot": {} });
    let mut turn = stage.open(body).await;
    let bridge = turn.until("bridgeReady").await["bridgeId"].clone();
    let asked = turn.until("toolRequest").await;
    let answer = async |result: Value| {
        let body = json!({ "bridgeId": bridge, "requestId": asked["requestId"], "result": result });
        let path = "/admin/api/ai/tool-result";
        stage.ada.call(&stage.instance, "POST", path, body).await
    };
    let wrong = [
        json!("done"),
        json!({ "data": {} }),
        json!({ "ok": "yes" }),
        json!({ "ok": true, "success": true }),
        json!({ "ok": false, "error": { "message": "no" } }),
        json!({ "ok": true, "images": ["iVBORw0KGgo="] }),
        json!({ "ok": true, "images": [{ "data": "iVBORw0KGgo=" }] }),
    ];
    for result in wrong {
        let refused = answer(result.clone()).await;
        assert_eq!(refused.status.as_u16(), 400, "{result}");
        let field = refused.body["errors"][0]["field"].as_str();
        assert!(
            field.is_some_and(|field| field.starts_with("result")),
            "{result}: {refused:?}"
        );
    }
    let good = json!({ "ok": true, "data": { "html": "A page as the tab sees it" } });
    assert!(answer(good).await.status.is_success());
    assert_eq!(text(&turn.rest().await), "Read.");
}

#[tokio::test]
async fn answering_a_request_that_writes_takes_the_permission_to_write() {
    let rounds = |_: &str| {
        json!([
            calls("c1", "addPage", json!({ "title": "One" })),
            says("Done.")
        ])
    };
    let stage = staged(rounds).await;
    let role = async |capabilities: Value| {
        let role = json!({ "name": "Helper", "capabilities": capabilities });
        let path = "/admin/api/roles/helper";
        let put = stage.ada.call(&stage.instance, "PUT", path, role).await;
        assert!(put.status.is_success(), "{put:?}");
    };
    role(json!([
        "ai.chat",
        "ai.tools.write",
        "site.read",
        "site.write",
        "tools.call"
    ]))
    .await;
    let eve = stage.instance.member("eve@example.com", "helper").await;
    let call = async |path: &str, body: Value| eve.call(&stage.instance, "POST", path, body).await;
    let begin = json!({ "scope": "site", "credentialId": stage.credential, "modelId": super::model(stage.dialect) });
    let begun = call("/admin/api/ai/conversations", begin).await;
    let body = json!({ "conversationId": begun.body["id"], "prompt": "add it", "snapshot": {} });
    let request = crate::instance::request("POST", "/admin/api/ai/chat/site", Some(body));
    let mut turn = Stream::of(&stage.instance, eve.dress(request)).await;
    let bridge = turn.until("bridgeReady").await["bridgeId"].clone();
    let asked = turn.until("toolRequest").await;
    let answer =
        json!({ "bridgeId": bridge, "requestId": asked["requestId"], "result": { "ok": true } });
    role(json!(["ai.chat", "site.read", "site.write", "tools.call"])).await;
    let refused = call("/admin/api/ai/tool-result", answer.clone()).await;
    assert_eq!(
        refused.said(),
        "403 forbidden: This needs the permission `ai.tools.write`; ask an owner of the site for it."
    );
    role(json!(["site.read"])).await;
    let refused = call("/admin/api/ai/tool-result", answer).await;
    assert_eq!(
        refused.status.as_u16(),
        403,
        "chatting is needed in any case"
    );
}
