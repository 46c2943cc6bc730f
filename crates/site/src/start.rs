//! The content of a new site.

use crate::{
    Breakpoint, ChangeId, Element, Entity, Item, Kind, Mint, Namespace, NewEntity, Node, Op, Page,
    PlacementError, Subtree, SubtreeNode, content_ops,
};

/// The ops that make an empty site editable: its name, the default breakpoints, an empty home page, and the collections and menus
/// that every site begins with.
pub fn first_ops(name: &str, change: ChangeId) -> Result<Vec<Op>, PlacementError> {
    let content = content_ops(ChangeId::of_call("content", change.as_str()));
    let mut mint = Mint::new(change);
    let mut ops = vec![Op::Put {
        entity: Entity::Site,
        field: "name".to_owned(),
        value: name.into(),
    }];
    let mut after = None;
    for breakpoint in Breakpoint::defaults() {
        let id = mint.mint();
        let item = Box::new(Item::Breakpoint(breakpoint));
        let pieces = Vec::new();
        let new = NewEntity::Item {
            id,
            item,
            pieces,
            after,
        };
        ops.push(Op::Insert { new: Box::new(new) });
        after = Some(id);
    }
    let body = Element {
        tag: "body".into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    };
    let root = SubtreeNode {
        id: mint.mint(),
        parent: None,
        node: Node::new(Kind::Element(body)),
    };
    let home = NewEntity::Page {
        id: mint.mint(),
        page: Box::new(Page::new("Home", "index")),
        tree: Subtree::new(vec![root])?,
        after: None,
    };
    ops.push(Op::Insert {
        new: Box::new(home),
    });
    ops.extend(content);
    Ok(ops)
}
