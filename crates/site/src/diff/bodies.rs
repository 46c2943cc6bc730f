//! Pages, templates, components and their trees.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::lists::ordered;
use super::{DiffKind, DiffLine, Pair, Subject, fields_of, moved, words};
use crate::field::attr_value;
use crate::{BodyId, Entity, Kind, Node, NodeId, Page, Site, Tree};

pub(super) fn documents(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    pages(before, after, lines);
    components(before, after, lines);
}

fn pages(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    let subject = |id: BodyId, page: &Page| Subject {
        document: Some(id),
        entity: Entity::Page { id },
        name: page_name(page),
    };
    let ids = |site: &Site| -> Vec<BodyId> { site.shell.pages.iter().map(|(id, _)| id).collect() };
    let elsewhere = moved(&ids(before), &ids(after));
    for (id, page) in after.shell.pages.iter() {
        let Some(was) = before.shell.pages.get(id) else {
            lines.push(subject(id, page).added());
            continue;
        };
        if was != page {
            let fields = Pair {
                before: fields_of(was),
                after: fields_of(page),
            };
            subject(id, page).changes(fields, lines);
        }
        if elsewhere.contains(&id) {
            let behind = after.shell.pages.before(id);
            let behind = behind.and_then(|id| after.shell.pages.get(id));
            lines.push(ordered(subject(id, page), behind.map(page_name)));
        }
        body(id, Pair { before, after }, lines);
    }
    for (id, page) in before.shell.pages.iter() {
        if after.shell.pages.get(id).is_none() {
            lines.push(subject(id, page).removed());
        }
    }
}

fn page_name(page: &Page) -> String {
    let word = if page.template.is_some() {
        "template"
    } else {
        "page"
    };
    format!("{word} {}", page.title)
}

fn components(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    let subject = |id: BodyId, name: &str| Subject {
        document: Some(id),
        entity: Entity::Component { id },
        name: format!("component {name}"),
    };
    let ids =
        |site: &Site| -> Vec<BodyId> { site.shell.components.iter().map(|(id, _)| id).collect() };
    let elsewhere = moved(&ids(before), &ids(after));
    for (id, component) in after.shell.components.iter() {
        let Some(was) = before.shell.components.get(id) else {
            lines.push(subject(id, &component.name).added());
            continue;
        };
        if was != component {
            let fields = Pair {
                before: fields_of(was),
                after: fields_of(component),
            };
            subject(id, &component.name).changes(fields, lines);
        }
        if elsewhere.contains(&id) {
            let behind = after.shell.components.before(id);
            let behind = behind.and_then(|id| after.shell.components.get(id));
            let behind = behind.map(|component| format!("component {}", component.name));
            lines.push(ordered(subject(id, &component.name), behind));
        }
        body(id, Pair { before, after }, lines);
    }
    for (id, component) in before.shell.components.iter() {
        if after.shell.components.get(id).is_none() {
            lines.push(subject(id, &component.name).removed());
        }
    }
}

/// Two versions of a tree.
struct Trees<'a> {
    body: BodyId,
    sites: Pair<&'a Site>,
    trees: Pair<&'a Tree>,
}

fn body(id: BodyId, sites: Pair<&Site>, lines: &mut Vec<DiffLine>) {
    let (Some(was), Some(is)) = (sites.before.bodies.get(&id), sites.after.bodies.get(&id)) else {
        return;
    };
    let trees = Trees {
        body: id,
        sites,
        trees: Pair {
            before: was,
            after: is,
        },
    };
    trees.compare(lines);
}

