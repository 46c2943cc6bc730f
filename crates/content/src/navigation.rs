//! The tools for the items of menus. Menus themselves are made by people.

mod order;
mod target;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_site::{
    BodyId, Entity, Item, ItemId, List, NavItem, NewEntity, Op, PureBody as _, Site, SiteTool,
    Stop, Work,
};
use sitewright_tool::Touched;

use crate::confirm::{Deletion, Words, check_list};
use crate::entry;
use crate::listing::{Listing, Selectors, limit};
use crate::{change, delete as deletes, read};
use order::{family, put_in_place, siblings};
use target::{TargetType, WrittenTarget, hrefs, open_targets};

pub(crate) fn tools() -> Vec<SiteTool> {
    vec![
        read("getNavItem", "Get menu items", "Get navigation item(s). By id, or label or all within a navigationId. Returns items.")
            .words("Looking at the menu", "Looked at the menu")
            .tags(&["navigation", "menu", "header", "footer", "link"])
            .with(get),
        change("createNavItem", "Add a menu item", "Add navigation item. navigationId says where: header or footer. To a page, entry, media, url or placeholder. Returns its id.")
            .words("Adding a menu item", "Added a menu item")
            .tags(&["navigation", "menu", "header", "footer", "link", "add"])
            .with(create),
        change("updateNavItem", "Change a menu item", "Update nav item. By id. Set visible: false to hide, sortOrder to move. Returns the item.")
            .words("Changing a menu item", "Changed a menu item")
            .tags(&["navigation", "menu", "header", "footer", "link", "hide", "move"])
            .with(update),
        deletes("deleteNavItem", "Delete menu items", "Remove navigation item(s), with those under them. Array param. Requires confirmed.")
            .words("Deleting menu items", "Deleted menu items")
            .tags(&["navigation", "menu", "header", "footer", "link", "remove"])
            .with(delete),
    ]
}

/// An item of a menu in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownItem {
    id: ItemId,
    navigation_id: ItemId,
    /// The short name of the menu.
    navigation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<ItemId>,
    label: String,
    target_type: TargetType,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Where it leads at the moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    href: Option<String>,
    visible: bool,
    /// Its place among its siblings, from 0.
    sort_order: usize,
}

