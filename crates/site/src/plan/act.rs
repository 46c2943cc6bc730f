//! Doing an operation: each is one or a few calls of the site's tools, on the site as the operations before it made it.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sitewright_tool::{ErrorCode, ToolError};

use crate::tools::{Found, Stop, Work, add_under, call};
use crate::{
    BodyId, Component, ComponentUse, Entity, Grown, Kind, New, Node, NodeId, Op, Place, Subtree,
    Tree,
};

use super::item;
use super::{NodeRef, PLAN_NODES_MAX, PageRef, PlanOp, Ref};

/// What operations made, by the names they gave it.
pub(super) type MadeByName = HashMap<String, Made>;

/// What an operation made.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Made {
    page: Option<BodyId>,
    node: Option<NodeId>,
}

impl Made {
    pub(super) fn node(node: NodeId) -> Self {
        Self {
            page: None,
            node: Some(node),
        }
    }
}

/// An operation at work.
pub(super) struct Act<'a, 'w> {
    pub(super) work: &'a mut Work<'w>,
    pub(super) made: &'a MadeByName,
}

impl Act<'_, '_> {
    pub(super) fn run(&mut self, op: &PlanOp) -> Result<Made, Stop> {
        match op {
            PlanOp::CreatePage {
                title,
                slug,
                parent,
                html,
                name: _,
            } => self.create_page((title, slug.as_deref()), parent.as_ref(), html.as_deref()),
            PlanOp::RenamePage { page, title, slug } => {
                let page = self.page(page)?;
                self.call(
                    "updatePageSettings",
                    json!({ "pageId": page, "title": title, "slug": slug }),
                )
            }
            PlanOp::RemovePage { page } => {
                let page = self.page(page)?;
                self.call("deletePage", json!({ "pageId": page }))
            }
            PlanOp::MovePage {
                page,
                parent,
                position,
            } => self.move_page(page, parent.as_ref(), *position),
            PlanOp::DuplicatePage {
                page, title, slug, ..
            } => self.duplicate_page(page, title, slug.as_deref()),
            PlanOp::UpdatePageSettings { page, settings } => {
                let page = self.page(page)?;
                let mut input = camel(settings)?;
                input.insert("pageId".to_owned(), json!(page));
                call("updatePageSettings", Value::Object(input), self.work)?;
                Ok(Made::default())
            }
            PlanOp::ApplyCss { css } => self.call("applyCss", json!({ "css": css })),
            PlanOp::UpdateSiteSettings { settings } => {
                let input = camel(settings)?;
                call("updateSiteSettings", Value::Object(input), self.work)?;
                Ok(Made::default())
            }
            PlanOp::AddItem { .. }
            | PlanOp::UpdateItem { .. }
            | PlanOp::RemoveItem { .. }
            | PlanOp::MoveItem { .. } => item::run(self, op),
            PlanOp::AddSection { .. }
            | PlanOp::AddNode { .. }
            | PlanOp::ReplaceNode { .. }
            | PlanOp::ReplaceContent { .. }
            | PlanOp::UpdateProps { .. }
            | PlanOp::UpdateText { .. }
            | PlanOp::UpdateClasses { .. }
            | PlanOp::RemoveNode { .. }
            | PlanOp::MoveNode { .. }
            | PlanOp::DuplicateNode { .. } => self.run_on_nodes(op),
        }
    }

