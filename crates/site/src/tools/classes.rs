//! Classes on nodes: adding and removing one.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sitewright_tool::definition::edit;

use crate::{NodeId, Op};

use super::work::{Stop, Work};
use super::{Nothing, PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit(
            "assignClass",
            "Add a class",
            "Attaches a class to a node, by its name.",
        )
        .words("Styling an element", "Styled an element")
        .subject("nodeId")
        .with(assign),
        edit(
            "removeClass",
            "Take a class off",
            "Takes a class off a node; the class itself stays.",
        )
        .words("Removing a style", "Removed a style")
        .subject("nodeId")
        .with(take_off),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ClassOnNode {
    /// The node.
    pub(crate) node_id: NodeId,
    /// The class, by its name without a dot.
    pub(crate) class_id: String,
}

pub(crate) fn assign(input: ClassOnNode, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    change(&input, work, true)
}

pub(crate) fn take_off(input: ClassOnNode, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    change(&input, work, false)
}

fn change(input: &ClassOnNode, work: &mut Work<'_>, wanted: bool) -> Result<Nothing, Stop> {
    let found = work.find(input.node_id)?;
    let class = input.class_id.trim().trim_start_matches('.');
    if class.is_empty() || class.contains(char::is_whitespace) {
        return Err(Stop::invalid(
            "classId must be the name of one class, without a dot or blanks.",
        ));
    }
    let written = work.node(found)?.classes.clone().unwrap_or_default();
    let has = written.split_ascii_whitespace().any(|known| known == class);
    let touched = work.touched(found);
    if has == wanted {
        work.receipt.unchanged.push(touched);
        return Ok(Nothing {});
    }
    let classes = if wanted {
        [written.trim(), class].join(" ").trim().to_owned()
    } else {
        written
            .split_ascii_whitespace()
            .filter(|known| *known != class)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let value = if classes.is_empty() {
        json!(null)
    } else {
        json!(classes)
    };
    work.step(Op::Put {
        entity: found.entity(),
        field: "classes".to_owned(),
        value,
    })?;
    work.receipt.changed.push(touched);
    Ok(Nothing {})
}
