//! A site as it is held in memory: the shell, and the bodies that are open.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::HOME;
use crate::{BodyId, Chain, Component, Entity, Items, Pages, Tree};

/// The most pages that lie under each other.
pub(crate) const PARENTS_MAX: usize = 32;

/// The site, and how recently each part of it was touched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Site {
    /// What every document shares.
    pub shell: Shell,
    /// The trees that are open.
    pub bodies: HashMap<BodyId, Tree>,
    /// The last sequence that touched a part of the shell; a node's is with the node.
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
    /// The page that is shown when nothing else is asked for: the home page, or else the first.
    pub fn home_page(&self) -> Option<BodyId> {
        let mut pages = self.shell.pages.iter();
        let home = pages.find(|(_, page)| page.slug == HOME && page.parent_id.is_none());
        home.or_else(|| self.shell.pages.iter().next())
            .map(|(id, _)| id)
    }

    /// The address of a page on the site, from its slug and those above it.
    pub fn permalink(&self, page: BodyId) -> String {
        let mut slugs = Vec::new();
        let mut at = Some(page);
        // Pages above each other in a circle would go on for ever.
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

    /// Whether no more than this many nodes, pages, things and rules are in memory, which is what the work of a tool grows with.
    pub fn is_within(&self, limit: usize) -> bool {
        let nodes = self.bodies.values().map(Tree::len);
        let shell = [self.shell.pages.len(), self.shell.components.len()];
        let mut sizes = nodes.chain(shell).chain(self.shell.items.sizes());
        sizes
            .try_fold(limit, |left, size| left.checked_sub(size))
            .is_some()
    }

    /// The last sequence that touched this; 0 for what was never touched.
    pub fn rev(&self, entity: Entity) -> u64 {
        match entity {
            Entity::Node { body, node } => self.bodies.get(&body).map_or(0, |tree| tree.rev(node)),
            entity => self.revs.get(&entity).copied().unwrap_or(0),
        }
    }

    /// Writes the sequence that touched this, and tells the one before. What is not there has none.
    pub(crate) fn stamp(&mut self, entity: Entity, rev: u64) -> u64 {
        match entity {
            Entity::Node { body, node } => self
                .bodies
                .get_mut(&body)
                .map_or(0, |tree| tree.stamp(node, rev)),
            entity if rev == 0 => self.revs.remove(&entity).unwrap_or(0),
            entity => self.revs.insert(entity, rev).unwrap_or(0),
        }
    }
}
