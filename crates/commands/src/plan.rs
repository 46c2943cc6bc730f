//! From requests and the site to calls: each request is planned on the site as the requests before it will have left it.

mod adding;
mod answers;
mod looks;
mod menu;
mod moving;
mod pages;
mod texts;
mod tokens;

pub(crate) use adding::PLACEHOLDERS;
pub(crate) use pages::NAME_TAKEN;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_site::{BodyId, NodeId};

use super::call::Call;
use super::draft::{Document, Draft, Spot};
use super::find::{BOXES_FIRST, Finder, Hit, What, kind_word, normal, nth_of, preferred};
use super::noun::{Many, Noun, Phrase};
use super::request::{MissingPart, Request, Target};
use super::say;

/// The result of planning a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    /// Its calls carry it out; holds the text for when they have succeeded.
    Done(String),
    /// It only reports something.
    Told(String),
    /// Two readings are possible, or something is missing.
    Asked {
        question: String,
        choices: Vec<String>,
    },
    Refused(String),
    /// It needs a model provider.
    NeedsProvider(String),
    /// There is nothing to do.
    Ignored(String),
}

/// An answer to the choices of the preceding question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pick {
    Nth(i64),
    All,
    /// The choice that contains these words.
    Words(String),
}

/// The result of a planning step; the error is a question or a refusal, which ends the request.
pub(crate) type PlanResult<T> = Result<T, Outcome>;

pub(crate) struct Planner<'a> {
    pub(crate) draft: Draft,
    /// The document that is open in the editor.
    pub(crate) here: BodyId,
    pub(crate) selected: Option<Spot>,
    /// What the last turn created or changed, or this one so far: "it" and "this".
    pub(crate) recent: Vec<Hit>,
    pub(crate) pick: Option<Pick>,
    pub(crate) tools: &'a [String],
    /// The requests of the last turn and of this one so far, for "the same", "the footer too" and "bigger".
    pub(crate) before: Vec<Request>,
    /// The assistant's text about the last change.
    pub(crate) said: Option<String>,
    pub(crate) request: usize,
}

/// The maximum number of choices in a list.
const CHOICES_MAX: usize = 9;

fn done(words: impl Into<String>) -> PlanResult<Outcome> {
    Ok(Outcome::Done(words.into()))
}

fn refuse<T>(why: impl Into<String>) -> PlanResult<T> {
    Err(Outcome::Refused(why.into()))
}

fn ask<T>(question: impl Into<String>) -> PlanResult<T> {
    Err(Outcome::Asked {
        question: question.into(),
        choices: Vec::new(),
    })
}

