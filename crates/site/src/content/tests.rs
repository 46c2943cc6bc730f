//! Random ops on content, and what the gate says about it.

use proptest::prelude::*;
use serde_json::{Value, json};
use sitewright_tool::CapabilitySet;

use super::*;
use crate::gate::{self, Authority, GateError};
use crate::{
    Author, Change, ChangeId, Entity, FORMAT, FieldId, Item, ItemId, List, NewEntity, Op, RecordId,
    Site, first_ops,
};

fn record(number: u64) -> RecordId {
    RecordId::from(number)
}

fn post(title: &str) -> Record {
    serde_json::from_value(json!({
        "collection": ItemId::from(70), "slug": "post", "title": title, "values": { FieldId::from(1).to_string(): "Words" },
    }))
    .expect("an entry")
}

fn collection(slug: &str) -> Collection {
    serde_json::from_value(json!({ "slug": slug, "label": slug, "fields": [
        { "id": FieldId::from(1), "name": "body", "kind": { "type": "richText" } },
    ] }))
    .expect("a collection")
}

/// A collection and two entries, for the properties of `change_tests`.
pub(crate) fn start() -> Vec<NewEntity> {
    let mut new = vec![NewEntity::Item {
        id: ItemId::from(70),
        item: Box::new(Item::Collection(collection("journal"))),
        pieces: Vec::new(),
        after: None,
    }];
    new.extend((0..2).map(|number| NewEntity::Record {
        id: record(number),
        record: Box::new(post("Post")),
    }));
    new
}

/// Ops on entries and on their collection.
pub(crate) fn op() -> impl Strategy<Value = Op> {
    let fields = [
        "title",
        "slug",
        "status",
        "publishAt",
        "values.000000000001",
    ];
    let value = |field: &str, choice: u8| match (field, choice % 3) {
        ("status", 0) => json!("draft"),
        ("status", _) => json!("published"),
        ("publishAt", 0) => Value::Null,
        ("publishAt", choice) => json!(choice),
        ("values.000000000001", 0) => Value::Null,
        (_, choice) => json!(format!("v{choice}")),
    };
    prop_oneof![
        4 => (0u64..4, 0..fields.len(), any::<u8>()).prop_map(move |(id, at, choice)| Op::Put {
            entity: Entity::Record { id: record(id) }, field: fields[at].to_owned(), value: value(fields[at], choice),
        }),
        2 => (0u64..4, any::<u8>()).prop_map(|(id, choice)| Op::Insert { new: Box::new(NewEntity::Record {
            id: record(id), record: Box::new(post(&format!("New {}", choice % 3))),
        }) }),
        1 => (0u64..4).prop_map(|id| Op::Remove { entity: Entity::Record { id: record(id) } }),
        1 => any::<u8>().prop_map(|choice| Op::Put {
            entity: Entity::Item { list: List::Collections, id: ItemId::from(70) },
            field: "label".to_owned(),
            value: json!(format!("v{}", choice % 3)),
        }),
    ]
}

fn site() -> Site {
    let mut site = Site::default();
    let ops = first_ops("Site", ChangeId::from("first".to_owned())).expect("ops");
    assert_eq!(site.apply_all(&ops, 1).rejected, []);
    for new in start() {
        let op = Op::Insert { new: Box::new(new) };
        site.apply(&op, 1).expect("applies");
    }
    let item = Op::Remove {
        entity: Entity::Record { id: record(1) },
    };
    site.apply(&item, 1).expect("applies");
    site
}

fn change(ops: Vec<Op>) -> Change {
    Change {
        id: ChangeId::from("c".to_owned()),
        author: Author::Local,
        turn: None,
        summary: String::new(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    }
}

/// What the gate says of ops once they are applied.
fn result(ops: Vec<Op>) -> Result<(), String> {
    let mut site = site();
    let change = change(ops);
    assert_eq!(site.apply_all(&change.ops, 2).rejected, []);
    gate::check_result(&site, &change).map_err(|error| error.to_string())
}

fn put(entity: Entity, field: &str, value: Value) -> Op {
    Op::Put {
        entity,
        field: field.to_owned(),
        value,
    }
}

fn with_fields(fields: Value) -> Op {
    let entity = Entity::Item {
        list: List::Collections,
        id: ItemId::from(70),
    };
    put(entity, "fields", fields)
}

#[test]
fn new_sites_have_a_blog_and_two_menus() {
    let site = site();
    let slugs: Vec<&str> = site
        .navigations()
        .map(|(_, menu)| menu.slug.as_str())
        .collect();
    assert_eq!(slugs, ["header", "footer"]);
    let mut collections = site.collections();
    let blog = collections.find(|(_, found)| found.slug == "blog");
    let (_, blog) = blog.expect("a blog");
    let mut hello = post("Hello");
    hello.slug = "hello".to_owned();
    assert_eq!(blog.permalink(&hello).as_deref(), Some("/blog/hello"));
    hello.locale = Some("de".to_owned());
    assert_eq!(blog.permalink(&hello).as_deref(), Some("/de/blog/hello"));
    let names: Vec<&str> = blog
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "body",
            "excerpt",
            "author",
            "category",
            "cover",
            "featuredImage"
        ]
    );
}

