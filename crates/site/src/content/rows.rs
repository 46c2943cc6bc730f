//! Rows of loops: what pages show of entries, menus and pages.

use serde_json::{Map, Value, json};
use sitewright_markup::markdown_to_html;

use super::collection::{Collection, Field, FieldKind};
use super::navigation::{NavItem, NavTarget};
use super::record::{EntryStatus, Record};
use crate::binding::{iso_time, rich_text};
use crate::{
    EntryFilter, EntryOrder, EntryQuery, EntryRow, Facts, ItemId, Need, Reference, RowQuery, Site,
};

/// The rows of a loop that says nothing about their number.
const ROWS: u32 = 100;
/// The most rows of a loop.
const ROWS_MAX: u32 = 1_000;

impl Collection {
    /// The values of an entry by the names of the fields. Values of fields that are gone are left out.
    pub fn named_values(&self, record: &Record) -> Map<String, Value> {
        let values = self.fields.iter().filter_map(|field| {
            let value = record.values.get(&field.id)?;
            Some((field.name.clone(), named(field, value)))
        });
        values.collect()
    }
}

fn named(outer: &Field, value: &Value) -> Value {
    let object = |fields: &[Field], values: &Map<String, Value>| {
        let named = fields.iter().filter_map(|field| {
            let value = values.get(&field.id.to_string())?;
            Some((field.name.clone(), named(field, value)))
        });
        Value::Object(named.collect())
    };
    match (&outer.kind, value) {
        (FieldKind::Group { fields }, Value::Object(values)) => object(fields, values),
        (FieldKind::Repeater { fields }, Value::Array(items)) => {
            let items = items.iter().map(|item| match item {
                Value::Object(values) => object(fields, values),
                other => other.clone(),
            });
            Value::Array(items.collect())
        }
        (_, value) => value.clone(),
    }
}

/// Replaces the Markdown of rich texts, also in groups and lists, with what bindings show of it.
fn show_rich_text(fields: &[Field], values: &mut Map<String, Value>) {
    for field in fields {
        let Some(value) = values.get_mut(&field.name) else {
            continue;
        };
        match (&field.kind, value) {
            (FieldKind::RichText, value) => {
                if let Some(source) = value.as_str() {
                    *value = rich_text(markdown_to_html(source));
                }
            }
            (FieldKind::Group { fields }, Value::Object(inner)) => show_rich_text(fields, inner),
            (FieldKind::Repeater { fields }, Value::Array(items)) => {
                let items = items.iter_mut().filter_map(Value::as_object_mut);
                items.for_each(|item| show_rich_text(fields, item));
            }
            _ => {}
        }
    }
}

impl Site {
    /// The entries that a loop shows at a time, in milliseconds since 1970: only those that visitors see, in the language of the page
    /// as far as they are translated. `None` when there are none,
    /// because the collection or a field of the filter does not exist.
    pub fn entry_query(&self, query: &RowQuery, now: i64) -> Option<EntryQuery> {
        if query.source != "data.rows" {
            return None;
        }
        let table = query.table.as_deref()?;
        let mut collections = self.collections();
        let (id, collection) =
            collections.find(|(id, found)| id.to_string() == table || found.slug == table)?;
        let mut filter = EntryFilter {
            collections: vec![id],
            status: Some(EntryStatus::Published),
            visible_at: Some(now),
            locale: Some(query.locale.clone().unwrap_or_default()),
            falls_back: true,
            ..EntryFilter::default()
        };
        for (name, value) in &query.filter {
            match name.as_str() {
                "slug" => filter.slug = Some(value.clone()),
                name => drop(
                    filter
                        .values
                        .insert(collection.field(name)?.id, value.clone()),
                ),
            }
        }
        Some(EntryQuery {
            filter,
            order: match query.order.as_deref() {
                Some("createdAt") => EntryOrder::CreatedAt,
                Some("updatedAt") => EntryOrder::UpdatedAt,
                Some("slug") => EntryOrder::Slug,
                Some("title") => EntryOrder::Title,
                Some("sortOrder") => EntryOrder::SortOrder,
                _ => EntryOrder::PublishedAt,
            },
            direction: query.direction,
            limit: query.limit.unwrap_or(ROWS).min(ROWS_MAX),
            offset: query.offset,
            cursor: None,
        })
    }