    fn run_on_nodes(&mut self, op: &PlanOp) -> Result<Made, Stop> {
        match op {
            PlanOp::AddSection {
                page,
                html,
                component,
                props,
                position,
                name: _,
            } => {
                let body = self.page(page)?;
                let root = self.work.tree(body)?.root();
                let parent = Found { body, node: root };
                match (html, component) {
                    (Some(html), _) => self.insert(parent, html, *position),
                    (None, Some(component)) => {
                        self.use_component(parent, component, props.as_ref(), *position)
                    }
                    (None, None) => Err(Stop::invalid("Give either html or a component.")),
                }
            }
            PlanOp::AddNode {
                parent,
                html,
                position,
                name: _,
            } => {
                let parent = self.node(parent)?;
                self.insert(parent, html, *position)
            }
            PlanOp::ReplaceNode { node, html, .. } => self.replace(node, html),
            PlanOp::ReplaceContent { node, html } => {
                let node = self.node(node)?.node;
                self.call("replaceNodeHtml", json!({ "nodeId": node, "html": html }))
            }
            PlanOp::UpdateProps {
                node,
                props,
                breakpoint,
            } => self.update_props(node, props, breakpoint.as_deref()),
            PlanOp::UpdateText { node, text } => {
                let node = self.node(node)?.node;
                let patch = json!({ "text": text });
                self.call("updateNodeProps", json!({ "nodeId": node, "patch": patch }))
            }
            PlanOp::UpdateClasses { node, add, remove } => {
                let node = self.node(node)?.node;
                for (tool, classes) in [("assignClass", add), ("removeClass", remove)] {
                    for class in classes {
                        self.call(tool, json!({ "nodeId": node, "classId": class }))?;
                    }
                }
                Ok(Made::default())
            }
            PlanOp::RemoveNode { node } => {
                let node = self.node(node)?.node;
                self.call("deleteNode", json!({ "nodeId": node }))
            }
            PlanOp::MoveNode {
                node,
                parent,
                position,
            } => self.move_node(node, parent.as_ref(), *position),
            PlanOp::DuplicateNode { node, count, .. } => self.duplicate_node(node, *count),
            _ => Err(misled()),
        }
    }

    /// Calls a tool whose answer is not needed.
    pub(super) fn call(&mut self, tool: &str, input: Value) -> Result<Made, Stop> {
        call(tool, without_nulls(input), self.work).map(|_| Made::default())
    }

    pub(super) fn page(&self, page: &PageRef) -> Result<BodyId, Stop> {
        let id = match page {
            Ref::Known(id) => *id,
            Ref::Made(name) => {
                let made = self.made.get(name).and_then(|made| made.page);
                made.ok_or_else(|| Stop::not_found(format!("`@{name}` is no page.")))?
            }
        };
        // An earlier operation may have removed it.
        match self.work.site.shell.pages.get(id) {
            Some(_) => Ok(id),
            None => Err(Stop::not_found(format!("The page {page} is gone."))),
        }
    }

    pub(super) fn node(&mut self, node: &NodeRef) -> Result<Found, Stop> {
        let id = match node {
            Ref::Known(id) => *id,
            Ref::Made(name) => {
                let made = self.made.get(name).and_then(|made| made.node);
                made.ok_or_else(|| Stop::not_found(format!("`@{name}` is no node.")))?
            }
        };
        self.work.find(id)
    }

    fn create_page(
        &mut self,
        (title, slug): (&str, Option<&str>),
        parent: Option<&PageRef>,
        html: Option<&str>,
    ) -> Result<Made, Stop> {
        let parent = parent.map(|parent| self.page(parent)).transpose()?;
        let (page, root) = add_under(parent, title, slug, self.work)?;
        if let Some(html) = html.filter(|html| !html.trim().is_empty()) {
            self.call("insertHtml", json!({ "parentId": root, "html": html }))?;
        }
        Ok(Made {
            page: Some(page),
            node: Some(root),
        })
    }

    fn duplicate_page(
        &mut self,
        page: &PageRef,
        title: &str,
        slug: Option<&str>,
    ) -> Result<Made, Stop> {
        let page = self.page(page)?;
        let tree = self.work.tree(page)?;
        room_for(tree.len())?;
        let input = json!({ "pageId": page, "title": title, "slug": slug });
        let answer = call("duplicatePage", without_nulls(input), self.work)?;
        let copy: BodyId = id_of(&answer["pageId"])?;
        Ok(Made {
            page: Some(copy),
            node: Some(self.work.tree(copy)?.root()),
        })
    }

