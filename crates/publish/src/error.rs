//! Why publishing failed. Visitors keep seeing what they saw before.

use sitewright_store::StoreError;
use sitewright_tool::{ErrorCode, ToolError, sentence};

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// What was approved is not what would be published any more.
    #[error(
        "the site or what is published of it changed since you looked; look at what would change again, then publish"
    )]
    Changed,
    /// Other nodes switched first on every attempt.
    #[error("other nodes publish this site again and again; try again in a moment")]
    Busy,
    /// An address in `leaveOut` does not exist.
    #[error("`leaveOut`: there is no page at `{0}`; use the addresses that `previewPublish` lists")]
    UnknownAddress(String),
    #[error("nothing has been published yet, so there is nothing to go back to; publish first")]
    NothingPublished,
    #[error("release {0} is the first one, so there is none before it")]
    NothingEarlier(u64),
    #[error("there is no release {0}; the list of releases names those there are")]
    UnknownRelease(u64),
    /// A page holds code that nobody with permission put there.
    #[error(
        "the page at `{address}` is not published. {why} Everything else can be published with `{address}` in `leaveOut`"
    )]
    Code {
        /// The address of the page.
        address: String,
        /// What was found in it, in sentences.
        why: String,
    },
    /// A page kept requesting more data.
    #[error("the page at `{0}` asked for more and more and was stopped")]
    Endless(String),
    /// A blocking task panicked.
    #[error("rendering broke down; the log says why")]
    BrokeDown,
    /// The log of the draft cannot be read to its end.
    #[error(
        "entry {entry} of the history cannot be read, so the draft is older than it should be; recover the site first, as `sitewright doctor` shows"
    )]
    Damaged {
        /// The first entry that cannot be read.
        entry: u64,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PublishError {
    /// The error code, the same in every interface of the product.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Changed => ErrorCode::Conflict,
            Self::Damaged { .. } | Self::Code { .. } => ErrorCode::Forbidden,
            Self::UnknownAddress(_) => ErrorCode::InvalidInput,
            Self::NothingPublished | Self::NothingEarlier(_) | Self::UnknownRelease(_) => {
                ErrorCode::NotFound
            }
            Self::Store(StoreError::NotFound { .. }) => ErrorCode::NotFound,
            Self::Busy
            | Self::Store(
                StoreError::Database(_) | StoreError::Blobs(_) | StoreError::Refused { .. },
            ) => ErrorCode::Unavailable,
            Self::Store(StoreError::DiskFull { .. }) => ErrorCode::StorageFull,
            Self::Endless(_) | Self::BrokeDown | Self::Store(_) => ErrorCode::Internal,
        }
    }
}

impl From<PublishError> for ToolError {
    fn from(error: PublishError) -> Self {
        Self::new(error.code(), sentence(&error.to_string()))
    }
}
