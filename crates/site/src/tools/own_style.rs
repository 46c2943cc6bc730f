//! The styles of one node: rules for a class that only this node has, `n-<id>`, in the site's own sheet.
//!
//! A rule applies at every width, at one breakpoint, in a state such as hover, or both. The rules of a selector are kept in the order of
//! the cascade, so that what is set for phones wins over what is set for tablets, whichever was set first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_markup::css::{
    Block, CascadeOrder, CssLimits, Declaration, Origin, Piece, StyleContext, class_selector,
    context_of, parse_css,
};

use crate::{Breakpoint, Entity, ItemId, NodeId, Op, Site};

use super::css;
use super::work::{LocatedNode, Stop, Work};

/// A state of an element that can have styles of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ElementState {
    /// The pointer is over it.
    Hover,
    /// It has the keyboard focus.
    Focus,
    /// It is being pressed.
    Active,
}

impl ElementState {
    const ALL: [Self; 3] = [Self::Hover, Self::Focus, Self::Active];

    fn pseudo_class(self) -> &'static str {
        match self {
            Self::Hover => ":hover",
            // A mouse click moves the focus as well, and is not what a style for keyboard users is about.
            Self::Focus => ":focus-visible",
            Self::Active => ":active",
        }
    }
}

/// Where a style of a node applies.
#[derive(Debug, Clone, Default)]
pub(super) struct StyleScope {
    /// Absent for every width.
    pub(super) breakpoint: Option<Breakpoint>,
    /// Absent for the element at rest.
    pub(super) state: Option<ElementState>,
}

impl StyleScope {
    /// What is set for one breakpoint or state has to win over the `style` attribute of the node and over more specific rules of
    /// the site, which hold at every width. Only `!important` does.
    fn is_important(&self) -> bool {
        self.breakpoint.is_some() || self.state.is_some()
    }
}

/// The declarations of a node for one breakpoint and state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnStyle {
    /// The breakpoint; absent for every width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakpoint: Option<String>,
    /// The state; absent for the element at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ElementState>,
    /// What is declared, in order.
    pub declarations: Vec<Declaration>,
}

/// The class that only this node has.
pub(crate) fn own_class(node: NodeId) -> String {
    format!("n-{node}")
}

fn has_class(classes: Option<&str>, class: &str) -> bool {
    classes
        .unwrap_or_default()
        .split_ascii_whitespace()
        .any(|known| known == class)
}

fn selector(class: &str, state: Option<ElementState>) -> String {
    let pseudo_class = state.map_or("", ElementState::pseudo_class);
    format!("{}{pseudo_class}", class_selector(class))
}

impl Site {
    /// The rules of a node's own class, for each breakpoint and state that has one.
    pub(crate) fn own_styles(&self, node: NodeId, classes: Option<&str>) -> Vec<OwnStyle> {
        let class = own_class(node);
        let Some(sheet) = self.site_sheet().filter(|_| has_class(classes, &class)) else {
            return Vec::new();
        };
        let breakpoints = self.breakpoints();
        let states = [None]
            .into_iter()
            .chain(ElementState::ALL.into_iter().map(Some));
        let selectors: Vec<_> = states
            .map(|state| (state, selector(&class, state)))
            .collect();
        let blocks = self.shell.items.pieces(sheet).filter_map(|(_, piece)| {
            let Piece::Block(block) = piece else {
                return None;
            };
            let (state, _) = selectors.iter().find(|(_, own)| *own == block.selector)?;
            let breakpoint = match context_of(&block.wrappers, &breakpoints) {
                StyleContext::Base => None,
                StyleContext::Breakpoint(id) => Some(id),
                StyleContext::Other => return None,
            };
            Some(OwnStyle {
                breakpoint,
                state: *state,
                declarations: block.declarations.clone(),
            })
        });
        blocks.collect()
    }
}