#[test]
fn a_value_that_does_not_fit_is_refused_by_name_and_remedy() {
    let group =
        json!([{ "id": FieldId::from(3), "name": "size", "kind": { "type": "number", "min": 1 } }]);
    let kinds = [
        (
            json!({ "type": "text", "max": 3 }),
            json!("abcd"),
            "`f` may have 3 characters and has 4; shorten it",
        ),
        (json!({ "type": "richText" }), json!(1), "`f` must be text"),
        (
            json!({ "type": "number", "min": 1, "max": 2 }),
            json!(3),
            "`f` must be from 1 to 2",
        ),
        (
            json!({ "type": "number" }),
            json!("3"),
            "`f` must be a number, without quotes",
        ),
        (
            json!({ "type": "boolean" }),
            json!("yes"),
            "`f` must be true or false, without quotes",
        ),
        (
            json!({ "type": "date" }),
            json!("2026-02-29"),
            "`f` must be a date such as `2026-03-31`, or a time such as `2026-03-31T18:00:00Z`",
        ),
        (
            json!({ "type": "choice", "options": ["a", "b"] }),
            json!("c"),
            "`f` must be one of a, b",
        ),
        (
            json!({ "type": "reference" }),
            json!("x"),
            "`f` must be the id of an entry; getEntry names them",
        ),
        (
            json!({ "type": "references" }),
            json!(["x"]),
            "`f` must be a list of ids of entries; getEntry names them",
        ),
        (
            json!({ "type": "slug" }),
            json!("a b"),
            "`f` must be letters, digits and hyphens, such as `about-us`",
        ),
        (
            json!({ "type": "group", "fields": group }),
            json!({ FieldId::from(3).to_string(): 0 }),
            "`f.size` must be at least 1",
        ),
        (
            json!({ "type": "repeater", "fields": group }),
            json!([{}, { FieldId::from(3).to_string(): 0 }]),
            "`f[1].size` must be at least 1",
        ),
    ];
    for (kind, value, expected) in kinds {
        let entity = Entity::Record { id: record(0) };
        let fields = json!([{ "id": FieldId::from(2), "name": "f", "kind": kind }]);
        let ops = vec![
            with_fields(fields),
            put(entity, &format!("values.{}", FieldId::from(2)), value),
        ];
        assert_eq!(result(ops), Err(format!("entry `Post`: {expected}")));
    }
}

#[test]
fn a_value_that_fits_is_taken() {
    let kinds = [
        (json!({ "type": "date" }), json!("2024-02-29")),
        (
            json!({ "type": "date" }),
            json!("2026-03-31T18:00:00.5+02:00"),
        ),
        (json!({ "type": "media" }), json!("/uploads/a.jpg")),
        (
            json!({ "type": "media" }),
            json!({ "url": "/uploads/a.jpg", "alt": "A cat" }),
        ),
        (json!({ "type": "json" }), json!([{ "any": null }])),
        (json!({ "type": "references" }), json!([record(5)])),
    ];
    for (kind, value) in kinds {
        let fields = json!([{ "id": FieldId::from(2), "name": "f", "kind": kind }]);
        let entity = Entity::Record { id: record(0) };
        let ops = vec![
            with_fields(fields),
            put(entity, &format!("values.{}", FieldId::from(2)), value),
        ];
        assert_eq!(result(ops), Ok(()));
    }
}

#[test]
fn what_is_required_is_required_of_published_entries_only() {
    let entity = Entity::Record { id: record(0) };
    let fields = json!([{ "id": FieldId::from(2), "name": "price", "kind": { "type": "number" }, "required": true }]);
    let title = put(entity, "title", json!("Draft"));
    assert_eq!(result(vec![with_fields(fields.clone()), title]), Ok(()));
    let publish = put(entity, "status", json!("published"));
    assert_eq!(
        result(vec![with_fields(fields), publish]),
        Err("entry `Post`: `price` is required before it is published; fill it in, or keep the entry a draft".to_owned())
    );
}

