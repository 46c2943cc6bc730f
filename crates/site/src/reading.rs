//! A document as an agent reads it: its HTML with `uid` on every element and the CSS that may apply to it, both split into
//! parts that fit a model's context.
//!
//! Loops, outlets and components appear as elements and are not unrolled, and bindings are not filled in, so that an agent
//! reads the same form that it writes.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_markup::css::{
    CssForm, CssLimits, Origin, Piece, Present, Raw, is_relevant, parse_css, write_css,
};
use sitewright_markup::html::{
    Position, close_tag, comment, component_element, is_void, loop_element, open_tag,
    outlet_element, text,
};

use crate::{Attr, BodyId, Code, CodeFile, Element, Item, Kind, List, NodeId, Site, Tree};

/// The maximum length of a part as JSON, in characters.
pub(crate) const READING_BUDGET: usize = 24_000;
/// A URL longer than this is shortened in the middle.
const URL_MAX: usize = 300;
/// The room reserved for a part's own description.
const INFO_ROOM: usize = 500;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadingPart {
    /// The HTML of this part.
    pub html: String,
    /// The CSS of this part.
    pub css: String,
    /// Which part it is.
    pub page_info: PageInfo,
}

/// Which part of how many, and what was shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageInfo {
    /// This part, from 1.
    pub part: usize,
    /// How many there are.
    pub total_parts: usize,
    /// The part to read next; null at the end.
    pub next_part: Option<usize>,
    /// Which characters of the whole this part holds.
    pub ranges: Ranges,
    /// How many characters this part has as JSON, this description left out.
    pub serialized_chars: usize,
    /// How many data URLs were left out of the whole document.
    pub omitted_data_urls: usize,
    /// How many URLs were shortened in the whole document.
    pub shortened_urls: usize,
}

/// Which characters of the whole a part holds: from, to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ranges {
    /// Of the HTML.
    pub html: [usize; 2],
    /// Of the CSS.
    pub css: [usize; 2],
}

impl Site {
    /// The parts of a document; `None` if it is not open.
    pub fn reading(&self, body: BodyId) -> Option<Vec<ReadingPart>> {
        let tree = self.bodies.get(&body)?;
        let mut reader = Reader::default();
        reader.read(self, tree);
        let css = self.relevant_css(body, &reader.present);
        Some(parts(reader, &css))
    }

    /// The CSS of the tokens and stylesheets that may apply to a document, rule by rule.
    fn relevant_css(&self, body: BodyId, present: &Present) -> Vec<String> {
        let framework = self.framework();
        let sheets = self
            .shell
            .items
            .list(List::Sheets)
            .filter(|(_, item)| match item {
                Item::Sheet(sheet) => sheet.target.covers(&[body]),
                _ => false,
            });
        let written = sheets
            .flat_map(|(id, _)| self.shell.items.pieces(id))
            .map(|(_, piece)| piece);
        let is_font = |piece: &Piece| matches!(piece, Piece::Raw(raw) if raw.at_rule().as_deref() == Some("font-face"));
        let by_hand = self.styles_by_hand(body);
        let wanted = framework
            .iter()
            .chain(written)
            .chain(&by_hand)
            .filter(|piece| !is_font(piece) && is_relevant(piece, present));
        wanted
            .map(|piece| write_css([piece], CssForm::Readable))
            .collect()
    }

    /// The rules of the style files that apply to a document.
    fn styles_by_hand(&self, body: BodyId) -> Vec<Piece> {
        let files = self.shell.items.list(List::Files);
        let used = files.filter_map(|(_, item)| match item {
            Item::File(file)
                if file.enabled && file.code == Code::Style && file.target.covers(&[body]) =>
            {
                Some(file)
            }
            _ => None,
        });
        let mut used: Vec<&CodeFile> = used.collect();
        used.sort_by_key(|file| file.priority);
        used.into_iter()
            .flat_map(|file| {
                let parsed = parse_css(&file.content, Origin::Author, &CssLimits::default());
                // A file that is too large to parse is shown unparsed.
                parsed.map_or_else(
                    |_| {
                        vec![Piece::Raw(Raw {
                            wrappers: Vec::new(),
                            text: file.content.clone(),
                            origin: Origin::Author,
                            lock: crate::Lock::Open,
                        })]
                    },
                    |parsed| parsed.pieces,
                )
            })
            .collect()
    }
}

/// Writes a tree, and records what CSS can match in it and where it can be split.
#[derive(Default)]
struct Reader {
    html: String,
    /// Ends of tags, texts and comments, where a split breaks nothing.
    cuts: Vec<usize>,
    present: Present,
    omitted: usize,
    shortened: usize,
}

