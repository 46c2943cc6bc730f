//! Every difference has a sentence, and equal sites have none.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use sitewright_markup::css::{Block, Declaration, Origin};

use super::{diff, moved};
use crate::change::tests::{ops, start};
use crate::{
    Attr, BodyId, Element, Entity, Item, ItemId, Kind, List, Namespace, NewEntity, Node, NodeId,
    Op, Page, Piece, Place, Sheet, Site, Subtree, SubtreeNode, Target, Tree,
};

fn node(number: u64) -> NodeId {
    NodeId::from(number)
}

fn page() -> BodyId {
    BodyId::from(1)
}

fn element(tag: &str, classes: Option<&str>) -> Node {
    let kind = Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs: vec![Attr::new("title", "x")],
    });
    Node {
        classes: classes.map(str::to_owned),
        ..Node::new(kind)
    }
}

fn rule(value: &str) -> Piece {
    let declaration = |property: &str, value: &str| Declaration {
        property: property.to_owned(),
        value: value.to_owned(),
        important: false,
    };
    Piece::Block(Block {
        wrappers: Vec::new(),
        selector: ".btn".to_owned(),
        declarations: vec![declaration("color", value), declaration("margin", "0")],
        origin: Origin::Author,
        lock: crate::Lock::Open,
    })
}

