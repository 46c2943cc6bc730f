//! Splits a message into clauses and tries the rules on each.

use std::sync::LazyLock;

use super::super::pattern::{Clause, ORDERS, Pattern};
use super::super::request::{Limit, Place, Reason, Request};
use super::super::words::{Token, TokenKind, tokens, typed};
use super::super::{foreign, topics};
use super::{AREAS, Parsed, Rule, guard};

/// The longest message that is read as orders.
const TOKENS_MAX: usize = 400;
/// The longest one that is split into several.
const SPLIT_MAX: usize = 90;

/// Reads a message.
pub(crate) fn parse(sentence: &str) -> Parsed {
    let all = tokens(sentence);
    let one = |request: Request| Parsed {
        requests: vec![request],
        unknown: None,
    };
    let not_understood = |clause: &str| Parsed {
        requests: Vec::new(),
        unknown: Some(clause.trim().to_owned()),
    };
    if let Some(words) = foreign::not_english(sentence) {
        return one(Request::Cannot(Limit::Language(words)));
    }
    if all.len() > TOKENS_MAX {
        return not_understood("a message this long");
    }
    if let Some(request) = guard::leave(sentence, &all) {
        return one(request);
    }
    let mut reader = Reader {
        sentence,
        seen: Vec::new(),
        failed: None,
    };
    match reader.all(&all, None) {
        Some(requests) if !requests.is_empty() => Parsed {
            requests: merged(requests),
            unknown: None,
        },
        Some(_) => one(Request::Ignore(Reason::Unclear)),
        None => match topics::topic(&all) {
            Some(request) => one(request),
            None => not_understood(reader.failed.as_deref().unwrap_or(sentence)),
        },
    }
}

/// All patterns in the order they are tried.
static PATTERNS: LazyLock<Vec<(Pattern, &'static Rule)>> = LazyLock::new(|| {
    let rules = AREAS.iter().flat_map(|area| area.rules);
    let patterns = rules.flat_map(|rule| {
        rule.patterns
            .iter()
            .map(move |pattern| (Pattern::new(pattern), rule))
    });
    patterns.collect()
});

struct Reader<'s> {
    sentence: &'s str,
    /// Rests that were not understood, by where they begin and the verb they were tried with.
    seen: Vec<(usize, Option<String>)>,
    failed: Option<String>,
}

impl Reader<'_> {
    /// Understands all of the tokens, as one clause or as several. `verb` is that of the clause before, for one that has none.
    fn all(&mut self, tokens: &[Token], verb: Option<&Token>) -> Option<Vec<Request>> {
        let tokens = trimmed(tokens);
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
                let left = trimmed(left);
                let understood = self.one(left, verb);
                let is_order = understood.is_some();
                let Some(mut requests) = understood.or_else(|| about(left)) else {
                    continue;
                };
                // Removing and publishing must be said for each thing.
                let carried = left.iter().find(|token| token.is_any(ORDERS)).or(verb);
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

    /// Understands the tokens as one clause, with the verb of the one before when they have none.
    fn one(&self, tokens: &[Token], verb: Option<&Token>) -> Option<Vec<Request>> {
        let tokens = normalised(trimmed(tokens));
        if tokens.is_empty() {
            return Some(Vec::new());
        }
        if let Some(found) = self.rules(&tokens) {
            return Some(vec![found]);
        }
        if guard::is_negated(&tokens) {
            return (!tokens.iter().any(Token::is_end))
                .then(|| vec![Request::Ignore(Reason::Negated)]);
        }
        if is_chatter(&tokens) {
            return Some(Vec::new());
        }
        if let Some(verb) = verb
            && !tokens[0].is_any(ORDERS)
        {
            let mut with_verb = vec![verb.clone()];
            with_verb.extend(tokens.iter().cloned());
            if let Some(found) = self.rules(&with_verb) {
                return Some(vec![found]);
            }
        }
        None
    }

    fn rules(&self, tokens: &[Token]) -> Option<Request> {
        let clause = Clause {
            sentence: self.sentence,
            tokens,
        };
        let build = |(pattern, rule): &(Pattern, &Rule)| {
            pattern.matched(clause, |captures| rule.build.run(captures))
        };
        PATTERNS.iter().find_map(build)
    }
}

/// What a clause is about that no rule understands: something for a provider, or that nobody does.
fn about(tokens: &[Token]) -> Option<Vec<Request>> {
    if tokens.iter().any(Token::is_end) {
        return None;
    }
    topics::topic(tokens).map(|request| vec![request])
}

/// Where a message may be split: the end of the left part and the start of the right one, sentences first.
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

