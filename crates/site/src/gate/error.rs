//! Why the gate refuses a change.

use std::fmt;

use sitewright_tool::{Capability, ErrorCode};

use super::ID_MAX;
use crate::{BodyId, Entity, SlugProblem};

/// Why the gate refuses a change. Nothing of it happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// It was made by an older or newer version of the shell.
    #[error("the change was made with another version; reload the page")]
    ReloadRequired,
    /// It has, or makes, more than is allowed.
    #[error("{}", too_large(*.what, *.found, *.max))]
    TooLarge {
        /// What there is too much of.
        what: Measure,
        /// How much there is.
        found: usize,
        /// How much there may be.
        max: usize,
    },
    /// The id of the change is empty, too long, or has spaces or other letters than ASCII has.
    #[error("`id` must be 1 to {ID_MAX} letters, digits and signs without spaces")]
    ChangeId,
    /// The id of the turn is too long.
    #[error("`turn` may have {ID_MAX} characters")]
    TurnId,
    /// It has no steps.
    #[error("`ops` is empty; a change does something")]
    Empty,
    /// Its author lacks a permission.
    #[error("this needs the permission `{capability}`, to {purpose}")]
    Missing {
        /// The permission.
        capability: Capability,
        /// What it is needed for.
        purpose: &'static str,
    },
    /// It removes a page that people have protected.
    #[error("the page `{title}` is protected and cannot be deleted")]
    Protected {
        /// The page.
        page: BodyId,
        /// Its title.
        title: String,
    },
    /// An agent would change a lock.
    #[error("locks are set by people; ask for it to be changed")]
    LockChange,
    /// A person has locked what it touches.
    #[error("{} cannot be changed by an agent: {reason}", named(.entity))]
    Locked {
        /// What is locked.
        entity: Entity,
        /// How it is locked.
        reason: LockReason,
    },
    /// A person must agree before an agent touches this.
    #[error("a person must agree before an agent changes {}", named(.entity))]
    ApprovalRequired {
        /// What is to be asked about.
        entity: Entity,
    },
    /// It removes the last page.
    #[error("this takes away the last page, and a site needs one")]
    LastPage,
    /// A page would have a slug that it cannot have.
    #[error(transparent)]
    Slug(#[from] SlugProblem),
}

/// What a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The steps of a change.
    Steps,
    /// The bytes of a change as JSON.
    Bytes,
    /// The characters of a change's summary.
    Summary,
    /// The nodes of a document.
    Nodes,
}

/// How a thing is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockReason {
    /// Nothing of it may change.
    Locked,
    /// Nothing but its text may change.
    TextOnly,
}

impl fmt::Display for LockReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Locked => "it is locked",
            Self::TextOnly => "only its text may be changed",
        })
    }
}

impl GateError {
    /// The kind of refusal, as every face of the product tells it.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::ReloadRequired => ErrorCode::ReloadRequired,
            Self::TooLarge { .. } => ErrorCode::TooLarge,
            Self::ChangeId
            | Self::TurnId
            | Self::Empty
            | Self::Protected { .. }
            | Self::LastPage
            | Self::Slug(_) => ErrorCode::InvalidInput,
            Self::Missing { .. } | Self::LockChange | Self::Locked { .. } => ErrorCode::Forbidden,
            Self::ApprovalRequired { .. } => ErrorCode::ApprovalRequired,
        }
    }
}

fn too_large(what: Measure, found: usize, max: usize) -> String {
    match what {
        Measure::Steps => {
            format!("the change has {found} steps and may have {max}; send it in parts")
        }
        Measure::Bytes => {
            format!("the change has {found} bytes and may have {max}; send it in parts")
        }
        Measure::Summary => {
            format!("`summary` may have {max} characters; say it shorter")
        }
        Measure::Nodes => format!("a document may have {max} nodes"),
    }
}

fn named(entity: &Entity) -> String {
    match entity {
        Entity::Site => "the site".to_owned(),
        Entity::Node { node, .. } => format!("the node {node}"),
        Entity::Page { id } => format!("the page {id}"),
        Entity::Component { id } => format!("the component {id}"),
        Entity::Item { id, .. } => format!("the item {id}"),
        Entity::Piece { id, .. } => format!("the rule {id}"),
    }
}
