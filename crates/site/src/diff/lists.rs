//! Differences in what all documents share: settings, tokens, fonts, files, stylesheets and their rules.

use serde_json::{Map, Value, json};
use sitewright_markup::css::Block;

use super::{DiffKind, DiffLine, Pair, Subject, fields_of, moved, words};
use crate::{Entity, Item, ItemId, List, Piece, Site};

const LISTS: [List; 11] = [
    List::Breakpoints,
    List::Colors,
    List::Fonts,
    List::TypeScales,
    List::SpacingScales,
    List::Families,
    List::Files,
    List::Sheets,
    List::Collections,
    List::Navigations,
    List::NavItems,
];

pub(super) fn settings(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    let subject = Subject {
        document: None,
        entity: Entity::Site,
        name: "the site".to_owned(),
    };
    let fields = Pair {
        before: fields_of(&before.shell.settings),
        after: fields_of(&after.shell.settings),
    };
    subject.changes(fields, lines);
}

pub(super) fn items(before: &Site, after: &Site, lines: &mut Vec<DiffLine>) {
    for list in LISTS {
        one_list(list, Pair { before, after }, lines);
    }
}

fn one_list(list: List, sites: Pair<&Site>, lines: &mut Vec<DiffLine>) {
    let Pair { before, after } = sites;
    let subject = |id: ItemId, item: &Item| Subject {
        document: None,
        entity: Entity::Item { list, id },
        name: item_name(item),
    };
    let ids =
        |site: &Site| -> Vec<ItemId> { site.shell.items.list(list).map(|(id, _)| id).collect() };
    let elsewhere = moved(&ids(before), &ids(after));
    for (id, item) in after.shell.items.list(list) {
        let Some(was) = before.shell.items.get(list, id) else {
            lines.push(subject(id, item).added());
            continue;
        };
        if was != item {
            let fields = Pair {
                before: item_fields(was),
                after: item_fields(item),
            };
            subject(id, item).changes(fields, lines);
        }
        if elsewhere.contains(&id) {
            let behind = after.shell.items.before(list, id);
            let behind = behind.and_then(|id| after.shell.items.get(list, id));
            lines.push(ordered(subject(id, item), behind.map(item_name)));
        }
        if list == List::Sheets {
            rules(id, sites, lines);
        }
    }
    for (id, item) in before.shell.items.list(list) {
        if after.shell.items.get(list, id).is_none() {
            lines.push(subject(id, item).removed());
        }
    }
}

/// A line for something that moved within its list.
pub(super) fn ordered(subject: Subject, behind: Option<String>) -> DiffLine {
    let clause = match behind {
        Some(behind) => format!("{} moved after {behind}", subject.name),
        None => format!("{} moved to the start", subject.name),
    };
    subject.line(DiffKind::Moved, sitewright_tool::sentence(&clause))
}

fn item_fields(item: &Item) -> Map<String, Value> {
    let mut fields = fields_of(item);
    fields.remove("type");
    fields
}

fn item_name(item: &Item) -> String {
    match item {
        Item::Breakpoint(breakpoint) => format!("breakpoint {}", breakpoint.label),
        Item::Sheet(sheet) => format!("stylesheet {}", sheet.name),
        Item::Color(color) => format!("colour {}", color.slug),
        Item::Font(font) => format!("font {}", font.name),
        Item::TypeScale(scale) => format!("type scale {}", scale.group_id),
        Item::SpacingScale(scale) => format!("spacing scale {}", scale.group_id),
        Item::Family(family) => format!("font family {}", family.family),
        Item::File(file) => format!("file {}", file.path),
        Item::Collection(collection) => format!("collection {}", collection.label),
        Item::Navigation(navigation) => format!("menu {}", navigation.label),
        Item::NavItem(item) => format!("menu item {}", item.label),
    }
}

