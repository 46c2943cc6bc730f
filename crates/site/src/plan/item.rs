//! Items: elements directly under a list, or entries of a component's list prop.

use serde_json::{Map, Value, json};

use crate::tools::{LocatedNode, Stop, Work};
use crate::{ComponentUse, Kind, NodeId, ParamKind, Tree};

use super::act::{Act, Made, child_index, counts, misled};
use super::component::component;
use super::{NodeRef, PlanOp};

/// Elements that always contain items, whatever their children are.
const LISTS: [&str; 12] = [
    "ul", "ol", "menu", "dl", "thead", "tbody", "tfoot", "tr", "select", "datalist", "optgroup",
    "colgroup",
];
/// The maximum number of lists that a problem names.
const NAMED_MAX: usize = 8;

pub(super) fn run(act: &mut Act<'_, '_>, op: &PlanOp) -> Result<Made, Stop> {
    let (PlanOp::AddItem { list, prop, .. }
    | PlanOp::UpdateItem { list, prop, .. }
    | PlanOp::RemoveItem { list, prop, .. }
    | PlanOp::MoveItem { list, prop, .. }) = op
    else {
        return Err(misled());
    };
    match holder(act, list, prop.as_deref())? {
        Holder::Nodes(found) => in_nodes(act, found, op),
        Holder::Entries(entries) => in_entries(act, entries, op),
    }
}

/// What contains items.
enum Holder {
    Nodes(LocatedNode),
    Entries(Entries),
}

/// The entries of a list prop.
struct Entries {
    found: LocatedNode,
    prop: String,
    values: Vec<Value>,
    /// The fields of an entry; any field is allowed when empty.
    fields: Vec<String>,
}

fn holder(act: &mut Act<'_, '_>, list: &NodeRef, prop: Option<&str>) -> Result<Holder, Stop> {
    let found = act.node(list)?;
    match &act.work.node(found)?.kind {
        Kind::Component(used) => {
            let used = used.clone();
            entries(act.work, found, &used, prop).map(Holder::Entries)
        }
        Kind::Loop(_) => Err(Stop::invalid_at(
            "list",
            "The items of a loop come from its source; edit that, or the node that is repeated.",
        )),
        Kind::Element(_) | Kind::Text(_) | Kind::Comment(_) | Kind::Outlet => {
            if let Some(prop) = prop {
                let message = format!("`{prop}` would be a prop of a component, and this is none.");
                return Err(Stop::invalid_at("prop", message));
            }
            let tree = act.work.tree(found.body)?;
            let node = list_in(tree, found.node)?;
            Ok(Holder::Nodes(LocatedNode {
                body: found.body,
                node,
            }))
        }
    }
}

fn entries(
    work: &Work<'_>,
    found: LocatedNode,
    used: &ComponentUse,
    prop: Option<&str>,
) -> Result<Entries, Stop> {
    let (_, component) = component(work, &used.id)?;
    let lists: Vec<&crate::Param> = component
        .params
        .iter()
        .filter(|param| param.kind == ParamKind::List)
        .collect();
    let chosen = match (prop, lists.as_slice()) {
        (None, [only]) => Some(*only),
        (None, _) => None,
        (Some(prop), lists) => lists.iter().copied().find(|param| param.name == prop),
    };
    let Some(param) = chosen else {
        let names: Vec<&str> = lists.iter().map(|param| param.name.as_str()).collect();
        let message = if names.is_empty() {
            format!("The component `{}` has no list props.", component.name)
        } else {
            format!(
                "prop must be a list prop of `{}`: {}.",
                component.name,
                names.join(", ")
            )
        };
        return Err(Stop::invalid_at("prop", message));
    };
    let value = used.props.get(&param.name).unwrap_or(&param.default);
    Ok(Entries {
        found,
        prop: param.name.clone(),
        values: value.as_array().cloned().unwrap_or_default(),
        fields: param.fields.keys().cloned().collect(),
    })
}

/// The list that is meant: the node itself, or the only list inside it.
fn list_in(tree: &Tree, node: NodeId) -> Result<NodeId, Stop> {
    if is_list(tree, node) {
        return Ok(node);
    }
    let mut lists = Vec::new();
    let mut waiting = vec![node];
    while let Some(at) = waiting.pop() {
        if is_list(tree, at) {
            lists.push(at);
        } else {
            let children: Vec<NodeId> = tree.children(at).collect();
            waiting.extend(children.into_iter().rev());
        }
    }
    match lists.as_slice() {
        [only] => Ok(*only),
        [] => Err(Stop::invalid_at(
            "list",
            "There is no list here: a list is a ul, ol or the like, or an element whose children are all alike. Use add_node.",
        )),
        several => {
            let ids: Vec<String> = several
                .iter()
                .take(NAMED_MAX)
                .map(NodeId::to_string)
                .collect();
            let message = format!(
                "Several lists are in it: {}. Name one of them.",
                ids.join(", ")
            );
            Err(Stop::invalid_at("list", message))
        }
    }
}

fn is_list(tree: &Tree, node: NodeId) -> bool {
    let by_tag = tag(tree, node).is_some_and(|tag| LISTS.contains(&tag));
    let is_element = tree
        .node(node)
        .is_some_and(|node| matches!(node.kind, Kind::Element(_)));
    let items = items(tree, node);
    // The children of the root are sections and not items.
    let alike =
        items.len() > 1 && tree.parent(node).is_some() && common_tag(tree, &items).is_some();
    by_tag || (is_element && alike)
}

fn items(tree: &Tree, list: NodeId) -> Vec<NodeId> {
    tree.children(list)
        .filter(|child| counts(tree, *child))
        .collect()
}

