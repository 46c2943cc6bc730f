//! L10: releases, conversations, usage and the audit log are kept for their period, and what is left is still right.

use std::time::Duration;

use anyhow::{Context as _, Result};
use sitewright_store::{
    ChainHead, CollectionMode, Release, ReleaseLimits, SiteId, Stamp, Store, Switch, Timestamp,
};

use crate::audit::{tamper, write_entries};
use crate::both::{Fresh, on_both, proven_clock};
use crate::conversations::{conversation, turn};
use crate::history_seals::{rename, seal};
use crate::people::NOW;
use crate::releases::{file, publish_at, route};
use crate::spending::used;

on_both! {
    l10_old_releases_go_and_the_one_that_visitors_see_stays
    l10_a_release_stays_while_a_rollback_to_it_is_planned
    l10_a_release_is_not_published_with_a_file_that_was_collected
    l10_old_conversations_go_unless_the_assistant_is_at_work
    l10_old_usage_goes_and_budgets_stay_right
    l10_a_log_that_was_cut_still_verifies
    l10_a_cut_that_nobody_signed_is_found
    l10_a_cut_log_still_covers_the_histories
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LIMITS: ReleaseLimits = ReleaseLimits {
    count: 2,
    age: Duration::from_secs(90 * 24 * 60 * 60),
};

async fn main_site(store: &Store) -> Result<SiteId> {
    Ok(store.sites().await?.remove(0).id)
}

/// Publishes so many releases, one each day; the page of each is named by its number.
async fn publish_daily(store: &Store, site: &SiteId, count: u32) -> Result<Vec<Release>> {
    let mut releases: Vec<Release> = Vec::new();
    for day in 0..count {
        let name = format!("page {day}");
        let from = releases.last().map(|release| &release.id);
        let release = publish_at(store, site, &[&name], from, NOW.after(day * DAY)).await?;
        releases.push(release.context("a release")?);
    }
    Ok(releases)
}

async fn collect(store: &Store, site: &SiteId, at: Timestamp) -> Result<Vec<u64>> {
    let clock = proven_clock(store, at).await?;
    let preview = store.collect_releases(site, LIMITS, &clock, CollectionMode::Preview);
    let preview = preview.await?;
    let collecting = store.collect_releases(site, LIMITS, &clock, CollectionMode::Apply);
    let collected = collecting.await?;
    assert_eq!(preview, collected);
    Ok(collected)
}

async fn roll_back(store: &Store, site: &SiteId, to: &Release, at: Timestamp) -> Result<bool> {
    let from = store.current_release(site).await?;
    let switch = Switch {
        from: from.as_ref(),
        call: None,
        agreed: None,
        by: &Stamp::local(at),
    };
    Ok(store.show_release(site, to, switch).await?)
}

async fn l10_old_releases_go_and_the_one_that_visitors_see_stays(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let releases = publish_daily(&store, &site, 8).await?;
    let none: Vec<u64> = Vec::new();
    assert_eq!(collect(&store, &site, NOW.after(60 * DAY)).await?, none);
    // Visitors see the fourth again, from day 10 on.
    assert!(roll_back(&store, &site, &releases[3], NOW.after(10 * DAY)).await?);
    // The first was replaced on day 1, the second on day 2.
    assert_eq!(collect(&store, &site, NOW.after(92 * DAY)).await?, [1]);
    assert_eq!(
        collect(&store, &site, NOW.after(300 * DAY)).await?,
        [6, 5, 2]
    );
    let left = store.releases(&site, None, 10).await?;
    let left: Vec<u64> = left.iter().map(|release| release.number).collect();
    assert_eq!(left, [8, 7, 4, 3], "two newest, and two up to the current");
    assert_eq!(
        store.current_release(&site).await?.as_ref(),
        Some(&releases[3].id)
    );
    let names: Vec<_> = (0..8)
        .map(|day| file(&format!("page {day}")).blob)
        .collect();
    let files = store.release_files(&site, &names).await?;
    assert_eq!(
        files.len(),
        4,
        "files of releases that are gone have no row"
    );
    assert!(!roll_back(&store, &site, &releases[0], NOW.after(300 * DAY)).await?);
    // Numbers go on where they were.
    let from = Some(&releases[3].id);
    let next = publish_at(&store, &site, &["new"], from, NOW.after(301 * DAY)).await?;
    assert_eq!(next.context("a release")?.number, 9);
    Ok(())
}

async fn l10_a_release_stays_while_a_rollback_to_it_is_planned(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let releases = publish_daily(&store, &site, 4).await?;
    let at = NOW.after(200 * DAY);
    store.plan_rollback(&site, &releases[0].id, at).await?;
    assert_eq!(collect(&store, &site, at.after(DAY)).await?, [2]);
    assert!(roll_back(&store, &site, &releases[0], at.after(DAY)).await?);
    assert_eq!(
        store.current_release(&site).await?,
        Some(releases[0].id.clone())
    );
    Ok(())
}

/// A publisher has read that a file is stored; then the last release that has it goes.
async fn l10_a_release_is_not_published_with_a_file_that_was_collected(
    fresh: &Fresh,
) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let releases = publish_daily(&store, &site, 4).await?;
    collect(&store, &site, NOW.after(200 * DAY)).await?;
    let old = file("page 0").blob;
    let routes = [("/".to_owned(), route("page 0"))].into();
    let new = sitewright_store::NewRelease {
        seq: 9,
        note: "",
        routes: &routes,
        files: &[],
        reused: std::slice::from_ref(&old),
    };
    let switch = Switch {
        from: releases.last().map(|release| &release.id),
        call: None,
        agreed: None,
        by: &Stamp::local(NOW),
    };
    assert_eq!(store.publish(&site, new, switch).await?, None);
    let written = [file("page 0")];
    let new = sitewright_store::NewRelease {
        files: &written,
        reused: &[],
        ..new
    };
    assert!(store.publish(&site, new, switch).await?.is_some());
    Ok(())
}

