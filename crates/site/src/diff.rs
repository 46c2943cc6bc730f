//! The differences between two versions of a site, as sentences for people.
//!
//! Two sites are compared and not two logs: an edit that was undone makes no difference and is not reported. Documents that are
//! open in only one of the two cannot be compared and are left out. Entries of collections that are open in only one are new or gone.

mod bodies;
mod lists;
mod records;
mod words;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

pub(crate) use words::{element_word, mark, shortened, text_in};

use crate::revert::same;
use crate::{BodyId, Entity, Site};

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// The document it is in; absent for what all documents share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<BodyId>,
    /// What happened to it.
    pub kind: DiffKind,
    /// What it is.
    pub entity: Entity,
    /// What a person calls it.
    pub name: String,
    /// The field that differs, for changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What it was; null for nothing.
    pub before: Value,
    /// What it is; null for nothing.
    pub after: Value,
    /// All of it in a sentence.
    pub sentence: String,
}

/// What happened to something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DiffKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It stands elsewhere.
    Moved,
    /// A field of it differs.
    Changed,
}

/// The differences between two versions: first what all documents share, then entries, then document by document.
pub fn diff(before: &Site, after: &Site) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    lists::settings(before, after, &mut lines);
    lists::items(before, after, &mut lines);
    records::records(before, after, &mut lines);
    bodies::documents(before, after, &mut lines);
    lines
}

/// Two versions of one thing.
#[derive(Clone, Copy)]
struct Pair<T> {
    before: T,
    after: T,
}

/// The subject of a line: where it is, what it is and its name.
struct Subject {
    document: Option<BodyId>,
    entity: Entity,
    name: String,
}

impl Subject {
    fn line(self, kind: DiffKind, sentence: String) -> DiffLine {
        let Self {
            document,
            entity,
            name,
        } = self;
        DiffLine {
            document,
            kind,
            entity,
            name,
            field: None,
            before: Value::Null,
            after: Value::Null,
            sentence,
        }
    }

    fn added(self) -> DiffLine {
        let sentence = sitewright_tool::sentence(&format!("{} added", self.name));
        self.line(DiffKind::Added, sentence)
    }

    fn removed(self) -> DiffLine {
        let sentence = sitewright_tool::sentence(&format!("{} removed", self.name));
        self.line(DiffKind::Removed, sentence)
    }

    /// A line for each field that differs.
    fn changes(&self, fields: Pair<Map<String, Value>>, lines: &mut Vec<DiffLine>) {
        let Pair { before, after } = fields;
        let gone = before.keys().filter(|name| !after.contains_key(*name));
        for field in after.keys().chain(gone) {
            let was = before.get(field).cloned().unwrap_or_default();
            let is = after.get(field).cloned().unwrap_or_default();
            if same(&was, &is) {
                continue;
            }
            let sentence = words::changed(&self.name, field, &was, &is);
            lines.push(self.change(field, (was, is), sentence));
        }
    }

    fn change(&self, field: &str, (before, after): (Value, Value), sentence: String) -> DiffLine {
        DiffLine {
            document: self.document,
            kind: DiffKind::Changed,
            entity: self.entity,
            name: self.name.clone(),
            field: Some(field.to_owned()),
            before,
            after,
            sentence,
        }
    }
}

/// The fields of a value; those of `settings` are listed individually.
fn fields_of(thing: &impl Serialize) -> Map<String, Value> {
    let Ok(Value::Object(object)) = serde_json::to_value(thing) else {
        return Map::new();
    };
    let mut fields = Map::new();
    for (name, value) in object {
        match value {
            Value::Object(inner) if name == "settings" => {
                let inner = inner.into_iter();
                fields.extend(inner.map(|(field, value)| (format!("{name}.{field}"), value)));
            }
            value => drop(fields.insert(name, value)),
        }
    }
    fields
}

/// The smallest set of elements in both lists that must move to turn one order into the other.
fn moved<T: Copy + Eq + Hash>(before: &[T], after: &[T]) -> HashSet<T> {
    let was: HashMap<T, usize> = before.iter().copied().zip(0..).collect();
    let order: Vec<(T, usize)> = after
        .iter()
        .filter_map(|id| Some((*id, *was.get(id)?)))
        .collect();
    if order.is_sorted_by_key(|(_, position)| *position) {
        return HashSet::new();
    }
    // The longest increasing subsequence stays. For each length, `ends` holds the position in `order` that ends one with the
    // lowest value.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(order.len());
    for (at, (_, position)) in order.iter().enumerate() {
        let length = ends.partition_point(|end| order[*end].1 < *position);
        previous.push(length.checked_sub(1).map(|before| ends[before]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let stays = std::iter::successors(ends.last().copied(), |at| previous[*at]);
    let stays: HashSet<T> = stays.map(|at| order[at].0).collect();
    let moved = order.iter().map(|(id, _)| *id);
    moved.filter(|id| !stays.contains(id)).collect()
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
