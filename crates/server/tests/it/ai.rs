//! Providers, defaults, caps and what was used, as people and scripts see them.

use serde_json::{Value, json};
use sitewright_store::{
    Actor, ConversationId, Place, SiteId, Store, Timestamp, TurnId, UsageId, UsageRow, UserId,
};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};
use sitewright_tool::Scope;

use crate::instance::{Browser, Instance};

const CREDENTIALS: &str = "/admin/api/ai/credentials";
const DEFAULTS: &str = "/admin/api/ai/defaults";

pub(crate) async fn with_loopback() -> (Instance, Browser) {
    Instance::owned_with(|settings| {
        settings.egress_allow = "127.0.0.1/32".parse().expect("a list");
    })
    .await
}

fn anthropic() -> ModelSimulator {
    ModelSimulator::start(Dialect::Anthropic, Scenario::default())
}

async fn add(instance: &Instance, ada: &Browser, simulator: &ModelSimulator) -> Value {
    let body = json!({ "providerId": "anthropic", "label": "Main", "apiKey": "sk-ant-1", "baseUrl": simulator.base_url() });
    let added = ada.call(instance, "POST", CREDENTIALS, body).await;
    assert_eq!(added.said(), "200");
    added.body
}

#[tokio::test]
async fn a_credential_is_added_renamed_and_removed_once_no_default_rests_on_it() {
    let (instance, ada) = with_loopback().await;
    let simulator = anthropic();
    let added = add(&instance, &ada, &simulator).await;
    let id = added["id"].as_str().expect("an id");
    let expected = json!({
        "id": id, "providerId": "anthropic", "label": "Main", "baseUrl": simulator.base_url(), "hasKey": true,
        "createdAt": added["createdAt"], "defaultFor": ["site", "content", "data", "plugin", "breadcrumbs"],
    });
    assert_eq!(added, expected);
    let listed = ada.call(&instance, "GET", CREDENTIALS, Value::Null).await;
    assert_eq!(listed.body, json!({ "credentials": [expected] }));

    let one = format!("{CREDENTIALS}/{id}");
    let renamed = json!({ "label": "Other" });
    let renamed = ada.call(&instance, "PATCH", &one, renamed).await;
    assert_eq!(renamed.body["label"], "Other");

    let refused = ada.call(&instance, "DELETE", &one, Value::Null).await;
    assert_eq!(
        refused.said(),
        "409 conflict: The credential is in use: it is the default for breadcrumbs, content, data, plugin, site."
    );
    for scope in ["site", "content", "data", "plugin", "breadcrumbs"] {
        let path = format!("{DEFAULTS}/{scope}");
        let cleared = ada.call(&instance, "DELETE", &path, Value::Null).await;
        assert_eq!(cleared.said(), "204");
    }
    assert_eq!(
        ada.call(&instance, "DELETE", &one, Value::Null)
            .await
            .said(),
        "204"
    );
    let gone = ada.call(&instance, "DELETE", &one, Value::Null).await;
    assert_eq!(gone.said(), "404 not_found: There is no such credential.");
}

#[tokio::test]
async fn what_is_no_credential_is_refused_by_its_field() {
    let (instance, ada) = with_loopback().await;
    let check = async |body: Value, field: &str, message: &str| {
        let refused = ada.call(&instance, "POST", CREDENTIALS, body).await;
        assert_eq!(refused.said(), format!("400 invalid_input: {message}"));
        assert_eq!(refused.body["errors"][0]["field"], field);
    };
    check(
        json!({ "providerId": "offline", "label": "x" }),
        "providerId",
        "`offline` is the built-in commands, which need no credential.",
    )
    .await;
    check(
        json!({ "providerId": "openia", "label": "x" }),
        "providerId",
        "There is no provider `openia`: use anthropic, openai, openrouter, ollama or venice.",
    )
    .await;
    check(
        json!({ "providerId": "openai", "label": "x" }),
        "apiKey",
        "OpenAI needs a key: send it as `apiKey`.",
    )
    .await;
    check(
        json!({ "providerId": "openai", "label": " ", "apiKey": "k" }),
        "label",
        "Give a label of 1 to 100 characters, in one line.",
    )
    .await;
    check(
        json!({ "providerId": "openai", "apiKey": "k" }),
        "label",
        "`label` is missing.",
    )
    .await;
}

