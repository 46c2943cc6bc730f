use std::time::Duration;

use anyhow::Result;
use sitewright_store::{NewToken, Stamp, TokenKind, TokenSecret};
use sitewright_tool::{Capability, CapabilitySet};

use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    a_token_reads_back_as_it_was_made
    a_revoked_or_expired_token_is_no_token
    tokens_are_listed_and_revoked_by_their_maker
    a_token_goes_with_its_maker
}

async fn a_token_reads_back_as_it_was_made(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0);
    let capabilities: CapabilitySet = [Capability::SiteRead, Capability::ToolsCall]
        .into_iter()
        .collect();
    let new = NewToken {
        site: &site.id,
        name: "deploy",
        kind: TokenKind::Agent,
        capabilities,
        maker: None,
        parent: None,
        expires_at: None,
    };
    let (secret, made) = store.create_token(new, &Stamp::local(NOW)).await?;
    assert!(secret.expose().starts_with("swt_"));
    assert_eq!(store.token(&secret, NOW).await?, Some(made.clone()));
    let used = store.tokens(&site.id, None).await?.remove(0);
    assert_eq!(used.last_used_at, Some(NOW));
    assert!(TokenSecret::from_header("Basic abc").is_none());
    let guess = TokenSecret::from_header("swt_guess").expect("the shape of a token");
    assert_eq!(store.token(&guess, NOW).await?, None);
    Ok(())
}

async fn a_revoked_or_expired_token_is_no_token(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0);
    let expires_at = Some(NOW.after(Duration::from_secs(60)));
    let new = |expires_at| NewToken {
        site: &site.id,
        name: "short",
        kind: TokenKind::Script,
        capabilities: CapabilitySet::all(),
        maker: None,
        parent: None,
        expires_at,
    };
    let (expiring, _) = store
        .create_token(new(expires_at), &Stamp::local(NOW))
        .await?;
    assert!(store.token(&expiring, NOW).await?.is_some());
    assert_eq!(
        store
            .token(&expiring, NOW.after(Duration::from_secs(60)))
            .await?,
        None
    );
    let (revoked, token) = store.create_token(new(None), &Stamp::local(NOW)).await?;
    store
        .revoke_token(&site.id, &token.id, None, &Stamp::local(NOW))
        .await?;
    assert_eq!(store.token(&revoked, NOW).await?, None);
    Ok(())
}

async fn tokens_are_listed_and_revoked_by_their_maker(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let new = |maker| NewToken {
        site: &site.id,
        name: "one",
        kind: TokenKind::Script,
        capabilities: CapabilitySet::all(),
        maker,
        parent: None,
        expires_at: None,
    };
    let (_, local) = store.create_token(new(None), &Stamp::local(NOW)).await?;
    let (_, hers) = store
        .create_token(new(Some(&ada.id)), &Stamp::user(&ada.id, NOW))
        .await?;
    assert_eq!(
        store.tokens(&site.id, Some(&ada.id)).await?,
        std::slice::from_ref(&hers)
    );
    assert_eq!(store.tokens(&site.id, None).await?.len(), 2);
    let by = &Stamp::user(&ada.id, NOW);
    let refused = store
        .revoke_token(&site.id, &local.id, Some(&ada.id), by)
        .await;
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("there is no such token".to_owned())
    );
    store
        .revoke_token(&site.id, &hers.id, Some(&ada.id), by)
        .await?;
    assert_eq!(store.tokens(&site.id, None).await?, [local]);
    Ok(())
}

async fn a_token_goes_with_its_maker(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let grace = sitewright_store::NewUser {
        email: "grace@example.com",
        name: "Grace",
        password_hash: None,
        role: sitewright_store::BuiltInRole::Editor.key(),
    };
    let grace = store
        .add_member(&site.id, grace, &Stamp::local(NOW))
        .await?
        .user;
    let new = NewToken {
        site: &site.id,
        name: "hers",
        kind: TokenKind::Script,
        capabilities: CapabilitySet::default(),
        maker: Some(&grace.id),
        parent: None,
        expires_at: None,
    };
    let (secret, _) = store
        .create_token(new, &Stamp::user(&grace.id, NOW))
        .await?;
    store
        .remove_member(&site.id, &grace.id, &Stamp::local(NOW))
        .await?;
    assert_eq!(store.token(&secret, NOW).await?, None);
    Ok(())
}
