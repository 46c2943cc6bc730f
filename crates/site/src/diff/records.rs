//! Differences in entries of collections.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{DiffLine, Pair, Subject, fields_of};
use crate::{Entity, Record, RecordId, Site};

pub(super) fn records(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    let ids: BTreeSet<RecordId> = before
        .records
        .keys()
        .chain(after.records.keys())
        .copied()
        .collect();
    for id in ids {
        let of = |site: &Site| site.records.get(&id).map(|open| open.record.clone());
        let subject = |record: &Record| Subject {
            document: None,
            entity: Entity::Record { id },
            name: format!("entry {}", record.title),
        };
        match (of(before), of(after)) {
            (None, Some(is)) => lines.push(subject(&is).added()),
            (Some(was), None) => lines.push(subject(&was).removed()),
            (Some(was), Some(is)) if was != is => {
                let fields = Pair {
                    before: named_fields(before, &was),
                    after: named_fields(after, &is),
                };
                subject(&is).changes(fields, lines);
            }
            _ => {}
        }
    }
}

/// The fields of an entry, those of its collection by their names.
fn named_fields(site: &Site, record: &Record) -> Map<String, Value> {
    let mut fields = fields_of(record);
    fields.remove("values");
    let collection = site.collection(record.collection);
    for (id, value) in &record.values {
        let known = collection.and_then(|found| found.fields.iter().find(|field| field.id == *id));
        let name = known.map_or_else(|| id.to_string(), |field| field.name.clone());
        fields.insert(name, value.clone());
    }
    fields
}
