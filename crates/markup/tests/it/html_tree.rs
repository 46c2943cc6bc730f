//! html5ever's own tree of a text, built without any code of ours, written down one node to a line.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot get what it needs has failed"
)]

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, ParseOpts, QualName, ns, parse_document, parse_fragment};
use sitewright_markup::html::{HtmlMode, refuses_attr, refuses_element};
use sitewright_markup::{Attr, Element, Name, Namespace};

/// Is in the note of an import whose tree no HTML gives.
pub(crate) const CANNOT_SPELL: &str = "HTML cannot spell";

/// What is left out of the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prune {
    Nothing,
    /// What import takes out: refused elements and attributes, and styles.
    Removals,
    /// That, and what a page has in its settings: the first title, description and canonical address, and its encoding.
    Settings,
}

/// What would run code in a browser that runs scripts: handlers, scripts, and addresses that run when they are followed or
/// loaded.
pub(crate) fn code_in(html: &str) -> Vec<String> {
    const ADDRESSES: [&str; 9] = [
        "href",
        "src",
        "action",
        "formaction",
        "data",
        "to",
        "from",
        "values",
        "content",
    ];
    const RUNNING: [&str; 3] = ["javascript:", "vbscript:", "data:text/html"];
    let tree = parse_document(Sink::default(), ParseOpts::default()).one(html);
    let mut found = Vec::new();
    for node in &tree.nodes {
        let Data::Element(name, attrs) = &node.data else {
            continue;
        };
        if ["script", "base", "object", "embed"].contains(&&*name.local) {
            found.push(name.local.to_string());
        }
        for attr in attrs {
            let local = attr.name.local.to_ascii_lowercase();
            let value: String = attr
                .value
                .chars()
                .filter(|sign| !sign.is_whitespace() && !sign.is_control())
                .collect();
            let value = value.to_ascii_lowercase();
            let runs = RUNNING.iter().any(|scheme| match &*local {
                "content" => value.contains(&format!("url={scheme}")),
                _ => value.starts_with(scheme),
            });
            let is_refresh = || {
                attrs.iter().any(|attr| {
                    &*attr.name.local == "http-equiv"
                        && attr.value.trim().eq_ignore_ascii_case("refresh")
                })
            };
            let is_address = ADDRESSES.contains(&&*local) && (&*local != "content" || is_refresh());
            if (local.starts_with("on") && local.len() > 2)
                || &*local == "srcdoc"
                || (is_address && runs)
            {
                found.push(format!("{} {local}={value}", name.local));
            }
        }
    }
    found
}

/// How many nodes the tree of a page has.
pub(crate) fn nodes(html: &str) -> usize {
    let tree = parse_document(Sink::default(), ParseOpts::default()).one(html);
    tree.nodes.len()
}

/// One line for each node, indented by its depth, attributes sorted.
pub(crate) fn lines(html: &str, mode: &HtmlMode, prune: Prune) -> String {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..Default::default()
        },
        tokenizer: TokenizerOpts {
            // It would be dropped after every script too.
            discard_bom: false,
            ..Default::default()
        },
    };
    let mut tree = match mode {
        HtmlMode::Document => {
            let html = html.strip_prefix('\u{feff}').unwrap_or(html);
            parse_document(Sink::default(), options).one(html)
        }
        HtmlMode::Fragment(context) => {
            let space = match context.namespace {
                Namespace::Html => ns!(html),
                Namespace::Svg => ns!(svg),
                Namespace::MathMl => ns!(mathml),
            };
            let name = QualName::new(None, space, LocalName::from(context.tag.as_str()));
            parse_fragment(Sink::default(), options, name, vec![], false).one(html)
        }
    };
    let mut out = String::new();
    match mode {
        HtmlMode::Document => {
            out.push_str(&format!("{:?}\n", tree.quirks));
            tree.write(0, 0, prune, &mut out);
        }
        HtmlMode::Fragment(context) => {
            let root = *tree.nodes[0].children.last().unwrap();
            let closed = ["svg", "g", "math", "annotation-xml"];
            if prune == Prune::Removals && closed.contains(&context.tag.as_str()) {
                tree.remove_html(root);
            }
            tree.write(root, 0, prune, &mut out);
        }
    }
    out
}

