//! Nodes, and how HTML and CSS become them and are written again.
//!
//! Pure, native and wasm32: no I/O, clock or randomness. It knows no site: no documents, ops or tools. What a caller's text
//! may cost is bounded by limits that the caller passes.

mod id;
mod node;
mod reference;

pub mod css;
pub mod html;

pub use id::{BadId, BodyId, ItemId, NodeId};
pub use node::{
    Attr, ComponentUse, Direction, Element, Forest, ForestNode, Kind, Lock, Loop, Name, Namespace,
    Node,
};
pub use reference::Reference;