fn tag(tree: &Tree, node: NodeId) -> Option<&str> {
    match &tree.node(node)?.kind {
        Kind::Element(element) => Some(element.tag.as_str()),
        Kind::Text(_) | Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {
            None
        }
    }
}

fn common_tag<'a>(tree: &'a Tree, items: &[NodeId]) -> Option<&'a str> {
    let first = tag(tree, *items.first()?)?;
    items
        .iter()
        .all(|item| tag(tree, *item) == Some(first))
        .then_some(first)
}

fn in_nodes(act: &mut Act<'_, '_>, list: LocatedNode, op: &PlanOp) -> Result<Made, Stop> {
    let no_fields = || {
        Stop::invalid_at(
            "fields",
            "fields are for a component's list prop; these items are nodes: give html.",
        )
    };
    match op {
        PlanOp::AddItem { html, position, .. } => {
            let html = html.as_deref().ok_or_else(no_fields)?;
            add_node(act, list, html, *position)
        }
        PlanOp::UpdateItem {
            index, html, text, ..
        } => {
            let item = nth(act.work.tree(list.body)?, list.node, *index)?;
            match (html, text) {
                (Some(html), _) => act.replace_content(item, html),
                (None, Some(text)) => act.set_prop(item, "text", json!(text)),
                (None, None) => Err(no_fields()),
            }
        }
        PlanOp::RemoveItem { index, .. } => {
            let item = nth(act.work.tree(list.body)?, list.node, *index)?;
            act.delete(item)
        }
        PlanOp::MoveItem {
            index, position, ..
        } => {
            let tree = act.work.tree(list.body)?;
            let item = nth(tree, list.node, *index)?;
            let to = child_index(tree, list.node, Some(*position), Some(item)).unwrap_or(u32::MAX);
            act.relocate(item, list.node, to)
        }
        _ => Err(misled()),
    }
}

fn add_node(
    act: &mut Act<'_, '_>,
    list: LocatedNode,
    html: &str,
    position: Option<u32>,
) -> Result<Made, Stop> {
    let tree = act.work.tree(list.body)?;
    let before = items(tree, list.node);
    let wanted = common_tag(tree, &before).map(str::to_owned);
    let made = act.insert(list, html, position)?;
    let tree = act.work.tree(list.body)?;
    let new: Vec<NodeId> = items(tree, list.node)
        .into_iter()
        .filter(|item| !before.contains(item))
        .collect();
    let refuse = |message: String| Err(Stop::invalid_at("html", message));
    match (new.as_slice(), wanted) {
        ([only], Some(wanted)) if tag(tree, *only) != Some(&wanted) => {
            let found = tag(tree, *only).unwrap_or("something else");
            refuse(format!(
                "The items here are <{wanted}> elements, and this is <{found}>; write one <{wanted}>…</{wanted}>."
            ))
        }
        ([only], _) => Ok(Made::node(*only)),
        ([], _) => refuse("There is no element in the html.".to_owned()),
        (several, _) if tag(tree, list.node) != Some("dl") => refuse(format!(
            "An item is one element, and these are {}; add them one by one.",
            several.len()
        )),
        _ => Ok(made),
    }
}

fn nth(tree: &Tree, list: NodeId, index: u32) -> Result<NodeId, Stop> {
    let items = items(tree, list);
    let item = items.get(index as usize).copied();
    item.ok_or_else(|| out_of_range(index, items.len()))
}

fn out_of_range(index: u32, count: usize) -> Stop {
    let message = match count {
        0 => format!("index is {index}, and the list is empty."),
        count => format!(
            "index is {index}, and the list has {count} items: 0 to {}.",
            count - 1
        ),
    };
    Stop::invalid_at("index", message)
}

fn in_entries(act: &mut Act<'_, '_>, entries: Entries, op: &PlanOp) -> Result<Made, Stop> {
    let Entries {
        found,
        prop,
        mut values,
        fields: known,
    } = entries;
    let no_html = || {
        Stop::invalid_at(
            "html",
            "These items are entries of a component's list prop: give fields.",
        )
    };
    let at = |index: u32, values: &[Value]| {
        let at = index as usize;
        if at < values.len() {
            Ok(at)
        } else {
            Err(out_of_range(index, values.len()))
        }
    };
    match op {
        PlanOp::AddItem {
            fields, position, ..
        } => {
            let fields = fields.as_ref().ok_or_else(no_html)?;
            known_fields(fields, &known)?;
            let at = position.map_or(values.len(), |at| (at as usize).min(values.len()));
            values.insert(at, Value::Object(fields.clone()));
        }
        PlanOp::UpdateItem { index, fields, .. } => {
            let fields = fields.as_ref().ok_or_else(no_html)?;
            known_fields(fields, &known)?;
            let at = at(*index, &values)?;
            if !values[at].is_object() {
                values[at] = json!({});
            }
            if let Some(entry) = values[at].as_object_mut() {
                for (name, value) in fields {
                    if value.is_null() {
                        entry.remove(name);
                    } else {
                        entry.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        PlanOp::RemoveItem { index, .. } => {
            let at = at(*index, &values)?;
            values.remove(at);
        }
        PlanOp::MoveItem {
            index, position, ..
        } => {
            let at = at(*index, &values)?;
            let entry = values.remove(at);
            values.insert((*position as usize).min(values.len()), entry);
        }
        _ => return Err(misled()),
    }
    act.set_prop(found.node, &prop, Value::Array(values))
}

fn known_fields(fields: &Map<String, Value>, known: &[String]) -> Result<(), Stop> {
    let unknown = fields
        .keys()
        .find(|name| !known.is_empty() && !known.contains(name));
    match unknown {
        None => Ok(()),
        Some(unknown) => {
            let message = format!(
                "An item here has no `{unknown}`; it has {}.",
                known.join(", ")
            );
            Err(Stop::invalid_at("fields", message))
        }
    }
}
