//! Matches a clause against patterns such as `rename <x> to <t>`: normalised words with captures between them, and nothing left
//! over.
//!
//! A pattern has words, alternatives (`to|into`), optional words (`the?`) and captures (`<x>`). A clause matches only as a whole:
//! a single unexplained word keeps it from being understood.

use serde::Deserialize;

use super::colours;
use super::noun::{Phrase, phrase};
use super::words::{Number, Token, TokenKind, number, typed};

/// A clause: its tokens, and the message that they were cut from.
#[derive(Clone, Copy)]
pub(crate) struct Clause<'s> {
    pub(crate) sentence: &'s str,
    pub(crate) tokens: &'s [Token],
}

/// The tokens that each capture of a pattern holds.
pub(crate) struct Captures<'s> {
    clause: Clause<'s>,
    found: Vec<(&'static str, &'s [Token])>,
}

enum Piece {
    Words { any: Vec<String>, is_optional: bool },
    Capture(String),
}

/// A pattern that is parsed once and tried on many clauses.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(crate) struct Pattern(Vec<Piece>);

impl From<String> for Pattern {
    fn from(pattern: String) -> Self {
        let read = |piece: &str| {
            if let Some(name) = piece
                .strip_prefix('<')
                .and_then(|rest| rest.strip_suffix('>'))
            {
                return Piece::Capture(name.to_owned());
            }
            let (words, is_optional) = match piece.strip_suffix('?') {
                Some(words) if !words.is_empty() => (words, true),
                _ => (piece, false),
            };
            Piece::Words {
                any: words.split('|').map(str::to_owned).collect(),
                is_optional,
            }
        };
        Self(pattern.split(' ').map(read).collect())
    }
}

impl Pattern {
    /// Tries the pattern on a clause by backtracking, shortest captures first. `build` is called for every complete match until
    /// it returns a value, so it can reject a match whose captures make no sense.
    pub(crate) fn matched<'s, T>(
        &'static self,
        clause: Clause<'s>,
        build: impl Fn(&Captures<'s>) -> Option<T>,
    ) -> Option<T> {
        let is_there = |piece: &Piece| match piece {
            Piece::Words { any, is_optional } => {
                *is_optional || clause.tokens.iter().any(|token| token.is_one_of(any))
            }
            Piece::Capture(_) => true,
        };
        if !self.0.iter().all(is_there) {
            return None;
        }
        let mut captures = Captures {
            clause,
            found: Vec::new(),
        };
        step(&self.0, clause.tokens, &mut captures, &build)
    }
}

fn step<'s, T>(
    pieces: &'static [Piece],
    tokens: &'s [Token],
    captures: &mut Captures<'s>,
    build: &impl Fn(&Captures<'s>) -> Option<T>,
) -> Option<T> {
    let Some((piece, rest)) = pieces.split_first() else {
        return if tokens.is_empty() {
            build(captures)
        } else {
            None
        };
    };
    match piece {
        Piece::Words { any, is_optional } => {
            if let Some((first, behind)) = tokens.split_first()
                && first.is_one_of(any)
                && let Some(found) = step(rest, behind, captures, build)
            {
                return Some(found);
            }
            if *is_optional {
                step(rest, tokens, captures, build)
            } else {
                None
            }
        }
        Piece::Capture(name) => {
            for length in 1..=tokens.len() {
                captures.found.push((name, &tokens[..length]));
                if let Some(found) = step(rest, &tokens[length..], captures, build) {
                    return Some(found);
                }
                captures.found.pop();
            }
            None
        }
    }
}

