//! From requests and the site to calls: each request is planned on the site as the ones before it will have made it.
//!
//! Nothing is called here. What a call will answer is written as `$3.pageId`, to be filled in when the third call has answered.

mod adding;
mod answers;
mod looks;
mod moving;
mod pages;
mod texts;

use serde_json::{Value, json};

use super::find::{Finder, Hit, Spoken, What, kind_word, normal};
use super::noun::{Many, Noun, Phrase};
use super::request::{Request, Target};
use super::say;
use super::site_view::{SiteView, Spot};

/// A call that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) tool: &'static str,
    pub(crate) input: Value,
    /// The request it is for.
    pub(crate) request: usize,
    /// How many elements stand before what is inserted or moved; plans count only those.
    pub(crate) elements_before: Option<usize>,
}

/// What comes of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// Its calls do it; the words for when they have.
    Done(String),
    /// It only tells something.
    Told(String),
    /// Two readings are possible, or something is missing.
    Asked {
        question: String,
        choices: Vec<String>,
    },
    /// It cannot be done.
    Refused(String),
    /// It takes a provider.
    Pointed(String),
    /// Nothing was to be done.
    Left(String),
}

/// An answer to the choices of the question before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pick {
    Nth(i64),
    All,
    /// The one whose choice holds these words.
    Words(String),
}

/// What stops a request: a question or a refusal.
pub(crate) type Planned<T> = Result<T, Outcome>;

pub(crate) struct Planner<'a> {
    pub(crate) view: SiteView,
    pub(crate) here: usize,
    pub(crate) selected: Option<Spot>,
    pub(crate) spoken: Spoken,
    pub(crate) pick: Option<Pick>,
    pub(crate) tools: &'a [String],
    /// What the last turn was asked, for "the same" and "bigger".
    pub(crate) before: Vec<Request>,
    /// What the last turn said.
    pub(crate) said: Option<String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) request: usize,
}

/// The longest list of choices.
const CHOICES_MAX: usize = 9;