fn shown(id: ItemId, item: &NavItem, work: &Work<'_>) -> Result<ShownItem, Stop> {
    let site = work.site();
    let navigation = site.navigation(item.navigation);
    let place = siblings(site, item).iter().position(|other| *other == id);
    let written = WrittenTarget::of(&item.target);
    Ok(ShownItem {
        id,
        navigation_id: item.navigation,
        navigation: navigation
            .map(|found| found.slug.clone())
            .unwrap_or_default(),
        parent_id: item.parent,
        label: item.label.clone(),
        target_type: written.target_type,
        target_id: written.target_id,
        url: written.url,
        href: hrefs(&item.target, work)?,
        visible: !item.hidden,
        sort_order: place.unwrap_or(0),
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetNavItem {
    /// Get by id.
    id: Option<ItemId>,
    /// The navigation, by id or short name such as `header`; needed unless the call is by id.
    navigation_id: Option<String>,
    /// Get by label.
    label: Option<String>,
    /// Get all.
    #[serde(default)]
    all: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

fn get(input: GetNavItem, work: &mut Work<'_>) -> Result<Listing<ShownItem>, Stop> {
    let lists = input.id.is_none() && input.label.is_none() && !input.all;
    Selectors {
        all: &[
            ("id", input.id.is_some()),
            ("label", input.label.is_some()),
            ("all", input.all),
            ("navigationId", lists && input.navigation_id.is_some()),
        ],
        missing: "Provide id, or navigationId with label or all: true.",
    }
    .check()?;
    if input.id.is_none() && input.navigation_id.is_none() {
        let message = format!(
            "navigationId is needed unless the call is by id; {}.",
            menus(work.site())
        );
        return Err(Stop::invalid_at("navigationId", message));
    }
    let navigation = input
        .navigation_id
        .as_deref()
        .map(|named| menu(work.site(), named));
    let navigation = navigation.transpose()?;
    let items: Vec<(ItemId, NavItem)> = work
        .site()
        .nav_items()
        .filter(|(id, item)| {
            input.id.is_none_or(|wanted| wanted == *id)
                && navigation.is_none_or(|menu| item.navigation == menu)
                && input
                    .label
                    .as_ref()
                    .is_none_or(|label| item.label == *label)
        })
        .map(|(id, item)| (id, item.clone()))
        .collect();
    let (limit, total) = (limit(input.limit)? as usize, items.len());
    let from = match &input.cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_bad| {
            Stop::invalid_at("cursor", "cursor must be the `next` of the answer before.")
        })?,
    };
    let page: Vec<&(ItemId, NavItem)> = items.iter().skip(from).take(limit).collect();
    open_targets(page.iter().map(|(_, item)| &item.target), work)?;
    let page = page.into_iter().map(|(id, item)| shown(*id, item, work));
    let next = (from + limit < total).then(|| (from + limit).to_string());
    Ok(Listing::new(
        page.collect::<Result<_, _>>()?,
        total as u64,
        next,
    ))
}

#[derive(Debug, Serialize, JsonSchema)]
struct SavedItem {
    success: bool,
    id: ItemId,
    item: ShownItem,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateNavItem {
    /// The navigation, by id or short name such as `header`.
    navigation_id: String,
    /// What it says.
    label: String,
    /// page, entry, media, url or placeholder.
    target_type: TargetType,
    /// The page, entry or file.
    target_id: Option<String>,
    /// The address, for url.
    url: Option<String>,
    /// The item it lies under.
    parent_id: Option<ItemId>,
    /// Its place among its siblings, from 0; the last when left out.
    sort_order: Option<usize>,
}

fn create(input: CreateNavItem, work: &mut Work<'_>) -> Result<SavedItem, Stop> {
    let navigation = menu(work.site(), &input.navigation_id)?;
    let written = WrittenTarget {
        target_type: input.target_type,
        target_id: input.target_id,
        url: input.url,
    };
    let item = NavItem {
        navigation,
        parent: input.parent_id,
        label: input.label.trim().to_owned(),
        target: written.target(work)?,
        hidden: false,
    };
    check_parent(&item, work.site())?;
    check_room(&item, work.site())?;
    let id: ItemId = work.mint();
    let after = work.site().nav_items().last().map(|(id, _)| id);
    work.step(Op::Insert {
        new: Box::new(NewEntity::Item {
            id,
            item: Box::new(Item::NavItem(item.clone())),
            pieces: Vec::new(),
            after,
        }),
    })?;
    if let Some(place) = input.sort_order {
        put_in_place(id, place, work)?;
    }
    let touched = touched(id, &item);
    work.receipt().created.push(touched);
    Ok(SavedItem {
        success: true,
        id,
        item: shown(id, &item, work)?,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateNavItem {
    /// The item, by id or as `header/About`.
    id: String,
    /// What it is to say.
    label: Option<String>,
    /// page, entry, media, url or placeholder.
    target_type: Option<TargetType>,
    /// The page, entry or file.
    target_id: Option<String>,
    /// The address, for url.
    url: Option<String>,
    /// The item it is to lie under; null for the top level.
    #[serde(default, deserialize_with = "entry::given")]
    parent_id: Option<Option<ItemId>>,
    /// Whether visitors see it.
    visible: Option<bool>,
    /// Its place among its siblings, from 0.
    sort_order: Option<usize>,
}

fn update(input: UpdateNavItem, work: &mut Work<'_>) -> Result<SavedItem, Stop> {
    let id = item_called(&input.id, work.site())?.ok_or_else(|| missing(&input.id))?;
    let before = found(id, work.site())?;
    let entity = entity(id);
    let steps = work.steps();
    if let Some(label) = &input.label {
        work.put(entity, "label", json!(label.trim()))?;
    }
    if input.target_type.is_some() || input.target_id.is_some() || input.url.is_some() {
        let kept = WrittenTarget::of(&before.target);
        let written = WrittenTarget {
            target_type: input.target_type.unwrap_or(kept.target_type),
            target_id: input.target_id,
            url: input.url,
        };
        let target = written.target(work)?;
        work.put(entity, "target", json!(target))?;
    }
    if let Some(visible) = input.visible {
        work.put(entity, "hidden", json!(!visible))?;
    }
    if let Some(parent) = input.parent_id {
        work.put(entity, "parent", json!(parent))?;
    }
    let after = found(id, work.site())?;
    check_parent(&after, work.site())?;
    if after.parent.is_none() && before.parent.is_some() {
        check_top(&after, work.site(), 0)?;
    }
    if family(work.site(), id).len() > FAMILY_MAX {
        return Err(Stop::invalid_at(
            "parentId",
            "parentId: the item would lie under itself.",
        ));
    }
    if let Some(place) = input.sort_order {
        put_in_place(id, place, work)?;
    }
    let is_changed = work.steps() > steps;
    let touched = touched(id, &after);
    match is_changed {
        true => work.receipt().changed.push(touched),
        false => work.receipt().unchanged.push(touched),
    }
    Ok(SavedItem {
        success: true,
        id,
        item: shown(id, &after, work)?,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DeleteNavItem {
    /// The items, also for one: by id or as `header/About`.
    ids: Vec<String>,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

/// An item that is to be deleted.
#[derive(Debug, Serialize, JsonSchema)]
struct DeletedItem {
    id: ItemId,
    label: String,
    /// The items under it, which go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with: Vec<String>,
}

fn delete(input: DeleteNavItem, work: &mut Work<'_>) -> Result<Deletion<DeletedItem>, Stop> {
    check_list("ids", &input.ids)?;
    let (mut ids, mut missing) = (Vec::new(), Vec::new());
    for named in &input.ids {
        match item_called(named, work.site())? {
            Some(id) => ids.push(id),
            None => missing.push(named.clone()),
        }
    }
    if !missing.is_empty() {
        return Err(Stop::not_found(format!(
            "There is no menu item {}; nothing was deleted. getNavItem names those there are.",
            missing.join(", ")
        )));
    }
    check_list("ids", &ids)?;
    let mut deleted = Vec::with_capacity(ids.len());
    for id in &ids {
        // It may be gone already, with one above it.
        let Some(item) = work.site().nav_item(*id).cloned() else {
            continue;
        };
        let mut with = Vec::new();
        for below in family(work.site(), *id).into_iter().rev() {
            let Some(gone) = work.site().nav_item(below).cloned() else {
                continue;
            };
            work.step(Op::Remove {
                entity: entity(below),
            })?;
            let touched = touched(below, &gone);
            work.receipt().removed.push(touched);
            if below != *id {
                with.push(gone.label);
            }
        }
        deleted.push(DeletedItem {
            id: *id,
            label: item.label,
            with,
        });
    }
    let words = Words {
        one: "menu item",
        several: "menu items",
    };
    let note = "Gone from the menu; undo brings it back.";
    Ok(Deletion::of(deleted, &words, note, work))
}

/// More items than any menu has: a family that large goes round in a circle.
const FAMILY_MAX: usize = 1_000;

fn entity(id: ItemId) -> Entity {
    Entity::Item {
        list: List::NavItems,
        id,
    }
}

fn found(id: ItemId, site: &Site) -> Result<NavItem, Stop> {
    let found = site.nav_item(id).cloned();
    found.ok_or_else(|| missing(&id.to_string()))
}

fn missing(named: &str) -> Stop {
    Stop::not_found(format!(
        "There is no menu item {named}; getNavItem names those there are."
    ))
}

/// The item that an input names: by its id, as `header/About`, or as `/About` in whichever menu has it.
fn item_called(named: &str, site: &Site) -> Result<Option<ItemId>, Stop> {
    let id = named.parse::<ItemId>().ok();
    if let Some(id) = id.filter(|id| site.nav_item(*id).is_some()) {
        return Ok(Some(id));
    }
    let Some((navigation, label)) = named.split_once('/') else {
        return Ok(None);
    };
    let navigation = match navigation {
        "" => None,
        named => Some(menu(site, named)?),
    };
    let called: Vec<(ItemId, &NavItem)> = site
        .nav_items()
        .filter(|(_, item)| {
            item.label == label && navigation.is_none_or(|menu| item.navigation == menu)
        })
        .collect();
    match called.as_slice() {
        [] => Ok(None),
        [(id, _)] => Ok(Some(*id)),
        several => {
            let ids: Vec<String> = several.iter().map(|(id, _)| id.to_string()).collect();
            Err(Stop::conflict(format!(
                "Several menu items are called `{label}`: {}. Say which by its id.",
                ids.join(", ")
            )))
        }
    }
}

/// The menu that an input names, by id or short name.
fn menu(site: &Site, named: &str) -> Result<ItemId, Stop> {
    let id = named.parse::<ItemId>().ok();
    let mut menus_there = site.navigations();
    let found = menus_there.find(|(known, menu)| id == Some(*known) || menu.slug == named);
    found.map(|(id, _)| id).ok_or_else(|| {
        let message = format!("navigationId: there is no menu `{named}`; {}.", menus(site));
        Stop::invalid_at("navigationId", message)
    })
}

fn menus(site: &Site) -> String {
    let known: Vec<String> = site
        .navigations()
        .map(|(id, menu)| format!("`{}` ({id})", menu.slug))
        .collect();
    match known.is_empty() {
        true => "there are none; people make them in the administration".to_owned(),
        false => format!("there are {}", known.join(", ")),
    }
}

fn check_parent(item: &NavItem, site: &Site) -> Result<(), Stop> {
    let Some(parent) = item.parent else {
        return Ok(());
    };
    let refuse = |message: &str| Err(Stop::invalid_at("parentId", message));
    match site.nav_item(parent) {
        None => refuse("parentId: there is no such item; getNavItem names those there are."),
        Some(found) if found.navigation != item.navigation => {
            refuse("parentId: that item is in another menu; choose one of the same menu.")
        }
        Some(_) => Ok(()),
    }
}

fn check_room(item: &NavItem, site: &Site) -> Result<(), Stop> {
    match item.parent {
        Some(_) => Ok(()),
        None => check_top(item, site, 1),
    }
}

/// Refuses more items at the top of a menu than it may have. `more` are not there yet.
fn check_top(item: &NavItem, site: &Site, more: usize) -> Result<(), Stop> {
    let Some(menu) = site.navigation(item.navigation) else {
        return Ok(());
    };
    let most = menu.max_items as usize;
    if siblings(site, item).len() + more <= most {
        return Ok(());
    }
    Err(Stop::conflict(format!(
        "The menu `{}` may have {most} items at the top level; put this one under another with parentId, or delete one first.",
        menu.label
    )))
}

fn touched(id: ItemId, item: &NavItem) -> Touched {
    Touched {
        kind: "navItem".to_owned(),
        id: id.to_string(),
        name: Some(item.label.clone()),
        also_used_in: None,
    }
}
