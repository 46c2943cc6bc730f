//! The widths of breakpoints. Rules that belong to a breakpoint move with it, so that a site can take other widths without being
//! rewritten by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_markup::css::{Breakpoint, StyleContext, context_of};
use sitewright_tool::Touched;
use sitewright_tool::definition::edit;

use crate::{Entity, Item, ItemId, List};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

/// Below it no phone is shown, and above it no screen.
const WIDTHS: std::ops::RangeInclusive<u32> = 200..=10_000;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("set_breakpoint_widths", "Set the widths of breakpoints", "Changes up to which width the styles of a breakpoint apply. All rules for the breakpoint \
               move with it.")
        .words("Setting screen widths", "Set screen widths").with(set_widths),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetBreakpointWidths {
    /// The breakpoints to change.
    #[schemars(length(min = 1, max = 20))]
    breakpoints: Vec<SetWidth>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetWidth {
    /// The breakpoint.
    breakpoint_id: String,
    /// The widest screen its styles are for, in pixels.
    max_width: u32,
    /// The width of its frame on the canvas; stays as it is when left out, and never exceeds `maxWidth`.
    frame_width: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct BreakpointWidths {
    breakpoints: Vec<BreakpointChange>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BreakpointChange {
    breakpoint_id: String,
    /// Its query so far.
    old_query: String,
    /// Its query from now on.
    query: String,
    /// How many rules move with it.
    rules: usize,
}

fn set_widths(input: SetBreakpointWidths, work: &mut Work<'_>) -> Result<BreakpointWidths, Stop> {
    // Against the breakpoints as they were: two of them may swap their widths.
    let known = work.site.breakpoints();
    let mut wanted = Vec::with_capacity(input.breakpoints.len());
    for wish in &input.breakpoints {
        wanted.push(changed_breakpoint(work, wish)?);
    }
    let rules = rules_of(work, &known);
    let mut breakpoints = Vec::with_capacity(wanted.len());
    for BreakpointPlan { id, before, after } in wanted {
        let moving = rules.iter().filter(|rule| rule.breakpoint == before.id);
        let moving: Vec<&BreakpointRule> = moving.collect();
        for rule in &moving {
            work.put(
                rule.entity,
                "wrappers",
                json!(after.wrapper().into_iter().collect::<Vec<_>>()),
            )?;
        }
        let entity = Entity::Item {
            list: List::Breakpoints,
            id,
        };
        let steps_before = work.steps();
        work.put(entity, "width", json!(after.width))?;
        work.put(entity, "query", json!(after.query))?;
        let touched = Touched {
            kind: "breakpoint".to_owned(),
            id: id.to_string(),
            name: Some(after.label.clone()),
            also_used_in: None,
        };
        let to = if work.steps() > steps_before {
            &mut work.receipt.changed
        } else {
            &mut work.receipt.unchanged
        };
        to.push(touched);
        breakpoints.push(BreakpointChange {
            breakpoint_id: before.id,
            old_query: before.query.unwrap_or_default(),
            query: after.query.unwrap_or_default(),
            rules: moving.len(),
        });
    }
    Ok(BreakpointWidths { breakpoints })
}

struct BreakpointPlan {
    id: ItemId,
    before: Breakpoint,
    after: Breakpoint,
}

fn changed_breakpoint(work: &Work<'_>, wish: &SetWidth) -> Result<BreakpointPlan, Stop> {
    let mut items = work.site.shell.items.list(List::Breakpoints);
    let found = items.find_map(|(id, item)| match item {
        Item::Breakpoint(breakpoint) if breakpoint.id == wish.breakpoint_id => {
            Some((id, breakpoint.clone()))
        }
        _ => None,
    });
    let Some((id, before)) = found else {
        return Err(Stop::not_found(format!(
            "There is no breakpoint `{}`; list_breakpoints names them.",
            wish.breakpoint_id
        )));
    };
    if before.query.is_none() {
        return Err(Stop::invalid(format!(
            "The breakpoint `{}` is the base that all widths share, so it has no maximum.",
            before.id
        )));
    }
    let frame = wish.frame_width.unwrap_or(before.width).min(wish.max_width);
    if !WIDTHS.contains(&wish.max_width) || !WIDTHS.contains(&frame) {
        return Err(Stop::invalid(format!(
            "Widths must be {} to {} pixels.",
            WIDTHS.start(),
            WIDTHS.end()
        )));
    }
    let after = Breakpoint::up_to(&before.id, &before.label, wish.max_width).with_frame(frame);
    Ok(BreakpointPlan { id, before, after })
}

/// A rule that belongs to a breakpoint.
struct BreakpointRule {
    entity: Entity,
    breakpoint: String,
}

fn rules_of(work: &Work<'_>, breakpoints: &[Breakpoint]) -> Vec<BreakpointRule> {
    let items = &work.site.shell.items;
    let sheets = items.list(List::Sheets).map(|(sheet, _)| sheet);
    let rules = sheets.flat_map(|sheet| {
        items.pieces(sheet).filter_map(move |(id, piece)| {
            match context_of(piece.wrappers(), breakpoints) {
                StyleContext::Breakpoint(breakpoint) => Some(BreakpointRule {
                    entity: Entity::Piece { sheet, id },
                    breakpoint,
                }),
                StyleContext::Base | StyleContext::Other => None,
            }
        })
    });
    rules.collect()
}
