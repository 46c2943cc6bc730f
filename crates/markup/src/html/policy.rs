//! The deny-list: what import removes from HTML because it can run code, by element and by attribute. It applies in every
//! namespace: a `<script>` in SVG runs like any other, and an element that is harmless in one place may be moved to another.
//!
//! | removed | why |
//! | --- | --- |
//! | `script` | it is code; scripts are code assets of the site, with a capability of their own |
//! | `object`, `embed`, `applet` | they load documents and plug-ins that run code |
//! | `base` | it redirects every relative address, including those of the site's own scripts |
//! | `plaintext` | it swallows the rest of the page and cannot be closed |
//! | every `on…` attribute | it is code |
//! | `srcdoc` | it is a whole document that is not checked |
//! | addresses with a scheme that runs code or carries a document: `javascript:`, `vbscript:`, `data:`, `blob:` and a few obsolete ones, in every attribute that holds an address, `srcset`, `ping`, a refresh, the values of SVG animations | following or loading them runs code |
//! | of these, the address of a link, which is replaced by `#` | without one, CSS and the keyboard do not treat it as a link |
//! | a refresh to another site | it takes visitors away, to a page that may look like the site's own sign-in |
//! | text with a `<` in `xmp`, `iframe`, `noembed`, `noframes` | it is written without escapes, so it would turn into elements if the parser met it elsewhere, as in SVG or a `noscript`; browsers do not show it, except in the obsolete `xmp` |
//! | of comments, each `<`, which is replaced by `&lt;` | in an element whose content the parser reads as text, such as a `noscript`, a comment is no comment and a tag in it would be one |
//!
//! | kept | why |
//! | --- | --- |
//! | `data:image/…`, `audio/…`, `video/…` where an element only shows or plays them | images do not run scripts there, not even SVG |
//! | `iframe` with an address on the web | its page has another origin; the renderer gives it a `sandbox` that keeps it from taking visitors elsewhere |
//! | forms, `link`, other `meta`, custom elements, unknown attributes | they run nothing by themselves |
//! | `style` attributes and `<style>` | CSS cannot run code in current browsers; it is passed to the CSS importer |

use std::borrow::Cow;

use super::url::{
    Inline, refresh_leads_elsewhere, refused_in_refresh, refused_in_srcset, refused_scheme,
};
use crate::{Attr, Element};

/// Whether elements with this tag are removed, in any namespace.
pub fn refuses_element(tag: &str) -> bool {
    ["script", "object", "embed", "applet", "base", "plaintext"]
        .iter()
        .any(|refused| tag.eq_ignore_ascii_case(refused))
}

/// Why an attribute is refused on an element, or `None`. The element must have all its attributes, because one can change what
/// another means; names are compared as the parser does, without regard to case.
pub fn refuses_attr(element: &Element, attr: &Attr) -> Option<String> {
    let sibling = |name: &str| {
        let mut attrs = element.attrs.iter();
        attrs
            .find(|attr| attr.name.as_str().eq_ignore_ascii_case(name))
            .map(|attr| attr.value.as_str())
    };
    refused_attr(
        element.tag.as_str(),
        attr.name.as_str(),
        &attr.value,
        sibling,
    )
}

/// Why an attribute is refused on an element with this tag; the callback looks up its other attributes.
pub(super) fn refused_attr<'a>(
    tag: &str,
    name: &str,
    value: &str,
    sibling: impl Fn(&str) -> Option<&'a str>,
) -> Option<String> {
    let full = lower(name);
    let tag = &lower(tag);
    if (full.starts_with("on") && full.len() > 2) || full == "srcdoc" {
        return Some(full.into_owned());
    }
    let local = full.rsplit(':').next().unwrap_or(&full);
    let scheme = match Reading::of(tag, local)? {
        Reading::Address => refused_scheme(value, inline(tag, local, &sibling)),
        Reading::Addresses => value
            .split_ascii_whitespace()
            .find_map(|url| refused_scheme(url, Inline::Nothing)),
        Reading::Srcset => refused_in_srcset(value),
        Reading::Animation => value
            .split(';')
            .find_map(|url| refused_scheme(url, Inline::Nothing)),
        Reading::Refresh => {
            let is_refresh = sibling("http-equiv")
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"));
            if !is_refresh {
                return None;
            }
            if refresh_leads_elsewhere(value) {
                return Some("a refresh to another site".to_owned());
            }
            refused_in_refresh(value)
        }
    }?;
    Some(format!("{full} with a {scheme}: address"))
}

/// Borrows in the common case that the name is already in lower case.
fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// How the value of an attribute contains addresses.
enum Reading {
    Address,
    Addresses,
    Srcset,
    Animation,
    Refresh,
}

impl Reading {
    fn of(tag: &str, local: &str) -> Option<Self> {
        match local {
            "href" | "src" | "action" | "formaction" | "poster" | "data" | "cite"
            | "background" | "longdesc" | "manifest" | "profile" | "usemap" | "classid"
            | "codebase" | "code" | "icon" | "dynsrc" | "lowsrc" | "definitionurl" | "altimg"
            | "base" => Some(Self::Address),
            "ping" | "archive" | "attributionsrc" => Some(Self::Addresses),
            "srcset" | "imagesrcset" => Some(Self::Srcset),
            "values" | "from" | "to" | "by" => Some(Self::Animation),
            "content" if tag == "meta" => Some(Self::Refresh),
            _ => None,
        }
    }
}

fn inline<'a>(tag: &str, local: &str, sibling: &impl Fn(&str) -> Option<&'a str>) -> Inline {
    let shows = match (tag, local) {
        ("img" | "image" | "feimage" | "audio" | "video" | "source" | "input", "src" | "href") => {
            true
        }
        ("link", "href") => sibling("rel").is_some_and(|rel| {
            rel.split_ascii_whitespace()
                .any(|word| word.to_ascii_lowercase().ends_with("icon"))
        }),
        (_, "poster" | "background" | "dynsrc" | "lowsrc") => true,
        _ => false,
    };
    if shows {
        Inline::Media
    } else {
        Inline::Nothing
    }
}

/// Replaces the address of a link when it is removed.
pub(super) const NOWHERE: &str = "#";

/// Whether an attribute makes an element with this tag a link.
pub(super) fn is_link(tag: &str, name: &str) -> bool {
    matches!(tag, "a" | "area") && matches!(name, "href" | "xlink:href")
}

/// Whether the text of an element is written without escapes.
pub fn is_raw_text(tag: &str) -> bool {
    matches!(
        tag,
        "style" | "script" | "xmp" | "iframe" | "noembed" | "noframes" | "plaintext"
    )
}
