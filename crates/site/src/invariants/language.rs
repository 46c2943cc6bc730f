//! Where the parser reads HTML, and where it reads SVG or MathML.

use crate::{Attr, Element, Namespace};

/// Whether the parser reads the content of an element as HTML.
pub(super) fn reads_html(element: &Element) -> bool {
    let tag = element.tag.as_str();
    match element.namespace {
        Namespace::Html => true,
        Namespace::Svg => matches!(tag, "foreignObject" | "desc" | "title"),
        Namespace::MathMl => {
            let is_markup = |attr: &Attr| {
                attr.name.as_str() == "encoding"
                    && (attr.value.eq_ignore_ascii_case("text/html")
                        || attr.value.eq_ignore_ascii_case("application/xhtml+xml"))
            };
            matches!(tag, "mi" | "mo" | "mn" | "ms" | "mtext")
                || (is_annotation(element) && element.attrs.iter().any(is_markup))
        }
    }
}

pub(super) fn is_annotation(element: &Element) -> bool {
    element.namespace == Namespace::MathMl && element.tag.as_str() == "annotation-xml"
}

/// Whether the parser leaves SVG and MathML at this tag, however deep it is in them.
pub(super) fn leaves_foreign(element: &Element) -> bool {
    let is_old_font = |attr: &Attr| matches!(attr.name.as_str(), "color" | "face" | "size");
    if element.tag.as_str() == "font" {
        return element.attrs.iter().any(is_old_font);
    }
    matches!(
        element.tag.as_str(),
        "b" | "big"
            | "blockquote"
            | "body"
            | "br"
            | "center"
            | "code"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "em"
            | "embed"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "hr"
            | "i"
            | "img"
            | "li"
            | "listing"
            | "menu"
            | "meta"
            | "nobr"
            | "ol"
            | "p"
            | "pre"
            | "ruby"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "strike"
            | "sub"
            | "sup"
            | "table"
            | "tt"
            | "u"
            | "ul"
            | "var"
    )
}
