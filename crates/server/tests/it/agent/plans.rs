//! Plan mode: reading, handing in, looking at what it would do, accepting a part, and refusing when the site moved on.

use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;

use super::{Stage, calls, of_type, text};

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
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
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
    stage.tool("list_documents", json!({})).await.to_string()
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
