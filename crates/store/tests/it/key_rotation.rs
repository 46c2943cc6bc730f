//! L15: the secret key can be replaced. A process that dies at any stage of it leaves an instance that opens with every secret.
//!
//! The test runs its own program again as the process that dies. That one listens to what the rotation tells of its stages and aborts
//! at the one it is to die at, which is as sudden as being killed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use secrecy::{ExposeSecret as _, SecretString};
use sitewright_store::{
    KeySource, NewCredential, NewRegisteredTool, NewSecondFactor, NextKey, Place, Secrets, Stamp,
    Store, StoreError,
};
use sitewright_testkit::AbortAt;

use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    l15_every_secret_is_readable_with_the_new_key_only
    l15_a_process_that_dies_at_any_stage_loses_no_secret
    l15_a_key_from_the_settings_is_replaced_by_the_given_one
    l15_a_process_with_the_old_key_cannot_store_a_secret
}

const STAGE: &str = "SITEWRIGHT_TEST_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_DATABASE";
const KEY_FILE: &str = "SITEWRIGHT_TEST_KEY_FILE";
const STAGES: [&str; 4] = ["key written", "rows written", "committed", "done"];
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER: &str = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

/// The process that dies. Run by itself it does nothing.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent tells its child what to do"
)]
fn dies_at_the_stage_it_is_told() {
    let Ok(stage) = std::env::var(STAGE) else {
        return;
    };
    let database = std::env::var(DATABASE).expect("a database");
    let key = PathBuf::from(std::env::var(KEY_FILE).expect("a file"));
    AbortAt::stage(&["sitewright::key"], stage);
    let place = match database.starts_with("postgres") {
        true => Place::Postgres(database),
        false => Place::File(database.into()),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let rotated = runtime.block_on(async {
        let store = Store::open(&place).await?;
        rotate(&store, &key).await
    });
    rotated.expect("the rotation");
}

async fn rotate(store: &Store, key: &Path) -> Result<usize, StoreError> {
    let source = KeySource::File(key.to_owned());
    let by = Stamp::local(NOW);
    let rotation = Secrets::rotate_key(store, &source, NextKey::Random, &by).await?;
    Ok(rotation.secrets)
}

/// Stores a secret of each kind.
async fn fill(store: &Store, source: &KeySource) -> Result<()> {
    let secrets = Secrets::open(store, source).await?;
    let ada = set_up(store).await?.id;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::local(NOW);
    let plain = SecretString::from("plain");
    secrets.put(&site, "openai", &plain, &by).await?;
    let tool = NewRegisteredTool {
        site: &site,
        name: "vendor.search",
        registration: &SecretString::from("tool"),
        host: "vendor.example.com",
        replace: false,
    };
    secrets.register_tool(&tool, &by).await?;
    let credential = NewCredential {
        site: &site,
        provider_id: "anthropic",
        label: "Main",
        base_url: None,
        key: Some(&SecretString::from("credential")),
    };
    secrets.add_credential(&credential, &by).await?;
    let factor = NewSecondFactor {
        user: &ada,
        secret: &SecretString::from("factor"),
        step: 1,
        recovery_codes: &[],
    };
    Ok(secrets.put_second_factor(factor, &by).await?)
}

/// Checks that each of them can be read.
async fn check(store: &Store, source: &KeySource) -> Result<()> {
    let secrets = Secrets::open(store, source).await?;
    let site = store.sites().await?.remove(0).id;
    let ada = store.user_by_email("ada@example.com").await?;
    let ada = ada.expect("a person").id;
    let credential = store.credentials(&site).await?.remove(0).id;
    let credential = store
        .credential_secret(&site, &credential, &secrets)
        .await?;
    let found = [
        secrets.get(&site, "openai").await?,
        secrets.registered_tools().await?.remove(0).registration,
        credential.key,
        secrets.second_factor_secret(&ada).await?,
    ];
    let found = found.map(|secret| secret.map(|secret| secret.expose_secret().to_owned()));
    let expected = ["plain", "tool", "credential", "factor"].map(|text| Some(text.to_owned()));
    ensure!(found == expected, "{found:?}");
    ensure!(secrets.verify_audit(None).await?.broken.is_none());
    Ok(())
}

async fn l15_every_secret_is_readable_with_the_new_key_only(fresh: &Fresh) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("secret.key");
    let source = KeySource::File(path.clone());
    let store = fresh.open().await;
    fill(&store, &source).await?;
    let old = std::fs::read_to_string(&path)?;
    let token = Secrets::open(&store, &source).await?.seal_token("p", "t")?;
    assert_eq!(rotate(&store, &path).await?, 4);
    assert_ne!(std::fs::read_to_string(&path)?, old);
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
    check(&store, &source).await?;
    let secrets = Secrets::open(&store, &source).await?;
    assert_eq!(secrets.open_token("p", &token), None);
    let before = KeySource::Given(SecretString::from(old.trim()));
    let refused = Secrets::open(&store, &before).await.map(drop);
    assert!(matches!(refused, Err(StoreError::WrongKey { .. })));
    Ok(())
}

