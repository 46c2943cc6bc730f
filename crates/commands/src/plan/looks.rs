//! Looks: tokens and scales first, then rules for classes, then rules for one element.

use serde_json::{Value, json};

use super::super::colours;
use super::super::find::{Hit, What};
use super::super::noun::{Many, Noun, Phrase};
use super::super::request::{ColourToken, Family, FontRole, Look, Shade, Size, Which};
use super::super::say;
use super::super::site_view::{Named, Spot, pixels};
use super::{Outcome, Planned, Planner};

/// What a rule is written for.
enum Subject {
    /// One element.
    Node(Hit),
    /// All that a selector fits.
    Selector(String, What),
}

const BOXES_FIRST: &[What] = &[
    What::Section,
    What::Item,
    What::Heading,
    What::Text,
    What::Button,
    What::Image,
    What::Link,
    What::Element,
];
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
    ) -> Planned<Outcome> {
        if what.noun == Some(Noun::Text) && what.is_bare() && !what.points {
            return Err(say::missing("what", &self.view));
        }
        if what.within.iter().any(|outer| outer.is_pronoun) && what.noun == Some(Noun::Text) {
            return self.text_below(looks);
        }
        if what.is_pronoun && self.selected.is_none() && self.spoken.hits.is_empty() {
            return Err(self.nothing(what));
        }
        let subjects = self.subjects(what, looks)?;
        let mut names = Vec::new();
        for subject in &subjects {
            for look in looks {
                let declarations = self.declarations(subject, look)?;
                for (property, value) in declarations {
                    self.write(subject, (&property, &value), at);
                }
            }
            names.push(match subject {
                Subject::Node(hit) => self.finder().name(*hit),
                Subject::Selector(selector, _) => selector.clone(),
            });
        }
        self.spoken.hits = subjects
            .iter()
            .filter_map(|subject| match subject {
                Subject::Node(hit) => Some(*hit),
                Subject::Selector(..) => None,
            })
            .collect();
        let on = at.map(|at| format!(" on {at}")).unwrap_or_default();
        Ok(Outcome::Done(format!(
            "Changed how {} looks{on}.",
            names.join(", ")
        )))
    }

    /// "smaller text below it": the paragraph behind the heading that was spoken of.
    fn text_below(&mut self, looks: &[Look]) -> Planned<Outcome> {
        let said = Phrase::it();
        let hit = self.hit(&said, &[])?;
        let doc = self.view.document(hit.spot);
        let (parent, index) = doc
            .index(hit.spot.node)
            .ok_or_else(|| self.nothing(&said))?;
        let behind = doc.nodes[parent].children.iter().skip(index + 1).copied();
        let below = behind
            .into_iter()
            .find(|at| doc.nodes[*at].tag == "p")
            .ok_or_else(|| self.nothing(&said))?;
        let spot = Spot {
            node: below,
            ..hit.spot
        };
        self.spoken.hits = vec![Hit {
            what: What::Text,
            spot,
        }];
        let selected = self.selected.take();
        let done = self.style(&Phrase::it(), looks, None);
        self.selected = selected;
        done
    }

    /// What is meant: one thing, or a class that all of a kind share.
    fn subjects(&self, what: &Phrase, looks: &[Look]) -> Planned<Vec<Subject>> {
        let is_plural = what.many == Many::All || is_plural(&what.said);
        let is_gap = looks
            .iter()
            .any(|look| matches!(look, Look::LessGap | Look::MoreGap));
        let has_rule = |selector: &str| {
            self.view
                .rules
                .iter()
                .any(|rule| rule.selectors.iter().any(|known| known == selector))
        };
        let selector =
            |selector: &str, what: What| vec![Subject::Selector(selector.to_owned(), what)];
        match what.noun {
            Some(Noun::Item(_)) if is_gap && has_rule(".grid") => {
                return Ok(selector(".grid", What::Element));
            }
            Some(Noun::Button) if is_plural && what.within.is_empty() && has_rule(".button") => {
                return Ok(selector(".button", What::Button));
            }
            Some(Noun::Item(_)) if is_plural && what.name.is_none() && has_rule(".card") => {
                return Ok(selector(".card", What::Item));
            }
            Some(Noun::Link) if is_plural && what.within.is_empty() => {
                return Ok(selector("a", What::Link));
            }
            Some(Noun::Price) if is_plural && what.within.is_empty() && has_rule(".price") => {
                return Ok(selector(".price", What::Text));
            }
            Some(Noun::Menu) => return self.menu_subject(),
            Some(Noun::Text) if what.within.iter().any(is_menu) => return self.menu_subject(),
            Some(Noun::Heading(None))
                if is_plural && what.within.is_empty() && what.name.is_none() =>
            {
                let levels = ["h1", "h2", "h3"].into_iter();
                return Ok(levels
                    .map(|level| Subject::Selector(level.to_owned(), What::Heading))
                    .collect());
            }
            Some(Noun::Site | Noun::Everything) => return Err(say::missing("what", &self.view)),
            _ => {}
        }
        let is_size = looks
            .iter()
            .any(|look| matches!(look, Look::Bigger | Look::Smaller | Look::Bold));
        let by_text = what.noun.is_none() && (is_size || what.is_quoted);
        let order = if by_text { TEXTS_FIRST } else { BOXES_FIRST };
        let hits = self.hits(what, order)?;
        if hits.iter().any(|hit| hit.what == What::Page) {
            return Err(say::missing("what", &self.view));
        }
        Ok(hits.into_iter().map(Subject::Node).collect())
    }

    fn menu_subject(&self) -> Planned<Vec<Subject>> {
        let (list, _) = self
            .view
            .menu()
            .ok_or_else(|| Outcome::Refused("I cannot find a menu.".to_owned()))?;
        Ok(vec![Subject::Node(Hit {
            what: What::Element,
            spot: list,
        })])
    }

    fn write(
        &mut self,
        subject: &Subject,
        (property, value): (&str, &str),
        at: Option<&'static str>,
    ) {
        match subject {
            Subject::Node(hit) => {
                let uid = self.view.node(hit.spot).uid.clone();
                let mut patch = serde_json::Map::new();
                patch.insert(format!("style.{property}"), json!(value));
                let mut input = json!({ "nodeId": uid, "patch": Value::Object(patch) });
                if let Some(at) = at {
                    input["breakpointId"] = json!(at);
                }
                self.call("updateNodeProps", input);
            }
            Subject::Selector(selector, _) => {
                self.call(
                    "applyCss",
                    json!({ "css": format!("{selector} {{ {property}: {value} }}") }),
                );
            }
        }
    }

    /// What a look means for a subject, as declarations.
    fn declarations(&self, subject: &Subject, look: &Look) -> Planned<Vec<(String, String)>> {
        let what = match subject {
            Subject::Node(hit) => hit.what,
            Subject::Selector(_, what) => *what,
        };
        let one = |property: &str, value: String| Ok(vec![(property.to_owned(), value)]);
        match look {
            Look::Colour(colour) => {
                let behind = matches!(what, What::Button | What::Section | What::Item);
                one(
                    if behind { "background-color" } else { "color" },
                    self.value(colour)?,
                )
            }
            Look::TextColour(colour) => one("color", self.value(colour)?),
            Look::Background(colour) => one("background-color", self.value(colour)?),
            Look::Bigger | Look::Smaller if what == What::Image => {
                let width = self
                    .declared(subject, "width")
                    .and_then(|width| pixels(&width))
                    .unwrap_or(160.0);
                let factor = if *look == Look::Bigger { 1.5 } else { 0.66 };
                one("width", format!("{}px", (width * factor).round()))
            }
            Look::Bigger => one("font-size", self.sized(subject, 1)),
            Look::Smaller => one("font-size", self.sized(subject, -1)),
            Look::Bold => one("font-weight", "bold".to_owned()),
            Look::Rounder => {
                let now = self
                    .declared(subject, "border-radius")
                    .and_then(|value| self.radius_of(&value));
                let now = now.or_else(|| self.root_radius()).unwrap_or(4.0);
                one("border-radius", format!("{}px", (now * 2.0).max(8.0)))
            }
            Look::Darker | Look::Lighter => {
                let property = if matches!(what, What::Button | What::Section | What::Item) {
                    "background-color"
                } else {
                    "color"
                };
                let now = self
                    .declared(subject, property)
                    .map(|value| self.resolved(&value));
                let towards = if *look == Look::Darker { 0.0 } else { 255.0 };
                let shaded = now.and_then(|now| colours::shaded(&now, towards, 0.2));
                let shaded = shaded.ok_or_else(|| say::missing("colour", &self.view))?;
                one(property, shaded)
            }
            Look::MorePadding => one("padding", self.spaced(subject, "padding", 1)),
            Look::LessPadding => one("padding", self.spaced(subject, "padding", -1)),
            Look::MoreGap => one("gap", self.spaced(subject, "gap", 1)),
            Look::LessGap => one("gap", self.spaced(subject, "gap", -1)),
            Look::Property(property, value) => one(property, value.clone()),
        }
    }

    /// A colour of the site by how it looks: "the beige one".
    fn value(&self, colour: &str) -> Planned<String> {
        let Some(family) = colour.strip_prefix("family:") else {
            return Ok(colour.to_owned());
        };
        let mut own = self.view.colours.iter().filter(|token| {
            !token.name.contains('-') && colours::family(&token.value) == Some(family)
        });
        match (own.next(), own.next()) {
            (Some(only), None) => Ok(only.variable.clone()),
            _ => Err(say::missing("colour", &self.view)),
        }
    }

    /// What the rules of the site say for a subject, where they do.
    fn declared(&self, subject: &Subject, property: &str) -> Option<String> {
        let fits = |selector: &str| match subject {
            Subject::Selector(own, _) => u8::from(selector == own),
            Subject::Node(hit) => {
                let node = self.view.node(hit.spot);
                let is_class = selector
                    .strip_prefix('.')
                    .is_some_and(|class| node.classes().any(|own| own == class));
                if is_class {
                    2
                } else {
                    u8::from(selector == node.tag)
                }
            }
        };
        let mut best: Option<(u8, String)> = None;
        for rule in &self.view.rules {
            let weight = rule
                .selectors
                .iter()
                .map(|selector| fits(selector))
                .max()
                .unwrap_or(0);
            let value = rule
                .declarations
                .iter()
                .rev()
                .find(|(name, _)| name == property)
                .map(|(_, value)| value);
            if let Some(value) = value
                && weight > 0
                && best.as_ref().is_none_or(|(known, _)| weight >= *known)
            {
                best = Some((weight, value.clone()));
            }
        }
        best.map(|(_, value)| value)
    }

    /// A value with the variable of a token replaced by what it is.
    fn resolved(&self, value: &str) -> String {
        let token = self
            .view
            .colours
            .iter()
            .find(|token| token.variable == value.trim());
        token.map_or_else(|| value.to_owned(), |token| token.value.clone())
    }

    /// A step of the type scale up or down from what holds.
    fn sized(&self, subject: &Subject, by: isize) -> String {
        let now = self
            .declared(subject, "font-size")
            .unwrap_or_else(|| "var(--text-m)".to_owned());
        stepped(&now, &self.view.type_steps, by).unwrap_or_else(|| scaled(&now, by))
    }

    fn spaced(&self, subject: &Subject, property: &str, by: isize) -> String {
        let now = self
            .declared(subject, property)
            .unwrap_or_else(|| "var(--space-m)".to_owned());
        let parts = now.split_whitespace().map(|part| {
            stepped(part, &self.view.space_steps, by).unwrap_or_else(|| scaled(part, by))
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    fn radius_of(&self, value: &str) -> Option<f64> {
        if value.trim() == "var(--radius)" {
            self.root_radius()
        } else {
            pixels(value)
        }
    }

    /// The radius that the site names for all corners.
    pub(super) fn root_radius(&self) -> Option<f64> {
        let rules = self
            .view
            .rules
            .iter()
            .filter(|rule| rule.selectors.iter().any(|selector| selector == ":root"));
        let mut values = rules
            .flat_map(|rule| &rule.declarations)
            .filter(|(name, _)| name == "--radius");
        values.next().and_then(|(_, value)| pixels(value))
    }

    /// The token of a colour: by its slug, its role, or what it looks like.
    fn token(&self, token: &ColourToken) -> Planned<Named> {
        let slugs: Vec<&str> = match token {
            ColourToken::Role("primary") => vec!["primary", "brand", "main"],
            ColourToken::Role("ink") => vec!["ink", "text", "foreground"],
            ColourToken::Role("background") => vec!["background", "bg", "base"],
            ColourToken::Role(role) => vec![role],
            ColourToken::Named(name) => vec![name.as_str()],
        };
        let by_slug = slugs
            .iter()
            .find_map(|slug| self.view.colours.iter().find(|known| known.name == *slug));
        if let Some(found) = by_slug {
            return Ok(found.clone());
        }
        let base: Vec<&Named> = self
            .view
            .colours
            .iter()
            .filter(|known| !known.name.contains('-'))
            .collect();
        if let ColourToken::Named(name) = token {
            let looks_so: Vec<&&Named> = base
                .iter()
                .filter(|known| colours::family(&known.value) == Some(name))
                .collect();
            if let [only] = looks_so.as_slice() {
                return Ok((**only).clone());
            }
        }
        let names: Vec<&str> = base.iter().map(|known| known.name.as_str()).collect();
        let has = if names.is_empty() {
            format!(
                "The site has no colours of its own yet; say “add a colour called {}” with its value first.",
                slugs[0]
            )
        } else {
            format!("The site has {}.", names.join(", "))
        };
        Err(Outcome::Refused(format!(
            "I cannot find the colour “{}”. {has}",
            slugs[0]
        )))
    }

    pub(super) fn colour(&mut self, token: &ColourToken, value: &Shade) -> Planned<Outcome> {
        let token = self.token(token)?;
        let value = match value {
            Shade::Value(value) => value.clone(),
            Shade::Darker | Shade::Lighter => {
                let towards = if *value == Shade::Darker { 0.0 } else { 255.0 };
                colours::shaded(&token.value, towards, 0.25).ok_or_else(|| {
                    Outcome::Refused(format!(
                        "I cannot read the colour {} to shade it; give a colour instead.",
                        token.value
                    ))
                })?
            }
        };
        self.call(
            "set_color_tokens",
            json!({ "tokens": [{ "slug": token.name, "lightValue": value }] }),
        );
        for known in &mut self.view.colours {
            if known.name == token.name {
                known.value.clone_from(&value);
            }
        }
        self.spoken.colour = Some(token.name.clone());
        Ok(Outcome::Done(format!(
            "The colour {} is {value} now, wherever it is used.",
            token.name
        )))
    }

    pub(super) fn new_colour(&mut self, name: &str, value: &str) -> Planned<Outcome> {
        if self.view.colours.iter().any(|known| known.name == name) {
            return Err(Outcome::Asked {
                question: format!(
                    "There is a colour “{name}” already. Shall I change it? Then say: set {name} to {value}."
                ),
                choices: Vec::new(),
            });
        }
        self.call(
            "set_color_tokens",
            json!({ "tokens": [{ "slug": name, "lightValue": value }] }),
        );
        Ok(Outcome::Done(format!("Added the colour {name}, {value}.")))
    }

    /// The font token of a role, by its name.
    fn font_of(&self, role: FontRole) -> Option<Named> {
        let words: &[&str] = match role {
            FontRole::Headings => &["heading", "display", "title"],
            FontRole::Body | FontRole::All => &["body", "text", "base"],
        };
        let mut fonts = self.view.fonts.iter();
        fonts
            .find(|font| {
                words
                    .iter()
                    .any(|word| font.name.to_lowercase().contains(word))
            })
            .cloned()
    }

    pub(super) fn font(&mut self, role: FontRole, family: &Family) -> Planned<Outcome> {
        let value = match family {
            Family::Named(name) => stack(name),
            Family::SansSerif => "system-ui, sans-serif".to_owned(),
            Family::SameAs(other) => self
                .font_of(*other)
                .map(|font| font.value)
                .ok_or_else(|| say::missing("font", &self.view))?,
        };
        let is_system = |known: &str| {
            super::super::grammar::SYSTEM_FONTS
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case(known))
        };
        let is_installed = matches!(family, Family::Named(name) if !is_system(name));
        let roles = match role {
            FontRole::All => vec![FontRole::Headings, FontRole::Body],
            one => vec![one],
        };
        let mut names = Vec::new();
        for role in roles {
            let font = self.font_of(role).ok_or_else(|| {
                Outcome::Refused(
                    "I cannot find a font token for that; the site has none.".to_owned(),
                )
            })?;
            let variable = font
                .variable
                .trim_start_matches("var(--")
                .trim_end_matches(')')
                .to_owned();
            names.push(font.name.clone());
            let mut token = json!({ "name": font.name, "variable": variable });
            let field = if is_installed {
                "googleFamily"
            } else {
                "fallback"
            };
            token[field] = json!(value);
            self.call("set_font_tokens", json!({ "tokens": [token] }));
        }
        Ok(Outcome::Done(format!(
            "The font of {} is {value} now.",
            names.join(" and ")
        )))
    }

    pub(super) fn scale(&mut self, which: Which, size: &Size) -> Planned<Outcome> {
        let (base, tool, field, word) = match which {
            Which::Type => (self.view.type_base, "set_type_scale", "fontSize", "text"),
            Which::Space => (self.view.space_base, "set_spacing_scale", "size", "space"),
        };
        let Some((narrow, wide)) = base else {
            return Err(Outcome::Refused(format!(
                "I cannot do that: the site has no scale of {word}."
            )));
        };
        let half = |size: f64| (size * 2.0).round() / 2.0;
        let (narrow, wide) = match size {
            Size::Larger => (half(narrow * 1.125), half(wide * 1.125)),
            Size::Smaller => (half(narrow * 0.89), half(wide * 0.89)),
            Size::Value(number) => {
                let wanted = if number.unit == "rem" {
                    number.value * 16.0
                } else {
                    number.value
                };
                if !(4.0..=200.0).contains(&wanted) {
                    return Err(Outcome::Refused(format!(
                        "I cannot use {wanted} as a size; give 4 to 200 pixels."
                    )));
                }
                if (wanted - wide).abs() < 0.01 {
                    return Ok(Outcome::Told(format!(
                        "The base size of {word} is {wanted} px already."
                    )));
                }
                (half(narrow * wanted / wide), wanted)
            }
        };
        let end = |size: f64| {
            let mut end = serde_json::Map::new();
            end.insert(field.to_owned(), json!(size));
            Value::Object(end)
        };
        self.call(tool, json!({ "min": end(narrow), "max": end(wide) }));
        Ok(Outcome::Done(format!(
            "The base size of {word} is {narrow} px on narrow and {wide} px on wide screens now."
        )))
    }

    pub(super) fn radius(&mut self, size: &Size) -> Planned<Outcome> {
        let Some(now) = self.root_radius() else {
            return Err(Outcome::Refused(
                "I cannot do that: the site has no common radius (--radius).".to_owned(),
            ));
        };
        let value = match size {
            Size::Larger => (now * 2.0).max(4.0),
            Size::Smaller => (now / 2.0).floor(),
            Size::Value(number) => number.value,
        };
        let unit = match size {
            Size::Value(number) if !number.unit.is_empty() => number.unit.clone(),
            _ => "px".to_owned(),
        };
        let value = format!("{value}{unit}");
        self.call(
            "applyCss",
            json!({ "css": format!(":root {{ --radius: {value} }}") }),
        );
        Ok(Outcome::Done(format!(
            "The radius of corners is {value} now, wherever it is used."
        )))
    }

    pub(super) fn class(&mut self, name: &str, what: &Phrase, is_added: bool) -> Planned<Outcome> {
        let hit = self.hit(
            what,
            &[
                What::Section,
                What::Item,
                What::Button,
                What::Heading,
                What::Text,
                What::Image,
                What::Link,
                What::Element,
            ],
        )?;
        let label = self.finder().name(hit);
        let uid = self.view.node(hit.spot).uid.clone();
        let tool = if is_added {
            "assignClass"
        } else {
            "removeClass"
        };
        self.call(tool, json!({ "nodeId": uid, "classId": name }));
        Ok(Outcome::Done(format!(
            "{} the class {name} {} {label}.",
            if is_added { "Put" } else { "Took" },
            if is_added { "on" } else { "off" }
        )))
    }

    pub(super) fn css(&mut self, css: &str) -> Planned<Outcome> {
        self.call("applyCss", json!({ "css": css }));
        Ok(Outcome::Done("Wrote this rule.".to_owned()))
    }
}

fn is_menu(what: &Phrase) -> bool {
    what.noun == Some(Noun::Menu)
}

/// A font with what stands in for it; a family that systems do not have is to be installed.
fn stack(name: &str) -> String {
    let fonts = super::super::grammar::SYSTEM_FONTS;
    match fonts
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
    {
        Some((name, "")) => (*name).to_owned(),
        Some((name, fallback)) if name.contains(' ') => format!("\"{name}\", {fallback}"),
        Some((name, fallback)) => format!("{name}, {fallback}"),
        None => name.to_owned(),
    }
}

/// Whether all of a kind are meant.
fn is_plural(said: &str) -> bool {
    let plurals = [
        "buttons", "cards", "headings", "links", "prices", "boxes", "titles", "images", "pictures",
    ];
    let said = said.to_lowercase();
    said.split(' ').any(|word| plurals.contains(&word))
}

/// The next step of a scale, when the value is one of its steps.
fn stepped(value: &str, steps: &[String], by: isize) -> Option<String> {
    let at = steps.iter().position(|step| step == value.trim())?;
    let to = at.checked_add_signed(by)?;
    steps.get(to).cloned()
}

/// A size a quarter larger or a fifth smaller.
fn scaled(value: &str, by: isize) -> String {
    let factor = if by > 0 { "1.25" } else { "0.8" };
    match pixels(value) {
        Some(pixels) => format!(
            "{}px",
            (pixels * if by > 0 { 1.25 } else { 0.8 } * 10.0).round() / 10.0
        ),
        None => format!("calc({value} * {factor})"),
    }
}