    fn move_page(
        &mut self,
        page: &PageRef,
        parent: Option<&Option<PageRef>>,
        position: Option<u32>,
    ) -> Result<Made, Stop> {
        let id = self.page(page)?;
        if let Some(parent) = parent {
            let parent = parent
                .as_ref()
                .map(|parent| self.page(parent))
                .transpose()?;
            let input = json!({ "pageId": id, "parentId": parent });
            call("updatePageSettings", input, self.work)?;
        }
        let Some(position) = position else {
            return Ok(Made::default());
        };
        let pages = &self.work.site.shell.pages;
        let Some(moved) = pages.get(id) else {
            return Err(Stop::not_found(format!("There is no page {id}.")));
        };
        let parent = moved.parent_id;
        let title = moved.title.clone();
        let siblings: Vec<BodyId> = pages
            .iter()
            .filter(|(other, page)| {
                *other != id && page.parent_id == parent && page.template.is_none()
            })
            .map(|(other, _)| other)
            .collect();
        // First among its siblings means right before the one that is first, wherever in the list that stands.
        let after = match siblings.get(position as usize) {
            Some(next) => pages.before(*next).and_then(|before| {
                if before == id {
                    pages.before(id)
                } else {
                    Some(before)
                }
            }),
            None => siblings.last().copied().or(pages.before(id)),
        };
        if after == pages.before(id) {
            return Ok(Made::default());
        }
        let entity = |id| Entity::Page { id };
        self.work.step(Op::Order {
            entity: entity(id),
            after: after.map(entity),
        })?;
        self.work.receipt.changed.push(sitewright_tool::Touched {
            kind: "page".to_owned(),
            id: id.to_string(),
            name: Some(title),
            also_used_in: None,
        });
        Ok(Made::default())
    }

    pub(super) fn insert(
        &mut self,
        parent: Found,
        html: &str,
        position: Option<u32>,
    ) -> Result<Made, Stop> {
        let tree = self.work.tree(parent.body)?;
        let index = child_index(tree, parent.node, position, None);
        let input = json!({ "parentId": parent.node, "html": html, "index": index });
        let answer = call("insertHtml", without_nulls(input), self.work)?;
        let first = answer["nodeIds"].get(0);
        Ok(Made {
            page: None,
            node: first.map(id_of).transpose()?,
        })
    }

    fn replace(&mut self, node: &NodeRef, html: &str) -> Result<Made, Stop> {
        let found = self.node(node)?;
        let tree = self.work.tree(found.body)?;
        let Some(parent) = tree.parent(found.node) else {
            return Err(Stop::invalid(
                "The root of a page stays; replace what it holds with replace_content.",
            ));
        };
        let index = tree
            .children(parent)
            .position(|child| child == found.node)
            .unwrap_or_default();
        let input = json!({ "parentId": parent, "html": html, "index": index });
        let answer = call("insertHtml", input, self.work)?;
        let Some(first) = answer["nodeIds"].get(0) else {
            return Err(Stop::invalid(
                "There is nothing in the html to stand in its place; change rules with apply_css.",
            ));
        };
        let first = id_of(first)?;
        self.call("deleteNode", json!({ "nodeId": found.node }))?;
        Ok(Made::node(first))
    }

    fn update_props(
        &mut self,
        node: &NodeRef,
        props: &Map<String, Value>,
        breakpoint: Option<&str>,
    ) -> Result<Made, Stop> {
        let found = self.node(node)?;
        if let Kind::Component(used) = &self.work.node(found)?.kind {
            let (_, component) = component(self.work, &used.id)?;
            let settable = |name: &str| name == "hidden" || name.starts_with("style.");
            let given = props.keys().map(String::as_str);
            known_params(component, given.filter(|name| !settable(name)))?;
        }
        let mut input = json!({ "nodeId": found.node, "patch": props });
        if let Some(breakpoint) = breakpoint {
            input["breakpointId"] = json!(breakpoint);
        }
        call("updateNodeProps", input, self.work).map(|_| Made::default())
    }

