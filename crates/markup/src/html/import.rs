//! Import: text in, forest out.

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use sitewright_tool::Sanitised;

use super::arena::{Arena, DOCUMENT, Data, Id};
use super::document::{
    Doctype, HtmlDocument, HtmlPlace, HtmlStray, Quirks, write_document, write_forest,
};
use super::feed::parse;
use super::limits::{HtmlError, HtmlLimits};
use super::plant::{HtmlStyle, Planter};
use super::removals::Removals;
use crate::{Element, Forest, Kind, Name, Namespace, Node};

/// How often a tree that is not parsed again from its own text is replaced by what is.
const ROUNDS_MAX: usize = 8;

/// What the text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HtmlMode {
    /// A whole page.
    Document,
    /// Nodes that go into this element. It decides what is legal: a `<td>` means something in a `<tr>` only.
    Fragment(Element),
}

impl HtmlMode {
    /// Nodes that go into the body, or into any element that takes the same.
    pub fn body() -> Self {
        Self::Fragment(Element {
            tag: Name::from("body"),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        })
    }
}

/// What HTML came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedHtml {
    /// The children of the body, or the nodes of a fragment.
    pub content: Forest,
    /// What a whole page has around them.
    pub document: Option<HtmlDocument>,
    /// The CSS of all `<style>` elements, in order.
    pub styles: Vec<HtmlStyle>,
    /// What was taken out because it is not safe, counted by what and where.
    pub removed: Vec<Sanitised>,
    /// What else the author should know, in sentences.
    pub notes: Vec<String>,
}

/// Parses HTML as a browser without scripts does, takes out what is not safe and harvests CSS.
///
/// Writing the result and importing that again gives the same nodes and takes nothing out. A tree that HTML cannot spell,
/// such as a form in a form, is replaced by the one that its text is parsed as; then there is a note.
pub fn import_html(
    html: &str,
    mode: &HtmlMode,
    limits: &HtmlLimits,
) -> Result<ImportedHtml, HtmlError> {
    let mut draft = Draft::of(html, mode, limits)?;
    let mut rounds = 0;
    while draft.is_doubtful {
        let written = draft.write(mode);
        let limits = limits.for_reading_back();
        let again = Draft::of(&written, mode, &limits)?;
        if again.content == draft.content && again.document == draft.document {
            break;
        }
        rounds += 1;
        if rounds > ROUNDS_MAX {
            return Err(HtmlError::Unspeakable);
        }
        draft.adopt(again);
    }
    if rounds > 0 {
        draft.notes.push(
            "elements were nested in a way that HTML cannot spell; they are now as a browser reads them"
                .to_owned(),
        );
    }
    Ok(ImportedHtml {
        content: draft.content,
        document: draft.document,
        styles: draft.styles,
        removed: draft.removals.into_list(),
        notes: draft.notes,
    })
}

/// One parse.
struct Draft {
    content: Forest,
    document: Option<HtmlDocument>,
    styles: Vec<HtmlStyle>,
    removals: Removals,
    notes: Vec<String>,
    is_doubtful: bool,
}

impl Draft {
    fn of(html: &str, mode: &HtmlMode, limits: &HtmlLimits) -> Result<Self, HtmlError> {
        let arena = parse(html, mode, limits)?;
        let mut planter = Planter::new(&arena, mode, limits);
        let (document, content) = match mode {
            HtmlMode::Document => {
                let (document, content) = document(&arena, &mut planter)?;
                (Some(document), content)
            }
            HtmlMode::Fragment(_) => {
                let root = arena.children(DOCUMENT).last().unwrap_or(DOCUMENT);
                (None, planter.forest(root)?)
            }
        };
        let Planter {
            styles,
            removals,
            notes,
            is_doubtful,
            ..
        } = planter;
        Ok(Self {
            content,
            document,
            styles,
            removals,
            notes,
            is_doubtful,
        })
    }

