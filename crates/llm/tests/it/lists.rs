//! Lists of models.

use secrecy::SecretString;
use sitewright_llm::{Capabilities, ErrorClass, ModelClient, ProviderId, Tier};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use super::{client, egress};

#[tokio::test]
async fn every_provider_lists_its_models_live() {
    for (dialect, id, window, sees) in [
        (Dialect::Anthropic, "claude-opus-5-5", Some(1_000_000), true),
        (Dialect::OpenAi, "gpt-6-sol", None, true),
        (
            Dialect::OpenRouter,
            "anthropic/claude-opus-5.5",
            Some(1_000_000),
            true,
        ),
        (Dialect::Ollama, "qwen3:8b", None, false),
        (Dialect::Venice, "kimi-k3", Some(1_000_000), true),
    ] {
        let simulator = ModelSimulator::start(dialect, Scenario::default());
        let models = client(&simulator, dialect).list_models().await.unwrap();
        let first = &models[0];
        assert_eq!(
            (first.id.as_str(), first.context_window, first.vision_input),
            (id, window, Some(sees))
        );
        assert_eq!(first.tools, Some(true));
        let capabilities = Capabilities::of(&first.id).with(first);
        assert_eq!(capabilities.vision_input, sees);
    }
}

#[tokio::test]
async fn the_smartest_model_is_marked() {
    let simulator = ModelSimulator::start(Dialect::Anthropic, Scenario::default());
    let models = client(&simulator, Dialect::Anthropic)
        .list_models()
        .await
        .unwrap();
    let smartest: Vec<&str> = models
        .iter()
        .filter(|model| model.tier == Some(Tier::Smartest))
        .map(|model| model.id.as_str())
        .collect();
    assert_eq!(smartest, ["claude-opus-5-5"]);
}

#[tokio::test]
async fn a_list_with_pages_is_read_to_its_end() {
    let vendor = Vendor::answering(|received| {
        let last = received.path.contains("after_id=claude-b");
        let body = if last {
            r#"{"data":[{"id":"claude-c"}],"has_more":false,"last_id":"claude-c"}"#
        } else {
            r#"{"data":[{"id":"claude-a"},{"id":"claude-b"}],"has_more":true,"last_id":"claude-b"}"#
        };
        Answer::Reply(Reply::new(200, body))
    });
    let client = ModelClient::new(egress(), ProviderId::Anthropic, Some(&vendor.url("")), None);
    let models = client.list_models().await.unwrap();
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["claude-a", "claude-b", "claude-c"]);
}

#[tokio::test]
async fn a_list_that_never_ends_or_is_none_is_an_answer_all_the_same() {
    let circle = Vendor::answering(|_| {
        Answer::Reply(Reply::new(
            200,
            r#"{"data":[{"id":"claude-a"}],"has_more":true,"last_id":"claude-a"}"#,
        ))
    });
    let client = ModelClient::new(egress(), ProviderId::Anthropic, Some(&circle.url("")), None);
    assert_eq!(client.list_models().await.unwrap().len(), 20);
    let wrong = Vendor::answering(|_| Answer::ok("<html>"));
    let client = ModelClient::new(egress(), ProviderId::OpenAi, Some(&wrong.url("")), None);
    assert_eq!(
        client.list_models().await.unwrap_err().class,
        ErrorClass::Protocol
    );
}

#[tokio::test]
async fn a_local_server_whose_list_says_little_is_asked_about_each_model() {
    let vendor = Vendor::answering(|received| {
        let sees = received.body.windows(6).any(|window| window == b"gemma4");
        Answer::ok(match (received.path.as_str(), sees) {
            ("/api/tags", _) => {
                r#"{"models":[{"name":"gemma4"},{"name":"qwen3"},{"name":"gone"}]}"#
            }
            (_, true) => r#"{"capabilities":["completion","tools","vision"]}"#,
            _ if received.body.windows(4).any(|window| window == b"gone") => "no JSON",
            _ => r#"{"capabilities":["completion","tools"]}"#,
        })
    });
    let client = ModelClient::new(egress(), ProviderId::Ollama, Some(&vendor.url("")), None);
    let models = client.list_models().await.unwrap();
    let seen: Vec<Option<bool>> = models.iter().map(|model| model.vision_input).collect();
    assert_eq!(seen, [Some(true), Some(false), None]);
}

#[tokio::test]
async fn a_check_asks_about_the_key_where_the_list_is_open_to_everybody() {
    let answers = |key_answer: Reply| {
        Vendor::answering(move |received| match received.path.as_str() {
            "/key" => Answer::Reply(key_answer.clone()),
            _ => Answer::ok(r#"{"data":[{"id":"a/b"}]}"#),
        })
    };
    let check = async |vendor: &Vendor| {
        let key = Some(SecretString::from("sk-or-canary"));
        ModelClient::new(egress(), ProviderId::OpenRouter, Some(&vendor.url("")), key)
            .check()
            .await
    };
    let good = answers(Reply::new(200, r#"{"data":{"limit_remaining":null}}"#));
    assert_eq!(check(&good).await.unwrap().len(), 1);
    let bad = answers(Reply::new(
        401,
        r#"{"error":{"message":"User not found.","code":401}}"#,
    ));
    assert_eq!(check(&bad).await.unwrap_err().class, ErrorClass::Auth);
    let spent = answers(Reply::new(200, r#"{"data":{"limit_remaining":0}}"#));
    assert_eq!(check(&spent).await.unwrap_err().class, ErrorClass::Billing);
}

#[tokio::test]
async fn a_provider_that_quotes_the_key_is_not_quoted() {
    let vendor = Vendor::answering(|received| {
        let sent = received.header("x-api-key").unwrap_or_default();
        let said = format!(r#"{{"error":{{"message":"no such key: <{sent}>, sorry"}}}}"#);
        Answer::Reply(Reply::new(401, said))
    });
    // Nothing about it looks like a key.
    let key = Some(SecretString::from("open sesame"));
    let client = ModelClient::new(egress(), ProviderId::Anthropic, Some(&vendor.url("")), key);
    let error = client.list_models().await.unwrap_err();
    assert_eq!(error.detail, "no such key: <[redacted]>, sorry");
}
