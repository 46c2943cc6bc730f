//! A call on its way through the pipeline: the request, the tool it resolves to, and on whose behalf it is made.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::{Author, Change, ChangeId, FORMAT, Op, Site};
use sitewright_store::{
    Actor, CallId, CallRecord, Committer, Permission, SiteId, Stamp, StoreError, Timestamp,
};
use sitewright_tool::{
    Capability, CapabilitySet, Effect, ErrorCode, Scope, Taint, ToolContext, ToolError, digest,
    sentence,
};
use tokio_util::sync::CancellationToken;

use crate::mission::MissionCall;
use crate::registry::Entry;
use crate::tool::Body;
use crate::{Attempt, Editor, Registry, UnknownTool};

/// The longest idempotency key that callers may choose, in bytes.
const KEY_MAX: usize = 200;
/// Arguments up to about this many bytes count as short.
const SHORT: usize = 4 * 1024;
/// The upper limit for the duration of a call including all attempts, whatever its manifest says.
const CALL_MAX: Duration = Duration::from_secs(15 * 60);

/// A call of a tool, as the caller requests it.
#[derive(Clone)]
pub struct Call {
    pub site: SiteId,
    /// The scope of the tool, if the caller names one.
    pub scope: Option<Scope>,
    pub tool: String,
    pub arguments: Value,
    /// The idempotency key, which repeats of the same call share. Without one, a repeat is a new call.
    pub key: Option<String>,
    /// On whose behalf the call is made, and its taint.
    pub by: Committer,
    /// The person on whose behalf it is made, if there is one.
    pub person: Option<String>,
    /// The conversation, sign-in or token it is part of.
    pub session: String,
    /// The provider of the model that planned it; `none` when no model is involved.
    pub planner: String,
    /// The conversation it belongs to, which is the scope of grants.
    pub conversation: Option<String>,
    pub turn: Option<String>,
    /// The round of the turn; the calls of a round that need approval share a card.
    pub round: Option<String>,
    /// Whether the caller has confirmed the call. Ignored for agents: a model cannot approve its own call.
    pub is_confirmed: bool,
    /// Who reviewed exactly these arguments and accepted them, for what an agent proposed: the change is the agent's, the approval is not.
    pub accepted_by: Option<Actor>,
    /// The id of the change it makes, for a change that no second call may make. Defaults to the id of the call.
    pub change_id: Option<ChangeId>,
    /// The log entry up to which the caller has read the site, for a caller without an editor that relies on what it read.
    pub read_up_to: Option<u64>,
    /// The editor it comes from, if any.
    pub editor: Option<Arc<dyn Editor>>,
    /// Cancelled when the result is no longer wanted.
    pub stop: CancellationToken,
    /// For a call that a mission makes: its key and approval.
    pub mission: Option<MissionCall>,
}

impl Call {
    /// A call without an idempotency key, outside any conversation.
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
            accepted_by: None,
            change_id: None,
            read_up_to: None,
            editor: None,
            stop: CancellationToken::new(),
            mission: None,
        }
    }
}

/// What a row stores of a call, besides its own columns, to run it later.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mission: Option<MissionCall>,
}

/// A call whose tool was found. Unless it comes from [`ResolvedCall::resolved`], its caller may use the tool and its input is valid.
#[derive(Clone)]
pub(crate) struct ResolvedCall {
    pub(crate) id: CallId,
    pub(crate) entry: Arc<Entry>,
    pub(crate) scope: Scope,
    pub(crate) key: String,
    /// The digest of scope, tool and arguments: two calls with one key and different digests conflict.
    pub(crate) digest: String,
    pub(crate) call: Call,
}

impl ResolvedCall {
    /// Resolves, authorises and validates a call.
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

