//! The activity log, and the proof that it has not been altered.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{AuditEntry as StoredEntry, AuditId, ChainHead, ChainReport, StoreError};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let manage = Access::Needs(Capability::SettingsManage);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/audit",
            manage,
            "What happened, the newest first",
            list,
        ),
        Route::new(
            Method::POST,
            "/admin/api/audit/verify",
            manage,
            "Check the chain of the activity log",
            verify,
        ),
        Route::new(
            Method::POST,
            "/admin/api/audit/{id}/redact",
            Access::Local,
            "Erase the particulars of an entry",
            redact,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    /// Only entries from before this one.
    before: Option<String>,
    /// How many, at most 200; 50 when left out.
    limit: Option<u16>,
}

/// Entries of the activity log.
#[derive(Serialize, JsonSchema)]
struct AuditPage {
    /// The entries, the newest first.
    entries: Vec<AuditEntry>,
    /// What to send as `before` for older ones; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// One thing that happened.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditEntry {
    /// The entry.
    id: String,
    /// When it happened, in ms since 1970.
    at: i64,
    /// Who did it: `user:ID`, `token:ID`, `local` or `anonymous`.
    actor: String,
    /// What that person or token is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_name: Option<String>,
    /// What was done, such as `user.added`.
    action: String,
    /// What it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// Particulars; absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<serde_json::Value>,
    /// Its place in the chain; absent for the moment before it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VerifyQuery {
    /// A head of the chain as an earlier check printed it; the chain must contain it.
    expect: Option<String>,
}

/// What a walk over the chain found.
#[derive(Serialize, JsonSchema)]
struct Verification {
    /// Whether nothing was changed, removed or slipped in.
    ok: bool,
    /// Entries with a place in the chain.
    sealed: i64,
    /// Entries that were deleted from its beginning, because they were too old.
    cut: i64,
    /// Entries written a moment ago that have no place yet.
    unsealed: i64,
    /// Entries whose particulars were redacted.
    redacted: i64,
    /// Changes of sites that the chain covers.
    changes: u64,
    /// The last link as `SEQ:LINK`. Keep it elsewhere and send it as `expect` later, to prove that nothing was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// The first place where the chain does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<String>,
}

async fn list(context: Context, input: AuditQuery) -> Result<Json<AuditPage>, ApiError> {
    let limit = input.limit.unwrap_or(50);
    if !(1..=200).contains(&limit) {
        return Err(ApiError::field("limit", "Ask for 1 to 200 entries."));
    }
    let before = input.before.map(AuditId::from);
    let page = context
        .app
        .store()
        .audit_page(context.site()?, before.as_ref(), limit)
        .await?;
    let entries = page.entries.into_iter().map(entry).collect();
    Ok(Json(AuditPage {
        entries,
        next: page.next.map(|id| id.to_string()),
    }))
}

async fn verify(context: Context, input: VerifyQuery) -> Result<Json<Verification>, ApiError> {
    let expected = input.expect.as_deref().map(str::parse).transpose();
    let expected: Option<ChainHead> =
        expected.map_err(|bad| ApiError::field("expect", format!("`expect`: {bad}.")))?;
    let ChainReport {
        sealed,
        cut,
        unsealed,
        redacted,
        changes,
        head,
        broken,
    } = context
        .app
        .secrets()
        .verify_audit(expected.as_ref())
        .await?;
    Ok(Json(Verification {
        ok: broken.is_none(),
        sealed,
        cut,
        unsealed,
        redacted,
        changes,
        head: head.map(|head| head.to_string()),
        broken,
    }))
}

async fn redact(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let id = AuditId::from(context.param("id")?.to_owned());
    let redacted = context.app.secrets().redact_audit(&id, &context.by()).await;
    redacted.map_err(|error| match error {
        StoreError::NotFound { .. } => ApiError::not_found(
            "There is no such entry, or it records that entries were erased, which stays.",
        ),
        other => other.into(),
    })?;
    Ok(Done)
}

fn entry(entry: StoredEntry) -> AuditEntry {
    let StoredEntry {
        id,
        at,
        actor,
        actor_name,
        action,
        subject,
        detail,
        seq,
    } = entry;
    AuditEntry {
        id: id.to_string(),
        at: at.millis(),
        actor,
        actor_name,
        action,
        subject,
        detail,
        seq,
    }
}
