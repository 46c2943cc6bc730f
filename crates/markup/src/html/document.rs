//! The parts of a page around the children of its body, and serialisation of whole trees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::loops::{loop_element, outlet_element};
use super::write::{self, Position};
use crate::{Attr, ComponentUse, Element, Forest, Kind, Name, Namespace, Node};

/// A page without the children of its body.
#[derive(Debug, Clone, PartialEq)]
pub struct HtmlDocument {
    pub doctype: Option<Doctype>,
    /// The layout mode of browsers.
    pub quirks: Quirks,
    /// `<html>` with its attributes.
    pub html: Node,
    /// `<head>` with its attributes.
    pub head: Node,
    /// The children of `<head>`, without styles.
    pub head_nodes: Forest,
    /// `<body>` with its attributes.
    pub body: Node,
    /// Nodes outside `<head>` and `<body>`, in order: comments, and white space between the two.
    pub strays: Vec<HtmlStray>,
}

/// A doctype. A missing id and an empty one are equivalent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doctype {
    /// Usually `html`.
    pub name: String,
    pub public_id: String,
    pub system_id: String,
}

/// The layout mode of browsers, which depends on the doctype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirks {
    /// Standards mode.
    None,
    /// Standards mode, except for the height of table cells.
    Limited,
    /// Quirks mode: emulates the browsers of the 1990s.
    Full,
}

/// A comment or white space outside `<head>` and `<body>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HtmlStray {
    /// Where it stands.
    pub place: HtmlPlace,
    /// What it is.
    pub node: Node,
}

/// A place outside `<head>` and `<body>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HtmlPlace {
    /// Before everything.
    BeforeDoctype,
    /// Between the doctype and `<html>`.
    BeforeHtml,
    /// Between `<html>` and `<head>`.
    BeforeHead,
    /// Between `</head>` and `<body>`.
    AfterHead,
    /// Between `</body>` and `</html>`.
    AfterBody,
    /// After everything.
    AfterHtml,
}

/// Writes a page so that parsing it gives back what was imported.
pub fn write_document(out: &mut String, document: &HtmlDocument, content: &Forest) {
    let HtmlDocument {
        doctype,
        quirks,
        html,
        head,
        head_nodes,
        body,
        strays,
    } = document;
    write_strays(out, strays, HtmlPlace::BeforeDoctype);
    out.push_str(&doctype_text(doctype.as_ref(), *quirks));
    write_strays(out, strays, HtmlPlace::BeforeHtml);
    let html_element = open(out, html);
    write_strays(out, strays, HtmlPlace::BeforeHead);
    let head_element = open(out, head);
    write_forest(out, head_nodes, head_element);
    close(out, head_element);
    write_strays(out, strays, HtmlPlace::AfterHead);
    let body_element = open(out, body);
    write_forest(out, content, body_element);
    close(out, body_element);
    write_strays(out, strays, HtmlPlace::AfterBody);
    close(out, html_element);
    write_strays(out, strays, HtmlPlace::AfterHtml);
}

/// Writes trees as the inner HTML of `parent`. Loops and outlets become the elements they are imported from. A
/// component use becomes an `<sw-component>`, which is only for reading: import does not turn it back into a
/// component.
pub fn write_forest(out: &mut String, forest: &Forest, parent: Option<&Element>) {
    let mut open: Vec<(u32, Open)> = Vec::new();
    // The offset where the last start tag ends; the start tag of `parent` is not written here.
    let mut start = None;
    for (position, planted) in (0u32..).zip(&forest.0) {
        while open
            .last()
            .is_some_and(|(index, _)| planted.parent != Some(*index))
        {
            close_last(out, &mut open);
        }
        let parent = match open.last() {
            Some((_, element)) => Some(element.get()),
            None => parent,
        };
        let node = &planted.node;
        let element = match &node.kind {
            Kind::Text(text) => {
                let position = if start == Some(out.len()) {
                    Position::First
                } else {
                    Position::Later
                };
                write::text(out, text, parent, position);
                continue;
            }
            Kind::Comment(text) => {
                write::comment(out, text);
                continue;
            }
            Kind::Element(element) => Open::Borrowed(element),
            Kind::Loop(this) => Open::Owned(loop_element(this, parent)),
            Kind::Outlet => Open::Owned(outlet_element()),
            Kind::Component(this) => Open::Owned(component_element(this)),
        };
        let (classes, style) = (node.classes.as_deref(), node.style.as_deref());
        write::open_tag(out, element.get(), classes, style, &[]);
        start = (!write::is_void(element.get())).then_some(out.len());
        open.push((position, element));
    }
    while !open.is_empty() {
        close_last(out, &mut open);
    }
}

/// An element whose end tag has not been written yet.
enum Open<'a> {
    Borrowed(&'a Element),
    Owned(Element),
}

