//! The reply to a call as Rust types. Interfaces that speak JSON, and rows, convert it to an [`Envelope`].

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_store::{CallId, CallRecord, Timestamp};
use sitewright_tool::{Envelope, ErrorCode, Image, Receipt, Taint, ToolError};

/// The outcome of a call, with its latency and the number of attempts.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReply {
    pub outcome: CallOutcome,
    /// Whether anything in the outcome came from outside.
    pub taint: Taint,
    pub latency: Duration,
    pub attempts: u8,
}

/// How a call ended, or that it waits.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    Done(Answer),
    /// A person has to approve it before it runs.
    Waiting(Box<PendingApproval>),
    /// It failed or was refused. An outside tool may have had an effect all the same; the error says so then.
    Refused(ToolError),
    /// It may have taken effect. Only a person can find out, by checking the other system.
    Unknown(ToolError),
}

/// The answer of a tool that succeeded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub data: Value,
    /// Pictures for models that can see.
    pub images: Vec<Image>,
    /// What the tool reports to have created, changed and removed, if it does.
    pub receipt: Option<Receipt>,
}

/// A call that waits for a person's approval.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingApproval {
    pub id: CallId,
    pub idempotency_key: String,
    /// Why approval is needed, in sentences.
    pub reason: String,
    pub expires: Option<Timestamp>,
    /// What the call would do, for a tool that replies with a preview until a person approves it.
    pub preview: Option<Value>,
    /// The URL of the approval, if the interface that replies knows one.
    pub link: Option<String>,
}

impl CallReply {
    /// The reply with something else that the caller should know.
    pub(crate) fn with_note(mut self, note: String) -> Self {
        if let CallOutcome::Done(answer) = &mut self.outcome {
            let receipt = answer.receipt.get_or_insert_default();
            receipt.notes.push(note);
        }
        self
    }

    /// A reply after one attempt, whose latency is not measured yet.
    pub(crate) fn new(outcome: CallOutcome, taint: Taint) -> Self {
        Self {
            outcome,
            taint,
            latency: Duration::ZERO,
            attempts: 1,
        }
    }

    pub(crate) fn refused(error: ToolError) -> Self {
        Self::new(error.into(), Taint::Trusted)
    }

    /// The error of a call that failed, or that waits for approval.
    pub fn error(&self) -> Option<ToolError> {
        match &self.outcome {
            CallOutcome::Done(_) => None,
            CallOutcome::Waiting(pending) => Some(pending.error()),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => Some(error.clone()),
        }
    }

    /// `ok`, or the code of the error, for metrics and traces. A preview counts as `ok`.
    pub(crate) fn code(&self) -> &'static str {
        match &self.outcome {
            CallOutcome::Done(_) => "ok",
            CallOutcome::Waiting(pending) if pending.preview.is_some() => "ok",
            CallOutcome::Waiting(_) => ErrorCode::ApprovalRequired.as_str(),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => error.code.as_str(),
        }
    }
}

impl From<ToolError> for CallOutcome {
    fn from(error: ToolError) -> Self {
        match error.code {
            ErrorCode::OutcomeUnknown => Self::Unknown(error),
            _ => Self::Refused(error),
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

    /// The path of the approval in the administration.
    pub fn path(&self) -> String {
        format!("/admin/approvals/{}", self.id)
    }

    /// The approval as JSON, as replies and errors contain it.
    pub fn approval(&self) -> Value {
        let mut approval = json!({ "id": self.id, "path": self.path(), "expiresAt": self.expires });
        if let Some(link) = &self.link {
            approval["link"] = json!(link);
        }
        approval
    }

    /// The error for a caller that expects an answer.
    pub fn error(&self) -> ToolError {
        let message = format!(
            "{} Make the same call with the same `idempotencyKey` again once someone has decided.",
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
                    // The question of a tool that deletes is the answer itself; what else is known comes beside it.
                    let question = preview.get("question").and_then(Value::as_object);
                    let mut data = question.cloned().unwrap_or_default();
                    data.insert("preview".to_owned(), preview.clone());
                    data.insert("approval".to_owned(), json!(pending.approval()));
                    Self::done(Value::Object(data))
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

/// Only finished calls have a stored envelope, so the result is never `Waiting`.
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
            Some(error) => error.into(),
        };
        Self {
            outcome,
            taint,
            latency: Duration::from_millis(latency_ms),
            attempts,
        }
    }
}
