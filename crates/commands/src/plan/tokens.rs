//! Plans changes of what the whole site shares: its colours, fonts, scales and the radius of its corners.

use sitewright_markup::css::{FontToken, ScaleStep};
use sitewright_site::{ColorToken, Scale};

use super::super::call::{Call, ColorValue, FontSource, FontValue, SpaceSize, TypeSize};
use super::super::colours;
use super::super::fonts;
use super::super::request::{
    Colour, ColourToken, Family, FontRole, MissingPart, Shade, Size, Which,
};
use super::looks::pixels;
use super::{Outcome, PlanResult, Planner, ask, done, refuse};

impl Planner<'_> {
    fn colours(&self) -> Vec<ColorToken> {
        self.draft.site.tokens().colors
    }

    fn first_scale(&self, which: Which) -> Option<Scale> {
        let tokens = self.draft.site.tokens();
        let scales = match which {
            Which::Type => tokens.type_scales,
            Which::Space => tokens.spacing_scales,
        };
        scales.into_iter().next()
    }

    /// The variables of the type scales, smallest first.
    pub(super) fn type_steps(&self) -> Vec<String> {
        let tokens = self.draft.site.tokens();
        let scales = tokens.type_scales.iter();
        let steps = scales.filter_map(|scale| scale.type_steps(&tokens.screens).ok());
        steps.flatten().map(|step| variable(&step)).collect()
    }

    /// The variables of the spacing scales, smallest first.
    pub(super) fn space_steps(&self) -> Vec<String> {
        let tokens = self.draft.site.tokens();
        let scales = tokens.spacing_scales.iter();
        let steps = scales.filter_map(|scale| scale.spacing_steps(&tokens.screens).ok());
        steps.flatten().map(|step| variable(&step)).collect()
    }

    /// The radius in pixels that `:root` sets for all corners.
    pub(super) fn root_radius(&self) -> Option<f64> {
        let root = self.draft.rules();
        let mut root = root.filter(|(selectors, _)| selectors.contains(&":root"));
        root.find_map(|(_, declarations)| {
            let radius = declarations.iter().find(|(name, _)| *name == "--radius");
            radius.and_then(|(_, value)| pixels(value))
        })
    }

    /// A colour as a CSS value; "the beige one" is the token that looks beige.
    pub(super) fn colour_value(&self, colour: &Colour) -> PlanResult<String> {
        let family = match colour {
            Colour::Value(value) => return Ok(value.clone()),
            Colour::Like(family) => family,
        };
        match self.only_colour_like(family) {
            Some(token) => Ok(format!("var(--{})", token.slug)),
            None => self.missing(MissingPart::Colour),
        }
    }

    /// A value with the variable of a colour replaced by the colour itself.
    pub(super) fn token_value(&self, value: &str) -> String {
        let colours = self.colours().into_iter();
        let mut fitting = colours.filter(|token| value.trim() == format!("var(--{})", token.slug));
        let token = fitting.next().map(|token| token.light_value);
        token.unwrap_or_else(|| value.to_owned())
    }

    fn only_colour_like(&self, family: &str) -> Option<ColorToken> {
        let colours = self.colours().into_iter();
        let mut own = colours.filter(|token| colours::family(&token.light_value) == Some(family));
        let only = own.next();
        only.filter(|_| own.next().is_none())
    }

    /// The token of a colour: by its slug, its role, or how it looks.
    fn token(&self, token: &ColourToken) -> PlanResult<ColorToken> {
        let slugs: Vec<&str> = match token {
            ColourToken::Role("primary") => vec!["primary", "brand", "main"],
            ColourToken::Role("ink") => vec!["ink", "text", "foreground"],
            ColourToken::Role("background") => vec!["background", "bg", "base"],
            ColourToken::Role(role) => vec![role],
            ColourToken::Named(name) => vec![name.as_str()],
        };
        let known = self.colours();
        let mut by_slug = slugs
            .iter()
            .filter_map(|slug| known.iter().find(|known| known.slug == **slug));
        if let Some(found) = by_slug.next() {
            return Ok(found.clone());
        }
        if let ColourToken::Named(name) = token
            && let Some(found) = self.only_colour_like(name)
        {
            return Ok(found);
        }
        let names: Vec<&str> = known.iter().map(|known| known.slug.as_str()).collect();
        let wanted = slugs[0];
        let has = if names.is_empty() {
            format!(
                "The site has no colours of its own yet; say “add a colour called {wanted}” with its value first."
            )
        } else {
            format!("The site has {}.", names.join(", "))
        };
        refuse(format!("I can’t find the colour “{wanted}”. {has}"))
    }

    fn set_colour(&mut self, slug: &str, value: &str) {
        self.call(Call::SetColorTokens {
            tokens: vec![ColorValue {
                slug: slug.to_owned(),
                light_value: value.to_owned(),
                category: None,
                dark_value: None,
            }],
        });
    }

    pub(super) fn colour(&mut self, token: &ColourToken, value: &Shade) -> PlanResult<Outcome> {
        let ColorToken {
            slug, light_value, ..
        } = self.token(token)?;
        let towards = match value {
            Shade::Darker => 0.0,
            Shade::Value(_) | Shade::Lighter => 255.0,
        };
        let value = match value {
            Shade::Value(value) => Some(value.clone()),
            Shade::Darker | Shade::Lighter => colours::shade(&light_value, towards, 0.25),
        };
        let Some(value) = value else {
            return refuse(format!(
                "I can’t make {light_value} lighter or darker. Give a colour instead."
            ));
        };
        self.set_colour(&slug, &value);
        done(format!("The colour {slug} is now {value} everywhere."))
    }

    pub(super) fn new_colour(&mut self, name: &str, value: &str) -> PlanResult<Outcome> {
        if self.colours().iter().any(|known| known.slug == name) {
            return ask(format!(
                "There’s already a colour “{name}”. To change it, say: set {name} to {value}."
            ));
        }
        self.set_colour(name, value);
        done(format!("Added the colour {name}, {value}."))
    }

    /// The font token of a role, by its name.
    fn font_of(&self, role: FontRole) -> Option<FontToken> {
        let words: &[&str] = match role {
            FontRole::Headings => &["heading", "display", "title"],
            FontRole::Body | FontRole::All => &["body", "text", "base"],
        };
        let mut fonts = self.draft.site.tokens().fonts.into_iter();
        fonts.find(|font| {
            let name = font.name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        })
    }

    pub(super) fn font(&mut self, role: FontRole, family: &Family) -> PlanResult<Outcome> {
        let source = match family {
            Family::Named(name) => match fonts::system(name) {
                Some(stack) => FontSource::Fallback(stack),
                None => FontSource::GoogleFamily(name.clone()),
            },
            Family::SansSerif => FontSource::Fallback("system-ui, sans-serif".to_owned()),
            Family::SameAs(other) => match self.font_of(*other) {
                Some(font) => FontSource::Fallback(font.value()),
                None => return self.missing(MissingPart::Font),
            },
        };
        let roles: &[FontRole] = match role {
            FontRole::All => &[FontRole::Headings, FontRole::Body],
            FontRole::Headings => &[FontRole::Headings],
            FontRole::Body => &[FontRole::Body],
        };
        let mut names = Vec::new();
        for role in roles {
            let Some(font) = self.font_of(*role) else {
                return refuse("I can’t find a font token for that; the site has none.");
            };
            names.push(font.name.clone());
            self.call(Call::SetFontTokens {
                tokens: vec![FontValue {
                    name: font.name,
                    variable: font.variable,
                    family: source.clone(),
                }],
            });
        }
        let (FontSource::Fallback(value) | FontSource::GoogleFamily(value)) = source;
        done(format!(
            "The font for {} is now {value}.",
            names.join(" and ")
        ))
    }

    pub(super) fn scale(&mut self, which: Which, size: &Size) -> PlanResult<Outcome> {
        let word = match which {
            Which::Type => "text",
            Which::Space => "space",
        };
        let Some(scale) = self.first_scale(which) else {
            return refuse(format!("I can’t do that: the site has no scale of {word}."));
        };
        let (narrow, wide) = (scale.min.size, scale.max.size);
        let half = |size: f64| (size * 2.0).round() / 2.0;
        let (narrow, wide) = match size {
            Size::Larger => (half(narrow * 1.125), half(wide * 1.125)),
            Size::Smaller => (half(narrow * 0.89), half(wide * 0.89)),
            Size::Value(number) => {
                let unit = if number.unit == "rem" { 16.0 } else { 1.0 };
                let wanted = number.value * unit;
                if !(4.0..=200.0).contains(&wanted) {
                    return refuse(format!(
                        "I can’t use {wanted} as a size. Use 4 to 200 pixels."
                    ));
                }
                if (wanted - wide).abs() < 0.01 {
                    return Ok(Outcome::Told(format!(
                        "The base size of {word} is already {wanted} px."
                    )));
                }
                (half(narrow * wanted / wide), wanted)
            }
        };
        self.call(match which {
            Which::Type => Call::SetTypeScale {
                min: TypeSize {
                    font_size: narrow,
                    scale_ratio: None,
                },
                max: TypeSize {
                    font_size: wide,
                    scale_ratio: None,
                },
            },
            Which::Space => Call::SetSpacingScale {
                min: SpaceSize {
                    size: narrow,
                    scale_ratio: None,
                },
                max: SpaceSize {
                    size: wide,
                    scale_ratio: None,
                },
            },
        });
        done(format!(
            "The base size of {word} is now {narrow} px on narrow screens and {wide} px on wide ones."
        ))
    }

    pub(super) fn radius(&mut self, size: &Size) -> PlanResult<Outcome> {
        let Some(now) = self.root_radius() else {
            return refuse("I can’t do that: the site has no common radius (--radius).");
        };
        let value = match size {
            Size::Larger => format!("{}px", (now * 2.0).max(4.0)),
            Size::Smaller => format!("{}px", (now / 2.0).floor()),
            Size::Value(number) => number.to_css(),
        };
        let css = format!(":root {{ --radius: {value} }}");
        self.call(Call::ApplyCss { css });
        done(format!("The corner radius is now {value} everywhere."))
    }
}

fn variable(step: &ScaleStep) -> String {
    format!("var(--{})", step.variable)
}
