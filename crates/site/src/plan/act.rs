//! Executes one operation by calling the functions that implement the site's tools. Each operation sees the site as the
//! operations before it left it.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use sitewright_tool::{ErrorCode, ToolError};

use crate::tools::classes::{self, ClassOnNode};
use crate::tools::css;
use crate::tools::html::{self, Braces, Headings, InsertHtml, ReplaceNodeHtml};
use crate::tools::nodes::{self, DeleteNode, DuplicateNode, MoveNode};
use crate::tools::pages::{self, DeletePage, DuplicatePage};
use crate::tools::props::{self, UpdateNodeProps};
use crate::tools::settings::page::{self, UpdatePageSettings};
use crate::tools::settings::site;
use crate::tools::{LocatedNode, Stop, Work};
use crate::{BodyId, Entity, Kind, NodeId, Op, Tree};

use super::component::{component, known_params};
use super::item;
use super::{NodeRef, PLAN_NODES_MAX, PageRef, PlanOp, Ref};

/// What operations created, by the names they gave it.
pub(super) type MadeByName = HashMap<String, Made>;

/// What an operation created.
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

/// Executes operations on the working site.
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
                let input = UpdatePageSettings {
                    page_id: self.page(page)?.to_string(),
                    title: title.clone(),
                    slug: slug.clone(),
                    ..UpdatePageSettings::default()
                };
                page::update(input, self.work).map(|_| Made::default())
            }
            PlanOp::RemovePage { page } => {
                let page_id = self.page(page)?;
                pages::delete(DeletePage { page_id }, self.work).map(|_| Made::default())
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
                let input = settings.clone().for_page(self.page(page)?);
                page::update(input, self.work).map(|_| Made::default())
            }
            PlanOp::ApplyCss { css } => css::upsert(self.work, css).map(|_| Made::default()),
            PlanOp::UpdateSiteSettings { settings } => {
                site::update(settings.clone().into(), self.work).map(|_| Made::default())
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
                let parent = LocatedNode { body, node: root };
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
                self.replace_content(node, html)
            }
            PlanOp::UpdateProps {
                node,
                props,
                breakpoint,
            } => self.update_props(node, props, breakpoint.as_deref()),
            PlanOp::UpdateText { node, text } => {
                let node = self.node(node)?.node;
                self.set_prop(node, "text", json!(text))
            }
            PlanOp::UpdateClasses { node, add, remove } => {
                let node_id = self.node(node)?.node;
                let on_node = |class: &String| ClassOnNode {
                    node_id,
                    class_id: class.clone(),
                };
                for class in add {
                    classes::assign(on_node(class), self.work)?;
                }
                for class in remove {
                    classes::take_off(on_node(class), self.work)?;
                }
                Ok(Made::default())
            }
            PlanOp::RemoveNode { node } => {
                let node = self.node(node)?.node;
                self.delete(node)
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

    pub(super) fn replace_content(&mut self, node_id: NodeId, html: &str) -> Result<Made, Stop> {
        let html = html.to_owned();
        html::replace(ReplaceNodeHtml { node_id, html }, self.work).map(|_| Made::default())
    }

    pub(super) fn set_prop(
        &mut self,
        node_id: NodeId,
        name: &str,
        value: Value,
    ) -> Result<Made, Stop> {
        let input = UpdateNodeProps {
            node_id,
            breakpoint_id: None,
            state: None,
            patch: Map::from_iter([(name.to_owned(), value)]),
        };
        props::update(input, self.work).map(|_| Made::default())
    }

    pub(super) fn delete(&mut self, node_id: NodeId) -> Result<Made, Stop> {
        nodes::delete(DeleteNode { node_id }, self.work).map(|_| Made::default())
    }

    pub(super) fn relocate(
        &mut self,
        node_id: NodeId,
        new_parent_id: NodeId,
        new_index: u32,
    ) -> Result<Made, Stop> {
        let input = MoveNode {
            node_id,
            new_parent_id,
            new_index,
        };
        nodes::relocate(input, self.work).map(|_| Made::default())
    }

    pub(super) fn page(&self, page: &PageRef) -> Result<BodyId, Stop> {
        let id = match page {
            Ref::Known(id) => *id,
            Ref::Made(name) => {
                let made = self.made.get(name).and_then(|made| made.page);
                made.ok_or_else(|| Stop::not_found(format!("`@{name}` is no page.")))?
            }
        };
        // An earlier operation may have removed the page.
        match self.work.site.shell.pages.get(id) {
            Some(_) => Ok(id),
            None => Err(Stop::not_found(format!("The page {page} is gone."))),
        }
    }

    pub(super) fn node(&mut self, node: &NodeRef) -> Result<LocatedNode, Stop> {
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
        let (page, root) = pages::add_under(parent, title, slug, self.work)?;
        if let Some(html) = html.filter(|html| !html.trim().is_empty()) {
            self.insert_at(root, html, None)?;
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
        let input = DuplicatePage {
            page_id: page,
            title: title.to_owned(),
            slug: slug.map(str::to_owned),
        };
        let copy = pages::duplicate(input, self.work)?.page_id;
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
            let input = UpdatePageSettings {
                page_id: id.to_string(),
                parent_id: Some(parent),
                ..UpdatePageSettings::default()
            };
            page::update(input, self.work)?;
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
        // A position among siblings means directly before the sibling that has it, wherever that is in the list of all pages.
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
        parent: LocatedNode,
        html: &str,
        position: Option<u32>,
    ) -> Result<Made, Stop> {
        let tree = self.work.tree(parent.body)?;
        let index = child_index(tree, parent.node, position, None);
        Ok(Made {
            page: None,
            node: self.insert_at(parent.node, html, index)?,
        })
    }

    /// Returns the first of the new nodes, or `None` when the HTML contained only CSS.
    fn insert_at(
        &mut self,
        parent_id: NodeId,
        html: &str,
        index: Option<u32>,
    ) -> Result<Option<NodeId>, Stop> {
        let input = InsertHtml {
            parent_id,
            index,
            html: html.to_owned(),
            braces: Braces::Bindings,
            headings: Headings::AsWritten,
        };
        let inserted = html::insert(input, self.work)?;
        Ok(inserted.node_ids.and_then(|ids| ids.first().copied()))
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
            .and_then(|index| u32::try_from(index).ok())
            .unwrap_or_default();
        let Some(first) = self.insert_at(parent, html, Some(index))? else {
            return Err(Stop::invalid(
                "There is nothing in the html to stand in its place; change rules with apply_css.",
            ));
        };
        self.delete(found.node)?;
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
        let input = UpdateNodeProps {
            node_id: found.node,
            breakpoint_id: breakpoint.map(str::to_owned),
            state: None,
            patch: props.clone(),
        };
        props::update(input, self.work).map(|_| Made::default())
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
        self.relocate(found.node, parent, index)
    }

    fn duplicate_node(&mut self, node: &NodeRef, count: Option<u32>) -> Result<Made, Stop> {
        let found = self.node(node)?;
        let copies = u8::try_from(count.unwrap_or(1)).ok();
        let Some(copies) = copies.filter(|copies| (1..=50).contains(copies)) else {
            return Err(Stop::invalid_at("count", "count must be 1 to 50."));
        };
        let size = self.work.tree(found.body)?.walk(found.node).count();
        room_for(size.saturating_mul(copies.into()))?;
        let input = DuplicateNode {
            node_id: found.node,
            count: Some(copies),
        };
        Ok(Made::node(nodes::duplicate(input, self.work)?.node_id))
    }
}

/// Whether a node counts for positions: text and comments do not.
pub(super) fn counts(tree: &Tree, id: NodeId) -> bool {
    tree.node(id)
        .is_some_and(|node| !matches!(node.kind, Kind::Text(_) | Kind::Comment(_)))
}

/// Converts a position among the elements to an index among all children; `None` means last.
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

/// Refuses copies that exceed the node limit of a plan.
fn room_for(nodes: usize) -> Result<(), Stop> {
    if nodes <= PLAN_NODES_MAX {
        return Ok(());
    }
    let message =
        format!("These copies have {nodes} nodes, and a plan may bring {PLAN_NODES_MAX}.");
    Err(ToolError::new(ErrorCode::TooLarge, message).into())
}

/// The error for an unreachable branch: operations are dispatched by kind before they get here.
pub(super) fn misled() -> Stop {
    ToolError::new(
        ErrorCode::Internal,
        "The operation was led to the wrong place.",
    )
    .into()
}
