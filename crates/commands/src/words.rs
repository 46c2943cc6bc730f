//! Splits a sentence into tokens: normalised words, quotes, numbers, colours and addresses, each with its position in the input.
//!
//! Texts that a person gives are always cut from the input, never assembled from tokens, so that they stay exact.

use super::lexicon;
use super::vocabulary::VOCABULARY;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word, in the lexicon's spelling.
    Word,
    /// A quotation; `text` is the part between the quotes.
    Quote,
    /// A number, with its unit if it has one.
    Number,
    /// A colour in CSS notation.
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
    /// As it was typed, without surrounding quotes.
    pub(crate) text: String,
    /// In the lexicon's spelling; one word may represent several that were typed.
    pub(crate) word: String,
    /// Its byte range in the input, including quotes.
    pub(crate) span: (usize, usize),
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind != TokenKind::Quote && self.word == word
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn is_one_of(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Whether it is a verb that begins an instruction.
    pub(crate) fn is_order(&self) -> bool {
        self.kind != TokenKind::Quote && VOCABULARY.orders.contains(&self.word)
    }

    pub(crate) fn is_end(&self) -> bool {
        self.kind == TokenKind::Mark
            && matches!(self.word.as_str(), "." | "!" | "?" | ";" | "\n" | "*")
    }
}

/// Splits a sentence into tokens, with the words in the lexicon's spelling.
pub(crate) fn tokens(sentence: &str) -> Vec<Token> {
    lexicon::canonical(split(sentence))
}

/// The input from the first of these tokens to the last, without quotes that surround all of it.
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
    "\"'“”‘’«»„`‟‚".contains(c)
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
        if c.is_whitespace() && c != '\n' {
            at += c.len_utf8();
            continue;
        }
        let behind = &sentence[at + c.len_utf8()..];
        let is_bullet = line_start && "-*•".contains(c) && behind.starts_with([' ', '\t']);
        line_start = c == '\n';
        let token = match quote_end(sentence, at, c) {
            _ if c == '\n' => mark(sentence, at, 1, "\n"),
            _ if is_bullet => mark(sentence, at, c.len_utf8(), "*"),
            Some(end) => quote(sentence, at, end),
            None => piece(sentence, at),
        };
        at = token.span.1;
        found.push(token);
    }
    found
}

fn mark(sentence: &str, at: usize, length: usize, word: &str) -> Token {
    token(TokenKind::Mark, sentence, at, length, word)
}

fn token(kind: TokenKind, sentence: &str, at: usize, length: usize, word: &str) -> Token {
    Token {
        kind,
        text: sentence[at..at + length].to_owned(),
        word: word.to_owned(),
        span: (at, at + length),
    }
}

fn quote(sentence: &str, at: usize, end: usize) -> Token {
    let width = |at: usize| sentence[at..].chars().next().map_or(0, char::len_utf8);
    let inner = sentence[at + width(at)..end].trim();
    Token {
        kind: TokenKind::Quote,
        text: inner.to_owned(),
        word: inner.to_lowercase(),
        span: (at, end + width(end)),
    }
}

/// The position at which the quote that opens here closes.
fn quote_end(sentence: &str, at: usize, open: char) -> Option<usize> {
    let closers = closing(open);
    let rest = &sentence[at + open.len_utf8()..];
    let found = rest.char_indices().find(|(offset, c)| {
        let after = rest[offset + c.len_utf8()..].chars().next();
        let is_apostrophe = matches!(c, '\'' | '’') && after.is_some_and(char::is_alphanumeric);
        closers.contains(c) && !is_apostrophe && *offset > 0
    });
    found.map(|(offset, _)| at + open.len_utf8() + offset)
}

/// Reads up to the next space: a word, a number, a colour or an address, with any signs before or after it.
fn piece(sentence: &str, at: usize) -> Token {
    let rest = &sentence[at..];
    let mut arrows = ["->", "=>", "→", "⇒"].into_iter();
    if let Some(arrow) = arrows.find(|arrow| rest.starts_with(arrow)) {
        return mark(sentence, at, arrow.len(), "→");
    }
    if let Some(length) = function_colour(rest) {
        let word = rest[..length].to_lowercase();
        return token(TokenKind::Colour, sentence, at, length, &word);
    }
    let first = rest.chars().next().unwrap_or(' ');
    let begins_class = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    if ",.;:!?=()–—\"…".contains(first) && !begins_class {
        let word = match first {
            '–' | '—' => "-".to_owned(),
            other => other.to_string(),
        };
        return mark(sentence, at, first.len_utf8(), &word);
    }
    let mut piece = rest.split(char::is_whitespace).next().unwrap_or(rest);
    if !is_address(piece) {
        // An arrow or a quote may have no spaces around it.
        for cut in ["->", "→", "“", "«", "„", "\""] {
            let at = piece.find(cut).filter(|at| *at > 0);
            piece = at.map_or(piece, |at| &piece[..at]);
        }
    }
    let piece = trim_signs(piece);
    let word = piece.to_lowercase();
    token(kind_of(piece), sentence, at, piece.len(), &word)
}

