//! Ops: the smallest steps in which a site changes. They refer to things by id and never by position, so that concurrent ops of
//! two people keep their meaning in whatever order the server puts them.

use schemars::JsonSchema;
use serde_json::Value;
use sitewright_tool::tagged;

use crate::{
    BodyId, Component, Item, ItemId, List, NodeId, Page, Piece, Place, Record, RecordId, Subtree,
};

tagged! {
    /// A thing that ops name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
    tag "type" (rename_all = "camelCase", deny_unknown_fields)
    pub enum Entity {
        /// The settings of the site.
        Site,
        /// A node of a document.
        Node {
            /// The document.
            body: BodyId,
            /// The node.
            node: NodeId,
        },
        /// A page or template.
        Page {
            /// The page.
            id: BodyId,
        },
        /// A component.
        Component {
            /// The component.
            id: BodyId,
        },
        /// A thing of one of the shell's lists.
        Item {
            /// The list.
            list: List,
            /// The thing.
            id: ItemId,
        },
        /// A rule of a stylesheet.
        Piece {
            /// The stylesheet.
            sheet: ItemId,
            /// The rule.
            id: ItemId,
        },
        /// An entry of a collection.
        Record {
            /// The entry.
            id: RecordId,
        },
    }
}

tagged! {
    /// One step.
    #[derive(Debug, Clone, PartialEq, JsonSchema)]
    tag "op" (rename_all = "camelCase", deny_unknown_fields)
    pub enum Op {
        /// Gives a field another value.
        Put {
            /// Whose field.
            entity: Entity,
            /// The field; a dot leads into it, such as `attrs.href`.
            field: String,
            /// The value; null takes an optional one away.
            value: Value,
        },
        /// Puts a node elsewhere in its document.
        Place {
            /// The document.
            body: BodyId,
            /// The node.
            node: NodeId,
            /// Where it is to stand.
            place: Place,
        },
        /// Puts something elsewhere in its list.
        Order {
            /// What.
            entity: Entity,
            /// What it is to stand behind; absent for the first place.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            after: Option<Entity>,
        },
        /// Brings something new.
        Insert {
            /// What, and where.
            new: Box<NewEntity>,
        },
        /// Takes something away, with everything in it.
        Remove {
            /// What.
            entity: Entity,
        },
    }
}

tagged! {
    /// Something new and its place.
    #[derive(Debug, Clone, PartialEq, JsonSchema)]
    tag "type" (rename_all = "camelCase", deny_unknown_fields)
    pub enum NewEntity {
        /// Nodes in a document.
        Nodes {
            /// The document.
            body: BodyId,
            /// The nodes.
            nodes: Subtree,
            /// Where they are to stand.
            place: Place,
        },
        /// A page with its tree.
        Page {
            /// Its id.
            id: BodyId,
            /// What the shell knows of it.
            page: Box<Page>,
            /// Its tree.
            tree: Subtree,
            /// The page it stands behind; absent for the first place.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            after: Option<BodyId>,
        },
        /// A component with its tree.
        Component {
            /// Its id.
            id: BodyId,
            /// What the shell knows of it.
            component: Box<Component>,
            /// Its tree.
            tree: Subtree,
            /// The component it stands behind; absent for the first place.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            after: Option<BodyId>,
        },
        /// A thing of one of the shell's lists.
        Item {
            /// Its id.
            id: ItemId,
            /// The thing.
            item: Box<Item>,
            /// What stands in it, for a stylesheet.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pieces: Vec<(ItemId, Piece)>,
            /// What it stands behind in its list; absent for the first place.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            after: Option<ItemId>,
        },
        /// A rule of a stylesheet.
        Piece {
            /// The stylesheet.
            sheet: ItemId,
            /// Its id.
            id: ItemId,
            /// The rule.
            piece: Box<Piece>,
            /// The rule it stands behind; absent for the first place.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            after: Option<ItemId>,
        },
        /// An entry of a collection.
        Record {
            /// Its id.
            id: RecordId,
            /// The entry.
            record: Box<Record>,
        },
    }
}

impl NewEntity {
    /// The entity that is inserted; `None` for a list of nodes that is empty.
    pub fn entity(&self) -> Option<Entity> {
        match self {
            Self::Nodes { body, nodes, .. } => nodes.nodes().first().map(|grown| Entity::Node {
                body: *body,
                node: grown.id,
            }),
            Self::Page { id, .. } => Some(Entity::Page { id: *id }),
            Self::Component { id, .. } => Some(Entity::Component { id: *id }),
            Self::Item { id, item, .. } => Some(Entity::Item {
                list: item.list(),
                id: *id,
            }),
            Self::Piece { sheet, id, .. } => Some(Entity::Piece {
                sheet: *sheet,
                id: *id,
            }),
            Self::Record { id, .. } => Some(Entity::Record { id: *id }),
        }
    }
}

/// The part of a site that an op changes.
///
/// The shell, every document and every entry are stored, loaded and replayed separately, so a log entry must be split the same way
/// everywhere: when it is written, when a part is loaded from its snapshot, and when a replica follows the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpScope {
    /// What every document shares.
    Shell,
    /// The nodes of one document.
    Body(BodyId),
    /// A document as a whole, which is created or deleted: its entry in the shell and its nodes.
    Document(BodyId),
    /// One entry of a collection, which the shell does not list.
    Record(RecordId),
}

impl OpScope {
    /// Whether the op changes the shell.
    pub fn includes_shell(self) -> bool {
        matches!(self, Self::Shell | Self::Document(_))
    }

    /// The document whose nodes the op changes.
    pub fn body(self) -> Option<BodyId> {
        match self {
            Self::Shell | Self::Record(_) => None,
            Self::Body(body) | Self::Document(body) => Some(body),
        }
    }

    /// The entry of a collection that the op changes.
    pub fn record(self) -> Option<RecordId> {
        match self {
            Self::Record(id) => Some(id),
            Self::Shell | Self::Body(_) | Self::Document(_) => None,
        }
    }
}

impl Op {
    /// The part of the site that the op changes.
    pub fn scope(&self) -> OpScope {
        let entity = match self {
            Self::Place { body, .. } => return OpScope::Body(*body),
            Self::Insert { new } => match &**new {
                NewEntity::Nodes { body, .. } => return OpScope::Body(*body),
                NewEntity::Page { id, .. } | NewEntity::Component { id, .. } => {
                    return OpScope::Document(*id);
                }
                NewEntity::Item { .. } | NewEntity::Piece { .. } => return OpScope::Shell,
                NewEntity::Record { id, .. } => return OpScope::Record(*id),
            },
            Self::Put { entity, .. } | Self::Order { entity, .. } | Self::Remove { entity } => {
                entity
            }
        };
        match entity {
            Entity::Node { body, .. } => OpScope::Body(*body),
            Entity::Record { id } => OpScope::Record(*id),
            Entity::Page { id } | Entity::Component { id }
                if matches!(self, Self::Remove { .. }) =>
            {
                OpScope::Document(*id)
            }
            Entity::Site
            | Entity::Page { .. }
            | Entity::Component { .. }
            | Entity::Item { .. }
            | Entity::Piece { .. } => OpScope::Shell,
        }
    }
}
