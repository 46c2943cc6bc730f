//! Props: changing a node through its module.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_markup::css::Breakpoint;
use sitewright_markup::html::refuses_attr;
use sitewright_tool::definition::{edit, query};

use crate::field::attr_value;
use crate::module::{MODULES, Module, Prop, PropKind, Writes, module_of};
use crate::{Attr, Kind, NewEntity, NodeId, Op, Place, Subtree, SubtreeNode, check_bindings};

use super::own_style::{self, ElementState, StyleScope};
use super::work::{LocatedNode, Stop, Work};
use super::{Nothing, PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        query("list_modules", "List modules", "Lists what a node can be and the props updateNodeProps sets on each.")
        .words("Looking at insertable elements", "Looked at insertable elements").with(list),
        edit("updateNodeProps", "Change a node", "Sets props of a node; those left out stay, null takes one away. list_modules names the props of each module. Every \
                          node also has `hidden` and `style.<property>`, which alone take a breakpointId. With a state, `style.<property>` holds in it.")
        .words("Changing an element", "Changed an element").subject("nodeId").with(update),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListModules {
    /// Only modules of this category.
    category: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Modules {
    modules: Vec<&'static Module>,
}

fn list(input: ListModules, _: &mut Work<'_>) -> Result<Modules, Stop> {
    let wanted = |module: &&Module| {
        input
            .category
            .as_deref()
            .is_none_or(|category| module.category == category)
    };
    Ok(Modules {
        modules: MODULES.iter().filter(wanted).collect(),
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdateNodeProps {
    /// The node.
    pub(crate) node_id: NodeId,
    /// The breakpoint, for `hidden` and `style.*` only.
    pub(crate) breakpoint_id: Option<String>,
    /// The state, for `style.*` only.
    pub(crate) state: Option<ElementState>,
    /// The props and their values.
    pub(crate) patch: Map<String, Value>,
}

pub(crate) fn update(input: UpdateNodeProps, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let found = work.find(input.node_id)?;
    let module = module_of(work.node(found)?).ok_or_else(|| {
        Stop::invalid("Text has no props; change the text prop of what holds it.")
    })?;
    if input.patch.is_empty() {
        return Err(Stop::invalid("patch must hold at least one prop."));
    }
    let breakpoint = input
        .breakpoint_id
        .as_deref()
        .map(|id| breakpoint_of(work, id))
        .transpose()?;
    let scope = StyleScope {
        breakpoint,
        state: input.state,
    };
    let touched = work.touched(found);
    let steps_before = work.steps();
    for (name, value) in &input.patch {
        if let Some(property) = name.strip_prefix("style.") {
            style(work, found, &scope, (property, value))?;
        } else if scope.state.is_some() {
            return Err(Stop::invalid(format!(
                "`{name}` is the same in every state; only style.* takes a state."
            )));
        } else if scope.breakpoint.is_some() && name == "hidden" {
            let display = boolean(name, value)?.then_some("none");
            own_style::set(work, found, &scope, "display", display)?;
        } else if scope.breakpoint.is_some() {
            return Err(Stop::invalid(format!(
                "`{name}` is the same at every width; only hidden and style.* take a breakpointId."
            )));
        } else if name == "hidden" {
            work.put(found.entity(), "hidden", json!(boolean(name, value)?))?;
        } else {
            prop(work, found, module, (name, value))?;
        }
    }
    let to = if work.steps() > steps_before {
        &mut work.receipt.changed
    } else {
        &mut work.receipt.unchanged
    };
    to.push(touched);
    Ok(Nothing {})
}

fn prop(
    work: &mut Work<'_>,
    found: LocatedNode,
    module: &Module,
    (name, value): (&String, &Value),
) -> Result<(), Stop> {
    if let Kind::Component(_) = &work.node(found)?.kind {
        return work.put(found.entity(), &format!("props.{name}"), value.clone());
    }
    let Some(Prop { kind, writes, .. }) = module.props.iter().find(|prop| prop.name == name) else {
        let names: Vec<&str> = module
            .props
            .iter()
            .map(|prop| prop.name)
            .chain(["hidden", "style.<property>"])
            .collect();
        return Err(Stop::invalid(format!(
            "{} has no prop `{name}`; it has {}.",
            module.id,
            names.join(", ")
        )));
    };
    match writes {
        Writes::Attr(attr) => attribute(work, found, attr, text_of(name, value, *kind)?),
        Writes::Flag(attr) => {
            let wanted = boolean(name, value)?.then(String::new);
            attribute(work, found, attr, wanted)
        }
        Writes::Tag => {
            let tag = text_of(name, value, *kind)?.filter(|tag| {
                MODULES
                    .iter()
                    .any(|module| module.tags.contains(&tag.as_str()))
            });
            let tag = tag.ok_or_else(|| {
                Stop::invalid("tag must be the tag of a module; list_modules names them.")
            })?;
            work.put(found.entity(), "tag", json!(tag))
        }
        Writes::Content => content(
            work,
            found,
            text_of(name, value, *kind)?.unwrap_or_default(),
        ),
        Writes::Loop(field) => {
            let Kind::Loop(looped) = &work.node(found)?.kind else {
                return Err(Stop::invalid("This is no loop."));
            };
            let mut fields = json!(looped);
            fields[*field] = value.clone();
            work.put(found.entity(), "loop", fields)
        }
    }
}

fn attribute(
    work: &mut Work<'_>,
    found: LocatedNode,
    name: &str,
    value: Option<String>,
) -> Result<(), Stop> {
    let mut wanted = json!(value);
    if let (Some(value), Kind::Element(element)) = (&value, &work.node(found)?.kind) {
        let target = work.site.target_of(found.body, element, (name, value));
        let attr = Attr {
            target: target.map(Box::new),
            ..Attr::new(name, value.as_str())
        };
        if let Some(reason) = refuses_attr(element, &attr) {
            let hint = match reason.ends_with("address") {
                true => " Use one that begins with https:, mailto:, tel:, / or #.",
                false => "",
            };
            return Err(Stop::invalid(format!("Not allowed: {reason}.{hint}")));
        }
        check_bindings(value).map_err(|error| Stop::invalid(format!("{error}.")))?;
        wanted = attr_value(&attr);
    }
    work.put(found.entity(), &format!("attrs.{name}"), wanted)
}

/// Sets the text of an element that contains nothing but text.
fn content(work: &mut Work<'_>, found: LocatedNode, text: String) -> Result<(), Stop> {
    check_bindings(&text).map_err(|error| Stop::invalid(format!("{error}.")))?;
    let tree = work.tree(found.body)?;
    let children: Vec<NodeId> = tree.children(found.node).collect();
    let only_text = |id: &NodeId| {
        tree.node(*id)
            .is_some_and(|node| matches!(node.kind, Kind::Text(_)))
    };
    match children.as_slice() {
        [] => {
            let node = crate::Node::new(Kind::Text(text));
            let grown = vec![SubtreeNode {
                id: work.mint.mint(),
                parent: None,
                node,
            }];
            let nodes =
                Subtree::new(grown).map_err(|misplaced| Stop::invalid(misplaced.to_string()))?;
            let place = Place {
                parent: found.node,
                after: None,
            };
            work.step(Op::Insert {
                new: Box::new(NewEntity::Nodes {
                    body: found.body,
                    nodes,
                    place,
                }),
            })
        }
        [only] if only_text(only) => {
            let only = LocatedNode {
                body: found.body,
                node: *only,
            };
            work.put(only.entity(), "text", json!(text))
        }
        _ => Err(Stop::invalid(
            "This node holds other nodes beside text; change those, or replace all with replaceNodeHtml.",
        )),
    }
}

/// Changes a rule for this node alone.
fn style(
    work: &mut Work<'_>,
    found: LocatedNode,
    scope: &StyleScope,
    (property, value): (&str, &Value),
) -> Result<(), Stop> {
    let name_is_fine = !property.is_empty()
        && property
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '-');
    let value = text_of(property, value, PropKind::Text)?;
    let is_one_value = |value: &String| !value.contains(['{', '}', ';']);
    if !name_is_fine || !value.iter().all(is_one_value) {
        return Err(Stop::invalid(format!(
            "style.{property} must be one property with one value."
        )));
    }
    own_style::set(work, found, scope, &kebab(property), value.as_deref())
}

/// Converts `backgroundColor` to the spelling of CSS.
fn kebab(property: &str) -> String {
    let mut written = String::new();
    for char in property.chars() {
        if char.is_ascii_uppercase() && !property.starts_with("--") {
            written.push('-');
            written.push(char.to_ascii_lowercase());
        } else {
            written.push(char);
        }
    }
    written
}

fn breakpoint_of(work: &Work<'_>, id: &str) -> Result<Breakpoint, Stop> {
    let breakpoints = work.site.breakpoints();
    let Some(found) = breakpoints.iter().find(|breakpoint| breakpoint.id == id) else {
        let ids: Vec<&str> = breakpoints
            .iter()
            .map(|breakpoint| breakpoint.id.as_str())
            .collect();
        return Err(Stop::invalid(match ids.as_slice() {
            [] => format!(
                "There is no breakpoint `{id}`; the site has none, so leave breakpointId out."
            ),
            ids => format!(
                "There is no breakpoint `{id}`; there are {}.",
                ids.join(", ")
            ),
        }));
    };
    if found.query.is_none() {
        return Err(Stop::invalid(format!(
            "The breakpoint `{id}` is the base that all widths share; leave breakpointId out."
        )));
    }
    Ok(found.clone())
}

fn boolean(name: &str, value: &Value) -> Result<bool, Stop> {
    value
        .as_bool()
        .ok_or_else(|| Stop::invalid(format!("`{name}` must be true or false.")))
}

fn text_of(name: &str, value: &Value, kind: PropKind) -> Result<Option<String>, Stop> {
    match (value, kind) {
        (Value::Null, _) => Ok(None),
        (Value::String(text), PropKind::Text | PropKind::Url) => Ok(Some(text.clone())),
        (Value::Number(number), PropKind::Number | PropKind::Text) => Ok(Some(number.to_string())),
        (Value::String(text), PropKind::Number) if text.parse::<f64>().is_ok() => {
            Ok(Some(text.clone()))
        }
        (_, PropKind::Number) => Err(Stop::invalid(format!("`{name}` must be a number or null."))),
        _ => Err(Stop::invalid(format!("`{name}` must be a text or null."))),
    }
}
