//! The surroundings of a node, and what may stand in them.

use sitewright_markup::html::{is_raw_text, is_raw_text_safe, is_void};

use super::language::{is_annotation, reads_html};
use super::{InvariantResult, Violation};
use crate::{Element, Kind, Namespace, NodeId, Tree};

/// The nearest element around a node, which decides how the parser reads the node. Loops and other nodes that write no tag are
/// skipped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    parent: Option<&'a Element>,
}

impl<'a> Context<'a> {
    /// Where the content of a document is: in `body`, or wherever a component or template is used, which is HTML too.
    pub(super) fn html() -> Self {
        Self { parent: None }
    }

    /// The context of the children of a node. The root of a tree is written as `body` or not at all, so it does not count.
    pub(super) fn of(tree: &'a Tree, parent: Option<NodeId>) -> Self {
        let mut above = std::iter::successors(parent, |id| tree.parent(*id));
        let nearest = above.find_map(|id| match &tree.node(id)?.kind {
            Kind::Element(element) => Some((id, element)),
            Kind::Text(_)
            | Kind::Comment(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => None,
        });
        Self {
            parent: nearest
                .filter(|(id, _)| *id != tree.root())
                .map(|(_, element)| element),
        }
    }

    /// The context of the children of a node in this context.
    pub(super) fn within<'b>(&self, kind: &'b Kind) -> Context<'b>
    where
        'a: 'b,
    {
        match kind {
            Kind::Element(element) => Context {
                parent: Some(element),
            },
            Kind::Text(_)
            | Kind::Comment(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => *self,
        }
    }

    pub(super) fn takes(&self, kind: &Kind) -> InvariantResult {
        self.not_in_void()?;
        if let Kind::Text(text) = kind {
            return self.takes_text(text);
        }
        if let Some(parent) = self.parent.filter(|parent| holds_text_alone(parent)) {
            return Err(Violation::InTextOnlyElement {
                parent: tag_of(parent),
            });
        }
        let reads_html = self.parent.is_none_or(reads_html);
        match kind {
            Kind::Element(element) => self.takes_language(element, reads_html),
            // Their content is HTML.
            Kind::Outlet | Kind::Component(_) if !reads_html => {
                Err(Violation::HtmlContentInForeign)
            }
            Kind::Text(_)
            | Kind::Comment(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => Ok(()),
        }
    }

    fn takes_language(&self, element: &Element, reads_html: bool) -> InvariantResult {
        let tag = element.tag.as_str();
        let parent = self
            .parent
            .map_or(Namespace::Html, |parent| parent.namespace);
        let fits = match element.namespace {
            Namespace::Html => reads_html,
            Namespace::Svg => {
                (reads_html && tag == "svg")
                    || (!reads_html && parent == Namespace::Svg)
                    || self
                        .parent
                        .is_some_and(|parent| is_annotation(parent) && tag == "svg")
            }
            Namespace::MathMl => {
                (reads_html
                    && (tag == "math"
                        || matches!(tag, "mglyph" | "malignmark") && parent == Namespace::MathMl))
                    || (!reads_html && parent == Namespace::MathMl)
            }
        };
        if fits {
            return Ok(());
        }
        Err(Violation::OtherLanguage {
            tag: tag.to_owned(),
            parent: self.parent.map_or_else(|| "body".to_owned(), tag_of),
        })
    }

    pub(super) fn takes_text(&self, text: &str) -> InvariantResult {
        self.not_in_void()?;
        match self.parent {
            Some(parent)
                if parent.namespace == Namespace::Html
                    && is_raw_text(parent.tag.as_str())
                    && !is_raw_text_safe(text) =>
            {
                Err(Violation::TagInRawText {
                    parent: tag_of(parent),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn not_in_void(&self) -> InvariantResult {
        match self.parent.filter(|parent| is_void(parent)) {
            Some(parent) => Err(Violation::InVoidElement {
                parent: tag_of(parent),
            }),
            None => Ok(()),
        }
    }
}

fn tag_of(element: &Element) -> String {
    element.tag.as_str().to_owned()
}

/// Whether the parser reads the element's content as text, whatever it contains.
fn holds_text_alone(element: &Element) -> bool {
    let tag = element.tag.as_str();
    element.namespace == Namespace::Html
        && (is_raw_text(tag) || matches!(tag, "title" | "textarea"))
}
