//! The content of the example: the posts of its journal and the items of its menus.

use std::collections::BTreeMap;

use serde_json::json;

use super::{HOME, PAGES};
use crate::tools::{Stop, Work};
use crate::{
    BodyId, EntryStatus, Item, ItemId, NavItem, NavTarget, NewEntity, Op, Record, Site,
    TemplateTarget,
};

/// The collection of the posts, which every new site has.
const COLLECTION: &str = "blog";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A post of the journal.
pub(super) struct ExamplePost {
    pub(super) title: &'static str,
    pub(super) slug: &'static str,
    category: &'static str,
    excerpt: &'static str,
    /// Its text, in Markdown.
    body: &'static str,
    /// How long before the site was set up it is dated.
    days_before: i64,
}

/// The posts, the newest first.
pub(super) const POSTS: [ExamplePost; 3] = [
    ExamplePost {
        title: "Opening the kiln",
        slug: "opening-the-kiln",
        category: "Firing",
        excerpt: "A day of waiting, a few minutes of holding your breath, and one cup that leans.",
        body: include_str!("../../example/journal/opening-the-kiln.md"),
        days_before: 3,
    },
    ExamplePost {
        title: "The handle comes first",
        slug: "the-handle-comes-first",
        category: "Making",
        excerpt: "It is the only part of a cup that you really touch. So why do we all make it last?",
        body: include_str!("../../example/journal/the-handle-comes-first.md"),
        days_before: 19,
    },
    ExamplePost {
        title: "A bucket from the river bend",
        slug: "a-bucket-from-the-river-bend",
        category: "Materials",
        excerpt: "Half an hour on foot from our door, the bank of the river is the colour of wet brick.",
        body: include_str!("../../example/journal/a-bucket-from-the-river-bend.md"),
        days_before: 47,
    },
];

/// What the template of the posts wraps.
pub(super) fn journal_posts() -> TemplateTarget {
    TemplateTarget::PostTypes {
        table_slugs: vec![COLLECTION.to_owned()],
    }
}

/// Adds the posts, published.
pub(super) fn add_posts(work: &mut Work<'_>, now: i64) -> Result<(), Stop> {
    for record in records(work.site, now)? {
        let new = NewEntity::Record {
            id: work.mint.mint(),
            record: Box::new(record),
        };
        work.step(Op::Insert { new: Box::new(new) })?;
    }
    Ok(())
}

/// The posts as entries. Each has a time of its own, so that lists know their order.
fn records(site: &Site, now: i64) -> Result<Vec<Record>, Stop> {
    let mut collections = site.collections();
    let found = collections.find(|(_, found)| found.slug == COLLECTION);
    let (id, collection) = found.ok_or_else(|| missing("collection", COLLECTION))?;
    let mut records = Vec::with_capacity(POSTS.len());
    for post in &POSTS {
        let mut values = BTreeMap::new();
        for (name, value) in [
            ("body", post.body),
            ("excerpt", post.excerpt),
            ("category", post.category),
        ] {
            let field = collection.field(name);
            let field = field.ok_or_else(|| missing("field", name))?;
            values.insert(field.id, json!(value));
        }
        records.push(Record {
            collection: id,
            slug: post.slug.to_owned(),
            title: post.title.to_owned(),
            locale: None,
            translation_of: None,
            source_digest: None,
            status: EntryStatus::Published,
            publish_at: Some(now - post.days_before * DAY_MS),
            unpublish_at: None,
            sort_order: 0,
            values,
        });
    }
    Ok(records)
}

/// Puts the pages that lead somewhere into the menus of header and footer.
pub(super) fn add_menus(work: &mut Work<'_>) -> Result<(), Stop> {
    let menus: Vec<ItemId> = work.site.navigations().map(|(id, _)| id).collect();
    let listed = PAGES
        .iter()
        .filter(|page| ![HOME, "404"].contains(&page.slug));
    let mut after = None;
    for page in listed {
        let target = page_called(work.site, page.slug)?;
        for menu in &menus {
            let item = NavItem {
                navigation: *menu,
                parent: None,
                label: page.title.to_owned(),
                target: NavTarget::Page { id: target },
                hidden: false,
            };
            let id = work.mint.mint();
            let new = NewEntity::Item {
                id,
                after,
                item: Box::new(Item::NavItem(item)),
                pieces: Vec::new(),
            };
            work.step(Op::Insert { new: Box::new(new) })?;
            after = Some(id);
        }
    }
    Ok(())
}

fn page_called(site: &Site, slug: &str) -> Result<BodyId, Stop> {
    let mut pages = site.shell.pages.iter();
    let found = pages.find(|(_, page)| page.slug == slug);
    found.map(|(id, _)| id).ok_or_else(|| missing("page", slug))
}

fn missing(kind: &str, name: &str) -> Stop {
    Stop::invalid(format!("The site has no {kind} `{name}` for the example."))
}
