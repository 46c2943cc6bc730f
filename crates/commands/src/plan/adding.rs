//! Adding sections, items and elements. What the sentence does not give is a placeholder, and marked as one.

use serde_json::json;

use super::super::find::{Finder, Hit, What, kind_word};
use super::super::markup::{self, Node};
use super::super::noun::{Noun, Phrase};
use super::super::request::{At, Place, Target};
use super::super::sections;
use super::super::site_view::Spot;
use super::{Outcome, Planned, Planner};

impl Planner<'_> {
    /// Inserts HTML and writes it into the view; tells where its first element is.
    pub(super) fn insert(&mut self, parent: Spot, index: usize, html: &str) -> Spot {
        let uid = self.view.node(parent).uid.clone();
        let before = self
            .view
            .document(parent)
            .elements_before(parent.node, index, None);
        let step = self.call_at(
            "insertHtml",
            json!({ "parentId": uid, "index": index, "html": html }),
            before,
        );
        let plain = html.split("<style").next().unwrap_or(html);
        let node = self.view.documents[parent.document].insert(
            parent.node,
            index,
            (plain, &format!("${step}.nodeIds")),
        );
        Spot {
            document: parent.document,
            node,
        }
    }

    /// The page that a place means; the page in front when it names none.
    fn document_at(&self, place: &Place) -> Planned<usize> {
        let Some(into) = &place.into else {
            if place.is_there {
                let page = self.spoken.hits.iter().find(|hit| hit.what == What::Page);
                return Ok(page.map_or(self.here, |hit| hit.spot.document));
            }
            return Ok(self.here);
        };
        let found = self.finder().documents_of(into);
        match found.as_deref() {
            Some([only]) => Ok(*only),
            Some(several) => {
                let hits: Vec<Hit> = several
                    .iter()
                    .map(|document| Hit {
                        what: What::Page,
                        spot: Spot {
                            document: *document,
                            node: 0,
                        },
                    })
                    .collect();
                self.picked(hits, into).map(|hits| hits[0].spot.document)
            }
            None => {
                let hit = self.hit(into, &[What::Page, What::Section, What::Item])?;
                Ok(hit.spot.document)
            }
        }
    }

    /// Where a section goes: the document and the place among the children of its root.
    fn section_place(&self, place: &Place) -> Planned<(usize, usize)> {
        let mut document = self.document_at(place)?;
        if let (None, Some(At::Before(other) | At::After(other))) = (&place.into, &place.at)
            && (other.is_pronoun || other.noun == Some(Noun::Page))
        {
            let hit = self.hit(other, &[What::Section])?;
            document = hit.spot.document;
        }
        let doc = &self.view.documents[document];
        let end = doc.root().map_or(0, |root| doc.nodes[root].children.len());
        let position = |other: &Phrase| -> Planned<Option<usize>> {
            let finder = Finder {
                here: document,
                ..self.finder()
            };
            let found = finder.find(other);
            let hits = finder.preferred(
                found,
                &[
                    What::Section,
                    What::Item,
                    What::Heading,
                    What::Text,
                    What::Button,
                    What::Image,
                ],
            );
            let hit = match hits.as_slice() {
                [] => return Err(self.nothing(other)),
                [only] => *only,
                _ => self.picked(hits, other)?[0],
            };
            if hit.spot.document != document {
                return Ok(None);
            }
            let section = doc.section_of(hit.spot.node).unwrap_or(hit.spot.node);
            Ok(doc.index(section).map(|(_, index)| index))
        };
        let index = match &place.at {
            None | Some(At::Last | At::Down(_)) => end,
            Some(At::First | At::Up(_)) => 0,
            Some(At::Nth(nth)) => {
                let sections = doc.sections();
                let at = usize::try_from(nth - 1)
                    .ok()
                    .and_then(|nth| sections.get(nth));
                at.and_then(|at| doc.index(*at))
                    .map_or(end, |(_, index)| index)
            }
            // What stands above the footer of the template is the end of the page.
            Some(At::Before(other)) => position(other)?.unwrap_or(end),
            Some(At::After(other)) => position(other)?.map_or(0, |index| index + 1),
            Some(At::Between(one, other)) => {
                let (one, other) = (position(one)?.unwrap_or(0), position(other)?.unwrap_or(end));
                one.min(other) + 1
            }
        };
        Ok((document, index))
    }

    pub(super) fn add_section(
        &mut self,
        kind: &str,
        title: Option<&str>,
        place: &Place,
    ) -> Planned<Outcome> {
        if matches!(kind, "header" | "footer")
            && let Some(at) = self.view.layout()
        {
            let layout = &self.view.documents[at].title;
            let question = format!(
                "Every page has a {kind} already: it comes from the template “{layout}”. Shall I open “{layout}”, so that you can change it there?"
            );
            return Err(Outcome::Asked {
                question,
                choices: Vec::new(),
            });
        }
        let (document, index) = self.section_place(place)?;
        let doc = &self.view.documents[document];
        let Some(root) = doc.root() else {
            return Err(Outcome::Refused(format!("I cannot read “{}”.", doc.title)));
        };
        if !doc.is_page() {
            return Err(Outcome::Refused(format!(
                "“{}” is a template; I cannot add sections to it.",
                doc.title
            )));
        }
        let page = doc.title.clone();
        let index = if kind == "header" { 0 } else { index };
        let html = sections::html(kind, title, (self.heading_level(document), &self.view));
        let spot = self.insert(
            Spot {
                document,
                node: root,
            },
            index,
            &html,
        );
        self.spoken.hits.retain(|hit| {
            self.request > 0
                && hit.what == What::Section
                && hit.spot.document == document
                && self
                    .steps
                    .iter()
                    .any(|step| step.request + 1 == self.request)
        });
        self.spoken.hits.push(Hit {
            what: What::Section,
            spot,
        });
        let marked = if sections::has_placeholders(kind) {
            " Its texts are placeholders in square brackets; replace them before you publish."
        } else {
            ""
        };
        let words = match kind {
            "header" | "footer" => format!("a {kind} to “{page}”, and to no other page"),
            _ => format!("a {} section to “{page}”", kind_word(kind)),
        };
        Ok(Outcome::Done(format!("Added {words}.{marked}")))
    }

    /// The level of the heading of a new section: a page has one main heading.
    pub(super) fn heading_level(&self, document: usize) -> u8 {
        let doc = &self.view.documents[document];
        let elements = doc.elements();
        let has_main = elements.iter().any(|at| doc.nodes[*at].tag == "h1");
        if has_main { 2 } else { 1 }
    }

    /// The section that an item goes into: the one that was named, the one of its kind on the page, or the only one there is.
    fn section_for(&self, kind: &str, place: &Place) -> Planned<Spot> {
        if let Some(into) = &place.into {
            let hits = self.finder().find(into);
            let hits = self.finder().preferred(hits, &[What::Section]);
            if let [only] = hits.as_slice() {
                return Ok(only.spot);
            }
            if hits.len() > 1 {
                return self.picked(hits, into).map(|hits| hits[0].spot);
            }
        }
        let of_kind = |document: usize| -> Vec<Spot> {
            let doc = &self.view.documents[document];
            let sections = doc
                .sections()
                .into_iter()
                .filter(|at| doc.kind_of(*at) == kind);
            sections.map(|node| Spot { document, node }).collect()
        };
        let wanted = match &place.into {
            Some(into) => self
                .finder()
                .documents_of(into)
                .and_then(|documents| documents.first().copied()),
            None => None,
        };
        let mut found = of_kind(wanted.unwrap_or(self.here));
        if found.is_empty() {
            found = (0..self.view.documents.len()).flat_map(of_kind).collect();
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(Outcome::Refused(format!(
                "I cannot find a {} section. Say “add a {} section” first.",
                kind_word(kind),
                kind_word(kind)
            ))),
            _ => {
                let hits = found
                    .iter()
                    .map(|spot| Hit {
                        what: What::Section,
                        spot: *spot,
                    })
                    .collect();
                let said = Phrase::called(kind_word(kind));
                self.picked(hits, &said).map(|hits| hits[0].spot)
            }
        }
    }

    pub(super) fn add_item(
        &mut self,
        what: &Phrase,
        (name, detail): (Option<&str>, Option<&str>),
        place: &Place,
    ) -> Planned<Outcome> {
        let Some(Noun::Item(kind)) = what.noun else {
            return Err(self.nothing(what));
        };
        let section = self.section_for(kind, place)?;
        let doc = self.view.document(section);
        let items: Vec<usize> = doc
            .walk(section.node)
            .into_iter()
            .filter(|node| {
                self.finder().what(Spot {
                    node: *node,
                    ..section
                }) == What::Item
            })
            .collect();
        let (parent, index, html) = match items.last() {
            Some(last) => {
                let (parent, index) = doc.index(*last).unwrap_or((section.node, 0));
                (parent, index + 1, like(&doc.nodes, *last, (name, detail)))
            }
            None => {
                return Err(Outcome::Refused(format!(
                    "I cannot find anything in the {} section to make another one like it.",
                    kind_word(kind)
                )));
            }
        };
        let page = doc.title.clone();
        let spot = self.insert(
            Spot {
                node: parent,
                ..section
            },
            index,
            &html,
        );
        self.spoken.hits = vec![Hit {
            what: What::Item,
            spot,
        }];
        let called = name.map(|name| format!(" “{name}”")).unwrap_or_default();
        let marked = if html.contains('[') {
            " What you did not say is a placeholder in square brackets."
        } else {
            ""
        };
        Ok(Outcome::Done(format!(
            "Added{called} to the {} on “{page}”.{marked}",
            kind_word(kind)
        )))
    }

    pub(super) fn add_element(
        &mut self,
        what: &Phrase,
        (text, target): (Option<&str>, Option<&Target>),
        place: &Place,
    ) -> Planned<Outcome> {
        let text = text.unwrap_or_default();
        let address = target.map(|target| self.address(target)).transpose()?;
        let escaped = markup::escaped(text);
        let html = match what.noun {
            Some(Noun::Button) => format!(
                "<a class=\"button\" href=\"{}\">{escaped}</a>",
                markup::escaped(address.as_deref().unwrap_or("#"))
            ),
            Some(Noun::Link) => format!(
                "<p><a href=\"{}\">{escaped}</a></p>",
                markup::escaped(address.as_deref().unwrap_or("#"))
            ),
            Some(Noun::Heading(level)) => {
                let level = level.unwrap_or(2);
                format!("<h{level}>{escaped}</h{level}>")
            }
            Some(Noun::Image) => {
                if !(text.starts_with('/') || text.starts_with("https://")) {
                    return Err(Outcome::Refused(format!(
                        "I cannot use “{text}” as a picture: give its address, beginning with / or https://."
                    )));
                }
                format!("<img src=\"{escaped}\" alt=\"\">")
            }
            _ => format!("<p>{escaped}</p>"),
        };
        let (parent, index) = self.element_place(what, place, text)?;
        let Some(parent) = parent else {
            let html = format!("<section class=\"text\">{html}</section>");
            let (document, index) = self.section_place(place)?;
            let page = self.view.documents[document].title.clone();
            let spot = self.insert(Spot { document, node: 0 }, index, &html);
            self.spoken.hits = vec![Hit {
                what: What::Section,
                spot,
            }];
            return Ok(Outcome::Done(format!(
                "Added “{text}” to “{page}” in a section of its own."
            )));
        };
        let place = self.finder().place(parent);
        let spot = self.insert(parent, index, &html);
        self.spoken.hits = vec![Hit {
            what: self.finder().what(spot),
            spot,
        }];
        let leads = match (what.noun, &address) {
            (Some(Noun::Button | Noun::Link), None) => {
                " It leads nowhere yet; say where it should go.".to_owned()
            }
            _ => String::new(),
        };
        Ok(Outcome::Done(format!("Added “{text}” {place}.{leads}")))
    }

    /// The thing that a place is told by, which may be called by a part of its text.
    fn near(&self, said: &Phrase, order: &[What]) -> Planned<Hit> {
        let finder = self.finder();
        let hits = finder.preferred(finder.find(said), order);
        match hits.as_slice() {
            [only] => Ok(*only),
            _ => self.hit(said, order),
        }
    }

    /// Where an element goes in a section: behind the last of its kind, or at the end.
    fn place_inside(&self, noun: Option<Noun>, spot: Spot) -> (Spot, usize) {
        let doc = self.view.document(spot);
        let is_alike = |node: &usize| match noun {
            Some(Noun::Image) => doc.nodes[*node].tag == "img",
            Some(Noun::Button) => {
                self.finder().what(Spot {
                    node: *node,
                    ..spot
                }) == What::Button
            }
            _ => false,
        };
        let last = doc.walk(spot.node).into_iter().rfind(is_alike);
        match last.and_then(|last| doc.index(last)) {
            Some((parent, index)) => (
                Spot {
                    node: parent,
                    ..spot
                },
                index + 1,
            ),
            None => (spot, doc.nodes[spot.node].children.len()),
        }
    }

    /// Where an element goes: under which node and at which place, or into a section of its own.
    fn element_place(
        &self,
        what: &Phrase,
        place: &Place,
        text: &str,
    ) -> Planned<(Option<Spot>, usize)> {
        let near = match (&place.at, &place.into) {
            (Some(At::After(other) | At::Before(other)), _) => Some(other),
            (_, Some(into)) if self.finder().documents_of(into).is_none() => Some(into),
            _ => None,
        };
        let Some(near) = near else {
            let is_own = matches!(what.noun, Some(Noun::Heading(_))) && place.into.is_some();
            if is_own {
                return Ok((None, 0));
            }
            return Err(Outcome::Asked {
                question: format!(
                    "Where shall I put “{text}”? Name a section, for example: in the hero."
                ),
                choices: Vec::new(),
            });
        };
        let hit = self.near(
            near,
            &[
                What::Section,
                What::Item,
                What::Text,
                What::Heading,
                What::Button,
                What::Link,
            ],
        )?;
        let doc = self.view.document(hit.spot);
        if matches!(hit.what, What::Section | What::Item) {
            let (parent, index) = self.place_inside(what.noun, hit.spot);
            return Ok((Some(parent), index));
        }
        let (parent, index) = doc.index(hit.spot.node).unwrap_or((hit.spot.node, 0));
        let is_before = matches!(place.at, Some(At::Before(_)));
        Ok((
            Some(Spot {
                node: parent,
                ..hit.spot
            }),
            if is_before { index } else { index + 1 },
        ))
    }
}

