//! Where a text, such as the id of a picture, occurs in a site, to show what depends on it before it is deleted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{BodyId, Item, List, Site};

/// A place that mentions something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mention {
    /// The document; absent for what all documents share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<BodyId>,
    /// What a person calls the place.
    pub name: String,
}

impl Site {
    /// Every open document and every part of the shell that contains this text anywhere: attributes, targets, styles, settings.
    pub fn mentions(&self, text: &str) -> Vec<Mention> {
        let in_body = |id: BodyId| {
            let body = self.body_snapshot(id);
            body.is_some_and(|body| holds(&body, text))
        };
        let mention = |document: Option<BodyId>, name: &str| Mention {
            document,
            name: name.to_owned(),
        };
        let mut found = Vec::new();
        let pages = self.shell.pages.iter();
        let pages = pages.filter(|(id, page)| holds(page, text) || in_body(*id));
        found.extend(pages.map(|(id, page)| mention(Some(id), &page.title)));
        let components = self.shell.components.iter();
        let components =
            components.filter(|(id, component)| holds(component, text) || in_body(*id));
        found.extend(components.map(|(id, component)| mention(Some(id), &component.name)));
        if holds(&self.shell.settings, text) {
            found.push(mention(None, "Site settings"));
        }
        for list in List::ALL {
            for (id, item) in self.shell.items.list(*list) {
                let in_rules = || {
                    self.shell
                        .items
                        .pieces(id)
                        .any(|(_, piece)| holds(piece, text))
                };
                if holds(item, text) || (*list == List::Sheets && in_rules()) {
                    found.push(mention(None, &place(item)));
                }
            }
        }
        found
    }
}

fn place(item: &Item) -> String {
    match item {
        Item::Sheet(sheet) => format!("Stylesheet {}", sheet.name),
        Item::File(file) => format!("File {}", file.path),
        Item::Breakpoint(_)
        | Item::Color(_)
        | Item::Font(_)
        | Item::TypeScale(_)
        | Item::SpacingScale(_)
        | Item::Family(_) => "Styles".to_owned(),
        Item::Collection(collection) => format!("Collection {}", collection.label),
        Item::Navigation(navigation) => format!("Menu {}", navigation.label),
        Item::NavItem(item) => format!("Menu item {}", item.label),
    }
}

fn holds(thing: &impl Serialize, text: &str) -> bool {
    serde_json::to_string(thing).is_ok_and(|written| written.contains(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Mention;
    use crate::{ChangeId, Op, Site, first_ops};

    #[test]
    fn a_picture_is_found_in_trees_settings_and_styles() {
        let mut site = Site::default();
        let ops = first_ops("Bakery", ChangeId::from("c".to_owned())).expect("ops");
        for op in &ops {
            site.apply(op, 1).expect("applies");
        }
        let (page, _) = site.shell.pages.iter().next().expect("a page");
        let root = site.bodies[&page].root();
        assert_eq!(site.mentions("a1b2"), []);
        let put = |entity: serde_json::Value, field: &str, value: serde_json::Value| -> Op {
            let op = json!({ "op": "put", "entity": entity, "field": field, "value": value });
            serde_json::from_value(op).expect("an op")
        };
        let here = |document, name: &str| Mention {
            document,
            name: name.to_owned(),
        };
        let sheet = json!({ "op": "insert", "new": { "type": "item", "id": "000000000007",
            "item": { "type": "file", "path": "src/styles/x.css", "code": { "type": "style" },
            "content": "body { background: url(/uploads/a1b2/320.jpg) }" } } });
        let sheet: Op = serde_json::from_value(sheet).expect("an op");
        let node = json!({ "type": "node", "body": page, "node": root });
        let steps = [
            put(
                node,
                "style",
                json!("background: url(/uploads/a1b2/320.jpg)"),
            ),
            put(
                json!({ "type": "site" }),
                "socialImage",
                json!("/uploads/a1b2/640.jpg"),
            ),
            sheet,
        ];
        for op in &steps {
            site.apply(op, 2).expect("applies");
        }
        let title = site.shell.pages.get(page).expect("a page").title.clone();
        assert_eq!(
            site.mentions("a1b2"),
            [
                here(Some(page), &title),
                here(None, "Site settings"),
                here(None, "File src/styles/x.css")
            ]
        );
    }
}
