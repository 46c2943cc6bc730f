//! Which elements bring in CSS.

use crate::{Element, Namespace};

/// Whether an element links to a stylesheet that applies without a script or a choice by the visitor.
pub fn links_sheet(element: &Element) -> bool {
    let rel = element.attr("rel").unwrap_or_default();
    let has = |word: &str| {
        rel.split_ascii_whitespace()
            .any(|found| found.eq_ignore_ascii_case(word))
    };
    let written_as = element.attr("type").unwrap_or_default();
    element.namespace == Namespace::Html
        && element.tag.as_str() == "link"
        && has("stylesheet")
        && !has("alternate")
        && element.attr("disabled").is_none()
        && is_css_type(written_as)
}

/// Whether the `type` of a style or a link means CSS.
pub fn is_css_type(written_as: &str) -> bool {
    written_as.is_empty() || written_as.trim().eq_ignore_ascii_case("text/css")
}