impl Trees<'_> {
    fn compare(&self, lines: &mut Vec<DiffLine>) {
        let Pair { before, after } = self.trees;
        let elsewhere = self.elsewhere();
        for id in after.walk(after.root()) {
            let Some(is) = after.node(id) else { continue };
            match before.node(id) {
                None if words::is_white_space(is) => {}
                Some(was) if words::is_white_space(was) && words::is_white_space(is) => {}
                None => {
                    // A node that was added together with its parent is covered by the parent's line.
                    let parent = after.parent(id);
                    if parent.is_none_or(|parent| before.node(parent).is_some()) {
                        lines.push(self.subject(id).added());
                    }
                }
                Some(was) => {
                    if was != is {
                        self.changed(id, was, is, lines);
                    }
                    if elsewhere.contains(&id) {
                        lines.push(self.moved(id));
                    }
                }
            }
        }
        for id in before.walk(before.root()) {
            let went_alone = |parent: NodeId| after.node(parent).is_some();
            if after.node(id).is_none()
                && before.parent(id).is_none_or(went_alone)
                && !before.node(id).is_some_and(words::is_white_space)
            {
                let name = words::node_name(self.sites.before, before, id);
                lines.push(self.named(id, name).removed());
            }
        }
    }

    /// The nodes in both versions whose position differs: under another parent, or in another order under the same one.
    fn elsewhere(&self) -> HashSet<NodeId> {
        let Pair { before, after } = self.trees;
        let mut elsewhere = HashSet::new();
        for parent in after.walk(after.root()) {
            let are: Vec<NodeId> = shown_children(after, parent).collect();
            let were: Vec<NodeId> = shown_children(before, parent).collect();
            if are == were {
                continue;
            }
            elsewhere.extend(moved(&were, &are));
            let is_new_here =
                |id: &NodeId| before.node(*id).is_some() && before.parent(*id) != Some(parent);
            elsewhere.extend(are.into_iter().filter(is_new_here));
        }
        elsewhere
    }

    fn subject(&self, id: NodeId) -> Subject {
        let name = words::node_name(self.sites.after, self.trees.after, id);
        self.named(id, name)
    }

    fn named(&self, id: NodeId, name: String) -> Subject {
        Subject {
            document: Some(self.body),
            entity: Entity::Node {
                body: self.body,
                node: id,
            },
            name,
        }
    }

    fn changed(&self, id: NodeId, was: &Node, is: &Node, lines: &mut Vec<DiffLine>) {
        let after = self.trees.after;
        // A text is named by its parent: its current wording would be a confusing name for a change of that wording.
        let holder = match is.kind {
            Kind::Text(_) => after.parent(id).and_then(|parent| after.node(parent)),
            _ => None,
        };
        let name = match holder {
            Some(holder) => words::plain_name(self.sites.after, holder),
            None => words::node_name(self.sites.after, after, id),
        };
        let fields = Pair {
            before: node_fields(was),
            after: node_fields(is),
        };
        self.named(id, name).changes(fields, lines);
    }

    fn moved(&self, id: NodeId) -> DiffLine {
        let subject = self.subject(id);
        let after = self.trees.after;
        let name = |id: NodeId| words::node_name(self.sites.after, after, id);
        let place = after.place(id);
        let siblings: Vec<NodeId> = place
            .map(|place| shown_children(after, place.parent).collect())
            .unwrap_or_default();
        let position = siblings.iter().position(|child| *child == id);
        let next = position.and_then(|position| siblings.get(position + 1));
        let previous = position.and_then(|position| siblings.get(position.checked_sub(1)?));
        let clause = match (place, next, previous) {
            (Some(place), ..) if self.trees.before.parent(id) != Some(place.parent) => {
                // By what it was called before: its first words may be the ones that moved in.
                let Pair { before, .. } = self.trees;
                let holder = match before.node(place.parent) {
                    Some(_) => words::node_name(self.sites.before, before, place.parent),
                    None => name(place.parent),
                };
                format!("{} moved into {holder}", subject.name)
            }
            (_, Some(next), _) => format!("{} moved before {}", subject.name, name(*next)),
            (_, None, Some(previous)) => {
                format!("{} moved after {}", subject.name, name(*previous))
            }
            (_, None, None) => format!("{} moved", subject.name),
        };
        subject.line(DiffKind::Moved, sitewright_tool::sentence(&clause))
    }
}

/// The children of a node without the white space between them.
fn shown_children(tree: &Tree, parent: NodeId) -> impl Iterator<Item = NodeId> {
    let is_shown = |id: &NodeId| !tree.node(*id).is_some_and(words::is_white_space);
    tree.children(parent).filter(is_shown)
}

/// The fields of a node, with the names that ops use.
fn node_fields(node: &Node) -> Map<String, Value> {
    let mut fields = fields_of(node);
    fields.remove("kind");
    let mut put = |name: String, value: Value| drop(fields.insert(name, value));
    // It is not written when it is `published`, and a difference names both values.
    put("status".to_owned(), json!(node.status));
    match &node.kind {
        Kind::Text(text) | Kind::Comment(text) => put("text".to_owned(), json!(text)),
        Kind::Element(element) => {
            put("tag".to_owned(), json!(element.tag));
            put("namespace".to_owned(), json!(element.namespace));
            for attr in &element.attrs {
                put(format!("attrs.{}", attr.name.as_str()), attr_value(attr));
            }
        }
        Kind::Loop(looped) => put("loop".to_owned(), json!(looped)),
        Kind::Outlet => {}
        Kind::Component(used) => {
            put("component".to_owned(), json!(used.id));
            for (name, value) in &used.props {
                put(format!("props.{name}"), value.clone());
            }
        }
    }
    fields
}