    fn write(&self, mode: &HtmlMode) -> String {
        let mut out = String::new();
        match (&self.document, mode) {
            (Some(document), _) => write_document(&mut out, document, &self.content),
            (None, HtmlMode::Fragment(context)) => {
                write_forest(&mut out, &self.content, Some(context));
            }
            (None, HtmlMode::Document) => write_forest(&mut out, &self.content, None),
        }
        out
    }

    /// Takes the tree of another parse of the same text, and what that had to take out.
    fn adopt(&mut self, again: Self) {
        self.content = again.content;
        self.document = again.document;
        self.styles.extend(again.styles);
        self.removals.append(again.removals);
        self.is_doubtful = again.is_doubtful;
    }
}

fn document(arena: &Arena, planter: &mut Planter) -> Result<(HtmlDocument, Forest), HtmlError> {
    let mut parts = HtmlDocument {
        doctype: None,
        quirks: match arena.quirks {
            QuirksMode::Quirks => Quirks::Full,
            QuirksMode::LimitedQuirks => Quirks::Limited,
            QuirksMode::NoQuirks => Quirks::None,
        },
        html: blank("html"),
        head: blank("head"),
        head_nodes: Forest::default(),
        body: blank("body"),
        strays: Vec::new(),
    };
    let mut content = Forest::default();
    let has_doctype = arena
        .children(DOCUMENT)
        .any(|child| matches!(arena.data(child), Data::Doctype { .. }));
    let mut place = if has_doctype {
        HtmlPlace::BeforeDoctype
    } else {
        HtmlPlace::BeforeHtml
    };
    for child in arena.children(DOCUMENT) {
        match arena.data(child) {
            Data::Doctype {
                name,
                public_id,
                system_id,
            } => {
                let text = StrTendril::to_string;
                parts.doctype = Some(Doctype {
                    name: text(name),
                    public_id: text(public_id),
                    system_id: text(system_id),
                });
                place = HtmlPlace::BeforeHtml;
            }
            Data::Element { .. } => {
                content = html(arena, planter, child, &mut parts)?;
                place = HtmlPlace::AfterHtml;
            }
            Data::Text(_) | Data::Comment(_) | Data::Document => {
                parts.strays.extend(stray(arena, child, place));
            }
        }
    }
    Ok((parts, content))
}

/// Fills the parts with what is in `<html>`, and answers the children of the body.
fn html(
    arena: &Arena,
    planter: &mut Planter,
    id: Id,
    parts: &mut HtmlDocument,
) -> Result<Forest, HtmlError> {
    if let Some(node) = planter.bare(id) {
        parts.html = node;
    }
    let mut content = Forest::default();
    let mut place = HtmlPlace::BeforeHead;
    for child in arena.children(id) {
        match arena.name(child).map(|name| &*name.local) {
            Some("head") => {
                parts.head = planter.bare(child).unwrap_or_else(|| blank("head"));
                parts.head_nodes = planter.forest(child)?;
                place = HtmlPlace::AfterHead;
            }
            Some("body") => {
                parts.body = planter.bare(child).unwrap_or_else(|| blank("body"));
                content = planter.forest(child)?;
                place = HtmlPlace::AfterBody;
            }
            Some(_) => return Err(HtmlError::Frameset),
            None => parts.strays.extend(stray(arena, child, place)),
        }
    }
    Ok(content)
}

fn stray(arena: &Arena, id: Id, place: HtmlPlace) -> Option<HtmlStray> {
    let kind = match arena.data(id) {
        Data::Text(text) => Kind::Text(text.to_string()),
        Data::Comment(text) => Kind::Comment(text.to_string()),
        Data::Document | Data::Doctype { .. } | Data::Element { .. } => return None,
    };
    Some(HtmlStray {
        place,
        node: Node::new(kind),
    })
}

fn blank(tag: &str) -> Node {
    Node::new(Kind::Element(Element {
        tag: Name::from(tag),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    }))
}
