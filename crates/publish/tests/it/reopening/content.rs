//! Content in the random sequences: arguments for its tools, raw ops, and what every reader must agree on.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sitewright_site::{
    BodyId, EntryQuery, EntryRow, ItemId, Mint, NewEntity, NodeId, Op, OpenRecord, Record,
    RecordId, Replica, Site,
};
use sitewright_store::{SiteId, Store};

use super::random::Random;

const SLUGS: [&str; 5] = ["one", "two", "three", "four", "five"];

/// What the content tools can name.
pub(super) struct ContentNames {
    collections: Vec<ItemId>,
    entries: Vec<RecordId>,
    posts: Vec<String>,
    items: Vec<ItemId>,
    page: Option<String>,
    pages: Vec<BodyId>,
    sections: Vec<NodeId>,
}

impl ContentNames {
    pub(super) fn of(site: &Site, entries: &BTreeMap<RecordId, EntryRow>) -> Self {
        let pages = site.shell.pages.iter();
        let pages = pages.filter(|(_, page)| page.template.is_none());
        let pages: Vec<BodyId> = pages.map(|(id, _)| id).collect();
        let trees = pages.iter().filter_map(|page| site.bodies.get(page));
        let sections = trees.flat_map(|tree| tree.children(tree.root()));
        Self {
            sections: sections.collect(),
            collections: site.collections().map(|(id, _)| id).collect(),
            entries: entries.keys().copied().collect(),
            posts: entries
                .values()
                .map(|row| row.record.slug.clone())
                .collect(),
            items: site.nav_items().map(|(id, _)| id).collect(),
            page: site.home_page().map(|id| id.to_string()),
            pages,
        }
    }

    fn entry(&self, random: &mut Random) -> RecordId {
        random.any(&self.entries).unwrap_or(RecordId::from(1))
    }

    fn post(&self, random: &mut Random) -> String {
        random.any(&self.posts).unwrap_or_else(|| "one".to_owned())
    }

    pub(super) fn has_menu_items(&self) -> bool {
        !self.items.is_empty()
    }

    fn item(&self, random: &mut Random) -> ItemId {
        random.any(&self.items).unwrap_or(ItemId::from(1))
    }

    fn section(&self, random: &mut Random) -> NodeId {
        random.any(&self.sections).unwrap_or(NodeId::from(1))
    }

    fn target(&self, random: &mut Random) -> Value {
        match random.below(4) {
            0 if !self.entries.is_empty() => {
                json!({ "targetType": "entry", "targetId": self.entry(random) })
            }
            1 => json!({ "targetType": "page", "targetId": self.page }),
            2 => json!({ "targetType": "placeholder" }),
            _ => json!({ "targetType": "url", "url": "https://example.com" }),
        }
    }

