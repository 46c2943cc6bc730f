//! Parses JSON with lone surrogates, which providers send.
//!
//! A character outside the Basic Multilingual Plane is two `\u` escapes in JSON, and a provider may split a text between them. Each half
//! alone is invalid JSON. Halves are therefore mapped to private-use characters ([`HALVES`]), which no model writes itself, and [`Joiner`]
//! combines them once the second half arrives. A half that stays alone becomes U+FFFD.

use std::borrow::Cow;

use serde_json::Value;

/// The first of 2048 private-use characters that represent the 2048 surrogates, from U+D800 on.
const HALVES: u32 = 0x10_F800;

/// Parses JSON, in which lone surrogates become private-use characters for a [`Joiner`].
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) => match without_lone_surrogates(text, half) {
            Cow::Borrowed(_) => Err(error),
            Cow::Owned(text) => serde_json::from_str(&text),
        },
    }
}

/// Replaces lone surrogates with U+FFFD, for JSON that is complete.
pub(crate) fn without_halves(text: &str) -> Cow<'_, str> {
    without_lone_surrogates(text, |_| char::REPLACEMENT_CHARACTER)
}

/// Replaces the escapes of lone surrogates with the characters that `stands_for` returns.
fn without_lone_surrogates(text: &str, stands_for: fn(u32) -> char) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let Some(high) = escape(bytes, at) else {
            // Another escape, including `\\`, whose second byte must not be taken for the start of one.
            at += 2;
            continue;
        };
        let paired = (0xD800..0xDC00).contains(&high)
            && escape(bytes, at + 6).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if paired {
            at += 12;
            continue;
        }
        if (0xD800..0xE000).contains(&high) {
            out.push_str(&text[copied..at]);
            out.push(stands_for(high));
            copied = at + 6;
        }
        at += 6;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The code unit of the `\uXXXX` at this position, if there is one.
fn escape(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

fn half(surrogate: u32) -> char {
    let code = HALVES + surrogate - 0xD800;
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn surrogate(half: char) -> Option<u32> {
    (half as u32)
        .checked_sub(HALVES)
        .map(|offset| 0xD800 + offset)
}

/// Joins the halves of characters across the pieces of one text.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    high: Option<u32>,
}

impl Joiner {
    /// Returns the next piece with halves joined. A half at its end is held back for the next call.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        if self.high.is_none() && !piece.chars().any(|c| surrogate(c).is_some()) {
            return piece.to_owned();
        }
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            let code = surrogate(c);
            match (self.high.take(), code) {
                (Some(high), Some(low)) if low >= 0xDC00 => out.push(join(high, low)),
                (pending, code) => {
                    if pending.is_some() {
                        out.push(char::REPLACEMENT_CHARACTER);
                    }
                    match code {
                        Some(high) if high < 0xDC00 => self.high = Some(high),
                        Some(_) => out.push(char::REPLACEMENT_CHARACTER),
                        None => out.push(c),
                    }
                }
            }
        }
        out
    }

    /// Ends the text. Returns U+FFFD if a half is still held back.
    pub(crate) fn end(&mut self) -> Option<char> {
        self.high.take().map(|_| char::REPLACEMENT_CHARACTER)
    }
}

fn join(high: u32, low: u32) -> char {
    let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Joins the halves in a complete text; those that stay alone become U+FFFD.
pub(crate) fn whole(text: &str) -> String {
    let mut joiner = Joiner::default();
    let mut out = joiner.push(text);
    out.extend(joiner.end());
    out
}

#[cfg(test)]
mod tests {
    use super::{Joiner, parse, whole};

    fn text(json: &str) -> String {
        parse(json).unwrap()["t"].as_str().unwrap().to_owned()
    }

    #[test]
    fn k01_a_surrogate_pair_split_between_two_deltas_is_one_character() {
        let mut joiner = Joiner::default();
        let mut out = joiner.push(&text(r#"{"t":"a\ud83d"}"#));
        assert_eq!(out, "a");
        out.push_str(&joiner.push(&text(r#"{"t":"\ude00b"}"#)));
        assert_eq!(out, "a😀b");
    }

    #[test]
    fn halves_that_stay_alone_become_the_replacement_character() {
        assert_eq!(whole(&text(r#"{"t":"\ud83d!"}"#)), "\u{fffd}!");
        assert_eq!(whole(&text(r#"{"t":"x\ude00"}"#)), "x\u{fffd}");
        assert_eq!(whole(&text(r#"{"t":"\ud83d"}"#)), "\u{fffd}");
    }

    #[test]
    fn whole_pairs_and_escaped_backslashes_are_left_alone() {
        assert_eq!(text(r#"{"t":"\ud83d\ude00 \\ud83d"}"#), r"😀 \ud83d");
        assert!(parse(r#"{"t":"\ud83"#).is_err());
        assert!(parse("nonsense").is_err());
    }
}