async fn l15_a_process_that_dies_at_any_stage_loses_no_secret(fresh: &Fresh) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("secret.key");
    let source = KeySource::File(path.clone());
    let store = fresh.open().await;
    fill(&store, &source).await?;
    store.close().await;
    let database = match &fresh.place {
        Place::File(path) => path.clone(),
        Place::Postgres(url) => PathBuf::from(url),
    };
    for stage in STAGES {
        let before = std::fs::read(&path)?;
        let died = Command::new(std::env::current_exe()?)
            .args(["key_rotation::dies_at_the_stage_it_is_told", "--exact"])
            .env(STAGE, stage)
            .env(DATABASE, &database)
            .env(KEY_FILE, &path)
            .output()?;
        ensure!(!died.status.success(), "it did not die at {stage}");
        let store = fresh.open().await;
        check(&store, &source).await?;
        let is_replaced = std::fs::read(&path)? != before;
        let is_committed = stage == "committed" || stage == "done";
        assert_eq!(is_replaced, is_committed, "{stage}");
        store.close().await;
    }
    let store = fresh.open().await;
    rotate(&store, &path).await?;
    check(&store, &source).await
}

async fn l15_a_key_from_the_settings_is_replaced_by_the_given_one(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let given = |key: &str| KeySource::Given(SecretString::from(key));
    fill(&store, &given(KEY)).await?;
    let by = Stamp::local(NOW);
    let random = Secrets::rotate_key(&store, &given(KEY), NextKey::Random, &by).await;
    assert!(matches!(random, Err(StoreError::Refused { .. })));
    let short = NextKey::Given(SecretString::from("abc"));
    let short = Secrets::rotate_key(&store, &given(KEY), short, &by).await;
    assert!(matches!(short, Err(StoreError::MalformedKey { .. })));
    check(&store, &given(KEY)).await?;
    let next = NextKey::Given(SecretString::from(OTHER));
    Secrets::rotate_key(&store, &given(KEY), next, &by).await?;
    check(&store, &given(OTHER)).await
}

async fn l15_a_process_with_the_old_key_cannot_store_a_secret(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let given = |key: &str| KeySource::Given(SecretString::from(key));
    fill(&store, &given(KEY)).await?;
    let old = Secrets::open(&store, &given(KEY)).await?;
    let by = Stamp::local(NOW);
    let next = NextKey::Given(SecretString::from(OTHER));
    Secrets::rotate_key(&store, &given(KEY), next, &by).await?;
    let site = store.sites().await?.remove(0).id;
    let lost = SecretString::from("lost");
    let refused = old.put(&site, "openai", &lost, &by).await;
    assert!(matches!(refused, Err(StoreError::WrongKey { .. })));
    check(&store, &given(OTHER)).await
}
