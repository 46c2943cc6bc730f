//! What the read results say of the site: documents, sections, headings, buttons, the menu, tokens and rules.
//!
//! It is also where a plan writes what it is going to do, so that a later part of the sentence sees the earlier one done.

use serde_json::Value;
use sitewright_site::{CssLimits, Origin, Piece, parse_css};

use super::markup::{self, Node};

/// The kinds of section that can be made, in the order they are told.
pub(crate) const KINDS: &[&str] = &[
    "hero",
    "features",
    "pricing",
    "testimonials",
    "faq",
    "gallery",
    "contact",
    "cta",
    "text",
];

/// The site as far as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct SiteView {
    pub(crate) documents: Vec<Document>,
    pub(crate) colours: Vec<Named>,
    pub(crate) fonts: Vec<Named>,
    /// The size of the base step of type and of space on narrow and on wide screens, in pixels.
    pub(crate) type_base: Option<(f64, f64)>,
    pub(crate) space_base: Option<(f64, f64)>,
    /// The steps of both scales, smallest first.
    pub(crate) type_steps: Vec<String>,
    pub(crate) space_steps: Vec<String>,
    pub(crate) site_name: String,
    pub(crate) breakpoints: Vec<String>,
    pub(crate) rules: Vec<Rule>,
}

/// A token: its name, how CSS refers to it, its value.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) variable: String,
    pub(crate) value: String,
}

/// A rule of the site's CSS that applies at every width.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) selectors: Vec<String>,
    pub(crate) declarations: Vec<(String, String)>,
}

/// A page or a template.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) id: String,
    /// `page`, `template` or `visualComponent`.
    pub(crate) kind: String,
    pub(crate) title: String,
    /// Its address; nothing for what has none.
    pub(crate) path: Option<String>,
    /// Whether the template is around all pages.
    pub(crate) is_everywhere: bool,
    /// The HTML of the parts read so far.
    html: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) parts_read: usize,
    pub(crate) parts: usize,
    /// Whether long addresses were shortened, so that its HTML is not exact.
    pub(crate) is_shortened: bool,
}

/// A node of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    pub(crate) document: usize,
    pub(crate) node: usize,
}

impl Document {
    /// A page that is going to be made, with an empty root.
    pub(crate) fn new_page(id: &str, title: &str, path: &str, root: &str) -> Self {
        let mut nodes = markup::nodes("<body></body>");
        if let Some(first) = nodes.first_mut() {
            first.uid = root.to_owned();
        }
        Self {
            id: id.to_owned(),
            kind: "page".to_owned(),
            title: title.to_owned(),
            path: Some(path.to_owned()),
            is_everywhere: false,
            html: String::new(),
            nodes,
            parts_read: 1,
            parts: 1,
            is_shortened: false,
        }
    }

    pub(crate) fn is_page(&self) -> bool {
        self.kind == "page"
    }

    pub(crate) fn is_home(&self) -> bool {
        self.path.as_deref() == Some("/")
    }

    /// The root element; nothing while it was not read.
    pub(crate) fn root(&self) -> Option<usize> {
        (!self.nodes.is_empty()).then_some(0)
    }