impl<'s> Captures<'s> {
    pub(crate) fn sentence(&self) -> &'s str {
        self.clause.sentence
    }

    pub(crate) fn tokens(&self, name: &str) -> &'s [Token] {
        let found = self.found.iter().find(|(known, _)| *known == name);
        found.map_or(&[], |(_, tokens)| tokens)
    }

    /// Whether the clause contains one of these words.
    pub(crate) fn says(&self, words: &[&str]) -> bool {
        self.clause.tokens.iter().any(|token| token.is_any(words))
    }

    pub(crate) fn is_quote(&self, name: &str) -> bool {
        let tokens = without_padding(self.tokens(name));
        matches!(tokens, [only] if only.kind == TokenKind::Quote)
    }

    /// The capture as a thing.
    pub(crate) fn thing(&self, name: &str) -> Option<Phrase> {
        phrase(self.sentence(), self.tokens(name))
    }

    /// The capture as things separated by commas and "and".
    pub(crate) fn things(&self, name: &str) -> Option<Vec<Phrase>> {
        let parts = self
            .tokens(name)
            .split(|token| token.is_any(&[",", "and", "then", "&"]));
        let parts = parts.filter(|part| !part.is_empty());
        parts.map(|part| phrase(self.sentence(), part)).collect()
    }

    /// The capture as text in the person's own words: what is in quotes, or all of it when nothing is.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let tokens = without_padding(self.tokens(name));
        let is_end = |token: &Token| token.is_end();
        if let [only] = tokens
            && only.kind == TokenKind::Quote
        {
            return Some(only.text.clone());
        }
        let has_quote = tokens.iter().any(|token| token.kind == TokenKind::Quote);
        let (_, before) = tokens.split_last()?;
        let is_cut = before.iter().any(is_end);
        let holds_order = before
            .windows(2)
            .any(|pair| pair[0].is_any(&["and", ",", "then", "but"]) && pair[1].is_order());
        let holds_other = before.windows(2).enumerate().any(|(at, pair)| {
            pair[0].is("and")
                && pair[1].is("the")
                && before[at + 1..].iter().any(|token| token.is("to"))
        });
        if has_quote || is_cut || holds_order || holds_other {
            return None;
        }
        let text = typed(self.sentence(), tokens).trim_end_matches('.').trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The capture as a name: a text without punctuation at its end.
    pub(crate) fn name(&self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        if self.is_quote(name) {
            return Some(text);
        }
        let text = text.trim_end_matches(['.', '!', '?', ',', ';', ':']).trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A text after a colon: everything up to the end, including further sentences and lines.
    pub(crate) fn long_text(&self, name: &str) -> Option<String> {
        let tokens = self.tokens(name);
        let tokens = match tokens {
            [first, rest @ ..] if first.word == "\n" => rest,
            all => all,
        };
        if let [only] = without_padding(tokens)
            && only.kind == TokenKind::Quote
        {
            return Some(only.text.clone());
        }
        if tokens
            .iter()
            .any(|token| token.is("*") || token.kind == TokenKind::Quote)
        {
            return None;
        }
        let text = typed(self.sentence(), tokens);
        // The punctuation at its end belongs to a text that was given in full.
        let end = tokens.last().map_or(0, |last| last.span.1);
        let sign = self
            .sentence()
            .get(end..)
            .and_then(|rest| rest.chars().next())
            .filter(|sign| matches!(sign, '.' | '!' | '?'));
        let text = format!(
            "{text}{}",
            sign.filter(|_| !text.ends_with(['.', '!', '?']))
                .map(String::from)
                .unwrap_or_default()
        );
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }

    pub(crate) fn colour(&self, name: &str) -> Option<String> {
        colours::colour(self.sentence(), self.tokens(name))
    }

    pub(crate) fn number(&self, name: &str) -> Option<Number> {
        let tokens = without_padding(self.tokens(name));
        match tokens {
            [only] => number(&only.text),
            [one, unit] if unit.is_any(&["px", "pixel", "pixels", "rem", "em", "%", "percent"]) => {
                let number = number(&one.text)?;
                let unit = match unit.word.as_str() {
                    "pixel" | "pixels" => "px",
                    "percent" => "%",
                    other => other,
                };
                Some(Number {
                    unit: unit.to_owned(),
                    ..number
                })
            }
            _ => None,
        }
    }

    /// The capture as an address of the site or the web, as it was typed.
    pub(crate) fn address(&self, name: &str) -> Option<String> {
        match without_padding(self.tokens(name)) {
            [only] if only.kind == TokenKind::Address => Some(only.text.clone()),
            [only] if only.kind == TokenKind::Quote && super::words::is_address(&only.text) => {
                Some(only.text.clone())
            }
            _ => None,
        }
    }
}

/// The tokens without polite words and punctuation at their end.
pub(crate) fn without_padding(tokens: &[Token]) -> &[Token] {
    let mut tokens = tokens;
    while let [rest @ .., last] = tokens {
        let is_padding = last.kind != TokenKind::Quote
            && (last.is_any(&["please", "thanks", "instead", ",", ".", "asap", "cheers"])
                || last.word == "\n"
                || last.word == "🙏");
        if !is_padding || rest.is_empty() {
            break;
        }
        tokens = rest;
    }
    tokens
}
