//! Why a change is not committed.

use sitewright_site::gate::GateError;
use sitewright_site::{BodyId, ChangeId, Entity, Logged, OpError};
use sitewright_tool::ErrorCode;

use crate::documents::LogDamage;
use crate::{NoStep, StepError, StoreError};

/// Why a change was not committed. Nothing of it happened.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// It breaks a rule, or its author may not do this.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// What is to be taken back is not in the log.
    #[error("there is no such change, or it is too old to be kept")]
    UnknownChange,
    /// Everything that is to be taken back has been changed again.
    #[error("nothing of this is left to take back; somebody has changed it since")]
    NothingToRevert,
    /// The changes since then are collapsed, and there is no restore point.
    #[error("the changes since then are not kept one by one; choose one of the restore points")]
    NoRestorePoint,
    /// Restoring would change nothing.
    #[error("the site is as it was then already")]
    AlreadyRestored,
    /// Somebody has changed what it expects to be as it was.
    #[error("somebody changed this meanwhile; look at it again and repeat what still holds")]
    Conflict {
        /// What was touched.
        touched: Vec<Entity>,
        /// The changes that touched it last, the oldest first, at most fifty.
        newer: Vec<Logged>,
    },
    /// There is another change with its id.
    #[error("there is another change with the id `{}`", .0.as_str())]
    IdTaken(ChangeId),
    /// Not one of its steps can be done.
    #[error("nothing of this can be done any more: {}", reasons(.0))]
    Impossible(Vec<(usize, OpError)>),
    /// The call that makes it has made it already, or may not run.
    #[error("the call that makes this change is over, or may not run")]
    CallOver(Option<NoStep>),
    /// Part of the log cannot be read, so what it led to is not known, and a change on top of it could not be replayed either.
    #[error("{}", read_only(*.document, .damage))]
    ReadOnly {
        /// The document; none when it is the whole site.
        document: Option<BodyId>,
        /// What cannot be read.
        damage: LogDamage,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CommitError {
    /// The kind of refusal, as every face of the product tells it.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Gate(refusal) => refusal.code(),
            Self::UnknownChange
            | Self::NothingToRevert
            | Self::NoRestorePoint
            | Self::AlreadyRestored => ErrorCode::InvalidInput,
            Self::Conflict { .. } | Self::IdTaken(_) | Self::CallOver(_) => ErrorCode::Conflict,
            Self::Impossible(_) => ErrorCode::NotFound,
            Self::ReadOnly { .. } => ErrorCode::Forbidden,
            Self::Store(StoreError::NotFound { .. }) => ErrorCode::NotFound,
            Self::Store(StoreError::Database(_)) => ErrorCode::Unavailable,
            Self::Store(StoreError::DiskFull { .. }) => ErrorCode::StorageFull,
            Self::Store(_) => ErrorCode::Internal,
        }
    }
}

impl From<StepError> for CommitError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::No(why) => Self::CallOver(Some(why)),
            StepError::Store(error) => Self::Store(error),
        }
    }
}

impl From<sqlx::Error> for CommitError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

fn reasons(rejected: &[(usize, OpError)]) -> String {
    let mut texts: Vec<String> = rejected.iter().map(|(_, why)| why.to_string()).collect();
    texts.dedup();
    texts.join("; ")
}

fn read_only(document: Option<BodyId>, damage: &LogDamage) -> String {
    let what = document.map_or_else(
        || "the site".to_owned(),
        |document| format!("the document {document}"),
    );
    let LogDamage { seq, reason } = damage;
    format!(
        "{what} is read-only, because entry {seq} of its log cannot be read ({reason}); `sitewright doctor` shows how to recover it"
    )
}
