//! The words that are understood, from `vocabulary.toml`: synonyms, phrases, colours, languages, polite words.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::words::Token;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vocabulary {
    pub(crate) orders: HashSet<String>,
    pub(crate) corrected: Vec<String>,
    pub(crate) real_words: HashSet<String>,
    pub(crate) prefixes: Vec<WordList>,
    pub(crate) wanted: Vec<WordList>,
    pub(crate) suffixes: Vec<WordList>,
    pub(crate) chatter: Vec<WordList>,
    pub(crate) hypothetical: Vec<WordList>,
    pub(crate) writing: HashSet<String>,
    pub(crate) judgement: HashSet<String>,
    pub(crate) css_lengths: HashSet<String>,
    pub(crate) css_values: HashSet<String>,
    pub(crate) english: HashSet<String>,
    pub(crate) shared: HashSet<String>,
    pub(crate) phrases: HashMap<String, String>,
    pub(crate) synonyms: HashMap<String, String>,
    pub(crate) unsupported: HashMap<String, String>,
    pub(crate) language_codes: HashMap<String, String>,
    pub(crate) colours: HashMap<String, String>,
    pub(crate) languages: Vec<Language>,
    pub(crate) scripts: Vec<Script>,
}

/// A language: words that only it has, and "I only understand English" in it.
#[derive(Debug, Deserialize)]
pub(crate) struct Language {
    pub(crate) says: String,
    pub(crate) words: HashSet<String>,
}

/// A range of characters, and "I only understand English" in the language that uses them.
#[derive(Debug, Deserialize)]
pub(crate) struct Script {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) says: String,
}

/// A sequence of words.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct WordList(pub(crate) Vec<String>);

impl From<String> for WordList {
    fn from(words: String) -> Self {
        Self(words.split(' ').map(str::to_owned).collect())
    }
}

impl WordList {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn starts(&self, tokens: &[Token]) -> bool {
        let pairs = || self.0.iter().zip(tokens);
        tokens.len() >= self.len() && pairs().all(|(word, token)| token.is(word))
    }

    pub(crate) fn ends(&self, tokens: &[Token]) -> bool {
        let start = tokens.len().checked_sub(self.len());
        start.is_some_and(|start| self.starts(&tokens[start..]))
    }
}

/// The longest list that satisfies a condition.
pub(crate) fn longest(
    lists: &'static [WordList],
    fits: impl Fn(&WordList) -> bool,
) -> Option<&'static WordList> {
    let fitting = lists.iter().filter(|list| fits(list));
    fitting.max_by_key(|list| list.len())
}

/// A test checks that the file can be parsed.
pub(crate) static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| toml::from_str(include_str!("vocabulary.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    #[test]
    fn the_vocabulary_can_be_read() {
        let read = toml::from_str::<Vocabulary>(include_str!("vocabulary.toml"));
        let orders = read.map(|vocabulary| vocabulary.orders.len());
        assert_eq!(orders.map_err(|error| error.to_string()), Ok(26));
    }
}
