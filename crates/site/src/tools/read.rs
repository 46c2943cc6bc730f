//! Reading a document, part by part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::definition::view;

use crate::reading::PageInfo;
use crate::{Need, ReadingPart};

use super::documents::DocumentRef;
use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![view("read_document", "Read a document", "Reads a page, template or component as HTML with uid=\"<node id>\" on every element, and the CSS that matters to it. \
                      Long documents come in parts: call again with part = pageInfo.nextPart until that is null. Without a document, \
                      the one the editor shows is read.")
    .words("Reading the page", "Read the page").heavy().reads("/document/id").with(read)]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadDocument {
    /// The document, as list_documents names it.
    document: Option<DocumentRef>,
    /// Which part, from 1.
    part: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentPart {
    document: DocumentRef,
    title: String,
    html: String,
    css: String,
    page_info: PageInfo,
}

fn read(input: ReadDocument, work: &mut Work<'_>) -> Result<DocumentPart, Stop> {
    let id = input
        .document
        .map(|document| document.id)
        .or(work.view.current);
    let Some(document) = id.and_then(|id| work.document_ref(id)) else {
        return Err(Stop::not_found(
            "There is no such document, or none is open; list_documents names those there are.",
        ));
    };
    let parts = work
        .site
        .reading(document.id)
        .ok_or_else(|| Stop::Needs(vec![Need::Body(document.id)]))?;
    let part = input.part.unwrap_or(1);
    let total = parts.len();
    let Some(ReadingPart {
        html,
        css,
        page_info,
    }) = part.checked_sub(1).and_then(|at| parts.into_iter().nth(at))
    else {
        return Err(Stop::invalid(format!(
            "part must be 1 to {total}, and was {part}."
        )));
    };
    let shell = &work.site.shell;
    let page = shell.pages.get(document.id).map(|page| page.title.clone());
    let title = page
        .or_else(|| {
            shell
                .components
                .get(document.id)
                .map(|component| component.name.clone())
        })
        .unwrap_or_default();
    Ok(DocumentPart {
        document,
        title,
        html,
        css,
        page_info,
    })
}
