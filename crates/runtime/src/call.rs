//! A call on its way through the pipeline: what was said, which tool that is, and who is behind it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::{Author, Change, ChangeId, FORMAT, Op, Site};
use sitewright_store::{
    Actor, CallId, CallRecord, Committer, SiteId, Stamp, StoreError, Timestamp,
};
use sitewright_tool::{
    Capability, CapabilitySet, Effect, ErrorCode, Scope, Taint, ToolContext, ToolError, digest,
    sentence,
};
use tokio_util::sync::CancellationToken;

use crate::registry::Entry;
use crate::tool::Body;
use crate::{Attempt, Editor, Registry, UnknownTool};

/// The longest key somebody may give.
const KEY_MAX: usize = 200;
/// How long arguments are, in characters about, that count as short.
const SHORT: usize = 4 * 1024;
/// The longest that a call may take with all its attempts.
const CALL_MAX: Duration = Duration::from_secs(15 * 60);

/// A call of a tool, as whoever makes it says it.
#[derive(Clone)]
pub struct Call {
    /// The site it is about.
    pub site: SiteId,
    /// The scope of the tool, where it was said.
    pub scope: Option<Scope>,
    /// The tool.
    pub tool: String,
    /// What goes in.
    pub arguments: Value,
    /// What a repeat of the same call has, too. Without one a repeat is a new call.
    pub key: Option<String>,
    /// On whose behalf, and whether something from outside had a part in it.
    pub by: Committer,
    /// The person behind it, where there is one.
    pub person: Option<String>,
    /// The conversation, the sign-in or the token it is part of.
    pub session: String,
    /// The provider of the model that planned it; `none` when no model is involved.
    pub planner: String,
    /// The conversation it belongs to, which grants are for.
    pub conversation: Option<String>,
    /// The turn it belongs to.
    pub turn: Option<String>,
    /// The round of the turn; what asks in one round is asked on one card.
    pub round: Option<String>,
    /// Whether whoever calls says that they mean it. A model's word counts for nothing here.
    pub is_confirmed: bool,
    /// The id of the change it makes, where no second call may make the same change; that of the call when left out.
    pub change_id: Option<ChangeId>,
    /// The entry of the log up to which the caller has read the site, for a caller without an editor that relies on what it read.
    pub read_up_to: Option<u64>,
    /// The editor it comes from, where it comes from one.
    pub editor: Option<Arc<dyn Editor>>,
    /// Cancelled when nobody wants it any more.
    pub stop: CancellationToken,
}

impl Call {
    /// A call without a key, outside any conversation.
    pub fn new(site: SiteId, tool: &str, arguments: Value, by: Committer) -> Self {
        Self {
            site,
            scope: None,
            tool: tool.to_owned(),
            arguments,
            key: None,
            session: by.by.actor.to_string(),
            by,
            person: None,
            planner: "none".to_owned(),
            conversation: None,
            turn: None,
            round: None,
            is_confirmed: false,
            change_id: None,
            read_up_to: None,
            editor: None,
            stop: CancellationToken::new(),
        }
    }
}

/// What is kept of a call to run it later.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct StoredCall {
    author: Author,
    capabilities: CapabilitySet,
    person: Option<String>,
    session: String,
    planner: String,
    conversation: Option<String>,
    turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    change_id: Option<ChangeId>,
    taint: Taint,
}

/// A call whose tool is known, whose caller may use it and whose input fits.
#[derive(Clone)]
pub(crate) struct ResolvedCall {
    pub(crate) id: CallId,
    pub(crate) entry: Arc<Entry>,
    pub(crate) scope: Scope,
    pub(crate) key: String,
    /// The digest of scope, tool and arguments.
    pub(crate) digest: String,
    pub(crate) call: Call,
}

impl ResolvedCall {
    /// Resolves, authorises and validates.
    pub(crate) fn of(tools: &Registry, call: Call) -> Result<Self, ToolError> {
        let resolved = Self::resolved(tools, call)?;
        if let Some(needed) = resolved.lacks() {
            return Err(ToolError::new(
                ErrorCode::Forbidden,
                format!("This needs the permission `{needed}`; ask an owner of the site for it."),
            ));
        }
        resolved.check_input()?;
        Ok(resolved)
    }

