//! Plan mode: reading, handing in, looking at what it would do, accepting a part, and refusing when the site moved on.

use futures_util::future::join_all;
use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;
use sitewright_testkit::{FreshDatabase, block_on};

use super::{Stage, calls, of_type, text};
use crate::ai::with_loopback;
use crate::instance::{Browser, Instance, PASSWORD};

fn plan() -> Value {
    json!({
        "intent": "edit_plan",
        "summary_for_user": "Two new pages.",
        "change_log": ["Adds Team", "Adds Jobs"],
        "ops": [
            { "op": "add_page", "title": "Team" },
            { "op": "add_page", "title": "Jobs" },
        ],
        "suggested_next_actions": [],
    })
}

/// A turn that has handed in a plan, and its id.
async fn handed_in(rounds: Value) -> (Stage, String, Vec<Value>) {
    let (instance, ada) = with_loopback().await;
    handed_in_on(instance, ada, rounds).await
}

async fn handed_in_on(
    instance: Instance,
    ada: Browser,
    rounds: Value,
) -> (Stage, String, Vec<Value>) {
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let body =
        json!({ "conversationId": conversation, "prompt": "plan two pages", "mode": "plan" });
    let mut turn = stage.open(body).await;
    let id = turn.until("bridgeReady").await["turnId"]
        .as_str()
        .expect("an id")
        .to_owned();
    let events = turn.rest().await;
    (stage, id, events)
}

async fn titles(stage: &Stage) -> String {
    let mut listed = stage.tool("list_documents", json!({})).await;
    // The roots of documents are told only of those that are in memory.
    for document in listed["documents"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = document.as_object_mut() {
            fields.shift_remove("rootNodeId");
        }
    }
    listed.to_string()
}

#[tokio::test]
async fn a_plan_changes_nothing_until_a_part_of_it_is_accepted() {
    let rounds = json!([
        calls("c1", "list_documents", json!({})),
        calls("c2", "submit_edit_plan", plan())
    ]);
    let (stage, turn, events) = handed_in(rounds).await;
    let plan = of_type(&events, "plan")[0];
    assert_eq!(
        plan["plan"]["outcomes"].as_array().expect("outcomes").len(),
        2,
        "{plan}"
    );
    assert!(!plan["plan"]["diff"].as_array().expect("a diff").is_empty());
    assert_eq!(text(&events), "Two new pages.");
    assert!(!titles(&stage).await.contains("Team"));
    let sent = stage.simulator.requests().remove(0);
    let tools = sent["tools"].to_string();
    assert!(tools.contains("submit_edit_plan") && !tools.contains("\"insertHtml\""));

    let path = format!("/admin/api/ai/turns/{turn}/plan/preview");
    let preview = stage.post(&path, json!({ "accept": [1] })).await;
    assert_eq!(preview["ok"], true, "{preview}");
    assert!(
        preview["data"]["html"]
            .as_str()
            .is_some_and(|html| html.contains("<title>Jobs")),
        "{preview}"
    );
    assert!(!titles(&stage).await.contains("Jobs"));

    let applied = stage
        .post(
            &format!("/admin/api/ai/turns/{turn}/plan"),
            json!({ "accept": [1] }),
        )
        .await;
    assert_eq!(applied["ok"], true, "{applied}");
    let now = titles(&stage).await;
    assert!(now.contains("Jobs") && !now.contains("Team"), "{now}");
    let known = stage.get(&format!("/admin/api/ai/turns/{turn}")).await;
    assert_eq!(known["appliedPlan"]["accept"], json!([1]), "{known}");
    assert_eq!(
        known["appliedPlan"]["receipt"]["created"][0]["name"], "Jobs",
        "{known}"
    );
    let reverted = stage
        .post(
            "/admin/api/site/reverts",
            json!({ "id": "take-back", "turn": turn }),
        )
        .await;
    assert!(!titles(&stage).await.contains("Jobs"), "{reverted}");
}

#[tokio::test]
async fn a_plan_with_mistakes_goes_back_to_the_model() {
    let mut wrong = plan();
    wrong["ops"][0] = json!({ "op": "rename_page", "pageId": "nowhere", "title": "X" });
    let rounds = json!([
        calls("c1", "submit_edit_plan", wrong),
        { "expect": ["The plan cannot be applied as it is", "/ops/0"], "reply": { "blocks": [{ "toolCall": { "id": "c2", "name": "submit_edit_plan", "arguments": plan() } }] } },
    ]);
    let (_, _, events) = handed_in(rounds).await;
    assert_eq!(of_type(&events, "plan").len(), 1, "{events:#?}");
}

