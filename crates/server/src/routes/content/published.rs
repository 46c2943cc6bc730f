//! Published content as JSON, read-only, for other programs: with a token, on every host name. Entries are answered as they were
//! published, without what was edited in them since.

use std::collections::BTreeSet;

use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use http::{HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_site::{
    Collection, Direction, EntryFilter, EntryOrder, EntryQuery, EntryRow, EntryStatus, ItemId, Site,
};
use sitewright_store::EntryState;
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Route};

/// How many entries an answer has, unless the request says otherwise.
const LIMIT: u32 = 25;
const LIMIT_MAX: u32 = 100;
const PUBLISHED: EntryState = EntryState::Published;

pub(super) fn routes() -> Vec<Route> {
    let read = Access::Needs(Capability::ContentDeliver);
    vec![
        Route::new(
            Method::GET,
            "/_sw/content/{collection}",
            read,
            "The published entries of a collection",
            list,
        )
        .on_every_host(),
        Route::new(
            Method::GET,
            "/_sw/content/{collection}/{slug}",
            read,
            "A published entry",
            one,
        )
        .on_every_host(),
    ]
}

/// A JSON body with an entity tag: a client that has it already gets 304.
struct TaggedJson<T> {
    value: T,
    known: Option<HeaderValue>,
}

impl<T: Serialize + JsonSchema> Answer for TaggedJson<T> {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }

    fn respond(self) -> Response {
        let digest = sitewright_tool::digest(&json!(self.value));
        let tag = format!("\"{}\"", digest.get(..32).unwrap_or(&digest));
        let is_known = self.known.is_some_and(|known| {
            let known = known.to_str().unwrap_or_default();
            known
                .split(',')
                .any(|one| one.trim().trim_start_matches("W/") == tag)
        });
        let headers = [(ETAG, tag), (CACHE_CONTROL, "private, no-cache".to_owned())];
        match is_known {
            true => (StatusCode::NOT_MODIFIED, headers).into_response(),
            false => (headers, axum::Json(self.value)).into_response(),
        }
    }
}

