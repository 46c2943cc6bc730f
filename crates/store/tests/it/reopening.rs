//! Closing and opening again: what was written is there, a database of an older version is brought up to date, and one of a
//! newer version is left alone.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use secrecy::{ExposeSecret as _, SecretString};
use sitewright_store::{
    AiBudget, AiDefault, BlobId, Credential, KeySource, MediaChange, MediaRow, NewCredential,
    Secrets, SiteId, SitePolicy, Stamp, Store, StoredPrices, UserId,
};
use sitewright_tool::Scope;

use crate::audit::tamper;
use crate::both::{Fresh, on_both};
use crate::media;
use crate::people::{NOW, set_up};

on_both! {
    what_is_no_document_is_there_after_opening_again
    a_database_of_a_newer_version_is_refused_and_left_alone
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// Other than the caps that hold before anybody sets them, in every part.
const BUDGET: AiBudget = AiBudget {
    turn_usd: None,
    turn_tokens: 5_000_000_000,
    turn_rounds: 7,
    turn_minutes: 11,
    user_month_usd: Some(0.1),
    user_month_tokens: None,
};

/// What is read back, apart from documents.
#[derive(Debug, PartialEq)]
struct Readings {
    media: Vec<MediaRow>,
    font_site: Option<SiteId>,
    credentials: Vec<Credential>,
    key: Option<String>,
    defaults: Vec<AiDefault>,
    budget: AiBudget,
    policy: SitePolicy,
    preferences: BTreeMap<String, String>,
    prices: Option<StoredPrices>,
}

async fn secrets(store: &Store) -> Result<Secrets> {
    Ok(Secrets::open(store, &KeySource::Given(SecretString::from(KEY))).await?)
}

async fn read(store: &Store, site: &SiteId, user: &UserId) -> Result<Readings> {
    let credentials = store.credentials(site).await?;
    let first = credentials.first().context("a credential")?;
    let secret = store
        .credential_secret(site, &first.id, &secrets(store).await?)
        .await?;
    Ok(Readings {
        media: store.media_page(site, "", None, 10).await?.rows,
        font_site: store.font_site(&BlobId::of(b"regular")).await?,
        key: secret.key.map(|key| key.expose_secret().to_owned()),
        credentials,
        defaults: store.ai_defaults(site).await?,
        budget: store.ai_budget(site).await?,
        policy: store.policy(site).await?,
        preferences: store.preferences(user).await?,
        prices: store.prices().await?,
    })
}

async fn what_is_no_document_is_there_after_opening_again(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let user = set_up(&store).await?.id;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::local(NOW);

    let asset = store.add_media(&media::row(&site), &by).await?;
    let named = MediaChange {
        name: Some("Harbour".to_owned()),
        alt: Some("Boats at the quay".to_owned()),
        ..MediaChange::default()
    };
    let asset = store.change_media(&site, &asset.id, &named, &by).await?;
    let font = BlobId::of(b"regular");
    store
        .add_fonts(&site, "Inter", std::slice::from_ref(&font), &by)
        .await?;
    let key = SecretString::from("sk-1");
    let new = NewCredential {
        site: &site,
        provider_id: "anthropic",
        label: "Main",
        base_url: Some("https://gateway.example.com"),
        key: Some(&key),
    };
    let credential = secrets(&store).await?.add_credential(&new, &by).await?;
    let default = AiDefault {
        scope: Scope::Site,
        credential_id: credential.id.clone(),
        model_id: "claude-opus-5-5".to_owned(),
    };
    store.set_ai_default(&site, &default, &by).await?;
    store.set_ai_budget(&site, &BUDGET, &by).await?;
    let policy = SitePolicy {
        active: Some("permit (principal, action, resource);".to_owned()),
        candidate: Some("// nothing yet".to_owned()),
    };
    store.set_policy(&site, &policy, &by).await?;
    let preferences = BTreeMap::from([
        ("panel".to_owned(), "open".to_owned()),
        ("theme".to_owned(), "dunkel 🌙".to_owned()),
    ]);
    let set = preferences.clone().into_iter();
    let set = set.map(|(name, value)| (name, Some(value))).collect();
    store.set_preferences(&user, &set).await?;
    let prices = StoredPrices {
        fetched_at: NOW,
        catalogue: "{\"models\":[]}".to_owned(),
    };
    store.keep_prices(&prices).await?;

    let written = Readings {
        media: vec![asset],
        font_site: Some(site.clone()),
        credentials: vec![credential],
        key: Some("sk-1".to_owned()),
        defaults: vec![default],
        budget: BUDGET,
        policy,
        preferences,
        prices: Some(prices),
    };
    assert_eq!(read(&store, &site, &user).await?, written);
    store.close().await;
    let store = fresh.open().await;
    assert_eq!(read(&store, &site, &user).await?, written);
    Ok(())
}

async fn a_database_of_a_newer_version_is_refused_and_left_alone(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    set_up(&store).await?;
    let sites = store.sites().await?;
    store.close().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         SELECT 9999, 'from the future', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
    tamper(fresh, newer).await?;
    let refused = Store::open(&fresh.place).await;
    assert_eq!(
        refused.map(drop).map_err(|error| error.to_string()),
        Err(
            "the database was written by a newer version of Sitewright, whose step 9999 this version does not know: start that \
             version, or restore a backup from before it was used (nothing was changed)"
                .to_owned()
        )
    );
    tamper(fresh, "DELETE FROM _sqlx_migrations WHERE version = 9999").await?;
    assert_eq!(fresh.open().await.sites().await?, sites);
    Ok(())
}
