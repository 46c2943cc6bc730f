//! Sentences in other languages: nothing is done, and the answer says so in that language.

use super::vocabulary::{Language, VOCABULARY};

/// Returns what to say when a sentence is in another language; `None` when it is English.
pub(crate) fn not_english(sentence: &str) -> Option<&'static str> {
    let outside = outside_quotes(sentence);
    let words: Vec<String> = outside
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let english = words
        .iter()
        .filter(|word| VOCABULARY.english.contains(*word));
    let english = english.count();
    let letters = outside.chars().filter(|c| c.is_alphabetic()).count();
    for script in &VOCABULARY.scripts {
        let range = script.from..=script.to;
        let of_script = outside.chars().filter(|c| range.contains(&u32::from(*c)));
        if of_script.count() * 2 > letters && english == 0 {
            return Some(&script.says);
        }
    }
    let of_language = |language: &'static Language| {
        let own = words.iter().filter(|word| language.words.contains(*word));
        own.collect::<Vec<_>>()
    };
    let languages = VOCABULARY.languages.iter();
    let best = languages.max_by_key(|language| of_language(language).len())?;
    let own = of_language(best);
    let needed = if words.len() <= 2 { 1 } else { 2 };
    let is_other = own.len() >= needed && own.len() > english;
    // Words that also exist in English do not count on their own.
    let is_shared = own.iter().all(|word| VOCABULARY.shared.contains(*word));
    (is_other && !is_shared).then_some(&best.says)
}

fn outside_quotes(sentence: &str) -> String {
    let mut outside = String::new();
    let mut closer: Option<char> = None;
    for c in sentence.chars() {
        match (closer, c) {
            (Some(close), c) if c == close => closer = None,
            (Some(_), _) => {}
            (None, '"') => closer = Some('"'),
            (None, '“') => closer = Some('”'),
            (None, '„') => closer = Some('“'),
            (None, '«') => closer = Some('»'),
            (None, '\'') if outside.ends_with(' ') => closer = Some('\''),
            (None, c) => outside.push(c),
        }
    }
    outside
}
