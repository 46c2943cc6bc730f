//! The tools for posts: entries of collections whose entries have pages.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sitewright_site::{
    Collection, EntryFilter, EntryQuery, EntryRow, EntryStatus, ItemId, PureBody as _, RecordId,
    SiteTool, Stop, Work,
};

use crate::confirm::{Deletion, Words, check_list};
use crate::entry::{self, DeletedEntry, EntryPatch, NewEntry, SavedEntry, ShownEntry, Timing};
use crate::fields::{self, FieldValue};
use crate::listing::{Listing, Selectors, limit};
use crate::translations::{self, Language};
use crate::{change, collection, delete as deletes, read};

pub(crate) fn tools() -> Vec<SiteTool> {
    vec![
        read("getPost", "Get posts", "Get post(s). By slug, or all with filters (collectionSlug, status, category). One post comes with its content. \
              Returns items.")
        .words("Looking at posts", "Looked at posts")
        .tags(&["post", "blog", "article", "list"])
        .with(get),
        change("createPost", "Create a post", "Create draft post. Use updatePost to publish. Returns the post.")
            .words("Writing a post", "Wrote a post")
            .tags(&["post", "blog", "article", "write"])
            .with(create),
        change("updatePost", "Update a post", "Update post. By slug. Set status: published/archived to change state. Merges content. Returns the post.")
            .words("Updating a post", "Updated a post")
            .tags(&["post", "blog", "article", "edit", "publish", "archive"])
            .with(update),
        deletes("deletePost", "Delete posts", "Delete post(s). Array param. Requires confirmed. Restorable from the bin for 30 days.")
            .words("Deleting posts", "Deleted posts")
            .tags(&["post", "blog", "article", "remove"])
            .with(delete),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetPost {
    /// Get by slug, such as `my-post` or `blog/my-post`.
    slug: Option<String>,
    /// Only posts of this collection, such as `blog`.
    collection_slug: Option<String>,
    /// Only posts with this status.
    #[schemars(with = "Option<entry::StatusWord>")]
    status: Option<EntryStatus>,
    /// Only posts of this category.
    category: Option<String>,
    /// Get those with these words; with collectionSlug or all, only search these.
    query: Option<String>,
    /// Get all.
    #[serde(default)]
    all: bool,
    /// Whether the fields come with each post of a list.
    #[serde(default)]
    include_content: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

fn get(input: GetPost, work: &mut Work<'_>) -> Result<Listing<ShownEntry>, Stop> {
    let lists = input.slug.is_none() && !input.all && input.collection_slug.is_some();
    Selectors {
        all: &[
            ("slug", input.slug.is_some()),
            ("all", input.all),
            ("collectionSlug", lists),
            // Beside a list, the words are a filter.
            ("query", input.query.is_some() && !(input.all || lists)),
        ],
        missing: "Provide slug, collectionSlug, query, or set all: true.",
    }
    .check()?;
    if let Some(slug) = &input.slug {
        let found = posts_called(slug, input.collection_slug.as_deref(), work)?;
        let rows: Vec<&EntryRow> = found.iter().filter(|row| fits(row, &input, work)).collect();
        if rows.len() > 1 {
            return Err(ambiguous(slug, &found, work));
        }
        let items: Vec<ShownEntry> = rows
            .into_iter()
            .map(|row| ShownEntry::of_row(row, true, work))
            .collect();
        let total = items.len() as u64;
        return Ok(Listing::new(items, total, None));
    }
    list(input, work)
}

fn fits(row: &EntryRow, input: &GetPost, work: &Work<'_>) -> bool {
    let record = &row.record;
    let has = |category: &String| {
        let collection = work.site().collection(record.collection);
        let field = collection.and_then(|found| found.field("category"));
        let value = field.and_then(|field| record.values.get(&field.id));
        value.and_then(Value::as_str) == Some(category.as_str())
    };
    input.status.is_none_or(|status| record.status == status)
        && input.category.as_ref().is_none_or(has)
}

fn list(input: GetPost, work: &Work<'_>) -> Result<Listing<ShownEntry>, Stop> {
    let collections = match &input.collection_slug {
        Some(named) => vec![collection::of_posts(work.site(), named)?.0],
        None => collection::with_pages(work.site()),
    };
    let mut filter = EntryFilter {
        status: input.status,
        search: input.query,
        ..EntryFilter::default()
    };
    match &input.category {
        // Each collection has a category field of its own.
        Some(category) => {
            for id in &collections {
                let field = work
                    .site()
                    .collection(*id)
                    .and_then(|found| found.field("category"));
                if let Some(field) = field {
                    filter.collections.push(*id);
                    filter.any_value.insert(field.id, category.clone());
                }
            }
        }
        None => filter.collections = collections,
    }
    if filter.collections.is_empty() {
        return Ok(Listing::new(Vec::new(), 0, None));
    }
    let query = EntryQuery {
        filter,
        limit: limit(input.limit)?,
        cursor: input.cursor,
        ..EntryQuery::default()
    };
    let list = entry::listed(query, work)?;
    let items = list
        .rows
        .iter()
        .map(|row| ShownEntry::of_row(row, input.include_content, work));
    Ok(Listing::new(items.collect(), list.total, list.next))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreatePost {
    /// The collection, such as `blog`.
    collection_slug: String,
    /// URL-friendly slug.
    slug: String,
    /// Its title.
    title: String,
    /// Its fields by name: `body` in Markdown, `cover` as `{ url, alt }`.
    content: Map<String, Value>,
    /// Who wrote it.
    author: Option<String>,
    /// A sentence or two for lists.
    excerpt: Option<String>,
    /// Its category.
    category: Option<String>,
    /// The address of a picture under /uploads/.
    featured_image: Option<String>,
    /// From when on visitors see it, in ISO 8601.
    publish_at: Option<String>,
    /// Until when visitors see it, in ISO 8601.
    unpublish_at: Option<String>,
}

fn create(input: CreatePost, work: &mut Work<'_>) -> Result<SavedEntry, Stop> {
    let (id, found) = collection::of_posts(work.site(), &input.collection_slug)?;
    let mut values = fields::by_id(&found, &input.content)?;
    values.extend(own_fields(
        &found,
        [
            ("author", input.author),
            ("excerpt", input.excerpt),
            ("category", input.category),
            ("featuredImage", input.featured_image),
        ],
    )?);
    let new = NewEntry {
        collection_id: id,
        slug: input.slug,
        title: input.title,
        status: EntryStatus::Draft,
        values,
        timing: Timing {
            publish_at: input.publish_at.map(Some),
            unpublish_at: input.unpublish_at.map(Some),
        },
        sort_order: 0,
        language: Language::default(),
    };
    entry::create(new, work)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdatePost {
    /// The post, such as `my-post` or `blog/my-post`.
    slug: String,
    /// Its collection, where two have a post with this slug.
    collection_slug: Option<String>,
    /// Another title.
    title: Option<String>,
    /// The fields that are to be different, by name; null takes one away.
    content: Option<Map<String, Value>>,
    /// draft, published or archived.
    #[schemars(with = "Option<entry::StatusWord>")]
    status: Option<EntryStatus>,
    /// Another category.
    category: Option<String>,
    /// Who wrote it.
    author: Option<String>,
    /// A sentence or two for lists.
    excerpt: Option<String>,
    /// The address of a picture under /uploads/.
    featured_image: Option<String>,
    /// From when on visitors see it, in ISO 8601; null for no such time.
    #[serde(default, deserialize_with = "entry::given")]
    publish_at: Option<Option<String>>,
    /// Until when visitors see it, in ISO 8601; null for no such time.
    #[serde(default, deserialize_with = "entry::given")]
    unpublish_at: Option<Option<String>>,
    /// Whether the caller has confirmed a change of status.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

fn update(input: UpdatePost, work: &mut Work<'_>) -> Result<SavedEntry, Stop> {
    let (id, collection) = one_post(&input.slug, input.collection_slug.as_deref(), work)?;
    let mut values = match &input.content {
        Some(content) => fields::by_id(&collection, content)?,
        None => Vec::new(),
    };
    values.extend(own_fields(
        &collection,
        [
            ("author", input.author),
            ("excerpt", input.excerpt),
            ("category", input.category),
            ("featuredImage", input.featured_image),
        ],
    )?);
    let patch = EntryPatch {
        title: input.title,
        status: input.status,
        values,
        timing: Timing {
            publish_at: input.publish_at,
            unpublish_at: input.unpublish_at,
        },
        ..EntryPatch::default()
    };
    entry::update(id, patch, work)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DeletePost {
    /// The posts, also for one: `my-post` or `blog/my-post`.
    slugs: Vec<String>,
    /// Their collection, where two have a post with the same slug.
    collection_slug: Option<String>,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

fn delete(input: DeletePost, work: &mut Work<'_>) -> Result<Deletion<DeletedEntry>, Stop> {
    check_list("slugs", &input.slugs)?;
    let mut queries = Vec::with_capacity(input.slugs.len());
    for slug in &input.slugs {
        queries.extend(query_called(slug, input.collection_slug.as_deref(), work)?);
    }
    entry::fetch_all(queries, work)?;
    let mut ids: Vec<RecordId> = Vec::new();
    let mut missing = Vec::new();
    for slug in &input.slugs {
        let found = posts_called(slug, input.collection_slug.as_deref(), work)?;
        match found.as_slice() {
            [] => missing.push(format!("`{slug}`")),
            [one] => ids.push(one.id),
            _ => return Err(ambiguous(slug, &found, work)),
        }
    }
    if !missing.is_empty() {
        return Err(Stop::not_found(format!(
            "There is no post {}; nothing was deleted. getPost names those there are.",
            missing.join(", ")
        )));
    }
    check_list("slugs", &ids)?;
    let deleted = entry::delete(&ids, work)?;
    let words = Words {
        one: "post",
        several: "posts",
    };
    Ok(Deletion::of(deleted, &words, entry::BIN_NOTE, work))
}

/// The fields of a post that the tools take by names of their own, as far as they are given.
fn own_fields(
    collection: &Collection,
    given: [(&str, Option<String>); 4],
) -> Result<Vec<FieldValue>, Stop> {
    let given = given.into_iter();
    let given = given.filter_map(|(name, value)| Some((name, value?)));
    given
        .map(|(name, value)| fields::one_by_id(collection, name, json!(value)))
        .collect()
}

/// The one post with a slug.
fn one_post(
    slug: &str,
    collection_slug: Option<&str>,
    work: &Work<'_>,
) -> Result<(RecordId, Collection), Stop> {
    let found = posts_called(slug, collection_slug, work)?;
    match found.as_slice() {
        [] => Err(Stop::not_found(format!(
            "There is no post `{slug}`; getPost names those there are."
        ))),
        [one] => Ok((one.id, entry::collection_of(&one.record, work)?)),
        _ => Err(ambiguous(slug, &found, work)),
    }
}

/// The posts with a slug. Translations may have the slug of what they translate, which is meant then.
fn posts_called(
    slug: &str,
    collection_slug: Option<&str>,
    work: &Work<'_>,
) -> Result<Vec<EntryRow>, Stop> {
    match query_called(slug, collection_slug, work)? {
        Some(query) => Ok(translations::own_first(entry::listed(query, work)?.rows)),
        None => Ok(Vec::new()),
    }
}

/// The query for the posts with a slug, which may begin with that of a collection; `None` when there are no posts at all.
fn query_called(
    slug: &str,
    collection_slug: Option<&str>,
    work: &Work<'_>,
) -> Result<Option<EntryQuery>, Stop> {
    let slug = slug.trim().trim_matches('/');
    let (named, slug) = match slug.rsplit_once('/') {
        Some((collection, slug)) => (Some(collection), slug),
        None => (collection_slug, slug),
    };
    let collections: Vec<ItemId> = match named {
        Some(named) => vec![collection::of_posts(work.site(), named)?.0],
        None => collection::with_pages(work.site()),
    };
    let query = EntryQuery {
        filter: EntryFilter {
            collections,
            slug: Some(slug.to_owned()),
            ..EntryFilter::default()
        },
        limit: 20,
        ..EntryQuery::default()
    };
    Ok((!query.filter.collections.is_empty()).then_some(query))
}

fn ambiguous(slug: &str, found: &[EntryRow], work: &Work<'_>) -> Stop {
    let candidates = found.iter().filter_map(|row| {
        let collection = work.site().collection(row.record.collection)?;
        Some(format!("`{}/{}`", collection.slug, row.record.slug))
    });
    let candidates: Vec<String> = candidates.collect();
    Stop::conflict(format!(
        "Several posts have the slug `{slug}`: {}. Say which with collectionSlug, or in this form.",
        candidates.join(", ")
    ))
}
