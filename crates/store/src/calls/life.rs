//! The life of a call: its states, and the steps that lead from one to the next.
//!
//! Pure: no clock and no rows. A row only changes by one of these steps, so the invariants here hold for every call: it runs only
//! if the policy allowed it or a person approved exactly what is run, and a side effect that may have happened is never repeated
//! automatically unless the call is repeatable.

use serde::{Deserialize, Serialize};

use crate::{Actor, Timestamp};

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallState {
    /// It needs a person's approval.
    Waiting,
    /// It is allowed to run, and no process runs it yet.
    Ready,
    /// A process holds its lease.
    Running,
    /// It did what was asked.
    Done,
    /// It did not do what was asked; what happened instead is known.
    Failed,
    /// It may have had its side effect, but its outcome was never learned.
    Unknown,
    /// A person rejected it, or removed the caller.
    Denied,
    /// No one decided in time.
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

    /// Whether the state can no longer change.
    pub fn is_final(self) -> bool {
        match self {
            Self::Waiting | Self::Ready | Self::Running | Self::Unknown => false,
            Self::Done | Self::Failed | Self::Denied | Self::Expired => true,
        }
    }
}

/// What allows a call to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Permission {
    None,
    Policy,
    /// A person's approval of exactly this call.
    Approval {
        by: String,
        at: Timestamp,
        /// The digest of what was approved.
        bound: String,
    },
}

/// The process that runs a call, and until when it is trusted to be alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    pub holder: String,
    /// After this time, the holder is presumed dead.
    pub until: Timestamp,
}

/// The part of a call that determines which steps it may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CallLife {
    pub state: CallState,
    /// The digest of the tool, its arguments and the planned change's expectations: exactly what an approval covers.
    pub bound: String,
    pub permission: Permission,
    /// When a waiting call expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Set while the call is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// Whether the call may be started again after the process that ran it is gone.
    pub repeatable: bool,
}

/// Something that happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// A person approves it.
    Approve {
        /// Must be a person.
        by: &'a Actor,
        at: Timestamp,
    },
    /// A person rejects it.
    Deny {
        /// Must be a person.
        by: &'a Actor,
        at: Timestamp,
    },
    /// The actor it was made for may no longer call, so no one can approve it any more.
    Withdraw,
    /// A process starts to run it.
    Claim {
        lease: Lease,
        at: Timestamp,
        /// The digest of what the process is about to do.
        bound: &'a str,
    },
    /// The run ended.
    Finish {
        /// The process that ran it.
        holder: &'a str,
        end: End,
    },
    /// Time passed: expires a waiting call, and orphans a running one whose lease ran out.
    Pass {
        /// The current time.
        at: Timestamp,
    },
    /// The process that ran it is known to be gone.
    Orphan,
    /// A person found out what happened to a call whose outcome was unknown.
    Settle {
        /// Must be a person.
        by: &'a Actor,
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
    /// The outcome was never learned.
    Unknown,
}

/// What a person found out about a call whose outcome was unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettledOutcome {
    /// It did what was asked.
    Happened,
    /// It did nothing.
    DidNotHappen,
    /// It may be sent again, because the other side recognizes the idempotency key.
    SendAgain,
}

/// Why a step is not allowed. The call is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoStep {
    /// It is already decided, or never needed a decision.
    #[error("this call does not wait for a decision: it is {}", .0.as_str())]
    NotWaiting(CallState),
    /// The time for a decision has run out.
    #[error("the time to decide on this call is over; make the call again")]
    TooLate,
    /// Only people can decide.
    #[error("calls are approved by people; sign in to decide")]
    NotAPerson,
    /// It is not allowed to run, or is already running.
    #[error("this call cannot be run: it is {}", .0.as_str())]
    NotReady(CallState),
    /// What would be run is not what was approved.
    #[error("what this call would do has changed since it was agreed to; make the call again")]
    Changed,
    /// Another process runs it, or none does.
    #[error("this call is not run by whoever says that it ended")]
    NotHolder,
    /// Its outcome is already known.
    #[error("the outcome of this call is known: it is {}", .0.as_str())]
    NotUnknown(CallState),
    /// Sending it again might repeat the side effect.
    #[error("sending this call again might do it twice; find out what came of it instead")]
    NotRepeatable,
    /// The time for this step has not come.
    #[error("nothing has changed")]
    NotYet,
}

impl CallLife {
    /// A call that the policy allows to run.
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

    /// A call that a person must approve before `expires`.
    pub fn asking(bound: String, repeatable: bool, expires: Timestamp) -> Self {
        Self {
            state: CallState::Waiting,
            permission: Permission::None,
            expires: Some(expires),
            ..Self::allowed(bound, repeatable)
        }
    }

    /// A call that its caller approves by making it. This type does not know whether that actor may
    /// confirm; the caller of this function must check.
    pub fn confirmed(bound: String, repeatable: bool, by: &Actor, at: Timestamp) -> Self {
        Self {
            permission: Permission::Approval {
                by: by.to_string(),
                at,
                bound: bound.clone(),
            },
            ..Self::allowed(bound, repeatable)
        }
    }

    /// When the call changes through time alone: its expiry while waiting, its lease while running.
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

    /// Takes a step, or returns why it is not allowed and changes nothing.
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
            Step::Withdraw => {
                if self.state != CallState::Waiting {
                    return Err(NoStep::NotWaiting(self.state));
                }
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

    /// Checks that the actor may decide on the call now.
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
            // An approval is not valid before the time it was given.
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

    /// A repeatable call becomes ready again. Any other becomes unknown, because it may have had its side effect already.
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

/// A token may be driven by a model, and an anonymous caller cannot be identified.
fn is_person(by: &Actor) -> Result<(), NoStep> {
    match by {
        Actor::User(_) | Actor::Local => Ok(()),
        Actor::Token(_) | Actor::Anonymous => Err(NoStep::NotAPerson),
    }
}
