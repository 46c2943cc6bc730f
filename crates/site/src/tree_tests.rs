//! The tree compared with a plain nested model, and the errors.

use proptest::prelude::*;

use super::{DEPTH_MAX, Place, PlacementError, Subtree, SubtreeNode, Tree};
use crate::{Kind, Node, NodeId};

fn id(number: u64) -> NodeId {
    NodeId::from(number)
}

fn text(number: u64) -> Node {
    Node::new(Kind::Text(number.to_string()))
}

fn one(number: u64) -> Subtree {
    Subtree::new(vec![SubtreeNode {
        id: id(number),
        parent: None,
        node: text(number),
    }])
    .unwrap()
}

fn tree() -> Tree {
    Tree::new(id(0), text(0))
}

/// The tree in a small notation: `0(1(2 3) 4)`.
fn shown(tree: &Tree) -> String {
    fn show(tree: &Tree, at: NodeId, out: &mut String) {
        let Some(Node {
            kind: Kind::Text(name),
            ..
        }) = tree.node(at)
        else {
            return;
        };
        out.push_str(name);
        let children: Vec<NodeId> = tree.children(at).collect();
        if !children.is_empty() {
            out.push('(');
            for (position, child) in children.iter().enumerate() {
                if position > 0 {
                    out.push(' ');
                }
                show(tree, *child, out);
            }
            out.push(')');
        }
    }
    let mut out = String::new();
    show(tree, tree.root(), &mut out);
    out
}

fn grown(edges: &[(u64, u64, Option<u64>)]) -> Tree {
    let mut tree = tree();
    for (node, parent, after) in edges {
        tree.insert(
            &one(*node),
            Place {
                parent: id(*parent),
                after: after.map(id),
            },
        )
        .unwrap();
    }
    tree
}

#[test]
fn nodes_stand_behind_their_anchor_first_without_one_and_last_without_theirs() {
    let tree = grown(&[
        (1, 0, None),
        (2, 0, Some(1)),
        (3, 0, None),
        (4, 0, Some(99)),
        (5, 1, Some(2)),
    ]);
    assert_eq!(shown(&tree), "0(3 1(5) 2 4)");
}

#[test]
fn a_node_cannot_move_under_itself() {
    let mut tree = grown(&[(1, 0, None), (2, 1, None), (3, 2, None)]);
    let refused = tree.relocate(
        id(1),
        Place {
            parent: id(3),
            after: None,
        },
    );
    assert_eq!(
        refused,
        Err(PlacementError::Cycle {
            outer: id(1),
            inner: id(3)
        })
    );
    assert_eq!(
        tree.relocate(
            id(1),
            Place {
                parent: id(1),
                after: None
            }
        ),
        Err(PlacementError::Cycle {
            outer: id(1),
            inner: id(1)
        })
    );
    assert_eq!(
        tree.relocate(
            id(0),
            Place {
                parent: id(1),
                after: None
            }
        ),
        Err(PlacementError::Root)
    );
    assert_eq!(shown(&tree), "0(1(2(3)))");
}

#[test]
fn nothing_stands_deeper_than_allowed() {
    let mut tree = tree();
    for number in 1..DEPTH_MAX as u64 {
        tree.insert(
            &one(number),
            Place {
                parent: id(number - 1),
                after: None,
            },
        )
        .unwrap();
    }
    let deepest = DEPTH_MAX as u64 - 1;
    assert_eq!(
        tree.insert(
            &one(9999),
            Place {
                parent: id(deepest),
                after: None
            }
        ),
        Err(PlacementError::TooDeep)
    );
    tree.insert(
        &one(5000),
        Place {
            parent: id(0),
            after: None,
        },
    )
    .unwrap();
    tree.insert(
        &one(5001),
        Place {
            parent: id(5000),
            after: None,
        },
    )
    .unwrap();
    assert_eq!(
        tree.relocate(
            id(5000),
            Place {
                parent: id(deepest - 1),
                after: None
            }
        ),
        Err(PlacementError::TooDeep)
    );
    assert!(
        tree.relocate(
            id(5000),
            Place {
                parent: id(deepest - 2),
                after: None
            }
        )
        .is_ok()
    );
}

