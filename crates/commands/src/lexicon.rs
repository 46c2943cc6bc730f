//! Normalises words: synonyms, typing errors, and phrases that mean one word.
//!
//! A word is corrected to another one only when it is not a known word itself and one typing error away; names and texts are
//! never corrected.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::vocabulary::VOCABULARY;
use super::words::{Token, TokenKind};

const NUMBERS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The shortest word that is corrected.
const CORRECTED_MIN: usize = 5;

/// The phrases of the vocabulary, with each word normalised.
static PHRASES: LazyLock<HashMap<Vec<String>, &'static str>> = LazyLock::new(|| {
    let phrases = VOCABULARY.phrases.iter();
    let spelled = |phrase: &str| phrase.split(' ').map(one_spelling).collect();
    phrases
        .map(|(phrase, word)| (spelled(phrase), word.as_str()))
        .collect()
});

static PHRASE_MAX: LazyLock<usize> =
    LazyLock::new(|| PHRASES.keys().map(Vec::len).max().unwrap_or(0));

/// The number that a word means.
pub(crate) fn number_word(word: &str) -> Option<f64> {
    let at = NUMBERS.iter().position(|known| *known == word)?;
    u32::try_from(at).ok().map(f64::from)
}

/// Normalises words and merges phrases that mean one word.
pub(crate) fn canonical(mut tokens: Vec<Token>) -> Vec<Token> {
    for token in &mut tokens {
        if token.kind == TokenKind::Word {
            token.word = one_spelling(&token.word);
        }
    }
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        let Some((length, word)) = phrase(rest) else {
            found.push(first.clone());
            rest = behind;
            continue;
        };
        let texts: Vec<&str> = rest[..length]
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        found.push(Token {
            kind: TokenKind::Word,
            text: texts.join(" "),
            word: word.to_owned(),
            span: (first.span.0, rest[length - 1].span.1),
        });
        rest = &rest[length..];
    }
    found
}

/// The longest phrase that begins here: how many tokens it takes, and what it means.
fn phrase(tokens: &[Token]) -> Option<(usize, &'static str)> {
    let is_word = |token: &&Token| token.kind == TokenKind::Word;
    let words = tokens.iter().take(*PHRASE_MAX).take_while(is_word);
    let mut words: Vec<String> = words.map(|token| token.word.clone()).collect();
    while words.len() > 1 {
        if let Some(word) = PHRASES.get(&words) {
            return Some((words.len(), word));
        }
        words.pop();
    }
    None
}

fn one_spelling(word: &str) -> String {
    let synonym = |word: &str| VOCABULARY.synonyms.get(word).cloned();
    if let Some(meant) = synonym(word) {
        return meant;
    }
    let is_plain = word.len() >= CORRECTED_MIN && word.chars().all(|c| c.is_ascii_lowercase());
    let is_known = VOCABULARY.real_words.contains(word);
    let mut corrected = VOCABULARY.corrected.iter();
    if !is_plain || is_known || VOCABULARY.corrected.iter().any(|known| known == word) {
        return word.to_owned();
    }
    match corrected.find(|known| is_one_slip(word, known)) {
        Some(known) => synonym(known).unwrap_or_else(|| known.clone()),
        None => word.to_owned(),
    }
}

/// Whether two words differ by one letter added, missing or wrong, or by two swapped. The first letter must match, because it is
/// hardly ever wrong.
fn is_one_slip(word: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), known.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let same_end = a.iter().rev().zip(b.iter().rev());
    let end = same_end.take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    match (a, b) {
        ([], [_]) | ([_], []) | ([_], [_]) => start > 0,
        ([x, y], [p, q]) => start > 0 && x == q && y == p,
        _ => false,
    }
}
