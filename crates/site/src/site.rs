//! A site in memory: the shell, and the bodies and entries that are open.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::OpenRecord;
use crate::page::HOME;
use crate::{BodyId, Chain, Component, Entity, Items, Pages, RecordId, Tree};

/// The maximum depth of nested pages.
pub(crate) const PARENTS_MAX: usize = 32;

/// A site, with the sequence number of the last change to each of its parts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Site {
    pub shell: Shell,
    /// The bodies that are open; a document that is listed in the shell but not open has no entry here.
    pub bodies: HashMap<BodyId, Tree>,
    /// The entries of collections that are open. The shell does not list them: a site may have very many.
    pub records: HashMap<RecordId, OpenRecord>,
    /// The last sequence that touched each part of the shell. Nodes carry their own in the tree, and entries in `records`.
    pub(crate) revs: HashMap<Entity, u64>,
}

/// What every document shares, and the list of documents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Shell {
    /// The settings of the site.
    pub settings: SiteSettings,
    /// The pages and templates, in order.
    pub pages: Pages,
    /// The components, in order.
    pub components: Chain<BodyId, Component>,
    /// Everything else that documents share.
    #[serde(default)]
    pub items: Items,
}

/// The settings of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct SiteSettings {
    /// Its name.
    pub name: String,
    /// Its language, such as `en` or `de-AT`.
    pub language: String,
    /// How a page's title is shown: `{title}` and `{site}` are filled in.
    pub title_pattern: String,
    /// The small picture browsers show with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// The picture others show with a link, for pages without one of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub social_image: Option<String>,
    /// Code at the end of every `<head>`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub head_code: String,
    /// Code at the end of every `<body>`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body_code: String,
    /// Whether search engines are asked to stay away.
    pub discourage_search_engines: bool,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self {
            name: "My site".to_owned(),
            language: "en".to_owned(),
            title_pattern: "{title} – {site}".to_owned(),
            favicon: None,
            social_image: None,
            head_code: String::new(),
            body_code: String::new(),
            discourage_search_engines: false,
        }
    }
}

impl Site {
    /// The page to show by default: the home page, or else the first page.
    pub fn home_page(&self) -> Option<BodyId> {
        let mut pages = self.shell.pages.iter();
        let home = pages.find(|(_, page)| page.slug == HOME && page.parent_id.is_none());
        home.or_else(|| self.shell.pages.iter().next())
            .map(|(id, _)| id)
    }

    /// The path of a page on the site, built from its slug and those of its ancestors.
    pub fn permalink(&self, page: BodyId) -> String {
        let mut slugs = Vec::new();
        let mut at = Some(page);
        // The limit keeps the loop finite if the parents form a cycle.
        while let Some(found) = at
            .and_then(|id| self.shell.pages.get(id))
            .filter(|_| slugs.len() < PARENTS_MAX)
        {
            slugs.push(found.slug.as_str());
            at = found.parent_id;
        }
        if slugs == [HOME] {
            return "/".to_owned();
        }
        slugs.reverse();
        format!("/{}", slugs.join("/"))
    }

    /// Whether at most `limit` nodes, pages, components, entries, items and rules are in memory. The cost of running a tool grows with
    /// this number.
    pub fn is_within(&self, limit: usize) -> bool {
        let nodes = self.bodies.values().map(Tree::len);
        let shell = [
            self.shell.pages.len(),
            self.shell.components.len(),
            self.records.len(),
        ];
        let mut sizes = nodes.chain(shell).chain(self.shell.items.sizes());
        sizes
            .try_fold(limit, |left, size| left.checked_sub(size))
            .is_some()
    }

    /// The last sequence that touched the entity; 0 if it was never touched.
    pub fn rev(&self, entity: Entity) -> u64 {
        match entity {
            Entity::Node { body, node } => self.bodies.get(&body).map_or(0, |tree| tree.rev(node)),
            Entity::Record { id } => self.records.get(&id).map_or(0, |open| open.rev),
            entity => self.revs.get(&entity).copied().unwrap_or(0),
        }
    }

    /// Records the sequence that touched the entity and returns the previous one, which is 0 if there was none. A `rev` of 0
    /// clears it.
    pub(crate) fn stamp(&mut self, entity: Entity, rev: u64) -> u64 {
        match entity {
            Entity::Node { body, node } => self
                .bodies
                .get_mut(&body)
                .map_or(0, |tree| tree.stamp(node, rev)),
            Entity::Record { id } => self
                .records
                .get_mut(&id)
                .map_or(0, |open| std::mem::replace(&mut open.rev, rev)),
            entity if rev == 0 => self.revs.remove(&entity).unwrap_or(0),
            entity => self.revs.insert(entity, rev).unwrap_or(0),
        }
    }
}
