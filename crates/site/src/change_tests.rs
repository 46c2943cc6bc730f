//! Properties that hold for every sequence of ops, no matter who made them.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};
use sitewright_markup::css::{Block, Declaration, Origin};

use crate::{
    BodyId, Change, Component, Done, Element, Entity, Item, ItemId, Kind, List, NewEntity, Node,
    NodeId, Op, Page, Piece, Place, Sheet, Site, Subtree, SubtreeNode, Target,
};

pub(crate) fn body(number: u64) -> BodyId {
    BodyId::from(number)
}

pub(crate) fn node(number: u64) -> NodeId {
    NodeId::from(number)
}

fn paragraph() -> Node {
    Node::new(Kind::Element(Element {
        tag: "p".into(),
        namespace: crate::Namespace::Html,
        attrs: Vec::new(),
    }))
}

fn nodes(number: u64, with_child: bool) -> Subtree {
    let mut grown = vec![SubtreeNode {
        id: node(number),
        parent: None,
        node: paragraph(),
    }];
    if with_child {
        let text = Node::new(Kind::Text("x".to_owned()));
        grown.push(SubtreeNode {
            id: node(number + 100),
            parent: Some(0),
            node: text,
        });
    }
    Subtree::new(grown).unwrap()
}

/// A page with a few nodes (root 0, under it 2 with 3 in it, then 4), a page with only its root 1, and a stylesheet of three
/// rules, so that most ops find their target.
pub(crate) fn start() -> Site {
    let mut site = Site::default();
    let mut apply =
        |new: NewEntity| drop(site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap());
    for number in 0..2 {
        let page = Box::new(Page::new(format!("Page {number}"), "page"));
        apply(NewEntity::Page {
            id: body(number),
            page,
            tree: nodes(number, false),
            after: None,
        });
    }
    for (number, parent, after) in [(2, 0, None), (3, 2, None), (4, 0, Some(2))] {
        let place = Place {
            parent: node(parent),
            after: after.map(node),
        };
        apply(NewEntity::Nodes {
            body: body(0),
            nodes: nodes(number, true),
            place,
        });
    }
    let pieces = (0..3).map(|id| (ItemId::from(id), block(id))).collect();
    apply(NewEntity::Item {
        id: ItemId::from(0),
        item: sheet(),
        pieces,
        after: None,
    });
    for new in crate::content::tests::start() {
        apply(new);
    }
    site
}

fn sheet() -> Box<Item> {
    Box::new(Item::Sheet(Sheet {
        name: "sheet".to_owned(),
        target: Target::Site,
        lock: crate::Lock::Open,
    }))
}

fn block(selector: u64) -> Piece {
    Piece::Block(Block {
        wrappers: Vec::new(),
        selector: format!(".s{selector}"),
        declarations: vec![Declaration {
            property: "color".to_owned(),
            value: "red".to_owned(),
            important: false,
        }],
        origin: Origin::Author,
        lock: crate::Lock::Open,
    })
}

/// Mostly the entity that exists from the start.
fn mostly_first(count: u64) -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0), 1 => 0..count]
}

/// Mostly the others, so that the first one survives most of a test.
fn seldom_first(count: u64) -> impl Strategy<Value = u64> {
    prop_oneof![12 => 1..count, 1 => Just(0)]
}

fn value_for(field: &str, choice: u8) -> Value {
    match (field, choice % 3) {
        ("hidden" | "draft", choice) => json!(choice == 0),
        ("title" | "slug" | "name", choice) => json!(format!("v{choice}")),
        (_, 0) => Value::Null,
        (_, choice) => json!(format!("v{choice}")),
    }
}

