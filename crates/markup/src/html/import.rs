//! Import: from HTML text to a forest.

use html5ever::interface::QuirksMode;
use html5ever::tendril::StrTendril;
use sitewright_tool::Sanitised;

use super::arena::{Arena, DOCUMENT, Data, Id};
use super::document::{
    Doctype, HtmlDocument, HtmlPlace, HtmlStray, Quirks, write_document, write_forest,
};
use super::feed::{Scripting, parse};
use super::limits::{HtmlError, HtmlLimits};
use super::plant::{HtmlStyle, Planter};
use super::removals::Removals;
use super::write::comment_text;
use crate::{Element, Forest, Kind, Name, Namespace, Node};

/// How often a tree is replaced by the parse of its own serialisation before import gives up.
const ROUNDS_MAX: usize = 8;

/// What the text represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HtmlMode {
    /// A whole page.
    Document,
    /// Nodes that are inserted into this element. It decides what is valid: a `<td>` is only meaningful in a `<tr>`.
    Fragment(Element),
}

impl HtmlMode {
    /// The mode for nodes that go into the body, or into any element with the same content model.
    pub fn body() -> Self {
        Self::Fragment(Element {
            tag: Name::from("body"),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        })
    }
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedHtml {
    /// The children of the body, or the nodes of a fragment.
    pub content: Forest,
    /// The rest of the page; only in document mode.
    pub document: Option<HtmlDocument>,
    /// The CSS of all `<style>` elements, in order.
    pub styles: Vec<HtmlStyle>,
    /// What was removed because it is unsafe, counted by kind and place.
    pub removed: Vec<Sanitised>,
    /// Other remarks for the author, as sentences.
    pub notes: Vec<String>,
}

/// Parses HTML as a browser without scripts does, removes what is unsafe and extracts the CSS.
///
/// The result is stable: writing it and importing that text again gives the same nodes and removes nothing. The parser
/// can build trees that no text parses to, such as a form in a form after an error. When a tree is suspect, it is
/// written and parsed again, and the second parse replaces the first until both agree; a note tells the author. Import
/// fails with `Unspeakable` when this does not settle within a few rounds. Only suspect trees pay for the second parse.
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

/// The result of one parse.
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
        let arena = parse(html, mode, limits, Scripting::Off)?;
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

    /// Replaces the tree by that of `again`, a parse of this draft's own text, and adds its styles and removals to
    /// those found so far.
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

/// Fills `parts` from the children of `<html>`, and returns the children of the body.
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
        Data::Comment(text) => Kind::Comment(comment_text(text).into_owned()),
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