enum Step<'a> {
    Node(NodeId, Option<Cow<'a, Element>>),
    Close(Cow<'a, Element>),
}

impl Reader {
    fn read(&mut self, site: &Site, tree: &Tree) {
        let mut steps = vec![Step::Node(tree.root(), None)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Close(element) => close_tag(&mut self.html, &element),
                Step::Node(id, parent) => self.node(site, tree, (id, parent), &mut steps),
            }
            self.cuts.push(self.html.len());
        }
    }

    fn node<'a>(
        &mut self,
        site: &Site,
        tree: &'a Tree,
        (id, parent): (NodeId, Option<Cow<'a, Element>>),
        steps: &mut Vec<Step<'a>>,
    ) {
        let Some(node) = tree.node(id) else { return };
        let element = match &node.kind {
            Kind::Text(written) => {
                return text(&mut self.html, written, parent.as_deref(), Position::Later);
            }
            Kind::Comment(written) => return comment(&mut self.html, written),
            Kind::Element(element) => site.readdressed(element),
            Kind::Loop(looped) => Cow::Owned(loop_element(looped, parent.as_deref())),
            Kind::Outlet => Cow::Owned(outlet_element()),
            Kind::Component(used) => Cow::Owned(component_element(used)),
        };
        self.note(&element, node.classes.as_deref());
        let uid = id.to_string();
        let mut extra = vec![("uid", uid.as_str())];
        if node.hidden {
            extra.push(("data-hidden", ""));
        }
        let cleaned = self.cleaned(&element);
        let style = node.style.as_deref().map(|style| self.cleaned_value(style));
        open_tag(
            &mut self.html,
            cleaned.as_ref().unwrap_or(&element),
            node.classes.as_deref(),
            style.as_deref(),
            &extra,
        );
        if is_void(&element) {
            return;
        }
        let children: Vec<NodeId> = tree.children(id).collect();
        steps.push(Step::Close(element.clone()));
        steps.extend(
            children
                .into_iter()
                .rev()
                .map(|child| Step::Node(child, Some(element.clone()))),
        );
    }

    fn note(&mut self, element: &Element, classes: Option<&str>) {
        self.present.add_tag(element.tag.as_str());
        if let Some(classes) = classes {
            self.present.add_classes(classes);
        }
        for attr in element
            .attrs
            .iter()
            .filter(|attr| attr.name.as_str() == "id")
        {
            self.present.add_id(&attr.value);
        }
    }

    /// The element with long URLs shortened; `None` if it has none.
    fn cleaned(&mut self, element: &Element) -> Option<Element> {
        element
            .attrs
            .iter()
            .any(|attr| attr.value.len() > URL_MAX)
            .then(|| {
                let attrs = element.attrs.iter().map(|attr| {
                    let value = self.cleaned_value(&attr.value).into_owned();
                    Attr::new(attr.name.clone(), value)
                });
                Element {
                    attrs: attrs.collect(),
                    ..element.clone()
                }
            })
    }

    fn cleaned_value<'v>(&mut self, value: &'v str) -> Cow<'v, str> {
        if value.len() <= URL_MAX {
            return Cow::Borrowed(value);
        }
        if let Some((head, data)) = value
            .split_once(";base64,")
            .filter(|(head, _)| head.contains("data:"))
        {
            self.omitted += 1;
            return Cow::Owned(format!(
                "{head};base64,[omitted {} chars]",
                data.chars().count()
            ));
        }
        let is_address = !value.contains(char::is_whitespace);
        let chars: Vec<char> = value.chars().collect();
        // Bytes were counted above; a text of few but wide characters has nothing to cut.
        if !is_address || chars.len() <= URL_MAX {
            return Cow::Borrowed(value);
        }
        self.shortened += 1;
        let half = URL_MAX / 2;
        let (start, end): (String, String) = (
            chars[..half].iter().collect(),
            chars[chars.len() - half..].iter().collect(),
        );
        Cow::Owned(format!("{start}…{end}"))
    }
}

/// Splits HTML at the ends of tags and CSS between rules, so that a part exceeds the budget only if a single piece does.
fn parts(reader: Reader, css: &[String]) -> Vec<ReadingPart> {
    let Reader {
        html,
        cuts,
        omitted,
        shortened,
        ..
    } = reader;
    let room = READING_BUDGET - INFO_ROOM;
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    let mut from = 0;
    for cut in cuts {
        if cut > from {
            pieces.push((&html[from..cut], true));
            from = cut;
        }
    }
    pieces.extend(css.iter().map(|rule| (rule.as_str(), false)));
    let mut found: Vec<(String, String, usize)> = vec![Default::default()];
    for (piece, is_html) in pieces {
        let size = json_len(piece);
        if let Some(last) = found.last()
            && last.2 > 0
            && last.2 + size > room
        {
            found.push(Default::default());
        }
        if let Some((html, css, used)) = found.last_mut() {
            if is_html {
                html.push_str(piece)
            } else {
                css.push_str(piece)
            };
            *used += size;
        }
    }
    let total_parts = found.len();
    let (mut html_at, mut css_at) = (0, 0);
    let numbered = found.into_iter().zip(1..).map(|((html, css, used), part)| {
        let (html_from, css_from) = (html_at, css_at);
        html_at += html.chars().count();
        css_at += css.chars().count();
        let page_info = PageInfo {
            part,
            total_parts,
            next_part: (part < total_parts).then_some(part + 1),
            ranges: Ranges {
                html: [html_from, html_at],
                css: [css_from, css_at],
            },
            serialized_chars: used,
            omitted_data_urls: omitted,
            shortened_urls: shortened,
        };
        ReadingPart {
            html,
            css,
            page_info,
        }
    });
    numbered.collect()
}

/// The length of a text in JSON, in UTF-16 units as JavaScript counts them.
fn json_len(text: &str) -> usize {
    text.chars()
        .map(|char| match char {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            char if char < ' ' => 6,
            char => char.len_utf16(),
        })
        .sum()
}
