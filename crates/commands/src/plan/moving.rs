//! Plans moving, copying, hiding and removing existing things; undo, redo and publishing.

use sitewright_site::{BodyId, NodeId};

use super::super::call::Call;
use super::super::draft::{Spot, html_of};
use super::super::find::{Finder, Hit, What, kind_word, page_hit, preferred};
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{At, Colour, Look, MissingPart, Place, Request, Shade};
use super::{Outcome, PlanResult, Planner, ask, done, made_node, refuse};

const THINGS: &[What] = &[
    What::Section,
    What::Item,
    What::Image,
    What::Button,
    What::Heading,
    What::Text,
    What::Link,
    What::Element,
];

/// What can be removed or copied, pages first.
const THINGS_AND_PAGES: &[What] = &[
    What::Page,
    What::Section,
    What::Item,
    What::Image,
    What::Button,
    What::Heading,
    What::Text,
    What::Link,
    What::MenuItem,
    What::Element,
];

/// A thing to move, and its sibling elements.
struct Mover {
    hit: Hit,
    parent: NodeId,
    now: usize,
    others: Vec<NodeId>,
}

impl Planner<'_> {
    pub(super) fn delete(&mut self, node_id: NodeId) {
        self.call(Call::DeleteNode { node_id });
    }

    pub(super) fn place_at(&mut self, spot: Spot, parent: NodeId, index: usize) {
        if self.doc(spot.body).index(spot.node) == Some((parent, index)) {
            return;
        }
        self.call(Call::MoveNode {
            node_id: spot.node,
            new_parent_id: parent,
            new_index: index,
        });
    }

    pub(super) fn relocate(&mut self, what: &Phrase, place: &Place) -> PlanResult<Outcome> {
        let mut what = what.clone();
        if let Some(into) = &place.into {
            if self.finder().documents_of(into).is_none() && into.noun != Some(Noun::Section) {
                return ask(format!(
                    "Where should “{}” go? Name a place on the same page.",
                    what.said
                ));
            }
            what.within.push(into.clone());
        }
        if what.noun == Some(Noun::Section) && what.is_bare() && !what.points {
            return self.missing(MissingPart::What);
        }
        let hit = self.hit(&what, THINGS)?;
        let doc = self.doc(hit.spot.body);
        let (Some(at), Some(parent)) = (&place.at, doc.parent(hit.spot.node)) else {
            return self.missing(MissingPart::Place);
        };
        let mut siblings = doc.children(parent);
        siblings.retain(|child| doc.is_element(*child));
        let now = siblings.iter().position(|child| *child == hit.spot.node);
        siblings.retain(|child| *child != hit.spot.node);
        let mover = Mover {
            hit,
            parent,
            now: now.unwrap_or(0),
            others: siblings,
        };
        let to = self.position(&mover, at)?;
        let name = self.finder().name(hit);
        self.recent = vec![hit];
        if to == mover.now {
            return Ok(Outcome::Told(format!("{name} is already there.")));
        }
        let mut children = self.doc(hit.spot.body).children(parent);
        children.retain(|child| *child != hit.spot.node);
        let before = mover.others.get(to);
        let before = before.and_then(|before| children.iter().position(|child| child == before));
        self.place_at(hit.spot, parent, before.unwrap_or(children.len()));
        done(format!("Moved {name}."))
    }

    /// The index among its siblings that a thing is to have.
    fn position(&self, mover: &Mover, at: &At) -> PlanResult<usize> {
        let count = mover.others.len();
        let of = |said: &Phrase| self.place_beside(mover, said);
        Ok(match at {
            At::First => 0,
            At::Last => count,
            At::Nth(nth) => usize::try_from(nth - 1).unwrap_or(0).min(count),
            At::Up(by) => mover.now.saturating_sub(*by),
            At::Down(by) => (mover.now + by).min(count),
            At::Before(other) => of(other)?,
            At::After(other) => (of(other)? + 1).min(count),
            At::Between(one, other) => of(one)?.min(of(other)?) + 1,
        })
    }

    /// The index, among the mover's siblings, of another thing or of the sibling that contains it.
    fn place_beside(&self, mover: &Mover, said: &Phrase) -> PlanResult<usize> {
        let body = mover.hit.spot.body;
        let finder = Finder {
            here: body,
            selected: None,
            ..self.finder()
        };
        let other = self.one(preferred(finder.find(said), THINGS), said)?;
        let doc = self.doc(body);
        if other.spot.body != body {
            // The template's footer comes after everything on the page.
            let is_header = doc.kind_of(mover.hit.spot.node) == "header";
            return Ok(if is_header { 0 } else { mover.others.len() });
        }
        let mut above = std::iter::successors(Some(other.spot.node), |at| doc.parent(*at));
        let beside = above.find(|at| doc.parent(*at) == Some(mover.parent));
        let place = mover.others.iter().position(|child| Some(*child) == beside);
        place.ok_or_else(|| self.not_found(said))
    }

    pub(super) fn swap(&mut self, what: &[Phrase]) -> PlanResult<Outcome> {
        let hits: Vec<Hit> = match what {
            [it] if it.is_pronoun => self.recent.clone(),
            several => {
                let hits = several.iter().map(|said| self.hit(said, THINGS));
                hits.collect::<PlanResult<_>>()?
            }
        };
        let &[mut one, mut other] = hits.as_slice() else {
            return self.missing(MissingPart::Other);
        };
        let place = |hit: Hit| self.doc(hit.spot.body).index(hit.spot.node);
        let (Some((parent, mut first)), Some((same, mut second))) = (place(one), place(other))
        else {
            return self.missing(MissingPart::Other);
        };
        if one.spot.body != other.spot.body || parent != same {
            return refuse("I can’t swap these two, because they aren’t next to each other.");
        }
        if first > second {
            (one, other, first, second) = (other, one, second, first);
        }
        let (name, other_name) = (self.finder().name(one), self.finder().name(other));
        self.place_at(other.spot, parent, first);
        self.place_at(one.spot, parent, second);
        done(format!("Swapped {name} and {other_name}."))
    }

    pub(super) fn order(&mut self, what: &[Phrase]) -> PlanResult<Outcome> {
        let mut hits = Vec::new();
        for said in what {
            let mut said = said.clone();
            // Among sections, "the text" is the section of that kind.
            if said.noun == Some(Noun::Text) && said.name.is_none() {
                said.noun = Some(Noun::Kind("text"));
            }
            hits.push(self.hit(&said, &[What::Section])?);
        }
        for (index, hit) in hits.iter().enumerate() {
            if let Some(root) = self.doc(hit.spot.body).root() {
                self.place_at(hit.spot, root, index);
            }
        }
        done("Reordered the sections.")
    }

    pub(super) fn copy(
        &mut self,
        what: &Phrase,
        name: Option<&str>,
        place: &Place,
    ) -> PlanResult<Outcome> {
        let mut hit = self.hit(what, THINGS_AND_PAGES)?;
        let is_page = matches!(what.noun, Some(Noun::Page | Noun::Home));
        if hit.what == What::Page && !is_page && place.into.is_some() {
            // Where the target is a page, a name that fits a page and a section means the section.
            hit = self.hit(what, &[What::Section])?;
        }
        if hit.what == What::Page {
            return self.copy_page(hit, name);
        }
        let into = place.into.as_ref();
        let to = into.and_then(|into| self.finder().documents_of(into));
        if let Some(to) = to.filter(|to| to.as_slice() != [hit.spot.body]) {
            return self.copy_to(hit, &to, place);
        }
        let label = self.finder().name(hit);
        let node_id = hit.spot.node;
        let node = made_node(self.call(Call::DuplicateNode { node_id }));
        let spot = Spot {
            node: node.unwrap_or(node_id),
            ..hit.spot
        };
        self.recent = vec![Hit { spot, ..hit }];
        done(format!("Duplicated {label}. The copy is right after it."))
    }

    fn copy_page(&mut self, hit: Hit, name: Option<&str>) -> PlanResult<Outcome> {
        let old = self.title(hit);
        let title = name.map_or_else(|| format!("{old} (copy)"), str::to_owned);
        let made = self.call(Call::DuplicatePage {
            page_id: hit.spot.body,
            title: title.clone(),
        });
        let made: Option<BodyId> = made["pageId"].as_str().and_then(|id| id.parse().ok());
        let copy = self.doc(made.unwrap_or(hit.spot.body));
        let words = format!("Copied the page “{old}” as “{title}” at {}.", copy.path());
        self.recent = page_hit(copy).into_iter().collect();
        done(words)
    }

    fn copy_to(&mut self, hit: Hit, to: &[BodyId], place: &Place) -> PlanResult<Outcome> {
        let label = self.finder().name(hit);
        if hit.what != What::Section {
            return refuse(format!(
                "I can’t copy {label} to another page, only whole sections."
            ));
        }
        let [Some(root)] = to
            .iter()
            .map(|to| self.doc(*to).root_spot())
            .collect::<Vec<_>>()[..]
        else {
            return self.missing(MissingPart::Place);
        };
        let html = html_of(&self.doc(hit.spot.body).forest(hit.spot.node));
        let doc = self.doc(root.body);
        let page = doc.title().to_owned();
        let end = doc.children(root.node).len();
        let index = if place.at == Some(At::First) { 0 } else { end };
        let spot = self.insert(root, index, &html);
        self.recent = vec![Hit { spot, ..hit }];
        done(format!("Copied {label} to “{page}”."))
    }

    pub(super) fn remove(&mut self, what: &[Phrase]) -> PlanResult<Outcome> {
        let mut hits = Vec::new();
        let mut refused = Vec::new();
        for said in what {
            match self.removable(said) {
                Ok(found) => hits.extend(found),
                Err(Outcome::Refused(why)) if what.len() > 1 => refused.push(why),
                Err(other) => return Err(other),
            }
        }
        let mut words = Vec::new();
        let mut around = Vec::new();
        for hit in hits {
            let name = self.finder().name(hit);
            if hit.what == What::Page {
                let page_id = hit.spot.body;
                self.call(Call::DeletePage { page_id });
                words.push(format!("Deleted the page “{name}”."));
                continue;
            }
            let doc = self.doc(hit.spot.body);
            let section = doc.section_of(hit.spot.node);
            let section = section.filter(|section| *section != hit.spot.node);
            around.extend(section.map(|node| self.finder().hit(doc.spot(node))));
            self.delete(hit.spot.node);
            words.push(format!("Removed {name}."));
        }
        self.recent = around;
        let (count, words, refused) = (
            words.len(),
            words.join(" "),
            (refused.len(), refused.join(" ")),
        );
        match (count, refused) {
            (_, (0, _)) => done(words),
            (0, (_, refused)) => refuse(refused),
            // What cannot be done is reported, and the rest is done.
            (count, (more, refused)) => done(format!(
                "I did {count} of {}. {words} Not done: {refused}",
                count + more
            )),
        }
    }

    /// The things to remove; asks when the phrase is too broad or ambiguous for that.
    fn removable(&self, said: &Phrase) -> PlanResult<Vec<Hit>> {
        let is_all_pages =
            said.many == Many::All && said.noun == Some(Noun::Page) && said.name.is_none();
        if is_all_pages || matches!(said.noun, Some(Noun::Site | Noun::Everything | Noun::Menu)) {
            return ask(format!(
                "“{}” is a lot. Which page or section should I remove? I do one thing at a time.",
                said.said
            ));
        }
        if matches!(said.noun, Some(Noun::Section | Noun::Page)) && said.is_bare() && !said.points {
            return self.missing(MissingPart::What);
        }
        let finder = self.finder();
        let readings = [What::Page, What::Section, What::Item, What::MenuItem];
        let mut several = finder.find(said);
        several.retain(|hit| readings.contains(&hit.what) && finder.is_exact(*hit, said));
        let kinds = readings
            .iter()
            .filter(|what| several.iter().any(|hit| hit.what == **what));
        let is_name = said.noun.is_none() && !said.is_pronoun && !said.is_quoted;
        let hits = if is_name && kinds.count() > 1 {
            self.choose(several, said)?
        } else {
            self.hits(said, THINGS_AND_PAGES)?
        };
        hits.iter().try_for_each(|hit| self.may_go(*hit))?;
        Ok(hits)
    }

    /// Refuses to remove what every page needs.
    fn may_go(&self, hit: Hit) -> PlanResult<()> {
        let doc = self.doc(hit.spot.body);
        let title = doc.title();
        if hit.what == What::Page && doc.is_home() {
            return refuse(format!(
                "“{title}” is the home page, and a site needs one. Make another page the home page before you delete it."
            ));
        }
        let what = match hit.what {
            _ if doc.is_page() => return Ok(()),
            What::Page => "It".to_owned(),
            What::Section => format!("The {}", kind_word(doc.kind_of(hit.spot.node))),
            _ => return Ok(()),
        };
        refuse(format!(
            "{what} is part of the template “{title}”, so removing it would remove it from every page. Open “{title}” to change it."
        ))
    }

    pub(super) fn hide(&mut self, what: &Phrase, at: Option<&'static str>) -> PlanResult<Outcome> {
        let hit = self.hit(what, THINGS)?;
        let name = self.finder().name(hit);
        let breakpoints = self.draft.site.breakpoints();
        let is_width = |at: &str| {
            let mut known = breakpoints.iter().filter(|known| known.wrapper().is_some());
            known.any(|known| known.id == at)
        };
        if let Some(at) = at.filter(|at| !is_width(at)) {
            return refuse(format!(
                "I can’t do that: the site has no width called “{at}”."
            ));
        }
        self.set_prop_at(hit.spot, "hidden", true, at);
        self.recent = vec![hit];
        let on = at.map(|at| format!(" on {at}")).unwrap_or_default();
        done(format!(
            "{name} is now hidden{on}. Say “show it again” to bring it back."
        ))
    }

    pub(super) fn show(&mut self, what: &Phrase) -> PlanResult<Outcome> {
        let hit = self.hit(what, THINGS)?;
        let name = self.finder().name(hit);
        if !self.doc(hit.spot.body).is_hidden(hit.spot.node) {
            return Ok(Outcome::Told(format!("{name} is not hidden.")));
        }
        self.set_prop(hit.spot, "hidden", false);
        done(format!("{name} is shown again."))
    }

    /// Calls a tool that is not always on offer.
    fn call_if_offered(&mut self, call: Call, or: &str) -> PlanResult<()> {
        let (name, _) = call.to_parts();
        if !self.tools.contains(&name) {
            return refuse(or);
        }
        self.call(call);
        Ok(())
    }

    pub(super) fn undo(&mut self, turns: usize) -> PlanResult<Outcome> {
        for _ in 0..turns {
            let or = "I can’t undo changes here. Use Undo in the editor.";
            self.call_if_offered(Call::RevertTurn {}, or)?;
        }
        let what = match turns {
            1 => "the last change".to_owned(),
            turns => format!("the last {turns} changes"),
        };
        done(format!("Undid {what}. Say “redo” to bring it back."))
    }

    pub(super) fn redo(&mut self) -> PlanResult<Outcome> {
        let or = "I can’t redo changes here. Use Redo in the editor.";
        self.call_if_offered(Call::Redo {}, or)?;
        done("Redone.")
    }

    pub(super) fn publish(&mut self) -> PlanResult<Outcome> {
        let or = "I can’t publish from here.";
        self.call_if_offered(Call::PublishSite {}, or)?;
        done("Published the site.")
    }

    /// Repeats the last turn's request for another thing or in another place.
    pub(super) fn again(
        &mut self,
        what: Option<&Phrase>,
        place: Option<&Phrase>,
    ) -> PlanResult<Outcome> {
        let mut request = self.before.last().cloned();
        match (&mut request, what) {
            (Some(Request::AddSection { place: old, .. }), None) => {
                old.into = place.cloned().or(old.into.take());
            }
            (
                Some(
                    Request::Hide { what: old, .. }
                    | Request::Show { what: old }
                    | Request::Style { what: old, .. }
                    | Request::Text { what: old, .. },
                ),
                Some(what),
            ) => old.clone_from(what),
            _ => return self.missing(MissingPart::What),
        }
        match request {
            Some(request) => self.planned(&request),
            None => self.missing(MissingPart::What),
        }
    }

    /// Styles what the last turn changed further: the same colour token, or the same things.
    pub(super) fn more(&mut self, looks: &[Look]) -> PlanResult<Outcome> {
        let last = self.before.last().cloned();
        if let Some(Request::Colour { token, .. }) = last {
            let value = match looks {
                [Look::Darker] => Shade::Darker,
                [Look::Lighter] => Shade::Lighter,
                [Look::Colour(Colour::Value(colour))] => Shade::Value(colour.clone()),
                _ => return self.missing(MissingPart::What),
            };
            return self.colour(&token, &value);
        }
        let is_style = matches!(last, Some(Request::Style { .. }));
        if self.selected.is_none() && !is_style && self.recent.is_empty() {
            return self.missing(MissingPart::What);
        }
        self.style(&Phrase::it(), looks, None)
    }
}
