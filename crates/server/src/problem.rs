//! Errors as callers see them: `application/problem+json` with a code for machines and a sentence for people.

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sitewright_agent::{AgentError, CredentialError};
use sitewright_publish::PublishError;
use sitewright_site::gate::GateError;
use sitewright_store::{CommitError, StoreError};
use sitewright_tool::{ErrorCode, sentence};

/// An error response for the caller.
#[derive(Debug)]
pub(crate) struct ApiError {
    code: ErrorCode,
    status: StatusCode,
    detail: String,
    errors: Vec<FieldError>,
    retry_after_seconds: Option<u64>,
    more: BTreeMap<&'static str, serde_json::Value>,
}

/// What is wrong with one field of the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FieldError {
    /// The field, as in the input.
    field: String,
    /// What is wrong and what would be right.
    message: String,
}

/// The body of every answer that is not a success.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    /// A name for this kind of problem; the code as a URN.
    r#type: String,
    /// The kind of problem in a few words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// The kind of problem for machines.
    code: ErrorCode,
    /// What happened and what to do, for a person.
    detail: String,
    /// The fields that are wrong, when the input is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    /// What only some problems tell.
    #[serde(flatten)]
    #[schemars(skip)]
    more: BTreeMap<&'static str, serde_json::Value>,
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        let status =
            StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self {
            code,
            status,
            detail: detail.into(),
            errors: Vec::new(),
            retry_after_seconds: None,
            more: BTreeMap::new(),
        }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidInput, detail)
    }

    /// One field of the input is invalid; the message is also used for the whole.
    pub(crate) fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = Self::invalid(message.clone());
        error.errors.push(FieldError {
            field: field.into(),
            message,
        });
        error
    }

    /// Several fields of the input are invalid.
    pub(crate) fn fields(wrong: Vec<(String, String)>) -> Self {
        let sentences: Vec<&str> = wrong.iter().map(|(_, message)| message.as_str()).collect();
        let mut error = Self::invalid(sentences.join(" "));
        error.errors = wrong
            .into_iter()
            .map(|(field, message)| FieldError { field, message })
            .collect();
        error
    }

    pub(crate) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Forbidden, detail)
    }

    pub(crate) fn unauthenticated(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unauthenticated, detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, detail)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        Self {
            status,
            ..Self::invalid("This address exists, but does not support this method.")
        }
    }

    /// The client stopped sending; this is not a server error, and the client decides about a retry.
    pub(crate) fn body_too_slow() -> Self {
        let status = StatusCode::REQUEST_TIMEOUT;
        Self {
            status,
            ..Self::new(ErrorCode::Timeout, "The body did not arrive in time.")
        }
    }

    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self {
            retry_after_seconds: Some(seconds),
            ..self
        }
    }

    /// Adds a named member to the response.
    pub(crate) fn with(mut self, name: &'static str, value: serde_json::Value) -> Self {
        self.more.insert(name, value);
        self
    }

    /// A file that a row speaks of is missing or damaged here. It may be there on another node, or again later, so this is not 404,
    /// which search engines and caches would remember.
    pub(crate) fn lost_file(cause: &StoreError) -> Self {
        tracing::error!(
            error = cause as &dyn std::error::Error,
            "a stored file is missing or damaged"
        );
        Self::new(
            ErrorCode::Unavailable,
            "The file is missing or damaged in the storage of this server. Servers that share a database need one bucket or one \
             folder for their files; `sitewright doctor --all-files` lists what is missing.",
        )
    }

    /// A defect of ours: the cause is logged, and the caller learns only that it happened.
    pub(crate) fn internal(cause: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = cause, "a request failed");
        Self::new(
            ErrorCode::Internal,
            "Something went wrong on the server. Its log has the details. Try again.",
        )
    }
}

impl From<AgentError> for ApiError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Credential(error) => error.into(),
            AgentError::Store(error) => error.into(),
            AgentError::ChooseModel
            | AgentError::OverBudget(_)
            | AgentError::NotInterrupted
            | AgentError::Inactive
            | AgentError::NoPlan => Self::new(error.code(), sentence(&error.to_string())),
        }
    }
}

impl From<CredentialError> for ApiError {
    fn from(error: CredentialError) -> Self {
        match error {
            CredentialError::Invalid { field, message } => Self::field(field, message),
            CredentialError::Provider(error) => {
                Self::new(ErrorCode::UpstreamError, error.to_string())
            }
            CredentialError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::not_found(sentence(&error.to_string())),
            StoreError::Taken { .. } | StoreError::InUse { .. } | StoreError::Refused { .. } => {
                Self::new(ErrorCode::Conflict, sentence(&error.to_string()))
            }
            StoreError::LimitReached { .. } => {
                Self::new(ErrorCode::TooLarge, sentence(&error.to_string()))
            }
            StoreError::Unstorable => Self::invalid(sentence(&error.to_string())),
            StoreError::DiskFull { .. } => {
                tracing::error!(error = &error as &dyn std::error::Error, "storage failed");
                Self::new(ErrorCode::StorageFull, sentence(&error.to_string())).retry_after(30)
            }
            StoreError::Database(_) | StoreError::Blobs(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "storage failed");
                let detail =
                    "The database or the file storage did not answer. Try again in a moment.";
                Self::new(ErrorCode::Unavailable, detail).retry_after(2)
            }
            StoreError::UnreadableDocument { .. } => {
                tracing::error!(error = &error as &dyn std::error::Error, "damaged document");
                Self::new(ErrorCode::Unavailable, sentence(&error.to_string()))
            }
            other => Self::internal(&other),
        }
    }
}

impl From<PublishError> for ApiError {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Store(error) => error.into(),
            refused => Self::new(refused.code(), sentence(&refused.to_string())),
        }
    }
}

impl From<CommitError> for ApiError {
    fn from(error: CommitError) -> Self {
        let refusal = Self::new(error.code(), sentence(&error.to_string()));
        match error {
            CommitError::Store(error) => error.into(),
            CommitError::Conflict { touched, newer } => refusal
                .with("touched", json!(touched))
                .with("newer", json!(newer)),
            CommitError::ReadOnly { damage, .. } => refusal.with("entry", json!(damage.seq)),
            CommitError::Gate(
                GateError::Locked { entity, .. } | GateError::ApprovalRequired { entity },
            ) => refusal.with("touched", json!([entity])),
            CommitError::Gate(_)
            | CommitError::UnknownChange
            | CommitError::NothingToRevert
            | CommitError::NoRestorePoint
            | CommitError::AlreadyRestored
            | CommitError::IdTaken(_)
            | CommitError::CallOver(_)
            | CommitError::CollectionInUse { .. }
            | CommitError::Misfits { .. }
            | CommitError::SlugTaken { .. }
            | CommitError::BadTranslation { .. }
            | CommitError::Impossible(_) => refusal,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self {
            code,
            status,
            detail,
            errors,
            retry_after_seconds,
            more,
        } = self;
        let problem = Problem {
            r#type: format!("urn:sitewright:problem:{}", code.as_str()),
            title: code.title().to_owned(),
            status: status.as_u16(),
            code,
            detail,
            errors,
            more,
        };
        let mut response = (status, axum::Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = retry_after_seconds {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
