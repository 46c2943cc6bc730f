//! Plans styling: steps of the site's scales where it has some, rules for classes, rules for one element.

use std::collections::BTreeMap;

use super::super::call::Call;
use super::super::colours;
use super::super::draft::Spot;
use super::super::find::{BOXES_FIRST, Hit, What};
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{Look, MissingPart};
use super::{Outcome, PlanResult, Planner, done, refuse};

/// What a rule applies to.
enum Subject {
    Node(Hit),
    /// Everything that matches a selector.
    Selector(String, What),
}

impl Subject {
    fn what(&self) -> What {
        match self {
            Self::Node(hit) => hit.what,
            Self::Selector(_, what) => *what,
        }
    }

    /// The property that "make it red" sets: for a box it is the background.
    fn colour_property(&self) -> &'static str {
        match self.what() {
            What::Button | What::Section | What::Item => "background-color",
            _ => "color",
        }
    }
}

const TEXTS_FIRST: &[What] = &[
    What::Heading,
    What::Text,
    What::Button,
    What::Link,
    What::Item,
    What::Section,
    What::Image,
];

impl Planner<'_> {
    pub(super) fn style(
        &mut self,
        what: &Phrase,
        looks: &[Look],
        at: Option<&'static str>,
    ) -> PlanResult<Outcome> {
        if what.noun == Some(Noun::Text) && what.is_bare() && !what.points {
            return self.missing(MissingPart::What);
        }
        let mut names = Vec::new();
        let mut hits = Vec::new();
        for subject in self.subjects(what, looks)? {
            for look in looks {
                let (property, value) = self.declaration(&subject, look)?;
                self.write(&subject, property, &value, at);
            }
            names.push(match &subject {
                Subject::Node(hit) => self.finder().name(*hit),
                Subject::Selector(selector, _) => selector.clone(),
            });
            if let Subject::Node(hit) = subject {
                hits.push(hit);
            }
        }
        self.recent = hits;
        let on = at.map(|at| format!(" on {at}")).unwrap_or_default();
        done(format!("Changed the style of {}{on}.", names.join(", ")))
    }

    /// What to style: the things that were found, or all of a kind, by the class they share or their tag.
    fn subjects(&self, what: &Phrase, looks: &[Look]) -> PlanResult<Vec<Subject>> {
        let is_all = (what.many == Many::All || is_plural(&what.said)) && what.within.is_empty();
        let is_gap = looks
            .iter()
            .any(|look| matches!(look, Look::LessGap | Look::MoreGap));
        let in_menu = what
            .within
            .iter()
            .any(|outer| outer.noun == Some(Noun::Menu));
        match what.noun {
            Some(Noun::Menu) => return self.menu_subject(),
            Some(Noun::Text) if in_menu => return self.menu_subject(),
            Some(Noun::Link) if is_all => {
                return Ok(vec![Subject::Selector("a".to_owned(), What::Link)]);
            }
            Some(Noun::Heading(None)) if is_all && what.name.is_none() => {
                let levels = ["h1", "h2", "h3"].into_iter();
                let levels = levels.map(|tag| Subject::Selector(tag.to_owned(), What::Heading));
                return Ok(levels.collect());
            }
            Some(Noun::Site | Noun::Everything) => return self.missing(MissingPart::What),
            Some(Noun::Item(_)) if is_gap => {
                let shared = self.shared_rule(what, true);
                return shared.map_or_else(|| self.missing(MissingPart::What), |one| Ok(vec![one]));
            }
            Some(Noun::Button | Noun::Item(_) | Noun::Price) if is_all && what.name.is_none() => {
                if let Some(shared) = self.shared_rule(what, false) {
                    return Ok(vec![shared]);
                }
            }
            _ => {}
        }
        let is_size = looks
            .iter()
            .any(|look| matches!(look, Look::Bigger | Look::Smaller | Look::Bold));
        let by_text = what.noun.is_none() && (is_size || what.is_quoted);
        let hits = self.hits(what, if by_text { TEXTS_FIRST } else { BOXES_FIRST })?;
        if hits.iter().any(|hit| hit.what == What::Page) {
            return self.missing(MissingPart::What);
        }
        Ok(hits.into_iter().map(Subject::Node).collect())
    }

    /// The class with a rule of its own that most things of a kind have, or, with `around`, most of their parents.
    fn shared_rule(&self, what: &Phrase, around: bool) -> Option<Subject> {
        let everywhere = Phrase {
            within: vec![Phrase::of_noun(Noun::Everything, "everywhere")],
            many: Many::All,
            ..what.clone()
        };
        let hits = self.finder().find(&everywhere);
        let classes = hits.iter().flat_map(|hit| {
            let doc = self.doc(hit.spot.body);
            let node = if around {
                doc.parent(hit.spot.node)
            } else {
                Some(hit.spot.node)
            };
            let classes = node.map_or("", |node| doc.classes(node));
            classes.split_ascii_whitespace()
        });
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for class in classes {
            *counts.entry(class).or_default() += 1;
        }
        let ruled = counts
            .into_iter()
            .map(|(class, count)| (format!(".{class}"), count))
            .filter(|(selector, _)| self.draft.has_rule(selector));
        let (selector, count) = ruled.max_by_key(|(_, count)| *count)?;
        let kind = if around { What::Element } else { hits[0].what };
        (count * 2 >= hits.len()).then_some(Subject::Selector(selector, kind))
    }

    fn menu_subject(&self) -> PlanResult<Vec<Subject>> {
        match self.draft.menu() {
            Some((list, _)) => Ok(vec![Subject::Node(Hit {
                what: What::Element,
                spot: list,
            })]),
            None => refuse("I can’t find a menu."),
        }
    }

    fn write(&mut self, subject: &Subject, property: &str, value: &str, at: Option<&str>) {
        match subject {
            Subject::Node(hit) => {
                self.set_prop_at(hit.spot, &format!("style.{property}"), value, at);
            }
            Subject::Selector(selector, _) => {
                let css = format!("{selector} {{ {property}: {value} }}");
                self.call(Call::ApplyCss { css });
            }
        }
    }

    /// The property and value that a look means for a subject.
    fn declaration<'l>(&self, subject: &Subject, look: &'l Look) -> PlanResult<(&'l str, String)> {
        let spaced = |property, by| (property, self.spacing(subject, property, by));
        Ok(match look {
            Look::Colour(colour) => (subject.colour_property(), self.colour_value(colour)?),
            Look::TextColour(colour) => ("color", self.colour_value(colour)?),
            Look::Background(colour) => ("background-color", self.colour_value(colour)?),
            Look::Bigger | Look::Smaller if subject.what() == What::Image => {
                let width = self.declared_value(subject, "width");
                let width = width.and_then(|width| pixels(&width)).unwrap_or(160.0);
                let factor = if *look == Look::Bigger { 1.5 } else { 0.66 };
                ("width", format!("{}px", (width * factor).round()))
            }
            Look::Bigger => ("font-size", self.font_size(subject, 1)),
            Look::Smaller => ("font-size", self.font_size(subject, -1)),
            Look::Bold => ("font-weight", "bold".to_owned()),
            Look::Rounder => {
                let now = self.declared_value(subject, "border-radius");
                let now = now.and_then(|value| match value.trim() {
                    "var(--radius)" => self.root_radius(),
                    value => pixels(value),
                });
                let now = now.or_else(|| self.root_radius()).unwrap_or(4.0);
                ("border-radius", format!("{}px", (now * 2.0).max(8.0)))
            }
            Look::Darker | Look::Lighter => {
                let property = subject.colour_property();
                let now = self.declared_value(subject, property);
                let now = now.map(|value| self.token_value(&value));
                let towards = if *look == Look::Darker { 0.0 } else { 255.0 };
                match now.and_then(|now| colours::shade(&now, towards, 0.2)) {
                    Some(shaded) => (property, shaded),
                    None => return self.missing(MissingPart::Colour),
                }
            }
            Look::MorePadding => spaced("padding", 1),
            Look::LessPadding => spaced("padding", -1),
            Look::MoreGap => spaced("gap", 1),
            Look::LessGap => spaced("gap", -1),
            Look::Property(property, value) => (property, value.clone()),
        })
    }

    /// The value that the site's rules set for a subject, if they do; a class takes precedence over a tag.
    fn declared_value(&self, subject: &Subject, property: &str) -> Option<String> {
        let weight = |selector: &str| match subject {
            Subject::Selector(own, _) => u8::from(selector == own),
            Subject::Node(hit) => self.selector_weight(hit.spot, selector),
        };
        let mut best: Option<(u8, &str)> = None;
        for (selectors, declarations) in self.draft.rules() {
            let weight = selectors.into_iter().map(weight).max().unwrap_or(0);
            let mut values = declarations.into_iter().rev();
            let value = values.find(|(name, _)| *name == property);
            let least = best.map_or(1, |(known, _)| known);
            if let Some((_, value)) = value.filter(|_| weight >= least) {
                best = Some((weight, value));
            }
        }
        best.map(|(_, value)| value.to_owned())
    }

    fn selector_weight(&self, spot: Spot, selector: &str) -> u8 {
        let doc = self.doc(spot.body);
        match selector.strip_prefix('.') {
            Some(class) if doc.has_class(spot.node, |own| own == class) => 2,
            _ => u8::from(selector == doc.tag(spot.node)),
        }
    }

    /// The font size one step of the type scale up or down from the current one.
    fn font_size(&self, subject: &Subject, by: isize) -> String {
        let now = self.declared_value(subject, "font-size");
        let now = now.unwrap_or_else(|| "var(--text-m)".to_owned());
        next_step(&now, &self.type_steps(), by)
    }

    fn spacing(&self, subject: &Subject, property: &str, by: isize) -> String {
        let now = self.declared_value(subject, property);
        let now = now.unwrap_or_else(|| "var(--space-m)".to_owned());
        let steps = self.space_steps();
        let parts = now.split_whitespace();
        let parts = parts.map(|part| next_step(part, &steps, by));
        parts.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn add_class(&mut self, name: &str, what: &Phrase) -> PlanResult<Outcome> {
        let hit = self.hit(what, BOXES_FIRST)?;
        let label = self.finder().name(hit);
        self.call(Call::AssignClass {
            node_id: hit.spot.node,
            class_id: name.to_owned(),
        });
        done(format!("Added the class {name} to {label}."))
    }

    pub(super) fn remove_class(&mut self, name: &str, what: &Phrase) -> PlanResult<Outcome> {
        let hit = self.hit(what, BOXES_FIRST)?;
        let label = self.finder().name(hit);
        self.call(Call::RemoveClass {
            node_id: hit.spot.node,
            class_id: name.to_owned(),
        });
        done(format!("Removed the class {name} from {label}."))
    }

    pub(super) fn css(&mut self, css: &str) -> PlanResult<Outcome> {
        let css = css.to_owned();
        self.call(Call::ApplyCss { css });
        done("Added this rule.")
    }
}