async fn l10_old_conversations_go_unless_the_assistant_is_at_work(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let (old, at_work, recent) = (
        conversation(&site, "ada"),
        conversation(&site, "ada"),
        sitewright_store::Conversation {
            updated_at: NOW.after(300 * DAY),
            ..conversation(&site, "ada")
        },
    );
    for each in [&old, &at_work, &recent] {
        store.create_conversation(each, &Stamp::local(NOW)).await?;
    }
    store.begin_turn(&turn(&at_work, "here"), "[1]").await?;
    let clock = proven_clock(&store, NOW.after(400 * DAY)).await?;
    for (collection, left) in [(CollectionMode::Preview, 3), (CollectionMode::Apply, 2)] {
        let age = 365 * DAY;
        let gone = store.collect_conversations(&site, age, &clock, collection);
        assert_eq!(gone.await?, 1);
        let owner = sitewright_store::ConversationOwner {
            site: &site,
            owner: "ada",
        };
        assert_eq!(store.conversations(owner, None, 10).await?.len(), left);
    }
    Ok(())
}

async fn l10_old_usage_goes_and_budgets_stay_right(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let talk = conversation(&site, "ada");
    store.create_conversation(&talk, &Stamp::local(NOW)).await?;
    let turn = turn(&talk, "here");
    store.begin_turn(&turn, "[1]").await?;
    for (days, tokens) in [(0, 1), (380, 10), (400, 100)] {
        let row = sitewright_store::UsageRow {
            at: NOW.after(days * DAY),
            ..used(&turn, tokens, Some(tokens))
        };
        store.record_usage(&row).await?;
    }
    let now = NOW.after(402 * DAY);
    let clock = proven_clock(&store, now).await?;
    // Even a period of a day deletes nothing that a budget of this month or the last counts.
    for (collection, age) in [
        (CollectionMode::Preview, 400 * DAY),
        (CollectionMode::Apply, DAY),
    ] {
        assert_eq!(store.collect_usage(age, &clock, collection).await?, 1);
    }
    let since = now.before(31 * DAY);
    let spent = store.spent_since(&site, None, since).await?;
    assert_eq!(spent.tokens, 110);
    Ok(())
}

