//! Splits a message into clauses and tries the rules on each.

use super::super::pattern::Clause;
use super::super::request::{Limit, Place, Reason, Request};
use super::super::vocabulary::{VOCABULARY, WordList, longest};
use super::super::words::{Token, TokenKind, tokens, typed};
use super::super::{foreign, topics};
use super::{AREAS, Interpretation, guard};

/// The longest message that is read as instructions.
const TOKENS_MAX: usize = 400;
/// The longest one that is split into several clauses.
const SPLIT_MAX: usize = 90;

/// Reads a message.
pub(crate) fn parse(sentence: &str) -> Interpretation {
    let all = tokens(sentence);
    let one = |request: Request| Interpretation {
        requests: vec![request],
        unknown: None,
    };
    let not_understood = |clause: &str| Interpretation {
        requests: Vec::new(),
        unknown: Some(clause.trim().to_owned()),
    };
    if let Some(words) = foreign::not_english(sentence) {
        return one(Request::Cannot(Limit::Language(words)));
    }
    if all.len() > TOKENS_MAX {
        return not_understood("a message this long");
    }
    if let Some(request) = guard::reason_to_ignore(sentence, &all) {
        return one(request);
    }
    let mut reader = Reader {
        sentence,
        seen: Vec::new(),
        failed: None,
    };
    match reader.all(&all, None) {
        Some(requests) if !requests.is_empty() => Interpretation {
            requests: merge(requests),
            unknown: None,
        },
        Some(_) => one(Request::Ignore(Reason::Unclear)),
        None => match topics::topic(&all) {
            Some(request) => one(request),
            None => not_understood(reader.failed.as_deref().unwrap_or(sentence)),
        },
    }
}

struct Reader<'s> {
    sentence: &'s str,
    /// Remainders that were not understood, by their start and the verb they were tried with; trying them again would take
    /// exponential time.
    seen: Vec<(usize, Option<String>)>,
    failed: Option<String>,
}

impl Reader<'_> {
    /// Understands all of the tokens, as one clause or as several.
    ///
    /// The tokens are first tried as a single clause. Otherwise every possible cut is tried in turn: the left part must be one
    /// clause, and the right part is read recursively. A clause without a verb takes over `verb`, that of the clause before it.
    /// The result is `None` unless every token is explained, so a message is never carried out in part.
    fn all(&mut self, tokens: &[Token], verb: Option<&Token>) -> Option<Vec<Request>> {
        let tokens = trim_signs(tokens);
        let Some(first) = tokens.first() else {
            return Some(Vec::new());
        };
        let key = (first.span.0, verb.map(|verb| verb.word.clone()));
        if self.seen.contains(&key) {
            return None;
        }
        if let Some(requests) = self.one(tokens, verb) {
            return Some(requests);
        }
        if tokens.len() <= SPLIT_MAX {
            for cut in cuts(tokens) {
                let (left, right) = (&tokens[..cut.0], &tokens[cut.1..]);
                let left = trim_signs(left);
                let understood = self.one(left, verb);
                let is_order = understood.is_some();
                let Some(mut requests) = understood.or_else(|| about(left)) else {
                    continue;
                };
                // Removing, publishing and undoing must be said for each thing.
                let carried = left.iter().find(|token| token.is_order()).or(verb);
                let carried =
                    carried.filter(|verb| is_order && !verb.is_any(&["remove", "publish", "undo"]));
                if let Some(more) = self.all(right, carried) {
                    requests.extend(more);
                    return Some(requests);
                }
            }
        }
        if let Some(requests) = about(tokens) {
            return Some(requests);
        }
        self.seen.push(key);
        self.failed = Some(typed(self.sentence, tokens).to_owned());
        None
    }

    /// Understands the tokens as one clause, with the verb of the clause before if they have none.
    fn one(&self, tokens: &[Token], verb: Option<&Token>) -> Option<Vec<Request>> {
        let tokens = normalise(trim_signs(tokens));
        if tokens.is_empty() {
            return Some(Vec::new());
        }
        if let Some(found) = self.rules(&tokens) {
            return Some(found);
        }
        if guard::is_negated(&tokens) {
            return (!tokens.iter().any(Token::is_end))
                .then(|| vec![Request::Ignore(Reason::Negated)]);
        }
        if is_chatter(&tokens) {
            return Some(Vec::new());
        }
        if let Some(verb) = verb
            && !tokens[0].is_order()
        {
            let mut with_verb = vec![verb.clone()];
            with_verb.extend(tokens.iter().cloned());
            return self.rules(&with_verb);
        }
        None
    }

    fn rules(&self, tokens: &[Token]) -> Option<Vec<Request>> {
        let clause = Clause {
            sentence: self.sentence,
            tokens,
        };
        let mut rules = AREAS.iter().flat_map(|area| &area.rule);
        rules.find_map(|rule| {
            let mut patterns = rule.patterns.iter();
            patterns.find_map(|pattern| pattern.matched(clause, |found| rule.build(found)))
        })
    }
}

/// The topic of a clause that no rule understands: something for a provider, or something that is not supported.
fn about(tokens: &[Token]) -> Option<Vec<Request>> {
    if tokens.iter().any(Token::is_end) {
        return None;
    }
    topics::topic(tokens).map(|request| vec![request])
}