/// `body(section.hero(h1("Hello")) p("One") p("Two"))`, and a stylesheet of one rule.
fn site() -> Site {
    let grown = |number, parent, node| SubtreeNode {
        id: self::node(number),
        parent,
        node,
    };
    let text = |text: &str| Node::new(Kind::Text(text.to_owned()));
    let tree = Subtree::new(vec![
        grown(10, None, element("body", None)),
        grown(11, Some(0), element("section", Some("hero big"))),
        grown(12, Some(1), element("h1", None)),
        grown(13, Some(2), text("Hello")),
        grown(14, Some(0), element("p", None)),
        grown(15, Some(4), text("One")),
        grown(16, Some(0), element("p", None)),
        grown(17, Some(6), text("Two")),
    ]);
    let mut site = Site::default();
    let new = NewEntity::Page {
        id: page(),
        page: Box::new(Page::new("Home", "index")),
        tree: tree.unwrap(),
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
    let sheet = Sheet {
        name: "site".to_owned(),
        target: Target::Site,
        lock: crate::Lock::Open,
    };
    let pieces = vec![(ItemId::from(2), rule("red"))];
    let new = NewEntity::Item {
        id: ItemId::from(1),
        item: Box::new(Item::Sheet(sheet)),
        pieces,
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
    site
}

fn put(entity: Entity, field: &str, value: Value) -> Op {
    Op::Put {
        entity,
        field: field.to_owned(),
        value,
    }
}

fn of_node(number: u64) -> Entity {
    Entity::Node {
        body: page(),
        node: node(number),
    }
}

fn place(number: u64, parent: u64, after: Option<u64>) -> Op {
    Op::Place {
        body: page(),
        node: node(number),
        place: Place {
            parent: node(parent),
            after: after.map(node),
        },
    }
}

fn check(ops: &[Op], expected: &[&str]) {
    let before = site();
    let mut after = before.clone();
    assert_eq!(after.apply_all(ops, 2).rejected, []);
    let sentences: Vec<String> = diff(&before, &after)
        .into_iter()
        .map(|line| line.sentence)
        .collect();
    assert_eq!(sentences, expected);
}

#[test]
fn changes_are_told_in_sentences() {
    let piece = Entity::Piece {
        sheet: ItemId::from(1),
        id: ItemId::from(2),
    };
    let Piece::Block(blue) = rule("blue") else {
        return;
    };
    let about = NewEntity::Page {
        id: BodyId::from(2),
        page: Box::new(Page::new("About", "about")),
        tree: Subtree::new(vec![SubtreeNode {
            id: node(30),
            parent: None,
            node: element("body", None),
        }])
        .unwrap(),
        after: Some(page()),
    };
    check(
        &[put(of_node(13), "text", json!("Welcome"))],
        &["Text of heading changed from “Hello” to “Welcome”."],
    );
    check(
        &[put(of_node(11), "label", json!("Hero"))],
        &["Name of “Hero” set to “Hero”."],
    );
    check(
        &[put(of_node(14), "hidden", json!(true))],
        &["Paragraph “One” hidden."],
    );
    check(
        &[put(piece, "declarations", json!(blue.declarations))],
        &["Rule .btn: color red → blue."],
    );
    check(&[Op::Remove { entity: piece }], &["Rule .btn removed."]);
    check(
        &[Op::Insert {
            new: Box::new(about),
        }],
        &["Page About added."],
    );
    check(
        &[Op::Remove {
            entity: of_node(11),
        }],
        &["Hero “Hello” removed."],
    );
    check(
        &[put(Entity::Site, "name", json!("Bakery"))],
        &["Name of the site changed from “My site” to “Bakery”."],
    );
    check(
        &[put(
            Entity::Page { id: page() },
            "settings.description",
            json!("We bake."),
        )],
        &["Description of page Home set to “We bake.”."],
    );
    let sheet = Entity::Item {
        list: List::Sheets,
        id: ItemId::from(1),
    };
    check(
        &[Op::Remove { entity: sheet }],
        &["Stylesheet site removed."],
    );
}

#[test]
fn moves_are_told_by_what_is_next_to_them_now() {
    check(
        &[place(14, 11, None)],
        &["Paragraph “One” moved into hero “Hello”."],
    );
    check(
        &[place(16, 10, None)],
        &["Paragraph “Two” moved before hero “Hello”."],
    );
    check(
        &[place(11, 10, Some(16))],
        &["Hero “Hello” moved after paragraph “Two”."],
    );
}

#[test]
fn several_steps_on_one_field_are_one_line_and_what_cancelled_out_is_none() {
    check(
        &[
            put(of_node(13), "text", json!("A")),
            put(of_node(13), "text", json!("B")),
            put(of_node(14), "hidden", json!(true)),
            put(of_node(14), "hidden", json!(false)),
        ],
        &["Text of heading changed from “Hello” to “B”."],
    );
    check(
        &[
            place(16, 10, None),
            place(14, 10, None),
            place(11, 10, None),
        ],
        &[],
    );
    let lines = {
        let (before, mut after) = (site(), site());
        after
            .apply(&put(of_node(13), "text", json!("A")), 2)
            .unwrap();
        diff(&before, &after)
    };
    assert_eq!(
        json!(lines),
        json!([{ "document": page(), "kind": "changed", "entity": of_node(13), "name": "heading", "field": "text", "before": "Hello", "after": "A",
                 "sentence": "Text of heading changed from “Hello” to “A”." }])
    );
}

#[test]
fn as_few_as_can_be_are_said_to_have_moved() {
    let sorted = |before: &[u8], after: &[u8]| {
        let mut moved: Vec<u8> = moved(before, after).into_iter().collect();
        moved.sort_unstable();
        moved
    };
    assert_eq!(sorted(&[1, 2, 3, 4, 5], &[5, 1, 2, 3, 4]), [5]);
    assert_eq!(sorted(&[1, 2, 3, 4], &[2, 3, 9, 4]), [0u8; 0]);
    assert_eq!(sorted(&[1, 2, 3, 4, 5, 6], &[1, 4, 2, 3, 6, 5]).len(), 2);
}

/// The nodes of a tree without white space between elements, each with the id of its parent.
fn shown_nodes(tree: &Tree) -> Vec<Value> {
    let Value::Array(all) = json!(tree) else {
        return Vec::new();
    };
    let parent_of = |node: &Value| {
        let position = usize::try_from(node["parent"].as_u64()?).ok()?;
        Some(all[position]["id"].clone())
    };
    let is_shown = |node: &&Value| {
        let text = node.pointer("/node/kind/text").and_then(Value::as_str);
        text.is_none_or(|text| !text.trim().is_empty())
    };
    let with_parent = |node: &Value| {
        let mut node = node.clone();
        node["parent"] = json!(parent_of(&node));
        node
    };
    all.iter().filter(is_shown).map(with_parent).collect()
}

#[test]
fn white_space_between_elements_is_not_mentioned() {
    let space = |number: u64, after: u64| {
        let node = Node::new(Kind::Text("\n  ".to_owned()));
        let tree = Subtree::new(vec![SubtreeNode {
            id: self::node(number),
            parent: None,
            node,
        }]);
        let new = NewEntity::Nodes {
            body: page(),
            nodes: tree.unwrap(),
            place: Place {
                parent: self::node(10),
                after: Some(self::node(after)),
            },
        };
        Op::Insert { new: Box::new(new) }
    };
    check(&[space(40, 11)], &[]);
    check(
        &[space(40, 11), space(41, 14), place(16, 10, Some(40))],
        &["Paragraph “Two” moved before paragraph “One”."],
    );
    check(
        &[space(40, 16), place(11, 10, Some(40))],
        &["Hero “Hello” moved after paragraph “Two”."],
    );
}

/// A site as it is compared: sequences and the order of attributes make no difference to a reader.
fn content(site: &Site) -> Value {
    let mut bodies: Vec<(BodyId, Value)> = Vec::new();
    for (id, tree) in &site.bodies {
        let mut nodes = shown_nodes(tree);
        for node in &mut nodes {
            if let Some(attrs) = node
                .pointer_mut("/node/kind/element/attrs")
                .and_then(Value::as_array_mut)
            {
                attrs.sort_by_key(|attr| attr["name"].to_string());
            }
        }
        bodies.push((*id, json!(nodes)));
    }
    bodies.sort_by_key(|(id, _)| *id);
    let records = site.records.iter();
    let records: BTreeMap<String, Value> = records
        .map(|(id, open)| (id.to_string(), json!(open.record)))
        .collect();
    json!([site.shell, bodies, records])
}

proptest! {
    #[test]
    fn two_versions_differ_in_something_said_or_in_nothing(ops in ops(1..12)) {
        let before = start();
        let mut after = before.clone();
        after.apply_all(&ops, 2);
        let lines = diff(&before, &after);
        prop_assert_eq!(lines.is_empty(), content(&before) == content(&after), "{:?}", lines);
        let backwards = diff(&after, &before);
        prop_assert_eq!(backwards.is_empty(), lines.is_empty());
    }

    #[test]
    fn a_change_and_its_exact_revert_differ_in_nothing(ops in ops(1..12)) {
        let before = start();
        let mut after = before.clone();
        let applied = after.apply_all(&ops, 2);
        let reverted = after.revert(applied.done.iter(), 3);
        prop_assume!(reverted.left.is_empty());
        let lines = diff(&before, &after);
        prop_assert!(lines.is_empty(), "{:?}", lines);
    }
}
