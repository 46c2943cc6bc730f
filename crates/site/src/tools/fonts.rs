//! Fonts of the design system: by role, bound to a family that is installed already or that the host installs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_markup::css::FontToken;
use sitewright_tool::definition::edit;
use sitewright_tool::{ErrorCode, ToolError, Touched};

use crate::{
    Entity, FontFamily, FontQuery, FontReport, Item, ItemId, List, Lock, Need, NewEntity, Op,
};

use super::tokens::{Action, find, put, some, wrong};
use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("set_font_tokens", "Set fonts", "Makes or changes fonts by role, each used as var(--<variable>). googleFamily installs a web font on \
               this site, familyId names one that is installed; with neither, only the fallback is used. Give one of the two: \
               googleFamily wins.")
        .words("Setting fonts", "Set fonts").with(set_fonts),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetFontTokens {
    /// The fonts.
    #[schemars(length(min = 1, max = 50))]
    tokens: Vec<SetFont>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetFont {
    /// What people call it, such as `Headings`.
    name: String,
    /// The name of its variable, without dashes; made from the name when left out.
    variable: Option<String>,
    /// What stands in, such as `system-ui, sans-serif`.
    fallback: Option<String>,
    /// A family of Google Fonts to install and use, such as `Inter`.
    google_family: Option<String>,
    /// Which of its variants, such as `400`, `700` or `400italic`; 400 and 700 when left out.
    variants: Option<Vec<String>>,
    /// Which of its subsets, such as `latin-ext`; `latin` when left out.
    subsets: Option<Vec<String>>,
    /// An installed family, by its id or its name.
    family_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Fonts {
    tokens: Vec<SetOneFont>,
}

#[derive(Serialize, JsonSchema)]
struct SetOneFont {
    name: String,
    variable: String,
    /// How CSS refers to it.
    r#ref: String,
    /// True when a web font was installed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    installed: Option<bool>,
    action: Action,
}

/// The family to bind a font token to.
enum Family {
    /// A family of the site, by name.
    Known(String),
    /// A family that the host has installed for this call.
    Installed(FontFamily),
    /// The current binding, if any.
    Kept,
}

fn set_fonts(input: SetFontTokens, work: &mut Work<'_>) -> Result<Fonts, Stop> {
    some(&input.tokens)?;
    let families = families(&input.tokens, work)?;
    let mut tokens = Vec::with_capacity(input.tokens.len());
    for (wish, family) in input.tokens.into_iter().zip(families) {
        tokens.push(set_font(wish, family, work)?);
    }
    Ok(Fonts { tokens })
}

/// Resolves the family of every token before anything changes. Families that must be installed are requested from the
/// host all at once.
fn families(wishes: &[SetFont], work: &mut Work<'_>) -> Result<Vec<Family>, Stop> {
    let mut needs = Vec::new();
    let mut families = Vec::with_capacity(wishes.len());
    for (at, wish) in wishes.iter().enumerate() {
        let family = match (&wish.google_family, &wish.family_id) {
            (Some(google), ignored) => {
                if let Some(ignored) = ignored {
                    let note = format!("familyId `{ignored}` was ignored: googleFamily wins.");
                    work.receipt.notes.push(note);
                }
                let query = query(at, google, wish)?;
                let no_more = wish.variants.is_none() && wish.subsets.is_none();
                match (installed(work, &query.google_family), no_more) {
                    (Some((_, known)), true) => Family::Known(known.family),
                    (Some(_) | None, _) => match work.facts.fonts.get(&query) {
                        Some(FontReport::Installed(family)) => Family::Installed(family.clone()),
                        Some(FontReport::Refused { reason }) => {
                            return Err(refused(&query.google_family, reason));
                        }
                        None => {
                            let need = Need::FontFamily(query);
                            if !needs.contains(&need) {
                                needs.push(need);
                            }
                            Family::Kept
                        }
                    },
                }
            }
            (None, Some(wanted)) => Family::Known(family(work, wanted)?),
            (None, None) => Family::Kept,
        };
        families.push(family);
    }
    if needs.is_empty() {
        Ok(families)
    } else {
        Err(Stop::Needs(needs))
    }
}

fn set_font(wish: SetFont, family: Family, work: &mut Work<'_>) -> Result<SetOneFont, Stop> {
    let name = wish.name.trim().to_owned();
    let variable = wish.variable.map_or_else(
        || variable_of(&name),
        |variable| variable.trim().trim_start_matches("--").to_owned(),
    );
    let known = find(
        work,
        List::Fonts,
        |item| matches!(item, Item::Font(font) if font.variable == variable),
    );
    let before = match &known {
        Some((_, Item::Font(font))) => Some(font.clone()),
        _ => None,
    };
    let (family, installed) = match family {
        Family::Known(family) => (Some(family), None),
        Family::Installed(family) => {
            let name = family.family.clone();
            install(work, family)?;
            (Some(name), Some(true))
        }
        Family::Kept => (before.as_ref().and_then(|font| font.family.clone()), None),
    };
    let lock = before.as_ref().map_or(Lock::Open, |font| font.lock);
    let fallback = wish
        .fallback
        .or(before.map(|font| font.fallback))
        .unwrap_or_else(|| "system-ui, sans-serif".to_owned());
    let font = FontToken {
        name: name.clone(),
        variable: variable.clone(),
        fallback,
        family,
        lock,
    };
    font.check().map_err(|problem| wrong(&problem))?;
    let action = put(work, known, Item::Font(font), &name)?;
    Ok(SetOneFont {
        name,
        r#ref: format!("var(--{variable})"),
        variable,
        installed,
        action,
    })
}

/// Adds a family to the site, or adds its new files to the family that the site has.
fn install(work: &mut Work<'_>, new: FontFamily) -> Result<(), Stop> {
    let touched = |id: ItemId, name: &str| Touched {
        kind: "font".to_owned(),
        id: id.to_string(),
        name: Some(name.to_owned()),
        also_used_in: None,
    };
    let Some((id, known)) = installed(work, &new.family) else {
        let id = work.mint.mint();
        let after = work.site.shell.items.list(List::Families).last();
        let after = after.map(|(id, _)| id);
        let made = touched(id, &new.family);
        work.step(Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item: Box::new(Item::Family(new)),
                pieces: Vec::new(),
                after,
            }),
        })?;
        work.receipt.created.push(made);
        return Ok(());
    };
    let mut files = known.files.clone();
    files.extend(
        new.files
            .into_iter()
            .filter(|file| !known.files.contains(file)),
    );
    if files == known.files {
        work.receipt.unchanged.push(touched(id, &known.family));
        return Ok(());
    }
    let entity = Entity::Item {
        list: List::Families,
        id,
    };
    work.put(entity, "files", json!(files))?;
    work.receipt.changed.push(touched(id, &known.family));
    Ok(())
}

