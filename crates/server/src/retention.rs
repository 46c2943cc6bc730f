//! One round that deletes what is older than its period or named by nothing. The server runs it every hour, on every node.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_media::MediaError;
use sitewright_store::{
    CollectedBlobs, CollectionMode, RetentionClock, SiteId, Stamp, StoreError, Timestamp,
};

use crate::App;

/// How long the events of records are kept for readers that resume.
const BREADCRUMB_EVENT_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a round has deleted, or would delete.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionReport {
    /// Whether the clock has run for a week without a jump. Before that, nothing is deleted by its age.
    pub(crate) is_clock_trusted: bool,
    /// The numbers of releases.
    pub(crate) releases: Vec<u64>,
    /// Conversations with the assistant.
    pub(crate) conversations: u64,
    /// Records of what the assistant used.
    pub(crate) usage: u64,
    /// Entries of the activity log.
    pub(crate) audit: u64,
    /// Stored files that nothing names.
    pub(crate) files: u64,
    /// Their size.
    pub(crate) file_bytes: u64,
    /// Stored files that nothing names, and that are kept for a day after that was noticed.
    pub(crate) files_waiting: u64,
}

/// Deletes what is too old on every site. A part that fails does not keep the others from being tried; the first error is returned.
pub(crate) async fn collect(app: &App, now: Timestamp) -> Result<(), StoreError> {
    let clock = app.store().retention_clock(now).await?;
    let mut first_error = app.pipeline().forget(&clock).await.err();
    let records = app
        .store()
        .forget_breadcrumbs(&clock, BREADCRUMB_EVENT_AGE)
        .await;
    first_error = first_error.or(records.err());
    let mut note = |failed: Option<StoreError>| {
        first_error = first_error.take().or(failed);
    };
    for site in app.store().sites().await? {
        match tend_history(app, &site.id, &clock).await {
            Ok(0) => {}
            Ok(changes) => {
                tracing::info!(site = site.slug, changes, "old changes were collapsed");
            }
            Err(error) => note(Some(error)),
        }
        note(app.store().tend_bin(&site.id, &clock).await.err());
        let by = Stamp::local(now);
        match app.library().tend_bin(&site.id, &clock, &by).await {
            Ok(()) => {}
            Err(MediaError::Store(error)) => note(Some(error)),
            Err(error) => tracing::warn!(%error, "the bin of pictures was not emptied"),
        }
        let mut collected = CollectionReport::default();
        let collecting = collect_site(app, &site.id, &clock, CollectionMode::Apply, &mut collected);
        note(collecting.await.err());
        log(&site.slug, &collected);
    }
    let mut collected = CollectionReport::default();
    let collecting = collect_shared(app, &clock, CollectionMode::Apply, &mut collected);
    note(collecting.await.err());
    log("", &collected);
    first_error.map_or(Ok(()), Err)
}

/// What the next round would delete on a site, and what it would delete of what all sites share.
pub(crate) async fn preview(
    app: &App,
    site: &SiteId,
    now: Timestamp,
) -> Result<CollectionReport, StoreError> {
    let clock = app.store().retention_clock(now).await?;
    let mut collected = CollectionReport {
        is_clock_trusted: clock.is_trusted(),
        ..CollectionReport::default()
    };
    collect_site(app, site, &clock, CollectionMode::Preview, &mut collected).await?;
    collect_shared(app, &clock, CollectionMode::Preview, &mut collected).await?;
    Ok(collected)
}

async fn tend_history(app: &App, site: &SiteId, clock: &RetentionClock) -> Result<u64, StoreError> {
    let limits = app.settings().history_limits();
    app.store().tend_history(site, limits, clock).await
}

async fn collect_site(
    app: &App,
    site: &SiteId,
    clock: &RetentionClock,
    collection: CollectionMode,
    collected: &mut CollectionReport,
) -> Result<(), StoreError> {
    let (store, settings) = (app.store(), app.settings());
    collected.releases = store
        .collect_releases(site, settings.release_limits(), clock, collection)
        .await?;
    if let Some(age) = settings.conversation_age() {
        collected.conversations = store
            .collect_conversations(site, age, clock, collection)
            .await?;
    }
    // In another folder than the right one, the files that are there say nothing about those that are missing.
    if !store.shares_files(app.blobs()).await? {
        return Ok(());
    }
    let CollectedBlobs {
        count,
        bytes,
        waiting,
    } = store
        .collect_blobs(app.blobs(), site, clock, collection)
        .await?;
    collected.files = count;
    collected.file_bytes = bytes;
    collected.files_waiting = waiting;
    Ok(())
}

async fn collect_shared(
    app: &App,
    clock: &RetentionClock,
    collection: CollectionMode,
    collected: &mut CollectionReport,
) -> Result<(), StoreError> {
    let settings = app.settings();
    if let Some(age) = settings.usage_age() {
        collected.usage = app.store().collect_usage(age, clock, collection).await?;
    }
    if let Some(age) = settings.audit_age() {
        collected.audit = app.secrets().cut_audit(age, clock, collection).await?;
    }
    Ok(())
}

fn log(site: &str, collected: &CollectionReport) {
    let CollectionReport {
        is_clock_trusted: _,
        releases,
        conversations,
        usage,
        audit,
        files,
        file_bytes,
        files_waiting: _,
    } = collected;
    if releases.len() as u64 + conversations + usage + audit + files > 0 {
        tracing::info!(
            site,
            releases = releases.len(),
            conversations,
            usage,
            audit,
            files,
            file_bytes,
            "what was too old or named by nothing was deleted"
        );
    }
}
