//! Setting up collections.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::{Collection, Entity, Field, FieldId, Item, List, Mint, NewEntity, Op};
use sitewright_tool::Capability;

use super::{SavedItem, Setup, change_id, commit, expects, item_id};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Route};

pub(super) fn routes() -> Vec<Route> {
    let write = Access::Needs(Capability::ContentWrite);
    vec![
        Route::new(
            Method::POST,
            "/admin/api/content/collections",
            write,
            "Create a collection",
            create,
        ),
        Route::new(
            Method::PATCH,
            "/admin/api/content/collections/{id}",
            write,
            "Change a collection: rename it, or rename, retype, add and remove fields",
            update,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/content/collections/{id}",
            write,
            "Delete a collection without entries",
            delete,
        ),
    ]
}

/// A field as people write it: one with an id is a field that exists, any other is new.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct FieldInput {
    /// The field that it replaces. Its values stay, under whatever name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<FieldId>,
    /// The rest of the field: its name, label, kind and whether it is required. Fields in groups and lists take the same form.
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewCollection {
    /// Its short name, unique among collections.
    slug: String,
    /// What people call it.
    label: String,
    /// Where the addresses of its entries begin, such as `/blog`, when they have pages.
    route_base: Option<String>,
    /// Its fields, in order.
    #[serde(default)]
    fields: Vec<FieldInput>,
}

async fn create(context: Context, input: NewCollection) -> Result<Json<SavedItem>, ApiError> {
    let change = change_id();
    let mut mint = Mint::new(change.clone());
    let id = mint.mint();
    let collection = Collection {
        slug: input.slug,
        label: input.label,
        route_base: input.route_base,
        fields: fields(input.fields, &mut mint)?,
    };
    let live = context.app.store().live_site(context.site()?).await?;
    let after = live.site().collections().map(|(id, _)| id).last();
    drop(live);
    let setup = Setup {
        id: change,
        summary: format!("Created the collection {}", collection.label),
        ops: vec![Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item: Box::new(Item::Collection(collection)),
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
struct CollectionPatch {
    /// Another short name.
    slug: Option<String>,
    /// Another name.
    label: Option<String>,
    /// Where the addresses of its entries begin; the empty text takes their pages away.
    route_base: Option<String>,
    /// All its fields, in order. One that is left out is removed; its values stay in the entries and come back with it. A field whose
    /// entries do not fit its new kind is refused with those entries.
    fields: Option<Vec<FieldInput>>,
    /// The version that was read: refused if the collection has changed since.
    version: Option<u64>,
}

async fn update(context: Context, input: CollectionPatch) -> Result<Json<SavedItem>, ApiError> {
    let id = item_id(&context, "collection")?;
    let entity = Entity::Item {
        list: List::Collections,
        id,
    };
    let change = change_id();
    let mut mint = Mint::new(change.clone());
    let route_base = input
        .route_base
        .map(|base| (!base.trim().is_empty()).then_some(base));
    let fields = input.fields.map(|given| fields(given, &mut mint));
    let puts = [
        ("slug", input.slug.map(|slug| json!(slug))),
        ("label", input.label.map(|label| json!(label))),
        ("routeBase", route_base.map(|base| json!(base))),
        ("fields", fields.transpose()?.map(|fields| json!(fields))),
    ];
    let puts = puts.into_iter().filter_map(|(field, value)| {
        Some(Op::Put {
            entity,
            field: field.to_owned(),
            value: value?,
        })
    });
    let setup = Setup {
        id: change,
        summary: "Changed a collection".to_owned(),
        ops: puts.collect(),
        expects: expects(entity, input.version),
    };
    let version = commit(&context, setup).await?;
    Ok(Json(SavedItem { id, version }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteQuery {
    /// The version that was read: refused if the collection has changed since.
    version: Option<u64>,
}

async fn delete(context: Context, input: DeleteQuery) -> Result<Done, ApiError> {
    let entity = Entity::Item {
        list: List::Collections,
        id: item_id(&context, "collection")?,
    };
    let setup = Setup {
        id: change_id(),
        summary: "Deleted a collection".to_owned(),
        ops: vec![Op::Remove { entity }],
        expects: expects(entity, input.version),
    };
    commit(&context, setup).await?;
    Ok(Done)
}

/// The fields that people wrote, with ids for those that are new.
fn fields(given: Vec<FieldInput>, mint: &mut Mint) -> Result<Vec<Field>, ApiError> {
    let mut given = json!(given);
    name_fields(&mut given, mint);
    serde_json::from_value(given)
        .map_err(|error| ApiError::field("fields", format!("`fields`: {error}.")))
}

/// Gives every field an id that has none, also those in groups and lists.
fn name_fields(fields: &mut Value, mint: &mut Mint) {
    let fields = fields.as_array_mut().into_iter().flatten();
    for field in fields.filter_map(Value::as_object_mut) {
        if field.get("id").is_none_or(Value::is_null) {
            let id: FieldId = mint.mint();
            field.insert("id".to_owned(), json!(id));
        }
        let inner = field
            .get_mut("kind")
            .and_then(|kind| kind.get_mut("fields"));
        if let Some(inner) = inner {
            name_fields(inner, mint);
        }
    }
}
