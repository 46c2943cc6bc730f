//! Documents: listing them, and opening one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::definition::{query, view};

use crate::{BodyId, NodeId, Site, Template, TemplateTarget};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

/// A page, a template or a component, as tools name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentRef {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: DocumentType,
    /// Its id.
    pub id: BodyId,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DocumentType {
    /// A page.
    Page,
    /// A page that wraps others.
    Template,
    /// A component.
    VisualComponent,
}

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        query("list_documents", "List documents", "Lists every page, template and component that can be edited, with the reference that read_document and \
                          open_document take.")
        .words("Looking through the pages", "Looked through the pages").with(list),
        view("open_document", "Open a document", "Shows a page, template or component in the editor. Take the reference from list_documents.")
        .words("Opening a page", "Opened a page").with(open),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListDocuments {}

#[derive(Serialize, JsonSchema)]
struct Documents {
    documents: Vec<DocumentList>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentList {
    document: DocumentRef,
    title: String,
    /// The root to insert under; absent while the document is not loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    root_node_id: Option<NodeId>,
    /// Whether it is the page the editor last showed.
    active: bool,
    /// Whether it is the document the editor shows.
    current: bool,
    /// What it is, in a few words.
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<Template>,
}

fn list(_: ListDocuments, work: &mut Work<'_>) -> Result<Documents, Stop> {
    let site = &*work.site;
    let current = work.view.current;
    let root = |id: BodyId| site.bodies.get(&id).map(crate::Tree::root);
    let pages = site.shell.pages.iter().map(|(id, page)| DocumentList {
        document: site.page_ref(id, page),
        title: page.title.clone(),
        root_node_id: root(id),
        active: current == Some(id),
        current: current == Some(id),
        summary: page
            .template
            .as_ref()
            .map_or_else(|| page_summary(site, id), template_summary),
        template: page.template.clone(),
    });
    let components = site
        .shell
        .components
        .iter()
        .map(|(id, component)| DocumentList {
            document: DocumentRef {
                kind: DocumentType::VisualComponent,
                id,
            },
            title: component.name.clone(),
            root_node_id: root(id),
            active: false,
            current: current == Some(id),
            summary: format!("Component with {} params", component.params.len()),
            template: None,
        });
    Ok(Documents {
        documents: pages.chain(components).collect(),
    })
}

fn page_summary(site: &Site, id: BodyId) -> String {
    match site.permalink(id).as_str() {
        "/" => "Home page".to_owned(),
        address => format!("Page at {address}"),
    }
}

fn template_summary(template: &Template) -> String {
    match &template.target {
        TemplateTarget::Everywhere => "Template around all pages".to_owned(),
        TemplateTarget::PostTypes { table_slugs } => {
            format!("Template around entries of {}", table_slugs.join(", "))
        }
        TemplateTarget::NotFound => "Template for addresses that are none".to_owned(),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenDocument {
    /// The document, as list_documents names it.
    document: DocumentRef,
}

#[derive(Serialize, JsonSchema)]
struct OpenedDocument {
    document: DocumentRef,
}

fn open(input: OpenDocument, work: &mut Work<'_>) -> Result<OpenedDocument, Stop> {
    let Some(found) = work.document_ref(input.document.id) else {
        return Err(Stop::not_found(
            "There is no such document; list_documents names those there are.",
        ));
    };
    work.open = Some(found);
    Ok(OpenedDocument { document: found })
}

impl Work<'_> {
    /// A reference to an existing document, with its actual type.
    pub(super) fn document_ref(&self, id: BodyId) -> Option<DocumentRef> {
        let shell = &self.site.shell;
        if let Some(page) = shell.pages.get(id) {
            return Some(self.site.page_ref(id, page));
        }
        shell.components.get(id).map(|_| DocumentRef {
            kind: DocumentType::VisualComponent,
            id,
        })
    }
}

impl Site {
    pub(super) fn page_ref(&self, id: BodyId, page: &crate::Page) -> DocumentRef {
        let kind = if page.template.is_some() {
            DocumentType::Template
        } else {
            DocumentType::Page
        };
        DocumentRef { kind, id }
    }
}