    /// Finds the tool, without checking permissions or arguments.
    pub(crate) fn resolved(tools: &Registry, call: Call) -> Result<Self, ToolError> {
        let entry = tools.find(call.scope, &call.tool).map_err(|unknown| {
            let code = match unknown {
                UnknownTool::Missing { .. } | UnknownTool::Ambiguous { .. } => {
                    ErrorCode::UnknownTool
                }
                UnknownTool::Off { .. } => ErrorCode::Unavailable,
            };
            let mut error = ToolError::new(code, sentence(&unknown.to_string()));
            // The tool stays off until an operator sets it up, so a retry cannot help.
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

    /// The call that a row stores, to run it. The caller has the capabilities that were stored with the row, as far as they are among
    /// those the actor has at present.
    pub(crate) fn again(
        tools: &Registry,
        row: &CallRecord,
        present: &CapabilitySet,
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
            mission: kept.mission,
            round: Some(row.card.clone()),
            ..Call::new(
                row.site.clone(),
                &row.tool,
                row.arguments.clone().ok_or_else(unreadable)?,
                Committer {
                    taint: kept.taint,
                    is_approved: matches!(row.life.permission, Permission::Approval { .. }),
                    ..Committer::new(kept.author, kept.capabilities.within(present), by)
                },
            )
        };
        let resolved = Self::of(tools, call)?;
        Ok(Self {
            id: row.id.clone(),
            ..resolved
        })
    }

    /// The capability that the tool needs and the caller does not have. The tools that a turn itself needs have no effects, and whoever
    /// may talk to the assistant has them: without them nobody could be answered.
    pub(crate) fn lacks(&self) -> Option<Capability> {
        let definition = self.entry.definition();
        if self.call.turn.is_some() && definition.role.is_part_of_every_turn() {
            return None;
        }
        let needed = definition.needs;
        (!self.call.by.capabilities.has(needed)).then_some(needed)
    }

    /// Validates the arguments of an outside tool; site tools parse and check their own.
    pub(crate) fn check_input(&self) -> Result<(), ToolError> {
        match self.entry.tool.0 {
            Body::Outside(_) => self.entry.schemas.check_input(&self.call.arguments),
            Body::Pure(_) => Ok(()),
        }
    }

    fn identity(&self) -> Value {
        json!({ "scope": self.scope, "tool": self.call.tool, "arguments": self.call.arguments })
    }

    /// The digest that an approval is bound to: the tool, its arguments, and the current revisions of what the planned change touches.
    pub(crate) fn bound(&self, change: &Change) -> String {
        let mut bound = self.identity();
        bound["expects"] = json!(change.expects);
        digest(&bound)
    }

    /// The same for an outside tool, with [`Foreseen::agreed`](crate::Foreseen::agreed) instead of revisions.
    pub(crate) fn bound_elsewhere(&self, agreed: Option<&str>) -> String {
        let Some(agreed) = agreed else {
            return self.digest.clone();
        };
        let mut bound = self.identity();
        bound["agreed"] = json!(agreed);
        digest(&bound)
    }

    /// Whether the tool only shows a preview until a person approves exactly that.
    pub(crate) fn previews(&self) -> bool {
        self.entry.manifest().confirmation.as_deref() == Some("preview")
    }

    /// Whether a person is asked even if the policy allows the call: for a preview, or because the vendor demands a structured
    /// confirmation.
    pub(crate) fn asks_first(&self) -> bool {
        let confirmation = self.entry.manifest().confirmation.as_deref();
        confirmation.is_some_and(|kind| kind == "preview" || kind.starts_with("structured-"))
    }

    /// Whether the call takes another one back as part of a mission.
    pub(crate) fn is_compensation(&self) -> bool {
        let mission = self.call.mission.as_ref();
        mission.is_some_and(|mission| mission.is_compensation)
    }

    /// The person whose data a call may contain.
    pub(crate) fn data_subject(&self) -> String {
        let person = self.call.person.clone();
        person.unwrap_or_else(|| self.call.by.by.actor.to_string())
    }

    pub(crate) fn effect(&self) -> Effect {
        let definition = self.entry.definition();
        definition.effect_of(&self.call.arguments)
    }

    /// Whether the call has no effect and may be repeated safely, so that it needs no row before it runs.
    pub(crate) fn is_read_only_call(&self) -> bool {
        self.effect() == Effect::None && (self.is_idempotent() || self.call.key.is_none())
    }

    fn is_idempotent(&self) -> bool {
        let definition = self.entry.definition();
        definition.is_idempotent_with(&self.call.arguments)
    }

    /// Whether the call may run again if the process that ran it is gone. A site tool always may: its row would have ended with the
    /// commit, so nothing was committed.
    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self.entry.tool.0, Body::Pure(_)) || self.is_idempotent()
    }

