//! Finds what runs code in a page, as a browser that runs scripts reads it. Nothing is removed here: publishing compares what is
//! found with the code that someone was allowed to write.

use std::fmt;

use html5ever::{Attribute, LocalName};

use super::arena::{Arena, Data, Id};
use super::feed::{Scripting, parse};
use super::import::HtmlMode;
use super::limits::{HtmlError, HtmlLimits};
use super::plant::spelling;
use super::policy;
use super::url::leads_elsewhere;

/// Something in a page that runs code or that import would refuse.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoundCode {
    /// A script whose code is in the page.
    InlineScript { text: String },
    /// A script at an address.
    LinkedScript { address: String },
    /// An attribute that runs code: a handler, an address such as `javascript:`, a document in `srcdoc`.
    Attribute {
        tag: String,
        name: String,
        value: String,
    },
    /// Another element that documents may not have, such as `object` or `base`.
    Element { tag: String },
}

impl fmt::Display for FoundCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InlineScript { .. } => write!(formatter, "a script"),
            Self::LinkedScript { address } => write!(formatter, "a script at `{address}`"),
            Self::Attribute { tag, name, .. } => write!(formatter, "`{name}` on `{tag}`"),
            Self::Element { tag } => write!(formatter, "the element `{tag}`"),
        }
    }
}

/// Limits for a page that was rendered here: loops and components make it larger than anything that is imported.
pub fn rendered_page_limits() -> HtmlLimits {
    HtmlLimits {
        bytes: 512_000_000,
        nodes: 4_000_000,
        depth: 65_536,
        attributes: 4_096,
    }
}

/// What a page brings, as a browser that runs scripts reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageScan {
    /// What runs code, in order.
    pub code: Vec<FoundCode>,
    /// The addresses of pages on other sites that are shown in frames.
    pub frames_elsewhere: Vec<String>,
    /// The addresses on other sites that forms are sent to.
    pub forms_elsewhere: Vec<String>,
}

/// What runs code in a page, in order. Blocks of data in script elements, such as structured data for search engines, are none.
pub fn find_code(html: &str, limits: &HtmlLimits) -> Result<Vec<FoundCode>, HtmlError> {
    scan_page(html, limits).map(|scan| scan.code)
}

/// Reads a page as a browser that runs scripts does.
pub fn scan_page(html: &str, limits: &HtmlLimits) -> Result<PageScan, HtmlError> {
    let arena = parse(html, &HtmlMode::Document, limits, Scripting::On)?;
    let mut scan = PageScan::default();
    for id in arena.ids() {
        let Data::Element { name, attrs, .. } = arena.data(id) else {
            continue;
        };
        scan.code
            .extend(code_of_element(&arena, id, &name.local, attrs));
        for attr in attrs {
            scan.code
                .extend(code_of_attribute(&name.local, attr, attrs));
            let list = match (&*name.local, &*attr.name.local) {
                ("iframe" | "frame", "src") => &mut scan.frames_elsewhere,
                ("form", "action") | (_, "formaction") => &mut scan.forms_elsewhere,
                _ => continue,
            };
            if leads_elsewhere(&attr.value) {
                list.push(attr.value.to_string());
            }
        }
    }
    Ok(scan)
}

fn code_of_element(
    arena: &Arena,
    id: Id,
    tag: &LocalName,
    attrs: &[Attribute],
) -> Option<FoundCode> {
    if !policy::refuses_element(tag) {
        return None;
    }
    if !str::eq_ignore_ascii_case(tag, "script") {
        return Some(FoundCode::Element {
            tag: tag.to_ascii_lowercase().to_string(),
        });
    }
    if is_data(attrs) {
        return None;
    }
    let address = attrs
        .iter()
        .find(|attr| matches!(&*attr.name.local, "src" | "href"));
    Some(match address {
        Some(address) => FoundCode::LinkedScript {
            address: address.value.to_string(),
        },
        None => FoundCode::InlineScript {
            text: text_of(arena, id),
        },
    })
}

fn code_of_attribute(tag: &str, attr: &Attribute, attrs: &[Attribute]) -> Option<FoundCode> {
    let name = spelling(&attr.name);
    let sibling = |name: &str| {
        let mut attrs = attrs.iter();
        attrs
            .find(|attr| str::eq_ignore_ascii_case(&attr.name.local, name))
            .map(|attr| &*attr.value)
    };
    policy::refused_attr(tag, name.as_str(), &attr.value, sibling)?;
    Some(FoundCode::Attribute {
        tag: tag.to_owned(),
        name: name.as_str().to_owned(),
        value: attr.value.to_string(),
    })
}

/// Whether a script element is a block of data, which browsers do not run.
fn is_data(attrs: &[Attribute]) -> bool {
    let kind = attrs.iter().find(|attr| &*attr.name.local == "type");
    kind.is_some_and(|kind| {
        let kind = kind.value.trim().to_ascii_lowercase();
        let runs = kind.is_empty()
            || kind.contains("script")
            || matches!(&*kind, "module" | "importmap" | "speculationrules");
        !runs
    })
}

fn text_of(arena: &Arena, id: Id) -> String {
    let mut text = String::new();
    for child in arena.children(id) {
        if let Data::Text(part) = arena.data(child) {
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expected: &[&str]) {
        let found = find_code(html, &rendered_page_limits()).unwrap_or_default();
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn code_is_found_as_a_browser_reads_the_page() {
        check("<p title='<script>'>a < b &lt;script></p>", &[]);
        check("<SCRIPT>x()</SCRIPT>", &["a script"]);
        check("<script src=/a.js></script>", &["a script at `/a.js`"]);
        check(
            "<svg><script href=/a.js></script></svg>",
            &["a script at `/a.js`"],
        );
        check("<script type='application/ld+json'>{}</script>", &[]);
        check("<script type=module>x</script>", &["a script"]);
        check("<p onclick=x>", &["`onclick` on `p`"]);
        check("<a href='java&Tab;script:x'>", &["`href` on `a`"]);
        check("<object data=x></object>", &["the element `object`"]);
        check(
            "<template><img onerror=x></template>",
            &["`onerror` on `img`"],
        );
        check(
            "<meta content='0;url=//a' HTTP-EQUIV=refresh>",
            &["`content` on `meta`"],
        );
    }

    /// H3: with scripts, `noscript` holds text; without them, its comment would hide the picture.
    #[test]
    fn h3_the_page_is_read_with_scripts_on() {
        check(
            "<noscript><!-- </noscript><img src=x onerror=y> --></noscript>",
            &["`onerror` on `img`"],
        );
        check(
            "<noscript><xmp></noscript><img src=x onerror=y></xmp></noscript>",
            &["`onerror` on `img`"],
        );
        check("<noscript><img src=x onerror=y></noscript>", &[]);
    }
}
