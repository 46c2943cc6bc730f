//! Content: the tools for pages, their sections, entries of collections, posts and menus.
//!
//! They are pure tools like those of the site: they plan ops, which the host commits, so undo, previews and history cover content
//! too. Entries are in rows, so the tools ask their host for them. Tools speak the names of fields; entries are stored by the ids of
//! fields, and this crate translates between the two.

mod collection;
mod confirm;
mod date;
mod entries;
mod entry;
mod fields;
mod guidance;
mod listing;
mod navigation;
mod old_calls;
mod pages;
mod posts;
mod sections;
mod translations;

pub use guidance::guidance_of;
pub use old_calls::old_calls;

use sitewright_site::SiteTool;
use sitewright_tool::definition::{edit, query};
use sitewright_tool::{Capability, DefinitionBuilder, Scope};

/// The tools of the content scope.
pub fn content_tools() -> Vec<SiteTool> {
    let groups = [
        pages::tools(),
        sections::tools(),
        posts::tools(),
        navigation::tools(),
        entries::tools(),
    ];
    groups.into_iter().flatten().map(guidance::guided).collect()
}

/// A tool that reads content.
fn read(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    query(name, title, description)
        .scopes(&[Scope::Content])
        .needs(Capability::ContentRead)
}

/// A tool that changes content. It runs on the server: a tab has no entries.
fn change(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    edit(name, title, description)
        .on_server()
        .scopes(&[Scope::Content])
        .needs(Capability::ContentWrite)
        .confirmed_by(Capability::ContentWrite)
}

/// A tool that deletes content: it shows what it would delete until that is confirmed.
fn delete(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    change(name, title, description).confirmation("preview")
}