    /// An entry as bindings see it.
    pub fn entry_row(&self, row: &EntryRow) -> Value {
        let record = &row.record;
        let Some(collection) = self.collection(record.collection) else {
            return Value::Null;
        };
        let mut values = collection.named_values(record);
        show_rich_text(&collection.fields, &mut values);
        let picture = |value: &Value| match value {
            Value::Object(fields) => fields.get("url").cloned(),
            value => Some(value.clone()),
        };
        let featured = values.get("featuredImage").or_else(|| values.get("cover"));
        let featured = featured.and_then(picture).unwrap_or_default();
        for (name, value) in [
            ("id", json!(row.id)),
            ("title", json!(record.title)),
            ("slug", json!(record.slug)),
            ("locale", json!(record.locale)),
            ("permalink", json!(collection.permalink(record))),
            ("featuredMedia", featured),
            ("publishedAt", json!(row.published_at.map(iso_time))),
            ("createdAt", json!(iso_time(row.created_at))),
            ("updatedAt", json!(iso_time(row.updated_at))),
        ] {
            values.insert(name.to_owned(), value);
        }
        Value::Object(values)
    }

    /// The address of an entry that visitors see; `None` for any other.
    pub fn entry_address(&self, row: &EntryRow, now: i64) -> Option<String> {
        let record = &row.record;
        let is_visible = record.status == EntryStatus::Published
            && record.publish_at.is_none_or(|from| from <= now)
            && record.unpublish_at.is_none_or(|until| until > now);
        let collection = self.collection(record.collection)?;
        collection.permalink(record).filter(|_| is_visible)
    }

    /// The rows of a loop over something that the shell holds; `None` for other loops. With needs when addresses are not known yet.
    pub(crate) fn shell_rows(
        &self,
        query: &RowQuery,
        facts: &Facts,
    ) -> Option<Result<Vec<Value>, Vec<Need>>> {
        let rows = match query.source.as_str() {
            "site.pages" => Ok(self.page_rows(query)),
            "site.navigation" => self.menu_rows(query, facts),
            _ => return None,
        };
        Some(rows.map(|rows| {
            let limit = query.limit.unwrap_or(ROWS).min(ROWS_MAX) as usize;
            let rows = rows.into_iter().skip(query.offset as usize);
            rows.take(limit).collect()
        }))
    }

    fn page_rows(&self, query: &RowQuery) -> Vec<Value> {
        let pages = self.shell.pages.iter();
        let pages = pages.filter(|(_, page)| page.template.is_none() && !page.draft);
        let slug = query.filter.get("slug");
        let pages = pages.filter(|(_, page)| slug.is_none_or(|slug| page.slug == *slug));
        pages
            .map(|(id, page)| {
                json!({ "title": page.title, "slug": page.slug, "permalink": self.permalink(id) })
            })
            .collect()
    }

    /// The items of a menu that visitors see: those at the top, or with a `parent` in the filter those under it.
    fn menu_rows(&self, query: &RowQuery, facts: &Facts) -> Result<Vec<Value>, Vec<Need>> {
        let table = query.table.as_deref().unwrap_or_default();
        let mut menus = self.navigations();
        let menu = menus.find(|(id, menu)| id.to_string() == table || menu.slug == table);
        let Some((menu, _)) = menu else {
            return Ok(Vec::new());
        };
        let parent = query
            .filter
            .get("parent")
            .filter(|parent| !parent.is_empty());
        let parent: Option<ItemId> = match parent {
            None => None,
            Some(parent) => match parent.parse() {
                Ok(parent) => Some(parent),
                Err(_) => return Ok(Vec::new()),
            },
        };
        let (mut rows, mut needs) = (Vec::new(), Vec::new());
        for (id, item) in self.nav_items() {
            if item.navigation != menu || item.parent != parent || item.hidden {
                continue;
            }
            match self.menu_address(item, facts) {
                Ok(url) => rows.push(json!({ "id": id, "label": item.label, "url": url })),
                Err(need) => needs.push(need),
            }
        }
        match needs.is_empty() {
            true => Ok(rows),
            false => Err(needs),
        }
    }

    fn menu_address(&self, item: &NavItem, facts: &Facts) -> Result<Option<String>, Need> {
        let target = match &item.target {
            NavTarget::Page { id } => {
                let is_there = self.shell.pages.get(*id).is_some();
                return Ok(is_there.then(|| self.permalink(*id)));
            }
            NavTarget::Url { url } => return Ok(Some(url.clone())),
            NavTarget::Placeholder => return Ok(None),
            NavTarget::Entry { .. } if facts.has_blank_entries => return Ok(None),
            NavTarget::Entry { id } => Reference::Entry { id: id.to_string() },
            NavTarget::Media { id } => Reference::Media { id: id.clone() },
        };
        match facts.addresses.get(&target) {
            Some(address) => Ok(address.clone()),
            None => Err(Need::Address(target)),
        }
    }
}
