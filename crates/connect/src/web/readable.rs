//! The text of an HTML page, as Markdown or plain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};
use sitewright_markup::{Element, Forest, Kind};
use url::Url;

/// How the text of a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TextFormat {
    #[default]
    Markdown,
    Text,
}

/// What a page says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadablePage {
    pub(super) title: Option<String>,
    pub(super) text: String,
}

/// Elements whose content nobody reads.
const SKIPPED: [&str; 13] = [
    "script", "style", "noscript", "template", "svg", "nav", "iframe", "form", "button", "select",
    "head", "canvas", "dialog",
];
const BLOCKS: [&str; 21] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "ul",
    "ol",
    "table",
    "tr",
    "figure",
    "figcaption",
    "dl",
    "dt",
    "dd",
    "hr",
    "address",
    "details",
    "summary",
];
/// Nodes of a page that are read; a page with more is cut.
const NODES_MAX: usize = 60_000;
const DEPTH_MAX: usize = 200;

/// Reads a page; `None` when it is too large or too deep to be parsed.
pub(super) fn read_page(html: &str, base: &Url, format: TextFormat) -> Option<ReadablePage> {
    let limits = HtmlLimits {
        nodes: NODES_MAX,
        ..HtmlLimits::default()
    };
    let imported = import_html(html, &HtmlMode::Document, &limits).ok()?;
    let title = imported.document.as_ref().and_then(|document| {
        let mut writer = Writer::of(&document.head_nodes, base, TextFormat::Text);
        let head = &document.head_nodes.0;
        let title = head.iter().position(|planted| {
            matches!(&planted.node.kind, Kind::Element(element) if element.tag.as_str() == "title")
        })?;
        writer.children(title, 0);
        let title = writer.finish();
        (!title.is_empty()).then_some(title)
    });
    let mut writer = Writer::of(&imported.content, base, format);
    for root in writer.roots.clone() {
        writer.node(root, 0);
    }
    Some(ReadablePage {
        title,
        text: writer.finish(),
    })
}

struct Writer<'a> {
    forest: &'a Forest,
    base: &'a Url,
    format: TextFormat,
    roots: Vec<usize>,
    children: Vec<Vec<usize>>,
    out: String,
    is_preformatted: bool,
}

impl<'a> Writer<'a> {
    fn of(forest: &'a Forest, base: &'a Url, format: TextFormat) -> Self {
        let mut children = vec![Vec::new(); forest.0.len()];
        let mut roots = Vec::new();
        for (at, planted) in forest.0.iter().enumerate() {
            match planted.parent {
                Some(parent) => {
                    if let Some(siblings) = children.get_mut(parent as usize) {
                        siblings.push(at);
                    }
                }
                None => roots.push(at),
            }
        }
        Self {
            forest,
            base,
            format,
            roots,
            children,
            out: String::new(),
            is_preformatted: false,
        }
    }

    fn node(&mut self, at: usize, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        match &self.forest.0[at].node.kind {
            Kind::Text(text) => self.text(text),
            Kind::Element(element) => self.element(at, element, depth),
            Kind::Loop(_) | Kind::Component(_) => self.children(at, depth),
            Kind::Comment(_) | Kind::Outlet => {}
        }
    }

    fn children(&mut self, at: usize, depth: usize) {
        for child in self.children[at].clone() {
            self.node(child, depth + 1);
        }
    }