#[tokio::test]
async fn a_provider_that_is_down_does_not_keep_its_credential_from_being_added() {
    let (instance, ada) = with_loopback().await;
    let down = Vendor::answering(|_| Answer::Reply(Reply::new(503, "")));
    let body = json!({ "providerId": "ollama", "label": "Basement", "baseUrl": down.url("") });
    let added = ada.call(&instance, "POST", CREDENTIALS, body).await;
    assert_eq!(added.said(), "200");
    assert_eq!(
        (&added.body["hasKey"], &added.body["defaultFor"]),
        (&json!(false), &json!([]))
    );
    let path = format!(
        "{CREDENTIALS}/{}/test",
        added.body["id"].as_str().expect("an id")
    );
    let tested = ada.call(&instance, "POST", &path, json!({})).await;
    assert_eq!(
        tested.body,
        json!({ "ok": false, "code": "overloaded", "modelCount": 0,
                "message": "The provider is overloaded: try again in a moment." })
    );
}

#[tokio::test]
async fn defaults_are_set_per_scope_and_only_to_credentials_of_the_site() {
    let (instance, ada) = with_loopback().await;
    let simulator = anthropic();
    let id = add(&instance, &ada, &simulator).await["id"].clone();
    let chosen = json!({ "credentialId": id, "modelId": "claude-haiku-5-5" });
    let path = format!("{DEFAULTS}/content");
    let set = ada.call(&instance, "PUT", &path, chosen).await;
    let expected = json!({ "scope": "content", "credentialId": id, "modelId": "claude-haiku-5-5" });
    assert_eq!(set.body, expected);
    assert_eq!(
        ada.call(&instance, "GET", &path, Value::Null).await.body,
        expected
    );
    let with_scope = json!({ "scope": "data", "credentialId": id, "modelId": "claude-haiku-5-5" });
    assert_eq!(
        ada.call(&instance, "PUT", DEFAULTS, with_scope)
            .await
            .said(),
        "200"
    );
    let listed = ada.call(&instance, "GET", DEFAULTS, Value::Null).await;
    let models: Vec<&Value> = listed.body["defaults"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|default| &default["modelId"])
        .collect();
    assert_eq!(
        models,
        [
            "claude-opus-5-5",
            "claude-haiku-5-5",
            "claude-haiku-5-5",
            "claude-opus-5-5",
            "claude-opus-5-5"
        ]
    );
    let nobodys = json!({ "credentialId": "0123", "modelId": "m" });
    let refused = ada.call(&instance, "PUT", &path, nobodys).await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: There is no such credential: GET /admin/api/ai/credentials lists them."
    );
    let offline = json!({ "credentialId": "offline", "modelId": "offline" });
    let refused = ada.call(&instance, "PUT", &path, offline).await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: The built-in commands need no default: they are there without one."
    );
    let nowhere = format!("{DEFAULTS}/garden");
    let refused = ada.call(&instance, "GET", &nowhere, Value::Null).await;
    assert_eq!(
        refused.said(),
        "404 not_found: There is no such scope: use site, content, data, plugin or breadcrumbs."
    );
}

#[tokio::test]
async fn the_models_of_a_credential_come_with_windows_and_prices() {
    let (instance, ada) = with_loopback().await;
    let providers = ada
        .call(&instance, "GET", "/admin/api/ai/providers", Value::Null)
        .await;
    assert_eq!(
        providers.body["providers"][3],
        json!({ "id": "ollama", "name": "Ollama", "shape": "endpoint", "baseUrl": "http://localhost:11434" })
    );
    let simulator = anthropic();
    let id = add(&instance, &ada, &simulator).await["id"].clone();
    let id = id.as_str().expect("an id");
    let path = format!("/admin/api/ai/providers/anthropic/models?credentialId={id}");
    let offer = ada.call(&instance, "GET", &path, Value::Null).await;
    assert_eq!(offer.body["live"], true);
    let first = &offer.body["models"][0];
    assert_eq!(
        (&first["id"], &first["tier"], &first["contextWindow"]),
        (
            &json!("claude-opus-5-5"),
            &json!("smartest"),
            &json!(1_000_000)
        )
    );
    assert!(
        first["pricing"]["prompt"]
            .as_f64()
            .is_some_and(|usd| usd > 0.0),
        "{first}"
    );
    let other = format!("/admin/api/ai/providers/openai/models?credentialId={id}");
    let refused = ada.call(&instance, "GET", &other, Value::Null).await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: This credential is not for OpenAI: choose one of its own."
    );
    let nobody = ada
        .call(
            &instance,
            "GET",
            "/admin/api/ai/providers/openia/models?credentialId=1",
            Value::Null,
        )
        .await;
    assert_eq!(
        nobody.said(),
        "404 not_found: There is no provider `openia`: use anthropic, openai, openrouter, ollama or venice."
    );
}

