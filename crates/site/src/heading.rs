//! The main heading of a page, of which it has only one.

use crate::{BodyId, ComponentUse, Kind, Namespace, NodeId, Site, Tree};

impl Site {
    /// The node of an open document with its main heading: its first `h1`, or else the first section made from a template that has
    /// one. Hidden nodes and components that are not open count as having none.
    pub fn main_heading(&self, body: BodyId) -> Option<NodeId> {
        let tree = self.bodies.get(&body)?;
        let mut nodes = tree.walk(tree.root());
        let own = nodes.find(|id| is_main_heading(tree, *id));
        own.or_else(|| {
            let mut nodes = tree.walk(tree.root());
            nodes.find(|id| self.is_section_with_main_heading(tree, *id))
        })
    }

    fn is_section_with_main_heading(&self, tree: &Tree, id: NodeId) -> bool {
        let shown = tree.node(id);
        let shown = shown.filter(|node| !node.hidden && node.status.is_published());
        let used = shown.and_then(|node| match &node.kind {
            Kind::Component(used) => self.section_template(used),
            _ => None,
        });
        let inner = used.and_then(|id| self.bodies.get(&id));
        inner.is_some_and(|inner| {
            inner
                .walk(inner.root())
                .any(|id| is_main_heading(inner, id))
        })
    }

    /// The component of a use that is a section made from a template.
    pub(crate) fn section_template(&self, used: &ComponentUse) -> Option<BodyId> {
        let id = used.id.parse().ok()?;
        let component = self.shell.components.get(id)?;
        component.template_key.is_some().then_some(id)
    }
}

fn is_main_heading(tree: &Tree, id: NodeId) -> bool {
    tree.node(id).is_some_and(|node| {
        let is_h1 = matches!(&node.kind, Kind::Element(element)
            if element.namespace == Namespace::Html && element.tag.as_str() == "h1");
        is_h1 && !node.hidden
    })
}