    fn move_node(
        &mut self,
        node: &NodeRef,
        parent: Option<&NodeRef>,
        position: Option<u32>,
    ) -> Result<Made, Stop> {
        let found = self.node(node)?;
        let parent = match parent {
            Some(parent) => self.node(parent)?.node,
            None => {
                let own = self.work.tree(found.body)?.parent(found.node);
                own.ok_or_else(|| Stop::invalid("The root of a page stays where it is."))?
            }
        };
        let tree = self.work.tree(found.body)?;
        let index = child_index(tree, parent, position, Some(found.node)).unwrap_or(u32::MAX);
        let input = json!({ "nodeId": found.node, "newParentId": parent, "newIndex": index });
        self.call("moveNode", input)
    }

    fn duplicate_node(&mut self, node: &NodeRef, count: Option<u32>) -> Result<Made, Stop> {
        let found = self.node(node)?;
        let copies = count.unwrap_or(1);
        if !(1..=50).contains(&copies) {
            return Err(Stop::invalid_at("count", "count must be 1 to 50."));
        }
        let size = self.work.tree(found.body)?.walk(found.node).count();
        room_for(size.saturating_mul(copies as usize))?;
        let input = json!({ "nodeId": found.node, "count": copies });
        let answer = call("duplicateNode", input, self.work)?;
        Ok(Made::node(id_of(&answer["nodeId"])?))
    }

    fn use_component(
        &mut self,
        parent: Found,
        wanted: &str,
        props: Option<&Map<String, Value>>,
        position: Option<u32>,
    ) -> Result<Made, Stop> {
        let (id, component) = component(self.work, wanted)?;
        let props = props.cloned().unwrap_or_default();
        known_params(component, props.keys().map(String::as_str))?;
        let missing: Vec<&str> = component
            .params
            .iter()
            .filter(|param| param.required && !props.contains_key(&param.name))
            .map(|param| param.name.as_str())
            .collect();
        if !missing.is_empty() {
            let message = format!("`{}` needs {}.", component.name, missing.join(", "));
            return Err(Stop::invalid_at("props", message));
        }
        let used = ComponentUse {
            id: id.to_string(),
            props: props.into_iter().collect(),
        };
        let node: NodeId = self.work.mint.mint();
        let grown = Grown {
            id: node,
            parent: None,
            node: Node::new(Kind::Component(Box::new(used))),
        };
        let nodes = Subtree::new(vec![grown])
            .map_err(|misplaced| Stop::invalid(format!("{misplaced}.")))?;
        let tree = self.work.tree(parent.body)?;
        let children: Vec<NodeId> = tree.children(parent.node).collect();
        let index = child_index(tree, parent.node, position, None);
        let index = index.map_or(children.len(), |index| index as usize);
        let place = Place {
            parent: parent.node,
            after: index.checked_sub(1).map(|before| children[before]),
        };
        self.work.step(Op::Insert {
            new: Box::new(New::Nodes {
                body: parent.body,
                nodes,
                place,
            }),
        })?;
        let found = Found {
            body: parent.body,
            node,
        };
        let touched = self.work.touched(found);
        self.work.receipt.created.push(touched);
        Ok(Made::node(node))
    }
}

