//! Loops and outlets in HTML: `<sw-loop data-source-id="data.rows" …>` and `<sw-outlet>`.
//!
//! The parser moves unknown elements out of tables, so a loop over table rows is written `<template sw-loop …>`, which is
//! allowed anywhere. `instatic-loop` and `instatic-outlet` are read as the same and never written.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Attr, Direction, Element, Loop, Name, Namespace};

const LOOP: &str = "sw-loop";
const OUTLET: &str = "sw-outlet";
const LOOPS: [&str; 2] = [LOOP, "instatic-loop"];
const OUTLETS: [&str; 2] = [OUTLET, "instatic-outlet"];

/// The note for a loop that the parser moved.
pub(super) const MOVED: &str = "an <sw-loop> in a table was moved before the table, as browsers do with elements that tables do not \
     know; in a table, write <template sw-loop data-source-id=…> instead";

/// The source of rows when none is given.
const DEFAULT_SOURCE: &str = "data.rows";

/// Reads a loop from attributes. Unknown attributes and invalid values are skipped, each with a note.
pub(super) fn read_loop(attrs: Vec<Attr>, notes: &mut Vec<String>) -> Loop {
    let mut source = None;
    let mut this = Loop {
        source: String::new(),
        table: None,
        order: None,
        direction: Direction::default(),
        limit: None,
        offset: 0,
        filter: BTreeMap::new(),
        paged: false,
    };
    for Attr { name, value, .. } in attrs {
        let is_understood = match name.as_str() {
            "data-source-id" => set(&mut source, Some(Some(value.clone()))),
            "data-table-id" => set(&mut this.table, Some(Some(value.clone()))),
            "data-order-by" => set(&mut this.order, Some(Some(value.clone()))),
            "data-direction" => set(&mut this.direction, read_direction(&value)),
            "data-limit" => set(&mut this.limit, value.trim().parse().ok().map(Some)),
            "data-offset" => set(&mut this.offset, value.trim().parse().ok()),
            "data-filter" => set(&mut this.filter, serde_json::from_str(&value).ok()),
            "data-paged" => set(&mut this.paged, Some(true)),
            _ => {
                notes.push(format!(
                    "<{LOOP}> has no {}; it was left out",
                    name.as_str()
                ));
                continue;
            }
        };
        if !is_understood {
            notes.push(format!(
                "<{LOOP}> cannot take {}={value:?}; it was left out",
                name.as_str()
            ));
        }
    }
    this.source = source.unwrap_or_else(|| {
        notes.push(format!(
            "<{LOOP}> has no data-source-id; {DEFAULT_SOURCE} was taken"
        ));
        DEFAULT_SOURCE.to_owned()
    });
    this
}

/// Adds notes about the attributes of an outlet, which should have none.
pub(super) fn read_outlet(attrs: Vec<Attr>, notes: &mut Vec<String>) {
    for attr in attrs {
        notes.push(format!(
            "<{OUTLET}> has no {}; it was left out",
            attr.name.as_str()
        ));
    }
}

/// Whether a tag is that of a loop.
pub(super) fn is_loop(tag: &str) -> bool {
    LOOPS.contains(&tag)
}

/// Whether a tag is that of an outlet.
pub(super) fn is_outlet(tag: &str) -> bool {
    OUTLETS.contains(&tag)
}

/// Whether an element is a loop, as an element of its own or as a marked template. Removes the mark of the latter.
pub(super) fn takes_loop(element: &mut Element) -> bool {
    match element.tag.as_str() {
        "template" => {
            let mark = element
                .attrs
                .iter()
                .position(|attr| is_loop(attr.name.as_str()));
            mark.map(|mark| element.attrs.remove(mark)).is_some()
        }
        tag => is_loop(tag),
    }
}

/// The element that represents a loop inside `parent`.
pub fn loop_element(this: &Loop, parent: Option<&Element>) -> Element {
    let is_moved = parent.is_some_and(|parent| {
        matches!(
            parent.tag.as_str(),
            "table" | "thead" | "tbody" | "tfoot" | "tr" | "colgroup" | "template"
        )
    });
    let Loop {
        source,
        table,
        order,
        direction,
        limit,
        offset,
        filter,
        paged,
    } = this;
    let direction = match direction {
        Direction::Asc => "asc",
        Direction::Desc => "desc",
    };
    let filter = (!filter.is_empty()).then(|| {
        let map = filter.clone().into_iter().collect();
        Value::Object(map).to_string()
    });
    let attrs = [
        (LOOP, is_moved.then(String::new)),
        ("data-source-id", Some(source.clone())),
        ("data-table-id", table.clone()),
        ("data-order-by", order.clone()),
        ("data-direction", Some(direction.to_owned())),
        ("data-limit", limit.map(|limit| limit.to_string())),
        ("data-offset", (*offset > 0).then(|| offset.to_string())),
        ("data-filter", filter),
        ("data-paged", paged.then(String::new)),
    ];
    Element {
        tag: Name::from(if is_moved { "template" } else { LOOP }),
        namespace: Namespace::Html,
        attrs: attrs
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| Attr::new(name, value)))
            .collect(),
    }
}

/// The element that represents an outlet.
pub fn outlet_element() -> Element {
    Element {
        tag: Name::from(OUTLET),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    }
}

fn read_direction(value: &str) -> Option<Direction> {
    match value.trim().to_ascii_lowercase().as_str() {
        "asc" => Some(Direction::Asc),
        "desc" => Some(Direction::Desc),
        _ => None,
    }
}

/// Sets a field if there is a value, and returns whether there is.
fn set<T>(field: &mut T, value: Option<T>) -> bool {
    value.map(|value| *field = value).is_some()
}
