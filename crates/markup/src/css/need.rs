//! What a page must contain for a selector to match anything on it.
//!
//! When in doubt, a block is kept: a missing style breaks a page, a superfluous one costs a few bytes.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use cssparser::{ParseError, Parser, Token};

use super::piece::{Piece, Raw};

/// What one selector of a list cannot match without, in lower case, because old documents ignore case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectorNeeds {
    /// Classes.
    pub classes: BTreeSet<String>,
    /// Ids.
    pub ids: BTreeSet<String>,
    /// Tags.
    pub tags: BTreeSet<String>,
}

/// What each selector of a list needs.
pub fn selector_needs(selector: &str) -> Vec<SelectorNeeds> {
    let mut input = Parser::new(selector);
    input.set_nested_block_limit(0);
    read_list(&mut input, 0)
}

/// Whether a piece can have an effect on a page. Raw pieces always can.
pub fn is_relevant(piece: &Piece, present: &Present) -> bool {
    match piece {
        Piece::Block(block) => match one_class(&block.selector) {
            Some(class) => present.has_class(class),
            None => present.meets(&selector_needs(&block.selector)),
        },
        Piece::Raw(_) => true,
    }
}

/// The relevant pieces of a stylesheet, in order. A layer whose rules are all dropped is still declared in its place,
/// because the first mention of a layer decides its precedence.
pub fn relevant_pieces<'p>(
    pieces: impl IntoIterator<Item = &'p Piece>,
    present: &Present,
) -> Vec<Cow<'p, Piece>> {
    let mut declared: HashSet<&[String]> = HashSet::new();
    let relevant = pieces.into_iter().filter_map(|piece| {
        let wrappers = piece.wrappers();
        let layer = wrappers.iter().rposition(|wrapper| is_layer(wrapper));
        let is_new = layer.is_some_and(|layer| declared.insert(&wrappers[..=layer]));
        if is_relevant(piece, present) {
            return Some(Cow::Borrowed(piece));
        }
        let layer = layer.filter(|_| is_new)?;
        Some(Cow::Owned(Piece::Raw(Raw {
            wrappers: wrappers[..layer].to_vec(),
            text: format!("{};", wrappers[layer]),
            origin: piece.origin().clone(),
            lock: crate::Lock::Open,
        })))
    });
    relevant.collect()
}

fn is_layer(wrapper: &str) -> bool {
    let name = wrapper.get(..6);
    name.is_some_and(|name| name.eq_ignore_ascii_case("@layer"))
}

/// The class of a selector that consists of one class, found without a full parse: most rules of a framework are like
/// this.
fn one_class(selector: &str) -> Option<&str> {
    let class = selector.strip_prefix('.')?;
    let is_plain = class
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let begins = class
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_lowercase());
    (is_plain && begins).then_some(class)
}

/// What a page contains, and what scripts and stored HTML may add to it.
#[derive(Debug, Clone, Default)]
pub struct Present {
    classes: HashSet<String>,
    ids: HashSet<String>,
    tags: HashSet<String>,
    words: HashSet<String>,
}

/// Tags that browsers insert when the source does not have them.
const IMPLIED_TAGS: [&str; 6] = ["html", "head", "body", "tbody", "tr", "colgroup"];

impl Present {
    /// Adds the value of a `class` attribute.
    pub fn add_classes(&mut self, attribute: &str) {
        add(&mut self.classes, attribute.split_ascii_whitespace());
    }

    /// Adds an id.
    pub fn add_id(&mut self, id: &str) {
        add(&mut self.ids, [id]);
    }

    /// Adds a tag.
    pub fn add_tag(&mut self, tag: &str) {
        add(&mut self.tags, [tag]);
    }

    /// Adds every word of a script or of stored HTML: anything it names may appear on the page.
    pub fn add_words(&mut self, text: &str) {
        add(&mut self.words, words(text));
    }

    fn has_class(&self, class: &str) -> bool {
        self.classes.contains(class) || self.is_named(class)
    }