    /// The arguments of a call; nothing for a tool that is not known here.
    pub(super) fn arguments(&self, tool: &str, random: &mut Random) -> Option<Value> {
        let (slug, words) = (random.one(&SLUGS), random.one(&["Ünïcode ☃", "Some words"]));
        let status = random.one(&["draft", "published", "archived"]);
        Some(match tool {
            "createEntry" => {
                json!({ "collectionId": "blog", "slug": slug, "title": words, "content": { "author": words }, "sortOrder": random.below(9) })
            }
            "updateEntry" => match random.below(3) {
                0 => {
                    json!({ "id": self.entry(random), "title": words, "content": { "excerpt": words, "author": null } })
                }
                1 => json!({ "id": self.entry(random), "status": status }),
                _ => json!({ "id": self.entry(random), "slug": slug, "publishAt": "2026-03-31" }),
            },
            "deleteEntry" => json!({ "ids": [self.entry(random)] }),
            "createPost" => {
                json!({ "collectionSlug": "blog", "slug": slug, "title": words, "content": { "body": words }, "category": slug })
            }
            "updatePost" => {
                json!({ "slug": self.post(random), "content": { "body": slug }, "status": status })
            }
            "deletePost" => json!({ "slugs": [self.post(random)] }),
            "createNavItem" => {
                let mut arguments = self.target(random);
                arguments["navigationId"] = json!(random.one(&["header", "footer"]));
                arguments["label"] = json!(words);
                arguments["sortOrder"] = json!(random.below(3));
                if random.happens(40) {
                    arguments["parentId"] = json!(random.any(&self.items));
                }
                arguments
            }
            "updateNavItem" => {
                json!({ "id": self.item(random), "label": words, "visible": random.happens(50), "sortOrder": random.below(3) })
            }
            "createPage" => {
                json!({ "name": words, "slug": slug, "parentId": random.any(&self.pages).filter(|_| random.happens(20)) })
            }
            "updatePage" => {
                json!({ "id": random.any(&self.pages), "name": words, "slug": slug, "meta": { "description": words } })
            }
            "content/deletePage" => {
                json!({ "ids": [random.any(&self.pages)], "cascade": random.happens(50) })
            }
            "createSection" => {
                json!({ "pageId": random.any(&self.pages), "templateKey": random.one(&["hero", "text", "cta"]), "content": { "title": words },
                    "sortOrder": random.below(4), "status": random.one(&["published", "unpublished", "draft"]) })
            }
            "updateSection" => match random.below(3) {
                0 => {
                    json!({ "pageSectionId": self.section(random), "content": { "title": slug } })
                }
                1 => {
                    json!({ "pageSectionId": self.section(random), "hidden": random.happens(50) })
                }
                _ => json!({ "pageSectionId": self.section(random), "sortOrder": random.below(4) }),
            },
            "deleteSection" => json!({ "ids": [self.section(random)] }),
            "deleteNavItem" => json!({ "ids": [self.item(random)] }),
            _ => return None,
        })
    }

    /// An op on an entry that no tool made.
    pub(super) fn raw_op(&self, mint: &mut Mint, random: &mut Random) -> Op {
        let entity = json!({ "type": "record", "id": self.entry(random) });
        let op = match (random.below(4), random.any(&self.collections)) {
            (0 | 1, Some(collection)) => {
                let record = Record {
                    sort_order: 1,
                    ..record(collection, random.one(&SLUGS))
                };
                let new = NewEntity::Record {
                    id: mint.mint(),
                    record: Box::new(record),
                };
                return Op::Insert { new: Box::new(new) };
            }
            (2, _) => json!({ "op": "remove", "entity": entity }),
            _ => {
                json!({ "op": "put", "entity": entity, "field": "title", "value": random.one(&SLUGS) })
            }
        };
        serde_json::from_value(op).expect("an op")
    }
}

fn record(collection: ItemId, slug: &str) -> Record {
    let record = json!({ "collection": collection, "slug": slug, "title": slug });
    serde_json::from_value(record).expect("an entry")
}

/// The entries of a site as their rows have them.
pub(super) async fn stored_entries(
    store: &Store,
    site: &SiteId,
) -> Result<BTreeMap<RecordId, EntryRow>> {
    let query = EntryQuery {
        limit: 1_000,
        ..EntryQuery::default()
    };
    let list = store.entries(site, &query).await?;
    Ok(list.rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Whether every entry that is open in a copy is what its row says.
pub(super) fn same_entries(copy: &Site, stored: &BTreeMap<RecordId, EntryRow>) -> Result<()> {
    for (id, open) in &copy.records {
        let row = stored
            .get(id)
            .with_context(|| format!("entry {id} has no row"))?;
        ensure!(
            (&open.record, open.rev) == (&row.record, row.rev),
            "entry {id}: {open:?}, {row:?}"
        );
    }
    Ok(())
}

/// Has a tab open an entry, or close one.
pub(super) fn open_or_close_entry(
    tab: &mut Replica,
    stored: &BTreeMap<RecordId, EntryRow>,
    end: u64,
    random: &mut Random,
) -> Result<()> {
    let ids: Vec<RecordId> = stored.keys().copied().collect();
    let Some(id) = random.any(&ids) else {
        return Ok(());
    };
    if random.happens(30) {
        tab.close_record(id);
    } else if !tab.site().records.contains_key(&id) {
        let row = &stored[&id];
        let open = OpenRecord {
            record: row.record.clone(),
            rev: row.rev,
        };
        tab.open_record(id, open, end)?;
    }
    Ok(())
}
