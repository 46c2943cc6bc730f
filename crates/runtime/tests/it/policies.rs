//! Policies in the database that this version cannot use: written before there were limits, or by another hand.

use serde_json::json;
use sitewright_store::SitePolicy;
use sitewright_tool::ErrorCode;

use crate::stage::{Stage, ana, call, code, local, main_site, on_both};

on_both! {
    a_stored_policy_over_the_limits_refuses_every_call_and_can_be_replaced
    a_stored_policy_that_is_tried_and_over_the_limits_stops_nothing
}

/// What the review sent: each of these aborted the process with the next call, and again after each restart.
fn payloads() -> Vec<String> {
    let policy =
        |condition: &str| format!("permit (principal, action, resource) when {{ {condition} }};");
    vec![
        policy(&format!("{}true{}", "(".repeat(300), ")".repeat(300))),
        policy(&vec!["context.approved"; 2_756].join(" || ")),
        policy(&vec!["context.approved"; 2_756].join(" && ")),
        policy(&format!("{}true", "if true then true else ".repeat(1_122))),
        policy(&format!("context{}", ".a".repeat(20_000))),
    ]
}

async fn a_stored_policy_over_the_limits_refuses_every_call_and_can_be_replaced(
    stage: Stage,
) -> anyhow::Result<()> {
    let mut stage = stage;
    for payload in payloads() {
        let stored = SitePolicy {
            active: Some(payload),
            candidate: None,
        };
        stage
            .store
            .set_policy(&main_site(), &stored, &ana())
            .await?;
        stage = stage.restarted().await?;
        stage.pipeline.resume().await?;
        for look in [
            call("list_documents", json!({}), &local()),
            call("addPage", json!({ "title": "x" }), &local()),
        ] {
            let refused = stage.call(look).await;
            assert_eq!(code(&refused), Some(ErrorCode::Forbidden));
            let message = refused.error.map(|error| error.message).unwrap_or_default();
            assert!(
                message.starts_with(
                    "No tool runs, because the policy of this site cannot be used: line 1: "
                ) && message.ends_with("`sitewright policy set --shipped`."),
                "{message}"
            );
        }
        let replaced = stage
            .pipeline
            .set_policy(&main_site(), &SitePolicy::default(), &ana())
            .await?;
        assert_eq!(replaced, Ok(()));
        let look = call("list_documents", json!({}), &local());
        assert!(stage.call(look).await.ok);
    }
    Ok(())
}

async fn a_stored_policy_that_is_tried_and_over_the_limits_stops_nothing(
    stage: Stage,
) -> anyhow::Result<()> {
    for payload in payloads() {
        let stored = SitePolicy {
            active: None,
            candidate: Some(payload),
        };
        stage
            .store
            .set_policy(&main_site(), &stored, &ana())
            .await?;
        stage
            .pipeline
            .tend(sitewright_store::Timestamp::now())
            .await?;
        let added = stage
            .call(call("addPage", json!({ "title": "x" }), &local()))
            .await;
        assert!(added.ok, "{added:?}");
        let calls = stage.calls().await?;
        let shadow = calls[0].judged.clone().unwrap_or_default()["shadow"].take();
        let shadow = shadow.as_str().unwrap_or_default();
        assert!(
            shadow.starts_with("The policy that is tried cannot be used: line 1: "),
            "{shadow}"
        );
    }
    Ok(())
}