/// Sets a property of a node, or removes it. The property was checked; the value may be anything a person typed.
pub(super) fn set(
    work: &mut Work<'_>,
    found: LocatedNode,
    scope: &StyleScope,
    property: &str,
    value: Option<&str>,
) -> Result<(), Stop> {
    let class = own_class(found.node);
    let selector = selector(&class, scope.state);
    match value {
        Some(value) => {
            let important = if scope.is_important() {
                " !important"
            } else {
                ""
            };
            let rule = format!("{selector} {{ {property}: {value}{important} }}");
            let declaration = only_declaration(&rule).ok_or_else(|| {
                Stop::invalid(format!(
                    "style.{property} must be one property with one value."
                ))
            })?;
            give_class(work, found, &class)?;
            write(work, scope, &selector, declaration)
        }
        None => {
            remove(work, scope, &selector, property)?;
            drop_unused_class(work, found, &class)
        }
    }
}

/// The declaration of a rule that consists of one; `None` for anything else.
fn only_declaration(rule: &str) -> Option<Declaration> {
    let parsed = parse_css(rule, Origin::Author, &CssLimits::default()).ok()?;
    match parsed.pieces.as_slice() {
        [Piece::Block(block)] if parsed.problems.is_empty() => {
            match block.declarations.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A rule of a node's class.
struct OwnRule {
    id: ItemId,
    order: CascadeOrder,
    is_in_scope: bool,
    declarations: Vec<Declaration>,
}

/// The rules of a selector in the site's sheet. Those under conditions that no breakpoint has are left out.
fn rules(work: &Work<'_>, sheet: ItemId, selector: &str, scope: &StyleScope) -> Vec<OwnRule> {
    let breakpoints = work.site.breakpoints();
    let wanted = scope.breakpoint.as_ref().map(|breakpoint| &breakpoint.id);
    let pieces = work.site.shell.items.pieces(sheet);
    let rules = pieces.filter_map(|(id, piece)| {
        let Piece::Block(block) = piece else {
            return None;
        };
        if block.selector != selector {
            return None;
        }
        let breakpoint = match context_of(&block.wrappers, &breakpoints) {
            StyleContext::Base => None,
            StyleContext::Breakpoint(id) => breakpoints.iter().find(|known| known.id == id),
            StyleContext::Other => return None,
        };
        Some(OwnRule {
            id,
            order: breakpoint.map_or(CascadeOrder::Base, Breakpoint::cascade_order),
            is_in_scope: breakpoint.map(|breakpoint| &breakpoint.id) == wanted,
            declarations: block.declarations.clone(),
        })
    });
    rules.collect()
}

fn write(
    work: &mut Work<'_>,
    scope: &StyleScope,
    selector: &str,
    declaration: Declaration,
) -> Result<(), Stop> {
    let sheet = css::site_sheet(work)?;
    let rules = rules(work, sheet, selector, scope);
    if let Some(rule) = rules.iter().rfind(|rule| rule.is_in_scope) {
        let mut declarations = rule.declarations.clone();
        if declarations.contains(&declaration) {
            return Ok(());
        }
        declarations.retain(|known| !is_about(known, &declaration.property));
        declarations.push(declaration);
        return css::put(work, (sheet, rule.id), "declarations", json!(declarations));
    }
    let order = scope
        .breakpoint
        .as_ref()
        .map_or(CascadeOrder::Base, Breakpoint::cascade_order);
    let wrapper = scope.breakpoint.as_ref().and_then(Breakpoint::wrapper);
    let block = Block {
        wrappers: wrapper.into_iter().collect(),
        selector: selector.to_owned(),
        declarations: vec![declaration],
        origin: Origin::Author,
        lock: crate::Lock::Open,
    };
    let after = place_for(work, sheet, &rules, order);
    css::insert(work, sheet, Piece::Block(block), after).map(drop)
}

/// The piece behind which a new rule of this order goes: the last rule of the selector that it wins over, else whatever is before the
/// first one that wins over it, else the end of the sheet.
fn place_for(
    work: &Work<'_>,
    sheet: ItemId,
    rules: &[OwnRule],
    order: CascadeOrder,
) -> Option<ItemId> {
    if let Some(weaker) = rules.iter().rfind(|rule| rule.order <= order) {
        return Some(weaker.id);
    }
    let pieces = || work.site.shell.items.pieces(sheet).map(|(id, _)| id);
    match rules.first() {
        Some(stronger) => pieces().take_while(|id| *id != stronger.id).last(),
        None => pieces().last(),
    }
}

fn remove(
    work: &mut Work<'_>,
    scope: &StyleScope,
    selector: &str,
    property: &str,
) -> Result<(), Stop> {
    let Some(sheet) = work.site.site_sheet() else {
        return Ok(());
    };
    for rule in rules(work, sheet, selector, scope) {
        let mut declarations = rule.declarations;
        let count = declarations.len();
        declarations.retain(|known| !is_about(known, property));
        if !rule.is_in_scope || declarations.len() == count {
            continue;
        }
        if declarations.is_empty() {
            work.step(Op::Remove {
                entity: Entity::Piece { sheet, id: rule.id },
            })?;
        } else {
            css::put(work, (sheet, rule.id), "declarations", json!(declarations))?;
        }
    }
    Ok(())
}

fn is_about(declaration: &Declaration, property: &str) -> bool {
    if property.starts_with("--") {
        declaration.property == property
    } else {
        declaration.property.eq_ignore_ascii_case(property)
    }
}

fn give_class(work: &mut Work<'_>, found: LocatedNode, class: &str) -> Result<(), Stop> {
    let written = work.node(found)?.classes.clone().unwrap_or_default();
    if has_class(Some(&written), class) {
        return Ok(());
    }
    let classes = json!([written.trim(), class].join(" ").trim());
    work.put(found.entity(), "classes", classes)
}

fn drop_unused_class(work: &mut Work<'_>, found: LocatedNode, class: &str) -> Result<(), Stop> {
    let classes = work.node(found)?.classes.clone();
    let own = class_selector(class);
    let is_used = |site: &Site| {
        site.site_sheet().is_some_and(|sheet| {
            let mut pieces = site.shell.items.pieces(sheet);
            pieces.any(|(_, piece)| match piece {
                Piece::Block(block) => block.selector.contains(&own),
                Piece::Raw(raw) => raw.text.contains(&own),
            })
        })
    };
    if !has_class(classes.as_deref(), class) || is_used(work.site) {
        return Ok(());
    }
    let classes = classes.unwrap_or_default();
    let others = classes
        .split_ascii_whitespace()
        .filter(|known| *known != class);
    let others = others.collect::<Vec<_>>().join(" ");
    let value = (!others.is_empty()).then_some(others);
    work.put(found.entity(), "classes", json!(value))
}

/// Gives a copy of a node rules of its own with the same declarations, and returns its classes. Sharing the original's rules would
/// change both whenever one of them is styled.
pub(super) fn copy_rules(
    work: &mut Work<'_>,
    from: NodeId,
    to: NodeId,
    classes: Option<String>,
) -> Result<Option<String>, Stop> {
    let (old, new) = (own_class(from), own_class(to));
    let (Some(written), Some(sheet)) = (classes.clone(), work.site.site_sheet()) else {
        return Ok(classes);
    };
    if !has_class(Some(&written), &old) {
        return Ok(classes);
    }
    for state in [None]
        .into_iter()
        .chain(ElementState::ALL.into_iter().map(Some))
    {
        let (old, new) = (selector(&old, state), selector(&new, state));
        let pieces = work.site.shell.items.pieces(sheet);
        let blocks: Vec<(ItemId, Block)> = pieces
            .filter_map(|(id, piece)| match piece {
                Piece::Block(block) if block.selector == old => Some((id, block.clone())),
                Piece::Block(_) | Piece::Raw(_) => None,
            })
            .collect();
        let mut after = blocks.last().map(|(id, _)| *id);
        for (_, block) in blocks {
            let copy = Block {
                selector: new.clone(),
                ..block
            };
            after = Some(css::insert(work, sheet, Piece::Block(copy), after)?);
        }
    }
    let renamed = written
        .split_ascii_whitespace()
        .map(|class| if class == old { new.as_str() } else { class });
    Ok(Some(renamed.collect::<Vec<_>>().join(" ")))
}
