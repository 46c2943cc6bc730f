//! The order of the items of menus. All items are in one list; the order of siblings in it is their order in the menu.

use sitewright_site::{Entity, ItemId, List, NavItem, Op, Site, Stop, Work};

use super::found;

/// The items beside an item, with itself, in order.
pub(super) fn siblings(site: &Site, item: &NavItem) -> Vec<ItemId> {
    site.nav_items()
        .filter(|(_, other)| other.navigation == item.navigation && other.parent == item.parent)
        .map(|(id, _)| id)
        .collect()
}

/// Moves an item to a place among its siblings.
pub(super) fn put_in_place(id: ItemId, place: usize, work: &mut Work<'_>) -> Result<(), Stop> {
    let item = found(id, work.site())?;
    let mut others = siblings(work.site(), &item);
    let now = others.iter().position(|other| *other == id);
    others.retain(|other| *other != id);
    let place = place.min(others.len());
    if now == Some(place) {
        return Ok(());
    }
    let entity = |id: ItemId| Entity::Item {
        list: List::NavItems,
        id,
    };
    // The first place in the list of all items is before every sibling, too.
    let after = place.checked_sub(1).map(|before| entity(others[before]));
    work.step(Op::Order {
        entity: entity(id),
        after,
    })
}

/// An item and everything under it, those above first.
pub(super) fn family(site: &Site, id: ItemId) -> Vec<ItemId> {
    let mut family = vec![id];
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        let below = site
            .nav_items()
            .filter(|(_, item)| item.parent == Some(parent));
        let below: Vec<ItemId> = below.map(|(id, _)| id).collect();
        family.extend(below);
        at += 1;
        if family.len() > super::FAMILY_MAX {
            break;
        }
    }
    family
}