    fn element(&mut self, at: usize, element: &'a Element, depth: usize) {
        let tag = element.tag.as_str();
        let is_markdown = self.format == TextFormat::Markdown;
        match tag {
            _ if SKIPPED.contains(&tag) => {}
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                if is_markdown {
                    let level = tag
                        .as_bytes()
                        .get(1)
                        .map_or(1, |digit| usize::from(digit - b'0'));
                    self.out.push_str(&"#".repeat(level));
                    self.out.push(' ');
                }
                self.children(at, depth);
                self.block();
            }
            "li" => {
                self.line();
                self.out.push_str("- ");
                self.children(at, depth);
                self.line();
            }
            "br" => self.line(),
            "pre" => {
                self.block();
                self.out.push_str(if is_markdown { "```\n" } else { "" });
                self.is_preformatted = true;
                self.children(at, depth);
                self.is_preformatted = false;
                self.line();
                self.out.push_str(if is_markdown { "```" } else { "" });
                self.block();
            }
            "blockquote" => {
                self.block();
                self.out.push_str(if is_markdown { "> " } else { "" });
                self.children(at, depth);
                self.block();
            }
            "td" | "th" => {
                self.children(at, depth);
                self.out.push_str(" | ");
            }
            "strong" | "b" if is_markdown => self.wrapped("**", at, depth),
            "em" | "i" if is_markdown => self.wrapped("*", at, depth),
            "code" if is_markdown && !self.is_preformatted => self.wrapped("`", at, depth),
            "a" if is_markdown => self.link(at, element, depth),
            "img" => self.image(element),
            _ if BLOCKS.contains(&tag) => {
                self.block();
                self.children(at, depth);
                self.block();
            }
            _ => self.children(at, depth),
        }
    }

    fn wrapped(&mut self, mark: &str, at: usize, depth: usize) {
        self.out.push_str(mark);
        self.children(at, depth);
        self.out.push_str(mark);
    }

    fn link(&mut self, at: usize, element: &Element, depth: usize) {
        let target = element
            .attr("href")
            .and_then(|href| self.base.join(href).ok());
        let target = target.filter(|url| matches!(url.scheme(), "http" | "https"));
        let from = self.out.len();
        self.children(at, depth);
        let (Some(target), false) = (target, self.out[from..].trim().is_empty()) else {
            return;
        };
        self.out.insert(from, '[');
        self.out.push_str(&format!("]({target})"));
    }

    fn image(&mut self, element: &Element) {
        let alt = element.attr("alt").unwrap_or_default().trim();
        if !alt.is_empty() {
            self.text(&format!("({alt})"));
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_preformatted {
            self.out.push_str(text);
            return;
        }
        let is_open = |out: &str| out.is_empty() || out.ends_with(char::is_whitespace);
        if text.starts_with(char::is_whitespace) && !is_open(&self.out) {
            self.out.push(' ');
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        self.out.push_str(&words.join(" "));
        if text.ends_with(char::is_whitespace) && !is_open(&self.out) {
            self.out.push(' ');
        }
    }

    fn line(&mut self) {
        self.trim();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn block(&mut self) {
        self.line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn trim(&mut self) {
        let length = self.out.trim_end_matches(' ').len();
        self.out.truncate(length);
    }

    fn finish(self) -> String {
        self.out.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{TextFormat, read_page};
    use url::Url;

    const PAGE: &str = "<!doctype html><title>Clay &amp; fire</title><script>alert(1)</script><nav>Menu</nav><main><h2>Kilns</h2>\
        <p>They reach <b>1,200</b>\n degrees. See <a href='/more'>more</a>.</p><ul><li>Gas<li>Wood</ul><pre>a\n  b</pre></main>";

    #[test]
    fn a_page_is_written_as_markdown_or_text() {
        let base = Url::parse("https://example.com/a/b").unwrap();
        let page = read_page(PAGE, &base, TextFormat::Markdown).unwrap();
        assert_eq!(page.title.as_deref(), Some("Clay & fire"));
        assert_eq!(
            page.text,
            "## Kilns\n\nThey reach **1,200** degrees. See [more](https://example.com/more).\n\n- Gas\n- Wood\n\n```\na\n  b\n```"
        );
        let page = read_page(PAGE, &base, TextFormat::Text).unwrap();
        assert_eq!(
            page.text,
            "Kilns\n\nThey reach 1,200 degrees. See more.\n\n- Gas\n- Wood\n\na\n  b"
        );
    }
}
