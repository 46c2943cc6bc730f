//! Feeds the parser, and stops once a limit is exceeded.
//!
//! The tokenizer compares each attribute of a tag with all earlier ones, and reports none of them before the tag ends,
//! so one huge tag takes quadratic time unnoticed. Input is therefore fed in pieces. Several pieces in a row without a
//! token mean a long tag or comment; parsing then restarts and feeds up to one `<` at a time, which shows where each
//! tag begins and so how many attributes it has.

use std::cell::Cell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{TreeSink, create_element};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{
    Attribute, LocalName, Namespace as Space, QualName, TokenizerResult, local_name, ns,
};

use super::arena::{Arena, Id};
use super::import::HtmlMode;
use super::limits::{HtmlError, HtmlLimits};
use super::sink::{Reading, Sink};
use crate::{Element, Namespace};

const PIECE: usize = 8 * 1024;
/// Consecutive pieces without a token before parsing restarts in the careful mode.
const PATIENCE: u32 = 2;

/// Whether the parser reads for a browser that runs scripts, where the content of `noscript` is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scripting {
    On,
    Off,
}

/// Parses HTML within the limits.
pub(super) fn parse(
    html: &str,
    mode: &HtmlMode,
    limits: &HtmlLimits,
    scripting: Scripting,
) -> Result<Arena, HtmlError> {
    if html.len() > limits.bytes {
        return Err(HtmlError::Bytes {
            limit: limits.bytes,
            found: html.len(),
        });
    }
    let html = match mode {
        HtmlMode::Document => html.strip_prefix('\u{feff}').unwrap_or(html),
        HtmlMode::Fragment(_) => html,
    };
    let brisk = Feeder::new(mode, limits, scripting);
    if brisk.feed_pieces(html) {
        return brisk.finish();
    }
    let careful = Feeder::new(mode, limits, scripting);
    careful.feed_tags(html);
    careful.finish()
}

struct Feeder {
    tokenizer: Tokenizer<Guard>,
    limits: HtmlLimits,
}

impl Feeder {
    fn new(mode: &HtmlMode, limits: &HtmlLimits, scripting: Scripting) -> Self {
        let sink = Sink::new(*limits);
        let options = TreeBuilderOpts {
            scripting_enabled: scripting == Scripting::On,
            ..TreeBuilderOpts::default()
        };
        let (builder, initial_state) = match mode {
            HtmlMode::Document => (TreeBuilder::new(sink, options), None),
            HtmlMode::Fragment(context) => {
                let context = create_element(&sink, name(context), attributes(context));
                let builder = TreeBuilder::new_for_fragment(sink, context, None, options);
                let state = builder.tokenizer_state_for_context_elem(scripting == Scripting::On);
                (builder, Some(state))
            }
        };
        let guard = Guard {
            builder,
            limits: *limits,
            tokens: Cell::new(0),
        };
        let options = TokenizerOpts {
            // The tokenizer would drop a byte order mark at the start of every piece; the one at the start of the input
            // is dropped before feeding.
            discard_bom: false,
            initial_state,
            ..TokenizerOpts::default()
        };
        Self {
            tokenizer: Tokenizer::new(guard, options),
            limits: *limits,
        }
    }

    /// Returns whether the input was fed to the end or refused. On `false` the caller must restart with `feed_tags`.
    fn feed_pieces(&self, html: &str) -> bool {
        let mut swallowed = 0;
        for piece in pieces(html) {
            let tokens = self.tokens();
            self.feed(piece);
            if self.is_refused() {
                break;
            }
            swallowed = if self.tokens() == tokens {
                swallowed + 1
            } else {
                0
            };
            if swallowed == PATIENCE {
                return false;
            }
        }
        true
    }

    fn feed_tags(&self, html: &str) {
        let (text, mut rest) = html.split_at(html.find('<').unwrap_or(html.len()));
        self.feed_all(text);
        let mut construct = Construct::None;
        while !rest.is_empty() && !self.is_refused() {
            let (open, after) = rest.split_at(1);
            let (inside, next) = after.split_at(after.find('<').unwrap_or(after.len()));
            // A `<` ends a character reference before it, which becomes a token, so the sign is fed alone.
            self.feed(open);
            construct = match construct {
                Construct::None => Construct::opening(inside),
                Construct::Tag(mut scan) => {
                    scan.read(open);
                    Construct::Tag(scan)
                }
                Construct::Other => Construct::Other,
            };
            let tokens = self.tokens();
            for piece in pieces(inside) {
                self.feed(piece);
                if self.tokens() != tokens {
                    construct = Construct::None;
                } else if let Construct::Tag(scan) = &mut construct {
                    scan.read(piece);
                    if scan.attributes > self.limits.attributes {
                        self.guard().refuse_attributes();
                    }
                }
                if self.is_refused() {
                    return;
                }
            }
            rest = next;
        }
    }

    fn feed_all(&self, text: &str) {
        for piece in pieces(text) {
            self.feed(piece);
        }
    }

    fn feed(&self, piece: &str) {
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from_slice(piece));
        while !matches!(self.tokenizer.feed(&queue), TokenizerResult::Done) {}
    }

    fn finish(self) -> Result<Arena, HtmlError> {
        if !self.is_refused() {
            self.tokenizer.end();
        }
        self.tokenizer.sink.builder.sink.finish()
    }

    fn guard(&self) -> &Guard {
        &self.tokenizer.sink
    }

    fn tokens(&self) -> u64 {
        self.guard().tokens.get()
    }

    fn is_refused(&self) -> bool {
        self.guard().builder.sink.is_refused()
    }
}

