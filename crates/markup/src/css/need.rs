//! What must be on a page for a selector to match anything there.
//!
//! Every doubt is decided for keeping a block: a style that is missing breaks a page, one too many costs some bytes.

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

/// Whether a piece can do anything on a page. Raw pieces always can.
pub fn is_relevant(piece: &Piece, present: &Present) -> bool {
    match piece {
        Piece::Block(block) => match one_class(&block.selector) {
            Some(class) => present.has_class(class),
            None => present.meets(&selector_needs(&block.selector)),
        },
        Piece::Raw(_) => true,
    }
}

/// What of a stylesheet is relevant, in its order. A layer whose rules are all left out is still declared where it was, because
/// the first mention of a layer decides which others it yields to.
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

/// The class of a selector that is nothing else, found without reading it in full: most rules of a framework are so.
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

/// What there is on a page, and what scripts and stored HTML may bring.
#[derive(Debug, Clone, Default)]
pub struct Present {
    classes: HashSet<String>,
    ids: HashSet<String>,
    tags: HashSet<String>,
    words: HashSet<String>,
}

/// Tags that browsers add where the source has none.
const IMPLIED_TAGS: [&str; 6] = ["html", "head", "body", "tbody", "tr", "colgroup"];

impl Present {
    /// Notes the value of a `class` attribute.
    pub fn add_classes(&mut self, attribute: &str) {
        add(&mut self.classes, attribute.split_ascii_whitespace());
    }

    /// Notes an id.
    pub fn add_id(&mut self, id: &str) {
        add(&mut self.ids, [id]);
    }

    /// Notes a tag.
    pub fn add_tag(&mut self, tag: &str) {
        add(&mut self.tags, [tag]);
    }

    /// Notes every word of a script or of stored HTML: whatever it names, it may put on the page.
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

    /// Whether scripts or stored HTML name it, whole or as the part that they put together with another: `btn-` or `-open`.
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
        // Most are known and in lower case already, and then nothing is copied.
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

/// Selectors within selectors beyond this need nothing.
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
            // What stood before it is a namespace.
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

/// Reads what follows a colon.
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
            // What is counted follows the word "of".
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
    // Any of them may match, so that only what all of them need is needed.
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
