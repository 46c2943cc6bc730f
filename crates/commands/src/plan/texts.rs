//! Plans changes of words, links and pictures.

use super::super::call::Call;
use super::super::draft::{Document, Spot, escape_html, html_of};
use super::super::find::{Hit, What, normal, preferred};
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{PictureSource, Replacement, Target};
use super::super::words::is_address;
use super::{Outcome, PlanResult, Planner, done, refuse};

const WORDS: &[What] = &[
    What::Heading,
    What::Text,
    What::Button,
    What::Link,
    What::MenuItem,
    What::Item,
    What::Section,
];

/// Tags whose text is a prop of the element.
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
    /// Changes the text directly in an element.
    pub(super) fn set_text(&mut self, spot: Spot, text: &str) {
        let doc = self.doc(spot.body);
        let mut elements = doc.children(spot.node);
        elements.retain(|child| doc.is_element(*child));
        if WITH_TEXT.contains(&doc.tag(spot.node)) && elements.is_empty() {
            return self.set_prop(spot, "text", text);
        }
        let forests = elements.iter().map(|child| doc.forest(*child));
        let rest: String = forests.map(|forest| html_of(&forest)).collect();
        self.call(Call::ReplaceNodeHtml {
            node_id: spot.node,
            html: format!("{}{rest}", escape_html(text)),
        });
    }

    /// The element within a thing that has its text: a card's title, or the link in a paragraph with one.
    fn text_spot(&self, spot: Spot) -> Spot {
        let doc = self.doc(spot.body);
        let first = doc.text_elements(spot.node).first().copied();
        doc.spot(first.unwrap_or(spot.node))
    }

    pub(super) fn text(&mut self, what: &Phrase, to: &str) -> PlanResult<Outcome> {
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
        let hits = if what.is_pronoun && hits.len() > 1 {
            self.choose(hits, what)?
        } else {
            hits
        };
        let mut words = Vec::new();
        for hit in &hits {
            let spot = match hit.what {
                What::Page => {
                    let page = Phrase {
                        noun: Some(Noun::Page),
                        ..what.clone()
                    };
                    return self.rename(&page, to);
                }
                // The footer has several texts; the one that begins like the new text is meant.
                What::Section if what.noun == Some(Noun::Kind("footer")) => {
                    self.version_of(hit.spot, to)
                }
                What::Section => self.finder().heading_of(hit.spot).map(|hit| hit.spot),
                _ => Some(self.text_spot(hit.spot)),
            };
            let spot = spot.ok_or_else(|| self.not_found(what))?;
            let old = self.finder().own_text(spot);
            let is_price = what.noun == Some(Noun::Price);
            words.push(match currency(&old).filter(|_| is_price) {
                Some(sign) if to.starts_with(|c: char| c.is_ascii_digit()) => {
                    self.reword(spot, &format!("{sign}{to}"))
                }
                _ => self.reword(spot, to),
            });
        }
        self.recent = hits;
        done(words.join(" "))
    }

    /// The only thing of this name in the template around all pages, when there is none on the page.
    fn in_layout(&self, what: &Phrase, order: &[What]) -> Option<Vec<Hit>> {
        if !what.within.is_empty() || what.name.is_none() {
            return None;
        }
        let there = self.finder().on(self.draft.layout()?.body);
        let hits = preferred(there.find(what), order);
        (hits.len() == 1).then_some(hits)
    }

    /// Asks which one is meant when a thing is only on other pages than the current one.
    fn only_elsewhere(&self, what: &Phrase) -> Outcome {
        let everywhere = Phrase {
            within: vec![Phrase::of_noun(Noun::Everything, "everywhere")],
            many: Many::All,
            ..what.clone()
        };
        let hits = self.finder().find(&everywhere);
        if hits.is_empty() {
            return self.not_found(what);
        }
        let said = &what.said;
        Outcome::Asked {
            question: format!("“{said}” isn’t on this page. Which one do you mean?"),
            choices: hits.iter().map(|hit| self.label(*hit)).collect(),
        }
    }

    /// The only text within a thing that begins with the same word.
    fn version_of(&self, spot: Spot, to: &str) -> Option<Spot> {
        let start = |text: &str| {
            let first = normal(text).split(' ').next().map(str::to_owned);
            (first, text.starts_with('©'))
        };
        let mut texts = self.finder().tagged(spot, "p");
        texts.retain(|hit| start(&self.finder().own_text(hit.spot)) == start(to));
        match texts.as_slice() {
            [only] => Some(only.spot),
            _ => None,
        }
    }

    /// Changes a text, and with it the link of a mail address.
    fn reword(&mut self, spot: Spot, to: &str) -> String {
        let old = self.finder().own_text(spot);
        let href = self.doc(spot.body).attr(spot.node, "href");
        self.set_text(spot, to);
        if href == format!("mailto:{old}") {
            self.set_prop(spot, "href", format!("mailto:{to}"));
        }
        format!("Changed “{old}” to “{to}”.")
    }

    pub(super) fn replace(&mut self, replacement: &Replacement) -> PlanResult<Outcome> {
        let Replacement {
            old, new, within, ..
        } = replacement;
        let mut found = match within {
            Some(within) => elements_with(&self.text_elements_in(within)?, old),
            None => elements_with(&text_elements_of(self.doc(self.here)), old),
        };
        if found.is_empty() && within.is_none() {
            let layout = self.draft.layout().map(text_elements_of);
            found = elements_with(&layout.unwrap_or_default(), old);
        }
        if found.is_empty() && within.is_none() {
            return Err(self.replace_elsewhere(replacement));
        }
        if found.is_empty() {
            return refuse(format!("I can’t find “{old}” there."));
        }
        let finder = self.finder();
        let mut hits: Vec<Hit> = found.iter().map(|spot| finder.hit(*spot)).collect();
        if hits.len() > 1 && !replacement.all {
            hits = self.choose(hits, &Phrase::called(old))?;
        }
        let mut words = Vec::new();
        for hit in &hits {
            let text = self.finder().own_text(hit.spot);
            match replace_words(&text, old, new) {
                Some(text) => words.push(self.reword(hit.spot, &text)),
                None => return refuse(format!("I can’t find “{old}” there.")),
            }
        }
        self.recent = hits;
        done(words.join(" "))
    }

    /// Says on which other pages a text occurs; it is not changed on pages that were not named.
    fn replace_elsewhere(&self, replacement: &Replacement) -> Outcome {
        let old = &replacement.old;
        let pages = self.draft.pages();
        let found = pages.flat_map(|doc| elements_with(&text_elements_of(doc), old));
        let labels = found.map(|spot| self.label(self.finder().hit(spot)));
        let choices: Vec<String> = labels.take(super::CHOICES_MAX).collect();
        let here = self.doc(self.here).title();
        if choices.is_empty() {
            let hint = if replacement.is_quoted {
                ""
            } else {
                " Put the words in quotes as they stand on the page."
            };
            return Outcome::Refused(format!("I can’t find “{old}” on {here}.{hint}"));
        }
        Outcome::Asked {
            question: format!(
                "“{old}” isn’t on {here}, but it is elsewhere. Which one do you mean? Say “on the … page”."
            ),
            choices,
        }
    }

    /// The elements with text in a place.
    fn text_elements_in(&self, within: &Phrase) -> PlanResult<Vec<TextElement>> {
        if let Some(documents) = self.finder().documents_of(within) {
            let docs = documents.into_iter().map(|body| self.doc(body));
            return Ok(docs.flat_map(text_elements_of).collect());
        }
        let hits = self.hits(within, &[What::Section, What::Item, What::Page])?;
        let inside = hits.iter().flat_map(|hit| {
            let doc = self.doc(hit.spot.body);
            let inside = doc.text_elements(hit.spot.node).into_iter();
            inside.map(move |node| TextElement::of(doc, doc.spot(node)))
        });
        Ok(inside.collect())
    }

    pub(super) fn link(&mut self, what: &Phrase, target: &Target) -> PlanResult<Outcome> {
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
        let mut words = Vec::new();
        for hit in &hits {
            let name = self.finder().name(*hit);
            let Some(link) = self.finder().tagged(hit.spot, "a").first().copied() else {
                return refuse(format!(
                    "{name} isn’t a link, and I can’t turn it into one."
                ));
            };
            self.set_prop(link.spot, "href", address.as_str());
            words.push(format!("{name} now links to {address}."));
        }
        self.recent = hits;
        done(words.join(" "))
    }

    pub(super) fn tag(&mut self, what: &Phrase, level: u8) -> PlanResult<Outcome> {
        let hit = self.hit(what, &[What::Heading, What::Text])?;
        if !matches!(hit.what, What::Heading | What::Text) {
            return Err(self.not_found(what));
        }
        let name = self.finder().name(hit);
        self.set_prop(hit.spot, "tag", format!("h{level}"));
        done(format!("{name} is now a level {level} heading."))
    }

    fn image(&self, what: &Phrase) -> PlanResult<Hit> {
        let hit = self.hit(what, &[What::Image])?;
        match hit.what {
            What::Image => Ok(hit),
            _ => Err(self.not_found(what)),
        }
    }

    pub(super) fn alt(&mut self, what: &Phrase, text: &str) -> PlanResult<Outcome> {
        let hit = self.image(what)?;
        let name = self.finder().name(hit);
        self.set_prop(hit.spot, "alt", text);
        self.recent = vec![hit];
        done(match text {
            "" => format!("{name} is now decorative and has no alt text."),
            text => format!("The alt text of {name} is now “{text}”."),
        })
    }

    pub(super) fn source(&mut self, what: &Phrase, source: &PictureSource) -> PlanResult<Outcome> {
        let hit = self.image(what)?;
        let address = match source {
            PictureSource::Address(address) => self.picture(address)?,
            PictureSource::Image(other) => {
                match other.name.as_deref().filter(|name| is_address(name)) {
                    Some(file) => self.picture(file)?,
                    None => {
                        let other = self.hit(other, &[What::Image])?;
                        self.doc(other.spot.body).attr(other.spot.node, "src")
                    }
                }
            }
        };
        if address.contains(['"', '<', '>', ' ']) || address.is_empty() {
            return refuse(format!(
                "I can’t use “{address}” as the address of a picture."
            ));
        }
        let name = self.finder().name(hit);
        self.set_prop(hit.spot, "src", address.as_str());
        self.recent = vec![hit];
        done(format!(
            "The picture {name} is now {address}. Its alt text stayed the same; change it if it no longer fits."
        ))
    }

    /// The address of a picture: as it was given, or that of a picture on the site with this file name.
    fn picture(&self, file: &str) -> PlanResult<String> {
        let mut starts = ["/", "https://", "http://"].iter();
        if starts.any(|start| file.starts_with(start)) {
            return Ok(file.to_owned());
        }
        let ending = format!("/{file}");
        let mut found = Vec::new();
        for doc in self.draft.documents() {
            let sources = doc.elements().into_iter().map(|at| doc.attr(at, "src"));
            found.extend(sources.filter(|source| source.ends_with(&ending)));
        }
        found.sort();
        found.dedup();
        match found.as_slice() {
            [only] => Ok(only.clone()),
            _ => refuse(format!(
                "I can’t find a picture “{file}”, because I can’t search the library. Give its address, starting with /."
            )),
        }
    }
}