/// The request to the host to install a family.
fn query(at: usize, google: &str, wish: &SetFont) -> Result<FontQuery, Stop> {
    let query = FontQuery::of(google, wish.variants.as_deref(), wish.subsets.as_deref());
    query.map_err(|bad| Stop::invalid_at(&format!("tokens/{at}/{}", bad.field), bad.message))
}

fn refused(family: &str, reason: &str) -> Stop {
    ToolError::new(
        ErrorCode::Unavailable,
        format!("The font {family} could not be installed: {reason}. Choose an installed font, or set only a fallback."),
    )
    .into()
}

/// The site's family with this name.
fn installed(work: &Work<'_>, name: &str) -> Option<(ItemId, FontFamily)> {
    let mut items = work.site.shell.items.list(List::Families);
    items.find_map(|(id, item)| match item {
        Item::Family(family) if family.family.eq_ignore_ascii_case(name) => {
            Some((id, family.clone()))
        }
        _ => None,
    })
}

fn family(work: &Work<'_>, wanted: &str) -> Result<String, Stop> {
    let families = work
        .site
        .shell
        .items
        .list(List::Families)
        .filter_map(|(id, item)| match item {
            Item::Family(family) => Some((id, family.family.clone())),
            _ => None,
        });
    let known: Vec<(ItemId, String)> = families.collect();
    let found = known
        .iter()
        .find(|(id, family)| id.to_string() == wanted || family == wanted);
    found.map(|(_, family)| family.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(_, family)| family.as_str()).collect();
        let there = if names.is_empty() {
            "none is".to_owned()
        } else {
            format!("installed are {}", names.join(", "))
        };
        Stop::not_found(format!("The family `{wanted}` is not installed; {there}."))
    })
}

fn variable_of(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower
        .split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    format!("font-{}", words.collect::<Vec<_>>().join("-"))
}
