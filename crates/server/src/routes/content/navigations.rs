//! Menus, which people set up, and their items, which the content tools change.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sitewright_site::{Entity, Item, ItemId, List, Mint, Navigation, NewEntity, Op};
use sitewright_tool::Capability;

use super::{
    SavedItem, Setup, ToolData, ToolInput, call, call_with, change_id, commit, expects, item_id,
};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
    );
    vec![
        Route::new(
            Method::POST,
            "/admin/api/content/navigations",
            write,
            "Create a menu",
            create,
        ),
        Route::new(
            Method::PATCH,
            "/admin/api/content/navigations/{id}",
            write,
            "Change a menu",
            update,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/content/navigations/{id}",
            write,
            "Delete a menu with its items",
            delete,
        ),
        Route::new(
            Method::GET,
            "/admin/api/content/navigations/{id}/items",
            read,
            "The items of a menu",
            items,
        ),
        Route::new(
            Method::POST,
            "/admin/api/content/navigations/{id}/items",
            write,
            "Add an item to a menu; takes what the tool createNavItem takes",
            create_item,
        )
        .open_to_agents(),
        Route::new(
            Method::PATCH,
            "/admin/api/content/items/{id}",
            write,
            "Change an item of a menu; takes what the tool updateNavItem takes",
            update_item,
        )
        .open_to_agents(),
        Route::new(
            Method::DELETE,
            "/admin/api/content/items/{id}",
            write,
            "Delete an item of a menu with those under it",
            delete_item,
        )
        .open_to_agents(),
    ]
}

fn entity(id: ItemId) -> Entity {
    Entity::Item {
        list: List::Navigations,
        id,
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewNavigation {
    /// Its short name, unique among menus.
    slug: String,
    /// What people call it.
    label: String,
    /// The most items it may have at the top level; 5 when left out.
    max_items: Option<u32>,
}

async fn create(context: Context, input: NewNavigation) -> Result<Json<SavedItem>, ApiError> {
    let change = change_id();
    let id = Mint::new(change.clone()).mint();
    let mut navigation = Navigation::new(&input.slug, &input.label);
    navigation.max_items = input.max_items.unwrap_or(navigation.max_items);
    let live = context.app.store().live_site(context.site()?).await?;
    let after = live.site().navigations().map(|(id, _)| id).last();
    drop(live);
    let setup = Setup {
        id: change,
        summary: format!("Created the menu {}", input.label),
        ops: vec![Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item: Box::new(Item::Navigation(navigation)),
                pieces: Vec::new(),
                after,
            }),
        }],
        expects: Vec::new(),
    };
    let version = commit(&context, setup).await?;
    Ok(Json(SavedItem { id, version }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NavigationPatch {
    /// Another short name.
    slug: Option<String>,
    /// Another name.
    label: Option<String>,
    /// The most items it may have at the top level.
    max_items: Option<u32>,
    /// The version that was read: refused if the menu has changed since.
    version: Option<u64>,
}

async fn update(context: Context, input: NavigationPatch) -> Result<Json<SavedItem>, ApiError> {
    let id = item_id(&context, "menu")?;
    let puts = [
        ("slug", input.slug.map(|slug| json!(slug))),
        ("label", input.label.map(|label| json!(label))),
        ("maxItems", input.max_items.map(|most| json!(most))),
    ];
    let puts = puts.into_iter().filter_map(|(field, value)| {
        Some(Op::Put {
            entity: entity(id),
            field: field.to_owned(),
            value: value?,
        })
    });
    let setup = Setup {
        id: change_id(),
        summary: "Changed a menu".to_owned(),
        ops: puts.collect(),
        expects: expects(entity(id), input.version),
    };
    let version = commit(&context, setup).await?;
    Ok(Json(SavedItem { id, version }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteQuery {
    /// The version that was read: refused if the menu has changed since.
    version: Option<u64>,
}

async fn delete(context: Context, input: DeleteQuery) -> Result<Done, ApiError> {
    let id = item_id(&context, "menu")?;
    let live = context.app.store().live_site(context.site()?).await?;
    let own = live
        .site()
        .nav_items()
        .filter(|(_, item)| item.navigation == id);
    let own: Vec<ItemId> = own.map(|(id, _)| id).collect();
    drop(live);
    // Items below come before those they lie under.
    let items = own.into_iter().rev().map(|id| Entity::Item {
        list: List::NavItems,
        id,
    });
    let removed = items.chain([entity(id)]);
    let setup = Setup {
        id: change_id(),
        summary: "Deleted a menu".to_owned(),
        ops: removed.map(|entity| Op::Remove { entity }).collect(),
        expects: expects(entity(id), input.version),
    };
    commit(&context, setup).await?;
    Ok(Done)
}

async fn items(context: Context, _: Nothing) -> Result<Json<ToolData>, ApiError> {
    let arguments = json!({ "navigationId": context.param("id")?, "all": true, "limit": 200 });
    let data = call_with(&context, "getNavItem", arguments).await?;
    Ok(Json(ToolData { data }))
}

async fn create_item(context: Context, mut input: ToolInput) -> Result<Json<ToolData>, ApiError> {
    let menu = json!(context.param("id")?);
    input.arguments.insert("navigationId".to_owned(), menu);
    let data = call(&context, "createNavItem", input).await?;
    Ok(Json(ToolData { data }))
}

async fn update_item(context: Context, mut input: ToolInput) -> Result<Json<ToolData>, ApiError> {
    let id = json!(context.param("id")?);
    input.arguments.insert("id".to_owned(), id);
    let data = call(&context, "updateNavItem", input).await?;
    Ok(Json(ToolData { data }))
}

async fn delete_item(context: Context, _: Nothing) -> Result<Json<ToolData>, ApiError> {
    let arguments = json!({ "ids": [item_id(&context, "item")?], "confirmed": true });
    let data = call_with(&context, "deleteNavItem", arguments).await?;
    Ok(Json(ToolData { data }))
}
