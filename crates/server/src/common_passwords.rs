//! Passwords that guessers try first: common words, phrases and keyboard walks, with the decoration that people add to make them long
//! enough, and what is known about the account itself.
//!
//! The list has words in their plain form. `P@ssw0rd-2024!` is compared as `password`, so the list covers far more than its lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::problem::ApiError;

static COMMON: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

/// Neighbours on keyboards, in the alphabet and among the digits. The last two are columns of a keyboard.
const SEQUENCES: [&str; 10] = [
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "zaq1xsw2cde3vfr4bgt5nhy6mju7ki8lo9p0",
];

/// A name that is shorter says nothing about a password.
const WORD_CHARS_MIN: usize = 3;

/// Refuses a password that guessers try first, or that is the account's address with decoration.
pub(crate) fn check(field: &str, password: &str, email: &str) -> Result<(), ApiError> {
    if is_common(password) {
        return Err(ApiError::field(
            field,
            "This password is easy to guess. Choose one that is not a common word, phrase or pattern.",
        ));
    }
    let (name, domain) = email.split_once('@').unwrap_or((email, ""));
    let company = domain.split('.').next().unwrap_or_default();
    refuse_words(field, password, &[email, name, domain, company])
}

/// Refuses a password that is one of these words, such as a name, with decoration.
pub(crate) fn refuse_words(field: &str, password: &str, words: &[&str]) -> Result<(), ApiError> {
    let parts = words.iter().flat_map(|word| word.split_whitespace());
    let known: HashSet<String> = words
        .iter()
        .copied()
        .chain(parts)
        .map(|word| joined(&word.to_lowercase()))
        .filter(|word| word.chars().count() >= WORD_CHARS_MIN)
        .collect();
    let is_known = plain_forms(password)
        .iter()
        .any(|form| known.contains(form) || known.contains(unit(form)));
    if is_known {
        return Err(ApiError::field(
            field,
            "This password is easy to guess. Choose one that is not your name, your address or the name of the site.",
        ));
    }
    Ok(())
}

fn is_common(password: &str) -> bool {
    is_walk(&joined(&password.to_lowercase()))
        || plain_forms(password).iter().any(|form| {
            let unit = unit(form);
            let is_repeated = unit.len() < form.len();
            COMMON.contains(form.as_str())
                || COMMON.contains(unit)
                || (is_repeated && (unit.chars().count() <= 4 || is_walk(unit)))
        })
}

/// What the password may be without its decoration: as it is, without digits and signs at its ends, and each with digits and signs read
/// as the letters they stand for.
fn plain_forms(password: &str) -> [String; 4] {
    let lower = password.to_lowercase();
    let stripped = lower.trim_matches(|char: char| !char.is_alphabetic());
    [
        joined(&lower),
        joined(stripped),
        joined(&letters_for_signs(stripped)),
        joined(letters_for_signs(&lower).trim_matches(|char: char| !char.is_alphabetic())),
    ]
}

/// The text without spaces and punctuation.
fn joined(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).collect()
}

fn letters_for_signs(text: &str) -> String {
    let letter = |char| match char {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    };
    text.chars().map(letter).collect()
}

/// The part of which the text is a repetition; the text itself if it is none.
fn unit(text: &str) -> &str {
    let lengths = (1..=text.len() / 2).filter(|length| text.len().is_multiple_of(*length));
    lengths
        .filter_map(|length| text.get(..length))
        .find(|unit| unit.repeat(text.len() / unit.len()) == text)
        .unwrap_or(text)
}

/// Whether the text consists of few runs of equal or neighbouring characters, such as `qwertyuiop12`.
fn is_walk(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let breaks = chars
        .windows(2)
        .filter(|pair| !are_neighbours(pair[0], pair[1]))
        .count();
    chars.len() >= 6 && breaks <= chars.len() / 4
}

fn are_neighbours(one: char, other: char) -> bool {
    let are_next = |sequence: &str| {
        let mut pairs = sequence.chars().zip(sequence.chars().skip(1));
        pairs.any(|pair| pair == (one, other) || pair == (other, one))
    };
    one == other || SEQUENCES.into_iter().any(are_next)
}

#[cfg(test)]
mod tests {
    use super::{check, refuse_words};

    /// M8: the minimum length alone accepts `password1234`.
    #[test]
    fn m8_what_guessers_try_first_is_refused() {
        for password in [
            "password1234",
            "Password1234",
            "P@ssw0rd-2024!",
            "passwordpassword",
            "123456789012",
            "qwertyuiop12",
            "1qaz2wsx3edc",
            "aaaaaaaaaaaa",
            "abcabcabcabc",
            "abc123abc123",
            "Summer2024!!",
            "letmein!!!!!!",
            "iloveyou-1234",
            "administrator1",
            "correct horse battery staple",
            "Tr0ub4dor!!!!",
            "changeme-changeme",
            "zxcvbnm,.12345",
            "monkey monkey",
            "Admin@123456",
        ] {
            assert!(check("password", password, "").is_err(), "{password}");
        }
    }

    #[test]
    fn what_is_hard_to_guess_is_accepted() {
        for password in [
            "correct horse battery",
            "a violet ledger hums",
            "vK3#pq9Lz!wx",
            "seven otters at noon",
            "Grünkohl im Gegenwind",
            "dragon-ladder-7-smoke",
        ] {
            assert!(
                check("password", password, "ada@example.com").is_ok(),
                "{password}"
            );
        }
    }

    #[test]
    fn m8_the_account_itself_is_no_password() {
        for password in [
            "ada.lovelace@example.com",
            "ada.lovelace2024",
            "adalovelace!!!",
            "Example.com123",
            "lovelace-1815!",
            "EnginesEngines",
            "Engines of Ada 1843",
        ] {
            let refused = check("password", password, "ada.lovelace@example.com").and_then(|()| {
                refuse_words(
                    "password",
                    password,
                    &["Ada Lovelace", "Engines", "Engines of Ada"],
                )
            });
            assert!(refused.is_err(), "{password}");
        }
    }
}
