//! Nodes: moving, deleting, copying and naming them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_tool::definition::edit;

use crate::{NewEntity, NodeId, Op, Place, PlacementError, Subtree, SubtreeNode};

use super::work::{LocatedNode, Stop, Work};
use super::{Nothing, PureBody as _, SiteTool, own_style};

const COPIES_MAX: u8 = 50;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("moveNode", "Move a node", "Puts a node under another parent, or elsewhere under its own. newIndex counts from 0 among the \
               children as they are without the node.")
        .words("Moving an element", "Moved an element").subject("nodeId").with(relocate),
        edit("deleteNode", "Delete a node", "Removes a node and everything in it.").words("Deleting an element", "Deleted an element").subject("nodeId").with(delete),
        edit("duplicateNode", "Duplicate a node", "Copies a node with everything in it, 1 to 50 times, right behind it.").words("Duplicating an element", "Duplicated an element").subject("nodeId").with(duplicate),
        edit("renameNode", "Rename a node", "Sets what a node is called in the layers panel; visitors do not see it.").words("Renaming an element", "Renamed an element").subject("nodeId").with(rename),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct MoveNode {
    /// The node.
    pub(crate) node_id: NodeId,
    /// The parent it is to have.
    pub(crate) new_parent_id: NodeId,
    /// Its place among the parent's children, from 0; one past the end or more means last.
    pub(crate) new_index: u32,
}

pub(crate) fn relocate(input: MoveNode, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let found = work.find(input.node_id)?;
    let parent = work.find(input.new_parent_id)?;
    if parent.body != found.body {
        return Err(Stop::invalid(
            "A node stays in its document; copy its HTML with getNodeHtml and insert it in the other one.",
        ));
    }
    let tree = work.tree(found.body)?;
    let was = tree
        .place(found.node)
        .ok_or_else(|| Stop::invalid(format!("{}.", PlacementError::Root)))?;
    let siblings: Vec<NodeId> = tree
        .children(parent.node)
        .filter(|child| *child != found.node)
        .collect();
    let index = (input.new_index as usize).min(siblings.len());
    let place = Place {
        parent: parent.node,
        after: index.checked_sub(1).map(|before| siblings[before]),
    };
    let touched = work.touched(found);
    if place == was {
        work.receipt.unchanged.push(touched);
        return Ok(Nothing {});
    }
    work.step(Op::Place {
        body: found.body,
        node: found.node,
        place,
    })?;
    work.receipt.changed.push(touched);
    Ok(Nothing {})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeleteNode {
    /// The node.
    pub(crate) node_id: NodeId,
}

pub(crate) fn delete(input: DeleteNode, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let found = work.find(input.node_id)?;
    let touched = work.touched(found);
    work.step(Op::Remove {
        entity: found.entity(),
    })?;
    work.receipt.removed.push(touched);
    Ok(Nothing {})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DuplicateNode {
    /// The node.
    pub(crate) node_id: NodeId,
    /// How many copies, 1 to 50; 1 when left out.
    #[schemars(range(min = 1, max = 50))]
    pub(crate) count: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Copies {
    /// The first copy.
    pub(crate) node_id: NodeId,
    /// All copies in order.
    pub(crate) node_ids: Vec<NodeId>,
}

pub(crate) fn duplicate(input: DuplicateNode, work: &mut Work<'_>) -> Result<Copies, Stop> {
    let count = input.count.unwrap_or(1);
    if !(1..=COPIES_MAX).contains(&count) {
        return Err(Stop::invalid(format!(
            "count must be 1 to {COPIES_MAX}, and was {count}."
        )));
    }
    let found = work.find(input.node_id)?;
    let tree = work.tree(found.body)?;
    let place = tree.place(found.node).ok_or_else(|| {
        Stop::invalid("The root of a document cannot be copied; duplicate the page.")
    })?;
    let original = tree
        .subtree(found.node)
        .ok_or_else(|| Stop::not_found("The node is gone."))?;
    let mut node_ids = Vec::with_capacity(count.into());
    let mut after = found.node;
    for _ in 0..count {
        let nodes = copy(&original, work)?;
        let id = nodes.nodes()[0].id;
        let place = Place {
            parent: place.parent,
            after: Some(after),
        };
        work.step(Op::Insert {
            new: Box::new(NewEntity::Nodes {
                body: found.body,
                nodes,
                place,
            }),
        })?;
        let made = work.touched(LocatedNode {
            body: found.body,
            node: id,
        });
        work.receipt.created.push(made);
        node_ids.push(id);
        after = id;
    }
    Ok(Copies {
        node_id: node_ids[0],
        node_ids,
    })
}

/// A copy of the nodes with new ids, and with rules of their own for those that have some.
pub(super) fn copy(original: &Subtree, work: &mut Work<'_>) -> Result<Subtree, Stop> {
    let mut copied = Vec::with_capacity(original.nodes().len());
    for grown in original.nodes() {
        let id = work.mint.mint();
        let mut copy = SubtreeNode {
            id,
            ..grown.clone()
        };
        let classes = copy.node.classes.take();
        copy.node.classes = own_style::copy_rules(work, grown.id, id, classes)?;
        copied.push(copy);
    }
    Subtree::new(copied).map_err(|misplaced| Stop::invalid(format!("{misplaced}.")))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RenameNode {
    /// The node.
    node_id: NodeId,
    /// What it is to be called; empty takes the name away.
    label: String,
}

fn rename(input: RenameNode, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let found = work.find(input.node_id)?;
    let label = input.label.trim();
    let label = (!label.is_empty()).then(|| label.to_owned());
    if work.node(found)?.label == label {
        let touched = work.touched(found);
        work.receipt.unchanged.push(touched);
        return Ok(Nothing {});
    }
    work.step(Op::Put {
        entity: found.entity(),
        field: "label".to_owned(),
        value: json!(label),
    })?;
    let touched = work.touched(found);
    work.receipt.changed.push(touched);
    Ok(Nothing {})
}