    /// Finds the tool, whoever calls and whatever goes in.
    pub(crate) fn resolved(tools: &Registry, call: Call) -> Result<Self, ToolError> {
        let entry = tools.find(call.scope, &call.tool).map_err(|unknown| {
            let code = match unknown {
                UnknownTool::Missing { .. } | UnknownTool::Ambiguous { .. } => {
                    ErrorCode::UnknownTool
                }
                UnknownTool::Off { .. } => ErrorCode::Unavailable,
            };
            let mut error = ToolError::new(code, sentence(&unknown.to_string()));
            // It stays off until somebody sets it up.
            error.retryable = false;
            error
        })?;
        let id = CallId::new();
        let key = match &call.key {
            Some(key) => well_formed(key)?.to_owned(),
            None => id.to_string(),
        };
        let scope = call.scope.or(entry.manifest().scopes.first().copied());
        let resolved = Self {
            id,
            scope: scope.unwrap_or(Scope::Plugin),
            key,
            digest: String::new(),
            entry,
            call,
        };
        Ok(Self {
            digest: digest(&resolved.identity()),
            ..resolved
        })
    }

    /// The call of a row, for the pipeline to go on with. Whoever called may still do what they might then.
    pub(crate) fn again(
        tools: &Registry,
        row: &CallRecord,
        at: Timestamp,
    ) -> Result<Self, ToolError> {
        let unreadable = || {
            ToolError::new(
                ErrorCode::Internal,
                "What was kept of the call cannot be read.",
            )
        };
        let kept: StoredCall =
            serde_json::from_value(row.request.clone()).map_err(|_bad| unreadable())?;
        let by = Stamp {
            actor: row.actor.clone(),
            at,
        };
        let call = Call {
            scope: Some(row.scope),
            key: Some(row.key.clone()),
            person: kept.person,
            session: kept.session,
            planner: kept.planner,
            conversation: kept.conversation,
            turn: kept.turn,
            change_id: kept.change_id,
            round: Some(row.card.clone()),
            ..Call::new(
                row.site.clone(),
                &row.tool,
                row.arguments.clone().ok_or_else(unreadable)?,
                Committer {
                    taint: kept.taint,
                    ..Committer::new(kept.author, kept.capabilities, by)
                },
            )
        };
        let resolved = Self::of(tools, call)?;
        Ok(Self {
            id: row.id.clone(),
            ..resolved
        })
    }

    /// What whoever calls would have to be allowed and is not.
    pub(crate) fn lacks(&self) -> Option<Capability> {
        let needed = self.entry.definition().needs;
        (!self.call.by.capabilities.has(needed)).then_some(needed)
    }

    /// Tools of the site check what goes in themselves.
    pub(crate) fn check_input(&self) -> Result<(), ToolError> {
        match self.entry.tool.0 {
            Body::Outside(_) => self.entry.schemas.check_input(&self.call.arguments),
            Body::Pure(_) => Ok(()),
        }
    }

    fn identity(&self) -> Value {
        json!({ "scope": self.scope, "tool": self.call.tool, "arguments": self.call.arguments })
    }

    /// What a yes is a yes to: the tool, its arguments, and the things as they are that the planned change touches.
    pub(crate) fn bound(&self, change: &Change) -> String {
        let mut bound = self.identity();
        bound["expects"] = json!(change.expects);
        digest(&bound)
    }

    /// The same for a call whose work is elsewhere, with what was foreseen of it.
    pub(crate) fn bound_elsewhere(&self, agreed: Option<&str>) -> String {
        let Some(agreed) = agreed else {
            return self.digest.clone();
        };
        let mut bound = self.identity();
        bound["agreed"] = json!(agreed);
        digest(&bound)
    }

    /// Whether it only shows what it would do until somebody agrees to exactly that.
    pub(crate) fn previews(&self) -> bool {
        self.entry.manifest().confirmation.as_deref() == Some("preview")
    }

    pub(crate) fn effect(&self) -> Effect {
        self.entry.manifest().effect()
    }

    /// Whether it only looks and looking again does no harm, so that it needs no row before it runs.
    pub(crate) fn is_read_only_call(&self) -> bool {
        self.effect() == Effect::None
            && (self.entry.manifest().idempotent || self.call.key.is_none())
    }

