//! The files that a document from outside refers to: its stylesheets and pictures.
//!
//! Nothing is fetched. The caller brings files by their paths; what the document refers to and nobody brought is listed.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_markup::css::replace_addresses;
use sitewright_markup::html::ImportedHtml;

use crate::reference::plain;
use crate::{Element, Kind, Node};

/// More missing files than this are not listed.
const MISSING_MAX: usize = 200;

/// A file that comes with a document.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFile {
    /// Its path from the document's folder, such as `css/site.css`.
    pub path: String,
    /// Its text, for a stylesheet.
    pub css: Option<String>,
    /// Its address on this site, for a picture that is in the library.
    pub url: Option<String>,
}

/// The files of a document by path, and what it refers to besides.
pub(crate) struct PageFiles<'f> {
    files: HashMap<&'f str, &'f PageFile>,
    missing: BTreeSet<String>,
    external_stylesheets: Vec<String>,
}

/// What a document refers to and nobody brought.
pub(crate) struct AbsentFiles {
    /// Files beside the document, by path.
    pub(crate) missing: Vec<String>,
    /// Stylesheets of other sites, which visitors go on loading from there.
    pub(crate) external_stylesheets: Vec<String>,
}

impl<'f> PageFiles<'f> {
    pub(crate) fn new(files: &'f [PageFile]) -> Self {
        let by_path = files.iter().map(|file| (file.path.as_str(), file));
        Self {
            files: by_path.collect(),
            missing: BTreeSet::new(),
            external_stylesheets: Vec::new(),
        }
    }

    /// Replaces the addresses of files that are on the site, in everything but linked stylesheets.
    pub(crate) fn place(&mut self, imported: &mut ImportedHtml) {
        for style in &mut imported.styles {
            style.text = replace_addresses(&style.text, &mut |address| self.url(address, ""));
        }
        let planted = &mut imported.content.0;
        planted
            .iter_mut()
            .for_each(|planted| self.place_node(&mut planted.node));
        if let Some(document) = &mut imported.document {
            self.place_node(&mut document.body);
            let head = &mut document.head_nodes.0;
            head.iter_mut()
                .for_each(|planted| self.place_node(&mut planted.node));
        }
    }

    /// The text of a linked stylesheet, with the addresses in it replaced; `None` if nobody brought it.
    pub(crate) fn css(&mut self, href: &str) -> Option<String> {
        let Some(path) = local_path("", href) else {
            match is_elsewhere(href.trim()) {
                true => self.external_stylesheets.push(href.to_owned()),
                false => self.miss(href.to_owned()),
            }
            return None;
        };
        let file = self.files.get(path.as_str()).copied();
        let Some(css) = file.and_then(|file| file.css.as_deref()) else {
            self.miss(path);
            return None;
        };
        Some(replace_addresses(css, &mut |address| {
            self.url(address, &path)
        }))
    }

    pub(crate) fn absent(self) -> AbsentFiles {
        AbsentFiles {
            missing: self.missing.into_iter().collect(),
            external_stylesheets: self.external_stylesheets,
        }
    }

    fn place_node(&mut self, node: &mut Node) {
        if let Some(style) = &mut node.style
            && style.contains("url(")
        {
            *style = replace_addresses(style, &mut |address| self.url(address, ""));
        }
        if let Kind::Element(element) = &mut node.kind {
            self.place_element(element);
        }
    }

    fn place_element(&mut self, element: &mut Element) {
        for at in 0..element.attrs.len() {
            let Some(role) = Role::of(element, element.attrs[at].name.as_str()) else {
                continue;
            };
            let written = element.attrs[at].value.as_str();
            let replacement = match role {
                Role::File => self.url(written, ""),
                Role::Candidates => self.srcset(written),
                Role::Link => self.known_url(&local_path("", written).unwrap_or_default()),
            };
            if let Some(replacement) = replacement {
                element.attrs[at].value = replacement;
            }
        }
    }

    /// The address on the site of a file that an address in the file at `base` leads to; one that nobody brought is noted.
    fn url(&mut self, address: &str, base: &str) -> Option<String> {
        let path = local_path(base, address)?;
        let known = self.known_url(&path);
        let Some(url) = known else {
            self.miss(path);
            return None;
        };
        let fragment = address.find('#').map_or("", |at| &address[at..]);
        Some(format!("{url}{fragment}"))
    }

