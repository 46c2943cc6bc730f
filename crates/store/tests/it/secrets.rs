use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use secrecy::{ExposeSecret, SecretString};
use sitewright_store::{KeySource, Secrets, Stamp, StoreError};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_secret_reads_back_and_is_not_stored_in_the_clear
    the_wrong_key_is_refused_and_destroys_nothing
    a_lost_key_file_is_not_replaced
    a_malformed_key_names_its_place
    a_token_is_read_by_its_instance_and_for_its_purpose
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER: &str = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn given(key: &str) -> KeySource {
    KeySource::Given(SecretString::from(key))
}

async fn read(
    secrets: &Secrets,
    site: &sitewright_store::SiteId,
) -> Result<Option<String>, StoreError> {
    Ok(secrets
        .get(site, "openai")
        .await?
        .map(|secret| secret.expose_secret().to_owned()))
}

async fn a_secret_reads_back_and_is_not_stored_in_the_clear(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let secrets = Secrets::open(&store, &given(KEY)).await?;
    secrets
        .put(
            &site,
            "openai",
            &SecretString::from("sk-very-secret"),
            &Stamp::local(NOW),
        )
        .await?;
    assert_eq!(
        read(&secrets, &site).await?.as_deref(),
        Some("sk-very-secret")
    );
    secrets
        .put(
            &site,
            "openai",
            &SecretString::from("sk-newer"),
            &Stamp::local(NOW),
        )
        .await?;
    assert_eq!(read(&secrets, &site).await?.as_deref(), Some("sk-newer"));
    let elsewhere = store.create_site("second", "Second", NOW).await?;
    assert_eq!(read(&secrets, &elsewhere.id).await?, None);
    store.close().await;
    if let sitewright_store::Place::File(path) = &fresh.place {
        let bytes = std::fs::read(path)?;
        assert!(!bytes.windows(8).any(|window| window == b"sk-newer"));
    }
    let store = fresh.open().await;
    let secrets = Secrets::open(&store, &given(KEY)).await?;
    secrets.remove(&site, "openai", &Stamp::local(NOW)).await?;
    assert_eq!(read(&secrets, &site).await?, None);
    Ok(())
}

async fn the_wrong_key_is_refused_and_destroys_nothing(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let secrets = Secrets::open(&store, &given(KEY)).await?;
    secrets
        .put(
            &site,
            "openai",
            &SecretString::from("sk-very-secret"),
            &Stamp::local(NOW),
        )
        .await?;
    let refused = Secrets::open(&store, &given(OTHER))
        .await
        .err()
        .map(|error| error.to_string());
    assert_eq!(
        refused.as_deref(),
        Some(
            "the secret key does not fit this instance: its secrets were encrypted with the key d60632cdfd784a0a, and the key at \
             hand is 75f92c1c0393368e; start with the right key in SITEWRIGHT_SECRET_KEY or in the data folder's `secret.key` \
             (nothing was changed)"
        )
    );
    let secrets = Secrets::open(&store, &given(KEY)).await?;
    assert_eq!(
        read(&secrets, &site).await?.as_deref(),
        Some("sk-very-secret")
    );
    Ok(())
}

async fn a_lost_key_file_is_not_replaced(fresh: &Fresh) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("secret.key");
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let source = KeySource::File(path.clone());
    let secrets = Secrets::open(&store, &source).await?;
    secrets
        .put(
            &site,
            "openai",
            &SecretString::from("sk-very-secret"),
            &Stamp::local(NOW),
        )
        .await?;
    assert_eq!(
        std::fs::metadata(&path)?.permissions().mode() & 0o777,
        0o600
    );
    let kept = std::fs::read(&path)?;
    std::fs::remove_file(&path)?;
    let refused = Secrets::open(&store, &source).await.err();
    assert!(
        matches!(refused, Some(StoreError::WrongKey { .. })),
        "{refused:?}"
    );
    assert!(!path.exists());
    std::fs::write(&path, kept)?;
    let secrets = Secrets::open(&store, &source).await?;
    assert_eq!(
        read(&secrets, &site).await?.as_deref(),
        Some("sk-very-secret")
    );
    Ok(())
}

async fn a_malformed_key_names_its_place(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let refused = Secrets::open(&store, &given("hunter2"))
        .await
        .err()
        .map(|error| error.to_string());
    let expected = "SITEWRIGHT_SECRET_KEY must hold 64 hexadecimal digits (32 bytes), as `openssl rand -hex 32` prints them";
    assert_eq!(refused.as_deref(), Some(expected));
    Ok(())
}

async fn a_token_is_read_by_its_instance_and_for_its_purpose(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Secrets::open(&store, &given(KEY)).await?;
    let token = secrets.seal_token("preview", "page 7")?;
    assert!(
        token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        "{token}"
    );
    assert_eq!(
        secrets.open_token("preview", &token).as_deref(),
        Some("page 7")
    );
    assert_eq!(secrets.open_token("other", &token), None);
    let last = if token.ends_with('A') { "B" } else { "A" };
    let forged = format!("{}{last}", &token[..token.len() - 1]);
    for wrong in [forged.as_str(), "", "x", "****"] {
        assert_eq!(secrets.open_token("preview", wrong), None, "{wrong}");
    }
    let again = secrets.seal_token("preview", "page 7")?;
    assert_ne!(
        token, again,
        "two of them tell nobody that they say the same"
    );
    Ok(())
}
