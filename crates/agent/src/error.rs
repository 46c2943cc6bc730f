//! The crate's error. One variant per thing the caller can do about it.

use sitewright_store::StoreError;
use sitewright_tool::ErrorCode;

use crate::CredentialError;

/// Why the assistant could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No model is chosen, and the scope has no default.
    #[error("no AI provider is chosen for this: choose a model, or set a default in AI settings")]
    ChooseModel,
    /// The month's cap is reached.
    #[error("{0}")]
    OverBudget(String),
    /// The turn cannot be resumed.
    #[error(
        "this turn was not interrupted, or something was said since; send a new message instead"
    )]
    NotInterrupted,
    /// The actor that a turn runs for may no longer use the site.
    #[error("whoever this runs for may no longer use this site")]
    Inactive,
    /// The turn has no plan.
    #[error("this turn has handed in no plan")]
    NoPlan,
    /// The credential is missing or invalid, or its provider failed.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AgentError {
    /// The error code, which is the same in every interface of the product.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::ChooseModel => ErrorCode::InvalidInput,
            Self::OverBudget(_) => ErrorCode::BudgetExceeded,
            Self::NotInterrupted => ErrorCode::Conflict,
            Self::Inactive => ErrorCode::Forbidden,
            Self::NoPlan => ErrorCode::NotFound,
            Self::Credential(CredentialError::Invalid { .. }) => ErrorCode::InvalidInput,
            Self::Credential(CredentialError::Provider(_)) => ErrorCode::UpstreamError,
            Self::Credential(CredentialError::Store(error)) | Self::Store(error) => match error {
                StoreError::NotFound { .. } => ErrorCode::NotFound,
                StoreError::Refused { .. }
                | StoreError::Taken { .. }
                | StoreError::InUse { .. } => ErrorCode::Conflict,
                StoreError::Unstorable => ErrorCode::InvalidInput,
                StoreError::Database(_) => ErrorCode::Unavailable,
                StoreError::LimitReached { .. } => ErrorCode::TooLarge,
                StoreError::DiskFull { .. } => ErrorCode::StorageFull,
                _ => ErrorCode::Internal,
            },
        }
    }
}