#[tokio::test]
async fn whoever_chats_reads_what_a_chat_needs_and_changes_nothing() {
    let (instance, ada) = with_loopback().await;
    let simulator = anthropic();
    let id = add(&instance, &ada, &simulator).await["id"].clone();
    let id = id.as_str().expect("an id");
    let token = json!({ "name": "chat", "kind": "script", "capabilities": ["ai.chat"] });
    let token = ada
        .call(&instance, "POST", "/admin/api/tokens", token)
        .await
        .body["token"]
        .clone();
    let token = token.as_str().expect("a token");
    let models = format!("/admin/api/ai/providers/anthropic/models?credentialId={id}");
    for path in [
        CREDENTIALS,
        DEFAULTS,
        "/admin/api/ai/providers",
        models.as_str(),
        "/admin/api/ai/budget",
    ] {
        let read = instance.with_token(token, "GET", path, Value::Null).await;
        assert_eq!(read.said(), "200", "{path}");
    }
    for (method, path) in [
        ("POST", CREDENTIALS.to_owned()),
        ("PATCH", format!("{CREDENTIALS}/{id}")),
        ("DELETE", format!("{CREDENTIALS}/{id}")),
        ("POST", format!("{CREDENTIALS}/{id}/test")),
        ("PUT", format!("{DEFAULTS}/site")),
        ("DELETE", format!("{DEFAULTS}/site")),
        ("PUT", "/admin/api/ai/budget".to_owned()),
        ("GET", "/admin/api/ai/audit".to_owned()),
    ] {
        let refused = instance.with_token(token, method, &path, json!({})).await;
        assert_eq!(refused.status.as_u16(), 403, "{method} {path}");
    }
}

/// The rows of an instance, from beside the server.
async fn rows(instance: &Instance) -> (Store, SiteId) {
    let file = instance.settings.data.join("sitewright.db");
    let store = Store::open(&Place::File(file)).await.expect("the rows");
    let site = store.sites().await.expect("sites").remove(0).id;
    (store, site)
}

fn run(site: &SiteId, actor: Actor, at: i64, cost: Option<u64>) -> UsageRow {
    UsageRow {
        id: UsageId::new(),
        site: site.clone(),
        turn_id: TurnId::new(),
        conversation_id: ConversationId::from("talk".to_owned()),
        user_id: actor,
        scope: Scope::Site,
        provider_id: "anthropic".to_owned(),
        model_id: "claude-opus-5-5".to_owned(),
        prompt_tokens: 1_000,
        completion_tokens: 100,
        cache_read_tokens: 600,
        cache_creation_tokens: 200,
        tokens: 1_900,
        cost_picodollars: cost,
        at: Timestamp::from_millis(at),
    }
}

#[tokio::test]
async fn the_audit_sums_by_person_scope_model_and_the_viewers_day() {
    let (instance, ada) = Instance::owned().await;
    let (store, site) = rows(&instance).await;
    let me = ada
        .call(&instance, "GET", "/admin/api/session", Value::Null)
        .await;
    let user = me.body["user"]["id"].as_str().expect("an id").to_owned();
    let actor = Actor::User(UserId::from(user.clone()));
    // Both sides of midnight in Bratislava on the day that has 23 hours there; in UTC one day.
    let evening = 1_774_738_800_000 - 1;
    for (at, cost) in [(evening, Some(2_000_000_000_000)), (evening + 1, None)] {
        let row = run(&site, actor.clone(), at, cost);
        store.record_usage(&row).await.expect("a row");
    }
    let path = "/admin/api/ai/audit?since=2026-03-28T00:00:00Z&tz=Europe/Bratislava";
    let audit = ada.call(&instance, "GET", path, Value::Null).await.body;
    let sum = |cost: f64, runs: u64, unpriced: u64, more: Value| {
        let mut sum = json!({
            "runs": runs, "promptTokens": 1_000 * runs, "completionTokens": 100 * runs, "cacheReadTokens": 600 * runs,
            "cacheCreationTokens": 200 * runs, "totalTokens": 1_900 * runs, "costUsd": cost, "unpricedRuns": unpriced,
        });
        for (name, value) in more.as_object().expect("fields") {
            sum[name] = value.clone();
        }
        sum
    };
    assert_eq!(
        audit,
        json!({
            "since": "2026-03-28T00:00:00Z",
            "totals": sum(2.0, 2, 1, json!({})),
            "byUser": [sum(2.0, 2, 1, json!({ "userId": user, "name": "Ada" }))],
            "byScope": [sum(2.0, 2, 1, json!({ "scope": "site" }))],
            "byModel": [sum(2.0, 2, 1, json!({ "providerId": "anthropic", "modelId": "claude-opus-5-5" }))],
            "byDay": [
                sum(2.0, 1, 0, json!({ "day": "2026-03-28" })),
                sum(0.0, 1, 1, json!({ "day": "2026-03-29" })),
            ],
        })
    );
    let utc = ada
        .call(
            &instance,
            "GET",
            "/admin/api/ai/audit?since=2026-03-28T00:00:00Z",
            Value::Null,
        )
        .await;
    assert_eq!(utc.body["byDay"].as_array().map(Vec::len), Some(1));
    let bad = ada
        .call(&instance, "GET", "/admin/api/ai/audit?tz=Mars", Value::Null)
        .await;
    assert_eq!(
        bad.said(),
        "400 invalid_input: `Mars` is not a time zone: use an IANA name such as Europe/Bratislava."
    );
}

