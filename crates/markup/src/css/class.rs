//! Classes: the combined view of all blocks whose selector is exactly one class.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cssparser::{Parser, Token};

use super::breakpoint::{Breakpoint, StyleContext, context_of};
use super::piece::{Declaration, Piece, property_key};
use super::text::spell;

/// The class that a selector consists of, unescaped; `None` for any other selector.
pub fn class_of(selector: &str) -> Option<Cow<'_, str>> {
    let name = selector.trim().strip_prefix('.')?;
    if is_plain(name) {
        return Some(Cow::Borrowed(name));
    }
    let mut input = Parser::new(name);
    let class = match input.next_including_whitespace_and_comments() {
        Ok(Token::Ident(class)) => class.to_string(),
        _ => return None,
    };
    input
        .next_including_whitespace_and_comments()
        .is_err()
        .then_some(Cow::Owned(class))
}

/// Whether a text is an identifier that needs no escapes.
fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// The selector of a class, with the necessary escapes.
pub fn class_selector(class: &str) -> String {
    format!(".{}", spell(class))
}

/// A class as the editor shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassView {
    /// The contexts in which it has styles, in order of first appearance.
    pub contexts: Vec<ContextView>,
}

/// The styles of a class in one context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextView {
    /// The meaning of the wrappers.
    pub context: StyleContext,
    /// The wrappers of its last block, which is the one to edit.
    pub wrappers: Vec<String>,
    /// The positions of its blocks among the pieces.
    pub blocks: Vec<usize>,
    /// The declarations that win, one for each property, in the order in which they take effect.
    pub declarations: Vec<Declaration>,
}

/// The styles of a class, by context. A breakpoint is one context however its query is spelled; other wrappers are
/// distinguished by their text.
pub fn class_view(pieces: &[Piece], class: &str, breakpoints: &[Breakpoint]) -> ClassView {
    let mut gathered: Vec<GatheredContext<'_>> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    for (position, piece) in pieces.iter().enumerate() {
        let Piece::Block(block) = piece else { continue };
        if class_of(&block.selector).as_deref() != Some(class) {
            continue;
        }
        let context = context_of(&block.wrappers, breakpoints);
        let key = match &context {
            StyleContext::Base => Vec::new(),
            StyleContext::Breakpoint(id) => vec![id.clone()],
            // Wrappers begin with an at sign, so they cannot collide with a breakpoint's id.
            StyleContext::Other => block.wrappers.clone(),
        };
        let index = *known.entry(key).or_insert_with(|| {
            gathered.push(GatheredContext {
                context,
                wrappers: &[],
                blocks: Vec::new(),
                declarations: Vec::new(),
            });
            gathered.len() - 1
        });
        let view = &mut gathered[index];
        view.wrappers = &block.wrappers;
        view.blocks.push(position);
        view.declarations.extend(&block.declarations);
    }
    ClassView {
        contexts: gathered.into_iter().map(ContextView::from).collect(),
    }
}

struct GatheredContext<'p> {
    context: StyleContext,
    wrappers: &'p [String],
    blocks: Vec<usize>,
    declarations: Vec<&'p Declaration>,
}

impl From<GatheredContext<'_>> for ContextView {
    fn from(gathered: GatheredContext<'_>) -> Self {
        let GatheredContext {
            context,
            wrappers,
            blocks,
            declarations,
        } = gathered;
        Self {
            context,
            wrappers: wrappers.to_vec(),
            blocks,
            declarations: winners(&declarations),
        }
    }
}

/// For each property, the last important declaration, or else the last declaration.
fn winners(declarations: &[&Declaration]) -> Vec<Declaration> {
    let mut winners: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (index, later) in declarations.iter().enumerate() {
        match winners.entry(property_key(&later.property)) {
            Entry::Occupied(held) if declarations[*held.get()].important && !later.important => {}
            Entry::Occupied(mut held) => *held.get_mut() = index,
            Entry::Vacant(place) => {
                place.insert(index);
            }
        }
    }
    let mut order: Vec<usize> = winners.into_values().collect();
    order.sort_unstable();
    order
        .into_iter()
        .map(|index| declarations[index].clone())
        .collect()
}