/// A length in pixels.
pub(super) fn pixels(length: &str) -> Option<f64> {
    let length = length.trim();
    let number = |text: &str| text.trim().parse::<f64>().ok();
    match length.strip_suffix("rem") {
        Some(rem) => number(rem).map(|rem| rem * 16.0),
        None => number(length.strip_suffix("px").unwrap_or(length)),
    }
}

/// Whether all things of a kind are meant.
fn is_plural(said: &str) -> bool {
    let plurals = [
        "buttons", "cards", "headings", "links", "prices", "boxes", "titles", "images", "pictures",
    ];
    let said = said.to_lowercase();
    said.split(' ').any(|word| plurals.contains(&word))
}

/// The next step of a scale, or a size a quarter larger or a fifth smaller when the value is not one of its steps.
fn next_step(value: &str, steps: &[String], by: isize) -> String {
    let at = steps.iter().position(|step| step == value.trim());
    let to = at.and_then(|at| at.checked_add_signed(by));
    if let Some(step) = to.and_then(|to| steps.get(to)) {
        return step.clone();
    }
    let factor = if by > 0 { 1.25 } else { 0.8 };
    match pixels(value) {
        Some(pixels) => format!("{}px", (pixels * factor * 10.0).round() / 10.0),
        None => format!("calc({value} * {factor})"),
    }
}
