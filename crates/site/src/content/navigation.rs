//! Menus and their items.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::tagged;

use crate::{BodyId, Item, ItemId, List, RecordId, Site};

/// The top-level items of a menu, unless the menu says otherwise.
const TOP_ITEMS: u32 = 5;

/// A menu, such as the one in the header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Navigation {
    /// Its short name, such as `header`; unique among menus.
    pub slug: String,
    /// What people call it.
    pub label: String,
    /// The most items it may have at the top level.
    #[serde(default = "top_items")]
    pub max_items: u32,
}

/// An item of a menu. Its order among its siblings is the order of the list of all items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NavItem {
    /// The menu.
    pub navigation: ItemId,
    /// The item it lies under; absent at the top level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ItemId>,
    /// What it says.
    pub label: String,
    /// Where it leads.
    pub target: NavTarget,
    /// Whether visitors do not see it.
    #[serde(default)]
    pub hidden: bool,
}

tagged! {
    /// Where an item of a menu leads.
    #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
    tag "type" (rename_all = "camelCase", deny_unknown_fields)
    pub enum NavTarget {
        /// To a page.
        Page {
            /// The page.
            id: BodyId,
        },
        /// To an entry of a collection.
        Entry {
            /// The entry.
            id: RecordId,
        },
        /// To a picture or another file.
        Media {
            /// The file.
            id: String,
        },
        /// To an address.
        Url {
            /// The address.
            url: String,
        },
        /// Nowhere: it only holds other items.
        Placeholder,
    }
}

impl Navigation {
    /// A menu with the usual number of items.
    pub fn new(slug: &str, label: &str) -> Self {
        Self {
            slug: slug.to_owned(),
            label: label.to_owned(),
            max_items: TOP_ITEMS,
        }
    }
}

impl Site {
    /// The menus, in order.
    pub fn navigations(&self) -> impl Iterator<Item = (ItemId, &Navigation)> {
        let items = self.shell.items.list(List::Navigations);
        items.filter_map(|(id, item)| match item {
            Item::Navigation(navigation) => Some((id, navigation)),
            _ => None,
        })
    }

    /// The menu with this id.
    pub fn navigation(&self, id: ItemId) -> Option<&Navigation> {
        match self.shell.items.get(List::Navigations, id)? {
            Item::Navigation(navigation) => Some(navigation),
            _ => None,
        }
    }

    /// The items of all menus, in order.
    pub fn nav_items(&self) -> impl Iterator<Item = (ItemId, &NavItem)> {
        let items = self.shell.items.list(List::NavItems);
        items.filter_map(|(id, item)| match item {
            Item::NavItem(item) => Some((id, item)),
            _ => None,
        })
    }

    /// The item of a menu with this id.
    pub fn nav_item(&self, id: ItemId) -> Option<&NavItem> {
        match self.shell.items.get(List::NavItems, id)? {
            Item::NavItem(item) => Some(item),
            _ => None,
        }
    }
}

fn top_items() -> u32 {
    TOP_ITEMS
}