fn rules(sheet: ItemId, sites: Pair<&Site>, lines: &mut Vec<DiffLine>) {
    let Pair { before, after } = sites;
    let pieces = |site: &Site| -> Vec<ItemId> {
        let pieces = site.shell.items.pieces(sheet);
        pieces.map(|(id, _)| id).collect()
    };
    let elsewhere = moved(&pieces(before), &pieces(after));
    let subject = |id: ItemId, piece: &Piece| Subject {
        document: None,
        entity: Entity::Piece { sheet, id },
        name: piece_name(piece),
    };
    let mut last: Option<&Piece> = None;
    for (id, piece) in after.shell.items.pieces(sheet) {
        match before.shell.items.piece(sheet, id) {
            None => lines.push(subject(id, piece).added()),
            Some(was) if was != piece => one_rule(&subject(id, piece), was, piece, lines),
            Some(_) => {}
        }
        if elsewhere.contains(&id) {
            lines.push(ordered(subject(id, piece), last.map(piece_name)));
        }
        last = Some(piece);
    }
    for (id, piece) in before.shell.items.pieces(sheet) {
        if after.shell.items.piece(sheet, id).is_none() {
            lines.push(subject(id, piece).removed());
        }
    }
}

fn one_rule(subject: &Subject, was: &Piece, is: &Piece, lines: &mut Vec<DiffLine>) {
    let fields = |piece: &Piece| match piece {
        Piece::Block(block) => {
            let mut fields = fields_of(block);
            fields.remove("declarations");
            fields
        }
        Piece::Raw(raw) => fields_of(raw),
    };
    let others = Pair {
        before: fields(was),
        after: fields(is),
    };
    subject.changes(others, lines);
    if let (Piece::Block(was), Piece::Block(is)) = (was, is)
        && was.declarations != is.declarations
    {
        declarations(subject, was, is, lines);
    }
}

fn declarations(subject: &Subject, was: &Block, is: &Block, lines: &mut Vec<DiffLine>) {
    let lines_before = lines.len();
    let mut properties: Vec<&str> = Vec::new();
    for declaration in is.declarations.iter().chain(&was.declarations) {
        if !properties.contains(&declaration.property.as_str()) {
            properties.push(&declaration.property);
        }
    }
    for property in properties {
        let (before, after) = (value_of(was, property), value_of(is, property));
        if before == after {
            continue;
        }
        let said = |value: &Option<String>| {
            let text = value.as_deref().unwrap_or("nothing");
            words::shortened(text, 60)
        };
        let clause = format!(
            "{}: {property} {} → {}",
            subject.name,
            said(&before),
            said(&after)
        );
        let sentence = sitewright_tool::sentence(&clause);
        lines.push(subject.change(property, (json!(before), json!(after)), sentence));
    }
    if lines.len() == lines_before {
        let sentence =
            sitewright_tool::sentence(&format!("{}: order of declarations changed", subject.name));
        let values = (json!(was.declarations), json!(is.declarations));
        lines.push(subject.change("declarations", values, sentence));
    }
}

/// All values that a rule gives a property, in order; fallbacks for old browsers make several.
fn value_of(block: &Block, property: &str) -> Option<String> {
    let values = block
        .declarations
        .iter()
        .filter(|declaration| declaration.property == property);
    let written: Vec<String> = values
        .map(|declaration| {
            let important = if declaration.important {
                " !important"
            } else {
                ""
            };
            format!("{}{important}", declaration.value)
        })
        .collect();
    (!written.is_empty()).then(|| written.join(", then "))
}

fn piece_name(piece: &Piece) -> String {
    let name = match piece {
        Piece::Block(block) => format!("rule {}", words::shortened(&block.selector, 60)),
        Piece::Raw(raw) => {
            let start = raw.text.split('{').next().unwrap_or_default();
            format!("CSS {}", words::shortened(start, 60))
        }
    };
    match piece.wrappers() {
        [] => name,
        wrappers => format!("{name} in {}", words::shortened(&wrappers.join(" "), 60)),
    }
}
