//! The wording of differences.

use serde_json::Value;
use sitewright_tool::sentence;

use crate::{Attr, Element, Kind, Node, NodeId, Site, Tree};

const QUOTE_MAX: usize = 60;
const NAME_MAX: usize = 30;

/// A sentence about a field that changed.
pub(super) fn changed(name: &str, field: &str, before: &Value, after: &Value) -> String {
    let (was, is) = (quoted(before), quoted(after));
    let clause = match (field, after) {
        ("hidden", Value::Bool(true)) => format!("{name} is hidden now"),
        ("hidden", _) => format!("{name} is shown again"),
        ("draft", Value::Bool(true)) => format!("{name} is a draft now"),
        ("draft", _) => format!("{name} is no draft any more"),
        ("isProtected", Value::Bool(true)) => format!("{name} is protected now"),
        ("isProtected", _) => format!("{name} is not protected any more"),
        ("settings.head" | "settings.htmlAttrs" | "files" | "content", _) => {
            format!("{} of {name} changed", field_words(field))
        }
        _ => format!(
            "{} of {name} changed from {was} to {is}",
            field_words(field)
        ),
    };
    sentence(&clause)
}

/// A field by the name people use for it.
fn field_words(field: &str) -> String {
    let known = match field {
        "attrs.href" => "address",
        "attrs.src" => "source",
        "attrs.alt" => "alternative text",
        "parentId" => "the page above",
        "locale" => "language",
        "settings.socialImage" | "socialImage" => "social image",
        "settings.canonical" => "canonical address",
        "settings.noIndex" => "hiding from search engines",
        "settings.hideInMenus" => "hiding in menus",
        "settings.head" => "the head",
        "settings.htmlAttrs" => "attributes of the whole page",
        "settings.description" => "description",
        "discourageSearchEngines" => "hiding from search engines",
        "titlePattern" => "title pattern",
        "headCode" => "code in the head",
        "bodyCode" => "code at the end",
        "lightValue" => "value",
        "darkValue" => "dark value",
        "label" => "name in the layers",
        other => {
            return other
                .trim_start_matches("attrs.")
                .trim_start_matches("props.")
                .to_owned();
        }
    };
    known.to_owned()
}

/// A value, shortened to be readable.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => format!("“{}”", shortened(text, QUOTE_MAX)),
        Value::Object(pointing) if pointing.contains_key("target") && pointing.len() == 2 => {
            quoted(pointing.get("value").unwrap_or(&Value::Null))
        }
        other => shortened(&other.to_string(), QUOTE_MAX),
    }
}

/// A text on one line, truncated if it is long.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The name a person would use for a node, with its text if nothing else identifies it.
pub(super) fn node_name(site: &Site, tree: &Tree, id: NodeId) -> String {
    let Some(node) = tree.node(id) else {
        return "something".to_owned();
    };
    let plain = plain_name(site, node);
    let is_told_apart = node.label.is_some() || plain.contains(['.', '#']);
    let text = match &node.kind {
        Kind::Element(_) if !is_told_apart => text_in(tree, id),
        _ => None,
    };
    text.map_or(plain.clone(), |text| format!("{plain} “{text}”"))
}

/// The name a person would use for a node, regardless of its text.
pub(super) fn plain_name(site: &Site, node: &Node) -> String {
    if let Some(label) = &node.label {
        return format!("“{label}”");
    }
    match &node.kind {
        Kind::Element(element) => {
            let word = tag_word(element.tag.as_str());
            match mark(element, node.classes.as_deref()) {
                Some(mark) => format!("{word} {mark}"),
                None => word.to_owned(),
            }
        }
        Kind::Text(text) => format!("text “{}”", shortened(text, NAME_MAX)),
        Kind::Comment(text) => format!("comment “{}”", shortened(text, NAME_MAX)),
        Kind::Loop(looped) => format!("loop over {}", looped.source),
        Kind::Outlet => "outlet".to_owned(),
        Kind::Component(used) => {
            let id = used.id.parse().ok();
            let component = id.and_then(|id| site.shell.components.get(id));
            component.map_or_else(
                || "component".to_owned(),
                |component| format!("component “{}”", component.name),
            )
        }
    }
}

pub(crate) fn mark(element: &Element, classes: Option<&str>) -> Option<String> {
    let is_id = |attr: &&Attr| attr.name.as_str() == "id" && !attr.value.is_empty();
    let id = element.attrs.iter().find(is_id);
    id.map(|id| format!("#{}", id.value)).or_else(|| {
        let first = classes?.split_ascii_whitespace().next()?;
        Some(format!(".{first}"))
    })
}

pub(crate) fn text_in(tree: &Tree, id: NodeId) -> Option<String> {
    let mut texts = tree.walk(id).filter_map(|id| match &tree.node(id)?.kind {
        Kind::Text(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    texts.next().map(|text| shortened(text, NAME_MAX))
}

pub(crate) fn tag_word(tag: &str) -> &str {
    match tag {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "p" => "paragraph",
        "a" => "link",
        "img" | "picture" => "picture",
        "ul" | "ol" => "list",
        "li" => "list item",
        "nav" => "navigation",
        "input" | "textarea" | "select" => "field",
        "div" => "box",
        "body" => "page body",
        other => other,
    }
}
