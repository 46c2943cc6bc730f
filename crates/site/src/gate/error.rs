//! Why the gate refuses a change.

use std::fmt;

use sitewright_tool::{Capability, ErrorCode};

use super::ID_MAX;
use crate::{BodyId, ContentProblem, Entity, SlugProblem};

/// Why the gate refuses a change. No part of the change is applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// It was made by an older or newer version of the shell.
    #[error("the change was made with another version; reload the page")]
    ReloadRequired,
    /// The change, or the site after it, exceeds a limit.
    #[error("{}", too_large(*.what, *.found, *.max))]
    TooLarge {
        /// The limit that is exceeded.
        what: Measure,
        /// The actual size.
        found: usize,
        /// The maximum size.
        max: usize,
    },
    /// The id of the change is empty, too long, or contains spaces or characters outside ASCII.
    #[error("`id` must be 1 to {ID_MAX} letters, digits and signs without spaces")]
    ChangeId,
    /// The id of the turn is too long.
    #[error("`turn` may have {ID_MAX} characters")]
    TurnId,
    /// It has no ops.
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
    /// An agent needs a person's approval to touch this.
    #[error("a person must agree before an agent changes {}", named(.entity))]
    ApprovalRequired {
        /// What needs approval.
        entity: Entity,
    },
    /// It removes the last page.
    #[error("this takes away the last page, and a site needs one")]
    LastPage,
    /// A page would have an invalid slug.
    #[error(transparent)]
    Slug(#[from] SlugProblem),
    /// An agent would define a collection or a menu.
    #[error(
        "collections and menus are set up by people; agents work with the entries and items in them"
    )]
    SetUp,
    /// An entry, a collection or a menu would not be as it must be.
    #[error(transparent)]
    Content(#[from] ContentProblem),
}

/// What a size limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Steps,
    /// The size of a change as JSON.
    Bytes,
    /// The length of a change's summary, in characters.
    Summary,
    /// The number of nodes in a document.
    Nodes,
}

/// How an entity is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockReason {
    /// Nothing may change.
    Locked,
    /// Only its text may change.
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
    /// The error code that every interface of the product reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::ReloadRequired => ErrorCode::ReloadRequired,
            Self::TooLarge { .. } => ErrorCode::TooLarge,
            Self::ChangeId
            | Self::TurnId
            | Self::Empty
            | Self::Protected { .. }
            | Self::LastPage
            | Self::Slug(_)
            | Self::Content(_) => ErrorCode::InvalidInput,
            Self::Missing { .. } | Self::LockChange | Self::Locked { .. } | Self::SetUp => {
                ErrorCode::Forbidden
            }
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
        Entity::Record { id } => format!("the entry {id}"),
    }
}
