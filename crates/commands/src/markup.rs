//! Reads the HTML that `read_document` writes: well formed, with a `uid` on every element. It is no parser for anything else.

/// A node of a document as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The id that tools take; empty for text and for what has none yet.
    pub(crate) uid: String,
    /// Empty for text.
    pub(crate) tag: String,
    pub(crate) attrs: Vec<(String, String)>,
    pub(crate) hidden: bool,
    /// What a text says.
    pub(crate) text: String,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
}

impl Node {
    pub(crate) fn attr(&self, name: &str) -> Option<&str> {
        let found = self.attrs.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn classes(&self) -> impl Iterator<Item = &str> {
        self.attr("class")
            .unwrap_or_default()
            .split_ascii_whitespace()
    }
}

const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// The nodes of HTML in order; each comes behind its parent. Several may have none.
pub(crate) fn nodes(html: &str) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
        } else if let Some(after) = rest.strip_prefix("</") {
            let end = after.find('>').unwrap_or(after.len());
            let tag = after[..end].trim();
            if let Some(depth) = open.iter().rposition(|at| found[*at].tag == tag) {
                open.truncate(depth);
            }
            rest = after.get(end + 1..).unwrap_or_default();
        } else if rest.starts_with('<') {
            let (node, after, is_closed) = element(&rest[1..]);
            let is_void = is_closed || VOID.contains(&node.tag.as_str());
            let at = plant(&mut found, &open, node);
            if !is_void {
                open.push(at);
            }
            rest = after;
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            let node = Node {
                text: decoded(&rest[..end]),
                ..empty()
            };
            plant(&mut found, &open, node);
            rest = &rest[end..];
        }
    }
    found
}

fn empty() -> Node {
    Node {
        uid: String::new(),
        tag: String::new(),
        attrs: Vec::new(),
        hidden: false,
        text: String::new(),
        parent: None,
        children: Vec::new(),
    }
}

fn plant(found: &mut Vec<Node>, open: &[usize], mut node: Node) -> usize {
    let at = found.len();
    node.parent = open.last().copied();
    if let Some(parent) = node.parent {
        found[parent].children.push(at);
    }
    found.push(node);
    at
}

/// Reads a start tag behind its `<`: the node, what follows, and whether it closes itself.
fn element(text: &str) -> (Node, &str, bool) {
    let end = text
        .find(|c: char| c.is_whitespace() || c == '>' || c == '/')
        .unwrap_or(text.len());
    let mut node = Node {
        tag: text[..end].to_ascii_lowercase(),
        ..empty()
    };
    let mut rest = &text[end..];
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return (node, after, true);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (node, after, false);
        }
        let Some(next) = rest.chars().next() else {
            return (node, "", false);
        };
        if next == '/' {
            rest = &rest[1..];
            continue;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || c == '=' || c == '>')
            .unwrap_or(rest.len())
            .max(next.len_utf8());
        let name = rest[..end].to_ascii_lowercase();
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix("=\"") {
            let end = after.find('"').unwrap_or(after.len());
            value = decoded(&after[..end]);
            rest = after.get(end + 1..).unwrap_or_default();
        }
        match name.as_str() {
            "uid" => node.uid = value,
            "data-hidden" => node.hidden = true,
            _ => node.attrs.push((name, value)),
        }
    }
}

fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// Text as HTML writes it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The HTML of a node, as it would be inserted elsewhere.
pub(crate) fn html_of(nodes: &[Node], at: usize) -> String {
    let node = &nodes[at];
    if node.tag.is_empty() {
        return escaped(&node.text);
    }
    let mut html = format!("<{}", node.tag);
    for (name, value) in &node.attrs {
        html.push_str(&format!(" {name}=\"{}\"", escaped(value)));
    }
    html.push('>');
    if VOID.contains(&node.tag.as_str()) {
        return html;
    }
    for child in &node.children {
        html.push_str(&html_of(nodes, *child));
    }
    html.push_str(&format!("</{}>", node.tag));
    html
}