impl Planner<'_> {
    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder {
            draft: &self.draft,
            here: self.here,
            selected: self.selected,
            recent: &self.recent,
        }
    }

    /// Plans a request: records its calls in the draft, or returns why there are none.
    pub(crate) fn plan(&mut self, request: &Request) -> Outcome {
        self.planned(request).unwrap_or_else(|stopped| stopped)
    }

    fn planned(&mut self, request: &Request) -> PlanResult<Outcome> {
        match request {
            Request::AddPage(page) => self.add_page(page),
            Request::NameIt(name) => self.rename(&Phrase::it(), name),
            Request::Rename { what, to } => self.rename(what, to),
            Request::PageSetting { what, setting } => self.page_setting(what, setting),
            Request::Home { what } => self.home(what),
            Request::Parent { what, under } => self.parent(what, under),
            Request::SiteSetting(setting) => self.site_setting(setting),
            Request::Menu(request) => self.menu(request),
            Request::AddSection { kind, title, place } => {
                self.add_section(kind, title.as_deref(), place)
            }
            Request::AddItem(item) => self.add_item(item),
            Request::AddElement(element) => self.add_element(element),
            Request::Move { what, place } => self.relocate(what, place),
            Request::Swap { what } => self.swap(what),
            Request::Order { what } => self.order(what),
            Request::Copy { what, name, place } => self.copy(what, name.as_deref(), place),
            Request::Remove { what } => self.remove(what),
            Request::Hide { what, at } => self.hide(what, *at),
            Request::Show { what } => self.show(what),
            Request::Text { what, to } => self.text(what, to),
            Request::Replace(replacement) => self.replace(replacement),
            Request::Link { what, target } => self.link(what, target),
            Request::Tag { what, level } => self.tag(what, *level),
            Request::Style { what, looks, at } => self.style(what, looks, *at),
            Request::Colour { token, value } => self.colour(token, value),
            Request::NewColour { name, value } => self.new_colour(name, value),
            Request::Font { role, family } => self.font(*role, family),
            Request::Scale { which, size } => self.scale(*which, size),
            Request::Radius(size) => self.radius(size),
            Request::AddClass { name, what } => self.add_class(name, what),
            Request::RemoveClass { name, what } => self.remove_class(name, what),
            Request::Css(css) => self.css(css),
            Request::More { looks } => self.more(looks),
            Request::Alt { what, text } => self.alt(what, text),
            Request::Source { what, source } => self.source(what, source),
            Request::Open { what } => self.open(what),
            Request::Undo { turns } => self.undo(*turns),
            Request::Redo => self.redo(),
            Request::Publish => self.publish(),
            Request::Again { what, place } => self.again(what.as_ref(), place.as_ref()),
            Request::Question(question) => self.answer(question),
            Request::Missing(what) => self.missing(*what),
            Request::NeedsProvider(what) => Err(Outcome::NeedsProvider(what.clone())),
            Request::Cannot(limit) => Err(say::cannot(limit)),
            Request::Ignore(reason) => Err(Outcome::Ignored(say::ignore_words(*reason).to_owned())),
            Request::Mention { what } => self.mention(what),
        }
    }

    /// Asks for the missing part.
    fn missing<T>(&self, what: MissingPart) -> PlanResult<T> {
        ask(say::missing(what, &self.draft))
    }

    fn mention(&mut self, what: &Phrase) -> PlanResult<Outcome> {
        let hits = self.finder().find(what);
        let pages = preferred(hits.clone(), &[What::Page]);
        self.recent = if pages.is_empty() {
            preferred(hits, BOXES_FIRST)
        } else {
            pages
        };
        Ok(Outcome::Ignored(String::new()))
    }

    /// Records a call and returns its result on the copy.
    fn call(&mut self, call: Call) -> &Value {
        self.draft.call(call, self.request)
    }

    fn set_prop(&mut self, spot: Spot, name: &str, value: impl Into<Value>) {
        self.set_prop_at(spot, name, value, None);
    }

    fn set_prop_at(
        &mut self,
        spot: Spot,
        name: &str,
        value: impl Into<Value>,
        breakpoint: Option<&str>,
    ) {
        self.call(Call::UpdateNodeProps {
            node_id: spot.node,
            patch: Map::from_iter([(name.to_owned(), value.into())]),
            breakpoint_id: breakpoint.map(str::to_owned),
        });
    }

    /// Inserts HTML and returns its first element, or the parent when the copy refused it.
    fn insert(&mut self, parent: Spot, index: usize, html: &str) -> Spot {
        let call = Call::InsertHtml {
            parent_id: parent.node,
            index,
            html: html.to_owned(),
        };
        let node = made_node(self.call(call)).unwrap_or(parent.node);
        Spot { node, ..parent }
    }

    fn doc(&self, body: BodyId) -> Document<'_> {
        self.draft.doc(body)
    }

    fn title(&self, hit: Hit) -> String {
        self.doc(hit.spot.body).title().to_owned()
    }

    /// Finds the things a phrase means, of the first of these kinds that fits; asks when several fit and one is meant.
    fn hits(&self, said: &Phrase, order: &[What]) -> PlanResult<Vec<Hit>> {
        let finder = self.finder();
        let mut hits = finder.find(said);
        if said.noun.is_none() && !said.is_pronoun && !said.is_quoted {
            // Without an exact match, words that name nothing on the site would fit many texts.
            hits.retain(|hit| finder.is_exact(*hit, said));
        }
        if !said.is_pronoun {
            hits = preferred(hits, order);
        }
        if hits.is_empty() {
            return Err(self.not_found(said));
        }
        let is_unclear = match said.many {
            Many::One => hits.len() > 1 && !said.is_pronoun,
            Many::Two => hits.len() != 2,
            Many::All => false,
        };
        if is_unclear {
            return self.choose(hits, said);
        }
        Ok(hits)
    }

    fn hit(&self, said: &Phrase, order: &[What]) -> PlanResult<Hit> {
        let hits = self.hits(said, order)?;
        self.one(hits, said)
    }

    /// The only hit, or the one that the person chose.
    fn one(&self, hits: Vec<Hit>, said: &Phrase) -> PlanResult<Hit> {
        match hits.as_slice() {
            [] => Err(self.not_found(said)),
            [only] => Ok(*only),
            _ => self.choose(hits, said).map(|hits| hits[0]),
        }
    }

    /// Asks which one is meant, or applies the person's answer.
    fn choose(&self, hits: Vec<Hit>, said: &Phrase) -> PlanResult<Vec<Hit>> {
        let labels: Vec<String> = hits.iter().map(|hit| self.label(*hit)).collect();
        let chosen: Vec<Hit> = match &self.pick {
            None => Vec::new(),
            Some(Pick::All) => hits.clone(),
            Some(Pick::Nth(nth)) => nth_of(&hits, *nth).into_iter().collect(),
            Some(Pick::Words(words)) => {
                let labelled = hits.iter().zip(&labels);
                let fitting = labelled.filter(|(_, label)| normal(label).contains(&normal(words)));
                let fitting: Vec<Hit> = fitting.map(|(hit, _)| *hit).collect();
                if fitting.len() == 1 {
                    fitting
                } else {
                    Vec::new()
                }
            }
        };
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let (said, count) = (&said.said, hits.len());
        Err(Outcome::Asked {
            question: format!("“{said}” could mean {count} things. Which one?"),
            choices: labels.into_iter().take(CHOICES_MAX).collect(),
        })
    }

    /// Describes a thing and its location, for a list of choices.
    fn label(&self, hit: Hit) -> String {
        let finder = self.finder();
        let word = match hit.what {
            What::Page => "the page",
            What::Section => "the section",
            What::Item => "the item",
            What::Heading => "the heading",
            What::Text => "the text",
            What::Button => "the button",
            What::Link => "the link",
            What::Image => "the picture",
            What::MenuItem => "the word in the menu",
            What::Element => "the element",
        };
        let name = finder.name(hit);
        match hit.what {
            What::Page | What::MenuItem => format!("{word} {name}"),
            _ => format!("{word} {name} {}", finder.place(hit.spot)),
        }
    }

    /// Says that nothing fits, and what there is instead.
    fn not_found(&self, said: &Phrase) -> Outcome {
        let called = &said.said;
        if said.is_pronoun {
            return Outcome::Asked {
                question: format!("What do you mean by “{called}”? Select it, or name it."),
                choices: Vec::new(),
            };
        }
        let doc = self.doc(self.here);
        let here = doc.title();
        let elsewhere = self.elsewhere(said);
        Outcome::Refused(match said.noun {
            Some(Noun::Page) => {
                let titles: Vec<&str> = self.draft.pages().map(|doc| doc.title()).collect();
                let name = said.name.as_ref().unwrap_or(called);
                format!(
                    "There is no page “{name}”. There are {}.",
                    titles.join(", ")
                )
            }
            Some(Noun::Section | Noun::Kind(_)) => {
                let sections = doc.sections();
                let kinds = sections.iter().map(|at| kind_word(doc.kind_of(*at)));
                let kinds: Vec<&str> = kinds.collect();
                let has = match kinds.as_slice() {
                    [] => "it is empty".to_owned(),
                    [only] => format!("it has one section ({only})"),
                    many => format!("it has {} sections ({})", many.len(), many.join(", ")),
                };
                format!("There is no “{called}” on {here}: {has}.{elsewhere}")
            }
            _ => format!("I can’t find “{called}” on {here}.{elsewhere}"),
        })
    }

    /// The location of a thing when it is not on the current page.
    fn elsewhere(&self, said: &Phrase) -> String {
        let others = self.draft.pages().filter(|doc| doc.body != self.here);
        let has = |doc: &Document<'_>| !self.finder().on(doc.body).find(said).is_empty();
        let titles: Vec<&str> = others.filter(has).map(|doc| doc.title()).collect();
        if titles.is_empty() {
            String::new()
        } else {
            format!(" There is one on {}.", titles.join(", "))
        }
    }

    /// The address that a link leads to.
    fn address(&self, target: &Target) -> PlanResult<String> {
        match target {
            Target::Page(page) => {
                let hit = self.hit(page, &[What::Page])?;
                Ok(self.doc(hit.spot.body).path())
            }
            Target::Address(address) => {
                let mut starts = ["/", "https://", "http://", "mailto:", "tel:", "#"].iter();
                let is_safe = starts.any(|start| address.starts_with(start))
                    && !address.contains(['"', '<', '>', ' ']);
                if is_safe {
                    return Ok(address.clone());
                }
                refuse(format!(
                    "I can’t use “{address}” as an address. It must start with / or https://."
                ))
            }
        }
    }
}

/// The first node that a tool created.
fn made_node(answer: &Value) -> Option<NodeId> {
    answer["nodeIds"][0].as_str()?.parse().ok()
}
