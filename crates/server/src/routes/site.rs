//! The documents of the site: reading them, changing them, and following the changes of others.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_site::{
    BodyId, BodySnapshot, CHANGE_BYTES_MAX, Change, ChangeId, Entity, Expect, FORMAT, NodeId, Op,
    ShellSnapshot,
};
use sitewright_store::{CommittedChange, LiveSite, LogDamage, RevertTarget};
use sitewright_tool::Capability;

mod follow;
mod history;
mod presence;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Route};

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::SiteRead),
        Access::Needs(Capability::SiteWrite),
    );
    vec![
        Route::new(
            Method::GET,
            "/admin/api/site/document",
            read,
            "The shell of the site, or one of its documents",
            document,
        ),
        // A change may be written with whitespace and escapes that do not count towards its size.
        Route::new(
            Method::POST,
            "/admin/api/site/changes",
            write,
            "Change the site",
            change,
        )
        .up_to(2 * CHANGE_BYTES_MAX),
        Route::new(
            Method::GET,
            "/admin/api/site/changes",
            read,
            "The changes after one, or with Accept: text/event-stream, as they come",
            follow::changes,
        ),
        Route::new(
            Method::PUT,
            "/admin/api/site/presence",
            read,
            "Say which page a tab shows, and hear who else is there",
            presence::say,
        )
        .open_to_agents(),
        Route::new(
            Method::POST,
            "/admin/api/site/reverts",
            write,
            "Take changes back",
            revert,
        ),
        Route::new(
            Method::GET,
            "/admin/api/site/history",
            read,
            "What happened to the site, the newest first",
            history::list,
        ),
        Route::new(
            Method::GET,
            "/admin/api/site/history/{seq}",
            read,
            "A change, line by line",
            history::show,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DocumentQuery {
    /// The page, template or component; the shell when left out.
    body: Option<String>,
    /// A node, for the document that holds it.
    node: Option<String>,
}

/// A document as of an entry of the log.
#[derive(Serialize, JsonSchema)]
struct Document {
    /// The last entry that is in it.
    seq: u64,
    /// The version of its shape.
    format: u32,
    /// Which document it is; absent for the shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<BodyId>,
    /// What every document shares, with the last entries that touched its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    shell: Option<ShellSnapshot>,
    /// The nodes of the document that was asked for, with the last entries that touched them.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<BodySnapshot>,
    /// Why it is read-only: its log cannot be read to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<DocumentDamage>,
}

/// The first entry of a log that cannot be read. What it is about is as it was before.
#[derive(Serialize, JsonSchema)]
struct DocumentDamage {
    /// The entry.
    entry: u64,
    /// Why it cannot be read.
    reason: String,
}

impl From<&LogDamage> for DocumentDamage {
    fn from(damage: &LogDamage) -> Self {
        Self {
            entry: damage.seq,
            reason: damage.reason.clone(),
        }
    }
}

async fn document(context: Context, input: DocumentQuery) -> Result<Json<Document>, ApiError> {
    let mut live = context.app.store().live_site(context.site()?).await?;
    let Some(id) = wanted(&mut live, &input).await? else {
        return Ok(Json(Document {
            seq: live.seq(),
            format: FORMAT,
            id: None,
            shell: Some(live.site().shell_snapshot()),
            body: None,
            damage: live.damage().map(DocumentDamage::from),
        }));
    };
    Ok(Json(Document {
        seq: live.seq(),
        format: FORMAT,
        id: Some(id),
        shell: None,
        body: live.site().body_snapshot(id),
        damage: live.damage_of(id).map(DocumentDamage::from),
    }))
}

/// Opens the requested document; `None` when the request is for the shell.
async fn wanted(live: &mut LiveSite, input: &DocumentQuery) -> Result<Option<BodyId>, ApiError> {
    if let Some(body) = &input.body {
        let id: BodyId = body
            .parse()
            .map_err(|bad| ApiError::field("body", format!("`body`: {bad}.")))?;
        let missing = || format!("There is no page, template or component {id}.");
        return match live.open(id).await? {
            true => Ok(Some(id)),
            false => Err(ApiError::not_found(missing())),
        };
    }
    let Some(node) = &input.node else {
        return Ok(None);
    };
    let node: NodeId = node
        .parse()
        .map_err(|bad| ApiError::field("node", format!("`node`: {bad}.")))?;
    let owner = live.open_owner(node).await?;
    let missing = || ApiError::not_found(format!("No document has a node {node}."));
    owner.map(Some).ok_or_else(missing)
}

/// A change as its maker sends it; who made it is who sends it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewChange {
    /// The change. A second one with the same id and steps gets the first one's answer.
    id: ChangeId,
    /// Nothing: only the server says which changes belong to a turn.
    turn: Option<String>,
    /// What it does, in a few words.
    summary: String,
    /// The steps.
    ops: Vec<Op>,
    /// What must not have been touched since.
    #[serde(default)]
    expects: Vec<Expect>,
    /// The version of its shape.
    format: u32,
}

/// A change that is in the log.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    /// Its place in the log.
    seq: u64,
    /// When it was committed, in milliseconds since 1970.
    at: i64,
    /// The steps as they happened.
    ops: Vec<Op>,
    /// The steps that did not happen.
    left_out: Vec<LeftOut>,
    /// Whether it was in the log already.
    repeated: bool,
}

