//! The site: what it is made of, how it changes, how HTML and CSS come in and go out.
//!
//! Pure, native and wasm32: no I/O, clock or randomness; ids and time are arguments. What must be fetched from outside is
//! asked for by value and handed in by the host.

mod chain;
mod css;
mod html;
mod id;
mod node;
mod tree;

pub use chain::Chain;
pub use id::{BadId, BodyId, ChangeId, ItemId, Mint, NodeId};
pub use node::{
    Attr, ComponentUse, Direction, Element, Forest, Kind, Lock, Loop, Name, Namespace, Node,
    Planted,
};
pub use tree::{DEPTH_MAX, Grown, Misplaced, Place, Subtree, Tree};
