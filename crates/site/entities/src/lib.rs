//! Stands in for `web_atoms`, which html5ever is built on: all of it, but another table of the named characters.
//!
//! The table of `web_atoms` is a hash map of every name and every beginning of one. It takes 220 KB, an eighth of what a browser
//! has to fetch of the core. This one is made of it when it is built, and the build checks that both answer alike.

mod table;

pub use original::*;
pub use table::NamedCharacters;

include!(concat!(env!("OUT_DIR"), "/named_characters.rs"));