fn tagged<T>(context: &Context, value: T) -> TaggedJson<T> {
    TaggedJson {
        value,
        known: context.headers.get(IF_NONE_MATCH).cloned(),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PublishedQuery {
    /// Only entries with these values: `author:Ana`, several separated by commas.
    filter: Option<String>,
    /// `publishedAt`, `createdAt`, `updatedAt`, `title`, `slug` or `sortOrder`; with a minus in front for the greatest first.
    sort: Option<String>,
    /// Only these fields of each entry, separated by commas.
    fields: Option<String>,
    /// The language, such as `de`; what is not translated comes in the nearest one. The site's own when left out.
    locale: Option<String>,
    /// How many at most, up to 100; 25 when left out.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

/// Published entries.
#[derive(Serialize, JsonSchema)]
struct PublishedEntries {
    items: Vec<Map<String, Value>>,
    /// How many there are in all.
    total: u64,
    /// The cursor of those that follow; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A published entry: `id`, `slug`, `title`, `permalink`, `publishedAt`, `updatedAt`, and its fields by name.
#[derive(Serialize, JsonSchema)]
struct PublishedEntry {
    #[serde(flatten)]
    entry: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneQuery {
    /// Only these fields, separated by commas.
    fields: Option<String>,
    /// The language; an entry that is not translated comes in the nearest one. The site's own when left out.
    locale: Option<String>,
}

/// The collection in the path.
fn found(site: &Site, context: &Context) -> Result<(ItemId, Collection), ApiError> {
    let named = context.param("collection")?;
    let mut collections = site.collections();
    let found = collections.find(|(id, found)| found.slug == named || id.to_string() == named);
    let found = found.map(|(id, collection)| (id, collection.clone()));
    found.ok_or_else(|| ApiError::not_found(format!("There is no collection `{named}`.")))
}

fn visible(context: &Context, collection: ItemId, locale: Option<String>) -> EntryFilter {
    EntryFilter {
        collections: vec![collection],
        status: Some(EntryStatus::Published),
        visible_at: Some(context.now.millis()),
        locale: Some(locale.unwrap_or_default()),
        falls_back: true,
        ..EntryFilter::default()
    }
}

async fn list(
    context: Context,
    input: PublishedQuery,
) -> Result<TaggedJson<PublishedEntries>, ApiError> {
    let live = context.app.store().live_site(context.site()?).await?;
    let (id, collection) = found(live.site(), &context)?;
    drop(live);
    let mut filter = visible(&context, id, input.locale);
    for pair in input.filter.iter().flat_map(|filter| filter.split(',')) {
        let (name, value) = pair.split_once(':').ok_or_else(|| {
            ApiError::field(
                "filter",
                "`filter` takes pairs such as `author:Ana`, separated by commas.",
            )
        })?;
        let field = collection.field(name.trim()).ok_or_else(|| {
            ApiError::field(
                "filter",
                format!("`filter`: the collection has no field `{name}`."),
            )
        })?;
        filter.values.insert(field.id, value.trim().to_owned());
    }
    let (order, direction) = sorted(input.sort.as_deref())?;
    let limit = input.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(ApiError::field(
            "limit",
            format!("`limit` must be from 1 to {LIMIT_MAX}."),
        ));
    }
    let query = EntryQuery {
        filter,
        order,
        direction,
        limit,
        offset: 0,
        cursor: input.cursor,
    };
    let (store, site) = (context.app.store(), context.site()?);
    let list = store.entries_in(PUBLISHED, site, &query).await?;
    let fields = chosen(input.fields.as_deref(), &collection)?;
    let items = list.rows.iter();
    let items = items.map(|row| shown(row, &collection, fields.as_ref()));
    let entries = PublishedEntries {
        items: items.collect(),
        total: list.total,
        next: list.next,
    };
    Ok(tagged(&context, entries))
}

async fn one(context: Context, input: OneQuery) -> Result<TaggedJson<PublishedEntry>, ApiError> {
    let live = context.app.store().live_site(context.site()?).await?;
    let (id, collection) = found(live.site(), &context)?;
    drop(live);
    let slug = context.param("slug")?.to_owned();
    let row = called(&context, id, slug, input.locale).await?;
    let row = row.ok_or_else(|| ApiError::not_found("There is no such published entry."))?;
    let fields = chosen(input.fields.as_deref(), &collection)?;
    let entry = shown(&row, &collection, fields.as_ref());
    Ok(tagged(&context, PublishedEntry { entry }))
}

/// The published entry with a slug, in a language or else the nearest one. The slug may be that of any of its translations; where
/// two entries have it, that of the language comes first, then that of the site's own.
async fn called(
    context: &Context,
    collection: ItemId,
    slug: String,
    locale: Option<String>,
) -> Result<Option<EntryRow>, ApiError> {
    let (store, site) = (context.app.store(), context.site()?);
    let wanted = locale.clone().unwrap_or_default();
    let named = EntryQuery {
        filter: EntryFilter {
            slug: Some(slug),
            locale: None,
            ..visible(context, collection, None)
        },
        limit: LIMIT_MAX,
        ..EntryQuery::default()
    };
    let mut rows = store.entries_in(PUBLISHED, site, &named).await?.rows;
    rows.sort_by_key(|row| {
        let language = row.record.locale.as_deref().unwrap_or_default();
        (language != wanted, !language.is_empty())
    });
    let Some(row) = rows.into_iter().next() else {
        return Ok(None);
    };
    let source = row.record.translation_of.unwrap_or(row.id);
    let nearest = EntryQuery {
        filter: EntryFilter {
            family: Some(source),
            ..visible(context, collection, Some(wanted))
        },
        limit: 1,
        ..EntryQuery::default()
    };
    Ok(store
        .entries_in(PUBLISHED, site, &nearest)
        .await?
        .rows
        .pop())
}

fn sorted(sort: Option<&str>) -> Result<(EntryOrder, Direction), ApiError> {
    let sort = sort.unwrap_or("-publishedAt");
    let (name, direction) = match sort.strip_prefix('-') {
        Some(name) => (name, Direction::Desc),
        None => (sort, Direction::Asc),
    };
    let order = match name {
        "publishedAt" => EntryOrder::PublishedAt,
        "createdAt" => EntryOrder::CreatedAt,
        "updatedAt" => EntryOrder::UpdatedAt,
        "title" => EntryOrder::Title,
        "slug" => EntryOrder::Slug,
        "sortOrder" => EntryOrder::SortOrder,
        other => {
            let message = format!(
                "`sort` cannot be `{other}`: publishedAt, createdAt, updatedAt, title, slug and sortOrder are what entries are sorted by."
            );
            return Err(ApiError::field("sort", message));
        }
    };
    Ok((order, direction))
}

/// What every entry has, whatever its collection.
const OWN_FIELDS: [&str; 8] = [
    "id",
    "slug",
    "title",
    "permalink",
    "locale",
    "translationOf",
    "publishedAt",
    "updatedAt",
];

/// The fields that a request chooses.
fn chosen<'a>(
    fields: Option<&'a str>,
    collection: &Collection,
) -> Result<Option<BTreeSet<&'a str>>, ApiError> {
    let Some(fields) = fields else {
        return Ok(None);
    };
    let chosen: BTreeSet<&str> = fields.split(',').map(str::trim).collect();
    let own = collection.fields.iter().map(|field| field.name.as_str());
    let known: Vec<&str> = OWN_FIELDS.into_iter().chain(own).collect();
    match chosen.iter().find(|name| !known.contains(*name)) {
        Some(unknown) => Err(ApiError::field(
            "fields",
            format!(
                "`{unknown}` is not a field of this collection; use {}.",
                known.join(", ")
            ),
        )),
        None => Ok(Some(chosen)),
    }
}

fn shown(
    row: &EntryRow,
    collection: &Collection,
    fields: Option<&BTreeSet<&str>>,
) -> Map<String, Value> {
    let record = &row.record;
    let own = [
        ("id", json!(row.id)),
        ("slug", json!(record.slug)),
        ("title", json!(record.title)),
        ("permalink", json!(collection.permalink(record))),
        ("locale", json!(record.locale)),
        ("translationOf", json!(record.translation_of)),
        ("publishedAt", json!(row.published_at)),
        ("updatedAt", json!(row.updated_at)),
    ];
    let own = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let mut entry: Map<String, Value> = own.collect();
    entry.extend(collection.named_values(record));
    if let Some(fields) = fields {
        entry.retain(|name, _| name == "id" || fields.contains(name.as_str()));
    }
    entry
}
