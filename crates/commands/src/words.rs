//! A sentence as tokens: words in one spelling, quotes, numbers, colours and addresses, each with its place in what was typed.
//!
//! Texts that a person gives are always cut from what was typed, never put together from tokens, so that they stay exact.

use super::lexicon;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word, in the spelling of the lexicon.
    Word,
    /// Something in quotes; `text` is what stands between them.
    Quote,
    /// A number, with its unit where it has one.
    Number,
    /// A colour in the notation of CSS.
    Colour,
    /// An address: a path of the site, a URL, a mail address or a file.
    Address,
    /// A sign such as a comma or an arrow.
    Mark,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// As it was typed, without quotes around it.
    pub(crate) text: String,
    /// In the spelling of the lexicon; one word may stand for several that were typed.
    pub(crate) word: String,
    /// Where it was typed, in bytes, quotes included.
    pub(crate) span: (usize, usize),
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind != TokenKind::Quote && self.word == word
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn is_end(&self) -> bool {
        self.kind == TokenKind::Mark
            && matches!(self.word.as_str(), "." | "!" | "?" | ";" | "\n" | "*")
    }
}

/// Splits a sentence into tokens, with the words of the lexicon in one spelling.
pub(crate) fn tokens(sentence: &str) -> Vec<Token> {
    lexicon::canonical(split(sentence))
}

/// What was typed from the first of these tokens to the last, quotes around all of it left out.
pub(crate) fn typed<'s>(sentence: &'s str, tokens: &[Token]) -> &'s str {
    if let [only] = tokens
        && only.kind == TokenKind::Quote
    {
        let (from, to) = only.span;
        let inner = sentence.get(from..to).unwrap_or_default();
        return inner.trim_matches(|c: char| is_quote(c)).trim();
    }
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => sentence
            .get(first.span.0..last.span.1)
            .unwrap_or_default()
            .trim(),
        _ => "",
    }
}

fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '„' | '`' | '‟' | '‚'
    )
}

fn closing(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '“' => &['”', '“', '"'],
        '„' => &['“', '”'],
        '‘' => &['’'],
        '\'' => &['\''],
        '«' => &['»'],
        '`' => &['`'],
        _ => &[],
    }
}

fn split(sentence: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while let Some(c) = sentence[at..].chars().next() {
        if c == '\n' {
            push(&mut found, TokenKind::Mark, sentence, (at, at + 1), "\n");
            line_start = true;
            at += 1;
        } else if c.is_whitespace() {
            at += c.len_utf8();
        } else if line_start && matches!(c, '-' | '*' | '•') && blank_after(sentence, at, c) {
            push(
                &mut found,
                TokenKind::Mark,
                sentence,
                (at, at + c.len_utf8()),
                "*",
            );
            at += c.len_utf8();
            line_start = false;
        } else if let Some(end) = quote_end(sentence, at, c) {
            let inner = &sentence[at + c.len_utf8()..end];
            let close = sentence[end..].chars().next().map_or(0, char::len_utf8);
            found.push(Token {
                kind: TokenKind::Quote,
                text: inner.trim().to_owned(),
                word: inner.trim().to_lowercase(),
                span: (at, end + close),
            });
            at = end + close;
            line_start = false;
        } else {
            at = chunk(sentence, at, &mut found);
            line_start = false;
        }
    }
    found
}

fn blank_after(sentence: &str, at: usize, c: char) -> bool {
    sentence[at + c.len_utf8()..].starts_with([' ', '\t'])
}

/// Where the quote that opens here closes.
fn quote_end(sentence: &str, at: usize, open: char) -> Option<usize> {
    let closers = closing(open);
    if closers.is_empty() {
        return None;
    }
    let rest = &sentence[at + open.len_utf8()..];
    let found = rest.char_indices().find(|(offset, c)| {
        let after = rest[offset + c.len_utf8()..].chars().next();
        let is_apostrophe = matches!(c, '\'' | '’') && after.is_some_and(char::is_alphanumeric);
        closers.contains(c) && !is_apostrophe && *offset > 0
    });
    found.map(|(offset, _)| at + open.len_utf8() + offset)
}

/// Reads what stands up to the next blank: a word, a number, a colour, an address, and signs around them.
fn chunk(sentence: &str, at: usize, found: &mut Vec<Token>) -> usize {
    let rest = &sentence[at..];
    for arrow in ["->", "=>", "→", "⇒"] {
        if rest.starts_with(arrow) {
            push(
                found,
                TokenKind::Mark,
                sentence,
                (at, at + arrow.len()),
                "→",
            );
            return at + arrow.len();
        }
    }
    if let Some(length) = function_colour(rest) {
        push(
            found,
            TokenKind::Colour,
            sentence,
            (at, at + length),
            &rest[..length].to_lowercase(),
        );
        return at + length;
    }
    let first = rest.chars().next().unwrap_or(' ');
    let begins_class = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    if is_mark(first) && !begins_class {
        let word = match first {
            '–' | '—' => "-".to_owned(),
            other => other.to_string(),
        };
        push(
            found,
            TokenKind::Mark,
            sentence,
            (at, at + first.len_utf8()),
            &word,
        );
        return at + first.len_utf8();
    }
    let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let mut piece = &rest[..length];
    if !is_address(piece) {
        // An arrow or a quote may stand without blanks around it.
        for cut in ["->", "→", "“", "«", "„", "\""] {
            piece = piece
                .find(cut)
                .filter(|cut| *cut > 0)
                .map_or(piece, |cut| &piece[..cut]);
        }
    }
    let trimmed = trimmed(piece);
    let end = at + trimmed.len();
    let lower = trimmed.to_lowercase();
    push(found, kind_of(trimmed), sentence, (at, end), &lower);
    end
}

