//! The collections and menus that every site begins with.

use super::collection::{Collection, Field, FieldKind};
use super::navigation::Navigation;
use crate::{ChangeId, Item, ItemId, Mint, NewEntity, Op};

/// The ops that give a site its first collection, `blog`, and the menus of the header and footer.
pub fn content_ops(change: ChangeId) -> Vec<Op> {
    let mut mint = Mint::new(change);
    let blog = blog(&mut mint);
    let header = mint.mint();
    [
        (mint.mint(), Item::Collection(blog), None),
        (header, menu("header", "Header"), None),
        (mint.mint(), menu("footer", "Footer"), Some(header)),
    ]
    .into_iter()
    .map(|(id, item, after)| insert(id, item, after))
    .collect()
}

fn blog(mint: &mut Mint) -> Collection {
    let mut field = |name: &str, label: &str, kind: FieldKind| Field {
        id: mint.mint(),
        name: name.to_owned(),
        label: label.to_owned(),
        kind,
        required: false,
    };
    Collection {
        slug: "blog".to_owned(),
        label: "Blog".to_owned(),
        route_base: Some("/blog".to_owned()),
        fields: vec![
            field("body", "Text", FieldKind::RichText),
            field("excerpt", "Excerpt", FieldKind::Text { max: None }),
            field("author", "Author", FieldKind::Text { max: None }),
            field("category", "Category", FieldKind::Text { max: None }),
            field("cover", "Cover", FieldKind::Media),
            field("featuredImage", "Featured image", FieldKind::Media),
        ],
    }
}

fn menu(slug: &str, label: &str) -> Item {
    Item::Navigation(Navigation::new(slug, label))
}

fn insert(id: ItemId, item: Item, after: Option<ItemId>) -> Op {
    Op::Insert {
        new: Box::new(NewEntity::Item {
            id,
            item: Box::new(item),
            pieces: Vec::new(),
            after,
        }),
    }
}
