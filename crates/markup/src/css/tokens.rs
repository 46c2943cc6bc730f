//! Design tokens: values that are named once and used everywhere, and the variables and utility classes generated from
//! them.
//!
//! All output has the origin framework, and its order depends on the tokens alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::piece::{Block, Declaration, Origin, Piece};

mod color;
mod color_value;
mod font;
mod scale;

pub use color::{ColorToken, ColorVariant, Utilities};
pub use font::{FontFile, FontToken, font_face};
pub use scale::{Scale, ScaleEnd, ScaleStep, Screens};

/// All tokens of a site.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Tokens {
    /// Colours, in order.
    pub colors: Vec<ColorToken>,
    /// Fonts, in order.
    pub fonts: Vec<FontToken>,
    /// Scales of type sizes.
    pub type_scales: Vec<Scale>,
    /// Scales of distances.
    pub spacing_scales: Vec<Scale>,
    /// Between which widths of the window scales grow.
    pub screens: Screens,
}

/// Why a token is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenProblem {
    /// The name cannot be part of a variable.
    #[error("{name:?} cannot name a token: use letters, digits, - and _")]
    Name {
        /// The rejected name.
        name: String,
    },
    /// The value would not end where the declaration ends.
    #[error("{value:?} is not one CSS value")]
    Value {
        /// The rejected value.
        value: String,
    },
    /// The number does not yield a size.
    #[error("{field} of the scale {scale:?} must be {expected}")]
    Number {
        scale: String,
        field: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// Two tokens define the same variable.
    #[error("two tokens define --{variable}; rename one of them")]
    Twice {
        /// The variable, without dashes.
        variable: String,
    },
}

/// The variables and utility classes of all tokens. A token with a problem generates nothing, and the problem is
/// listed.
pub fn framework_css(tokens: &Tokens) -> (Vec<Piece>, Vec<TokenProblem>) {
    let mut sheet = Sheet::default();
    for color in &tokens.colors {
        sheet.note(color.variants(), |sheet, variants| {
            color::add(sheet, color, variants);
        });
    }
    for font in &tokens.fonts {
        sheet.note(font.check(), |sheet, ()| font::add(sheet, font));
    }
    for scale in &tokens.type_scales {
        sheet.note(scale.type_steps(&tokens.screens), |sheet, steps| {
            scale::add(sheet, steps);
        });
    }
    for scale in &tokens.spacing_scales {
        sheet.note(scale.spacing_steps(&tokens.screens), |sheet, steps| {
            scale::add(sheet, steps);
        });
    }
    sheet.finish()
}

/// The output generated so far.
#[derive(Default)]
struct Sheet {
    light: Vec<Declaration>,
    dark: Vec<Declaration>,
    /// The light values of variables that also have a dark one.
    light_again: Vec<Declaration>,
    utilities: Vec<Piece>,
    variables: std::collections::HashSet<String>,
    problems: Vec<TokenProblem>,
}

impl Sheet {
    fn note<T>(&mut self, made: Result<T, TokenProblem>, add: impl FnOnce(&mut Self, T)) {
        match made {
            Ok(made) => add(self, made),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Defines a variable and returns whether it is new; a second definition is a problem and adds nothing.
    fn define(&mut self, variable: &str, value: &str) -> bool {
        if !self.variables.insert(variable.to_owned()) {
            self.problems.push(TokenProblem::Twice {
                variable: variable.to_owned(),
            });
            return false;
        }
        self.light.push(custom(variable, value));
        true
    }

    fn define_dark(&mut self, variable: &str, light: &str, dark: &str) {
        self.light_again.push(custom(variable, light));
        self.dark.push(custom(variable, dark));
    }

    fn utility(&mut self, class: &str, properties: &[&str], value: &str) {
        let declarations = properties
            .iter()
            .map(|property| declaration(property, value))
            .collect();
        let selector = super::class::class_selector(class);
        self.utilities.push(block(&[], &selector, declarations));
    }

    fn finish(self) -> (Vec<Piece>, Vec<TokenProblem>) {
        let mut pieces = Vec::new();
        if !self.light.is_empty() {
            pieces.push(block(&[], ":root", self.light));
        }
        if !self.dark.is_empty() {
            // The visitor's system decides, unless the page sets a theme; a part of a page may override both.
            pieces.push(block(
                &["@media (prefers-color-scheme: dark)"],
                ":root:not([data-theme=\"light\"], .theme-light)",
                self.dark.clone(),
            ));
            pieces.push(block(
                &[],
                "[data-theme=\"light\"], .theme-light",
                self.light_again,
            ));
            pieces.push(block(&[], "[data-theme=\"dark\"], .theme-dark", self.dark));
        }
        pieces.extend(self.utilities);
        (pieces, self.problems)
    }
}

fn block(wrappers: &[&str], selector: &str, declarations: Vec<Declaration>) -> Piece {
    Piece::Block(Block {
        wrappers: wrappers
            .iter()
            .map(|wrapper| (*wrapper).to_owned())
            .collect(),
        selector: selector.to_owned(),
        declarations,
        origin: Origin::Framework,
        lock: crate::Lock::Open,
    })
}

fn custom(variable: &str, value: &str) -> Declaration {
    declaration(&format!("--{variable}"), value)
}

fn declaration(property: &str, value: &str) -> Declaration {
    Declaration {
        property: property.to_owned(),
        value: value.to_owned(),
        important: false,
    }
}

/// Refuses a name that would need escapes.
fn check_name(name: &str) -> Result<(), TokenProblem> {
    const CHARS_MAX: usize = 64;
    let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if begins && plain && name.len() <= CHARS_MAX {
        return Ok(());
    }
    Err(TokenProblem::Name {
        name: super::limits::beginning(name),
    })
}

/// Refuses text that is not exactly one value.
fn check_value(value: &str) -> Result<(), TokenProblem> {
    let piece = block(&[], ":root", vec![custom("x", value)]);
    let fits = !value.is_empty()
        && !value.contains(['{', '}', ';', '!'])
        && super::parse::check_piece(&piece, &super::limits::CssLimits::default()).is_ok();
    if fits {
        return Ok(());
    }
    Err(TokenProblem::Value {
        value: super::limits::beginning(value),
    })
}

/// A number with at most four decimal places.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}
