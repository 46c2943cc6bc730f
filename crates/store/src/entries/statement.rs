//! The SQL of a list of entries.
//!
//! SQLite has no statistics here, so the shape of a statement decides which index it takes. Left to itself it walks through a whole
//! collection in the order of the list rather than look up the three entries that fit. A list is therefore read in one of two ways
//! ([`EntryAccess`]), and `plan_tests.rs` checks that both take the indexes they are meant to.

use sitewright_site::{Direction, EntryFilter, EntryOrder, EntryQuery, FieldId, RecordId};

use crate::conditions::{Conditions, SqlValue};
use crate::documents::EntryState;
use crate::search::{SearchKind, SearchTerms};
use crate::{DatabaseKind, SiteId, StoreError};

/// The most entries of one page.
const LIMIT_MAX: u32 = 1_000;
/// More than a language tag has parts.
const LANGUAGES_MAX: usize = 12;
pub(super) const COLUMNS: &str =
    "e.id, e.seq, e.format, e.document, e.created_at, e.updated_at, e.published_at";

/// How the entries of a list are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryAccess {
    /// Walks through the entries in the order of the list and leaves out those that do not fit. The better way when many fit, because
    /// it ends with the page.
    ByOrder,
    /// Looks up all that fit and sorts them. The better way when few fit.
    ByMatch,
}

/// The entries that a list is made of.
#[derive(Clone, Copy)]
pub(super) struct EntrySource<'a> {
    pub(super) backend: DatabaseKind,
    pub(super) state: EntryState,
    pub(super) site: &'a SiteId,
}

/// The statements of a list of entries.
pub(super) struct EntryStatement<'a> {
    query: &'a EntryQuery,
    /// The tables: that of the entries as `e`, and for a lookup before it the ids of what may fit as `f`.
    from: String,
    conditions: Conditions,
    sort_key: String,
}

impl<'a> EntryStatement<'a> {
    pub(super) fn new(source: EntrySource<'_>, query: &'a EntryQuery, access: EntryAccess) -> Self {
        let mut conditions = Conditions::of_entries(source, query, access);
        let names_one = query.filter.id.is_some() || query.filter.slug.is_some();
        let is_lookup = access == EntryAccess::ByMatch && !names_one;
        let mut sets = IdSet::all_of(&query.filter).into_iter();
        let looked_up = is_lookup.then(|| sets.next()).flatten();
        let looked_up = looked_up.map(|ids| ids.sql(source, access, &mut conditions));
        for ids in sets {
            let ids = ids.sql(source, access, &mut conditions);
            conditions.condition(&format!("e.id IN ({ids})"));
        }
        let table = source.state.entries();
        // SQLite keeps the order of tables around CROSS JOIN. To Postgres it is a join like any other.
        let from = match &looked_up {
            Some(ids) => {
                conditions.condition("e.id = f.id");
                format!("({ids}) f CROSS JOIN {table} e")
            }
            None => format!("{table} e"),
        };
        // SQLite does not walk through an index in the order of an expression.
        let sort_key = match (access, &looked_up, query.order) {
            (EntryAccess::ByOrder, ..) | (_, Some(_), _) => format!("e.{}", column(query.order)),
            (_, _, EntryOrder::Title | EntryOrder::Slug) => {
                format!("(e.{} || '')", column(query.order))
            }
            _ => format!("(e.{} + 0)", column(query.order)),
        };
        Self {
            query,
            from,
            conditions,
            sort_key,
        }
    }

    /// The number of entries of a page.
    pub(super) fn limit(&self) -> u32 {
        self.query.limit.clamp(1, LIMIT_MAX)
    }

