//! Styles: writing any CSS into the site's own stylesheet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_markup::css::{
    CssEdit, CssLeft, CssLimits, CssPlace, CssTally, Origin, Piece, parse_css, plan_add,
    plan_upsert, tally_css,
};
use sitewright_tool::definition::edit;
use sitewright_tool::{ErrorCode, ToolError, Touched};

use crate::{Entity, Item, ItemId, Lock, NewEntity, Op, Sheet, Target};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("applyCss", "Write CSS", "Writes CSS of any kind: a selector that is there already is edited, any other is added. A single class such as \
                          `.hero` is a class for reuse; every other selector, @media and @keyframes work too. What tokens generate is \
                          never overwritten.")
        .words("Writing styles", "Wrote styles").with(apply),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApplyCss {
    /// The CSS.
    css: String,
}

/// How many rules came and changed.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CssCounts {
    /// New rules.
    pub(super) css_rules_created: usize,
    /// Rules that are different now.
    pub(super) css_rules_updated: usize,
}

fn apply(input: ApplyCss, work: &mut Work<'_>) -> Result<CssCounts, Stop> {
    upsert(work, &input.css)
}

/// Where an existing rule comes from: generated from tokens, or a piece of the site's sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KnownRules {
    Generated,
    Written(ItemId),
}

/// Edits existing rules and adds the others. Fails when the CSS contains no rule.
pub(crate) fn upsert(work: &mut Work<'_>, css: &str) -> Result<CssCounts, Stop> {
    let counts = write(work, css, plan_upsert)?;
    counts.ok_or_else(|| {
        Stop::invalid("There is no rule in the CSS. Write rules such as `.hero { color: red }`.")
    })
}

/// Adds rules that do not exist; existing ones stay unchanged and are named in the notes.
pub(super) fn add(work: &mut Work<'_>, css: &str) -> Result<(), Stop> {
    write(work, css, plan_add).map(drop)
}

type Plan = fn(&[(KnownRules, &Piece)], Vec<Piece>) -> Vec<CssEdit<KnownRules>>;

/// Applies the edits that `plan` makes of the CSS; `None` when it contains no rule.
fn write(work: &mut Work<'_>, css: &str, plan: Plan) -> Result<Option<CssCounts>, Stop> {
    let parsed = parse_css(css, Origin::Author, &CssLimits::default())
        .map_err(|error| ToolError::new(ErrorCode::TooLarge, format!("{error}.")))?;
    for problem in &parsed.problems {
        work.receipt.notes.push(format!(
            "Line {} cannot be read and was left out: {}",
            problem.line, problem.text
        ));
    }
    if parsed.pieces.is_empty() {
        return Ok(None);
    }
    let sheet = site_sheet(work)?;
    let framework = work.site.framework();
    let generated = framework.iter().map(|piece| (KnownRules::Generated, piece));
    let written = work
        .site
        .shell
        .items
        .pieces(sheet)
        .map(|(id, piece)| (KnownRules::Written(id), piece));
    let existing: Vec<(KnownRules, &Piece)> = generated.chain(written).collect();
    let edits = plan(&existing, parsed.pieces);
    let CssTally {
        created, updated, ..
    } = tally_css(&edits);
    carry_out(work, sheet, edits)?;
    Ok(Some(CssCounts {
        css_rules_created: created,
        css_rules_updated: updated,
    }))
}

/// The site-wide sheet, created if there is none.
pub(super) fn site_sheet(work: &mut Work<'_>) -> Result<ItemId, Stop> {
    if let Some(sheet) = work.site.site_sheet() {
        return Ok(sheet);
    }
    let id = work.mint.mint();
    let sheet = Item::Sheet(Sheet {
        name: "Site".to_owned(),
        target: Target::Site,
        lock: Lock::Open,
    });
    work.step(Op::Insert {
        new: Box::new(NewEntity::Item {
            id,
            item: Box::new(sheet),
            pieces: Vec::new(),
            after: None,
        }),
    })?;
    Ok(id)
}

fn carry_out(
    work: &mut Work<'_>,
    sheet: ItemId,
    edits: Vec<CssEdit<KnownRules>>,
) -> Result<(), Stop> {
    let mut inserted: Vec<ItemId> = Vec::new();
    for edit in edits {
        match edit {
            CssEdit::Change {
                id: KnownRules::Written(id),
                declarations,
            } => put(work, (sheet, id), "declarations", json!(declarations))?,
            CssEdit::Rewrite {
                id: KnownRules::Written(id),
                text,
            } => put(work, (sheet, id), "text", json!(text))?,
            CssEdit::Insert { place, piece } => {
                let after = match place {
                    CssPlace::After(KnownRules::Written(id)) => Some(id),
                    CssPlace::AfterInserted(position) => inserted.get(position).copied(),
                    CssPlace::Start | CssPlace::After(KnownRules::Generated) => None,
                };
                inserted.push(insert(work, sheet, piece, after)?);
            }
            CssEdit::Keep {
                id: KnownRules::Written(id),
            } => {
                let touched = rule(work, sheet, id);
                work.receipt.unchanged.push(touched);
            }
            CssEdit::Leave { why, asked, .. } => work.receipt.notes.push(left_alone(why, &asked)),
            // Generated rules are never changed: they have no place in the sheet.
            CssEdit::Change {
                id: KnownRules::Generated,
                ..
            }
            | CssEdit::Rewrite {
                id: KnownRules::Generated,
                ..
            }
            | CssEdit::Keep {
                id: KnownRules::Generated,
            } => {}
        }
    }
    Ok(())
}

/// Adds a rule behind another one, or at the beginning.
pub(super) fn insert(
    work: &mut Work<'_>,
    sheet: ItemId,
    piece: Piece,
    after: Option<ItemId>,
) -> Result<ItemId, Stop> {
    let id = work.mint.mint();
    work.step(Op::Insert {
        new: Box::new(NewEntity::Piece {
            sheet,
            id,
            piece: Box::new(piece),
            after,
        }),
    })?;
    let touched = rule(work, sheet, id);
    work.receipt.created.push(touched);
    Ok(id)
}

/// Changes a field of a rule.
pub(super) fn put(
    work: &mut Work<'_>,
    (sheet, id): (ItemId, ItemId),
    field: &str,
    value: Value,
) -> Result<(), Stop> {
    work.step(Op::Put {
        entity: Entity::Piece { sheet, id },
        field: field.to_owned(),
        value,
    })?;
    let touched = rule(work, sheet, id);
    work.receipt.changed.push(touched);
    Ok(())
}

fn left_alone(why: CssLeft, asked: &Piece) -> String {
    let what = named(asked);
    match why {
        CssLeft::Framework => format!(
            "`{what}` was kept as it is: it is generated from tokens. Change the tokens instead."
        ),
        CssLeft::Exists => format!("Kept your existing `{what}` style."),
    }
}

fn rule(work: &Work<'_>, sheet: ItemId, id: ItemId) -> Touched {
    let name = work.site.shell.items.piece(sheet, id).map(named);
    Touched {
        kind: "rule".to_owned(),
        id: id.to_string(),
        name,
        also_used_in: None,
    }
}

/// The display name of a rule.
fn named(piece: &Piece) -> String {
    match piece {
        Piece::Block(block) => {
            let mut parts: Vec<&str> = block.wrappers.iter().map(String::as_str).collect();
            parts.push(&block.selector);
            parts.join(" ")
        }
        Piece::Raw(raw) => raw
            .text
            .split('{')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
    }
}