    /// Whether at least one of the selectors can match.
    pub fn meets(&self, needs: &[SelectorNeeds]) -> bool {
        needs.iter().any(|needs| {
            let all = |names: &BTreeSet<String>, known: &HashSet<String>| {
                names
                    .iter()
                    .all(|name| known.contains(name) || self.is_named(name))
            };
            let implied = |tag: &&String| !IMPLIED_TAGS.contains(&tag.as_str());
            all(&needs.classes, &self.classes)
                && all(&needs.ids, &self.ids)
                && needs
                    .tags
                    .iter()
                    .filter(implied)
                    .all(|tag| self.tags.contains(tag) || self.is_named(tag))
        })
    }

    /// Whether scripts or stored HTML contain the name, either whole or as a part that they concatenate with another:
    /// `btn-` or `-open`.
    fn is_named(&self, name: &str) -> bool {
        if self.words.contains(name) {
            return true;
        }
        let glued = name.match_indices(['-', '_']).any(|(at, _)| {
            self.words.contains(&name[..=at]) || (at > 0 && self.words.contains(&name[at..]))
        });
        let is_one_word = name.chars().all(is_word);
        glued || (!is_one_word && words(name).all(|part| self.words.contains(part)))
    }
}

fn add<'t>(names: &mut HashSet<String>, new: impl IntoIterator<Item = &'t str>) {
    for name in new {
        // Most names are present and in lower case already, and then nothing is copied.
        if !names.contains(name) {
            names.insert(name.to_ascii_lowercase());
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !is_word(letter))
        .filter(|word| word.contains(|letter: char| letter.is_alphanumeric()))
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_' || !letter.is_ascii()
}

/// Selectors nested deeper than this count as needing nothing.
const DEPTH_MAX: u32 = 32;

fn read_list(input: &mut Parser<'_>, depth: u32) -> Vec<SelectorNeeds> {
    let mut list = Vec::new();
    let mut current = SelectorNeeds::default();
    let mut last_tag = None;
    while let Ok(token) = input.next() {
        let token = token.clone();
        let tag = last_tag.take();
        match token {
            Token::Comma => list.push(std::mem::take(&mut current)),
            Token::Delim('.') => {
                if let Ok(class) = input.expect_ident() {
                    current.classes.insert(class.to_ascii_lowercase());
                }
            }
            Token::IDHash(id) | Token::Hash(id) => {
                current.ids.insert(id.to_ascii_lowercase());
            }
            Token::Ident(name) => {
                let name = name.to_ascii_lowercase();
                current.tags.insert(name.clone());
                last_tag = Some(name);
            }
            // The name before it is a namespace.
            Token::Delim('|') => {
                if let Some(tag) = tag {
                    current.tags.remove(&tag);
                }
            }
            Token::Colon => read_pseudo(input, depth, &mut current),
            _ => {}
        }
    }
    list.push(current);
    list
}

/// Parses what follows a colon.
fn read_pseudo(input: &mut Parser<'_>, depth: u32, needs: &mut SelectorNeeds) {
    let mut token = input.next().cloned();
    if let Ok(Token::Colon) = token {
        token = input.next().cloned();
    }
    let Ok(Token::Function(name)) = token else {
        return;
    };
    let name = name.to_ascii_lowercase();
    let takes_list = matches!(
        name.as_str(),
        "is" | "where" | "matches" | "any" | "-webkit-any" | "-moz-any" | "has"
    );
    let counts = matches!(name.as_str(), "nth-child" | "nth-last-child");
    if depth >= DEPTH_MAX || !(takes_list || counts) {
        return;
    }
    let list = input.parse_nested_block(|inner| {
        if counts {
            // The selector list follows the word "of".
            loop {
                match inner.next()? {
                    Token::Ident(word) if word.eq_ignore_ascii_case("of") => break,
                    _ => {}
                }
            }
        }
        Ok::<_, ParseError<()>>(read_list(inner, depth + 1))
    });
    let mut list = list.unwrap_or_default().into_iter();
    // Any alternative may match, so only what all of them have in common is needed.
    let Some(mut common) = list.next() else {
        return;
    };
    for other in list {
        common.classes.retain(|name| other.classes.contains(name));
        common.ids.retain(|name| other.ids.contains(name));
        common.tags.retain(|name| other.tags.contains(name));
    }
    needs.classes.append(&mut common.classes);
    needs.ids.append(&mut common.ids);
    needs.tags.append(&mut common.tags);
}