    /// The statement for the entries of a page and one more, which tells whether there are others.
    pub(super) fn page(&self) -> Result<(String, Conditions), StoreError> {
        let mut page = self.conditions.clone();
        page.go_on(self.query, &self.sort_key)?;
        let (from, key) = (&self.from, &self.sort_key);
        let direction = match self.query.direction {
            Direction::Asc => "ASC",
            Direction::Desc => "DESC",
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM {from} WHERE {} ORDER BY {key} {direction}, e.id {direction} LIMIT {} OFFSET {}",
            page.sql,
            self.limit() + 1,
            self.query.offset
        );
        Ok((sql, page))
    }

    /// The statement for the number of all entries that fit, as `entries`.
    pub(super) fn count(&self) -> (String, &Conditions) {
        // Rather than read the rows with a slug, SQLite would go through an index that has all other columns.
        let counted = match self.query.filter.slug {
            Some(_) => "e.title",
            None => "*",
        };
        let sql = format!(
            "SELECT COUNT({counted}) AS entries FROM {} WHERE {}",
            self.from, self.conditions.sql
        );
        (sql, &self.conditions)
    }

    /// The statement for the same number from `content_counts`, whose columns have the same names.
    pub(super) fn kept_count(&self) -> (String, &Conditions) {
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(e.entries), 0) AS BIGINT) AS entries FROM content_counts e WHERE {}",
            self.conditions.sql
        );
        (sql, &self.conditions)
    }
}

/// The statement that counts the entries that a lookup would go through as `entries`, up to a number; none when nothing can be looked up.
pub(super) fn probe(
    source: EntrySource<'_>,
    filter: &EntryFilter,
    max: u64,
) -> Option<(String, Conditions)> {
    let ids = IdSet::all_of(filter).into_iter().next()?;
    let mut conditions = Conditions::of_site(source.site);
    let ids = ids.sql(source, EntryAccess::ByMatch, &mut conditions);
    let sql = format!("SELECT COUNT(*) AS entries FROM (SELECT f.id FROM ({ids}) f LIMIT {max}) p");
    Some((sql, conditions))
}

/// Whether `content_counts` knows how many entries fit: those of collections, with any status or one.
pub(super) fn is_counted(filter: &EntryFilter) -> bool {
    let EntryFilter {
        id: None,
        collections: _,
        slug: None,
        status: _,
        visible_at: None,
        locale: None,
        falls_back: _,
        family: None,
        values,
        any_value,
        refers_to: None,
        search: None,
    } = filter
    else {
        return false;
    };
    values.is_empty() && any_value.is_empty()
}

