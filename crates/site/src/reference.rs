//! References: an address that knows its target, so that it follows when the target moves.
//!
//! An address stays as it was written as long as it leads to its target. `/` never gets a target: it means the home page,
//! whichever page that is.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::{BodyId, Element, Facts, Forest, Kind, Node, NodeId, Reference, Site, Tree};

/// An attribute that refers to something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referrer {
    pub body: BodyId,
    pub node: NodeId,
    pub attr: String,
}

/// The address of a target.
pub(crate) enum Address {
    At(String),
    /// The target no longer exists.
    Gone,
    /// Only the host knows the address.
    Unknown,
}

impl Site {
    /// Every attribute in open documents that leads to the target, by reference or by its written address.
    pub fn referrers(&self, target: &Reference) -> Vec<Referrer> {
        let address = match target {
            Reference::Page { id } if !self.is_home(*id) => Some(self.permalink(*id)),
            Reference::Page { .. } | Reference::Entry { .. } | Reference::Media { .. } => None,
        };
        let mut referrers = Vec::new();
        let documents = self.shell.pages.iter().map(|(id, _)| id);
        let documents = documents.chain(self.shell.components.iter().map(|(id, _)| id));
        for (body, tree) in documents.filter_map(|id| Some((id, self.bodies.get(&id)?))) {
            for (node, element) in elements(tree) {
                let pointing = element.attrs.iter().filter(|attr| match &attr.target {
                    Some(known) => **known == *target,
                    None => {
                        is_link(element, attr.name.as_str())
                            && address.as_ref().is_some_and(|to| leads_to(&attr.value, to))
                    }
                });
                referrers.extend(pointing.map(|attr| Referrer {
                    body,
                    node,
                    attr: attr.name.as_str().to_owned(),
                }));
            }
        }
        referrers
    }

    /// Sets the target of every link in a forest that leads to a page of the site.
    pub(crate) fn aim(&self, from: BodyId, forest: &mut Forest) {
        let mut pages: Option<HashMap<String, BodyId>> = None;
        for planted in &mut forest.0 {
            let Node {
                kind: Kind::Element(element),
                ..
            } = &mut planted.node
            else {
                continue;
            };
            let tag = element.tag.as_str().to_owned();
            for attr in &mut element.attrs {
                if !is_link_name(&tag, attr.name.as_str()) || !attr.value.starts_with('/') {
                    continue;
                }
                let pages = pages.get_or_insert_with(|| self.pages_by_address(from));
                attr.target = pages
                    .get(plain(path_of(&attr.value)).as_ref())
                    .map(|id| Box::new(Reference::Page { id: *id }));
            }
        }
    }

    /// The page that a link of an element leads to.
    pub(crate) fn target_of(
        &self,
        from: BodyId,
        element: &Element,
        (name, value): (&str, &str),
    ) -> Option<Reference> {
        if !is_link(element, name) || !value.starts_with('/') {
            return None;
        }
        let pages = self.pages_by_address(from);
        let id = *pages.get(plain(path_of(value)).as_ref())?;
        Some(Reference::Page { id })
    }

    /// The pages by their address, without the home page. If two share an address, the one in the language of the document
    /// wins.
    fn pages_by_address(&self, from: BodyId) -> HashMap<String, BodyId> {
        let locale = |id: BodyId| {
            self.shell
                .pages
                .get(id)
                .and_then(|page| page.locale.as_ref())
        };
        let own = locale(from);
        let mut pages: HashMap<String, BodyId> = HashMap::new();
        let listed = self.shell.pages.iter();
        for (id, _) in listed.filter(|(id, page)| page.template.is_none() && !self.is_home(*id)) {
            let address = self.permalink(id);
            if locale(id) == own || !pages.contains_key(&address) {
                pages.insert(address, id);
            }
        }
        pages
    }

    fn is_home(&self, id: BodyId) -> bool {
        self.permalink(id) == "/"
    }

    pub(crate) fn address_of(&self, target: &Reference, facts: &Facts) -> Address {
        match target {
            Reference::Page { id } => match self.shell.pages.get(*id) {
                Some(_) => Address::At(self.permalink(*id)),
                None => Address::Gone,
            },
            Reference::Entry { .. } | Reference::Media { .. } => {
                match facts.addresses.get(target) {
                    Some(Some(address)) => Address::At(address.clone()),
                    Some(None) => Address::Gone,
                    None => Address::Unknown,
                }
            }
        }
    }

    /// The element with the current addresses of its targets, as far as the site itself knows them.
    pub(crate) fn readdressed<'e>(&self, element: &'e Element) -> Cow<'e, Element> {
        if element.attrs.iter().all(|attr| attr.target.is_none()) {
            return Cow::Borrowed(element);
        }
        let mut element = element.clone();
        for attr in &mut element.attrs {
            let target = attr.target.as_deref();
            let address = target.map(|target| self.address_of(target, &Facts::default()));
            if let Some(Address::At(address)) = address {
                attr.value = spelled(&attr.value, &address).into_owned();
            }
        }
        Cow::Owned(element)
    }
}

/// How a link to an address is written: unchanged as long as it leads there. A query and a fragment are kept.
pub(crate) fn spelled<'v>(written: &'v str, address: &str) -> Cow<'v, str> {
    if leads_to(written, address) {
        return Cow::Borrowed(written);
    }
    let behind = &written[path_of(written).len()..];
    Cow::Owned(format!("{address}{behind}"))
}

fn elements(tree: &Tree) -> impl Iterator<Item = (NodeId, &Element)> {
    tree.walk(tree.root())
        .filter_map(|id| match &tree.node(id)?.kind {
            Kind::Element(element) => Some((id, element)),
            Kind::Text(_)
            | Kind::Comment(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => None,
        })
}

fn is_link(element: &Element, name: &str) -> bool {
    is_link_name(element.tag.as_str(), name)
}

fn is_link_name(tag: &str, name: &str) -> bool {
    matches!(tag, "a" | "area") && name == "href"
}

fn leads_to(written: &str, address: &str) -> bool {
    *plain(path_of(written)) == *plain(address)
}

/// The address without query and fragment.
fn path_of(address: &str) -> &str {
    &address[..address.find(['?', '#']).unwrap_or(address.len())]
}

/// A path in normal form: without a trailing slash, and percent-decoded.
pub(crate) fn plain(path: &str) -> Cow<'_, str> {
    let path = match path.strip_suffix('/') {
        Some("") | None => path,
        Some(path) => path,
    };
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            _ => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).map_or(Cow::Borrowed(path), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn a_spelling_stays_while_it_leads_there_and_what_follows_the_path_stays_always() {
        for (written, address, expected) in [
            ("/about", "/about", "/about"),
            ("/about/", "/about", "/about/"),
            ("/about?a=1#team", "/about", "/about?a=1#team"),
            ("/%C3%BCber-uns", "/über-uns", "/%C3%BCber-uns"),
            ("/about?a=1#team", "/us", "/us?a=1#team"),
            ("/about/#team", "/us/team", "/us/team#team"),
            ("about.html#x", "/about", "/about#x"),
            ("/%ff", "/x", "/x"),
            ("#top", "/", "/#top"),
        ] {
            assert_eq!(spelled(written, address), expected, "{written} {address}");
        }
    }
}
