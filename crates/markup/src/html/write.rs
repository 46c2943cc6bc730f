//! Writes nodes as HTML, one at a time, so that the caller who walks a tree can insert anything in between.
//!
//! Escapes follow the HTML standard, with one addition: a carriage return is written as a reference, because the parser
//! would turn it into a newline. Content that no parser produces (a comment that contains its own end, a tag with a
//! space) is written so that it cannot break out of its place.
//!
//! A `<` is only ever written where a tag or a comment begins: in texts and attributes it is escaped, from comments and raw
//! texts it is left out. So however the parser comes to read a page, as in SVG, in a `noscript`, or after an error, no part of a
//! text is a tag, and no element has an attribute that was not written as one.

use std::borrow::Cow;

use super::policy;
use crate::{Element, Namespace};

/// The position of a text among its siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Nothing is written between the start tag of its parent and the text.
    First,
    Later,
}

/// Writes a start tag: class, style, the element's attributes, then the `extra` ones. Writes nothing when the tag is
/// not a valid name.
pub fn open_tag(
    out: &mut String,
    element: &Element,
    classes: Option<&str>,
    style: Option<&str>,
    extra: &[(&str, &str)],
) {
    if !is_tag_name(element.tag.as_str()) {
        return;
    }
    out.push('<');
    out.push_str(element.tag.as_str());
    if let Some(classes) = classes {
        attr(out, "class", classes);
    }
    if let Some(style) = style {
        attr(out, "style", style);
    }
    for own in &element.attrs {
        attr(out, own.name.as_str(), &own.value);
    }
    for (name, value) in extra {
        attr(out, name, value);
    }
    out.push('>');
}

/// Writes an end tag, unless the element is void.
pub fn close_tag(out: &mut String, element: &Element) {
    if is_void(element) || !is_tag_name(element.tag.as_str()) {
        return;
    }
    out.push_str("</");
    out.push_str(element.tag.as_str());
    out.push('>');
}

/// Writes an attribute into a start tag. Skips a name that would be parsed as several attributes.
pub fn attr(out: &mut String, name: &str, value: &str) {
    if !is_attr_name(name) {
        return;
    }
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(out, value, &IN_ATTR);
    out.push('"');
}

/// Writes a text; its parent decides how it is escaped. A raw text with a `<` is left out, because it has no escapes.
pub fn text(out: &mut String, text: &str, parent: Option<&Element>, position: Position) {
    if let Some(parent) = parent.filter(|parent| parent.namespace == Namespace::Html) {
        let tag = parent.tag.as_str();
        if policy::is_raw_text(tag) {
            if is_raw_text_safe(text) {
                out.push_str(text);
            }
            return;
        }
        // The parser drops a newline here, so a significant one needs another before it.
        if position == Position::First
            && text.starts_with('\n')
            && matches!(tag, "pre" | "textarea" | "listing")
        {
            out.push('\n');
        }
    }
    escape(out, text, &IN_TEXT);
}

/// Escapes a text for use between tags or in a quoted attribute.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(&mut out, text, &IN_ATTR);
    out
}

/// Writes a comment. Text that would end it early is broken up with a space, and `<` is written as a reference: where the
/// parser reads a comment as text, what follows would be a tag.
pub fn comment(out: &mut String, text: &str) {
    out.push_str("<!--");
    if text.starts_with('>') || text.starts_with("->") {
        out.push(' ');
    }
    let text = comment_text(text);
    if text.contains("-->") || text.contains("--!>") {
        out.push_str(&text.replace("-->", "-- >").replace("--!>", "-- !>"));
    } else {
        out.push_str(&text);
    }
    out.push_str("-->");
}

/// The text of a comment without a `<`.
pub(super) fn comment_text(text: &str) -> Cow<'_, str> {
    match text.contains('<') {
        true => Cow::Owned(text.replace('<', "&lt;")),
        false => Cow::Borrowed(text),
    }
}

/// Whether a text can stand in an element whose text is written without escapes.
pub fn is_raw_text_safe(text: &str) -> bool {
    !text.contains('<')
}

/// Whether an element is void: it has neither children nor an end tag.
pub fn is_void(element: &Element) -> bool {
    element.namespace == Namespace::Html
        && matches!(
            element.tag.as_str(),
            "area"
                | "base"
                | "basefont"
                | "bgsound"
                | "br"
                | "col"
                | "embed"
                | "frame"
                | "hr"
                | "img"
                | "input"
                | "keygen"
                | "link"
                | "meta"
                | "param"
                | "source"
                | "track"
                | "wbr"
        )
}

/// Whether the parser reads this as a single tag name.
pub fn is_tag_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(|byte| is_name(*byte))
}

/// Whether the parser reads this as a single attribute name.
pub fn is_attr_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    !bytes.is_empty() && bytes.iter().all(|byte| is_name(*byte)) && !bytes[1..].contains(&b'=')
}

fn is_name(byte: u8) -> bool {
    !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ' | b'/' | b'>' | 0)
}

/// The bytes that need an escape. 0xC2 is the first byte of a no-break space.
type Escapes = [bool; 256];

const IN_TEXT: Escapes = escapes(b"&<>\r\xC2");
const IN_ATTR: Escapes = escapes(b"&<>\"\r\xC2");

const fn escapes(bytes: &[u8]) -> Escapes {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

fn escape(out: &mut String, text: &str, escapes: &Escapes) {
    let bytes = text.as_bytes();
    let mut written = 0;
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| escapes[*byte as usize]) {
        at += found;
        let (reference, length) = match bytes[at] {
            b'&' => ("&amp;", 1),
            b'<' => ("&lt;", 1),
            b'>' => ("&gt;", 1),
            b'"' => ("&quot;", 1),
            b'\r' => ("&#13;", 1),
            _ if bytes.get(at + 1) == Some(&0xA0) => ("&nbsp;", 2),
            _ => {
                at += 1;
                continue;
            }
        };
        out.push_str(&text[written..at]);
        out.push_str(reference);
        at += length;
        written = at;
    }
    out.push_str(&text[written..]);
}