    /// All that is there, in the order of the page.
    pub(crate) fn walk(&self, from: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            found.push(at);
            open.extend(self.nodes[at].children.iter().rev());
        }
        found
    }

    pub(crate) fn elements(&self) -> Vec<usize> {
        let Some(root) = self.root() else {
            return Vec::new();
        };
        let mut all = self.walk(root);
        all.retain(|at| !self.nodes[*at].tag.is_empty());
        all
    }

    /// The sections: children of the root that are elements.
    pub(crate) fn sections(&self) -> Vec<usize> {
        let Some(root) = self.root() else {
            return Vec::new();
        };
        let children = self.nodes[root].children.iter().copied();
        children
            .filter(|at| {
                let tag = self.nodes[*at].tag.as_str();
                !tag.is_empty() && tag != "instatic-outlet"
            })
            .collect()
    }

    /// The text in a node, with single blanks.
    pub(crate) fn text(&self, at: usize) -> String {
        let texts: Vec<&str> = self
            .walk(at)
            .into_iter()
            .filter(|at| self.nodes[*at].tag.is_empty())
            .map(|at| self.nodes[at].text.as_str())
            .collect();
        texts
            .join(" ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The text that stands directly in a node.
    pub(crate) fn own_text(&self, at: usize) -> String {
        let children = self.nodes[at].children.iter();
        let texts: Vec<&str> = children
            .filter(|at| self.nodes[**at].tag.is_empty())
            .map(|at| self.nodes[*at].text.as_str())
            .collect();
        texts
            .concat()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The section that a node stands in, or is.
    pub(crate) fn section_of(&self, at: usize) -> Option<usize> {
        let mut at = at;
        loop {
            let parent = self.nodes[at].parent?;
            if Some(parent) == self.root() {
                return Some(at);
            }
            at = parent;
        }
    }

    pub(crate) fn is_within(&self, at: usize, above: usize) -> bool {
        let mut at = Some(at);
        while let Some(here) = at {
            if here == above {
                return true;
            }
            at = self.nodes[here].parent;
        }
        false
    }

    /// The place of a node among its parent's children, elements and texts alike.
    pub(crate) fn index(&self, at: usize) -> Option<(usize, usize)> {
        let parent = self.nodes[at].parent?;
        let index = self.nodes[parent]
            .children
            .iter()
            .position(|child| *child == at)?;
        Some((parent, index))
    }

    /// How many elements are among the first children of a node, not counting one that is about to leave its place.
    pub(crate) fn elements_before(
        &self,
        parent: usize,
        index: usize,
        leaves: Option<usize>,
    ) -> usize {
        let children = self.nodes[parent].children.iter();
        let stays = children.filter(|child| Some(**child) != leaves);
        let first = stays.take(index);
        first
            .filter(|child| !self.nodes[**child].tag.is_empty())
            .count()
    }

    /// The kind of a section, by its classes or its tag.
    pub(crate) fn kind_of(&self, at: usize) -> String {
        let node = &self.nodes[at];
        if matches!(node.tag.as_str(), "header" | "footer") {
            return node.tag.clone();
        }
        let kind = node.classes().find(|class| KINDS.contains(class));
        kind.unwrap_or("html").to_owned()
    }

    pub(crate) fn remove(&mut self, at: usize) {
        if let Some((parent, index)) = self.index(at) {
            self.nodes[parent].children.remove(index);
        }
    }

    /// Puts HTML under a node and tells where its first element is.
    pub(crate) fn insert(
        &mut self,
        parent: usize,
        index: usize,
        (html, uid): (&str, &str),
    ) -> usize {
        let offset = self.nodes.len();
        let mut tops = Vec::new();
        for (at, mut node) in markup::nodes(html).into_iter().enumerate() {
            node.children.iter_mut().for_each(|child| *child += offset);
            node.uid.clear();
            match &mut node.parent {
                Some(parent) => *parent += offset,
                none => {
                    node.uid = format!("{uid}.{}", tops.len());
                    *none = Some(parent);
                    tops.push(at + offset);
                }
            }
            self.nodes.push(node);
        }
        let children = &mut self.nodes[parent].children;
        let index = index.min(children.len());
        let first = tops.first().copied().unwrap_or(parent);
        children.splice(index..index, tops);
        first
    }

    pub(crate) fn relocate(&mut self, at: usize, parent: usize, index: usize) {
        self.remove(at);
        let children = &mut self.nodes[parent].children;
        let index = index.min(children.len());
        children.insert(index, at);
        self.nodes[at].parent = Some(parent);
    }

    pub(crate) fn set_text(&mut self, at: usize, text: &str) {
        let texts: Vec<usize> = self.nodes[at]
            .children
            .iter()
            .copied()
            .filter(|child| self.nodes[*child].tag.is_empty())
            .collect();
        match texts.as_slice() {
            [first, ..] => self.nodes[*first].text = text.to_owned(),
            [] => {
                self.insert(at, 0, (&markup::escaped(text), ""));
            }
        }
    }

    pub(crate) fn set_attr(&mut self, at: usize, name: &str, value: &str) {
        let attrs = &mut self.nodes[at].attrs;
        match attrs.iter_mut().find(|(known, _)| known == name) {
            Some(attr) => attr.1 = value.to_owned(),
            None => attrs.push((name.to_owned(), value.to_owned())),
        }
    }
}

impl SiteView {
    pub(crate) fn node(&self, spot: Spot) -> &Node {
        &self.documents[spot.document].nodes[spot.node]
    }

    pub(crate) fn document(&self, spot: Spot) -> &Document {
        &self.documents[spot.document]
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<usize> {
        self.documents.iter().position(|document| document.id == id)
    }

    pub(crate) fn by_uid(&self, uid: &str) -> Option<Spot> {
        self.documents
            .iter()
            .enumerate()
            .find_map(|(document, doc)| {
                let mut elements = doc.elements().into_iter();
                let node = elements.find(|at| doc.nodes[*at].uid == uid)?;
                Some(Spot { document, node })
            })
    }

    pub(crate) fn pages(&self) -> impl Iterator<Item = (usize, &Document)> {
        self.documents
            .iter()
            .enumerate()
            .filter(|(_, document)| document.is_page())
    }

    /// The template around all pages.
    pub(crate) fn layout(&self) -> Option<usize> {
        self.documents
            .iter()
            .position(|document| document.is_everywhere)
    }

    /// The list of the menu: where links go in, and the links in order.
    pub(crate) fn menu(&self) -> Option<(Spot, Vec<Spot>)> {
        let order = self.layout().into_iter().chain(0..self.documents.len());
        for document in order {
            let doc = &self.documents[document];
            let nav = doc
                .elements()
                .into_iter()
                .find(|at| doc.nodes[*at].tag == "nav");
            let Some(nav) = nav else { continue };
            let mut within = doc.walk(nav).into_iter();
            let list = within.find(|at| matches!(doc.nodes[*at].tag.as_str(), "ul" | "ol"));
            let list = list.unwrap_or(nav);
            let links = doc
                .walk(list)
                .into_iter()
                .filter(|at| doc.nodes[*at].tag == "a");
            let links = links.map(|node| Spot { document, node }).collect();
            let list = Spot {
                document,
                node: list,
            };
            return Some((list, links));
        }
        None
    }

    /// Takes in what a read tool answered.
    pub(crate) fn take(&mut self, tool: &str, input: &Value, data: &Value) {
        match tool {
            "list_documents" => self.take_documents(data),
            "read_document" => self.take_document(input, data),
            "list_tokens" => self.take_tokens(data),
            "getSiteSettings" => {
                self.site_name = data["name"].as_str().unwrap_or_default().to_owned();
            }
            "list_breakpoints" => {
                let all = data["breakpoints"].as_array().into_iter().flatten();
                let with_query = all.filter(|breakpoint| !breakpoint["query"].is_null());
                self.breakpoints = with_query
                    .filter_map(|breakpoint| Some(breakpoint["id"].as_str()?.to_owned()))
                    .collect();
            }
            _ => {}
        }
    }

    fn take_documents(&mut self, data: &Value) {
        for listed in data["documents"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let summary = text(&listed["summary"]);
            let path = if summary == "Home page" {
                Some("/".to_owned())
            } else {
                summary.strip_prefix("Page at ").map(str::to_owned)
            };
            self.documents.push(Document {
                id: text(&listed["document"]["id"]),
                kind: text(&listed["document"]["type"]),
                title: text(&listed["title"]),
                path,
                is_everywhere: listed["template"]["target"]["kind"] == "everywhere",
                html: String::new(),
                nodes: Vec::new(),
                parts_read: 0,
                parts: 1,
                is_shortened: false,
            });
        }
    }

    fn take_document(&mut self, input: &Value, data: &Value) {
        let id = input["document"]["id"].as_str().unwrap_or_default();
        let Some(at) = self.by_id(id) else { return };
        // What was replaced by a note is not read.
        let Some(html) = data["html"].as_str() else {
            return;
        };
        let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
        let part = number(&data["pageInfo"]["part"]).unwrap_or(1);
        let document = &mut self.documents[at];
        if part != document.parts_read + 1 {
            return;
        }
        document.parts_read = part;
        document.parts = number(&data["pageInfo"]["totalParts"]).unwrap_or(1);
        document.is_shortened |=
            data["pageInfo"]["shortenedUrls"] != 0 || data["pageInfo"]["omittedDataUrls"] != 0;
        document.html.push_str(html);
        document.nodes = markup::nodes(&document.html);
        for (selectors, declarations) in rules(data["css"].as_str().unwrap_or_default()) {
            let is_known =
                |rule: &Rule| rule.selectors == selectors && rule.declarations == declarations;
            if !self.rules.iter().any(is_known) {
                self.rules.push(Rule {
                    selectors,
                    declarations,
                });
            }
        }
    }

    fn take_tokens(&mut self, data: &Value) {
        let listed = |family: &str| -> Vec<Named> {
            let all = data[family].as_array().into_iter().flatten();
            all.map(|token| Named {
                name: token["name"].as_str().unwrap_or_default().to_owned(),
                variable: token["ref"].as_str().unwrap_or_default().to_owned(),
                value: token["value"].as_str().unwrap_or_default().to_owned(),
            })
            .collect()
        };
        self.colours = listed("colors");
        self.fonts = listed("fonts");
        let scale = |tokens: Vec<Named>| {
            let base = tokens
                .iter()
                .find(|token| token.name == "m" || token.variable.ends_with("-m)"));
            let base = base.and_then(|token| ends(&token.value));
            let steps: Vec<String> = tokens.into_iter().map(|token| token.variable).collect();
            (base, steps)
        };
        (self.type_base, self.type_steps) = scale(listed("typography"));
        (self.space_base, self.space_steps) = scale(listed("spacing"));
    }
}

/// The sizes at both ends of `clamp(1rem, …, 1.125rem)`, in pixels.
fn ends(value: &str) -> Option<(f64, f64)> {
    let inner = value
        .strip_prefix("clamp(")
        .and_then(|rest| rest.strip_suffix(')'));
    let (first, last) = match inner {
        Some(inner) => (inner.split(',').next()?, inner.rsplit(',').next()?),
        None => (value, value),
    };
    Some((pixels(first)?, pixels(last)?))
}

/// A length in pixels.
pub(crate) fn pixels(length: &str) -> Option<f64> {
    let length = length.trim();
    if let Some(rem) = length.strip_suffix("rem") {
        return rem.trim().parse::<f64>().ok().map(|rem| rem * 16.0);
    }
    length
        .strip_suffix("px")
        .unwrap_or(length)
        .trim()
        .parse()
        .ok()
}

type Rules = Vec<(Vec<String>, Vec<(String, String)>)>;

/// The rules of CSS that apply at every width.
fn rules(css: &str) -> Rules {
    let Ok(parsed) = parse_css(css, Origin::Author, &CssLimits::default()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for piece in parsed.pieces {
        let Piece::Block(block) = piece else { continue };
        if !block
            .wrappers
            .iter()
            .all(|wrapper| wrapper.starts_with("@layer"))
        {
            continue;
        }
        let selectors = block
            .selector
            .split(',')
            .map(|one| one.trim().to_owned())
            .collect();
        let declarations = block.declarations.into_iter();
        let declarations = declarations.map(|one| (one.property, one.value)).collect();
        found.push((selectors, declarations));
    }
    found
}
