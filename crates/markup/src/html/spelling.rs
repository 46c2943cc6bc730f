//! The names under which the HTML parser creates elements. A tag in any other spelling is read as a different element than the
//! one that was checked: `TITLE` becomes `title`, and `foreignobject` in SVG becomes `foreignObject`, whose content is HTML.

use crate::{Element, Namespace};

/// The tags of SVG that the parser writes with capitals.
const SVG_CAPITALS: [&str; 37] = [
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];

/// The tag under which the parser creates an element that is written with this tag, if that is another one.
pub fn parser_spelling(element: &Element) -> Option<String> {
    let tag = element.tag.as_str();
    let spelled = match element.namespace {
        // The parser reads this tag as a common mistake for `img`.
        Namespace::Html if tag.eq_ignore_ascii_case("image") => "img".to_owned(),
        Namespace::Html | Namespace::MathMl => tag.to_ascii_lowercase(),
        Namespace::Svg => SVG_CAPITALS
            .iter()
            .find(|known| known.eq_ignore_ascii_case(tag))
            .map_or_else(|| tag.to_ascii_lowercase(), |known| (*known).to_owned()),
    };
    (spelled != tag).then_some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_spelled_as_the_parser_does() {
        for (namespace, tag, expected) in [
            (Namespace::Html, "title", None),
            (Namespace::Html, "TITLE", Some("title")),
            (Namespace::Html, "image", Some("img")),
            (Namespace::Html, "foreignObject", Some("foreignobject")),
            (Namespace::Svg, "foreignObject", None),
            (Namespace::Svg, "foreignobject", Some("foreignObject")),
            (Namespace::Svg, "FOREIGNOBJECT", Some("foreignObject")),
            (Namespace::Svg, "Title", Some("title")),
            (Namespace::Svg, "image", None),
            (Namespace::MathMl, "annotation-xml", None),
            (Namespace::MathMl, "Annotation-XML", Some("annotation-xml")),
        ] {
            let element = Element {
                tag: tag.into(),
                namespace,
                attrs: Vec::new(),
            };
            assert_eq!(parser_spelling(&element).as_deref(), expected, "{tag}");
        }
    }
}
