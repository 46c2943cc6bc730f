//! Components: finding one, and using it with props that it declares.

use serde_json::{Map, Value};

use crate::tools::{LocatedNode, Stop, Work};
use crate::{
    BodyId, Component, ComponentUse, Kind, NewEntity, Node, NodeId, Op, Place, Subtree, SubtreeNode,
};

use super::act::{Act, Made, child_index};

impl Act<'_, '_> {
    pub(super) fn use_component(
        &mut self,
        parent: LocatedNode,
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
        let grown = SubtreeNode {
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
            new: Box::new(NewEntity::Nodes {
                body: parent.body,
                nodes,
                place,
            }),
        })?;
        let found = LocatedNode {
            body: parent.body,
            node,
        };
        let touched = self.work.touched(found);
        self.work.receipt.created.push(touched);
        Ok(Made::node(node))
    }
}

/// Finds a component by its id, name or template key.
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

pub(super) fn known_params<'a>(
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
