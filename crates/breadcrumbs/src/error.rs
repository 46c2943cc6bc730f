//! Why a record was not written or found.

use sitewright_store::{Breadcrumb, StoreError};
use sitewright_tool::{ErrorCode, ToolError, sentence};

/// A field that is not as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    /// Its path, such as `context.tool_requests[0].requestId`.
    pub field: String,
    /// What is wrong and what would be right, as a sentence.
    pub message: String,
}

/// Why a record was not written or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BreadcrumbError {
    /// The caller can correct these fields.
    #[error("{}", .0.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" "))]
    Invalid(Vec<FieldProblem>),
    /// There is none, or the caller may not know that there is.
    #[error("There is no record with this id.")]
    NotFound,
    /// Somebody else has changed it; the caller can read it and try again.
    #[error("The record has version {} by now; read it again, then change that version.", .0.version)]
    Conflict(Box<Breadcrumb>),
    /// The key was used for something else.
    #[error("The idempotency key was used for another record; choose a new one for this.")]
    KeyTaken,
    /// The tags name a session of somebody else.
    #[error("The session `{0}` belongs to someone else; use your own session.")]
    ForeignSession(String),
    /// Only its owner may change it.
    #[error("Only the owner of this record may do this.")]
    NotOwner,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BreadcrumbError {
    /// One wrong field.
    pub(crate) fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldProblem {
            field: field.into(),
            message: message.into(),
        }])
    }
}

impl From<BreadcrumbError> for ToolError {
    fn from(error: BreadcrumbError) -> Self {
        let code = match &error {
            BreadcrumbError::Invalid(_) => ErrorCode::InvalidInput,
            BreadcrumbError::NotFound => ErrorCode::NotFound,
            BreadcrumbError::Conflict(_) | BreadcrumbError::KeyTaken => ErrorCode::Conflict,
            BreadcrumbError::ForeignSession(_) | BreadcrumbError::NotOwner => ErrorCode::Forbidden,
            BreadcrumbError::Store(error) => match error {
                StoreError::NotFound { .. } => ErrorCode::NotFound,
                StoreError::Database(_) => ErrorCode::Unavailable,
                StoreError::LimitReached { .. } => ErrorCode::TooLarge,
                StoreError::DiskFull { .. } => ErrorCode::StorageFull,
                StoreError::Unstorable => ErrorCode::InvalidInput,
                _ => ErrorCode::Internal,
            },
        };
        let current = match &error {
            BreadcrumbError::Conflict(current) => Some(current.version),
            _ => None,
        };
        let failed = Self::new(code, sentence(&error.to_string()));
        match current {
            Some(version) => failed.with(serde_json::json!({ "version": version })),
            None => failed,
        }
    }
}
