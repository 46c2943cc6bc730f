//! Plans changes of the menu: the links in the navigation of the template around all pages.

use sitewright_site::NodeId;

use super::super::draft::{Spot, escape_html};
use super::super::find::What;
use super::super::noun::{Noun, Phrase};
use super::super::request::{At, MenuRequest, NewLink, Place};
use super::pages::as_page;
use super::{Outcome, PlanResult, Planner, done, refuse};

impl Planner<'_> {
    pub(super) fn menu(&mut self, request: &MenuRequest) -> PlanResult<Outcome> {
        match request {
            MenuRequest::Add { what, link, place } => self.menu_add(what, link.as_ref(), place),
            MenuRequest::Remove { what } => self.menu_remove(what),
            MenuRequest::Order { labels } => self.menu_order(labels),
            MenuRequest::Move { what, place } => self.menu_move(what, place),
            MenuRequest::Label { what, to } => {
                let link = self.menu_link(what)?;
                let old = self.finder().label(link);
                self.set_text(link, to);
                done(format!(
                    "The menu now says “{to}” instead of “{old}”. The page keeps its title."
                ))
            }
        }
    }

    /// The list that contains the links of the menu, and the links.
    fn menu_list(&self) -> PlanResult<(Spot, Vec<Spot>)> {
        match self.draft.menu() {
            Some(menu) => Ok(menu),
            None => refuse("I can’t find a menu: no template or page has a <nav>."),
        }
    }

    /// The child of the menu's list that contains a link.
    fn menu_entry(&self, list: Spot, link: Spot) -> NodeId {
        let doc = self.doc(list.body);
        let mut above = std::iter::successors(Some(link.node), |at| doc.parent(*at));
        let entry = above.find(|at| doc.parent(*at) == Some(list.node));
        entry.unwrap_or(link.node)
    }

    fn menu_link(&self, said: &Phrase) -> PlanResult<Spot> {
        let (_, links) = self.menu_list()?;
        if said.is_pronoun || matches!(said.noun, Some(Noun::Page | Noun::Home)) {
            let page = self.hit(&as_page(said), &[What::Page])?;
            let path = self.doc(page.spot.body).path();
            let leads = |link: &Spot| self.doc(link.body).attr(link.node, "href") == path;
            return match links.into_iter().find(leads) {
                Some(link) => Ok(link),
                None => refuse(format!("“{}” isn’t in the menu.", self.title(page))),
            };
        }
        let item = Phrase {
            noun: Some(Noun::MenuItem),
            within: Vec::new(),
            ..said.clone()
        };
        let finder = self.finder();
        if let [only] = finder.find(&item).as_slice() {
            return Ok(only.spot);
        }
        let words: Vec<String> = links.iter().map(|link| finder.label(*link)).collect();
        refuse(format!(
            "I can’t find “{}” in the menu. It has {}.",
            said.said,
            words.join(", ")
        ))
    }

    fn menu_add(
        &mut self,
        what: &Phrase,
        link: Option<&NewLink>,
        place: &Place,
    ) -> PlanResult<Outcome> {
        let (list, links) = self.menu_list()?;
        let (label, address) = match link {
            Some(link) => (link.label.clone(), self.address(&link.target)?),
            None => {
                let hit = self.hit(&as_page(what), &[What::Page])?;
                let doc = self.doc(hit.spot.body);
                if !doc.is_page() {
                    return refuse("A template has no address, so I can’t add it to the menu.");
                }
                (doc.title().to_owned(), doc.path())
            }
        };
        let doc = self.doc(list.body);
        let is_there = |link: &Spot| doc.attr(link.node, "href") == address;
        if links.iter().any(is_there) && place.at.is_none() && link.is_none() {
            return Ok(Outcome::Told(format!("“{label}” is already in the menu.")));
        }
        let index = self.menu_index(list, place)?;
        // A new entry copies the structure of the existing ones.
        let class = links.first().map_or("", |like| doc.classes(like.node));
        let class = match class {
            "" => String::new(),
            class => format!(" class=\"{}\"", escape_html(class)),
        };
        let (href, words) = (escape_html(&address), escape_html(&label));
        let mut html = format!("<a{class} href=\"{href}\">{words}</a>");
        if matches!(doc.tag(list.node), "ul" | "ol") {
            html = format!("<li>{html}</li>");
        }
        self.insert(list, index, &html);
        done(format!("Added “{label}” to the menu, linked to {address}."))
    }

    fn menu_index(&self, list: Spot, place: &Place) -> PlanResult<usize> {
        let children = self.doc(list.body).children(list.node);
        let index_of = |said: &Phrase| -> PlanResult<usize> {
            let entry = self.menu_entry(list, self.menu_link(said)?);
            let at = children.iter().position(|child| *child == entry);
            Ok(at.unwrap_or(0))
        };
        Ok(match &place.at {
            None | Some(At::Last | At::Down(_)) => children.len(),
            Some(At::First | At::Up(_)) => 0,
            Some(At::Nth(nth)) => usize::try_from(nth - 1).unwrap_or(0).min(children.len()),
            Some(At::Before(other)) => index_of(other)?,
            Some(At::After(other)) => index_of(other)? + 1,
            Some(At::Between(one, other)) => index_of(one)?.min(index_of(other)?) + 1,
        })
    }

    fn menu_remove(&mut self, what: &[Phrase]) -> PlanResult<Outcome> {
        let (list, _) = self.menu_list()?;
        let links = what.iter().map(|said| self.menu_link(said));
        let links: Vec<Spot> = links.collect::<PlanResult<_>>()?;
        let mut names = Vec::new();
        for link in links {
            names.push(format!("“{}”", self.finder().label(link)));
            self.delete(self.menu_entry(list, link));
        }
        done(format!(
            "Removed {} from the menu. The page itself stays.",
            names.join(" and ")
        ))
    }

    fn menu_move(&mut self, what: &Phrase, place: &Place) -> PlanResult<Outcome> {
        let (list, _) = self.menu_list()?;
        let Ok(link) = self.menu_link(what) else {
            return self.menu_add(what, None, place);
        };
        let entry = self.menu_entry(list, link);
        let index = self.menu_index(list, place)?;
        let now = self.doc(list.body).index(entry);
        let is_before = now.is_some_and(|(_, now)| now < index);
        let name = self.finder().label(link);
        self.place_at(
            Spot {
                node: entry,
                ..list
            },
            list.node,
            index - usize::from(is_before),
        );
        done(format!("Moved “{name}” in the menu."))
    }

    fn menu_order(&mut self, labels: &[Phrase]) -> PlanResult<Outcome> {
        let (list, _) = self.menu_list()?;
        let links = labels.iter().map(|said| self.menu_link(said));
        let links: Vec<Spot> = links.collect::<PlanResult<_>>()?;
        for (index, link) in links.into_iter().enumerate() {
            let node = self.menu_entry(list, link);
            self.place_at(Spot { node, ..list }, list.node, index);
        }
        done("Reordered the menu.")
    }
}
