//! L10: what an author or an agent's token can add has limits, and the refusal says which one, the setting and the remedy.

use anyhow::Result;
use secrecy::SecretString;
use sitewright_site::{Author, BodyId, Change, ChangeId, FORMAT};
use sitewright_store::{
    BlobId, CommitError, Committer, NewRegisteredTool, NewToken, Quotas, SiteId, Stamp, Store,
    StoreError, TokenKind,
};
use sitewright_tool::{CapabilitySet, ErrorCode};

use crate::both::{Fresh, on_both};
use crate::conversations::conversation;
use crate::documents::page;
use crate::media::row;
use crate::people::NOW;

on_both! {
    l10_each_limit_refuses_with_its_setting_and_the_remedy
    l10_a_page_beyond_the_limit_is_refused_and_the_site_goes_on
    l10_a_site_shows_how_much_of_its_limits_it_uses
}

const TIGHT: Quotas = Quotas {
    media_bytes: 5_000_001_500,
    documents: 2,
    tokens: 1,
    conversations: 1,
    tools: 1,
    font_files: 1,
    preview_links: 1,
};

async fn open(fresh: &Fresh) -> Result<(Store, SiteId)> {
    let store = fresh.open().await.with_quotas(TIGHT);
    let site = store.sites().await?.remove(0).id;
    Ok((store, site))
}

async fn add_token(store: &Store, site: &SiteId) -> Result<(), StoreError> {
    let new = NewToken {
        site,
        name: "t",
        kind: TokenKind::Agent,
        capabilities: CapabilitySet::default(),
        maker: None,
        parent: None,
        expires_at: None,
    };
    store.create_token(new, &Stamp::local(NOW)).await.map(drop)
}

async fn add_tool(store: &Store, site: &SiteId, name: &str) -> Result<(), StoreError> {
    let secrets = Fresh::secrets(store).await;
    let tool = NewRegisteredTool {
        site,
        name,
        registration: &SecretString::from("tool"),
        host: "vendor.example.com",
        replace: true,
    };
    secrets.register_tool(&tool, &Stamp::local(NOW)).await
}

async fn add_picture(store: &Store, site: &SiteId, text: &str) -> Result<(), StoreError> {
    let picture = sitewright_store::MediaRow {
        blob: BlobId::of(text.as_bytes()),
        ..row(site)
    };
    let added = store.add_media(&picture, &Stamp::local(NOW)).await;
    added.map(drop)
}

fn refusal(refused: Result<(), StoreError>) -> String {
    match refused {
        Err(error @ StoreError::LimitReached { .. }) => error.to_string(),
        other => format!("not refused: {other:?}"),
    }
}

async fn l10_each_limit_refuses_with_its_setting_and_the_remedy(fresh: &Fresh) -> Result<()> {
    let (store, site) = open(fresh).await?;
    let by = Stamp::local(NOW);
    let page = BodyId::from(1);
    let until = NOW.after(std::time::Duration::from_secs(60));
    let mut refusals = Vec::new();
    for round in 0..2 {
        let (text, blob) = (format!("{round}"), BlobId::of(&[round]));
        let outcomes = [
            add_picture(&store, &site, &text).await,
            store.add_fonts(&site, &text, &[blob], &by).await,
            add_token(&store, &site).await,
            add_tool(&store, &site, &text).await,
            store
                .create_conversation(&conversation(&site, "ada"), &by)
                .await,
            store
                .create_preview_link(&site, page, until, &by)
                .await
                .map(drop),
        ];
        match round {
            0 => outcomes.into_iter().collect::<Result<(), _>>()?,
            _ => refusals.extend(outcomes.map(refusal)),
        }
    }
    let expected = [
        "the limit of 5000001500 bytes of pictures is reached: delete pictures that are not used, or raise the setting `media_bytes_max`",
        "the limit of 1 font files is reached: choose fewer weights and scripts, or raise the setting `font_files_max`",
        "the limit of 1 API tokens is reached: revoke tokens that are not used, or raise the setting `tokens_max`",
        "the limit of 1 connected tools is reached: remove tools that are not used, or raise the setting `tools_max`",
        "the limit of 1 conversations of one owner is reached: delete old conversations, or raise the setting `conversations_max`",
        "the limit of 1 preview links is reached: withdraw links that are not used, or raise the setting `preview_links_max`",
    ];
    assert_eq!(refusals, expected);
    // What is there already is no addition, and another owner has a count of their own.
    add_picture(&store, &site, "0").await?;
    add_tool(&store, &site, "0").await?;
    let theirs = conversation(&site, "bob");
    Ok(store.create_conversation(&theirs, &by).await?)
}

async fn l10_a_page_beyond_the_limit_is_refused_and_the_site_goes_on(fresh: &Fresh) -> Result<()> {
    let (store, site) = open(fresh).await?;
    let by = Committer::new(Author::Local, CapabilitySet::all(), Stamp::local(NOW));
    let add = async |number: u64| {
        let change = Change {
            id: ChangeId::from(format!("add-{number}")),
            author: Author::Local,
            turn: None,
            summary: "Add a page".to_owned(),
            ops: vec![page(number).2],
            expects: Vec::new(),
            format: FORMAT,
        };
        let mut live = store.live_site(&site).await?;
        live.commit(&change, &by).await.map(drop)
    };
    // A new site has one page.
    add(1).await?;
    let refused: CommitError = add(2).await.expect_err("there is no room");
    assert_eq!(refused.code(), ErrorCode::TooLarge);
    assert!(refused.to_string().contains("`documents_max`"), "{refused}");
    assert_eq!(
        store
            .live_site(&site)
            .await?
            .site()
            .shell
            .pages
            .iter()
            .count(),
        2
    );
    Ok(())
}

async fn l10_a_site_shows_how_much_of_its_limits_it_uses(fresh: &Fresh) -> Result<()> {
    let (store, site) = open(fresh).await?;
    add_picture(&store, &site, "0").await?;
    add_token(&store, &site).await?;
    let found = store.quota_use(&site).await?;
    let found: Vec<(&str, u64)> = found
        .iter()
        .map(|quota| (quota.setting, quota.used))
        .collect();
    let expected = [
        ("documents_max", 1),
        ("media_bytes_max", 5_000_000_960),
        ("font_files_max", 0),
        ("tokens_max", 1),
        ("conversations_max", 0),
        ("tools_max", 0),
        ("preview_links_max", 0),
    ];
    assert_eq!(found, expected);
    Ok(())
}