/// A step that did not happen.
#[derive(Serialize, JsonSchema)]
struct LeftOut {
    /// Its position in the change.
    position: usize,
    /// Why.
    reason: String,
}

impl From<CommittedChange> for Accepted {
    fn from(committed: CommittedChange) -> Self {
        let CommittedChange {
            entry,
            left_out,
            is_repeated,
        } = committed;
        Self {
            seq: entry.seq,
            at: entry.at,
            ops: entry.ops,
            left_out: left_out
                .into_iter()
                .map(|(position, reason)| LeftOut { position, reason })
                .collect(),
            repeated: is_repeated,
        }
    }
}

async fn change(context: Context, input: NewChange) -> Result<Json<Accepted>, ApiError> {
    if input.turn.is_some() {
        return Err(ApiError::field(
            "turn",
            "Leave `turn` out: a change belongs to a turn only when the assistant makes it.",
        ));
    }
    let by = context.caller.committer(context.now);
    let change = Change {
        id: input.id,
        author: by.author.clone(),
        turn: None,
        summary: input.summary,
        ops: input.ops,
        expects: input.expects,
        format: input.format,
    };
    let mut live = context.app.store().live_site(context.site()?).await?;
    Ok(Json(live.commit(&change, &by).await?.into()))
}

/// Which changes to take back: one, those of a turn, or all after an entry.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Revert {
    /// The id of the change that takes them back.
    id: ChangeId,
    /// One change.
    change: Option<ChangeId>,
    /// All changes of a turn.
    turn: Option<String>,
    /// Everything after this entry.
    after: Option<u64>,
    /// What to call it.
    summary: Option<String>,
}

/// What was taken back.
#[derive(Serialize, JsonSchema)]
struct Reverted {
    /// The change that took them back.
    #[serde(flatten)]
    accepted: Accepted,
    /// What was left as it is, because somebody has been at it since.
    left: Vec<Entity>,
}

async fn revert(context: Context, input: Revert) -> Result<Json<Reverted>, ApiError> {
    let (taken, summary) = match (input.change, input.turn, input.after) {
        (Some(change), None, None) => (RevertTarget::Change(change), "Undid a change"),
        (None, Some(turn), None) => (RevertTarget::Turn(turn), "Undid a request"),
        (None, None, Some(seq)) => (RevertTarget::After(seq), "Restored an earlier version"),
        _ => {
            return Err(ApiError::invalid(
                "Say what to undo with one of `change`, `turn` and `after`.",
            ));
        }
    };
    let by = context.caller.committer(context.now);
    let name = (
        input.id,
        input.summary.unwrap_or_else(|| summary.to_owned()),
    );
    let mut live = context.app.store().live_site(context.site()?).await?;
    let (committed, left) = live.revert(&taken, name, &by).await?;
    Ok(Json(Reverted {
        accepted: committed.into(),
        left,
    }))
}
