//! Tools registered over the API: kept sealed, seen by every node, told in the activity log.

use anyhow::Result;
use secrecy::{ExposeSecret, SecretString};
use sitewright_store::{KeySource, NewRegisteredTool, Secrets, SiteId, Stamp, Store, StoreError};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_registered_tool_reads_back_elsewhere_and_is_not_stored_in_the_clear
    a_name_is_one_tools_and_only_its_site_may_replace_or_remove_it
    every_change_is_counted_and_told_and_a_refused_one_is_not
    two_nodes_that_register_one_name_at_once_have_one_winner
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

async fn opened(fresh: &Fresh) -> Result<(Store, Secrets, SiteId)> {
    let store = fresh.open().await;
    let secrets = Secrets::open(&store, &KeySource::Given(SecretString::from(KEY))).await?;
    let site = store.sites().await?.remove(0).id;
    Ok((store, secrets, site))
}

async fn register(
    secrets: &Secrets,
    site: &SiteId,
    registration: &str,
    replace: bool,
) -> Result<(), StoreError> {
    let tool = NewRegisteredTool {
        site,
        name: "pim.getProduct",
        registration: &SecretString::from(registration),
        host: "vendor.example.com",
        replace,
    };
    secrets.register_tool(&tool, &Stamp::local(NOW)).await
}

async fn kept(secrets: &Secrets) -> Result<Vec<(String, Option<String>)>> {
    let tools = secrets.registered_tools().await?;
    let kept = tools.into_iter().map(|tool| {
        let registration = tool
            .registration
            .map(|text| text.expose_secret().to_owned());
        (tool.name, registration)
    });
    Ok(kept.collect())
}

fn pim(registration: &str) -> (String, Option<String>) {
    ("pim.getProduct".to_owned(), Some(registration.to_owned()))
}

async fn a_registered_tool_reads_back_elsewhere_and_is_not_stored_in_the_clear(
    fresh: &Fresh,
) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    register(&secrets, &site, "{\"x-api-key\": \"k3y-canary\"}", false).await?;
    store.close().await;
    if let sitewright_store::Place::File(path) = &fresh.place {
        let bytes = std::fs::read(path)?;
        assert!(!bytes.windows(10).any(|window| window == b"k3y-canary"));
    }
    let (store, secrets, _) = opened(fresh).await?;
    assert_eq!(
        kept(&secrets).await?,
        [pim("{\"x-api-key\": \"k3y-canary\"}")]
    );
    assert_eq!(store.registered_tools_version().await?, 1);
    Ok(())
}

async fn a_name_is_one_tools_and_only_its_site_may_replace_or_remove_it(
    fresh: &Fresh,
) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let other = store.create_site("second", "Second", NOW).await?.id;
    register(&secrets, &site, "first", false).await?;
    for (whose, replace) in [(&site, false), (&other, false), (&other, true)] {
        let refused = register(&secrets, whose, "second", replace).await;
        assert!(
            matches!(refused, Err(StoreError::Taken { .. })),
            "{refused:?}"
        );
    }
    register(&secrets, &site, "second", true).await?;
    assert_eq!(kept(&secrets).await?, [pim("second")]);
    let by = Stamp::local(NOW);
    let refused = store
        .remove_registered_tool(&other, "pim.getProduct", &by)
        .await;
    assert!(
        matches!(refused, Err(StoreError::NotFound { .. })),
        "{refused:?}"
    );
    store
        .remove_registered_tool(&site, "pim.getProduct", &by)
        .await?;
    assert_eq!(kept(&secrets).await?, []);
    Ok(())
}

async fn every_change_is_counted_and_told_and_a_refused_one_is_not(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    assert_eq!(store.registered_tools_version().await?, 0);
    register(&secrets, &site, "first", false).await?;
    register(&secrets, &site, "second", false)
        .await
        .expect_err("it is refused");
    register(&secrets, &site, "second", true).await?;
    let by = Stamp::local(NOW);
    store
        .remove_registered_tool(&site, "pim.getProduct", &by)
        .await?;
    store
        .remove_registered_tool(&site, "pim.getProduct", &by)
        .await
        .expect_err("it is refused");
    assert_eq!(store.registered_tools_version().await?, 3);
    let page = store.audit_page(&site, None, 10).await?;
    let told: Vec<_> = page
        .entries
        .iter()
        .filter(|entry| entry.subject.as_deref() == Some("pim.getProduct"))
        .map(|entry| {
            (
                entry.action.as_str(),
                entry.detail.clone().unwrap_or_default().to_string(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("tool.removed", "{}".to_owned()),
            (
                "tool.replaced",
                "{\"host\":\"vendor.example.com\"}".to_owned()
            ),
            (
                "tool.registered",
                "{\"host\":\"vendor.example.com\"}".to_owned()
            ),
        ]
    );
    Ok(())
}

async fn two_nodes_that_register_one_name_at_once_have_one_winner(fresh: &Fresh) -> Result<()> {
    let (_store, secrets, site) = opened(fresh).await?;
    let (_second, elsewhere, _) = opened(fresh).await?;
    let (one, two) = tokio::join!(
        register(&secrets, &site, "one", false),
        register(&elsewhere, &site, "two", false)
    );
    assert_eq!(one.is_ok(), two.is_err(), "{one:?} {two:?}");
    assert_eq!(kept(&secrets).await?.len(), 1);
    Ok(())
}