enum Data {
    Document,
    Doctype(String),
    Element(QualName, Vec<Attribute>),
    Text(String),
    Comment(String),
}

struct TestNode {
    data: Data,
    parent: Option<usize>,
    children: Vec<usize>,
}

struct Tree {
    nodes: Vec<TestNode>,
    quirks: QuirksMode,
}

impl Tree {
    fn add(&mut self, data: Data) -> usize {
        self.nodes.push(TestNode {
            data,
            parent: None,
            children: vec![],
        });
        self.nodes.len() - 1
    }

    fn detach(&mut self, id: usize) {
        if let Some(parent) = self.nodes[id].parent.take() {
            self.nodes[parent].children.retain(|child| *child != id);
        }
    }

    fn insert(&mut self, parent: usize, before: Option<usize>, child: NodeOrText<usize>) {
        let at = |tree: &Self| match before {
            None => tree.nodes[parent].children.len(),
            Some(before) => tree.nodes[parent]
                .children
                .iter()
                .position(|child| *child == before)
                .unwrap(),
        };
        let id = match child {
            NodeOrText::AppendNode(id) => {
                self.detach(id);
                id
            }
            NodeOrText::AppendText(text) => {
                let previous = at(self).checked_sub(1);
                if let Some(previous) = previous.map(|at| self.nodes[parent].children[at])
                    && let Data::Text(end) = &mut self.nodes[previous].data
                {
                    end.push_str(&text);
                    return;
                }
                self.add(Data::Text(text.to_string()))
            }
        };
        let at = at(self);
        self.nodes[parent].children.insert(at, id);
        self.nodes[id].parent = Some(parent);
    }

    fn write(&self, id: usize, depth: usize, prune: Prune, out: &mut String) {
        let mut text = String::new();
        for child in &self.nodes[id].children {
            if let Data::Text(part) = &self.nodes[*child].data {
                if prune == Prune::Nothing || !self.is_pruned_text(id, part) {
                    text.push_str(part);
                }
                continue;
            }
            let in_settings = prune == Prune::Settings && self.is_in_settings(*child);
            if in_settings || (prune != Prune::Nothing && self.is_pruned(*child)) {
                continue;
            }
            flush(&mut text, depth, out);
            let pad = "  ".repeat(depth);
            match &self.nodes[*child].data {
                Data::Doctype(doctype) => out.push_str(&format!("{pad}<!DOCTYPE {doctype}>\n")),
                Data::Comment(comment) => {
                    // Import writes this sign as a reference.
                    let comment = match prune {
                        Prune::Nothing => comment.clone(),
                        Prune::Removals | Prune::Settings => comment.replace('<', "&lt;"),
                    };
                    out.push_str(&format!("{pad}<!-- {comment:?} -->\n"));
                }
                Data::Element(name, attrs) => {
                    let space = match name.ns {
                        ns!(html) => "",
                        ns!(svg) => "svg ",
                        ns!(mathml) => "math ",
                        _ => "? ",
                    };
                    out.push_str(&format!("{pad}<{space}{}>\n", name.local));
                    for (name, value) in attributes(name, attrs, prune) {
                        out.push_str(&format!("{pad}  {name}={value:?}\n"));
                    }
                }
                Data::Document | Data::Text(_) => {}
            }
            self.write(*child, depth + 1, prune, out);
        }
        flush(&mut text, depth, out);
    }

    /// HTML elements that a fragment brings into a foreign element.
    fn remove_html(&mut self, root: usize) {
        let mut children = std::mem::take(&mut self.nodes[root].children);
        children.retain(
            |child| !matches!(&self.nodes[*child].data, Data::Element(name, _) if name.ns == ns!(html)),
        );
        self.nodes[root].children = children;
    }