#[tokio::test]
async fn caps_are_on_and_change_one_by_one() {
    let (instance, ada) = Instance::owned().await;
    let path = "/admin/api/ai/budget";
    let (store, site) = rows(&instance).await;
    let me = ada
        .call(&instance, "GET", "/admin/api/session", Value::Null)
        .await;
    let user = UserId::from(me.body["user"]["id"].as_str().expect("an id").to_owned());
    let now = Timestamp::now();
    let row = run(
        &site,
        Actor::User(user),
        now.millis(),
        Some(500_000_000_000),
    );
    store.record_usage(&row).await.expect("a row");
    let caps = ada.call(&instance, "GET", path, Value::Null).await.body;
    assert_eq!(
        caps["caps"],
        json!({ "turnUsd": 2.0, "turnTokens": 2_000_000, "turnRounds": 50, "turnMinutes": 30, "userMonthUsd": 50.0,
                "userMonthTokens": 200_000_000 })
    );
    assert_eq!(
        (&caps["month"]["costUsd"], &caps["month"]["totalTokens"]),
        (&json!(0.5), &json!(1_900))
    );
    let changed = json!({ "turnUsd": 0.5, "userMonthUsd": null });
    let caps = ada.call(&instance, "PUT", path, changed).await.body;
    assert_eq!(
        caps["caps"],
        json!({ "turnUsd": 0.5, "turnTokens": 2_000_000, "turnRounds": 50, "turnMinutes": 30, "userMonthUsd": null,
                "userMonthTokens": 200_000_000 })
    );
    for (body, message) in [
        (
            json!({ "turnUsd": -1 }),
            "`turnUsd` must be 0 to 1000000 US dollars, or null for no cap.",
        ),
        (
            json!({ "turnTokens": 0 }),
            "`turnTokens` must be 1000 to 1000000000.",
        ),
        (json!({ "turnRounds": 0 }), "`turnRounds` must be 1 to 500."),
    ] {
        let refused = ada.call(&instance, "PUT", path, body).await;
        assert_eq!(refused.said(), format!("400 invalid_input: {message}"));
    }
}

/// Each of the four is one that a role and a token can carry alone, and opens what it is for and nothing of the others.
#[tokio::test]
async fn roles_and_tokens_carry_each_capability_of_the_assistant() {
    let (instance, ada) = Instance::owned().await;
    let routes = [
        ("ai.chat", "GET", "/admin/api/ai/conversations"),
        ("ai.tools.write", "POST", "/admin/api/ai/turns/none/plan"),
        ("ai.providers.manage", "PUT", "/admin/api/ai/budget"),
        ("ai.audit.read", "GET", "/admin/api/ai/audit"),
    ];
    for (capability, ..) in routes {
        let role = capability.replace('.', "-");
        let body = json!({ "name": capability, "capabilities": [capability] });
        let path = format!("/admin/api/roles/{role}");
        let made = ada.call(&instance, "PUT", &path, body).await;
        assert_eq!(made.said(), "200");
        let person = instance.member(&format!("{role}@example.com"), &role).await;
        let session = person.get(&instance, "/admin/api/session").await.body;
        assert_eq!(session["capabilities"], json!([capability]));
        let body = json!({ "name": role, "kind": "script", "capabilities": [capability] });
        let made = ada.call(&instance, "POST", "/admin/api/tokens", body).await;
        assert_eq!(made.body["info"]["capabilities"], json!([capability]));
        let token = made.body["token"].as_str().expect("a token");
        for (needed, method, path) in routes {
            let body = json!({ "unknown": true });
            for answer in [
                person.call(&instance, method, path, body.clone()).await,
                instance.with_token(token, method, path, body.clone()).await,
            ] {
                let is_closed = answer.status.as_u16() == 403;
                assert_eq!(
                    is_closed,
                    needed != capability,
                    "{capability} {path}: {answer:?}"
                );
            }
        }
    }
}