/// The positions at which a message may be split: the end of the left part and the start of the right one, ends of sentences
/// first.
fn cuts(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut sentences = Vec::new();
    let mut words = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let is_bullet = token.kind == TokenKind::Number
            && next.is_some_and(|next| next.is_any(&[".", ")"]))
            && token.text.len() <= 2;
        if is_bullet && at > 0 {
            sentences.push((at, at + 2));
        } else if token.is_end()
            && !tokens.get(at.wrapping_sub(1)).is_some_and(|before| {
                before.kind == TokenKind::Number && before.text.len() <= 2 && at == 1
            })
        {
            sentences.push((at, at + 1));
        } else if token.is_any(&["and", "then", "but", ",", "-", "plus"]) && at > 0 {
            let also = next.is_some_and(|next| next.is_any(&["and", "then", "also", "but"]));
            words.push((at, at + 1 + usize::from(also)));
        }
    }
    sentences.extend(words);
    sentences.retain(|(_, right)| *right < tokens.len());
    sentences
}

pub(super) fn trim_signs(tokens: &[Token]) -> &[Token] {
    let is_sign = |token: &Token| {
        token.is_end() || token.is_any(&[",", "and", "then", "-"]) || is_sign_word(token)
    };
    let mut tokens = tokens;
    loop {
        match tokens {
            [number, dot, rest @ ..]
                if number.kind == TokenKind::Number
                    && dot.is_any(&[".", ")"])
                    && number.text.len() <= 2
                    && !rest.is_empty() =>
            {
                tokens = rest
            }
            [first, rest @ ..] if is_sign(first) && !rest.is_empty() || first.is_end() => {
                tokens = rest
            }
            [rest @ .., last] if is_trailing(last) => tokens = rest,
            _ => return tokens,
        }
    }
}

fn is_trailing(token: &Token) -> bool {
    token.is_any(&[".", "\n", ",", "please", "thanks", "asap", "?"]) || is_sign_word(token)
}

/// Whether it is a smiley, a dash or the like; braces belong to CSS.
fn is_sign_word(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && token
            .word
            .chars()
            .all(|c| !c.is_alphanumeric() && !matches!(c, '{' | '}'))
}

/// The clause without polite words, and with the single word "want" for all ways of wanting something.
pub(super) fn normalise(tokens: &[Token]) -> Vec<Token> {
    let mut tokens = without_prefixes(tokens.to_vec());
    loop {
        let is_polite = tokens.len() > 1
            && tokens[tokens.len() - 2].is_any(&[
                "advance", "thanks", "you", "please", "much", "cheers", "now", "!", "?",
            ]);
        let ends_in_sign = tokens.last().is_some_and(|token| token.is_any(&["!", "?"]));
        let gives_text = |token: &Token| token.is_any(&[":", "say", "to", "="]);
        // The sign belongs to the given text.
        let keeps_sign = !is_polite && ends_in_sign && tokens.iter().any(gives_text);
        let fits = |words: &WordList| tokens.len() > words.len() && words.ends(&tokens);
        match longest(&VOCABULARY.suffixes, fits) {
            Some(suffix) if !(keeps_sign && suffix.len() == 1) => {
                tokens.truncate(tokens.len() - suffix.len());
            }
            _ => return tokens,
        }
    }
}

fn without_prefixes(mut tokens: Vec<Token>) -> Vec<Token> {
    loop {
        let next = tokens.get(1);
        let is_order =
            next.is_some_and(|next| next.is_order() || next.is_any(&["i", "we", "a", "an"]));
        let is_place = next.is_some_and(|next| next.is_any(&["on", "in", "to"]));
        let says_something = |words: &WordList| match words.0.as_slice() {
            // "also on services" is an instruction, and so is "first features, then the hero".
            [only] if only == "also" => is_place,
            [only] if only == "first" => !is_order,
            _ => false,
        };
        let starts = |words: &WordList| tokens.len() > words.len() && words.starts(&tokens);
        let prefix = longest(&VOCABULARY.prefixes, |words| {
            starts(words) && !says_something(words)
        });
        let wanted = longest(&VOCABULARY.wanted, starts);
        let prefix_length = prefix.map_or(0, WordList::len);
        match wanted {
            Some(wanted) if prefix_length < wanted.len() => {
                tokens.drain(..wanted.len() - 1);
                tokens[0].word = "want".to_owned();
                if tokens.len() > 2 && tokens[1].is("to") && tokens[2].is("have") {
                    tokens.drain(1..3);
                }
                return tokens;
            }
            _ if prefix_length > 0 => {
                tokens.drain(..prefix_length);
            }
            _ => return tokens,
        }
    }
}

/// Whether a clause is a greeting, a thank-you, or a signature.
fn is_chatter(tokens: &[Token]) -> bool {
    let mut chatter = VOCABULARY.chatter.iter();
    chatter.any(|words| words.len() == tokens.len() && words.starts(tokens))
}

/// Merges "call it …" and further sections into the page that the same message creates.
fn merge(requests: Vec<Request>) -> Vec<Request> {
    let mut found: Vec<Request> = Vec::new();
    for request in requests {
        match (request, found.last_mut()) {
            (Request::NameIt(name), Some(Request::AddPage(page)))
                if page.is_described || page.name.is_none() =>
            {
                page.name = Some(name);
                page.is_described = false;
            }
            (Request::NameIt(title), Some(Request::Copy { name, .. })) if name.is_none() => {
                *name = Some(title)
            }
            // "A page with a hero and a gallery": the sections listed after it belong to the page.
            (
                Request::AddSection {
                    kind,
                    title: None,
                    place,
                },
                Some(Request::AddPage(page)),
            ) if !page.sections.is_empty() && place == Place::default() => page.sections.push(kind),
            (request, _) => found.push(request),
        }
    }
    found
}
