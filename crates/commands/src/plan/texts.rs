//! Words, links and pictures.

use serde_json::json;

use super::super::find::{Finder, Hit, What, normal};
use super::super::markup;
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{Source, Target};
use super::super::site_view::Spot;
use super::{Outcome, Planned, Planner};

const WORDS: &[What] = &[
    What::Heading,
    What::Text,
    What::Button,
    What::Link,
    What::MenuItem,
    What::Item,
    What::Section,
];

/// Tags whose text is a prop of theirs.
const WITH_TEXT: &[&str] = &[
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "span",
    "small",
    "strong",
    "em",
    "figcaption",
    "li",
    "td",
    "th",
    "a",
    "button",
    "option",
];

impl Planner<'_> {
    /// Changes the text that stands directly in an element.
    pub(super) fn set_text(&mut self, spot: Spot, text: &str) {
        let doc = self.view.document(spot);
        let node = &doc.nodes[spot.node];
        let only_text = node
            .children
            .iter()
            .all(|child| doc.nodes[*child].tag.is_empty());
        if WITH_TEXT.contains(&node.tag.as_str()) && only_text {
            self.props(spot, json!({ "text": text }));
        } else {
            let elements = node
                .children
                .iter()
                .filter(|child| !doc.nodes[**child].tag.is_empty());
            let rest: String = elements
                .map(|child| markup::html_of(&doc.nodes, *child))
                .collect();
            let html = format!("{}{rest}", markup::escaped(text));
            let uid = node.uid.clone();
            self.call("replaceNodeHtml", json!({ "nodeId": uid, "html": html }));
        }
        self.view.documents[spot.document].set_text(spot.node, text);
    }

    /// The element in a thing that has its words: of a card its title, of a paragraph with a link the link.
    fn worded(&self, hit: Hit) -> Spot {
        let doc = self.view.document(hit.spot);
        if !doc.own_text(hit.spot.node).is_empty() {
            return hit.spot;
        }
        let inside = doc.walk(hit.spot.node).into_iter();
        let mut inside =
            inside.filter(|at| !doc.nodes[*at].tag.is_empty() && !doc.own_text(*at).is_empty());
        inside
            .next()
            .map_or(hit.spot, |node| Spot { node, ..hit.spot })
    }

    pub(super) fn text(&mut self, what: &Phrase, to: &str) -> Planned<Outcome> {
        let hits = match self.hits(what, WORDS) {
            Err(Outcome::Refused(_))
                if matches!(what.noun, Some(Noun::Phone | Noun::Email | Noun::Address))
                    && what.within.is_empty() =>
            {
                return Err(self.only_elsewhere(what));
            }
            Err(Outcome::Refused(why)) => {
                self.in_layout(what, WORDS).ok_or(Outcome::Refused(why))?
            }
            other => other?,
        };
        if hits.len() > 1 && what.is_pronoun {
            self.picked(hits.clone(), what)?;
        }
        let mut done = Vec::new();
        for hit in &hits {
            if hit.what == What::Page {
                let page = Phrase {
                    noun: Some(Noun::Page),
                    ..what.clone()
                };
                return self.rename(&page, to);
            }
            if hit.what == What::Section && what.noun != Some(Noun::Kind("footer")) {
                let heading = self
                    .finder()
                    .heading_of(hit.spot)
                    .ok_or_else(|| self.nothing(what))?;
                done.push(self.reword(heading.spot, to));
                continue;
            }
            if hit.what == What::Section {
                // The footer has several texts; the one that the new one is a version of is meant.
                let spot = self
                    .version_of(*hit, to)
                    .ok_or_else(|| self.nothing(what))?;
                done.push(self.reword(spot, to));
                continue;
            }
            let spot = self.worded(*hit);
            let sign = price_sign(what, &self.view.document(spot).own_text(spot.node), to);
            done.push(self.reword(spot, &sign));
        }
        self.spoken.hits = hits;
        Ok(Outcome::Done(done.join(" ")))
    }

    /// The one thing in the template around all pages that is called so, when nothing on the page is.
    fn in_layout(&self, what: &Phrase, order: &[What]) -> Option<Vec<Hit>> {
        if !what.within.is_empty() || what.name.is_none() {
            return None;
        }
        let there = Finder {
            here: self.view.layout()?,
            ..self.finder()
        };
        let hits = there.preferred(there.find(what), order);
        (hits.len() == 1).then_some(hits)
    }

    /// Says where else a thing is that is not on the page in front.
    fn only_elsewhere(&self, what: &Phrase) -> Outcome {
        let everywhere = Phrase {
            within: vec![Phrase::of_noun(Noun::Everything, "everywhere")],
            many: Many::All,
            ..what.clone()
        };
        let hits = self.finder().find(&everywhere);
        let choices: Vec<String> = hits.iter().map(|hit| self.label(*hit)).collect();
        if choices.is_empty() {
            return self.nothing(what);
        }
        Outcome::Asked {
            question: format!(
                "“{}” is not on this page. Which one do you mean?",
                what.said
            ),
            choices,
        }
    }

    fn version_of(&self, hit: Hit, to: &str) -> Option<Spot> {
        let doc = self.view.document(hit.spot);
        let texts = doc
            .walk(hit.spot.node)
            .into_iter()
            .filter(|at| doc.nodes[*at].tag == "p");
        let same_start = |at: &usize| {
            normal(&doc.own_text(*at)).split(' ').next() == normal(to).split(' ').next()
                && to.starts_with('©') == doc.own_text(*at).starts_with('©')
        };
        let found: Vec<usize> = texts.filter(same_start).collect();
        match found.as_slice() {
            [only] => Some(Spot {
                node: *only,
                ..hit.spot
            }),
            _ => None,
        }
    }

    /// Changes a text, and where a mail address leads with it.
    fn reword(&mut self, spot: Spot, to: &str) -> String {
        let old = self.view.document(spot).own_text(spot.node);
        let href = self
            .view
            .node(spot)
            .attr("href")
            .unwrap_or_default()
            .to_owned();
        self.set_text(spot, to);
        if href == format!("mailto:{old}") {
            self.props(spot, json!({ "href": format!("mailto:{to}") }));
        }
        format!("“{old}” says “{to}” now.")
    }

    pub(super) fn replace(
        &mut self,
        (old, is_quoted): (&str, bool),
        new: &str,
        within: Option<&Phrase>,
        all: bool,
    ) -> Planned<Outcome> {
        let scope = match within {
            Some(within) => self.scoped(within)?,
            None => self.leaves(self.here),
        };
        let mut found = self.containing(&scope, old);
        if found.is_empty() && within.is_none() {
            let layout: Vec<Spot> = self
                .view
                .layout()
                .map(|at| self.leaves(at))
                .unwrap_or_default();
            found = self.containing(&layout, old);
        }
        if found.is_empty() && within.is_none() {
            return Err(self.replace_elsewhere(old, is_quoted));
        }
        if found.is_empty() {
            return Err(Outcome::Refused(format!("I cannot find “{old}” there.")));
        }
        let hits: Vec<Hit> = found
            .iter()
            .map(|spot| Hit {
                what: self.finder().what(*spot),
                spot: *spot,
            })
            .collect();
        let hits = if hits.len() > 1 && !all {
            self.picked(hits, &Phrase::called(old))?
        } else {
            hits
        };
        let mut done = Vec::new();
        for hit in &hits {
            let text = self.view.document(hit.spot).own_text(hit.spot.node);
            let Some(text) = replaced(&text, old, new) else {
                return Err(Outcome::Refused(format!("I cannot find “{old}” there.")));
            };
            done.push(self.reword(hit.spot, &text));
        }
        self.spoken.hits = hits;
        Ok(Outcome::Done(done.join(" ")))
    }

    /// Says where else a text is; it is not changed on pages that nobody named.
    fn replace_elsewhere(&self, old: &str, is_quoted: bool) -> Outcome {
        let mut choices = Vec::new();
        for (at, _) in self.view.pages() {
            for spot in self.containing(&self.leaves(at), old) {
                choices.push(self.label(Hit {
                    what: self.finder().what(spot),
                    spot,
                }));
            }
        }
        let here = &self.view.documents[self.here].title;
        if choices.is_empty() {
            let hint = if is_quoted {
                ""
            } else {
                " Put the words in quotes as they stand on the page."
            };
            return Outcome::Refused(format!("I cannot find “{old}” on {here}.{hint}"));
        }
        choices.truncate(super::CHOICES_MAX);
        Outcome::Asked {
            question: format!(
                "“{old}” is not on {here}, but elsewhere. Which one do you mean? Say “on the … page”."
            ),
            choices,
        }
    }

    /// Elements with a text of their own, in a document.
    fn leaves(&self, document: usize) -> Vec<Spot> {
        let doc = &self.view.documents[document];
        let found = doc
            .elements()
            .into_iter()
            .filter(|at| !doc.own_text(*at).is_empty());
        found.map(|node| Spot { document, node }).collect()
    }

    fn scoped(&self, within: &Phrase) -> Planned<Vec<Spot>> {
        if let Some(documents) = self.finder().documents_of(within) {
            return Ok(documents
                .into_iter()
                .flat_map(|at| self.leaves(at))
                .collect());
        }
        let hits = self.hits(within, &[What::Section, What::Item, What::Page])?;
        let mut found = Vec::new();
        for hit in hits {
            let doc = self.view.document(hit.spot);
            let inside = doc
                .walk(hit.spot.node)
                .into_iter()
                .filter(|at| !doc.nodes[*at].tag.is_empty() && !doc.own_text(*at).is_empty());
            found.extend(inside.map(|node| Spot { node, ..hit.spot }));
        }
        Ok(found)
    }

    /// The elements whose text is this, or else those that hold it.
    fn containing(&self, spots: &[Spot], old: &str) -> Vec<Spot> {
        let text = |spot: &Spot| self.view.document(*spot).own_text(spot.node);
        let equal: Vec<Spot> = spots
            .iter()
            .copied()
            .filter(|spot| normal(&text(spot)) == normal(old))
            .collect();
        if !equal.is_empty() {
            return equal;
        }
        spots
            .iter()
            .copied()
            .filter(|spot| replaced(&text(spot), old, "").is_some())
            .collect()
    }

    pub(super) fn link(&mut self, what: &Phrase, target: &Target) -> Planned<Outcome> {
        let address = self.address(target)?;
        let order = &[
            What::Button,
            What::Link,
            What::MenuItem,
            What::Text,
            What::Heading,
            What::Image,
        ];
        let hits = match self.hits(what, order) {
            Err(Outcome::Refused(why)) => {
                self.in_layout(what, order).ok_or(Outcome::Refused(why))?
            }
            other => other?,
        };
        let mut done = Vec::new();
        for hit in &hits {
            let mut spot = hit.spot;
            let doc = self.view.document(spot);
            if doc.nodes[spot.node].tag != "a" {
                let mut inside = doc.walk(spot.node).into_iter();
                match inside.find(|at| doc.nodes[*at].tag == "a") {
                    Some(node) => spot.node = node,
                    None => {
                        return Err(Outcome::Refused(format!(
                            "{} is no link, and I cannot make it one.",
                            self.finder().name(*hit)
                        )));
                    }
                }
            }
            let name = self.finder().name(*hit);
            self.props(spot, json!({ "href": address }));
            self.view.documents[spot.document].set_attr(spot.node, "href", &address);
            done.push(format!("{name} leads to {address} now."));
        }
        self.spoken.hits = hits;
        Ok(Outcome::Done(done.join(" ")))
    }

    pub(super) fn tag(&mut self, what: &Phrase, level: u8) -> Planned<Outcome> {
        let hit = self.hit(what, &[What::Heading, What::Text])?;
        if !matches!(hit.what, What::Heading | What::Text) {
            return Err(self.nothing(what));
        }
        let name = self.finder().name(hit);
        self.props(hit.spot, json!({ "tag": format!("h{level}") }));
        Ok(Outcome::Done(format!(
            "{name} is a heading of level {level} now."
        )))
    }

    pub(super) fn alt(&mut self, what: &Phrase, text: &str) -> Planned<Outcome> {
        let hit = self.hit(what, &[What::Image])?;
        if hit.what != What::Image {
            return Err(self.nothing(what));
        }
        let name = self.finder().name(hit);
        self.props(hit.spot, json!({ "alt": text }));
        self.spoken.hits = vec![hit];
        Ok(Outcome::Done(if text.is_empty() {
            format!("{name} has no alt text any more, as a decoration.")
        } else {
            format!("The alt text of {name} is “{text}” now.")
        }))
    }

    pub(super) fn source(&mut self, what: &Phrase, source: &Source) -> Planned<Outcome> {
        let hit = self.hit(what, &[What::Image])?;
        if hit.what != What::Image {
            return Err(self.nothing(what));
        }
        let address = match source {
            Source::Address(address)
                if address.starts_with('/')
                    || address.starts_with("https://")
                    || address.starts_with("http://") =>
            {
                address.clone()
            }
            Source::Address(file) => self.picture(file)?,
            Source::Image(other) => {
                let other = match other
                    .name
                    .as_deref()
                    .filter(|name| super::super::words::is_address(name))
                {
                    Some(file) => return self.source(what, &Source::Address(file.to_owned())),
                    None => self.hit(other, &[What::Image])?,
                };
                self.view
                    .node(other.spot)
                    .attr("src")
                    .unwrap_or_default()
                    .to_owned()
            }
        };
        if address.contains(['"', '<', '>', ' ']) || address.is_empty() {
            return Err(Outcome::Refused(format!(
                "I cannot use “{address}” as the address of a picture."
            )));
        }
        let name = self.finder().name(hit);
        self.props(hit.spot, json!({ "src": address }));
        self.view.documents[hit.spot.document].set_attr(hit.spot.node, "src", &address);
        self.spoken.hits = vec![hit];
        Ok(Outcome::Done(format!(
            "The picture {name} is {address} now. Its alt text stays; change it if it does not fit."
        )))
    }

    /// The address of a picture that the site shows under this file name.
    fn picture(&self, file: &str) -> Planned<String> {
        let ending = format!("/{file}");
        let mut found: Vec<String> = Vec::new();
        for doc in &self.view.documents {
            for at in doc.elements() {
                let source = doc.nodes[at].attr("src").unwrap_or_default();
                if source.ends_with(&ending) && !found.iter().any(|known| known == source) {
                    found.push(source.to_owned());
                }
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            _ => Err(Outcome::Refused(format!(
                "I cannot find a picture “{file}”: I do not look into the library. Give its address, beginning with /."
            ))),
        }
    }
}

/// The text with the old words replaced; the year of a copyright line when they are its sign. Nothing when they are not in it.
fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    if old == "©" {
        let year = text
            .split(|c: char| !c.is_ascii_digit())
            .find(|digits| digits.len() == 4)?;
        return text.contains('©').then(|| text.replacen(year, new, 1));
    }
    if normal(text) == normal(old) {
        return Some(new.to_owned());
    }
    let at = text.find(old).or_else(|| {
        let (lower, wanted) = (text.to_lowercase(), old.to_lowercase());
        lower.find(&wanted).filter(|_| lower.len() == text.len())
    })?;
    let (before, after) = (&text[..at], text.get(at + old.len()..)?);
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    // Words, not parts of words.
    (is_edge(before.chars().last()) && is_edge(after.chars().next()))
        .then(|| format!("{before}{new}{after}"))
}

/// A price with the sign that the old one has, when it was said without one.
fn price_sign(what: &Phrase, old: &str, to: &str) -> String {
    let sign = old.chars().next().filter(|c| matches!(c, '£' | '$' | '€'));
    match sign {
        Some(sign)
            if what.noun == Some(Noun::Price) && to.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            format!("{sign}{to}")
        }
        _ => to.to_owned(),
    }
}