    fn is_pruned(&self, id: usize) -> bool {
        match &self.nodes[id].data {
            Data::Element(name, _) => {
                refuses_element(&name.local) || str::eq_ignore_ascii_case(&name.local, "style")
            }
            Data::Comment(_) | Data::Document | Data::Doctype(_) | Data::Text(_) => false,
        }
    }

    fn is_in_settings(&self, id: usize) -> bool {
        let Some(kind) = self.setting(id) else {
            return false;
        };
        let siblings = self.nodes[id].parent.map(|head| &self.nodes[head].children);
        let first = siblings
            .into_iter()
            .flatten()
            .find(|sibling| self.setting(**sibling) == Some(kind));
        kind == "encoding" || first == Some(&id)
    }

    /// Which setting of a page an element of the head is.
    fn setting(&self, id: usize) -> Option<&'static str> {
        let Data::Element(name, attrs) = &self.nodes[id].data else {
            return None;
        };
        let around = self.nodes[id].parent.map(|parent| &self.nodes[parent].data);
        let is_in_head = matches!(around, Some(Data::Element(name, _)) if &*name.local == "head");
        let value = |wanted: &str| {
            let found = attrs.iter().find(|attr| &*attr.name.local == wanted);
            found.map(|attr| attr.value.trim().to_ascii_lowercase())
        };
        let says = |name: &str, wanted: &str| value(name).is_some_and(|value| value == wanted);
        let has = |name: &str| value(name).is_some_and(|value| !value.is_empty());
        let is_absolute = |address: String| {
            let on_the_site = address.starts_with('/') && !address.starts_with("//");
            on_the_site || address.starts_with("https://") || address.starts_with("http://")
        };
        let has_text = || {
            self.nodes[id].children.iter().any(|child| {
            matches!(&self.nodes[*child].data, Data::Text(text) if !text.trim().is_empty())
        })
        };
        match &*name.local {
            _ if !is_in_head => None,
            "title" if has_text() => Some("title"),
            "meta" if value("charset").is_some() || says("http-equiv", "content-type") => {
                Some("encoding")
            }
            "meta" if says("name", "description") && has("content") => Some("description"),
            "meta" if says("property", "og:image") && value("content").is_some_and(is_absolute) => {
                Some("social image")
            }
            "link" if says("rel", "canonical") && has("href") => Some("canonical"),
            _ => None,
        }
    }

    fn is_pruned_text(&self, parent: usize, text: &str) -> bool {
        let Data::Element(name, _) = &self.nodes[parent].data else {
            return false;
        };
        name.ns == ns!(html)
            && ["xmp", "iframe", "noembed", "noframes"].contains(&&*name.local)
            && text.contains('<')
    }
}

fn flush(text: &mut String, depth: usize, out: &mut String) {
    if !text.is_empty() {
        out.push_str(&format!("{}{text:?}\n", "  ".repeat(depth)));
        text.clear();
    }
}

fn attributes(tag: &QualName, attrs: &[Attribute], prune: Prune) -> Vec<(String, String)> {
    let attrs = attrs
        .iter()
        .map(|attr| Attr {
            name: Name::from(
                match &attr.name.prefix {
                    Some(prefix) => format!("{prefix}:{}", attr.name.local),
                    None => attr.name.local.to_string(),
                }
                .as_str(),
            ),
            value: attr.value.to_string(),
            target: None,
        })
        .collect();
    let element = Element {
        tag: Name::from(&*tag.local),
        namespace: Namespace::Html,
        attrs,
    };
    let mut list: Vec<_> = element
        .attrs
        .iter()
        .filter_map(|attr| {
            let name = attr.name.as_str();
            let is_link =
                ["a", "area"].contains(&&*tag.local) && matches!(name, "href" | "xlink:href");
            let value = match (prune, refuses_attr(&element, attr)) {
                (Prune::Nothing, _) | (_, None) => attr.value.as_str(),
                (Prune::Removals | Prune::Settings, Some(_)) if is_link => "#",
                (Prune::Removals | Prune::Settings, Some(_)) => return None,
            };
            Some((name.to_owned(), value.to_owned()))
        })
        .collect();
    list.sort();
    list
}