impl Open<'_> {
    fn get(&self) -> &Element {
        match self {
            Self::Borrowed(element) => element,
            Self::Owned(element) => element,
        }
    }
}

fn close_last(out: &mut String, open: &mut Vec<(u32, Open)>) {
    if let Some((_, element)) = open.pop() {
        write::close_tag(out, element.get());
    }
}

fn open<'a>(out: &mut String, node: &'a Node) -> Option<&'a Element> {
    let Kind::Element(element) = &node.kind else {
        return None;
    };
    let (classes, style) = (node.classes.as_deref(), node.style.as_deref());
    write::open_tag(out, element, classes, style, &[]);
    Some(element)
}

fn close(out: &mut String, element: Option<&Element>) {
    if let Some(element) = element {
        write::close_tag(out, element);
    }
}

/// Writes the strays that belong to one place.
pub fn write_strays(out: &mut String, strays: &[HtmlStray], place: HtmlPlace) {
    for stray in strays.iter().filter(|stray| stray.place == place) {
        match &stray.node.kind {
            Kind::Comment(text) => write::comment(out, text),
            Kind::Text(text) if place == HtmlPlace::AfterHead => {
                let space: String = text.chars().filter(char::is_ascii_whitespace).collect();
                write::text(out, &space, None, Position::Later);
            }
            Kind::Text(_)
            | Kind::Element(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => {}
        }
    }
}

/// The text of a doctype; empty when there is none.
pub fn doctype_text(doctype: Option<&Doctype>, quirks: Quirks) -> String {
    let mut out = String::new();
    if let Some(doctype) = doctype {
        write_doctype(&mut out, doctype, quirks);
    }
    out
}

/// Unlike the serialisation in the standard, keeps the ids: dropping them would change the layout mode.
fn write_doctype(out: &mut String, doctype: &Doctype, quirks: Quirks) {
    let Doctype {
        name,
        public_id,
        system_id,
    } = doctype;
    out.push_str("<!DOCTYPE");
    if !name.is_empty() {
        out.push(' ');
        out.extend(
            name.chars()
                .filter(|letter| *letter != '>' && !letter.is_ascii_whitespace()),
        );
    }
    let is_forced = quirks == Quirks::Full && !is_old(public_id, system_id);
    match (public_id.is_empty(), system_id.is_empty()) {
        // Any word here that the parser does not recognise triggers quirks mode.
        (true, true) if quirks == Quirks::Full && name == "html" => out.push_str(" quirks"),
        (true, true) => {}
        (true, false) => {
            out.push_str(" SYSTEM");
            write_last_id(out, system_id, is_forced);
        }
        (false, true) if quirks == Quirks::Full => {
            out.push_str(" PUBLIC");
            write_last_id(out, public_id, is_forced);
        }
        (false, _) => {
            out.push_str(" PUBLIC");
            write_id(out, public_id);
            write_last_id(out, system_id, is_forced);
        }
    }
    out.push('>');
}

/// Whether the ids alone trigger quirks mode. The list is incomplete: it has only the ids that are common.
fn is_old(public_id: &str, system_id: &str) -> bool {
    const ALWAYS: [&str; 5] = [
        "-//ietf//dtd html//",
        "-//w3c//dtd html 3.2//",
        "-//w3c//dtd html 3.2 final//",
        "-//w3c//dtd html 4.0 frameset//",
        "-//w3c//dtd html 4.0 transitional//",
    ];
    const ALONE: [&str; 2] = [
        "-//w3c//dtd html 4.01 frameset//",
        "-//w3c//dtd html 4.01 transitional//",
    ];
    let public_id = public_id.to_ascii_lowercase();
    let begins = |start: &&str| public_id.starts_with(start);
    ALWAYS.iter().any(begins) || (system_id.is_empty() && ALONE.iter().any(begins))
}

/// Leaves the last id unterminated when nothing else in the doctype triggers the required quirks mode.
fn write_last_id(out: &mut String, id: &str, is_forced: bool) {
    write_id(out, id);
    if is_forced {
        out.pop();
    }
}

fn write_id(out: &mut String, id: &str) {
    let quote = if id.contains('"') { '\'' } else { '"' };
    out.push(' ');
    out.push(quote);
    out.extend(
        id.chars()
            .filter(|letter| *letter != '>' && *letter != quote),
    );
    out.push(quote);
}

/// The element that a component use is written as.
pub fn component_element(this: &ComponentUse) -> Element {
    let ComponentUse { id, props } = this;
    let props = serde_json::Value::Object(props.clone().into_iter().collect());
    let attr = |name: &str, value: String| Attr::new(name, value);
    Element {
        tag: Name::from("sw-component"),
        namespace: Namespace::Html,
        attrs: vec![
            attr("data-component-id", id.clone()),
            attr("data-props", props.to_string()),
        ],
    }
}
