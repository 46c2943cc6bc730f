//! The wording of differences.

use serde_json::Value;
use sitewright_tool::sentence;

use crate::{Attr, Element, Kind, Node, NodeId, Site, Tree};

const QUOTE_MAX: usize = 60;
const NAME_MAX: usize = 30;
/// How many nodes are searched for a heading; one that comes later is not what a thing is known by.
const SEARCHED_MAX: usize = 200;

/// A sentence about a field that changed.
pub(super) fn changed(name: &str, field: &str, before: &Value, after: &Value) -> String {
    let clause = match (field, after) {
        ("hidden", Value::Bool(true)) => format!("{name} hidden"),
        ("hidden", _) => format!("{name} unhidden"),
        ("draft", Value::Bool(true)) => format!("{name} made a draft"),
        ("draft", _) => format!("{name} no longer a draft"),
        ("isProtected", Value::Bool(true)) => format!("{name} protected"),
        ("isProtected", _) => format!("{name} no longer protected"),
        ("settings.noIndex" | "discourageSearchEngines", Value::Bool(true)) => {
            format!("{name} hidden from search engines")
        }
        ("settings.noIndex" | "discourageSearchEngines", _) => {
            format!("{name} shown to search engines")
        }
        ("settings.hideInMenus", Value::Bool(true)) => format!("{name} hidden from menus"),
        ("settings.hideInMenus", _) => format!("{name} shown in menus"),
        ("settings.head" | "settings.htmlAttrs" | "files" | "content", _) => {
            format!("{} of {name} changed", field_words(field))
        }
        _ => value_changed(&format!("{} of {name}", field_words(field)), before, after),
    };
    sentence(&clause)
}

/// What became of a value: set, removed, or changed from one to another.
fn value_changed(what: &str, before: &Value, after: &Value) -> String {
    match (before, after) {
        (Value::Null, after) => format!("{what} set to {}", quoted(after)),
        (before, Value::Null) => format!("{what} removed (was {})", quoted(before)),
        (before, after) => format!(
            "{what} changed from {} to {}",
            quoted(before),
            quoted(after)
        ),
    }
}

/// A field by the name people use for it.
fn field_words(field: &str) -> String {
    let known = match field {
        "attrs.href" => "address",
        "attrs.src" => "source",
        "attrs.alt" => "alt text",
        "parentId" => "parent page",
        "locale" => "language",
        "settings.socialImage" | "socialImage" => "social image",
        "settings.canonical" => "canonical URL",
        "settings.head" => "head",
        "settings.htmlAttrs" => "attributes of the html element",
        "settings.description" => "description",
        "titlePattern" => "page title format",
        "headCode" => "code at the end of the head",
        "bodyCode" => "code at the end of the body",
        "lightValue" => "value",
        "darkValue" => "dark value",
        "label" => "name",
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

/// The name a person would use for a node: the name they gave it, else what it is with its first words. Without any, its id or class
/// tells it from others of its kind.
pub(super) fn node_name(site: &Site, tree: &Tree, id: NodeId) -> String {
    let Some(node) = tree.node(id) else {
        return "something".to_owned();
    };
    let plain = plain_name(site, node);
    let Kind::Element(element) = &node.kind else {
        return plain;
    };
    if node.label.is_some() {
        return plain;
    }
    let mark = || mark(element, node.classes.as_deref());
    match text_in(tree, id) {
        Some(text) => format!("{plain} “{text}”"),
        None => match mark() {
            Some(mark) => format!("“{}” {plain}", mark.trim_start_matches(['.', '#'])),
            None => plain,
        },
    }
}

/// Whether a node is only space between others, which nobody wrote or sees as such.
pub(super) fn is_white_space(node: &Node) -> bool {
    matches!(&node.kind, Kind::Text(text) if text.trim().is_empty())
}

/// The name a person would use for a node, regardless of its text.
pub(super) fn plain_name(site: &Site, node: &Node) -> String {
    if let Some(label) = &node.label {
        return format!("“{label}”");
    }
    match &node.kind {
        Kind::Element(element) => element_word(element, node.classes.as_deref()).to_owned(),
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

/// The words that tell a node from others: those of its first heading, else the first in it.
pub(crate) fn text_in(tree: &Tree, id: NodeId) -> Option<String> {
    let is_heading = |id: &NodeId| {
        tree.node(*id).is_some_and(|node| {
            matches!(&node.kind, Kind::Element(element) if tag_word(element.tag.as_str()) == "heading")
        })
    };
    let first_text = |id: NodeId| {
        let mut texts = tree.walk(id).filter_map(|id| match &tree.node(id)?.kind {
            Kind::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        });
        texts.next()
    };
    let heading = tree.walk(id).take(SEARCHED_MAX).find(is_heading);
    let text = heading.and_then(first_text).or_else(|| first_text(id));
    text.map(|text| shortened(text, NAME_MAX))
}

/// The word for what an element is; for a section, what it is for, where a class of the usual names says so.
pub(crate) fn element_word<'e>(element: &'e Element, classes: Option<&str>) -> &'e str {
    let tag = element.tag.as_str();
    let kind = classes
        .filter(|_| tag == "section")
        .and_then(|classes| classes.split_ascii_whitespace().find_map(section_word));
    kind.unwrap_or_else(|| tag_word(tag))
}

/// What a section with this class is for. The sections of the library write `section-` before the word and the layout after it, as in
/// `section-hero-split`.
fn section_word(class: &str) -> Option<&'static str> {
    let class = class.strip_prefix("section-").unwrap_or(class);
    let first = class.split('-').next().unwrap_or(class);
    Some(match first {
        "hero" => "hero",
        "features" => "features",
        "gallery" => "gallery",
        "pricing" => "pricing",
        "testimonials" => "testimonials",
        "quote" | "quotes" => "quotes",
        "faq" => "questions",
        "steps" => "steps",
        "team" => "team",
        "logos" => "logos",
        "posts" => "posts",
        "contact" => "contact",
        "newsletter" => "newsletter",
        "location" => "location",
        "cta" => "call to action",
        _ => return None,
    })
}

fn tag_word(tag: &str) -> &str {
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