#[tokio::test]
async fn a_plan_is_refused_when_somebody_changed_what_it_is_about() {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let page = before.tool("addPage", json!({ "title": "Old" })).await["pageId"].clone();
    let Stage { instance, ada, .. } = before;
    let mut plan = plan();
    plan["ops"] = json!([{ "op": "rename_page", "pageId": page, "title": "New" }]);
    let rounds = json!([calls("c1", "submit_edit_plan", plan)]);
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "rename it", "mode": "plan" });
    let mut turn = stage.open(body).await;
    let id = turn.until("bridgeReady").await["turnId"]
        .as_str()
        .expect("an id")
        .to_owned();
    let events = turn.rest().await;
    assert_eq!(of_type(&events, "plan").len(), 1, "{events:#?}");
    stage
        .tool("renamePage", json!({ "pageId": page, "title": "Ada's" }))
        .await;
    let refused = stage
        .post(&format!("/admin/api/ai/turns/{id}/plan"), json!({}))
        .await;
    assert_eq!(refused["error"]["code"], "conflict", "{refused}");
    assert!(titles(&stage).await.contains("Ada's"));
}

/// An instance on either database.
struct OnDatabase {
    instance: Instance,
    ada: Browser,
    _database: FreshDatabase,
}

fn run<F: Future<Output = ()>>(
    database: Option<FreshDatabase>,
    test: impl FnOnce(OnDatabase) -> F,
) {
    let Some(database) = database else { return };
    block_on(async {
        let (instance, ada) = Instance::owned_with(|settings| {
            settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
            if database.address.starts_with("postgres:") {
                settings.database_url = Some(database.address.clone().into());
            }
        })
        .await;
        let on = OnDatabase {
            instance,
            ada,
            _database: database,
        };
        test(on).await;
        Ok(())
    });
}

sitewright_testkit::on_both_databases! { super::run:
    a_plan_that_is_accepted_twice_is_applied_once
    a_plan_that_is_accepted_many_times_at_once_is_applied_once
    other_steps_of_an_accepted_plan_are_a_conflict
    a_step_without_the_one_it_needs_is_refused_by_its_name
}

/// How many changes the log of the site has.
async fn changes(stage: &Stage) -> usize {
    let history = stage.get("/admin/api/site/history").await;
    history["changes"].as_array().expect("changes").len()
}

fn without_time(mut envelope: Value) -> Value {
    envelope["latencyMs"].take();
    envelope
}

/// Applied a second time, this plan would add a second page and fail to rename the first.
fn adds_and_renames(page: &Value) -> Value {
    let mut plan = plan();
    plan["change_log"] = json!(["Adds Team", "Renames Old to New"]);
    plan["ops"] = json!([
        { "op": "add_page", "title": "Team" },
        { "op": "rename_page", "pageId": page, "title": "New" },
    ]);
    plan
}

async fn with_page(on: &OnDatabase) -> Value {
    let add = json!({ "tool": "addPage", "scope": "site", "arguments": { "title": "Old" } });
    let added = on.ada.call(&on.instance, "POST", "/tools/call", add).await;
    added.body["data"]["pageId"].clone()
}

async fn a_plan_that_is_accepted_twice_is_applied_once(on: OnDatabase) {
    let plan = adds_and_renames(&with_page(&on).await);
    let rounds = json!([calls("c1", "submit_edit_plan", plan)]);
    let (mut stage, turn, _) = handed_in_on(on.instance, on.ada, rounds).await;
    let path = format!("/admin/api/ai/turns/{turn}/plan");
    let first = stage.post(&path, json!({})).await;
    assert_eq!(first["ok"], true, "{first}");
    let (once, after) = (titles(&stage).await, changes(&stage).await);
    for accept in [
        json!({}),
        json!({ "accept": [0, 1] }),
        json!({ "accept": [1, 0, 1] }),
    ] {
        let again = stage.post(&path, accept).await;
        assert_eq!(without_time(again), without_time(first.clone()));
    }
    assert_eq!(
        (titles(&stage).await, changes(&stage).await),
        (once.clone(), after)
    );
    stage.instance = stage.instance.opened_again(|_| {}).await;
    let restarted = stage.post(&path, json!({})).await;
    assert_eq!(without_time(restarted), without_time(first.clone()));
    // For a token that Ada made, her conversation and its plan do not exist.
    let token = json!({ "name": "script", "kind": "script", "capabilities": ["all"] });
    let token = stage.post("/admin/api/tokens", token).await["token"].take();
    let token = token.as_str().expect("a token");
    let by_token = stage.instance.with_token(token, "POST", &path, json!({}));
    assert_eq!(by_token.await.status.as_u16(), 404);
    assert_eq!((titles(&stage).await, changes(&stage).await), (once, after));
}

