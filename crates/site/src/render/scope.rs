//! The values that bindings can refer to at a position: the entries of the loops around it and the props of its component.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::binding::{Path, Source, follow};
use crate::{BodyId, NodeId, Site};

use super::{Facts, Subject};

/// The values in scope at a node, and where its slots and outlets get their content.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// The entry of the page and the rows of the loops around the node, innermost last.
    entries: Vec<Rc<Value>>,
    /// The props of the component around the node.
    props: Option<Rc<Value>>,
    /// The current item of a loop over a list in the props.
    item: Option<Rc<Value>>,
    /// The use of the component whose slots are filled here.
    pub(super) filling: Option<Rc<Filling>>,
    /// The index of the page's layer that the node belongs to.
    pub(super) layer: usize,
    /// The components around the node, to detect one that contains itself.
    pub(super) components: Vec<BodyId>,
}

/// A use of a component: where its slot content is, and the scope of that content.
#[derive(Debug)]
pub(super) struct Filling {
    pub(super) body: BodyId,
    pub(super) node: NodeId,
    pub(super) scope: Rc<Scope>,
}

impl Scope {
    pub(super) fn of_layer(layer: usize, facts: &Facts) -> Self {
        Self {
            entries: facts.entry.iter().cloned().map(Rc::new).collect(),
            layer,
            ..Self::default()
        }
    }

    pub(super) fn with_entry(&self, row: Value) -> Self {
        let mut scope = self.clone();
        scope.entries.push(Rc::new(row));
        scope
    }

    pub(super) fn with_item(&self, item: Value) -> Self {
        Self {
            item: Some(Rc::new(item)),
            ..self.clone()
        }
    }

    pub(super) fn with_props(self, props: Value) -> Self {
        Self {
            props: Some(Rc::new(props)),
            ..self
        }
    }

    pub(super) fn in_component(&self, id: BodyId, props: Value, filling: Filling) -> Self {
        let mut components = self.components.clone();
        components.push(id);
        Self {
            props: Some(Rc::new(props)),
            item: None,
            filling: Some(Rc::new(filling)),
            components,
            ..self.clone()
        }
    }
}

/// The values that stay the same during a rendering.
pub(super) struct World<'a> {
    pub(super) facts: &'a Facts,
    page: Value,
    site: Value,
}

impl<'a> World<'a> {
    pub(super) fn new(site: &Site, subject: Option<&Subject<'_>>, facts: &'a Facts) -> Self {
        let shown = subject.map(|Subject { id, page, address, .. }| json!({
            "id": id, "title": page.title, "slug": page.slug, "description": page.settings.description,
            "permalink": address, "locale": page.locale.as_deref().unwrap_or(&site.shell.settings.language),
        }));
        let settings = &site.shell.settings;
        Self {
            facts,
            page: shown.unwrap_or_default(),
            site: json!({ "name": settings.name, "language": settings.language }),
        }
    }

    /// The value that a binding refers to.
    pub(super) fn find(&self, scope: &Scope, path: &Path<'_>) -> Option<Value> {
        let count = scope.entries.len();
        let root: Option<&Value> = match path.source {
            Source::CurrentEntry => scope.entries.last().map(Rc::as_ref),
            Source::ParentEntry => count
                .checked_sub(2)
                .and_then(|at| scope.entries.get(at))
                .map(Rc::as_ref),
            Source::Page => Some(&self.page),
            Source::Site => Some(&self.site),
            Source::Route => Some(&self.facts.route),
            Source::Props => scope.props.as_deref(),
            Source::Item => scope.item.as_deref(),
        };
        follow(root?, &path.fields).cloned()
    }
}