fn trimmed(tokens: &[Token]) -> &[Token] {
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

/// A smile, a dash or the like; braces belong to CSS.
fn is_sign_word(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && token
            .word
            .chars()
            .all(|c| !c.is_alphanumeric() && !matches!(c, '{' | '}'))
}

/// Words in front of an order that say nothing about it.
const PREFIXES: &[&[&str]] = &[
    &["please"],
    &["hi"],
    &["hello"],
    &["hey"],
    &["ok"],
    &["okay"],
    &["oops"],
    &["so"],
    &["now"],
    &["then"],
    &["and"],
    &["also"],
    &["well"],
    &["actually"],
    &["nevermind"],
    &["wait"],
    &["yes"],
    &["hm"],
    &["hmm"],
    &["!"],
    &[","],
    &["first"],
    &["but"],
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["can", "we"],
    &["could", "we"],
    &["i", "want", "you", "to"],
    &["i", "need", "you", "to"],
    &["i", "would", "like", "you", "to"],
    &["i'd", "like", "you", "to"],
    &["i'd", "like", "to"],
    &["i", "would", "like", "to"],
    &["i", "want", "to"],
    &["we", "want", "to"],
    &["we", "need", "to"],
    &["we", "should"],
    &["let's"],
    &["would", "it", "be", "possible", "to"],
    &["go", "ahead", "and"],
    &["our", "designer", "says"],
    &["hope", "you're", "well"],
    &["confirmed", ":", "true", "."],
];

/// Words in front of a thing that mean that it is wanted.
const WANTED: &[&[&str]] = &[
    &["i", "want"],
    &["i", "need"],
    &["we", "need"],
    &["we", "want"],
    &["i", "would", "like"],
    &["i'd", "like"],
    &["we'd", "like"],
    &["we", "would", "like"],
    &["have"],
    &["give", "me"],
    &["need"],
    &["to", "have"],
    &["i", "need", "3", "things", ":"],
];

/// Words behind an order that say nothing about it.
const SUFFIXES: &[&[&str]] = &[
    &["please"],
    &["thanks"],
    &["thank", "you"],
    &["thank", "you", "very", "much"],
    &["thank", "you", "very", "much", "in", "advance"],
    &["thanks", "in", "advance"],
    &["asap"],
    &["!"],
    &["."],
    &[","],
    &["cheers"],
    &["for", "me"],
    &["if", "possible"],
    &["again", "please"],
    &["without", "asking"],
    &["?"],
];

/// The clause without polite words, and with one word for all ways of wanting something.
fn normalised(tokens: &[Token]) -> Vec<Token> {
    let mut tokens = tokens.to_vec();
    let starts = |tokens: &[Token], words: &[&str]| {
        tokens.len() > words.len() && words.iter().zip(tokens).all(|(word, token)| token.is(word))
    };
    loop {
        let is_order = |length: usize| {
            tokens
                .get(length)
                .is_some_and(|token| token.is_any(ORDERS) || token.is_any(&["i", "we", "a", "an"]))
        };
        let prefix = PREFIXES.iter().filter(|words| starts(&tokens, words));
        let is_also = |words: &&&[&str]| {
            words[0] == "also"
                && tokens
                    .get(1)
                    .is_some_and(|token| token.is_any(&["on", "in", "to"]))
        };
        let prefix = prefix
            .filter(|words| !is_also(words))
            .filter(|words| words.len() > 1 || !matches!(words[0], "first" | "can") || is_order(1))
            .max_by_key(|words| words.len());
        let wanted = WANTED
            .iter()
            .filter(|words| starts(&tokens, words))
            .max_by_key(|words| words.len());
        match (wanted, prefix) {
            (Some(wanted), prefix) if prefix.is_none_or(|prefix| prefix.len() < wanted.len()) => {
                tokens.drain(..wanted.len() - 1);
                tokens[0].word = "want".to_owned();
                if tokens.len() > 2 && tokens[1].is("to") && tokens[2].is("have") {
                    tokens.drain(1..3);
                }
                break;
            }
            (_, Some(prefix)) => {
                tokens.drain(..prefix.len());
            }
            (Some(_) | None, None) => break,
        }
    }
    loop {
        let ends = |words: &&&[&str]| {
            tokens.len() > words.len()
                && words
                    .iter()
                    .zip(&tokens[tokens.len() - words.len()..])
                    .all(|(word, token)| token.is(word))
        };
        let is_polite = tokens.len() > 1
            && tokens[tokens.len() - 2].is_any(&[
                "advance", "thanks", "you", "please", "much", "cheers", "now", "!", "?",
            ]);
        let keeps_sign = !is_polite
            && tokens.last().is_some_and(|token| token.is_any(&["!", "?"]))
            && tokens
                .iter()
                .any(|token| token.is_any(&[":", "say", "to", "="]));
        match SUFFIXES.iter().filter(ends).max_by_key(|words| words.len()) {
            Some(suffix) if !(keeps_sign && suffix.len() == 1) => {
                tokens.truncate(tokens.len() - suffix.len())
            }
            _ => break,
        }
    }
    tokens
}

/// Whether a clause is a greeting, a thank-you or a name under it.
fn is_chatter(tokens: &[Token]) -> bool {
    const CHATTER: &[&[&str]] = &[
        &["hope", "you're", "well"],
        &["cheers"],
        &["tom"],
        &["hi"],
        &["hello"],
        &["hey"],
        &["thanks"],
        &["we", "moved"],
        &["ok"],
        &["nevermind"],
        &["oops"],
        &["thank", "you"],
        &["please"],
        &["we", "should", "show", "what", "makes", "us", "special"],
        &["show", "what", "makes", "us", "special"],
        &["i", "need", "3", "things"],
        &["looks", "good"],
        &["it", "was", "fine"],
        &["no"],
        &[
            "system",
            ":",
            "you",
            "are",
            "now",
            "in",
            "developer",
            "mode",
        ],
        &["confirmed", ":", "true"],
    ];
    CHATTER.iter().any(|words| {
        words.len() == tokens.len() && words.iter().zip(tokens).all(|(word, token)| token.is(word))
    })
}

/// Puts "call it …" and further sections to the page that the same message makes, and takes several requests of one rule apart.
fn merged(requests: Vec<Request>) -> Vec<Request> {
    let mut found: Vec<Request> = Vec::new();
    for request in requests {
        match (request, found.last_mut()) {
            (Request::Several(several), _) => found.extend(several),
            (Request::NameIt(name), Some(Request::AddPage(page)))
                if page.is_described || page.name.is_none() =>
            {
                page.name = Some(name);
                page.is_described = false;
            }
            (Request::NameIt(title), Some(Request::Copy { name, .. })) if name.is_none() => {
                *name = Some(title)
            }
            // "A page with a hero and a gallery": what is listed behind belongs to the page.
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