/// The construct that began at the last `<` and has not produced a token yet.
enum Construct {
    None,
    Tag(Scan),
    Other,
}

impl Construct {
    fn opening(inside: &str) -> Self {
        let name = inside.strip_prefix('/').unwrap_or(inside);
        if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            Self::Tag(Scan {
                state: ScanState::TagName,
                attributes: 0,
            })
        } else {
            Self::Other
        }
    }
}

/// Counts the attributes of an incomplete tag.
struct Scan {
    state: ScanState,
    attributes: usize,
}

enum ScanState {
    TagName,
    BetweenAttributes,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl Scan {
    fn read(&mut self, piece: &str) {
        for byte in piece.bytes() {
            self.state = self.after(byte);
        }
    }

    fn after(&mut self, byte: u8) -> ScanState {
        let is_space = matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' ');
        match self.state {
            ScanState::TagName if is_space || byte == b'/' => ScanState::BetweenAttributes,
            ScanState::TagName => ScanState::TagName,
            ScanState::BetweenAttributes if is_space || byte == b'/' => {
                ScanState::BetweenAttributes
            }
            ScanState::AfterName if byte == b'=' => ScanState::BeforeValue,
            ScanState::AfterName if is_space => ScanState::AfterName,
            ScanState::AfterName if byte == b'/' => ScanState::BetweenAttributes,
            ScanState::BetweenAttributes | ScanState::AfterName => {
                self.attributes += 1;
                ScanState::Name
            }
            ScanState::Name if is_space => ScanState::AfterName,
            ScanState::Name if byte == b'/' => ScanState::BetweenAttributes,
            ScanState::Name if byte == b'=' => ScanState::BeforeValue,
            ScanState::Name => ScanState::Name,
            ScanState::BeforeValue if is_space => ScanState::BeforeValue,
            ScanState::BeforeValue if matches!(byte, b'"' | b'\'') => ScanState::Quoted(byte),
            ScanState::Unquoted if is_space => ScanState::BetweenAttributes,
            ScanState::BeforeValue | ScanState::Unquoted => ScanState::Unquoted,
            ScanState::Quoted(quote) if byte == quote => ScanState::BetweenAttributes,
            ScanState::Quoted(quote) => ScanState::Quoted(quote),
        }
    }
}

/// Sits between the tokenizer and the tree builder, so that a refusal stops tree building immediately.
struct Guard {
    builder: TreeBuilder<Id, Sink>,
    limits: HtmlLimits,
    tokens: Cell<u64>,
}

impl Guard {
    fn refuse_attributes(&self) {
        self.builder.sink.refuse(HtmlError::Attributes {
            limit: self.limits.attributes,
        });
    }

    /// Charges the work that the tree builder does for a tag without calling the sink.
    fn weigh(&self, tag: &Tag) {
        let sink = &self.builder.sink;
        let attributes = tag.attrs.len();
        if attributes > self.limits.attributes {
            self.refuse_attributes();
        }
        sink.charge(1 + attributes as u64);
        if !is_formatting(&tag.name) {
            return;
        }
        let closes = tag.kind == TagKind::EndTag
            || matches!(tag.name, local_name!("a") | local_name!("nobr"));
        sink.charge(if closes {
            // The builder searches its list of formatting elements, past every marker.
            sink.leaks()
        } else {
            // The builder compares the tag, with sorted attributes, to each open element of that name.
            sink.depth() * (1 + 32 * attributes as u64)
        });
    }
}

impl TokenSink for Guard {
    type Handle = Id;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Id> {
        let sink = &self.builder.sink;
        let reading = match &token {
            Token::ParseError(_) => Reading::Spelling,
            Token::TagToken(tag) => {
                self.weigh(tag);
                match tag.kind {
                    TagKind::StartTag => Reading::Content,
                    TagKind::EndTag => Reading::EndTag,
                }
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken => Reading::Content,
        };
        sink.read(reading);
        if reading != Reading::Spelling {
            self.tokens.set(self.tokens.get() + 1);
            let limit = self.limits.tokens();
            if self.tokens.get() > limit {
                sink.refuse(HtmlError::Tokens { limit });
            }
        }
        if sink.is_refused() {
            return TokenSinkResult::Continue;
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

fn name(element: &Element) -> QualName {
    let space: Space = match element.namespace {
        Namespace::Html => ns!(html),
        Namespace::Svg => ns!(svg),
        Namespace::MathMl => ns!(mathml),
    };
    QualName::new(None, space, LocalName::from(element.tag.as_str()))
}

fn attributes(element: &Element) -> Vec<Attribute> {
    element
        .attrs
        .iter()
        .map(|attr| Attribute {
            name: QualName::new(None, ns!(), LocalName::from(attr.name.as_str())),
            value: StrTendril::from_slice(&attr.value),
        })
        .collect()
}

/// Splits text into pieces at character boundaries.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let end = (0..=PIECE.min(text.len()))
            .rev()
            .find(|end| text.is_char_boundary(*end))?;
        let (piece, rest) = text.split_at(end);
        text = rest;
        Some(piece)
    })
}
