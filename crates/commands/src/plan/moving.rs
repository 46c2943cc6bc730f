//! Moving, copying, hiding and removing what is there; taking back and publishing.

use serde_json::json;

use super::super::find::{Finder, Hit, What, kind_word};
use super::super::markup;
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{At, Look, Place, Request};
use super::super::say;
use super::super::site_view::{Document, Spot};
use super::{Outcome, Planned, Planner};

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

impl Planner<'_> {
    pub(super) fn delete(&mut self, spot: Spot) {
        let uid = self.view.node(spot).uid.clone();
        self.call("deleteNode", json!({ "nodeId": uid }));
        self.view.documents[spot.document].remove(spot.node);
    }

    pub(super) fn place_at(&mut self, spot: Spot, parent: usize, index: usize) {
        let doc = &self.view.documents[spot.document];
        let now = doc.index(spot.node);
        if now == Some((parent, index)) {
            return;
        }
        let (uid, parent_uid) = (
            doc.nodes[spot.node].uid.clone(),
            doc.nodes[parent].uid.clone(),
        );
        let before = doc.elements_before(parent, index, Some(spot.node));
        self.call_at(
            "moveNode",
            json!({ "nodeId": uid, "newParentId": parent_uid, "newIndex": index }),
            before,
        );
        self.view.documents[spot.document].relocate(spot.node, parent, index);
    }

    pub(super) fn relocate(&mut self, what: &Phrase, place: &Place) -> Planned<Outcome> {
        let mut what = what.clone();
        if let Some(into) = &place.into {
            if self.finder().documents_of(into).is_none() && into.noun != Some(Noun::Section) {
                return Err(Outcome::Asked {
                    question: format!(
                        "Where shall “{}” go? Name a place on the same page.",
                        what.said
                    ),
                    choices: Vec::new(),
                });
            }
            what.within.push(into.clone());
        }
        if what.noun == Some(Noun::Section) && what.is_bare() && !what.points {
            return Err(say::missing("what", &self.view));
        }
        let hit = self.hit(&what, THINGS)?;
        if hit.what == What::Page {
            return Err(say::missing("place", &self.view));
        }
        let Some(at) = &place.at else {
            return Err(say::missing("place", &self.view));
        };
        let doc = self.view.document(hit.spot);
        let Some((parent, _)) = doc.index(hit.spot.node) else {
            return Err(self.nothing(&what));
        };
        let siblings: Vec<usize> = doc.nodes[parent]
            .children
            .iter()
            .copied()
            .filter(|child| !doc.nodes[*child].tag.is_empty())
            .collect();
        let now = siblings
            .iter()
            .position(|child| *child == hit.spot.node)
            .unwrap_or(0);
        let others: Vec<usize> = siblings
            .iter()
            .copied()
            .filter(|child| *child != hit.spot.node)
            .collect();
        let to = self.position((hit, parent), at, (now, &others))?;
        let name = self.finder().name(hit);
        self.spoken.hits = vec![hit];
        if to == now {
            return Ok(Outcome::Told(format!("{name} is there already.")));
        }
        let index = raw_index(
            self.view.document(hit.spot),
            parent,
            hit.spot.node,
            others.get(to).copied(),
        );
        self.place_at(hit.spot, parent, index);
        Ok(Outcome::Done(format!("Moved {name}.")))
    }

    /// The place among the others that a thing is to have.
    fn position(
        &self,
        (hit, parent): (Hit, usize),
        at: &At,
        (now, others): (usize, &[usize]),
    ) -> Planned<usize> {
        let doc = self.view.document(hit.spot);
        let of = |said: &Phrase| -> Planned<usize> {
            let finder = Finder {
                here: hit.spot.document,
                selected: None,
                ..self.finder()
            };
            let found = finder.find(said);
            let hits = finder.preferred(found, THINGS);
            let hits = if hits.len() > 1 {
                self.picked(hits, said)?
            } else {
                hits
            };
            let other = hits.first().ok_or_else(|| self.nothing(said))?;
            let mut node = other.spot.node;
            if other.spot.document != hit.spot.document {
                // The footer of the template comes after everything on the page.
                return Ok(if doc.kind_of(hit.spot.node) == "header" {
                    0
                } else {
                    others.len()
                });
            }
            while doc.nodes[node].parent != Some(parent) {
                node = doc.nodes[node].parent.ok_or_else(|| self.nothing(said))?;
            }
            others
                .iter()
                .position(|child| *child == node)
                .ok_or_else(|| self.nothing(said))
        };
        Ok(match at {
            At::First => 0,
            At::Last => others.len(),
            At::Nth(nth) => usize::try_from(nth - 1).unwrap_or(0).min(others.len()),
            At::Up(by) => now.saturating_sub(*by),
            At::Down(by) => (now + by).min(others.len()),
            At::Before(other) => of(other)?,
            At::After(other) => (of(other)? + 1).min(others.len()),
            At::Between(one, other) => of(one)?.min(of(other)?) + 1,
        })
    }

    pub(super) fn swap(&mut self, what: &[Phrase]) -> Planned<Outcome> {
        let hits: Vec<Hit> = match what {
            [it] if it.is_pronoun => self.spoken.hits.clone(),
            several => several
                .iter()
                .map(|said| self.hit(said, THINGS))
                .collect::<Planned<_>>()?,
        };
        let [one, other] = hits.as_slice() else {
            return Err(say::missing("swap", &self.view));
        };
        let doc = self.view.document(one.spot);
        let (Some((parent, first)), Some((same, second))) =
            (doc.index(one.spot.node), doc.index(other.spot.node))
        else {
            return Err(say::missing("swap", &self.view));
        };
        if one.spot.document != other.spot.document || parent != same {
            return Err(Outcome::Refused(
                "I cannot swap these two: they do not stand side by side in the same place."
                    .to_owned(),
            ));
        }
        let (one, other, first, second) = if first < second {
            (one, other, first, second)
        } else {
            (other, one, second, first)
        };
        let names = (self.finder().name(*one), self.finder().name(*other));
        self.place_at(other.spot, parent, first);
        self.place_at(one.spot, parent, second);
        Ok(Outcome::Done(format!(
            "Swapped {} and {}.",
            names.0, names.1
        )))
    }

    pub(super) fn order(&mut self, what: &[Phrase], on: Option<&Phrase>) -> Planned<Outcome> {
        let mut hits = Vec::new();
        for said in what {
            let said = Phrase {
                within: on.cloned().into_iter().chain(said.within.clone()).collect(),
                ..said.clone()
            };
            // "the text" among sections is the section of that kind.
            let said = match said.noun {
                Some(Noun::Text) if said.name.is_none() => Phrase {
                    noun: Some(Noun::Kind("text")),
                    ..said
                },
                _ => said,
            };
            hits.push(self.hit(&said, &[What::Section])?);
        }
        let Some(first) = hits.first().copied() else {
            return Err(say::missing("place", &self.view));
        };
        let root = self.view.document(first.spot).root().unwrap_or(0);
        for (index, hit) in hits.iter().enumerate() {
            self.place_at(hit.spot, root, index);
        }
        Ok(Outcome::Done(
            "Put the sections into this order.".to_owned(),
        ))
    }

    pub(super) fn copy(
        &mut self,
        what: &Phrase,
        name: Option<&str>,
        place: &Place,
    ) -> Planned<Outcome> {
        let hit = self.hit(
            what,
            &[
                What::Page,
                What::Section,
                What::Item,
                What::Image,
                What::Button,
                What::Text,
                What::Heading,
            ],
        );
        let is_kind_of_page = matches!(what.noun, Some(Noun::Page | Noun::Home));
        let hit = match hit {
            // A name that fits a page and a section means the section where it goes to a page.
            Ok(hit) if hit.what == What::Page && !is_kind_of_page && place.into.is_some() => {
                self.hit(what, &[What::Section])?
            }
            other => other?,
        };
        if hit.what == What::Page {
            let doc = self.view.document(hit.spot);
            let (id, old) = (doc.id.clone(), doc.title.clone());
            let title = name.map_or_else(|| format!("{old} (copy)"), str::to_owned);
            let path = format!("/{}", super::pages::slugified(&title));
            let step = self.call("duplicatePage", json!({ "pageId": id, "title": title }));
            let document = self.view.documents.len();
            let mut copy = Document::new_page(&format!("${step}.pageId"), &title, &path, "");
            copy.nodes.clear();
            self.view.documents.push(copy);
            self.spoken.hits = vec![Hit {
                what: What::Page,
                spot: Spot { document, node: 0 },
            }];
            return Ok(Outcome::Done(format!(
                "Copied the page “{old}” as “{title}” at {path}."
            )));
        }
        let to = place
            .into
            .as_ref()
            .and_then(|into| self.finder().documents_of(into));
        let is_elsewhere = to
            .as_ref()
            .is_some_and(|to| to.as_slice() != [hit.spot.document]);
        let label = self.finder().name(hit);
        if is_elsewhere {
            return self.copy_to(hit, to.unwrap_or_default(), place);
        }
        let uid = self.view.node(hit.spot).uid.clone();
        let step = self.call("duplicateNode", json!({ "nodeId": uid }));
        let html = markup::html_of(&self.view.document(hit.spot).nodes, hit.spot.node);
        let (parent, index) = self
            .view
            .document(hit.spot)
            .index(hit.spot.node)
            .unwrap_or((0, 0));
        let node = self.view.documents[hit.spot.document].insert(
            parent,
            index + 1,
            (&html, &format!("${step}.nodeIds")),
        );
        let spot = Spot { node, ..hit.spot };
        self.spoken.hits = vec![Hit {
            what: hit.what,
            spot,
        }];
        Ok(Outcome::Done(format!(
            "Copied {label}; the copy stands right behind it."
        )))
    }

    fn copy_to(&mut self, hit: Hit, to: Vec<usize>, place: &Place) -> Planned<Outcome> {
        let [document] = to.as_slice() else {
            return Err(say::missing("place", &self.view));
        };
        let from = self.view.document(hit.spot);
        if hit.what != What::Section || from.is_shortened {
            return Err(Outcome::Refused(format!(
                "I cannot copy {} to another page; only whole sections.",
                self.finder().name(hit)
            )));
        }
        let html = markup::html_of(&from.nodes, hit.spot.node);
        let label = self.finder().name(hit);
        let doc = &self.view.documents[*document];
        let page = doc.title.clone();
        let end = doc.root().map_or(0, |root| doc.nodes[root].children.len());
        let index = if place.at == Some(At::First) { 0 } else { end };
        let spot = self.insert(
            Spot {
                document: *document,
                node: 0,
            },
            index,
            &html,
        );
        self.spoken.hits = vec![Hit {
            what: What::Section,
            spot,
        }];
        Ok(Outcome::Done(format!("Copied {label} to “{page}”.")))
    }

    pub(super) fn remove(&mut self, what: &[Phrase]) -> Planned<Outcome> {
        let mut hits = Vec::new();
        let mut refused = Vec::new();
        for said in what {
            match self.removed(said) {
                Ok(found) => hits.extend(found),
                Err(Outcome::Refused(why)) if what.len() > 1 => refused.push(why),
                Err(other) => return Err(other),
            }
        }
        let mut done = Vec::new();
        let mut around = Vec::new();
        for hit in hits {
            let name = self.finder().name(hit);
            if hit.what == What::Page {
                let id = self.view.document(hit.spot).id.clone();
                self.call("deletePage", json!({ "pageId": id }));
                self.view.documents[hit.spot.document].nodes.clear();
                self.view.documents[hit.spot.document].title.clear();
                self.view.documents[hit.spot.document].path = None;
                done.push(format!("Deleted the page “{name}”."));
            } else {
                let section = self
                    .view
                    .document(hit.spot)
                    .section_of(hit.spot.node)
                    .filter(|section| *section != hit.spot.node);
                self.delete(hit.spot);
                around.extend(section.map(|node| Hit {
                    what: What::Section,
                    spot: Spot { node, ..hit.spot },
                }));
                done.push(format!("Removed {name}."));
            }
        }
        self.spoken.hits = around;
        if !refused.is_empty() {
            // What cannot be done is told, and what can be is done.
            if done.is_empty() {
                return Err(Outcome::Refused(refused.join(" ")));
            }
            let count = done.len() + refused.len();
            return Ok(Outcome::Done(format!(
                "I did {} of {count}. {} Not done: {}",
                done.len(),
                done.join(" "),
                refused.join(" ")
            )));
        }
        Ok(Outcome::Done(done.join(" ")))
    }

    /// What is to be removed, when it is clear enough for that.
    fn removed(&self, said: &Phrase) -> Planned<Vec<Hit>> {
        if matches!(said.noun, Some(Noun::Site | Noun::Everything | Noun::Menu))
            || said.many == Many::All && said.noun == Some(Noun::Page) && said.name.is_none()
        {
            return Err(Outcome::Asked {
                question: format!(
                    "“{}” is a lot. Which page or section exactly shall I remove? I do one thing after another.",
                    said.said
                ),
                choices: Vec::new(),
            });
        }
        if matches!(said.noun, Some(Noun::Section | Noun::Page)) && said.is_bare() && !said.points {
            return Err(say::missing("what", &self.view));
        }
        let finder = self.finder();
        let mut all = finder.find(said);
        all.retain(|hit| said.noun.is_some() || finder.is_exact(*hit, said));
        let has = |what: What| all.iter().any(|hit| hit.what == what);
        let is_name = said.noun.is_none() && !said.is_pronoun && !said.is_quoted;
        let readings = [What::Page, What::Section, What::Item, What::MenuItem]
            .iter()
            .filter(|what| has(**what))
            .count();
        let hits = if is_name && readings > 1 {
            let several: Vec<Hit> = all
                .iter()
                .copied()
                .filter(|hit| {
                    matches!(
                        hit.what,
                        What::Page | What::Section | What::Item | What::MenuItem
                    )
                })
                .collect();
            self.picked(several, said)?
        } else {
            self.hits(
                said,
                &[
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
                ],
            )?
        };
        hits.iter().try_for_each(|hit| self.may_go(*hit))?;
        Ok(hits)
    }

    /// Refuses what every page needs.
    fn may_go(&self, hit: Hit) -> Planned<()> {
        let doc = self.view.document(hit.spot);
        if hit.what == What::Page && doc.is_home() {
            return Err(Outcome::Refused(format!(
                "“{}” is the home page, and a site needs one. I cannot delete it; make another page the home page first.",
                doc.title
            )));
        }
        if doc.is_page() || !matches!(hit.what, What::Page | What::Section) {
            return Ok(());
        }
        let what = if hit.what == What::Page {
            "It".to_owned()
        } else {
            format!("The {}", kind_word(&doc.kind_of(hit.spot.node)))
        };
        Err(Outcome::Refused(format!(
            "{what} comes from the template “{}” around all pages and would go from every page. I cannot remove it from here; open “{}” to change it.",
            doc.title, doc.title
        )))
    }

    pub(super) fn hide(&mut self, what: &Phrase, at: Option<&'static str>) -> Planned<Outcome> {
        let hit = self.hit(what, THINGS)?;
        let name = self.finder().name(hit);
        let uid = self.view.node(hit.spot).uid.clone();
        let mut input = json!({ "nodeId": uid, "patch": { "hidden": true } });
        if let Some(at) = at {
            if !self.view.breakpoints.iter().any(|known| known == at) {
                return Err(Outcome::Refused(format!(
                    "I cannot do that: the site has no width called “{at}”."
                )));
            }
            input["breakpointId"] = json!(at);
        }
        self.call("updateNodeProps", input);
        self.spoken.hits = vec![hit];
        let on = at.map(|at| format!(" on {at}")).unwrap_or_default();
        Ok(Outcome::Done(format!(
            "{name} is hidden{on} now. Say “show it again” to bring it back."
        )))
    }

    pub(super) fn show(&mut self, what: &Phrase) -> Planned<Outcome> {
        let hit = self.hit(what, THINGS)?;
        let name = self.finder().name(hit);
        if !self.view.node(hit.spot).hidden {
            return Ok(Outcome::Told(format!("{name} is not hidden.")));
        }
        self.props(hit.spot, json!({ "hidden": false }));
        Ok(Outcome::Done(format!("{name} is shown again.")))
    }

    fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name)
    }

    pub(super) fn undo(&mut self, turns: usize) -> Planned<Outcome> {
        if !self.has_tool("revertTurn") {
            return Err(Outcome::Refused(
                "I cannot take changes back here; use the editor's undo.".to_owned(),
            ));
        }
        for _ in 0..turns {
            self.call("revertTurn", json!({}));
        }
        let what = if turns == 1 {
            "the last change".to_owned()
        } else {
            format!("the last {turns} changes")
        };
        Ok(Outcome::Done(format!(
            "Took back {what}. Say “redo” to have it again."
        )))
    }

    pub(super) fn redo(&mut self) -> Planned<Outcome> {
        if !self.has_tool("redo") {
            return Err(Outcome::Refused(
                "I cannot redo changes here; use the editor's redo.".to_owned(),
            ));
        }
        self.call("redo", json!({}));
        Ok(Outcome::Done("Did it again.".to_owned()))
    }

    pub(super) fn publish(&mut self) -> Planned<Outcome> {
        if !self.has_tool("publishSite") {
            return Err(Outcome::Refused(
                "I cannot publish: publishing is not on offer here.".to_owned(),
            ));
        }
        self.call("publishSite", json!({}));
        Ok(Outcome::Done("Published the site.".to_owned()))
    }

    /// The same as the last turn, about something else or elsewhere.
    pub(super) fn again(
        &mut self,
        what: Option<&Phrase>,
        place: Option<&Phrase>,
    ) -> Planned<Outcome> {
        let Some(last) = self.before.last().cloned() else {
            return Err(say::missing("what", &self.view));
        };
        let moved = |old: &Place| match place {
            Some(place) => Place {
                into: Some(place.clone()),
                ..old.clone()
            },
            None => old.clone(),
        };
        let request = match (last, what) {
            (
                Request::AddSection {
                    kind,
                    title,
                    place: old,
                },
                None,
            ) => Request::AddSection {
                kind,
                title,
                place: moved(&old),
            },
            (Request::Hide { at, .. }, Some(what)) => Request::Hide {
                what: what.clone(),
                at,
            },
            (Request::Show { .. }, Some(what)) => Request::Show { what: what.clone() },
            (Request::Style { looks, at, .. }, Some(what)) => Request::Style {
                what: what.clone(),
                looks,
                at,
            },
            (Request::Text { to, .. }, Some(what)) => Request::Text {
                what: what.clone(),
                to,
            },
            _ => return Err(say::missing("what", &self.view)),
        };
        Ok(self.plan(&request))
    }

    /// More of what the last turn did.
    pub(super) fn more(&mut self, looks: &[Look]) -> Planned<Outcome> {
        use super::super::request::Shade;
        let last = self.before.last().cloned();
        if let Some(Request::Colour { token, .. }) = last {
            let value = match looks {
                [Look::Darker] => Shade::Darker,
                [Look::Lighter] => Shade::Lighter,
                [Look::Colour(colour)] => Shade::Value(colour.clone()),
                _ => return Err(say::missing("what", &self.view)),
            };
            return self.colour(&token, &value);
        }
        let is_style = matches!(last, Some(Request::Style { .. }));
        if self.selected.is_none() && !is_style && self.spoken.hits.is_empty() {
            return Err(say::missing("what", &self.view));
        }
        self.style(&Phrase::it(), looks, None)
    }
}

/// The index among all children without the node, so that it stands before a sibling, or last.
fn raw_index(doc: &Document, parent: usize, node: usize, before: Option<usize>) -> usize {
    let others: Vec<usize> = doc.nodes[parent]
        .children
        .iter()
        .copied()
        .filter(|child| *child != node)
        .collect();
    before
        .and_then(|before| others.iter().position(|child| *child == before))
        .unwrap_or(others.len())
}
