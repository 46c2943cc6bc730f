//! Reasons for rejecting a change.

use sitewright_site::gate::GateError;
use sitewright_site::{BodyId, ChangeId, Entity, EntryProblem, Logged, OpError, RecordId};
use sitewright_tool::ErrorCode;

use crate::documents::LogDamage;
use crate::{NoStep, StepError, StoreError};

/// Why a change was not committed. No part of it was applied.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// It breaks a rule, or its author lacks the permission.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The change to revert is not in the log.
    #[error("there is no such change, or it is too old to be kept")]
    UnknownChange,
    /// Everything that would be reverted has been changed again since.
    #[error("this was changed again afterwards")]
    NothingToRevert,
    /// The changes since then are collapsed, and there is no restore point to go back to.
    #[error("the changes since then are not kept one by one; choose one of the restore points")]
    NoRestorePoint,
    /// Restoring would change nothing.
    #[error("the site is already as it was then")]
    AlreadyRestored,
    /// Someone changed an entity that the change expects to be unchanged.
    #[error("someone else changed this first; read it again and repeat what still applies")]
    Conflict {
        touched: Vec<Entity>,
        /// The changes that last touched those entities, oldest first, at most fifty.
        newer: Vec<Logged>,
    },
    /// A different change has the same id.
    #[error("there is another change with the id `{}`", .0.as_str())]
    IdTaken(ChangeId),
    /// None of its ops can be applied; for the change of a call, at least one cannot.
    #[error("none of this can be applied any more: {}", reasons(.0))]
    Impossible(Vec<(usize, OpError)>),
    /// The call that makes the change is already over, or is not allowed to run.
    #[error("the call that makes this change is over, or may not run")]
    CallOver(Option<NoStep>),
    /// Part of the log cannot be read, so the current state is unknown, and a change on top of it could not be replayed either.
    #[error("{}", read_only(*.document, .damage))]
    ReadOnly {
        /// The damaged document; none if the whole site is affected.
        document: Option<BodyId>,
        damage: LogDamage,
    },
    /// Another entry of the collection has the slug.
    #[error("the entry `{title}` ({holder}) has the slug `{slug}`; choose another one")]
    SlugTaken {
        slug: String,
        holder: RecordId,
        title: String,
    },
    /// A translation does not fit the entry that it translates.
    #[error("the entry `{title}` cannot be that translation: {reason}")]
    BadTranslation { title: String, reason: &'static str },
    /// The collection has entries, which would be left without one.
    #[error("the collection `{label}` has entries; delete them first")]
    CollectionInUse { label: String },
    /// Entries do not fit the fields that their collection would have.
    #[error(
        "these entries do not fit the changed fields: {entries}; the first reason is: {problem}"
    )]
    Misfits {
        /// The entries, by title and id; ten at most.
        entries: String,
        problem: Box<EntryProblem>,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CommitError {
    /// The error code, the same on every interface.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Gate(refusal) => refusal.code(),
            Self::UnknownChange
            | Self::NothingToRevert
            | Self::NoRestorePoint
            | Self::AlreadyRestored
            | Self::CollectionInUse { .. }
            | Self::BadTranslation { .. }
            | Self::Misfits { .. } => ErrorCode::InvalidInput,
            Self::Conflict { .. }
            | Self::IdTaken(_)
            | Self::CallOver(_)
            | Self::SlugTaken { .. } => ErrorCode::Conflict,
            Self::Impossible(_) => ErrorCode::NotFound,
            Self::ReadOnly { .. } => ErrorCode::Forbidden,
            Self::Store(StoreError::NotFound { .. }) => ErrorCode::NotFound,
            Self::Store(StoreError::Database(_)) => ErrorCode::Unavailable,
            Self::Store(StoreError::LimitReached { .. }) => ErrorCode::TooLarge,
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