async fn l10_a_log_that_was_cut_still_verifies(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 5).await?;
    secrets.seal_audit().await?;
    let old_head = secrets.verify_audit(None).await?.head.context("a head")?;
    let (later, now) = (NOW.after(100 * DAY), NOW.after(200 * DAY));
    let site = main_site(&store).await?;
    store
        .create_conversation(&conversation(&site, "ada"), &Stamp::local(later))
        .await?;
    secrets.seal_audit().await?;
    let head = secrets.verify_audit(None).await?.head.context("a head")?;
    let clock = proven_clock(&store, now).await?;
    let cut = async |collection| secrets.cut_audit(150 * DAY, &clock, collection).await;
    assert_eq!(cut(CollectionMode::Preview).await?, 5);
    assert_eq!(cut(CollectionMode::Apply).await?, 5);
    assert_eq!(cut(CollectionMode::Apply).await?, 0);
    secrets.seal_audit().await?;
    let report = secrets.verify_audit(Some(&head)).await?;
    assert_eq!((report.cut, report.sealed, report.broken), (5, 2, None));
    let report = secrets.verify_audit(Some(&old_head)).await?;
    let told = report.broken.context("the head is older than the log")?;
    assert!(told.contains("check against a newer head"), "{told}");
    let wrong = ChainHead {
        seq: 6,
        link: "0".repeat(64),
    };
    assert!(secrets.verify_audit(Some(&wrong)).await?.broken.is_some());
    let shown = store.audit_page(&site, None, 10).await?.entries;
    assert_eq!(shown.first().context("an entry")?.action, "audit.cut");
    // What was left is covered as before.
    tamper(fresh, "UPDATE audit SET actor = 'user:eve' WHERE seq = 6").await?;
    let report = secrets.verify_audit(None).await?;
    assert_eq!(report.broken.as_deref(), Some("entry 6 was changed"));
    Ok(())
}

/// Whoever can write the database adds an entry about a cut, which the sealer gives a place, and deletes what came before.
async fn l10_a_cut_that_nobody_signed_is_found(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 6).await?;
    tamper(
        fresh,
        "UPDATE audit SET action = 'audit.cut' WHERE id = (SELECT MAX(id) FROM audit)",
    )
    .await?;
    secrets.seal_audit().await?;
    tamper(fresh, "DELETE FROM audit WHERE seq <= 3").await?;
    let report = secrets.verify_audit(None).await?;
    let told = report.broken.context("it is found")?;
    assert_eq!(told, "entries 1 to 3 are missing");
    Ok(())
}

async fn l10_a_cut_log_still_covers_the_histories(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    for name in ["a", "b"] {
        rename(&store, name, NOW).await?;
        seal(&store).await?;
    }
    let clock = proven_clock(&store, NOW.after(500 * DAY)).await?;
    write_entries(&store, 1).await?;
    secrets.seal_audit().await?;
    assert!(
        secrets
            .cut_audit(DAY, &clock, CollectionMode::Apply)
            .await?
            >= 2
    );
    secrets.seal_audit().await?;
    rename(&store, "c", NOW.after(500 * DAY)).await?;
    seal(&store).await?;
    let report = secrets.verify_audit(None).await?;
    assert_eq!((report.changes, report.broken), (4, None));
    tamper(fresh, "UPDATE site_changes SET summary = 'x' WHERE seq = 1").await?;
    let report = secrets.verify_audit(None).await?;
    let told = report.broken.context("it is found")?;
    assert!(told.contains("was altered"), "{told}");
    Ok(())
}
