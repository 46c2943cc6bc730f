//! Errors, as they are thrown.

use serde_json::json;
use sitewright_site::{Astray, BadId, OpError};

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The replica can no longer follow the site and must be created again.
    #[error(transparent)]
    Astray(#[from] Astray),
    /// An argument is not JSON, or does not match its schema.
    #[error("`{what}` is not as it should be: {reason}")]
    Unreadable { what: &'static str, reason: String },
    /// An argument is not a valid id.
    #[error(transparent)]
    BadId(#[from] BadId),
    /// The field or the entity does not exist.
    #[error(transparent)]
    Rejected(#[from] OpError),
    /// There is no such page or node.
    #[error("there is no {0} here")]
    Missing(String),
    /// The answer could not be serialized.
    #[error("the answer cannot be written: {0}")]
    Unwritable(serde_json::Error),
}

impl Failure {
    fn code(&self) -> &'static str {
        match self {
            Self::Astray(_) => "astray",
            Self::Unreadable { .. } | Self::BadId(_) => "invalid_input",
            Self::Rejected(_) | Self::Missing(_) => "not_found",
            Self::Unwritable(_) => "internal",
        }
    }

    pub(crate) fn to_json(&self) -> String {
        json!({ "code": self.code(), "message": self.to_string() }).to_string()
    }
}
