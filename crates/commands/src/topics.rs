//! What is asked for often and not done here: writing, taste, sight and translation, which take a provider, and things that no
//! tool does. Recognised by their words, because nothing changes on account of it.

use super::request::{Limit, Request};
use super::words::{Token, TokenKind};

/// Words that ask for writing, taste, sight or translation.
const TASTE: &[&str] = &[
    "better",
    "modern",
    "nicer",
    "improve",
    "improved",
    "redesign",
    "beautiful",
    "catchier",
    "friendlier",
    "shorten",
    "pop",
    "translate",
    "translation",
    "summarise",
    "summarize",
    "optimise",
    "optimize",
    "spelling",
    "rewrite",
    "polish",
    "proofread",
    "generate",
    "fancy",
    "professional",
    "sexier",
    "prettier",
    "think",
    "german",
    "french",
    "spanish",
    "italian",
    "version",
    "apple.com",
    "nice",
    "realistic",
    "readable",
    "good",
    "sound",
    "together",
    "ugly",
    "customer",
    "bakery",
    "weather",
    "clean",
    "texts",
];

/// Things that no tool does, with the word that is said back.
const MISSING: &[(&str, &str)] = &[
    ("newsletter", "a newsletter signup"),
    ("map", "a map"),
    ("maps", "a map"),
    ("calendar", "a booking calendar"),
    ("chat", "a live chat"),
    ("shop", "a shop"),
    ("paypal", "payments"),
    ("password", "passwords"),
    ("email", "sending email"),
    ("access", "giving people access"),
    ("visitors", "visitor figures"),
    ("visits", "visitor figures"),
    ("import", "importing another site"),
    ("wordpress", "importing another site"),
    ("upload", "uploading files"),
    ("animate", "animations"),
    ("animation", "animations"),
    ("countdown", "a countdown timer"),
    ("timer", "a countdown timer"),
    ("dark", "a dark mode"),
    ("team", "a team section"),
    ("video", "videos"),
    ("script", "code"),
    ("head", "code"),
    ("customers", "customers"),
    ("yesterday's", "going back to another day"),
    ("library", "choosing from the media library"),
];

/// What a message is about when no rule understands it: something for a provider, or something that is not done at all.
pub(crate) fn topic(tokens: &[Token]) -> Option<Request> {
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| token.word.as_str())
        .collect();
    let said: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Mark)
        .map(|token| token.text.as_str())
        .collect();
    let has = |word: &str| words.contains(&word);
    let first = words.first().copied().unwrap_or_default();
    let asks_to_write = matches!(
        first,
        "write"
            | "choose"
            | "pick"
            | "fix"
            | "find"
            | "build"
            | "does"
            | "make"
            | "fill"
            | "give"
            | "is"
            | "what"
            | "think"
            | "summarise"
    );
    let taste = words.iter().find(|word| TASTE.contains(word));
    if let Some((_, what)) = MISSING.iter().find(|(word, _)| has(word)) {
        let is_taste = taste.is_some_and(|word| {
            !matches!(*word, "nice" | "good" | "version" | "texts" | "customer")
        });
        if !is_taste && !has("pick") && !has("find") {
            return Some(Request::Cannot(Limit::Unsupported((*what).to_owned())));
        }
    }
    if taste.is_some() || first == "write" || asks_to_write && (has("nice") || has("posts")) {
        return Some(Request::NeedsProvider(said.join(" ")));
    }
    None
}
