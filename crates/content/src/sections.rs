//! The tools for sections: what a page consists of, from top to bottom. A section is the use of a component with a template key, or
//! anything else at the top level of a page.

mod delete;
mod edit;
mod find;
pub(crate) mod shown;
mod template;
mod value;

use sitewright_site::{PureBody as _, SiteTool};
use sitewright_tool::Scope;
use sitewright_tool::definition::query;

use crate::pages::change;

pub(crate) fn tools() -> Vec<SiteTool> {
    vec![
        query("getSectionTemplate", "Get section templates", "Get section template(s). By id, key, or all. Shows fields and structure. Returns items.")
            .scopes(&[Scope::Content])
            .words("Looking at section templates", "Looked at section templates")
            .tags(&["section", "template", "block", "layout", "fields"])
            .with(template::get),
        query("getSection", "Get sections", "Get section(s) on page. By pageSectionId, pageId, or query. includeContent for the fields. Returns items.")
            .scopes(&[Scope::Content])
            .words("Looking at sections", "Looked at sections")
            .tags(&["section", "block", "page", "list", "search"])
            .with(find::get),
        change("createSection", "Add a section", "Add section to page. sortOrder places it; last by default. Returns pageSectionId for updates.")
            .words("Adding a section", "Added a section")
            .tags(&["section", "block", "page", "add"])
            .with(edit::create),
        change("updateSection", "Update a section", "Update section content or attach image. By pageSectionId. Merges with existing. Returns the section.")
            .words("Updating a section", "Updated a section")
            .tags(&["section", "block", "image", "edit", "move", "hide", "publish"])
            .with(edit::update),
        change("deleteSection", "Delete sections", "Delete section(s). Array param. Requires confirmed. Returns what was deleted.")
            .confirmation("preview")
            .words("Deleting sections", "Deleted sections")
            .tags(&["section", "block", "remove"])
            .with(delete::delete),
    ]
}