/// Ids of entries that an index other than those of the entries knows.
enum IdSet<'a> {
    Family(RecordId),
    Referring(RecordId),
    WithValue(FieldValue<'a>),
    WithAnyValue(Vec<FieldValue<'a>>),
    Found(&'a str),
}

struct FieldValue<'a> {
    field: FieldId,
    value: &'a str,
}

impl<'a> IdSet<'a> {
    /// The sets that an entry must be in to fit, those that are likely small first.
    fn all_of(filter: &'a EntryFilter) -> Vec<Self> {
        let field_value = |(field, value): (&FieldId, &'a String)| FieldValue {
            field: *field,
            value,
        };
        let mut sets = Vec::new();
        sets.extend(filter.family.map(Self::Family));
        sets.extend(filter.refers_to.map(Self::Referring));
        let values = filter.values.iter().map(field_value);
        sets.extend(values.map(Self::WithValue));
        if !filter.any_value.is_empty() {
            let values = filter.any_value.iter().map(field_value);
            sets.push(Self::WithAnyValue(values.collect()));
        }
        sets.extend(filter.search.as_deref().map(Self::Found));
        sets
    }

    /// The statement for the ids, each once.
    fn sql(
        &self,
        source: EntrySource<'_>,
        access: EntryAccess,
        conditions: &mut Conditions,
    ) -> String {
        let (entries, values) = (source.state.entries(), source.state.values());
        match self {
            // `e.id = … OR e.translation_of = …` would read every entry of the site.
            Self::Family(id) => {
                let id = conditions.place(SqlValue::Text(id.to_string()));
                format!(
                    "SELECT CAST({id} AS TEXT) AS id UNION \
                     SELECT t.id FROM {entries} t WHERE t.site_id = $1 AND t.translation_of = {id}"
                )
            }
            // An expression, because for distinct ids SQLite would walk through those of all values.
            Self::Referring(id) => {
                let id = conditions.place(SqlValue::Text(id.to_string()));
                format!(
                    "SELECT DISTINCT (v.entry_id || '') AS id FROM {values} v WHERE v.site_id = $1 AND v.value = {id}"
                )
            }
            Self::WithValue(value) => value.sql(values, conditions),
            Self::WithAnyValue(any) => {
                let any = any.iter().map(|value| value.sql(values, conditions));
                any.collect::<Vec<_>>().join(" UNION ")
            }
            Self::Found(text) => match SearchTerms::of(source.backend, text) {
                Some(terms) => {
                    let place = conditions.place(SqlValue::Text(terms.bound.clone()));
                    match access {
                        EntryAccess::ByMatch => terms.ids_by_hit(SearchKind::Entry, &place),
                        EntryAccess::ByOrder => terms.ids_by_thing(SearchKind::Entry, &place),
                    }
                }
                // A search without words finds nothing.
                None => "SELECT '' AS id WHERE 1 = 0".to_owned(),
            },
        }
    }
}

impl FieldValue<'_> {
    fn sql(&self, table: &str, conditions: &mut Conditions) -> String {
        let field = conditions.place(SqlValue::Text(self.field.to_string()));
        let value = conditions.place(SqlValue::Text(self.value.to_owned()));
        format!(
            "SELECT v.entry_id AS id FROM {table} v WHERE v.site_id = $1 AND v.value = {value} AND v.field_id = {field}"
        )
    }
}

impl Conditions {
    /// No conditions yet, with the site as `$1`.
    fn of_site(site: &SiteId) -> Self {
        let mut conditions = Self::default();
        conditions.place(SqlValue::Text(site.as_str().to_owned()));
        conditions
    }

    /// The conditions on the entries themselves.
    fn of_entries(source: EntrySource<'_>, query: &EntryQuery, access: EntryAccess) -> Self {
        let wanted = &query.filter;
        let mut filter = Self::of_site(source.site);
        filter.condition("e.site_id = $1");
        if let Some(id) = wanted.id {
            filter.and("e.id = ", SqlValue::Text(id.to_string()));
        }
        if !wanted.collections.is_empty() {
            let ids = wanted.collections.iter().map(ToString::to_string);
            // An expression, so that SQLite looks for the slug and not through the collection, and takes several collections in the
            // order of the list and not one after the other.
            let is_walk = access == EntryAccess::ByOrder && wanted.collections.len() > 1;
            let column = match wanted.slug.is_some() || is_walk {
                true => "(e.collection_id || '')",
                false => "e.collection_id",
            };
            filter.and_one_of(column, ids);
        }
        if let Some(slug) = &wanted.slug {
            filter.and("e.slug = ", SqlValue::Text(slug.clone()));
        }
        if let Some(status) = wanted.status {
            filter.and("e.status = ", SqlValue::Text(status.as_str().to_owned()));
        }
        if let Some(now) = wanted.visible_at {
            filter.and_visible_at(now);
        }
        match &wanted.locale {
            Some(locale) if wanted.falls_back => filter.and_nearest(locale, source.state, wanted),
            Some(locale) => filter.and("e.locale = ", SqlValue::Text(locale.clone())),
            None => {}
        }
        filter
    }

    pub(super) fn and_one_of(&mut self, column: &str, values: impl Iterator<Item = String>) {
        let places: Vec<String> = values
            .map(|value| self.place(SqlValue::Text(value)))
            .collect();
        self.condition(&format!("{column} IN ({})", places.join(", ")));
    }

