//! The life of a call: the states there are, and which step leads from one to the next.
//!
//! Pure: no clock, no row. A row changes by one of these steps or not at all, so what holds here holds for every call: it runs
//! only when the policy allowed it or a person said yes to exactly what is run, and what left the house once is never sent again
//! by itself unless it may be repeated.

use serde::{Deserialize, Serialize};

use crate::{Actor, Timestamp};

/// Where a call is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallState {
    /// It needs a person's approval.
    Waiting,
    /// It may run.
    Ready,
    /// It runs.
    Running,
    /// It did what was asked.
    Done,
    /// It did not.
    Failed,
    /// It left the house and its outcome was never learnt.
    Unknown,
    /// A person said no.
    Denied,
    /// Nobody said yes in time.
    Expired,
}

impl CallState {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Ready,
        Self::Running,
        Self::Done,
        Self::Failed,
        Self::Unknown,
        Self::Denied,
        Self::Expired,
    ];

    /// The stored spelling; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }

    /// Whether nothing will happen to it any more.
    pub fn is_final(self) -> bool {
        match self {
            Self::Waiting | Self::Ready | Self::Running | Self::Unknown => false,
            Self::Done | Self::Failed | Self::Denied | Self::Expired => true,
        }
    }
}

/// What lets a call run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Permission {
    /// Nothing yet.
    None,
    /// The policy.
    Policy,
    /// A person's yes to exactly this.
    Approval {
        /// Who said it.
        by: String,
        /// When.
        at: Timestamp,
        /// To what.
        bound: String,
    },
}

/// Who runs a call, and until when they are believed to be at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The process.
    pub holder: String,
    /// When it is given up for dead.
    pub until: Timestamp,
}

/// A call, as far as its life is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CallLife {
    /// Where it is.
    pub state: CallState,
    /// The digest of the tool, its arguments and what the planned change expects: what a yes is a yes to.
    pub bound: String,
    /// What lets it run.
    pub permission: Permission,
    /// When waiting turns into a no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Who runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// Whether it may be begun again when whoever ran it is gone.
    pub repeatable: bool,
}

/// Something that happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// Somebody says yes.
    Approve {
        /// Who.
        by: &'a Actor,
        /// When.
        at: Timestamp,
    },
    /// Somebody says no.
    Deny {
        /// Who.
        by: &'a Actor,
        /// When.
        at: Timestamp,
    },
    /// Somebody begins to run it.
    Claim {
        /// Who.
        lease: Lease,
        /// When.
        at: Timestamp,
        /// What they are about to do.
        bound: &'a str,
    },
    /// It ended.
    Finish {
        /// Who ran it.
        holder: &'a str,
        /// How.
        end: End,
    },
    /// Time has passed.
    Pass {
        /// What time it is.
        at: Timestamp,
    },
    /// Whoever ran it is known to be gone.
    Orphan,
    /// Somebody found out what came of it.
    Settle {
        /// Who.
        by: &'a Actor,
        /// What.
        found: SettledOutcome,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// As asked.
    Done,
    /// Not as asked; what happened is known.
    Failed,
    /// Nobody knows.
    Unknown,
}

/// What somebody found out about a call whose outcome was unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledOutcome {
    /// It did what was asked.
    Happened,
    /// It did nothing.
    DidNotHappen,
    /// It may be sent again: the other side takes the same key for the same call.
    SendAgain,
}

/// Why a step is not taken. The call stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoStep {
    /// It is decided already, or was never asked about.
    #[error("this call does not wait for a decision: it is {}", .0.as_str())]
    NotWaiting(CallState),
    /// The time for a decision is over.
    #[error("the time to decide on this call is over; make the call again")]
    TooLate,
    /// Only people decide.
    #[error("calls are approved by people; sign in to decide")]
    NotAPerson,
    /// It may not run, or runs already.
    #[error("this call cannot be run: it is {}", .0.as_str())]
    NotReady(CallState),
    /// What would be run is not what was agreed to.
    #[error("what this call would do has changed since it was agreed to; make the call again")]
    Changed,
    /// Somebody else runs it, or nobody.
    #[error("this call is not run by whoever says that it ended")]
    NotHolder,
    /// Its outcome is known.
    #[error("the outcome of this call is known: it is {}", .0.as_str())]
    NotUnknown(CallState),
    /// Sending it again might do it twice.
    #[error("sending this call again might do it twice; find out what came of it instead")]
    NotRepeatable,
    /// There is nothing to do yet.
    #[error("nothing has changed")]
    NotYet,
}

impl CallLife {
    /// A call that the policy lets run.
    pub fn allowed(bound: String, repeatable: bool) -> Self {
        Self {
            state: CallState::Ready,
            bound,
            permission: Permission::Policy,
            expires: None,
            lease: None,
            repeatable,
        }
    }