fn op() -> impl Strategy<Value = Op> {
    let any_node = || (mostly_first(2), 0u64..8).prop_map(|(page, at)| (body(page), node(at)));
    let place = || {
        (0u64..8, proptest::option::of(0u64..8)).prop_map(|(parent, after)| Place {
            parent: node(parent),
            after: after.map(node),
        })
    };
    let fields = [
        "classes",
        "style",
        "label",
        "hidden",
        "attrs.href",
        "attrs.id",
        "text",
    ];
    let page_fields = ["title", "slug", "draft", "settings.description", "parentId"];
    prop_oneof![
        4 => (any_node(), 0..fields.len(), any::<u8>()).prop_map(move |((body, node), at, choice)| Op::Put {
            entity: Entity::Node { body, node }, field: fields[at].to_owned(), value: value_for(fields[at], choice),
        }),
        2 => (0u64..4, 0..page_fields.len(), any::<u8>()).prop_map(move |(page, at, choice)| Op::Put {
            entity: Entity::Page { id: body(page) }, field: page_fields[at].to_owned(), value: value_for(page_fields[at], choice),
        }),
        3 => (any_node(), place()).prop_map(|((body, node), place)| Op::Place { body, node, place }),
        4 => (mostly_first(2), 2u64..12, any::<bool>(), place())
            .prop_map(|(page, at, child, place)| Op::Insert { new: Box::new(NewEntity::Nodes { body: body(page), nodes: nodes(at, child), place }) }),
        2 => any_node().prop_map(|(body, node)| Op::Remove { entity: Entity::Node { body, node } }),
        1 => (2u64..4, proptest::option::of(0u64..4)).prop_map(|(id, after)| Op::Insert {
            new: Box::new(NewEntity::Page { id: body(id), page: Box::new(Page::new("New", "page")), tree: nodes(id, true), after: after.map(body) }),
        }),
        1 => seldom_first(4).prop_map(|id| Op::Remove { entity: Entity::Page { id: body(id) } }),
        1 => (0u64..4, proptest::option::of(0u64..4)).prop_map(|(id, after)| Op::Order {
            entity: Entity::Page { id: body(id) }, after: after.map(|id| Entity::Page { id: body(id) }),
        }),
        1 => (10u64..12).prop_map(|id| Op::Insert {
            new: Box::new(NewEntity::Component {
                id: body(id),
                component: Box::new(Component { name: "Card".to_owned(), params: Vec::new(), template_key: None, lock: crate::Lock::Open }),
                tree: nodes(id, true),
                after: None,
            }),
        }),
    ]
}

/// Ops on stylesheets and their rules.
fn style_op() -> impl Strategy<Value = Op> {
    let item = |number: u64| ItemId::from(number);
    let one_sheet = move |id: u64| Entity::Item {
        list: List::Sheets,
        id: item(id),
    };
    let piece = move |sheet: u64, id: u64| Entity::Piece {
        sheet: item(sheet),
        id: item(id),
    };
    prop_oneof![
        2 => (0u64..3, proptest::option::of(0u64..3)).prop_map(move |(id, after)| Op::Insert { new: Box::new(NewEntity::Item {
            id: item(id),
            item: sheet(),
            pieces: vec![(item(50 + id), block(9))],
            after: after.map(item),
        })}),
        4 => (mostly_first(3), 0u64..8, proptest::option::of(0u64..5)).prop_map(move |(sheet, id, after)| Op::Insert { new: Box::new(NewEntity::Piece {
            sheet: item(sheet), id: item(id), piece: Box::new(block(id)), after: after.map(item),
        })}),
        3 => (mostly_first(3), 0u64..5, any::<u8>()).prop_map(move |(sheet, id, choice)| Op::Put {
            entity: piece(sheet, id), field: "selector".to_owned(), value: json!(format!(".v{}", choice % 3)),
        }),
        2 => (mostly_first(3), 0u64..5, proptest::option::of(0u64..5)).prop_map(move |(sheet, id, after)| Op::Order {
            entity: piece(sheet, id), after: after.map(|id| piece(sheet, id)),
        }),
        1 => (0u64..3, any::<u8>()).prop_map(move |(id, choice)| Op::Put {
            entity: one_sheet(id), field: "name".to_owned(), value: json!(format!("v{}", choice % 3)),
        }),
        1 => (mostly_first(3), 0u64..5).prop_map(move |(sheet, id)| Op::Remove { entity: piece(sheet, id) }),
        1 => seldom_first(3).prop_map(move |id| Op::Remove { entity: one_sheet(id) }),
        1 => (0u64..3, proptest::option::of(0u64..3)).prop_map(move |(id, after)| Op::Order { entity: one_sheet(id), after: after.map(one_sheet) }),
    ]
}