/// A component by its id, name or template key.
pub(super) fn component<'a>(
    work: &'a Work<'_>,
    wanted: &str,
) -> Result<(BodyId, &'a Component), Stop> {
    let components = &work.site.shell.components;
    if let Some(id) = wanted
        .parse()
        .ok()
        .filter(|id| components.get(*id).is_some())
    {
        return components
            .get(id)
            .map(|component| (id, component))
            .ok_or_else(|| Stop::not_found("The component is gone."));
    }
    let named: Vec<(BodyId, &Component)> = components
        .iter()
        .filter(|(_, component)| {
            component.template_key.as_deref() == Some(wanted)
                || component.name.eq_ignore_ascii_case(wanted)
        })
        .collect();
    match named.as_slice() {
        [only] => Ok(*only),
        [] => {
            let names: Vec<String> = components
                .iter()
                .map(|(id, component)| format!("`{}` ({id})", component.name))
                .collect();
            let there = if names.is_empty() {
                "the site has none; use html".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            Err(Stop::not_found(format!(
                "There is no component `{wanted}`; {there}."
            )))
        }
        several => {
            let ids: Vec<String> = several.iter().map(|(id, _)| id.to_string()).collect();
            let message = format!(
                "Several components are called `{wanted}`: {}. Name one by its id.",
                ids.join(", ")
            );
            Err(Stop::invalid_at("component", message))
        }
    }
}

fn known_params<'a>(
    component: &Component,
    mut given: impl Iterator<Item = &'a str>,
) -> Result<(), Stop> {
    let known = |name: &str| component.params.iter().any(|param| param.name == name);
    match given.find(|name| !known(name)) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = component
                .params
                .iter()
                .map(|param| param.name.as_str())
                .collect();
            let message = format!(
                "The component `{}` has no prop `{unknown}`; it has {}.",
                component.name,
                names.join(", ")
            );
            Err(Stop::invalid_at("props", message))
        }
    }
}

/// Whether a node counts for positions: text and comments do not.
pub(super) fn counts(tree: &Tree, id: NodeId) -> bool {
    tree.node(id)
        .is_some_and(|node| !matches!(node.kind, Kind::Text(_) | Kind::Comment(_)))
}

/// The index among all children that a position among the elements means; nothing for last.
pub(super) fn child_index(
    tree: &Tree,
    parent: NodeId,
    position: Option<u32>,
    without: Option<NodeId>,
) -> Option<u32> {
    let position = position? as usize;
    let children = tree
        .children(parent)
        .filter(|child| Some(*child) != without);
    let mut elements = children
        .enumerate()
        .filter(|(_, child)| counts(tree, *child));
    let (index, _) = elements.nth(position)?;
    u32::try_from(index).ok()
}

/// Refuses copies that are more than a plan may bring.
fn room_for(nodes: usize) -> Result<(), Stop> {
    if nodes <= PLAN_NODES_MAX {
        return Ok(());
    }
    let message =
        format!("These copies have {nodes} nodes, and a plan may bring {PLAN_NODES_MAX}.");
    Err(ToolError::new(ErrorCode::TooLarge, message).into())
}

fn id_of<I: std::str::FromStr>(value: &Value) -> Result<I, Stop> {
    let id = value.as_str().and_then(|text| text.parse().ok());
    id.ok_or_else(|| ToolError::new(ErrorCode::Internal, "A tool answered no id.").into())
}

/// Tools take a field that is left out, and not always null.
fn without_nulls(mut input: Value) -> Value {
    if let Some(fields) = input.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    input
}

/// What is never reached: operations are told apart before they come here.
pub(super) fn misled() -> Stop {
    ToolError::new(
        ErrorCode::Internal,
        "The operation was led to the wrong place.",
    )
    .into()
}

/// Settings under the names that the tools use.
fn camel(settings: &impl Serialize) -> Result<Map<String, Value>, Stop> {
    let Value::Object(fields) = sitewright_tool::write(settings)? else {
        return Ok(Map::new());
    };
    let renamed = fields.into_iter().map(|(name, value)| {
        let mut parts = name.split('_');
        let mut camel = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (first, rest) = part.split_at(part.len().min(1));
            camel.push_str(&first.to_ascii_uppercase());
            camel.push_str(rest);
        }
        (camel, value)
    });
    Ok(renamed.collect())
}
