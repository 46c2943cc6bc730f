//! Media queries in a normal form, so that equivalent queries compare equal.

use cssparser::{ParseError, Parser, Token};

use super::text::{Spacing, tidy};

/// A media query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Query {
    /// An optional medium and bounds on the width, and nothing else.
    Width(Range),
    /// Any other query, by its text.
    Text(String),
}

/// A range of widths, in thousandths of a pixel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Range {
    medium: Option<String>,
    least: Option<MediaBound>,
    most: Option<MediaBound>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MediaBound {
    millipixels: i64,
    inclusive: bool,
}

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let mut input = Parser::new(text);
        match read_range(&mut input) {
            Some(range) => Self::Width(range),
            None => Self::Text(tidy(text, Spacing::Prelude).to_ascii_lowercase()),
        }
    }

    /// The lowest and the highest width it admits, in thousandths of a pixel; `None` for a query about anything else.
    pub(super) fn bounds(&self) -> Option<(Option<i64>, Option<i64>)> {
        let Self::Width(range) = self else {
            return None;
        };
        let millipixels = |bound: MediaBound| bound.millipixels;
        Some((range.least.map(millipixels), range.most.map(millipixels)))
    }

    /// The conjunction of both; `None` when it has no normal form here.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let (Self::Width(mut one), Self::Width(two)) = (self, other) else {
            return None;
        };
        match (&one.medium, two.medium) {
            (Some(first), Some(second)) if *first != second => return None,
            (None, medium) => one.medium = medium,
            (Some(_), _) => {}
        }
        two.least.into_iter().for_each(|bound| one.at_least(bound));
        two.most.into_iter().for_each(|bound| one.at_most(bound));
        Some(Self::Width(one))
    }
}

impl Range {
    fn at_least(&mut self, bound: MediaBound) {
        let tighter = |old: MediaBound| match bound.millipixels.cmp(&old.millipixels) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => !bound.inclusive,
            std::cmp::Ordering::Less => false,
        };
        if self.least.is_none_or(tighter) {
            self.least = Some(bound);
        }
    }

    fn at_most(&mut self, bound: MediaBound) {
        let tighter = |old: MediaBound| match bound.millipixels.cmp(&old.millipixels) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => !bound.inclusive,
            std::cmp::Ordering::Greater => false,
        };
        if self.most.is_none_or(tighter) {
            self.most = Some(bound);
        }
    }

    fn compare(&mut self, side: Side, millipixels: i64) {
        let bound = |inclusive| MediaBound {
            millipixels,
            inclusive,
        };
        match side {
            Side::Above => self.at_least(bound(false)),
            Side::AtLeast => self.at_least(bound(true)),
            Side::Below => self.at_most(bound(false)),
            Side::AtMost => self.at_most(bound(true)),
            Side::Equal => {
                self.at_least(bound(true));
                self.at_most(bound(true));
            }
        }
    }
}

/// How the width compares to a length.
#[derive(Debug, Clone, Copy)]
enum Side {
    Above,
    AtLeast,
    Below,
    AtMost,
    Equal,
}

impl Side {
    /// The same comparison with the length written first.
    fn turned(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
            Self::Equal => Self::Equal,
        }
    }
}

/// `[only? medium] [and (feature)]*`
fn read_range(input: &mut Parser<'_>) -> Option<Range> {
    let mut range = Range::default();
    let mut expects_and = false;
    if let Ok(word) = input.try_parse(Parser::expect_ident_cloned) {
        let medium = match word.to_ascii_lowercase().as_str() {
            "only" => input.expect_ident().ok()?.to_ascii_lowercase(),
            "not" | "and" | "or" => return None,
            medium => medium.to_owned(),
        };
        range.medium = Some(medium).filter(|medium| medium != "all");
        expects_and = true;
    } else if input.is_exhausted() {
        return Some(range);
    }
    loop {
        if expects_and {
            if input.is_exhausted() {
                return Some(range);
            }
            input.expect_ident_matching("and").ok()?;
        }
        input.expect_parenthesis_block().ok()?;
        input
            .parse_nested_block(|inner| {
                read_feature(inner, &mut range).ok_or_else(ParseError::<()>::unexpected_token)
            })
            .ok()?;
        expects_and = true;
    }
}

/// The content of the parentheses: `min-width: 1px`, `width <= 1px` or `1px <= width < 2px`.
fn read_feature(input: &mut Parser<'_>, range: &mut Range) -> Option<()> {
    if let Ok(name) = input.try_parse(Parser::expect_ident_cloned) {
        let side = if input.try_parse(Parser::expect_colon).is_ok() {
            match name.to_ascii_lowercase().as_str() {
                "min-width" => Side::AtLeast,
                "max-width" => Side::AtMost,
                "width" => Side::Equal,
                _ => return None,
            }
        } else if name.eq_ignore_ascii_case("width") {
            read_side(input)?
        } else {
            return None;
        };
        range.compare(side, read_length(input)?);
        return input.is_exhausted().then_some(());
    }
    let length = read_length(input)?;
    range.compare(read_side(input)?.turned(), length);
    input.expect_ident_matching("width").ok()?;
    if !input.is_exhausted() {
        let side = read_side(input)?;
        range.compare(side, read_length(input)?);
    }
    input.is_exhausted().then_some(())
}

fn read_side(input: &mut Parser<'_>) -> Option<Side> {
    let side = match input.next().ok()? {
        Token::Delim('<') => Side::Below,
        Token::Delim('>') => Side::Above,
        Token::Delim('=') => return Some(Side::Equal),
        _ => return None,
    };
    let state = input.state();
    if let Ok(Token::Delim('=')) = input.next_including_whitespace_and_comments() {
        return Some(match side {
            Side::Below => Side::AtMost,
            _ => Side::AtLeast,
        });
    }
    input.reset(&state);
    Some(side)
}

fn read_length(input: &mut Parser<'_>) -> Option<i64> {
    const PIXELS_PER_EM: f64 = 16.0;
    let (value, scale) = match input.next().ok()? {
        Token::Number { value: 0.0, .. } => (0.0, 1.0),
        Token::Dimension { value, unit, .. } => {
            let scale = match unit.to_ascii_lowercase().as_str() {
                "px" => 1.0,
                "em" | "rem" => PIXELS_PER_EM,
                _ => return None,
            };
            (*value, scale)
        }
        _ => return None,
    };
    // A thousandth of a pixel is finer than queries are written, and coarser than the error of the parser's 32-bit
    // numbers on screens of up to eight thousand pixels.
    Some((f64::from(value) * scale * 1000.0).round() as i64)
}