#[test]
fn a_collection_keeps_its_names_and_ids_apart() {
    let field = |id: u64, name: &str| json!({ "id": FieldId::from(id), "name": name, "kind": { "type": "text" } });
    for (fields, reason) in [
        (
            json!([field(1, "a"), field(2, "a")]),
            "field `a` of the collection `journal`: two fields have this name; choose another one",
        ),
        (
            json!([field(1, "a"), field(1, "b")]),
            "field `b` of the collection `journal`: two fields have the same id; every field needs one of its own",
        ),
        (
            json!([field(1, "a b")]),
            "field `a b` of the collection `journal`: a name begins with a letter and has letters, digits and `_`, such as `price`",
        ),
    ] {
        assert_eq!(result(vec![with_fields(fields)]), Err(reason.to_owned()));
    }
    let entity = Entity::Item {
        list: List::Collections,
        id: ItemId::from(70),
    };
    let route = put(entity, "routeBase", json!("/admin"));
    assert!(
        result(vec![route])
            .is_err_and(|error| error.contains("must not be one of Sitewright's own"))
    );
}

fn nav_item(id: u64, navigation: ItemId, parent: Option<u64>) -> Op {
    let item = NavItem {
        navigation,
        parent: parent.map(ItemId::from),
        label: format!("Item {id}"),
        target: NavTarget::Placeholder,
        hidden: false,
    };
    Op::Insert {
        new: Box::new(NewEntity::Item {
            id: ItemId::from(id),
            item: Box::new(Item::NavItem(item)),
            pieces: Vec::new(),
            after: None,
        }),
    }
}

#[test]
fn a_menu_has_five_items_at_the_top_and_no_cycles() {
    let site = site();
    let menu = site.navigations().next().expect("a menu").0;
    let five: Vec<Op> = (100..105).map(|id| nav_item(id, menu, None)).collect();
    assert_eq!(result(five.clone()), Ok(()));
    let with = |op: Op| {
        let mut ops = five.clone();
        ops.push(op);
        ops
    };
    assert_eq!(result(with(nav_item(105, menu, Some(100)))), Ok(()));
    let sixth = result(with(nav_item(105, menu, None)));
    assert!(sixth.is_err_and(|error| error.contains("may have 5 items at the top level")));
    let entity = |id: u64| Entity::Item {
        list: List::NavItems,
        id: ItemId::from(id),
    };
    let mut cycle = with(put(entity(100), "parent", json!(ItemId::from(101))));
    cycle.push(put(entity(101), "parent", json!(ItemId::from(100))));
    assert!(result(cycle).is_err_and(|error| error.contains("under itself")));
    let script = put(
        entity(100),
        "target",
        json!({ "type": "url", "url": "javascript:alert(1)" }),
    );
    assert!(result(with(script)).is_err_and(|error| error.contains("no address for a link")));
}

#[test]
fn content_has_permissions_of_its_own() {
    let site = site();
    let may = |capabilities: &[&str], author: Author, op: Op| -> Result<(), GateError> {
        let all = CapabilitySet::all();
        let capabilities = CapabilitySet::parse(capabilities, &all).expect("capabilities");
        let authority = Authority {
            author: &author,
            capabilities: &capabilities,
            is_approved: true,
        };
        gate::check_authority(&site, &change(vec![op]), authority)
    };
    let entity = Entity::Record { id: record(0) };
    let title = || put(entity, "title", json!("Other"));
    assert_eq!(may(&["content.write"], Author::Local, title()), Ok(()));
    assert!(may(&["site.write"], Author::Local, title()).is_err());
    let publish = || put(entity, "status", json!("published"));
    assert!(may(&["content.write"], Author::Local, publish()).is_err());
    assert_eq!(may(&["content.*"], Author::Local, publish()), Ok(()));
    let agent = || Author::Agent { id: "p".to_owned() };
    assert_eq!(may(&["content.*"], agent(), publish()), Ok(()));
    assert_eq!(
        may(&["content.*"], agent(), with_fields(json!([]))),
        Err(GateError::SetUp)
    );
    assert_eq!(
        may(&["content.*"], Author::Local, with_fields(json!([]))),
        Ok(())
    );
    let name = put(Entity::Site, "name", json!("Other"));
    assert!(may(&["content.*"], Author::Local, name).is_err());
}
