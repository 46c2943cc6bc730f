//! Pages, their settings, and the menu.

use serde_json::{Value, json};

use super::super::find::{Hit, What, fit, kind_word, normal};
use super::super::markup;
use super::super::noun::{Noun, Phrase};
use super::super::request::{At, Field, NewPage, Place, Target};
use super::super::site_view::{Document, Spot};
use super::super::{say, sections};
use super::{Outcome, Planned, Planner};

impl Planner<'_> {
    pub(super) fn add_page(&mut self, page: &NewPage) -> Planned<Outcome> {
        let Some(names) = &page.name else {
            return match self.empty_page(None, page) {
                Some(document) => Ok(Outcome::Done(self.build_on(document, page))),
                None => Err(say::missing("page", &self.view)),
            };
        };
        let mut done = Vec::new();
        for name in names.split('\n') {
            done.push(self.add_one_page(name, page)?);
        }
        Ok(Outcome::Done(done.join(" ")))
    }

    /// An empty page that a page of this name, or the page in front when it is to have none of its own, can be built on.
    fn empty_page(&self, name: Option<&str>, page: &NewPage) -> Option<usize> {
        let is_empty = |at: &usize| {
            let doc = &self.view.documents[*at];
            doc.is_page() && doc.root().is_some() && doc.sections().is_empty()
        };
        let called = |name: &str| {
            let mut documents = self.view.documents.iter();
            documents.position(|doc| fit(name, &doc.title) == 3)
        };
        let meant = match name {
            Some(name) if !page.is_described => called(name),
            _ => Some(self.here),
        };
        meant
            .filter(|_| !page.sections.is_empty() && page.slug.is_none() && page.under.is_none())
            .filter(is_empty)
    }

    /// Puts new sections at the end of a page, and tells what was done in a few words.
    fn fill(&mut self, document: usize, kinds: &[&'static str]) -> String {
        let layout = self.view.layout();
        let is_around = |kind: &str| layout.is_some() && matches!(kind, "header" | "footer");
        for kind in kinds.iter().filter(|kind| !is_around(kind)) {
            let level = self.heading_level(document);
            let html = sections::html(kind, None, (level, &self.view));
            let end = self.view.documents[document].nodes[0].children.len();
            let index = if *kind == "header" { 0 } else { end };
            self.insert(Spot { document, node: 0 }, index, &html);
        }
        let words = |kind: &&'static str| kind_word(kind).to_owned();
        let made: Vec<String> = kinds
            .iter()
            .filter(|kind| !is_around(kind))
            .map(words)
            .collect();
        let around: Vec<String> = kinds
            .iter()
            .filter(|kind| is_around(kind))
            .map(words)
            .collect();
        let marked =
            "What stands in square brackets is a placeholder; replace it before you publish.";
        let mut told = format!("{}. {marked}", say::listed(&made));
        if let (Some(at), false) = (layout, around.is_empty()) {
            let verb = if around.len() == 1 { "comes" } else { "come" };
            told.push_str(&format!(
                " The {} {verb} from the template “{}”, as on every page.",
                say::listed(&around),
                self.view.documents[at].title
            ));
        }
        told
    }

    fn build_on(&mut self, document: usize, page: &NewPage) -> String {
        let title = self.view.documents[document].title.clone();
        self.spoken.hits = vec![Hit {
            what: What::Page,
            spot: Spot { document, node: 0 },
        }];
        let told = self.fill(document, &page.sections);
        format!("Built on the empty page “{title}”: {told}")
    }

    fn add_one_page(&mut self, name: &str, page: &NewPage) -> Planned<String> {
        if let Some(document) = self.empty_page(Some(name), page) {
            return Ok(self.build_on(document, page));
        }
        let same = self
            .view
            .documents
            .iter()
            .find(|doc| fit(name, &doc.title) == 3);
        if let Some(same) = same {
            let question = format!(
                "There is a page “{}” already. Shall I open it, or make another one under a different name?",
                same.title
            );
            return Err(Outcome::Asked {
                question,
                choices: Vec::new(),
            });
        }
        let parent = page
            .under
            .as_ref()
            .map(|under| self.hit(&pages(under), &[What::Page]))
            .transpose()?;
        let slug = page.slug.clone().unwrap_or_else(|| slugified(name));
        let mut input = json!({ "title": name });
        if page.slug.is_some() {
            input["slug"] = json!(slug);
        }
        let step = self.call("addPage", input);
        let mut path = format!("/{slug}");
        if let Some(parent) = parent {
            let parent_id = self.view.document(parent.spot).id.clone();
            path = format!(
                "{}/{slug}",
                self.path(parent.spot.document).trim_end_matches('/')
            );
            self.call(
                "updatePageSettings",
                json!({ "pageId": format!("${step}.pageId"), "parentId": parent_id }),
            );
        }
        let document = self.view.documents.len();
        self.view.documents.push(Document::new_page(
            &format!("${step}.pageId"),
            name,
            &path,
            &format!("${step}.rootNodeId"),
        ));
        self.spoken.hits = vec![Hit {
            what: What::Page,
            spot: Spot { document, node: 0 },
        }];
        if page.sections.is_empty() {
            let html = format!(
                "<section class=\"text\"><h1>{}</h1></section>",
                markup::escaped(name)
            );
            self.insert(Spot { document, node: 0 }, 0, &html);
        }
        if page.sections.is_empty() {
            return Ok(format!("Added the page “{name}” at {path}."));
        }
        let told = self.fill(document, &page.sections);
        Ok(format!("Added the page “{name}” at {path}: {told}"))
    }

    pub(super) fn rename(&mut self, what: &Phrase, to: &str) -> Planned<Outcome> {
        let finder = self.finder();
        let hits = finder.find(what);
        let pages: Vec<Hit> = finder.preferred(hits.clone(), &[What::Page]);
        let is_page = !pages.is_empty()
            && (what.noun.is_none() || matches!(what.noun, Some(Noun::Page | Noun::Home)));
        if !is_page && !hits.is_empty() {
            return self.text(what, to);
        }
        let page = match what.noun {
            None if !what.is_pronoun => Phrase {
                noun: Some(Noun::Page),
                ..what.clone()
            },
            _ => what.clone(),
        };
        let hit = self.hit(&page, &[What::Page])?;
        if hit.what != What::Page {
            return self.text(what, to);
        }
        let id = self.view.document(hit.spot).id.clone();
        let old = self.title(hit);
        self.call("renamePage", json!({ "pageId": id, "title": to }));
        self.view.documents[hit.spot.document].title = to.to_owned();
        self.spoken.hits = vec![hit];
        Ok(Outcome::Done(format!(
            "Renamed the page “{old}” to “{to}”. Its address is still {}.",
            self.path(hit.spot.document)
        )))
    }

    pub(super) fn page_field(
        &mut self,
        what: &Phrase,
        field: Field,
        value: &str,
    ) -> Planned<Outcome> {
        let hit = self.hit(&pages(what), &[What::Page])?;
        let doc = self.view.document(hit.spot);
        let (id, title) = (doc.id.clone(), doc.title.clone());
        if !doc.is_page() {
            return Err(Outcome::Refused(format!(
                "“{title}” is a template and has no such setting, so I cannot change it."
            )));
        }
        let (patch, words): (Value, String) = match field {
            Field::Slug => {
                let taken = self.view.pages().find(|(at, doc)| {
                    *at != hit.spot.document && doc.path.as_deref() == Some(&format!("/{value}"))
                });
                if let Some((_, other)) = taken {
                    return Err(Outcome::Refused(format!(
                        "I cannot use /{value}: the page “{}” has this address.",
                        other.title
                    )));
                }
                self.view.documents[hit.spot.document].path = Some(format!("/{value}"));
                (
                    json!({ "slug": value }),
                    format!("“{title}” has the address /{value} now. Links to it follow."),
                )
            }
            Field::Description => (
                json!({ "description": value }),
                format!("Set the description of “{title}”."),
            ),
            Field::Draft => (
                json!({ "draft": true }),
                format!("“{title}” is a draft now and is left out when the site is published."),
            ),
            Field::NoIndex => (
                json!({ "noIndex": true }),
                format!("Search engines are asked to leave “{title}” out."),
            ),
        };
        let mut input = json!({ "pageId": id });
        for (name, value) in patch.as_object().into_iter().flatten() {
            input[name] = value.clone();
        }
        self.call("updatePageSettings", input);
        self.spoken.hits = vec![hit];
        Ok(Outcome::Done(words))
    }

    pub(super) fn home(&mut self, what: &Phrase) -> Planned<Outcome> {
        let hit = self.hit(&pages(what), &[What::Page])?;
        let doc = self.view.document(hit.spot);
        if doc.is_home() {
            return Ok(Outcome::Told(format!(
                "“{}” is the home page already.",
                doc.title
            )));
        }
        let (id, title) = (doc.id.clone(), doc.title.clone());
        self.call(
            "updatePageSettings",
            json!({ "pageId": id, "slug": "index" }),
        );
        for doc in &mut self.view.documents {
            if doc.is_home() {
                doc.path = Some("/home".to_owned());
            }
        }
        self.view.documents[hit.spot.document].path = Some("/".to_owned());
        Ok(Outcome::Done(format!(
            "“{title}” is the home page now; the one before has the address /home."
        )))
    }

    pub(super) fn parent(&mut self, what: &Phrase, under: &Phrase) -> Planned<Outcome> {
        let hit = self.hit(&pages(what), &[What::Page])?;
        let parent = self.hit(&pages(under), &[What::Page])?;
        let (id, title) = (self.view.document(hit.spot).id.clone(), self.title(hit));
        let parent_id = self.view.document(parent.spot).id.clone();
        self.call(
            "updatePageSettings",
            json!({ "pageId": id, "parentId": parent_id }),
        );
        Ok(Outcome::Done(format!(
            "“{title}” lies under “{}” now.",
            self.title(parent)
        )))
    }

    pub(super) fn site_field(&mut self, field: &str, value: &str) -> Planned<Outcome> {
        let (input, words) = match field {
            "name" => (
                json!({ "name": value }),
                format!("The site is called “{value}” now."),
            ),
            "language" => (
                json!({ "language": value }),
                format!("The language of the site is {value} now."),
            ),
            "favicon" => (
                json!({ "favicon": value }),
                format!("The favicon is {value} now."),
            ),
            _ => (
                json!({ "discourageSearchEngines": true }),
                "Search engines are asked to stay away from the whole site.".to_owned(),
            ),
        };
        self.call("updateSiteSettings", input);
        Ok(Outcome::Done(words))
    }

    fn the_menu(&self) -> Planned<(Spot, Vec<Spot>)> {
        self.view.menu().ok_or_else(|| {
            Outcome::Refused(
                "I cannot find a menu: no template and no page has a <nav>.".to_owned(),
            )
        })
    }

    /// The child of the menu's list that holds a link.
    fn menu_entry(&self, list: Spot, link: Spot) -> usize {
        let doc = self.view.document(list);
        let mut at = link.node;
        while doc.nodes[at].parent != Some(list.node) {
            match doc.nodes[at].parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    fn menu_link(&self, said: &Phrase) -> Planned<Spot> {
        let item = Phrase {
            noun: Some(Noun::MenuItem),
            within: Vec::new(),
            ..said.clone()
        };
        if said.is_pronoun || matches!(said.noun, Some(Noun::Page | Noun::Home)) {
            let page = self.hit(&pages(said), &[What::Page])?;
            let path = self.path(page.spot.document);
            let (_, links) = self.the_menu()?;
            let found = links
                .into_iter()
                .find(|link| self.view.node(*link).attr("href") == Some(&path));
            return found.ok_or_else(|| {
                Outcome::Refused(format!("“{}” is not in the menu.", self.title(page)))
            });
        }
        let (_, links) = self.the_menu()?;
        let words: Vec<String> = links
            .iter()
            .map(|link| self.finder().label(*link))
            .collect();
        let found = self.finder().find(&item);
        match found.as_slice() {
            [only] => Ok(only.spot),
            _ => Err(Outcome::Refused(format!(
                "I cannot find “{}” in the menu. It has {}.",
                said.said,
                words.join(", ")
            ))),
        }
    }

    pub(super) fn menu_add(
        &mut self,
        what: &Phrase,
        (label, target): (Option<&str>, Option<&Target>),
        place: &Place,
    ) -> Planned<Outcome> {
        let (list, links) = self.the_menu()?;
        let (label, address) = match (label, target) {
            (Some(label), Some(target)) => (label.to_owned(), self.address(target)?),
            _ => {
                let hit = self.hit(&pages(what), &[What::Page])?;
                if !self.view.document(hit.spot).is_page() {
                    return Err(Outcome::Refused(
                        "A template has no address, so I cannot put it into the menu.".to_owned(),
                    ));
                }
                (self.title(hit), self.path(hit.spot.document))
            }
        };
        let there = links
            .iter()
            .find(|link| self.view.node(**link).attr("href") == Some(&address));
        if there.is_some() && place.at.is_none() && target.is_none() {
            return Ok(Outcome::Told(format!("“{label}” is in the menu already.")));
        }
        let index = self.menu_index(list, place)?;
        let html = self.menu_html(list, links.first().copied(), (&label, &address));
        self.insert(list, index, &html);
        Ok(Outcome::Done(format!(
            "Added “{label}” to the menu, leading to {address}."
        )))
    }

    /// A new entry of the menu, made as the others are.
    fn menu_html(&self, list: Spot, like: Option<Spot>, (label, address): (&str, &str)) -> String {
        let class = like.and_then(|like| self.view.node(like).attr("class"));
        let class = class
            .map(|class| format!(" class=\"{}\"", markup::escaped(class)))
            .unwrap_or_default();
        let link = format!(
            "<a{class} href=\"{}\">{}</a>",
            markup::escaped(address),
            markup::escaped(label)
        );
        let is_list = matches!(self.view.node(list).tag.as_str(), "ul" | "ol");
        if is_list {
            format!("<li>{link}</li>")
        } else {
            link
        }
    }

    fn menu_index(&self, list: Spot, place: &Place) -> Planned<usize> {
        let doc = self.view.document(list);
        let children = &doc.nodes[list.node].children;
        let index_of = |said: &Phrase| -> Planned<usize> {
            let link = self.menu_link(said)?;
            let entry = self.menu_entry(list, link);
            Ok(children
                .iter()
                .position(|child| *child == entry)
                .unwrap_or(0))
        };
        Ok(match &place.at {
            None | Some(At::Last | At::Down(_)) => children.len(),
            Some(At::First | At::Up(_)) => 0,
            Some(At::Nth(nth)) => usize::try_from(nth - 1).unwrap_or(0).min(children.len()),
            Some(At::Before(other)) => index_of(other)?,
            Some(At::After(other)) => index_of(other)? + 1,
            Some(At::Between(one, other)) => {
                let (one, other) = (index_of(one)?, index_of(other)?);
                one.min(other) + 1
            }
        })
    }

    pub(super) fn menu_remove(&mut self, what: &[Phrase]) -> Planned<Outcome> {
        let (list, _) = self.the_menu()?;
        let links: Vec<Spot> = what
            .iter()
            .map(|said| self.menu_link(said))
            .collect::<Planned<_>>()?;
        let mut names = Vec::new();
        for link in links {
            names.push(format!("“{}”", self.finder().label(link)));
            let entry = Spot {
                node: self.menu_entry(list, link),
                ..list
            };
            self.delete(entry);
        }
        Ok(Outcome::Done(format!(
            "Took {} out of the menu. The page itself stays.",
            names.join(" and ")
        )))
    }

    pub(super) fn menu_move(&mut self, what: &Phrase, place: &Place) -> Planned<Outcome> {
        let (list, _) = self.the_menu()?;
        let Ok(link) = self.menu_link(what) else {
            return self.menu_add(what, (None, None), place);
        };
        let entry = Spot {
            node: self.menu_entry(list, link),
            ..list
        };
        let index = self.menu_index(list, place)?;
        let now = self
            .view
            .document(list)
            .index(entry.node)
            .map_or(0, |(_, index)| index);
        let index = if now < index { index - 1 } else { index };
        let name = self.finder().label(link);
        self.place_at(entry, list.node, index);
        Ok(Outcome::Done(format!("Moved “{name}” in the menu.")))
    }

    pub(super) fn menu_order(&mut self, labels: &[Phrase]) -> Planned<Outcome> {
        let (list, _) = self.the_menu()?;
        let links: Vec<Spot> = labels
            .iter()
            .map(|said| self.menu_link(said))
            .collect::<Planned<_>>()?;
        for (index, link) in links.into_iter().enumerate() {
            let entry = Spot {
                node: self.menu_entry(list, link),
                ..list
            };
            self.place_at(entry, list.node, index);
        }
        Ok(Outcome::Done("Put the menu into this order.".to_owned()))
    }

    pub(super) fn menu_label(&mut self, what: &Phrase, to: &str) -> Planned<Outcome> {
        let link = self.menu_link(what)?;
        let old = self.finder().label(link);
        self.set_text(link, to);
        Ok(Outcome::Done(format!(
            "The menu says “{to}” instead of “{old}” now. The page keeps its title."
        )))
    }

    pub(super) fn open(&mut self, what: &Phrase) -> Planned<Outcome> {
        let hit = self.hit(&pages(what), &[What::Page])?;
        let doc = self.view.document(hit.spot);
        let (id, kind, title) = (doc.id.clone(), doc.kind.clone(), doc.title.clone());
        self.call(
            "open_document",
            json!({ "document": { "type": kind, "id": id } }),
        );
        Ok(Outcome::Done(format!("Opened “{title}”.")))
    }
}

/// The phrase as a page, when it does not say what it is.
pub(super) fn pages(what: &Phrase) -> Phrase {
    if what.is_pronoun && what.said.to_lowercase().starts_with("this") {
        return Phrase {
            is_pronoun: false,
            points: true,
            noun: Some(Noun::Page),
            ..what.clone()
        };
    }
    let noun = if what.noun.is_none() && !what.is_pronoun {
        Some(Noun::Page)
    } else {
        what.noun
    };
    Phrase {
        noun,
        ..what.clone()
    }
}

/// The part of an address that a title gives, as the tools make it.
pub(super) fn slugified(title: &str) -> String {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() || normal(title).is_empty() && words.is_empty() {
        "page".to_owned()
    } else {
        words.join("-")
    }
}
