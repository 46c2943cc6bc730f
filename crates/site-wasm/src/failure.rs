//! What went wrong, as it is thrown.

use serde_json::json;
use sitewright_site::{Astray, BadId, OpError};

/// What could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The copy is not the site any more; it must be made anew.
    #[error(transparent)]
    Astray(#[from] Astray),
    /// The caller spoke no JSON, or JSON of another shape.
    #[error("`{what}` is not as it should be: {reason}")]
    Unreadable { what: &'static str, reason: String },
    /// The caller named something that cannot be a name.
    #[error(transparent)]
    BadId(#[from] BadId),
    /// The field or the thing is not there.
    #[error(transparent)]
    Rejected(#[from] OpError),
    /// There is no such page or node.
    #[error("there is no {0} here")]
    Missing(String),
    /// The answer could not be written.
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