    /// A call that a person must agree to in time.
    pub fn asking(bound: String, repeatable: bool, expires: Timestamp) -> Self {
        Self {
            state: CallState::Waiting,
            permission: Permission::None,
            expires: Some(expires),
            ..Self::allowed(bound, repeatable)
        }
    }

    /// A call that whoever makes it agrees to, where their word counts; who that is, is for the caller to know.
    pub fn confirmed(bound: String, repeatable: bool, (by, at): (&Actor, Timestamp)) -> Self {
        Self {
            permission: Permission::Approval {
                by: by.to_string(),
                at,
                bound: bound.clone(),
            },
            ..Self::allowed(bound, repeatable)
        }
    }

    /// When time alone will change it.
    pub fn due(&self) -> Option<Timestamp> {
        match self.state {
            CallState::Waiting => self.expires,
            CallState::Running => self.lease.as_ref().map(|lease| lease.until),
            CallState::Ready
            | CallState::Done
            | CallState::Failed
            | CallState::Unknown
            | CallState::Denied
            | CallState::Expired => None,
        }
    }

    /// Takes a step, or leaves everything as it is and says why.
    pub fn take(&mut self, step: &Step<'_>) -> Result<(), NoStep> {
        match step {
            Step::Approve { by, at } => {
                self.decide(by, *at)?;
                self.permission = Permission::Approval {
                    by: by.to_string(),
                    at: *at,
                    bound: self.bound.clone(),
                };
                self.state = CallState::Ready;
            }
            Step::Deny { by, at } => {
                self.decide(by, *at)?;
                self.state = CallState::Denied;
            }
            Step::Claim { lease, at, bound } => {
                self.may_run(*at, bound)?;
                self.lease = Some(lease.clone());
                self.state = CallState::Running;
            }
            Step::Finish { holder, end } => {
                let is_theirs = self
                    .lease
                    .as_ref()
                    .is_some_and(|lease| lease.holder == *holder);
                if self.state != CallState::Running || !is_theirs {
                    return Err(NoStep::NotHolder);
                }
                self.lease = None;
                self.state = match end {
                    End::Done => CallState::Done,
                    End::Failed => CallState::Failed,
                    End::Unknown => CallState::Unknown,
                };
            }
            Step::Pass { at } => self.pass(*at)?,
            Step::Orphan => self.orphan()?,
            Step::Settle { by, found } => self.settle(by, *found)?,
        }
        Ok(())
    }

    /// Whether somebody may decide on it now.
    fn decide(&self, by: &Actor, at: Timestamp) -> Result<(), NoStep> {
        is_person(by)?;
        if self.state != CallState::Waiting {
            return Err(NoStep::NotWaiting(self.state));
        }
        if self.expires.is_none_or(|expires| at >= expires) {
            return Err(NoStep::TooLate);
        }
        Ok(())
    }

    fn may_run(&self, at: Timestamp, now_bound: &str) -> Result<(), NoStep> {
        if self.state != CallState::Ready {
            return Err(NoStep::NotReady(self.state));
        }
        let agreed = match &self.permission {
            Permission::None => return Err(NoStep::NotReady(self.state)),
            Permission::Policy => &self.bound,
            // A yes counts from the moment it was given.
            Permission::Approval { at: given, .. } if at < *given => return Err(NoStep::NotYet),
            Permission::Approval { bound, .. } => bound,
        };
        if agreed == now_bound {
            Ok(())
        } else {
            Err(NoStep::Changed)
        }
    }

    fn pass(&mut self, at: Timestamp) -> Result<(), NoStep> {
        match self.due() {
            Some(due) if at >= due => {}
            _ => return Err(NoStep::NotYet),
        }
        match self.state {
            CallState::Waiting => {
                self.state = CallState::Expired;
                Ok(())
            }
            _ => self.orphan(),
        }
    }

    fn orphan(&mut self) -> Result<(), NoStep> {
        if self.state != CallState::Running {
            return Err(NoStep::NotReady(self.state));
        }
        self.lease = None;
        self.state = if self.repeatable {
            CallState::Ready
        } else {
            CallState::Unknown
        };
        Ok(())
    }

    fn settle(&mut self, by: &Actor, found: SettledOutcome) -> Result<(), NoStep> {
        is_person(by)?;
        if self.state != CallState::Unknown {
            return Err(NoStep::NotUnknown(self.state));
        }
        self.state = match found {
            SettledOutcome::Happened => CallState::Done,
            SettledOutcome::DidNotHappen => CallState::Failed,
            SettledOutcome::SendAgain if self.repeatable => CallState::Ready,
            SettledOutcome::SendAgain => return Err(NoStep::NotRepeatable),
        };
        Ok(())
    }
}

/// A token may be driven by a model, and a stranger is nobody.
fn is_person(by: &Actor) -> Result<(), NoStep> {
    match by {
        Actor::User(_) | Actor::Local => Ok(()),
        Actor::Token(_) | Actor::Anonymous => Err(NoStep::NotAPerson),
    }
}