/// The same person in two browsers, all at the same moment.
/// Applied again, this plan would succeed again: only that it was accepted before keeps it from that.
async fn a_plan_that_is_accepted_many_times_at_once_is_applied_once(on: OnDatabase) {
    let mut plan = plan();
    plan["change_log"] = json!(["Adds Team"]);
    plan["ops"] = json!([{ "op": "add_page", "title": "Team" }]);
    let rounds = json!([calls("c1", "submit_edit_plan", plan)]);
    let (stage, turn, _) = handed_in_on(on.instance, on.ada, rounds).await;
    let mut other = Browser::default();
    let signed_in = other.sign_in(&stage.instance, "ada@example.com", PASSWORD);
    assert_eq!(signed_in.await.said(), "200");
    let before = changes(&stage).await;
    let path = format!("/admin/api/ai/turns/{turn}/plan");
    let posts = (0..8).map(async |number| {
        let (instance, body) = (&stage.instance, json!({}));
        let answer = match number % 2 {
            0 => stage.ada.call(instance, "POST", &path, body).await,
            _ => other.call(instance, "POST", &path, body).await,
        };
        assert_eq!(answer.said(), "200");
        without_time(answer.body)
    });
    let answers = join_all(posts).await;
    assert_eq!(answers[0]["ok"], true, "{}", answers[0]);
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
    assert_eq!(changes(&stage).await, before + 1);
    assert_eq!(
        titles(&stage).await.matches("\"title\":\"Team\"").count(),
        1
    );
}

async fn other_steps_of_an_accepted_plan_are_a_conflict(on: OnDatabase) {
    let rounds = json!([calls("c1", "submit_edit_plan", plan())]);
    let (stage, turn, _) = handed_in_on(on.instance, on.ada, rounds).await;
    let path = format!("/admin/api/ai/turns/{turn}/plan");
    let first = stage.post(&path, json!({ "accept": [1] })).await;
    assert_eq!(first["ok"], true, "{first}");
    let after = changes(&stage).await;
    for other in [json!({}), json!({ "accept": [0] })] {
        let refused = stage.post(&path, other).await;
        assert_eq!(refused["error"]["code"], "conflict", "{refused}");
        assert_eq!(
            refused["error"]["message"],
            "This plan was accepted before, with step 2 alone, and a plan is applied once. Ask for a new plan for anything else."
        );
    }
    assert_eq!(changes(&stage).await, after);
}

async fn a_step_without_the_one_it_needs_is_refused_by_its_name(on: OnDatabase) {
    let mut plan = plan();
    plan["change_log"] = json!(["Adds the page Team.", "Adds a greeting.", "Adds Jobs."]);
    plan["ops"] = json!([
        { "op": "create_page", "title": "Team", "as": "team" },
        { "op": "add_section", "page": "@team", "html": "<section><h1>We</h1></section>" },
        { "op": "create_page", "title": "Jobs" },
    ]);
    let rounds = json!([calls("c1", "submit_edit_plan", plan)]);
    let (stage, turn, _) = handed_in_on(on.instance, on.ada, rounds).await;
    let before = (titles(&stage).await, changes(&stage).await);
    let path = format!("/admin/api/ai/turns/{turn}/plan");
    let refused = stage.post(&path, json!({ "accept": [1, 2] })).await;
    assert_eq!(refused["error"]["code"], "invalid_input", "{refused}");
    assert_eq!(
        refused["error"]["message"],
        "Step 2 (Adds a greeting) needs step 1 (Adds the page Team), which is not accepted. Accept it too, or leave step 2 out. \
         Nothing was changed."
    );
    assert_eq!(
        refused["error"]["details"]["missing"],
        json!([{ "step": 1, "needs": [0] }])
    );
    assert_eq!((titles(&stage).await, changes(&stage).await), before);
    // What was refused can be accepted with what it lacked.
    let accepted = stage.post(&path, json!({ "accept": [0, 1] })).await;
    assert_eq!(accepted["ok"], true, "{accepted}");
    let now = titles(&stage).await;
    assert!(now.contains("Team") && !now.contains("Jobs"), "{now}");
}
