//! The node model, and conversion between it and HTML and CSS.
//!
//! Pure, for native and wasm32: no I/O, clock or randomness. The crate knows nothing about sites: no documents, ops or
//! tools. Callers pass limits that bound the work and memory their input can cost.

mod id;
mod node;
mod reference;

pub mod css;
pub mod html;
mod markdown;

pub use id::{BadId, BodyId, FieldId, ItemId, NodeId, RecordId};
pub use markdown::markdown_to_html;
pub use node::{
    Attr, ComponentUse, Direction, Element, Forest, ForestNode, Kind, Lock, Loop, Name, Namespace,
    Node, SectionStatus,
};
pub use reference::Reference;
