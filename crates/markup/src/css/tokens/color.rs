//! Colour tokens: a value for light pages and one for dark pages, with variants of both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lock;

use super::color_value::{Color, mix, see_through};
use super::{Sheet, TokenProblem, check_name, check_value};

/// A colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ColorToken {
    /// The name of its variable, without dashes.
    pub slug: String,
    /// Its value, in any notation of CSS.
    pub light_value: String,
    /// Its value on dark pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dark_value: Option<String>,
    /// Whether the dark value is used.
    #[serde(default)]
    pub dark_mode_enabled: bool,
    /// The group it is listed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How many darker variants it has, up to 12.
    #[serde(default = "four")]
    pub shades: u8,
    /// How many lighter variants it has, up to 12.
    #[serde(default = "four")]
    pub tints: u8,
    /// Whether it has see-through variants.
    #[serde(default = "yes")]
    pub alpha: bool,
    /// Which utility classes it has.
    #[serde(default)]
    pub utilities: Utilities,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

fn four() -> u8 {
    4
}

fn yes() -> bool {
    true
}

/// Which utility classes a colour has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Utilities {
    /// `.text-…`
    pub text: bool,
    /// `.bg-…`
    pub background: bool,
    /// `.border-…`
    pub border: bool,
    /// `.fill-…`
    pub fill: bool,
}

impl Default for Utilities {
    fn default() -> Self {
        Self {
            text: true,
            background: true,
            border: true,
            fill: false,
        }
    }
}

/// A colour token or one of its variants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColorVariant {
    /// The variable, without dashes.
    pub variable: String,
    pub light: String,
    /// The value on dark pages, if there is one.
    pub dark: Option<String>,
    pub classes: Vec<String>,
}

const VARIANTS_MAX: u8 = 12;
const ALPHA_PERCENTS: [u8; 10] = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90];

impl ColorToken {
    /// A colour with the usual variants.
    pub fn new(slug: &str, light_value: &str) -> Self {
        Self {
            slug: slug.to_owned(),
            light_value: light_value.to_owned(),
            dark_value: None,
            dark_mode_enabled: false,
            category: None,
            shades: four(),
            tints: four(),
            alpha: yes(),
            utilities: Utilities::default(),
            lock: Lock::Open,
        }
    }

    /// The colour itself, then its transparent variants, shades and tints.
    pub fn variants(&self) -> Result<Vec<ColorVariant>, TokenProblem> {
        check_name(&self.slug)?;
        check_value(&self.light_value)?;
        let dark = self.dark_value.as_ref().filter(|_| self.dark_mode_enabled);
        if let Some(dark) = dark {
            check_value(dark)?;
        }
        let light = Source::of(&self.light_value);
        let dark = dark.map(|dark| Source::of(dark));
        let mut steps = vec![Step::Same];
        if self.alpha {
            steps.extend(ALPHA_PERCENTS.map(Step::Alpha));
        }
        for (count, step) in [
            (self.shades, Step::Shade as fn(u8, u8) -> Step),
            (self.tints, Step::Tint),
        ] {
            let count = count.min(VARIANTS_MAX);
            steps.extend((1..=count).map(|nth| step(nth, count)));
        }
        Ok(steps
            .into_iter()
            .map(|step| {
                let variable = format!("{}{}", self.slug, step.suffix());
                ColorVariant {
                    classes: self.classes(&variable),
                    light: light.step(step),
                    dark: dark.as_ref().map(|dark| dark.step(step)),
                    variable,
                }
            })
            .collect())
    }

    fn classes(&self, variable: &str) -> Vec<String> {
        self.uses()
            .map(|(prefix, _)| format!("{prefix}-{variable}"))
            .collect()
    }

    fn uses(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let Utilities {
            text,
            background,
            border,
            fill,
        } = self.utilities;
        [
            (text, "text", "color"),
            (background, "bg", "background-color"),
            (border, "border", "border-color"),
            (fill, "fill", "fill"),
        ]
        .into_iter()
        .filter_map(|(wanted, prefix, property)| wanted.then_some((prefix, property)))
    }
}

pub(super) fn add(sheet: &mut Sheet, token: &ColorToken, variants: Vec<ColorVariant>) {
    for variant in variants {
        if !sheet.define(&variant.variable, &variant.light) {
            continue;
        }
        if let Some(dark) = &variant.dark {
            sheet.define_dark(&variant.variable, &variant.light, dark);
        }
        let value = format!("var(--{})", variant.variable);
        for ((_, property), class) in token.uses().zip(&variant.classes) {
            sheet.utility(class, &[property], &value);
        }
    }
}

/// How a variant derives from the colour.
#[derive(Clone, Copy)]
enum Step {
    Same,
    /// Opacity in percent.
    Alpha(u8),
    /// The n-th of a number of darker variants.
    Shade(u8, u8),
    /// The n-th of a number of lighter variants.
    Tint(u8, u8),
}

impl Step {
    fn suffix(self) -> String {
        match self {
            Self::Same => String::new(),
            Self::Alpha(percent) => format!("-{percent}"),
            Self::Shade(nth, _) => format!("-d-{nth}"),
            Self::Tint(nth, _) => format!("-l-{nth}"),
        }
    }
}

/// How far the last shade goes towards black, and the last tint towards white.
const REACH: f64 = 0.8;

fn reach(nth: u8, count: u8) -> f64 {
    REACH * f64::from(nth) / (f64::from(count) + 1.0)
}

/// A value, and its parsed colour when we can parse it.
struct Source<'t> {
    text: &'t str,
    color: Option<Color>,
}

impl<'t> Source<'t> {
    fn of(text: &'t str) -> Self {
        Self {
            text,
            color: Color::read(text),
        }
    }

    fn step(&self, step: Step) -> String {
        match (step, self.color) {
            (Step::Same, _) => self.text.to_owned(),
            (Step::Alpha(percent), Some(color)) => color.see_through(percent).write(),
            (Step::Alpha(percent), None) => see_through(self.text, percent),
            (Step::Shade(nth, count), Some(color)) => color.darker(reach(nth, count)).write(),
            (Step::Shade(nth, count), None) => mix(self.text, "black", reach(nth, count)),
            (Step::Tint(nth, count), Some(color)) => color.lighter(reach(nth, count)).write(),
            (Step::Tint(nth, count), None) => mix(self.text, "white", reach(nth, count)),
        }
    }
}