/// An element with a text of its own.
struct TextElement {
    spot: Spot,
    text: String,
}

impl TextElement {
    fn of(doc: Document<'_>, spot: Spot) -> Self {
        Self {
            spot,
            text: doc.own_text(spot.node),
        }
    }
}

fn text_elements_of(doc: Document<'_>) -> Vec<TextElement> {
    let root = doc.root().into_iter();
    let nodes = root.flat_map(|root| doc.text_elements(root));
    nodes
        .map(|node| TextElement::of(doc, doc.spot(node)))
        .collect()
}

/// The elements whose text equals this, or else those that contain it.
fn elements_with(all: &[TextElement], old: &str) -> Vec<Spot> {
    let spots = |fits: &dyn Fn(&str) -> bool| -> Vec<Spot> {
        let fitting = all.iter().filter(|element| fits(&element.text));
        fitting.map(|element| element.spot).collect()
    };
    let equal = spots(&|text| normal(text) == normal(old));
    if equal.is_empty() {
        return spots(&|text| replace_words(text, old, "").is_some());
    }
    equal
}

/// The text with the old words replaced; for `©`, the year of the copyright line. `None` when they do not occur in it.
fn replace_words(text: &str, old: &str, new: &str) -> Option<String> {
    if old == "©" {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let year = numbers.find(|digits| digits.len() == 4)?;
        return text.contains('©').then(|| text.replacen(year, new, 1));
    }
    if normal(text) == normal(old) {
        return Some(new.to_owned());
    }
    let at = text.find(old).or_else(|| {
        let (lower, wanted) = (text.to_lowercase(), old.to_lowercase());
        lower.find(&wanted).filter(|_| lower.len() == text.len())
    })?;
    let (before, after) = (text.get(..at)?, text.get(at + old.len()..)?);
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    // Only whole words are replaced.
    (is_edge(before.chars().last()) && is_edge(after.chars().next()))
        .then(|| format!("{before}{new}{after}"))
}

/// The currency sign at the start of a price.
fn currency(price: &str) -> Option<char> {
    let first = price.chars().next();
    first.filter(|c| matches!(c, '£' | '$' | '€'))
}