/// The piece without trailing signs.
fn trim_signs(piece: &str) -> &str {
    let mut piece = piece;
    while let Some(last) = piece.chars().last() {
        let is_sign = ",.;:!?)…\"'’”»`=".contains(last);
        let is_closed = last == ')' && piece.matches('(').count() == piece.matches(')').count();
        let is_only = piece.len() == last.len_utf8();
        if !is_sign || is_closed || is_only || is_initial(piece) {
            break;
        }
        piece = &piece[..piece.len() - last.len_utf8()];
    }
    piece
}

/// `R.` is an initial and keeps its dot.
fn is_initial(piece: &str) -> bool {
    let mut chars = piece.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.as_str() == "."
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

/// The length of a colour such as `rgb(1, 2, 3)` that starts here.
fn function_colour(rest: &str) -> Option<usize> {
    let lower: String = rest.chars().take(6).collect::<String>().to_lowercase();
    let mut names = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch("].iter();
    names.find(|name| lower.starts_with(**name))?;
    let (start, end) = (rest.find('(')?, rest.find(')').filter(|end| *end < 60)?);
    let is_plain = |c: char| c.is_ascii_digit() || " .,%/-deg".contains(c);
    rest[start + 1..end]
        .chars()
        .all(is_plain)
        .then_some(end + 1)
}

/// Whether it is a path of the site, a URL, a mail address or the name of a picture.
pub(crate) fn is_address(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    let mut schemes = [
        "http://",
        "https://",
        "mailto:",
        "tel:",
        "javascript:",
        "data:",
        "www.",
    ]
    .iter();
    let is_path = piece.starts_with('/') && piece.len() > 1 && !piece.contains('<');
    let mail = piece.find('@').filter(|at| *at > 0);
    schemes.any(|scheme| lower.starts_with(scheme))
        || is_path
        || mail.is_some_and(|at| piece[at..].contains('.'))
        || is_picture(piece)
}

/// Whether it is the file name of a picture.
pub(crate) fn is_picture(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    let mut endings = [
        ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif", ".ico",
    ]
    .iter();
    endings.any(|ending| lower.ends_with(ending) && lower.len() > ending.len())
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) unit: String,
}

impl Number {
    /// As a CSS length; in pixels when there is no unit.
    pub(crate) fn to_css(&self) -> String {
        let unit = match self.unit.as_str() {
            "" => "px",
            unit => unit,
        };
        format!("{}{unit}", self.value)
    }
}

/// The number that a token is, in digits or as a word.
pub(crate) fn number(text: &str) -> Option<Number> {
    let lower = text.to_lowercase();
    let digits = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (digits, unit) = lower.split_at(lower.len() - digits.len());
    if digits.is_empty() {
        let value = lexicon::number_word(&lower)?;
        let unit = String::new();
        return Some(Number { value, unit });
    }
    let known = ["", "px", "rem", "em", "%", "pt", "vh", "vw"];
    known.contains(&unit).then_some(())?;
    let value = digits.trim_end_matches('.').parse().ok()?;
    let unit = unit.to_owned();
    Some(Number { value, unit })
}

/// `2nd`, `third`, `last`: the position among several, from 1; the last is -1.
pub(crate) fn ordinal(word: &str) -> Option<i64> {
    let words = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    if let Some(at) = words.iter().position(|known| *known == word) {
        return i64::try_from(at + 1).ok();
    }
    match word {
        "last" | "bottom" | "final" => Some(-1),
        "top" => Some(1),
        word => {
            let ending = word.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = &word[..word.len() - ending.len()];
            let is_ordinal = matches!(ending, "st" | "nd" | "rd" | "th");
            is_ordinal.then(|| digits.parse().ok()).flatten()
        }
    }
}
