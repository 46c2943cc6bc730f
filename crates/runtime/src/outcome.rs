//! What came of a call, as a type. Faces that speak JSON turn it into an [`Envelope`], and so do rows.

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_store::{CallId, CallRecord, Timestamp};
use sitewright_tool::{Envelope, ErrorCode, Image, Receipt, Taint, ToolError};

/// What came of a call, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReply {
    pub outcome: CallOutcome,
    /// Whether anything in the outcome came from outside.
    pub taint: Taint,
    pub latency: Duration,
    pub attempts: u8,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    Done(Answer),
    /// A person has to approve it first.
    Waiting(Box<PendingApproval>),
    /// It did not do what was asked. A tool outside may have done something else; then the error says so.
    Refused(ToolError),
    /// It may have been done. Only a person can find out, in the other system.
    Unknown(ToolError),
}

/// The answer of a tool that did what was asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub data: Value,
    /// Pictures for models that can see.
    pub images: Vec<Image>,
    /// What really happened, where the tool tells.
    pub receipt: Option<Receipt>,
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingApproval {
    pub id: CallId,
    pub idempotency_key: String,
    /// Why a person is asked, in sentences.
    pub reason: String,
    pub expires: Option<Timestamp>,
    /// What the call would do, for a tool whose answer is a preview until somebody approves it.
    pub preview: Option<Value>,
    /// The address of the approval, where the face that answers has one.
    pub link: Option<String>,
}

impl CallReply {
    /// A reply that took one attempt and no time to speak of.
    pub(crate) fn new(outcome: CallOutcome, taint: Taint) -> Self {
        Self {
            outcome,
            taint,
            latency: Duration::ZERO,
            attempts: 1,
        }
    }

    pub(crate) fn refused(error: ToolError) -> Self {
        Self::new(CallOutcome::Refused(error), Taint::Trusted)
    }

    /// The error of a call that did not do what was asked, or not yet.
    pub fn error(&self) -> Option<ToolError> {
        match &self.outcome {
            CallOutcome::Done(_) => None,
            CallOutcome::Waiting(pending) => Some(pending.error()),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => Some(error.clone()),
        }
    }

    /// What machines compare: `ok`, or the code of the error.
    pub(crate) fn code(&self) -> &'static str {
        match &self.outcome {
            CallOutcome::Done(_) => "ok",
            CallOutcome::Waiting(pending) if pending.preview.is_some() => "ok",
            CallOutcome::Waiting(_) => ErrorCode::ApprovalRequired.as_str(),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => error.code.as_str(),
        }
    }
}

impl PendingApproval {
    pub(crate) fn new(row: &CallRecord, reason: &str) -> Self {
        Self {
            id: row.id.clone(),
            idempotency_key: row.key.clone(),
            reason: reason.to_owned(),
            expires: row.life.expires,
            preview: None,
            link: None,
        }
    }

    /// Where the administration shows the approval.
    pub fn path(&self) -> String {
        format!("/admin/approvals/{}", self.id)
    }

    /// The approval as the wire has it.
    pub fn approval(&self) -> Value {
        let mut approval = json!({ "id": self.id, "path": self.path(), "expiresAt": self.expires });
        if let Some(link) = &self.link {
            approval["link"] = json!(link);
        }
        approval
    }

    /// What a caller learns who expected an answer.
    pub fn error(&self) -> ToolError {
        let message = format!(
            "{} Make the same call with the same `idempotencyKey` again when somebody has decided.",
            self.reason
        );
        ToolError::new(ErrorCode::ApprovalRequired, message).with(json!({
            "approval": self.approval(),
            "idempotencyKey": self.idempotency_key,
        }))
    }
}

impl From<CallReply> for Envelope {
    fn from(reply: CallReply) -> Self {
        let CallReply {
            outcome,
            taint,
            latency,
            attempts,
        } = reply;
        let envelope = match outcome {
            CallOutcome::Done(Answer {
                data,
                images,
                receipt,
            }) => Self {
                images,
                receipt,
                ..Self::done(data)
            },
            CallOutcome::Waiting(pending) => match &pending.preview {
                Some(preview) => {
                    Self::done(json!({ "preview": preview, "approval": pending.approval() }))
                }
                None => Self::failed(pending.error()),
            },
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => Self::failed(error),
        };
        Self {
            taint,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            attempts,
            ..envelope
        }
    }
}

/// Rows hold the envelopes of calls that are over, so none of them waits.
impl From<Envelope> for CallReply {
    fn from(envelope: Envelope) -> Self {
        let Envelope {
            ok: _,
            data,
            error,
            images,
            receipt,
            taint,
            latency_ms,
            attempts,
        } = envelope;
        let outcome = match error {
            None => CallOutcome::Done(Answer {
                data: data.unwrap_or_default(),
                images,
                receipt,
            }),
            Some(error) if error.code == ErrorCode::OutcomeUnknown => CallOutcome::Unknown(error),
            Some(error) => CallOutcome::Refused(error),
        };
        Self {
            outcome,
            taint,
            latency: Duration::from_millis(latency_ms),
            attempts,
        }
    }
}
