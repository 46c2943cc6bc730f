//! Whether the stored data can be read, and how to recover when it cannot.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::{Stream, stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_publish::{CheckOptions, StorageReport};
use sitewright_site::{BodyId, FORMAT};
use sitewright_store::{PartDamage, RecoverTo, Recovery, SiteId, Store, StoreError};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Json, Nothing, Route};

/// How many log entries an export reads at once.
const ENTRIES_PER_STEP: u16 = 100;

pub(super) fn routes() -> Vec<Route> {
    let manage = Access::Needs(Capability::SettingsManage);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/doctor",
            manage,
            "Check that everything stored can be read",
            examine,
        ),
        Route::new(
            Method::POST,
            "/admin/api/doctor/repair",
            manage,
            "Rewrite damaged release files whose content can be rebuilt",
            repair,
        ),
        Route::new(
            Method::POST,
            "/admin/api/doctor/recover",
            manage,
            "Make a site with a damaged log writable again",
            recover,
        ),
        Route::new(
            Method::GET,
            "/admin/api/doctor/export",
            manage,
            "All documents and entries of the site as they are stored, one JSON value per line",
            export,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ExamineQuery {
    /// Whether the files of earlier releases, pictures and fonts are read as well.
    #[serde(default)]
    all_files: bool,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Diagnosis {
    /// Whether everything can be read.
    ok: bool,
    /// The parts of the site whose log cannot be read to its end.
    damage: Vec<DamagedPart>,
    /// Entries at which the whole site is kept, the newest first.
    restore_points: Vec<u64>,
    /// The first place where the activity log was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<String>,
    /// The stored files.
    files: StorageReport,
}

/// A part of the site whose log cannot be read to its end.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DamagedPart {
    /// The page, template or component; absent when it is what all of them share, and the whole site is read-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<BodyId>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The first entry of the log that cannot be read; absent when nothing of the part can.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<u64>,
    /// Why not.
    reason: String,
}

impl From<PartDamage> for DamagedPart {
    fn from(damage: PartDamage) -> Self {
        let PartDamage {
            document,
            title,
            entry,
            reason,
        } = damage;
        Self {
            document,
            title,
            entry,
            reason,
        }
    }
}

async fn examine(context: Context, input: ExamineQuery) -> Result<Json<Diagnosis>, ApiError> {
    let (app, site) = (&context.app, context.site()?);
    let damage = app.store().check_site(site).await?;
    let points = app.store().restore_points(site).await?;
    let audit = app.secrets().verify_audit(None).await?.broken;
    let options = CheckOptions {
        all_releases: input.all_files,
        uploads: input.all_files,
        repair: false,
    };
    let files = app.publisher().check(site, options).await?;
    Ok(Json(Diagnosis {
        ok: damage.is_empty() && audit.is_none() && files.is_sound(),
        damage: damage.into_iter().map(DamagedPart::from).collect(),
        restore_points: points.iter().map(|point| point.seq).collect(),
        audit,
        files,
    }))
}

async fn repair(context: Context, _: Nothing) -> Result<Json<StorageReport>, ApiError> {
    let options = CheckOptions {
        all_releases: true,
        uploads: false,
        repair: true,
    };
    let publisher = context.app.publisher();
    Ok(Json(publisher.check(context.site()?, options).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RecoverInput {
    /// The entry of a restore point; when left out, every part is kept as far as it can be read.
    restore_point: Option<u64>,
}

/// A site that is writable again.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecoveryResult {
    /// Whether there was anything to recover.
    was_damaged: bool,
    /// The entry of the history that tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<u64>,
    /// What was damaged.
    damage: Vec<DamagedPart>,
}

async fn recover(context: Context, input: RecoverInput) -> Result<Json<RecoveryResult>, ApiError> {
    let to = input
        .restore_point
        .map_or(RecoverTo::LastReadable, RecoverTo::RestorePoint);
    let by = context.caller.committer(context.now);
    let recovery = context
        .app
        .store()
        .recover_site(context.site()?, to, &by.author, &by.by)
        .await?;
    Ok(Json(match recovery {
        None => RecoveryResult {
            was_damaged: false,
            entry: None,
            damage: Vec::new(),
        },
        Some(Recovery { seq, damage }) => RecoveryResult {
            was_damaged: true,
            entry: Some(seq),
            damage: damage.into_iter().map(DamagedPart::from).collect(),
        },
    }))
}

/// A site as lines of JSON.
struct SiteExport {
    first: Vec<Value>,
    store: Store,
    site: SiteId,
}

impl Answer for SiteExport {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        let mut response = Body::from_stream(self.lines()).into_response();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-ndjson"),
        );
        headers.insert(
            CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"site.ndjson\""),
        );
        response
    }
}

impl SiteExport {
    /// The documents first, then the log in batches, so that a long history is never in memory as a whole. An error ends the transfer
    /// early, which a client notices.
    fn lines(self) -> impl Stream<Item = Result<Bytes, StoreError>> {
        let Self { first, store, site } = self;
        let documents = stream::once(async move { Ok(written(&first)) });
        let entries = stream::try_unfold(Some(0), move |after| {
            let (store, site) = (store.clone(), site.clone());
            async move {
                let Some(after) = after else { return Ok(None) };
                let entries = store.raw_entries(&site, after, ENTRIES_PER_STEP).await?;
                let next = entries.last().map(|entry| entry.seq);
                let lines: Vec<Value> = entries
                    .iter()
                    .map(|entry| json!({ "entry": entry }))
                    .collect();
                Ok(Some((written(&lines), next)))
            }
        });
        stream::StreamExt::chain(documents, entries)
    }
}

fn written(lines: &[Value]) -> Bytes {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    text.into()
}

async fn export(context: Context, _: Nothing) -> Result<SiteExport, ApiError> {
    let site = context.site()?;
    let stored = context.app.store().stored_site(site).await?;
    let mut bodies: Vec<BodyId> = stored.site.bodies.keys().copied().collect();
    bodies.sort_unstable();
    let mut first = vec![
        json!({ "site": site.as_str(), "format": FORMAT, "seq": stored.end, "damage": stored.damage }),
        json!({ "shell": stored.site.shell_snapshot() }),
    ];
    for id in bodies {
        first.push(json!({ "document": id, "body": stored.site.body_snapshot(id) }));
    }
    Ok(SiteExport {
        first,
        store: context.app.store().clone(),
        site: site.clone(),
    })
}