    pub(super) fn and_visible_at(&mut self, now: i64) {
        let now = self.place(SqlValue::Number(now));
        self.condition(&format!(
            "(e.publish_at IS NULL OR e.publish_at <= {now}) AND (e.unpublish_at IS NULL OR e.unpublish_at > {now})"
        ));
    }

    /// Of each entry and its translations, the one in the language or else the nearest: one for which there is none in a nearer
    /// language that would fit, too.
    fn and_nearest(&mut self, locale: &str, state: EntryState, wanted: &EntryFilter) {
        let languages = fallbacks(locale);
        if languages.len() == 1 {
            return self.and("e.locale = ", SqlValue::Text(locale.to_owned()));
        }
        let places: Vec<String> = languages
            .iter()
            .map(|language| self.place(SqlValue::Text((*language).to_owned())))
            .collect();
        let mut fits = String::new();
        if let Some(status) = wanted.status {
            let status = self.place(SqlValue::Text(status.as_str().to_owned()));
            fits.push_str(&format!(" AND n.status = {status}"));
        }
        if let Some(now) = wanted.visible_at {
            let now = self.place(SqlValue::Number(now));
            fits.push_str(&format!(
                " AND (n.publish_at IS NULL OR n.publish_at <= {now}) AND (n.unpublish_at IS NULL OR n.unpublish_at > {now})"
            ));
        }
        let choices = places.iter().enumerate().map(|(at, place)| match at {
            0 => format!("e.locale = {place}"),
            at => format!(
                "(e.locale = {place} AND NOT EXISTS (SELECT 1 FROM {} n WHERE n.site_id = $1 AND n.translation_of = \
                 CASE WHEN e.translation_of = '' THEN e.id ELSE e.translation_of END AND n.locale IN ({}){fits}))",
                state.entries(),
                places[..at].join(", ")
            ),
        });
        let choices: Vec<String> = choices.collect();
        self.condition(&format!("({})", choices.join(" OR ")));
    }

    /// Leaves out everything up to the cursor.
    fn go_on(&mut self, query: &EntryQuery, sort_key: &str) -> Result<(), StoreError> {
        let Some(cursor) = &query.cursor else {
            return Ok(());
        };
        let refused = || StoreError::Refused {
            rule: "this is not a cursor of this list; leave it out to begin again",
        };
        let (id, key) = cursor.split_at_checked(12).ok_or_else(refused)?;
        id.parse::<RecordId>().map_err(|_bad| refused())?;
        let is_text = matches!(query.order, EntryOrder::Title | EntryOrder::Slug);
        let key = match is_text {
            true => SqlValue::Text(key.to_owned()),
            false => SqlValue::Number(key.parse().map_err(|_bad| refused())?),
        };
        let (key, id) = (self.place(key), self.place(SqlValue::Text(id.to_owned())));
        let beyond = match query.direction {
            Direction::Asc => '>',
            Direction::Desc => '<',
        };
        self.condition(&format!("({sort_key}, e.id) {beyond} ({key}, {id})"));
        Ok(())
    }
}

/// The languages to look for, the nearest first; the site's own, which is the empty text, comes last. Their number is bounded, because
/// the condition for each names all before it, and anyone who may read can send a tag of thousands of parts.
fn fallbacks(locale: &str) -> Vec<&str> {
    let mut languages = vec![locale];
    let mut rest = locale;
    while languages.len() < LANGUAGES_MAX
        && let Some((shorter, _)) = rest.rsplit_once('-')
    {
        languages.push(shorter);
        rest = shorter;
    }
    if !locale.is_empty() {
        languages.push("");
    }
    languages
}

fn column(order: EntryOrder) -> &'static str {
    match order {
        EntryOrder::CreatedAt => "created_at",
        EntryOrder::UpdatedAt => "updated_at",
        EntryOrder::PublishedAt => "published_at",
        EntryOrder::SortOrder => "sort_order",
        EntryOrder::Title => "title",
        EntryOrder::Slug => "slug",
    }
}
