//! A person's approval for calls of one kind in one conversation, for a day at most.
//!
//! A grant never covers publishing, code or external effects: for those, the fact `granted` that policies read is always false.

use serde::{Deserialize, Serialize};
use sitewright_tool::Effect;

use super::{Judgement, PlannedChange};

/// The longest duration of a grant: 24 hours.
pub const GRANT_MS_MAX: i64 = 24 * 60 * 60 * 1000;

/// A person's approval for calls of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Grant {
    pub tool: String,
    pub effect: Effect,
    pub conversation: String,
    /// The person who gave it.
    pub person: String,
    /// When it was given, in milliseconds since 1970.
    pub given_ms: i64,
    /// When it ends, exclusive, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// Why a grant cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadGrant {
    /// It would cover something that no grant may cover.
    #[error("a grant never covers publishing, code or outside effects: approve each call")]
    TooMuch,
    /// It would last too long, or end before it begins.
    #[error("a grant must end after it begins and within 24 hours: choose an earlier end")]
    TooLong,
}

/// The call that a grant is given for or compared with.
#[derive(Debug, Clone, Copy)]
pub struct GrantFor<'a> {
    pub tool: &'a str,
    pub effect: Effect,
    pub change: PlannedChange,
    pub conversation: &'a str,
    /// The person who gives the grant, or on whose behalf the call is made.
    pub person: &'a str,
}

impl Grant {
    /// Creates a grant for calls like this one.
    pub fn give(call: &GrantFor<'_>, given_ms: i64, expires_ms: i64) -> Result<Self, BadGrant> {
        if !may_be_granted(call.effect, call.change) {
            return Err(BadGrant::TooMuch);
        }
        let grant = Self {
            tool: call.tool.to_owned(),
            effect: call.effect,
            conversation: call.conversation.to_owned(),
            person: call.person.to_owned(),
            given_ms,
            expires_ms,
        };
        if grant.lasts() {
            Ok(grant)
        } else {
            Err(BadGrant::TooLong)
        }
    }

    /// Whether the grant covers a call at this time.
    pub fn covers(&self, call: &GrantFor<'_>, now_ms: i64) -> bool {
        self.tool == call.tool
            && self.effect == call.effect
            && self.conversation == call.conversation
            && self.person == call.person
            && self.lasts()
            && (self.given_ms..self.expires_ms).contains(&now_ms)
            && may_be_granted(call.effect, call.change)
    }

    /// Whether the duration is valid. Checked again on use, because a stored row may hold anything.
    fn lasts(&self) -> bool {
        let length = self.expires_ms.checked_sub(self.given_ms);
        length.is_some_and(|length| (1..=GRANT_MS_MAX).contains(&length))
    }
}

fn may_be_granted(effect: Effect, change: PlannedChange) -> bool {
    let harmless = !(change.publishes || change.code_touched || change.head_code);
    harmless
        && match effect {
            Effect::None | Effect::Draft | Effect::Durable => true,
            Effect::External => false,
        }
}

/// Whether one of the grants covers the call that is judged.
pub(super) fn is_granted(judgement: &Judgement<'_>) -> bool {
    let (Some(conversation), Some(person)) = (judgement.conversation, judgement.person) else {
        return false;
    };
    let call = GrantFor {
        tool: judgement.tool,
        effect: judgement.effect,
        change: judgement.change,
        conversation,
        person,
    };
    judgement
        .grants
        .iter()
        .any(|grant| grant.covers(&call, judgement.now_ms))
}
