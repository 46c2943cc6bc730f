//! The rules about entries that span several rows, checked in the commit: slugs are unique, a collection with entries stays,
//! entries fit the fields of their collection, and there is one translation for each language.

use std::collections::BTreeMap;

use sitewright_site::{
    Applied, Change, Collection, Entity, Field, FieldId, FieldKind, ItemId, List, Op, Record,
    RecordId, Site,
};
use sqlx::{AnyConnection, Row};

use super::commit::CommitError;
use super::log;
use super::records::{stored_record, touched_records};
use crate::SiteId;

/// How many entries are read at a time when fields change.
const PAGE: i64 = 500;
/// How many entries an error names.
const NAMED_MAX: usize = 10;

/// The collections that a change touches, as they are before it.
pub(super) struct CollectionsBefore(BTreeMap<ItemId, Collection>);

impl CollectionsBefore {
    pub(super) fn of(site: &Site, change: &Change) -> Self {
        let touched = change.ops.iter().filter_map(|op| match Op::entity(op)? {
            Entity::Item {
                list: List::Collections,
                id,
            } => Some((id, site.collection(id)?.clone())),
            _ => None,
        });
        Self(touched.collect())
    }
}

/// A change that was applied, with the site after it.
pub(super) struct Rules<'a> {
    pub(super) id: &'a SiteId,
    pub(super) site: &'a Site,
    pub(super) applied: &'a Applied,
}

/// Checks the rules on the site after a change. `before` is from before it.
pub(super) async fn check(
    write: &mut AnyConnection,
    rules: Rules<'_>,
    before: &CollectionsBefore,
) -> Result<(), CommitError> {
    for (collection, was) in &before.0 {
        match rules.site.collection(*collection) {
            None => rules.check_unused(write, *collection, was).await?,
            Some(is) if retypes(&was.fields, &is.fields) => {
                rules.check_fits(write, *collection, is).await?;
            }
            Some(_) => {}
        }
    }
    rules.check_slugs(write).await?;
    rules.check_translations(write).await
}

