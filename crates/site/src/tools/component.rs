//! Making a component of HTML, for tools that bring components along.

use sitewright_markup::css::{CssLimits, Origin, parse_css};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};

use crate::{
    BodyId, Component, Element, Forest, ForestNode, Item, ItemId, Kind, Lock, Namespace, NewEntity,
    Node, Op, Piece, Sheet, Subtree, SubtreeNode, Target,
};

use super::work::{Stop, Work};

/// A component as text. The tool that brings it along answers for the text, so nothing is taken out of it.
pub struct ComponentSource<'a> {
    pub id: BodyId,
    pub component: Component,
    /// Its content. The rules of its `<style>` are for documents that use it.
    pub html: &'a str,
}

impl Work<'_> {
    /// Adds a component with a stylesheet of its own.
    pub fn add_component(&mut self, source: ComponentSource<'_>) -> Result<(), Stop> {
        let ComponentSource {
            id,
            component,
            html,
        } = source;
        let imported = import_html(html, &HtmlMode::body(), &HtmlLimits::default())
            .map_err(|error| Stop::invalid(format!("{error}.")))?;
        let css: Vec<String> = imported
            .styles
            .into_iter()
            .map(|style| style.text)
            .collect();
        let tree = self.component_tree(imported.content)?;
        let name = component.name.clone();
        let after = self.site.shell.components.last();
        self.step(Op::Insert {
            new: Box::new(NewEntity::Component {
                id,
                component: Box::new(component),
                tree,
                after,
            }),
        })?;
        self.add_sheet(name, id, &css.join("\n"))
    }

    fn component_tree(&mut self, content: Forest) -> Result<Subtree, Stop> {
        let root = Element {
            tag: "template".into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        };
        let mut nodes = vec![SubtreeNode {
            id: self.mint.mint(),
            parent: None,
            node: Node::new(Kind::Element(root)),
        }];
        let planted = content.0.into_iter();
        nodes.extend(planted.map(|ForestNode { parent, node }| SubtreeNode {
            id: self.mint.mint(),
            // The root comes first in the list, so positions shift by one.
            parent: Some(parent.map_or(0, |parent| parent + 1)),
            node,
        }));
        Subtree::new(nodes).map_err(|error| Stop::invalid(format!("{error}.")))
    }

    fn add_sheet(&mut self, name: String, component: BodyId, css: &str) -> Result<(), Stop> {
        let parsed = parse_css(css, Origin::Author, &CssLimits::default())
            .map_err(|error| Stop::invalid(format!("{error}.")))?;
        let pieces: Vec<(ItemId, Piece)> = parsed
            .pieces
            .into_iter()
            .map(|piece| (self.mint.mint(), piece))
            .collect();
        let sheet = Sheet {
            name,
            target: Target::Documents {
                ids: vec![component],
            },
            lock: Lock::Open,
        };
        let id = self.mint.mint();
        // Before the site's own rules, so that those win.
        self.step(Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item: Box::new(Item::Sheet(sheet)),
                pieces,
                after: None,
            }),
        })
    }

    /// The document that a node is in; `None` when there is no such node.
    pub fn document_of(&self, node: crate::NodeId) -> Result<Option<BodyId>, Stop> {
        match self.locate(node) {
            Ok(found) => Ok(Some(found.body)),
            Err(Stop::Needs(needs)) => Err(Stop::Needs(needs)),
            Err(Stop::Error(_)) => Ok(None),
        }
    }
}

/// Whether something is part of a section template. Undoing the change that brought a template along leaves it: sections that others
/// have made since need it.
pub(crate) fn is_of_template(site: &crate::Site, new: &NewEntity) -> bool {
    let has_key = |id: &BodyId| {
        let component = site.shell.components.get(*id);
        component.is_some_and(|component| component.template_key.is_some())
    };
    match new {
        NewEntity::Component { component, .. } => component.template_key.is_some(),
        NewEntity::Item { item, .. } => match &**item {
            Item::Sheet(Sheet {
                target: Target::Documents { ids },
                ..
            }) => !ids.is_empty() && ids.iter().all(has_key),
            _ => false,
        },
        NewEntity::Nodes { .. }
        | NewEntity::Page { .. }
        | NewEntity::Piece { .. }
        | NewEntity::Record { .. } => false,
    }
}
