//! Translations: entries that say the same as another one in another language.
//!
//! A translation is an entry of its own, with its own slug, status and times. It knows what it translates, and the digest that this had
//! when the translation last matched it; so a change of the source marks it, and publishing the source does not.

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::{
    EntryFilter, EntryList, EntryQuery, EntryRow, EntryStatus, ItemId, Record, RecordId, Stop, Work,
};

use crate::entry::{self, ShownEntry};

/// The most translations of an entry that are looked at.
const TRANSLATIONS_MAX: u32 = 200;

/// The language of a new entry.
#[derive(Default)]
pub(crate) struct Language {
    pub(crate) locale: Option<String>,
    pub(crate) translation_of: Option<RecordId>,
    pub(crate) source_digest: Option<String>,
}

impl Language {
    /// The language of an entry that is to be created in a collection.
    pub(crate) fn of_new(
        locale: Option<String>,
        translation_of: Option<RecordId>,
        collection: ItemId,
        work: &Work<'_>,
    ) -> Result<Self, Stop> {
        let own = &work.site().shell.settings.language;
        if locale.as_ref() == Some(own) {
            return Err(Stop::invalid_at(
                "locale",
                format!("`{own}` is the site's own language; leave locale out for it."),
            ));
        }
        let Some(source) = translation_of else {
            return Ok(Self {
                locale,
                ..Self::default()
            });
        };
        let found = entry::opened(source, work)?.ok_or_else(|| entry::missing(source))?;
        let Some(language) = locale else {
            return Err(Stop::invalid_at(
                "locale",
                "A translation needs its language: send locale, such as `de`.",
            ));
        };
        if found.translation_of.is_some() || found.collection != collection {
            return Err(Stop::invalid_at(
                "translationOf",
                "translationOf must be an entry of the same collection that is no translation itself.",
            ));
        }
        let known = entry::listed(family_of(source), work)?.rows.into_iter();
        let mut known = known.filter(|row| row.id != source);
        if let Some(row) = known.find(|row| row.record.locale.as_ref() == Some(&language)) {
            return Err(Stop::conflict(format!(
                "`{}` ({}) is the translation into `{language}`; update that entry.",
                row.record.title, row.id
            )));
        }
        Ok(Self {
            locale: Some(language),
            translation_of: Some(source),
            source_digest: Some(found.digest()),
        })
    }
}

/// A translation of an entry in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownTranslation {
    id: RecordId,
    locale: String,
    title: String,
    status: EntryStatus,
    /// Whether the entry has changed since the translation last matched it.
    source_changed: bool,
}

/// The query for an entry and its translations.
pub(crate) fn family_of(id: RecordId) -> EntryQuery {
    EntryQuery {
        filter: EntryFilter {
            family: Some(id),
            ..EntryFilter::default()
        },
        limit: TRANSLATIONS_MAX,
        ..EntryQuery::default()
    }
}

/// The answer to a query for one entry, from the query for the entry and its translations: whoever shows one entry shows those, too, and
/// so most entries need one query and not two.
pub(crate) fn with_translations(
    id: RecordId,
    query: EntryQuery,
    work: &Work<'_>,
) -> Result<EntryList, Stop> {
    let family = entry::listed(family_of(id), work)?;
    match family.rows.into_iter().find(|row| row.id == id) {
        Some(row) => Ok(EntryList {
            rows: vec![row],
            total: 1,
            next: None,
        }),
        // One that does not exist, or that has more translations than are looked at.
        None => entry::listed(query, work),
    }
}

/// The translations of an entry, opened.
pub(crate) fn translations_of(
    id: RecordId,
    work: &Work<'_>,
) -> Result<Vec<(RecordId, Record)>, Stop> {
    let rows = entry::listed(family_of(id), work)?.rows;
    let ids: Vec<RecordId> = rows.iter().map(|row| row.id).collect();
    let others: Vec<RecordId> = ids.into_iter().filter(|other| *other != id).collect();
    let records = entry::opened_all(&others, work)?;
    Ok(others.into_iter().zip(records).collect())
}

/// Adds what is known of the languages of one entry.
pub(crate) fn describe(row: &EntryRow, item: &mut ShownEntry, work: &Work<'_>) -> Result<(), Stop> {
    let source = row.record.translation_of.unwrap_or(row.id);
    let rows = entry::listed(family_of(source), work)?.rows;
    let Some(original) = rows.iter().find(|row| row.id == source) else {
        return Ok(());
    };
    if row.id != source {
        item.source_changed = Some(row.record.is_behind(&original.record));
    }
    let others = rows.iter().filter(|row| row.id != source);
    let shown = others.map(|row| ShownTranslation {
        id: row.id,
        locale: row.record.locale.clone().unwrap_or_default(),
        title: row.record.title.clone(),
        status: row.record.status,
        source_changed: row.record.is_behind(&original.record),
    });
    item.translations = Some(shown.collect());
    Ok(())
}

/// The same entries in a language, each in the nearest one in which it is.
pub(crate) fn in_language(
    rows: Vec<EntryRow>,
    locale: &str,
    work: &Work<'_>,
) -> Result<Vec<EntryRow>, Stop> {
    let own = work.site().shell.settings.language == locale;
    let locale = if own { "" } else { locale };
    let nearest = |row: &EntryRow| EntryQuery {
        filter: EntryFilter {
            family: Some(row.record.translation_of.unwrap_or(row.id)),
            locale: Some(locale.to_owned()),
            falls_back: true,
            ..EntryFilter::default()
        },
        limit: 1,
        ..EntryQuery::default()
    };
    entry::fetch_all(rows.iter().map(nearest), work)?;
    let mut found: Vec<EntryRow> = Vec::with_capacity(rows.len());
    for row in rows {
        let variant = entry::listed(nearest(&row), work)?.rows.pop();
        let variant = variant.unwrap_or(row);
        if found.iter().all(|known| known.id != variant.id) {
            found.push(variant);
        }
    }
    Ok(found)
}

/// Of entries with the same slug, those in the site's own language if there are any.
pub(crate) fn own_first(rows: Vec<EntryRow>) -> Vec<EntryRow> {
    let has_own = rows.iter().any(|row| row.record.locale.is_none());
    let rows = rows.into_iter();
    rows.filter(|row| !has_own || row.record.locale.is_none())
        .collect()
}

/// The digest of what an entry translates, as that is by now.
pub(crate) fn source_digest(record: &Record, work: &Work<'_>) -> Result<String, Stop> {
    let source = record.translation_of.ok_or_else(|| {
        Stop::invalid_at(
            "matchesSource",
            "matchesSource is for translations; this entry translates none.",
        )
    })?;
    let found = entry::opened(source, work)?.ok_or_else(|| entry::missing(source))?;
    Ok(found.digest())
}