    fn known_url(&self, path: &str) -> Option<String> {
        self.files.get(path)?.url.clone()
    }

    fn miss(&mut self, path: String) {
        if self.missing.len() < MISSING_MAX {
            self.missing.insert(path);
        }
    }

    /// A `srcset` with other addresses; `None` if none of them is replaced.
    fn srcset(&mut self, written: &str) -> Option<String> {
        // The comma of a data address does not separate candidates.
        if written.contains("data:") {
            return None;
        }
        let mut is_replaced = false;
        let mut candidates = Vec::new();
        for candidate in written.split(',').map(str::trim) {
            let end = candidate.find(char::is_whitespace);
            let (address, size) = candidate.split_at(end.unwrap_or(candidate.len()));
            match self.url(address, "") {
                Some(url) => {
                    is_replaced = true;
                    candidates.push(format!("{url}{size}"));
                }
                None => candidates.push(candidate.to_owned()),
            }
        }
        is_replaced.then(|| candidates.join(", "))
    }
}

/// What an attribute says about a file.
enum Role {
    /// The page loads it.
    File,
    /// The page loads one of several.
    Candidates,
    /// The page leads to it, or to another page.
    Link,
}

impl Role {
    fn of(element: &Element, name: &str) -> Option<Self> {
        let says = |attr: &str, wanted: &[&str]| {
            let value = element.attr(attr).unwrap_or_default();
            let mut words = value.split_ascii_whitespace();
            words.any(|word| wanted.iter().any(|known| word.eq_ignore_ascii_case(known)))
        };
        match (element.tag.as_str(), name) {
            ("img" | "source" | "video" | "audio" | "track" | "input", "src")
            | ("video", "poster")
            | ("image" | "feImage" | "use", "href" | "xlink:href")
            | (_, "background") => Some(Self::File),
            ("link", "href") => {
                says("rel", &["icon", "apple-touch-icon", "mask-icon"]).then_some(Self::File)
            }
            ("meta", "content") => {
                let is_picture =
                    says("property", &["og:image"]) || says("name", &["og:image", "twitter:image"]);
                is_picture.then_some(Self::File)
            }
            ("img" | "source", "srcset") => Some(Self::Candidates),
            ("a" | "area", "href") => Some(Self::Link),
            _ => None,
        }
    }
}

/// The path, from the document's folder, of the file that an address in the file at `base` leads to. `None` for what is not a file
/// in that folder: another site, data, a part of the page itself, a path that leads out.
fn local_path(base: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let file = &address[..address.find(['?', '#']).unwrap_or(address.len())];
    if file.is_empty() || is_elsewhere(file) {
        return None;
    }
    let mut parts: Vec<&str> = match file.starts_with('/') {
        true => Vec::new(),
        false => base.split('/').collect(),
    };
    // The last part is the file itself.
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| plain(&parts.join("/")).into_owned())
}

/// Whether an address names its own place, such as another site, instead of a path.
fn is_elsewhere(address: &str) -> bool {
    let path = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    path.contains(':') || address.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn an_address_leads_to_a_file_beside_the_document_or_to_none() {
        for (base, address, expected) in [
            ("", "a.css", Some("a.css")),
            ("", "./img/a%20b.png?v=1#x", Some("img/a b.png")),
            ("", "/img/a.png", Some("img/a.png")),
            ("css/deep/site.css", "../a.png", Some("css/a.png")),
            ("css/site.css", "a.png", Some("css/a.png")),
            ("css/site.css", "/a.png", Some("a.png")),
            ("css/site.css", "../../a.png", None),
            ("", "../a.png", None),
            ("", "https://example.com/a.png", None),
            ("", "//example.com/a.png", None),
            ("", "data:image/png;base64,AA", None),
            ("", "#part", None),
            ("", "?page=2", None),
            ("", " ", None),
            ("", "/", None),
        ] {
            assert_eq!(
                local_path(base, address).as_deref(),
                expected,
                "{address} in {base}"
            );
        }
    }
}