pub(crate) fn ops(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Op>> {
    let content = crate::content::tests::op();
    proptest::collection::vec(prop_oneof![3 => op(), 1 => style_op(), 1 => content], count)
}

/// A site in a form that is equal only for equal sites, sequences included.
pub(crate) fn written(site: &Site) -> String {
    let mut bodies: Vec<(String, String)> = site
        .bodies
        .iter()
        .map(|(id, tree)| (id.to_string(), serde_json::to_string(tree).unwrap()))
        .collect();
    bodies.sort();
    let mut revs: Vec<(Entity, u64)> = site
        .revs
        .iter()
        .map(|(entity, rev)| (*entity, *rev))
        .collect();
    for (body, tree) in &site.bodies {
        let nodes = tree.revs(tree.root());
        revs.extend(nodes.map(|(node, rev)| (Entity::Node { body: *body, node }, rev)));
    }
    revs.sort();
    let mut records: Vec<String> = site
        .records
        .iter()
        .map(|(id, open)| {
            format!(
                "{id} {} {}",
                open.rev,
                serde_json::to_string(&open.record).unwrap()
            )
        })
        .collect();
    records.sort();
    format!(
        "{}\n{bodies:?}\n{revs:?}\n{records:?}",
        serde_json::to_string(&site.shell).unwrap()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn undoing_backwards_gives_exactly_the_site_that_was(ops in ops(0..40)) {
        let mut site = start();
        let before = written(&site);
        let applied = site.apply_all(&ops, 2);
        site.undo_all(&applied).unwrap();
        prop_assert_eq!(written(&site), before);
    }

    /// Two tabs with pending changes of their own, and the server, end up with the same bytes once all have seen the same log.
    #[test]
    fn equal_logs_give_equal_replicas_whatever_was_pending(log in ops(0..20), mine in ops(0..12), theirs in ops(0..12)) {
        let mut server = start();
        let mut tab = start();
        // The tab edits while the server accepts changes of others.
        let pending = tab.apply_all(&mine, 99);
        server.apply_all(&log, 2);
        server.apply_all(&theirs, 3);
        // The tab catches up: it undoes its own changes, applies the log, and applies its own again.
        tab.undo_all(&pending).unwrap();
        tab.apply_all(&log, 2);
        tab.apply_all(&theirs, 3);
        prop_assert_eq!(written(&tab), written(&server));
        let again = tab.apply_all(&mine, 4);
        let committed = server.apply_all(&mine, 4);
        prop_assert_eq!(again, committed);
        prop_assert_eq!(written(&tab), written(&server));
    }

    #[test]
    fn reverting_at_once_restores_everything(before in ops(0..15), mine in ops(0..25)) {
        let mut site = start();
        site.apply_all(&before, 2);
        let was = content(&site);
        let applied = site.apply_all(&mine, 3);
        let reverted = site.revert(applied.done.iter(), 4);
        prop_assert_eq!(reverted.left, vec![]);
        prop_assert_eq!(content(&site), was);
    }

    #[test]
    fn redo_is_reverting_the_revert(mine in ops(0..25)) {
        let mut site = start();
        let applied = site.apply_all(&mine, 2);
        let then = content(&site);
        let undone = site.revert(applied.done.iter(), 3);
        site.revert(undone.applied.done.iter(), 4);
        prop_assert_eq!(content(&site), then);
    }

    /// What someone wrote later stays, whatever is reverted around it.
    #[test]
    fn a_revert_never_overwrites_what_came_after(mine in ops(1..15), theirs in ops(1..10)) {
        let mut site = start();
        let applied = site.apply_all(&mine, 2);
        let after = site.apply_all(&theirs, 3);
        let before: Vec<(Entity, String, Value)> = after.done.iter().filter_map(put).filter_map(|(entity, field)| {
            site.field(entity, &field).ok().map(|value| (entity, field, value))
        }).collect();
        site.revert(applied.done.iter(), 4);
        for (entity, field, value) in before {
            // Their field keeps its value as long as its entity exists; it is reverted only if it equals what I wrote.
            if let Ok(now) = site.field(entity, &field) {
                let mine_wrote_it = applied.done.iter().any(|done| matches!(&done.op,
                    Op::Put { entity: other, field: name, value: wrote } if *other == entity && *name == field && crate::revert::same(wrote, &value)));
                prop_assert!(now == value || mine_wrote_it, "{entity:?} {field}: {value} became {now}");
            }
        }
    }

    #[test]
    fn ops_are_written_and_read_without_loss(ops in ops(0..10)) {
        let text = serde_json::to_string(&ops).unwrap();
        prop_assert_eq!(serde_json::from_str::<Vec<Op>>(&text).unwrap(), ops);
    }
}

fn put(done: &Done) -> Option<(Entity, String)> {
    match &done.op {
        Op::Put { entity, field, .. } => Some((*entity, field.clone())),
        Op::Place { .. } | Op::Order { .. } | Op::Insert { .. } | Op::Remove { .. } => None,
    }
}

/// What a person sees: without sequences, and without the order of attributes, which a revert may change.
fn content(site: &Site) -> String {
    let mut site = site.clone();
    for tree in site.bodies.values_mut() {
        let ids: Vec<NodeId> = tree.walk(tree.root()).collect();
        for id in ids {
            if let Some(Node {
                kind: Kind::Element(element),
                ..
            }) = tree.node_mut(id)
            {
                element
                    .attrs
                    .sort_by(|one, other| one.name.cmp(&other.name));
            }
        }
    }
    site.revs.clear();
    for open in site.records.values_mut() {
        open.rev = 0;
    }
    for tree in site.bodies.values_mut() {
        for id in tree.walk(tree.root()).collect::<Vec<_>>() {
            tree.stamp(id, 0);
        }
    }
    written(&site)
}

/// The properties above would also hold if no op ever succeeded, so every kind must succeed at least once.
#[test]
fn every_kind_of_op_that_the_properties_use_does_happen() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut happened = std::collections::BTreeMap::new();
    for _ in 0..300 {
        let ops = ops(20..40).new_tree(&mut runner).unwrap().current();
        for done in start().apply_all(&ops, 2).done {
            let about = match done.op.entity() {
                Some(Entity::Node { .. }) => "node",
                Some(Entity::Page { .. }) => "page",
                Some(Entity::Component { .. }) => "component",
                Some(Entity::Item { .. }) => "item",
                Some(Entity::Piece { .. }) => "piece",
                Some(Entity::Record { .. }) => "entry",
                Some(Entity::Site) | None => "other",
            };
            let kind = match &done.op {
                Op::Put { field, .. } => format!("put {field}"),
                Op::Place { .. } => "place".to_owned(),
                Op::Order { .. } => "order".to_owned(),
                Op::Insert { .. } => "insert".to_owned(),
                Op::Remove { .. } => "remove".to_owned(),
            };
            *happened.entry(format!("{about}: {kind}")).or_insert(0) += 1;
        }
    }
    for expected in [
        "node: put classes",
        "node: put style",
        "node: put label",
        "node: put hidden",
        "node: put attrs.href",
        "node: place",
        "node: insert",
        "node: remove",
        "page: put title",
        "page: put slug",
        "page: put draft",
        "page: put settings.description",
        "page: insert",
        "page: remove",
        "page: order",
        "component: insert",
        "item: insert",
        "item: put name",
        "item: order",
        "item: remove",
        "piece: insert",
        "piece: put selector",
        "piece: order",
        "piece: remove",
        "entry: insert",
        "entry: put title",
        "entry: put values.000000000001",
        "entry: remove",
        "item: put label",
    ] {
        assert!(
            happened.get(expected).is_some_and(|count| *count > 20),
            "{expected}: {happened:#?}"
        );
    }
}

#[test]
fn nodes_pages_things_and_rules_count_for_what_is_in_memory() {
    // Eight nodes, two pages, a stylesheet, three rules, a collection, two entries.
    let site = start();
    assert!(site.is_within(17));
    assert!(!site.is_within(16));
}

#[test]
fn a_taken_slug_is_made_unique_and_told() {
    let mut site = start();
    let slug = |site: &Site, page| site.shell.pages.get(body(page)).unwrap().slug.clone();
    assert_eq!(
        (slug(&site, 0), slug(&site, 1)),
        ("page".to_owned(), "page-2".to_owned())
    );
    let rename = Op::Put {
        entity: Entity::Page { id: body(1) },
        field: "slug".to_owned(),
        value: json!("page"),
    };
    let done = site.apply(&rename, 2).unwrap();
    assert_eq!(
        done.op,
        Op::Put {
            entity: Entity::Page { id: body(1) },
            field: "slug".to_owned(),
            value: json!("page-2")
        }
    );
}

#[test]
fn a_change_conflicts_when_what_it_expects_was_touched() {
    let mut site = start();
    let entity = Entity::Node {
        body: body(0),
        node: node(0),
    };
    let change = Change {
        id: crate::ChangeId::of_call("t", "c"),
        author: crate::Author::Local,
        turn: None,
        summary: "Label it".to_owned(),
        ops: vec![Op::Put {
            entity,
            field: "label".to_owned(),
            value: json!("Hero"),
        }],
        expects: vec![crate::Expect {
            entity,
            rev: site.rev(entity),
        }],
        format: crate::FORMAT,
    };
    assert_eq!(site.conflicts(&change), []);
    site.apply_all(&change.ops, 7);
    assert_eq!(site.conflicts(&change), [entity]);
    assert_eq!(site.rev(entity), 7);
}

#[test]
fn what_somebody_touched_since_is_left_and_listed() {
    let mut site = start();
    let entity = Entity::Node {
        body: body(0),
        node: node(0),
    };
    let label = |value: &str| Op::Put {
        entity,
        field: "label".to_owned(),
        value: json!(value),
    };
    let classes = Op::Put {
        entity,
        field: "classes".to_owned(),
        value: json!("hero"),
    };
    let mine = site.apply_all(&[label("mine"), classes], 2);
    site.apply_all(&[label("theirs")], 3);
    let reverted = site.revert(mine.done.iter(), 4);
    assert_eq!(reverted.left, [entity]);
    assert_eq!(site.field(entity, "label").unwrap(), json!("theirs"));
    assert_eq!(site.field(entity, "classes").unwrap(), Value::Null);
}

#[test]
fn removing_a_thing_leaves_the_rules_of_a_stylesheet_with_its_id() {
    let mut site = start();
    let family = Box::new(Item::Family(crate::FontFamily {
        family: "Sans".to_owned(),
        files: Vec::new(),
    }));
    let (id, list) = (ItemId::from(0), List::Families);
    let new = Box::new(NewEntity::Item {
        id,
        item: family,
        pieces: Vec::new(),
        after: None,
    });
    site.apply(&Op::Insert { new }, 2).unwrap();
    let entity = Entity::Item { list, id };
    site.apply(&Op::Remove { entity }, 3).unwrap();
    assert_eq!(site.shell.items.pieces(id).count(), 3);
}