#[test]
fn lists_that_are_no_tree_are_refused() {
    let node = |number, parent| SubtreeNode {
        id: id(number),
        parent,
        node: text(number),
    };
    for list in [
        vec![],
        vec![node(1, Some(0))],
        vec![node(1, None), node(2, None)],
        vec![node(1, None), node(2, Some(1))],
    ] {
        assert_eq!(Subtree::new(list), Err(PlacementError::Malformed));
    }
    let mut tree = grown(&[(1, 0, None)]);
    assert_eq!(
        tree.insert(
            &one(1),
            Place {
                parent: id(0),
                after: None
            }
        ),
        Err(PlacementError::Malformed),
        "the id is taken"
    );
    let twice = Subtree(vec![node(7, None), node(7, Some(0))]);
    assert_eq!(
        tree.insert(
            &twice,
            Place {
                parent: id(0),
                after: None
            }
        ),
        Err(PlacementError::Malformed)
    );
    assert_eq!(shown(&tree), "0(1)");
}

/// A step on the tree: what to do, to which node, under which parent, after which sibling.
#[derive(Debug, Clone)]
enum Step {
    Insert(u64, u64, Option<u64>),
    Move(u64, u64, Option<u64>),
    Remove(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || (1u64..14, 0u64..14, proptest::option::of(0u64..14));
    let step = prop_oneof![
        3 => place().prop_map(|(node, parent, after)| Step::Insert(node, parent, after)),
        2 => place().prop_map(|(node, parent, after)| Step::Move(node, parent, after)),
        1 => (1u64..14).prop_map(Step::Remove),
    ];
    proptest::collection::vec(step, 0..60)
}

/// Checks every link in both directions.
fn check_links(tree: &Tree) -> Result<(), TestCaseError> {
    let mut seen = 0;
    for at in tree.walk(tree.root()) {
        seen += 1;
        let mut before = None;
        for child in tree.children(at) {
            prop_assert_eq!(
                tree.place(child),
                Some(Place {
                    parent: at,
                    after: before
                })
            );
            before = Some(child);
        }
    }
    prop_assert_eq!(seen, tree.len());
    Ok(())
}

proptest! {
    #[test]
    fn every_step_keeps_the_links_and_can_be_taken_back(steps in steps()) {
        let mut tree = tree();
        for step in steps {
            let was = tree.clone();
            match step {
                Step::Insert(node, parent, after) => {
                    if tree.node(id(parent)).is_some()
                        && tree.insert(&one(node), Place { parent: id(parent), after: after.map(id) }).is_ok()
                    {
                        let mut back = tree.clone();
                        back.remove(id(node));
                        prop_assert_eq!(shown(&back), shown(&was));
                    }
                }
                Step::Move(node, parent, after) => {
                    if tree.node(id(node)).is_some() && tree.node(id(parent)).is_some()
                        && let Ok(place) = tree.relocate(id(node), Place { parent: id(parent), after: after.map(id) })
                    {
                        let mut back = tree.clone();
                        back.relocate(id(node), place).unwrap();
                        prop_assert_eq!(shown(&back), shown(&was));
                    }
                }
                Step::Remove(node) => {
                    if let Some((subtree, place)) = tree.remove(id(node)) {
                        let mut back = tree.clone();
                        back.insert(&subtree, place).unwrap();
                        prop_assert_eq!(shown(&back), shown(&was));
                    }
                }
            }
            check_links(&tree)?;
        }
        let json = serde_json::to_string(&tree).unwrap();
        prop_assert_eq!(serde_json::from_str::<Tree>(&json).unwrap(), tree);
    }
}