    /// Whether the arguments are short. Short ones are recorded even for read-only calls.
    pub(crate) fn is_short(&self) -> bool {
        room_after(&self.call.arguments, SHORT).is_some()
    }

    /// What the history says of the change that the call makes.
    fn summary(&self) -> String {
        let definition = self.entry.definition();
        match (definition.words, &definition.manifest.title) {
            (Some(words), _) => words.done.to_owned(),
            (None, Some(title)) => title.clone(),
            (None, None) => self.call.tool.clone(),
        }
    }

    /// Who approved the call by making it: the caller who confirmed it, or the person who accepted what an agent proposed. Agents never
    /// may confirm their own calls.
    pub(crate) fn own_yes(&self) -> Option<&Actor> {
        let call = &self.call;
        // Whoever started a mission did not see what its later legs are called with.
        if call.mission.is_some() {
            return None;
        }
        let may = |capability| call.by.capabilities.has(capability);
        if !may(Capability::ToolsApprove) && !may(self.entry.definition().confirmed_by) {
            return None;
        }
        let is_agent = matches!(call.by.author, Author::Agent { .. });
        // Tools that delete or publish content take the confirmation as an argument, too.
        let in_arguments = || call.arguments.get("confirmed") == Some(&Value::Bool(true));
        let is_confirmed = call.is_confirmed || (self.scope == Scope::Content && in_arguments());
        let confirmed = (is_confirmed && !is_agent).then_some(&call.by.by.actor);
        call.accepted_by.as_ref().or(confirmed)
    }

    /// An attempt with the timeout of the manifest.
    pub(crate) fn attempt<'a>(
        &'a self,
        context: &'a ToolContext,
        agreed: Option<&'a str>,
    ) -> Attempt<'a> {
        Attempt {
            context,
            scope: self.call.scope,
            by: &self.call.by.by,
            committer: Some(&self.call.by),
            agreed,
            idempotency_key: self
                .call
                .mission
                .as_ref()
                .map_or(&self.key, |mission| &mission.effect_key),
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
            summary: self.summary(),
            expects: site.expects(&ops),
            ops,
            format: FORMAT,
        }
    }

    /// How long the call may take with all its attempts.
    pub(crate) fn within(&self) -> Duration {
        let manifest = self.entry.manifest();
        let attempt = Duration::from_millis(u64::from(manifest.timeout_ms));
        (attempt * u32::from(manifest.retry_policy.max_attempts)).min(CALL_MAX)
    }

    /// What the row stores to run the call later.
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
            mission: self.call.mission.clone(),
        };
        sitewright_tool::write(&kept)
    }
}

/// The turn of a conversation in which a row's call was made.
pub fn turn_of(row: &CallRecord) -> Option<&str> {
    row.request.get("turn")?.as_str()
}

/// The mission that a row's call is a leg of.
pub(crate) fn mission_of(row: &CallRecord) -> Option<String> {
    let id = row.request.get("mission")?.get("id")?.as_str()?;
    (!id.is_empty()).then(|| id.to_owned())
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

/// The room left after a value, or `None` if it does not fit. Stops as soon as the room is used up, so that a long value is not
/// walked to its end.
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
        StoreError::LimitReached { .. } => ErrorCode::TooLarge,
        StoreError::DiskFull { .. } => ErrorCode::StorageFull,
        StoreError::Unstorable | StoreError::Refused { .. } => ErrorCode::InvalidInput,
        _ => ErrorCode::Internal,
    };
    ToolError::new(code, sentence(&error.to_string()))
}