impl Rules<'_> {
    /// Slugs are unique in a collection and language.
    async fn check_slugs(&self, write: &mut AnyConnection) -> Result<(), CommitError> {
        let touched = touched_records(self.applied);
        let mut taken: BTreeMap<(ItemId, Option<&str>, &str), RecordId> = BTreeMap::new();
        for id in &touched {
            let Some(open) = self.site.records.get(id) else {
                continue;
            };
            let record = &open.record;
            let place = (
                record.collection,
                record.locale.as_deref(),
                record.slug.as_str(),
            );
            let mut holder = taken.insert(place, *id);
            if holder.is_none() {
                let row = sqlx::query(
                    "SELECT id FROM content_entries WHERE site_id = $1 AND collection_id = $2 AND locale = $3 AND slug = $4",
                )
                .bind(self.id.as_str())
                .bind(record.collection.to_string())
                .bind(record.locale.as_deref().unwrap_or_default())
                .bind(&record.slug)
                .fetch_optional(&mut *write)
                .await?;
                let stored = row.map(|row| row.try_get::<String, _>("id")).transpose()?;
                holder = stored.and_then(|id| id.parse().ok());
                // What this change touches is judged by what it is after the change.
                holder = holder.filter(|holder| !touched.contains(holder));
            }
            if let Some(holder) = holder {
                return Err(CommitError::SlugTaken {
                    slug: record.slug.clone(),
                    title: self.title_of(write, holder).await?,
                    holder,
                });
            }
        }
        Ok(())
    }

    /// A translation is of an entry of the same collection that is no translation itself, and the only one into its language. One whose
    /// source was deleted stays what it is.
    async fn check_translations(&self, write: &mut AnyConnection) -> Result<(), CommitError> {
        for id in touched_records(self.applied) {
            let Some(open) = self.site.records.get(&id) else {
                continue;
            };
            let record = &open.record;
            let Some(source_id) = record.translation_of else {
                continue;
            };
            let refused = |reason| CommitError::BadTranslation {
                title: record.title.clone(),
                reason,
            };
            let source = match self.site.records.get(&source_id) {
                Some(open) => Some(open.record.clone()),
                None => stored_record(write, self.id, source_id)
                    .await?
                    .map(|open| open.record),
            };
            if source.is_some_and(|source| {
                source.translation_of.is_some() || source.collection != record.collection
            }) {
                return Err(refused(
                    "it must translate an entry of its own collection that is no translation itself",
                ));
            }
            if self.has_twin(write, id, record).await? {
                return Err(refused("there is one into this language already"));
            }
        }
        Ok(())
    }

    /// Whether another translation of the same entry is in the same language.
    async fn has_twin(
        &self,
        write: &mut AnyConnection,
        id: RecordId,
        record: &Record,
    ) -> Result<bool, CommitError> {
        let touched = touched_records(self.applied);
        let is_twin = |other: &RecordId| {
            let open = self.site.records.get(other);
            *other != id
                && open.is_some_and(|open| {
                    open.record.translation_of == record.translation_of
                        && open.record.locale == record.locale
                })
        };
        if touched.iter().any(is_twin) {
            return Ok(true);
        }
        let source = record.translation_of.map(|source| source.to_string());
        let rows = sqlx::query(
            "SELECT id FROM content_entries WHERE site_id = $1 AND translation_of = $2 AND locale = $3",
        )
        .bind(self.id.as_str())
        .bind(source.unwrap_or_default())
        .bind(record.locale.as_deref().unwrap_or_default())
        .fetch_all(write)
        .await?;
        for row in &rows {
            let other = row.try_get::<String, _>("id")?.parse::<RecordId>();
            // What this change touches is judged by what it is after the change.
            if other.is_ok_and(|other| !touched.contains(&other)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn title_of(
        &self,
        write: &mut AnyConnection,
        id: RecordId,
    ) -> Result<String, CommitError> {
        if let Some(open) = self.site.records.get(&id) {
            return Ok(open.record.title.clone());
        }
        let row = sqlx::query("SELECT title FROM content_entries WHERE site_id = $1 AND id = $2")
            .bind(self.id.as_str())
            .bind(id.to_string())
            .fetch_one(write)
            .await?;
        Ok(row.try_get("title")?)
    }

    /// A collection that still has entries is not removed.
    async fn check_unused(
        &self,
        write: &mut AnyConnection,
        collection: ItemId,
        was: &Collection,
    ) -> Result<(), CommitError> {
        let rows = sqlx::query(
            "SELECT id FROM content_entries WHERE site_id = $1 AND collection_id = $2 LIMIT $3",
        )
        .bind(self.id.as_str())
        .bind(collection.to_string())
        .bind(PAGE)
        .fetch_all(write)
        .await?;
        let touched = touched_records(self.applied);
        let mut left = 0;
        for row in &rows {
            let id = row.try_get::<String, _>("id")?.parse::<RecordId>().ok();
            left += usize::from(id.is_none_or(|id| !touched.contains(&id)));
        }
        match left {
            0 => Ok(()),
            _ => Err(CommitError::CollectionInUse {
                label: was.label.clone(),
            }),
        }
    }

    /// Every entry fits the new fields; those that the change touches were checked with it.
    async fn check_fits(
        &self,
        write: &mut AnyConnection,
        collection: ItemId,
        is: &Collection,
    ) -> Result<(), CommitError> {
        let touched = touched_records(self.applied);
        let (mut after, mut misfits, mut problem) = (String::new(), Vec::new(), None);
        loop {
            let rows = sqlx::query(
                "SELECT id, title, format, document FROM content_entries WHERE site_id = $1 AND collection_id = $2 AND id > $3 \
                 ORDER BY id LIMIT $4",
            )
            .bind(self.id.as_str())
            .bind(collection.to_string())
            .bind(&after)
            .bind(PAGE)
            .fetch_all(&mut *write)
            .await?;
            for row in &rows {
                after = row.try_get("id")?;
                let record: sitewright_site::Record = log::stored(row, "document")?;
                let is_touched = after
                    .parse()
                    .is_ok_and(|id: RecordId| touched.contains(&id));
                if let Some(found) = record.check(is).err().filter(|_| !is_touched) {
                    problem.get_or_insert(found);
                    misfits.push(format!("`{}` ({after})", record.title));
                }
            }
            if rows.len() < usize::try_from(PAGE).unwrap_or(0) || misfits.len() > NAMED_MAX {
                break;
            }
        }
        match problem {
            None => Ok(()),
            Some(problem) => {
                misfits.truncate(NAMED_MAX);
                Err(CommitError::Misfits {
                    entries: misfits.join(", "),
                    problem: Box::new(problem),
                })
            }
        }
    }
}

/// Whether a field holds something else than before. A field that is new, gone or renamed does not concern the entries there are.
fn retypes(before: &[Field], after: &[Field]) -> bool {
    let was: BTreeMap<FieldId, (&FieldKind, bool)> = before
        .iter()
        .map(|field| (field.id, (&field.kind, field.required)))
        .collect();
    after.iter().any(|field| match was.get(&field.id) {
        Some((kind, required)) => **kind != field.kind || (field.required && !required),
        None => field.required,
    })
}