    /// Whether it may be begun again when whoever ran it is gone: what is ours was not committed then.
    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self.entry.tool.0, Body::Pure(_)) || self.entry.manifest().idempotent
    }

    /// Whether its arguments are short: then they are kept even of a call that only looked.
    pub(crate) fn is_short(&self) -> bool {
        room_after(&self.call.arguments, SHORT).is_some()
    }

    pub(crate) fn title(&self) -> String {
        let title = self.entry.manifest().title.clone();
        title.unwrap_or_else(|| self.call.tool.clone())
    }

    /// A yes of whoever calls, where their yes counts.
    pub(crate) fn own_yes(&self) -> Option<&Actor> {
        let is_agent = matches!(self.call.by.author, Author::Agent { .. });
        let may = |capability| self.call.by.capabilities.has(capability);
        let may = may(Capability::ToolsApprove) || may(self.entry.definition().confirmed_by);
        (self.call.is_confirmed && may && !is_agent).then_some(&self.call.by.by.actor)
    }

    /// An attempt at it, for as long as the tool says that one may take.
    pub(crate) fn attempt<'a>(
        &'a self,
        context: &'a ToolContext,
        agreed: Option<&'a str>,
    ) -> Attempt<'a> {
        Attempt {
            context,
            by: &self.call.by.by,
            committer: Some(&self.call.by),
            agreed,
            idempotency_key: &self.key,
            timeout: Duration::from_millis(u64::from(self.entry.manifest().timeout_ms)),
        }
    }

    pub(crate) fn context(&self) -> ToolContext {
        ToolContext {
            site_id: self.call.site.to_string(),
            session_id: self.call.session.clone(),
            user_id: self.call.person.clone(),
            trace_id: self.id.to_string(),
            planner_provider: self.call.planner.clone(),
        }
    }

    pub(crate) fn change_id(&self) -> ChangeId {
        let own = || ChangeId::from(self.id.to_string());
        self.call.change_id.clone().unwrap_or_else(own)
    }

    pub(crate) fn change(&self, site: &Site, ops: Vec<Op>) -> Change {
        Change {
            id: self.change_id(),
            author: self.call.by.author.clone(),
            turn: self.call.turn.clone(),
            summary: self.title(),
            expects: site.expects(&ops),
            ops,
            format: FORMAT,
        }
    }

    /// How long it may take with all its attempts.
    pub(crate) fn within(&self) -> Duration {
        let manifest = self.entry.manifest();
        let attempt = Duration::from_millis(u64::from(manifest.timeout_ms));
        (attempt * u32::from(manifest.retry_policy.max_attempts)).min(CALL_MAX)
    }

    /// What is kept to run it later.
    pub(crate) fn request(&self) -> Result<Value, ToolError> {
        let Call { by, .. } = &self.call;
        let kept = StoredCall {
            author: by.author.clone(),
            capabilities: by.capabilities.clone(),
            person: self.call.person.clone(),
            session: self.call.session.clone(),
            planner: self.call.planner.clone(),
            conversation: self.call.conversation.clone(),
            turn: self.call.turn.clone(),
            change_id: self.call.change_id.clone(),
            taint: by.taint,
        };
        sitewright_tool::write(&kept)
    }
}

fn well_formed(key: &str) -> Result<&str, ToolError> {
    let is_good =
        !key.is_empty() && key.len() <= KEY_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_good {
        return Ok(key);
    }
    Err(ToolError::new(
        ErrorCode::InvalidInput,
        format!(
            "`idempotencyKey` must be 1 to {KEY_MAX} letters, digits and signs without spaces."
        ),
    ))
}

/// What is left of the room for a value; nothing when it does not fit, found out without going through all of a long one.
fn room_after(value: &Value, room: usize) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => room.checked_sub(4),
        Value::String(text) => room.checked_sub(text.len() + 2),
        Value::Array(values) => values
            .iter()
            .try_fold(room.checked_sub(2)?, |room, value| room_after(value, room)),
        Value::Object(fields) => fields
            .iter()
            .try_fold(room.checked_sub(2)?, |room, (name, value)| {
                room_after(value, room.checked_sub(name.len() + 3)?)
            }),
    }
}

pub(crate) fn failed(error: &StoreError) -> ToolError {
    let code = match error {
        StoreError::NotFound { .. } => ErrorCode::NotFound,
        StoreError::Database(_) => ErrorCode::Unavailable,
        StoreError::DiskFull { .. } => ErrorCode::StorageFull,
        StoreError::Unstorable => ErrorCode::InvalidInput,
        _ => ErrorCode::Internal,
    };
    ToolError::new(code, sentence(&error.to_string()))
}
