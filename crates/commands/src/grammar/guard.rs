//! Recognises messages that are not instructions: questions whether to do something, negations, reported speech, vague future
//! plans.
//!
//! It checks the message before any rule does, so that no rule can take a part of such a message for an instruction.

use super::super::request::{MissingPart, Reason, Request};
use super::super::topics;
use super::super::vocabulary::VOCABULARY;
use super::super::words::{Token, TokenKind};

/// Returns why nothing is to be done, when the message is not an instruction.
pub(super) fn reason_to_ignore(sentence: &str, tokens: &[Token]) -> Option<Request> {
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Quote)
        .map(|token| token.word.as_str())
        .collect();
    let starts = |with: &[&str]| words.starts_with(with);
    let has = |word: &str| words.contains(&word);
    let trimmed = sentence.trim();
    if trimmed.starts_with(['{', '[']) || trimmed.starts_with("```") {
        return Some(Request::Ignore(Reason::Code));
    }
    if !sentence.chars().any(char::is_alphanumeric) {
        return Some(Request::Ignore(Reason::Unclear));
    }
    if trimmed.eq_ignore_ascii_case("publish?") {
        return Some(Request::Missing(MissingPart::GoAhead));
    }
    if words
        .iter()
        .any(|word| matches!(*word, "said" | "wrote" | "told"))
        || has("wants")
    {
        return Some(Request::Ignore(Reason::Reported));
    }
    if starts(&["who", "made"]) || starts(&["who", "are"]) {
        return None;
    }
    if starts(&["i", "think", "we"]) && has("ready") {
        return Some(Request::Missing(MissingPart::GoAhead));
    }
    if has("think")
        && let Some(request @ Request::NeedsProvider(_)) = topics::topic(tokens)
    {
        return Some(request);
    }
    let unquoted: Vec<Token> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Quote)
        .cloned()
        .collect();
    let mut hypothetical = VOCABULARY.hypothetical.iter();
    if hypothetical.any(|start| start.starts(&unquoted)) {
        return Some(Request::Ignore(Reason::Question));
    }
    if has("instructions") || has("prompt") || starts(&["do", "what"]) || starts(&["follow"]) {
        return Some(Request::Ignore(Reason::PageText));
    }
    let negations = ["never", "not", "no", "nope", "neither"];
    let is_negated = |word: &&str| negations.contains(word);
    if starts(&["never"])
        || words.len() <= 3
            && words.iter().any(is_negated)
            && !has("corners")
            && !starts(&["no", ","])
    {
        return Some(Request::Ignore(Reason::Negated));
    }
    None
}

/// Whether a clause says not to do something.
pub(super) fn is_negated(tokens: &[Token]) -> bool {
    let first = tokens
        .iter()
        .find(|token| !token.is_any(&["but", "and", "please", ",", "just"]));
    let first_is = |words: &[&str]| first.is_some_and(|token| token.is_any(words));
    first_is(&["don't", "never", "keep", "leave", "not"])
}