/// What marks an element whose text nobody has written yet.
const MARK: &str = "data-placeholder";

/// Another item like one that is there, with the texts that were said and placeholders for the others.
fn like(nodes: &[Node], item: usize, (name, detail): (Option<&str>, Option<&str>)) -> String {
    let mut texts = vec![name, detail];
    texts.reverse();
    let mut copy: Vec<Node> = nodes.to_vec();
    rewrite(&mut copy, item, &mut texts, name);
    markup::html_of(&copy, item)
}

fn rewrite(nodes: &mut Vec<Node>, at: usize, texts: &mut Vec<Option<&str>>, name: Option<&str>) {
    let tag = nodes[at].tag.clone();
    let class = nodes[at].attr("class").unwrap_or_default().to_owned();
    if matches!(tag.as_str(), "a" | "button") {
        return;
    }
    if matches!(tag.as_str(), "input" | "textarea" | "select") {
        let field = name.unwrap_or("field").to_lowercase().replace(' ', "-");
        let kind = match field.as_str() {
            "phone" | "telephone" => "tel",
            "email" => "email",
            _ => "text",
        };
        for (attr, value) in &mut nodes[at].attrs {
            match attr.as_str() {
                "name" => value.clone_from(&field),
                "type" => kind.clone_into(value),
                _ => {}
            }
        }
        if tag == "textarea" {
            nodes[at].tag = "input".to_owned();
            nodes[at].children.clear();
            nodes[at]
                .attrs
                .insert(0, ("type".to_owned(), kind.to_owned()));
        }
        return;
    }
    nodes[at]
        .attrs
        .retain(|(attr, _)| attr != "class" || !class.contains("n-"));
    for child in nodes[at].children.clone() {
        if nodes[child].tag.is_empty() {
            if nodes[child].text.trim().is_empty() {
                continue;
            }
            let given = texts.pop().flatten();
            let placeholder = match (tag.as_str(), class.contains("price")) {
                (_, true) => "[your price]",
                ("cite", _) => "[name]",
                ("h2" | "h3" | "h4", _) => "[title]",
                ("summary", _) => "[question]",
                _ => "[your text]",
            };
            let placeholder = match tag.as_str() {
                "label" => "[field]",
                _ => placeholder,
            };
            nodes[child].text = given.unwrap_or(placeholder).to_owned();
            let attrs = &mut nodes[at].attrs;
            attrs.retain(|(attr, _)| attr != MARK);
            if given.is_none() {
                attrs.push((MARK.to_owned(), String::new()));
            }
        } else {
            rewrite(nodes, child, texts, name);
        }
    }
}
