//! Frequent requests that are not supported: writing, judgement of taste, sight and translation, which need a provider, and
//! things that no tool does. Recognised by keywords, which is safe because recognising one changes nothing.

use super::request::{Limit, Request};
use super::vocabulary::VOCABULARY;
use super::words::{Token, TokenKind};

/// The topic of a message that no rule understands: something for a provider, or something that is not supported at all.
pub(crate) fn topic(tokens: &[Token]) -> Option<Request> {
    let words = || {
        let words = tokens.iter().filter(|token| token.kind == TokenKind::Word);
        words.map(|token| token.word.as_str())
    };
    let said = || {
        let said = tokens.iter().filter(|token| token.kind != TokenKind::Mark);
        let said: Vec<&str> = said.map(|token| token.text.as_str()).collect();
        Request::NeedsProvider(said.join(" "))
    };
    let asks_to_write = |word: &str| {
        VOCABULARY.writing.contains(word) || VOCABULARY.language_codes.contains_key(word)
    };
    if words().any(asks_to_write) || asks_for_site(tokens) {
        return Some(said());
    }
    if let Some(what) = words().find_map(|word| VOCABULARY.unsupported.get(word)) {
        return Some(Request::Cannot(Limit::Unsupported(what.clone())));
    }
    let is_judged = |word: &str| VOCABULARY.judgement.contains(word) || word.ends_with("ier");
    words().any(is_judged).then(said)
}

/// "Build me a website for a bakery": a whole site would have to be written.
fn asks_for_site(tokens: &[Token]) -> bool {
    let has_verb = tokens
        .first()
        .is_some_and(|token| token.is_any(&["add", "make"]));
    let mut pairs = tokens.windows(2);
    has_verb && pairs.any(|pair| pair[0].is_any(&["a", "new"]) && pair[1].is("site"))
}