impl Planner<'_> {
    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder {
            view: &self.view,
            here: self.here,
            selected: self.selected,
            spoken: &self.spoken,
        }
    }

    /// Plans a request.
    pub(crate) fn plan(&mut self, request: &Request) -> Outcome {
        let planned = match request {
            Request::AddPage(page) => self.add_page(page),
            Request::NameIt(name) => self.rename(&Phrase::it(), name),
            Request::Rename { what, to } => self.rename(what, to),
            Request::PageField { what, field, value } => self.page_field(what, *field, value),
            Request::Home { what } => self.home(what),
            Request::Parent { what, under } => self.parent(what, under),
            Request::MenuAdd { .. }
            | Request::MenuRemove { .. }
            | Request::MenuOrder { .. }
            | Request::MenuMove { .. }
            | Request::MenuLabel { .. } => self.menu(request),
            Request::SiteField { field, value } => self.site_field(field, value),
            Request::AddSection { kind, title, place } => {
                self.add_section(kind, title.as_deref(), place)
            }
            Request::AddItem {
                what,
                name,
                detail,
                place,
            } => self.add_item(what, (name.as_deref(), detail.as_deref()), place),
            Request::AddElement {
                what,
                text,
                target,
                place,
            } => self.add_element(what, (text.as_deref(), target.as_ref()), place),
            Request::Move { what, place } => self.relocate(what, place),
            Request::Swap { what } => self.swap(what),
            Request::Order { what, on } => self.order(what, on.as_ref()),
            Request::Copy { what, name, place } => self.copy(what, name.as_deref(), place),
            Request::Remove { what } => self.remove(what),
            Request::Hide { what, at } => self.hide(what, *at),
            Request::Show { what } => self.show(what),
            Request::Text { what, to } => self.text(what, to),
            Request::Replace {
                old,
                is_quoted,
                new,
                within,
                all,
            } => self.replace((old, *is_quoted), new, within.as_ref(), *all),
            Request::Link { what, target } => self.link(what, target),
            Request::Tag { what, level } => self.tag(what, *level),
            Request::Style { .. }
            | Request::Colour { .. }
            | Request::NewColour { .. }
            | Request::Font { .. }
            | Request::Scale { .. }
            | Request::Radius(_)
            | Request::Class { .. }
            | Request::Css(_)
            | Request::More { .. } => self.look(request),
            Request::Alt { what, text } => self.alt(what, text),
            Request::Source { what, source } => self.source(what, source),
            Request::Open { what } => self.open(what),
            Request::Undo { turns } => self.undo(*turns),
            Request::Redo => self.redo(),
            Request::Publish => self.publish(),
            Request::Again { what, place } => self.again(what.as_ref(), place.as_ref()),
            Request::Several(requests) => self.several(requests),
            Request::Question(question) => Ok(self.answer(question)),
            Request::Missing(what) => Err(say::missing(what, &self.view)),
            Request::Points { what } => Err(Outcome::Pointed(what.clone())),
            Request::Cannot(what) => Err(say::cannot(what)),
            Request::Leave(why) => Err(Outcome::Left(say::left(why))),
            Request::Mention { what } => self.mention(what),
        };
        planned.unwrap_or_else(|stopped| stopped)
    }

    /// Plans a request about the menu.
    fn menu(&mut self, request: &Request) -> Planned<Outcome> {
        match request {
            Request::MenuAdd {
                what,
                label,
                target,
                place,
            } => self.menu_add(what, (label.as_deref(), target.as_ref()), place),
            Request::MenuRemove { what } => self.menu_remove(what),
            Request::MenuOrder { labels } => self.menu_order(labels),
            Request::MenuMove { what, place } => self.menu_move(what, place),
            Request::MenuLabel { what, to } => self.menu_label(what, to),
            _ => Err(say::missing("what", &self.view)),
        }
    }

    /// Plans a request about looks.
    fn look(&mut self, request: &Request) -> Planned<Outcome> {
        match request {
            Request::Style { what, looks, at } => self.style(what, looks, *at),
            Request::Colour { token, value } => self.colour(token, value),
            Request::NewColour { name, value } => self.new_colour(name, value),
            Request::Font { role, family } => self.font(*role, family),
            Request::Scale { which, size } => self.scale(*which, size),
            Request::Radius(size) => self.radius(size),
            Request::Class {
                name,
                what,
                is_added,
            } => self.class(name, what, *is_added),
            Request::Css(css) => self.css(css),
            Request::More { looks } => self.more(looks),
            _ => Err(say::missing("what", &self.view)),
        }
    }

    fn several(&mut self, requests: &[Request]) -> Planned<Outcome> {
        let mut done = Vec::new();
        for request in requests {
            match self.plan(request) {
                Outcome::Done(words) => done.push(words),
                other => return Err(other),
            }
        }
        Ok(Outcome::Done(done.join(" ")))
    }

    fn mention(&mut self, what: &Phrase) -> Planned<Outcome> {
        let finder = self.finder();
        let hits = finder.preferred(
            finder.find(what),
            &[
                What::Page,
                What::Section,
                What::Item,
                What::Heading,
                What::Text,
                What::Button,
            ],
        );
        self.spoken.hits = hits;
        Ok(Outcome::Left(String::new()))
    }

    /// Notes a call and tells its number.
    fn call(&mut self, tool: &'static str, input: Value) -> usize {
        self.steps.push(Step {
            tool,
            input,
            request: self.request,
            elements_before: None,
        });
        self.steps.len() - 1
    }

    /// A call that puts something among the children of a node.
    fn call_at(&mut self, tool: &'static str, input: Value, elements_before: usize) -> usize {
        let step = self.call(tool, input);
        self.steps[step].elements_before = Some(elements_before);
        step
    }

    fn props(&mut self, spot: Spot, patch: Value) {
        let uid = self.view.node(spot).uid.clone();
        self.call("updateNodeProps", json!({ "nodeId": uid, "patch": patch }));
    }

    /// What is in a document's address, or nothing.
    fn path(&self, document: usize) -> String {
        self.view.documents[document]
            .path
            .clone()
            .unwrap_or_default()
    }

    fn title(&self, hit: Hit) -> String {
        self.view.document(hit.spot).title.clone()
    }

    /// Finds the things a phrase means, of the first of these kinds that fits; asks when it could be several and one is meant.
    fn hits(&self, said: &Phrase, order: &[What]) -> Planned<Vec<Hit>> {
        let finder = self.finder();
        let mut all = finder.find(said);
        if said.noun.is_none() && !said.is_pronoun && !said.is_quoted {
            // Words that are no name of anything on the site would fit many a text.
            all.retain(|hit| finder.is_exact(*hit, said));
        }
        let hits = if said.is_pronoun {
            all
        } else {
            finder.preferred(all, order)
        };
        if hits.is_empty() {
            return Err(self.nothing(said));
        }
        if hits.len() > 1 && said.many == Many::One && !said.is_pronoun {
            return self.picked(hits, said);
        }
        if said.many == Many::Two && hits.len() != 2 {
            return self.picked(hits, said);
        }
        Ok(hits)
    }

    fn hit(&self, said: &Phrase, order: &[What]) -> Planned<Hit> {
        let hits = self.hits(said, order)?;
        match hits.as_slice() {
            [only] => Ok(*only),
            _ => self.picked(hits, said).map(|hits| hits[0]),
        }
    }

    /// Asks which, or takes what the person answered.
    fn picked(&self, hits: Vec<Hit>, said: &Phrase) -> Planned<Vec<Hit>> {
        let labels: Vec<String> = hits.iter().map(|hit| self.label(*hit)).collect();
        let chosen: Vec<Hit> = match &self.pick {
            None => Vec::new(),
            Some(Pick::All) => hits.clone(),
            Some(Pick::Nth(-1)) => hits.last().copied().into_iter().collect(),
            Some(Pick::Nth(nth)) => usize::try_from(nth - 1)
                .ok()
                .and_then(|at| hits.get(at).copied())
                .into_iter()
                .collect(),
            Some(Pick::Words(words)) => {
                let fits = |label: &String| normal(label).contains(&normal(words));
                let fitting: Vec<Hit> = hits
                    .iter()
                    .zip(&labels)
                    .filter(|(_, label)| fits(label))
                    .map(|(hit, _)| *hit)
                    .collect();
                if fitting.len() == 1 {
                    fitting
                } else {
                    Vec::new()
                }
            }
        };
        if chosen.is_empty() {
            let mut choices = labels;
            choices.truncate(CHOICES_MAX);
            return Err(Outcome::Asked {
                question: format!(
                    "“{}” could mean {} things. Which one?",
                    said.said,
                    hits.len()
                ),
                choices,
            });
        }
        Ok(chosen)
    }

    /// A thing and where it is, for a list of choices.
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
        match hit.what {
            What::Page => format!("{word} {}", finder.name(hit)),
            What::MenuItem => format!("{word} {}", finder.name(hit)),
            _ => format!("{word} {} {}", finder.name(hit), finder.place(hit.spot)),
        }
    }

    /// Says that nothing fits, and what there is.
    fn nothing(&self, said: &Phrase) -> Outcome {
        if said.is_pronoun {
            return Outcome::Asked {
                question: format!(
                    "What do you mean by “{}”? Select it, or name it.",
                    said.said
                ),
                choices: Vec::new(),
            };
        }
        let here = &self.view.documents[self.here].title;
        match said.noun {
            Some(Noun::Page) => {
                let titles: Vec<&str> = self
                    .view
                    .pages()
                    .map(|(_, doc)| doc.title.as_str())
                    .collect();
                let name = said.name.as_deref().unwrap_or(&said.said);
                Outcome::Refused(format!(
                    "There is no page “{name}”. There are {}.",
                    titles.join(", ")
                ))
            }
            Some(Noun::Section | Noun::Kind(_)) => {
                let doc = &self.view.documents[self.here];
                let kinds: Vec<String> = doc
                    .sections()
                    .into_iter()
                    .map(|at| kind_word(&doc.kind_of(at)).to_owned())
                    .collect();
                let elsewhere = self.elsewhere(said);
                let has = match kinds.len() {
                    0 => "it is empty".to_owned(),
                    1 => format!("it has one section ({})", kinds[0]),
                    many => format!("it has {many} sections ({})", kinds.join(", ")),
                };
                Outcome::Refused(format!(
                    "There is no “{}” on {here}: {has}.{elsewhere}",
                    said.said
                ))
            }
            _ => Outcome::Refused(format!(
                "I cannot find “{}” on {here}.{}",
                said.said,
                self.elsewhere(said)
            )),
        }
    }

    /// Where a thing is when it is not on the page in front.
    fn elsewhere(&self, said: &Phrase) -> String {
        let mut titles = Vec::new();
        for (at, doc) in self.view.pages() {
            let there = Finder {
                here: at,
                ..self.finder()
            };
            if at != self.here && !there.find(said).is_empty() {
                titles.push(doc.title.as_str());
            }
        }
        if titles.is_empty() {
            String::new()
        } else {
            format!(" There is one on {}.", titles.join(", "))
        }
    }

    /// Where a link leads.
    fn address(&self, target: &Target) -> Planned<String> {
        match target {
            Target::Page(page) => {
                let hit = self.hit(page, &[What::Page])?;
                Ok(self.path(hit.spot.document))
            }
            Target::Address(address) => {
                let is_safe = ["/", "https://", "http://", "mailto:", "tel:", "#"]
                    .iter()
                    .any(|start| address.starts_with(start))
                    && !address.contains(['"', '<', '>', ' ']);
                if is_safe {
                    Ok(address.clone())
                } else {
                    Err(Outcome::Refused(format!(
                        "I cannot use “{address}” as an address. It must begin with / or https://."
                    )))
                }
            }
        }
    }
}