struct Sink(RefCell<Tree>);

impl Default for Sink {
    fn default() -> Self {
        let mut tree = Tree {
            nodes: vec![],
            quirks: QuirksMode::NoQuirks,
        };
        tree.add(Data::Document);
        Self(RefCell::new(tree))
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> usize {
        0
    }
    fn elem_name<'a>(&'a self, target: &'a usize) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| match &tree.nodes[*target].data {
            Data::Element(name, _) => name,
            _ => unreachable!("only elements have names"),
        })
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> usize {
        self.0.borrow_mut().add(Data::Element(name, attrs))
    }
    fn create_comment(&self, text: StrTendril) -> usize {
        self.0.borrow_mut().add(Data::Comment(text.to_string()))
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        unreachable!("HTML has no processing instructions")
    }
    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        self.0.borrow_mut().insert(*parent, None, child);
    }
    fn append_based_on_parent_node(
        &self,
        element: &usize,
        previous: &usize,
        child: NodeOrText<usize>,
    ) {
        let parent = self.0.borrow().nodes[*element].parent;
        match parent {
            Some(parent) => self.0.borrow_mut().insert(parent, Some(*element), child),
            None => self.0.borrow_mut().insert(*previous, None, child),
        }
    }
    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let mut tree = self.0.borrow_mut();
        let id = tree.add(Data::Doctype(format!("{name} {public:?} {system:?}")));
        tree.insert(0, None, NodeOrText::AppendNode(id));
    }
    fn get_template_contents(&self, target: &usize) -> usize {
        *target
    }
    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }
    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.0.borrow_mut().quirks = mode;
    }
    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        let parent = self.0.borrow().nodes[*sibling].parent.unwrap();
        self.0.borrow_mut().insert(parent, Some(*sibling), child);
    }
    fn add_attrs_if_missing(&self, target: &usize, new: Vec<Attribute>) {
        if let Data::Element(_, attrs) = &mut self.0.borrow_mut().nodes[*target].data {
            for attr in new {
                if !attrs.iter().any(|old| old.name == attr.name) {
                    attrs.push(attr);
                }
            }
        }
    }
    fn remove_from_parent(&self, target: &usize) {
        self.0.borrow_mut().detach(*target);
    }
    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let mut tree = self.0.borrow_mut();
        let children = std::mem::take(&mut tree.nodes[*node].children);
        for child in children {
            tree.nodes[child].parent = Some(*new_parent);
            tree.nodes[*new_parent].children.push(child);
        }
    }
    fn is_mathml_annotation_xml_integration_point(&self, target: &usize) -> bool {
        matches!(&self.0.borrow().nodes[*target].data, Data::Element(_, attrs)
            if attrs.iter().any(|attr| &*attr.name.local == "encoding"
                && ["text/html", "application/xhtml+xml"]
                    .contains(&attr.value.to_lowercase().as_str())))
    }
}

/// Compares lines, and says where they differ first.
pub(crate) fn same(what: &str, found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let line = found
        .lines()
        .zip(expected.lines())
        .position(|(found, expected)| found != expected)
        .unwrap_or(0);
    let near = |text: &str| {
        let lines: Vec<_> = text.lines().skip(line.saturating_sub(3)).take(8).collect();
        lines.join("\n")
    };
    Err(format!(
        "{what} differs\nfound:\n{}\nexpected:\n{}",
        near(found),
        near(expected)
    ))
}

/// A fragment in an element such as `td` or `svg title`.
pub(crate) fn context(tag: &str) -> HtmlMode {
    let (namespace, tag) = match tag.split_once(' ') {
        Some(("svg", tag)) => (Namespace::Svg, tag),
        Some(("math", tag)) => (Namespace::MathMl, tag),
        _ => (Namespace::Html, tag),
    };
    HtmlMode::Fragment(Element {
        tag: Name::from(tag),
        namespace,
        attrs: vec![],
    })
}
