//! A whole HTML document as a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_markup::html::{HtmlError, HtmlMode, import_html};
use sitewright_tool::definition::edit;
use sitewright_tool::{ErrorCode, ToolError};

use crate::page_files::{AbsentFiles, PageFiles};
use crate::{BodyId, NodeId, PageFile, PageName, import_page, templates_for};

use super::html::{LIMITS, escape_braces};
use super::pages::{check_slug, found, record_page, title};
use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

/// More files than this come with no page that a person made.
const FILES_MAX: usize = 500;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("import_page", "Import a page", "Makes a page of a whole HTML document from elsewhere and shows it: its content, its head, its doctype and the \
               attributes of <html> and <body>. Its CSS applies to that page only. Braces in it are ordinary text. Scripts and event handlers \
               are taken out and reported. Bring the files it refers to in `files`; the answer names those that are missing.")
        .words("Importing a page", "Imported a page").with(import),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ImportPage {
    /// The document.
    html: String,
    /// Its title; the document's own when left out.
    title: Option<String>,
    /// Its part of the address; made from the file name or the title when left out.
    slug: Option<String>,
    /// The name of the file it was in, such as `about.html`.
    file_name: Option<String>,
    /// Its stylesheets as text, and its pictures as addresses on this site.
    #[serde(default)]
    files: Vec<PageFile>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportedPage {
    /// The page.
    page_id: BodyId,
    /// Its root, for inserting.
    root_node_id: NodeId,
    title: String,
    /// Its address.
    path: String,
    /// Files beside the document that it refers to and that did not come with it, by path.
    missing_files: Vec<String>,
    /// Stylesheets of other sites, which visitors load from there. The editor does not show them.
    external_stylesheets: Vec<String>,
}

fn import(input: ImportPage, work: &mut Work<'_>) -> Result<ImportedPage, Stop> {
    if input.html.trim().is_empty() {
        return Err(Stop::invalid_at(
            "html",
            "There is nothing in the document.",
        ));
    }
    if input.files.len() > FILES_MAX {
        let message =
            format!("files may have {FILES_MAX} items; leave out what the page does not need.");
        return Err(Stop::invalid_at("files", message));
    }
    let title = input.title.as_deref().map(title).transpose()?;
    let slug = input
        .slug
        .as_deref()
        .map(|slug| slug.trim().trim_matches('/'));
    if let Some(slug) = slug {
        check_slug(slug, None)?;
    }
    let mut imported = import_html(&input.html, &HtmlMode::Document, &LIMITS).map_err(|error| {
        let code = match error {
            HtmlError::Frameset | HtmlError::Unspeakable => ErrorCode::InvalidInput,
            _ => ErrorCode::TooLarge,
        };
        ToolError::new(code, format!("{error}."))
    })?;
    // Bindings are filled in the body; the head is written as it is.
    let content = imported.content.0.iter_mut();
    content.for_each(|planted| escape_braces(&mut planted.node));
    if let Some(document) = &mut imported.document {
        escape_braces(&mut document.body);
    }
    let mut files = PageFiles::new(&input.files);
    files.place(&mut imported);
    work.receipt.sanitised.append(&mut imported.removed);
    work.receipt.notes.append(&mut imported.notes);
    let name = PageName {
        title: title.as_deref(),
        slug,
        file: input.file_name.as_deref(),
    };
    let mut css = |href: &str| files.css(href);
    let page = import_page(work.site, imported, name, &mut css, &mut work.mint)
        .map_err(|error| ToolError::new(ErrorCode::TooLarge, format!("{error}.")))?;
    for op in page.ops {
        work.step(op)?;
    }
    record_page(work, page.id, &page.slug);
    note_template(work, page.id)?;
    let AbsentFiles {
        missing,
        external_stylesheets,
    } = files.absent();
    Ok(ImportedPage {
        page_id: page.id,
        root_node_id: work.tree(page.id)?.root(),
        title: found(work, page.id)?.title,
        path: work.site.permalink(page.id),
        missing_files: missing,
        external_stylesheets,
    })
}

/// Says that the page does not look as it did elsewhere, where that is so.
fn note_template(work: &mut Work<'_>, id: BodyId) -> Result<(), Stop> {
    let page = found(work, id)?;
    let template = templates_for(work.site, id, &page, work.facts);
    let template = template
        .first()
        .and_then(|id| work.site.shell.pages.get(*id));
    let note = match template {
        Some(template) => format!(
            "The template `{}` is around the page, and the site's styles apply to it too.",
            template.title
        ),
        None if work.site.site_sheet().is_some() => {
            "The site's styles apply to the page too.".to_owned()
        }
        None => return Ok(()),
    };
    work.receipt.notes.push(note);
    Ok(())
}