/// The piece without the signs behind it.
fn trimmed(piece: &str) -> &str {
    let mut piece = piece;
    while let Some(last) = piece.chars().last() {
        let is_sign = matches!(
            last,
            ',' | '.'
                | ';'
                | ':'
                | '!'
                | '?'
                | ')'
                | '…'
                | '"'
                | '\''
                | '’'
                | '”'
                | '»'
                | '`'
                | '='
        );
        let is_closed = last == ')' && piece.matches('(').count() == piece.matches(')').count();
        let stays =
            is_closed || (last == '.' && is_initial(piece)) || piece.len() == last.len_utf8();
        if !is_sign || stays {
            break;
        }
        piece = &piece[..piece.len() - last.len_utf8()];
    }
    piece
}

/// `R.` is the start of a name and keeps its dot.
fn is_initial(piece: &str) -> bool {
    let mut chars = piece.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.as_str() == "."
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        ',' | '.' | ';' | ':' | '!' | '?' | '=' | '(' | ')' | '–' | '—' | '"' | '…'
    )
}

fn push(found: &mut Vec<Token>, kind: TokenKind, sentence: &str, span: (usize, usize), word: &str) {
    found.push(Token {
        kind,
        text: sentence[span.0..span.1].to_owned(),
        word: word.to_owned(),
        span,
    });
}

fn kind_of(piece: &str) -> TokenKind {
    if is_hex_colour(piece) {
        TokenKind::Colour
    } else if is_address(piece) {
        TokenKind::Address
    } else if piece.starts_with(|c: char| c.is_ascii_digit()) && number(piece).is_some() {
        TokenKind::Number
    } else if piece == "-" {
        TokenKind::Mark
    } else {
        TokenKind::Word
    }
}

fn is_hex_colour(piece: &str) -> bool {
    piece.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// How long a colour such as `rgb(1, 2, 3)` is, when one stands here.
fn function_colour(rest: &str) -> Option<usize> {
    let lower: String = rest.chars().take(6).collect::<String>().to_lowercase();
    let is_function = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch("]
        .iter()
        .any(|name| lower.starts_with(name));
    let end = rest.find(')').filter(|end| is_function && *end < 60)?;
    let inner = &rest[rest.find('(')? + 1..end];
    let is_plain = inner
        .chars()
        .all(|c| c.is_ascii_digit() || " .,%/-deg".contains(c));
    is_plain.then_some(end + 1)
}

/// Whether it is a path of the site, a URL, a mail address or the name of a picture.
pub(crate) fn is_address(piece: &str) -> bool {
    let has_scheme = [
        "http://",
        "https://",
        "mailto:",
        "tel:",
        "javascript:",
        "data:",
        "www.",
    ]
    .iter()
    .any(|scheme| piece.to_lowercase().starts_with(scheme));
    let is_path = piece.starts_with('/') && piece.len() > 1 && !piece.contains('<');
    let is_mail = piece
        .find('@')
        .is_some_and(|at| at > 0 && piece[at..].contains('.'));
    let lower = piece.to_lowercase();
    let is_file = [
        ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif", ".ico",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending) && lower.len() > ending.len());
    has_scheme || is_path || is_mail || is_file
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) unit: String,
}

impl Number {
    /// As a length of CSS; pixels when no unit was said.
    pub(crate) fn to_css(&self) -> String {
        let unit = match self.unit.as_str() {
            "" => "px",
            unit => unit,
        };
        format!("{}{unit}", self.value)
    }
}

/// The number of a token, written in digits or in a word.
pub(crate) fn number(text: &str) -> Option<Number> {
    let lower = text.to_lowercase();
    let digits: String = lower
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    if digits.is_empty() {
        return lexicon::number_word(&lower).map(|value| Number {
            value,
            unit: String::new(),
        });
    }
    let unit = lower[digits.len()..].to_owned();
    let known = ["", "px", "rem", "em", "%", "pt", "vh", "vw"];
    if !known.contains(&unit.as_str()) {
        return None;
    }
    let value = digits.trim_end_matches('.').parse().ok()?;
    Some(Number { value, unit })
}

/// `2nd`, `third`, `last`: which one of several, from 1; the last is -1.
pub(crate) fn ordinal(word: &str) -> Option<i64> {
    let words = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    if let Some(at) = words.iter().position(|known| *known == word) {
        return i64::try_from(at + 1).ok();
    }
    if matches!(word, "last" | "bottom" | "final") {
        return Some(-1);
    }
    if word == "top" {
        return Some(1);
    }
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    let ending = &word[digits.len()..];
    if matches!(ending, "st" | "nd" | "rd" | "th") {
        return digits.parse().ok();
    }
    None
}
