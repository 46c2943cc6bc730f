//! Code: whatever ops are applied and whatever data bindings bring, a browser that runs scripts finds none in the pages.
//!
//! The ops are chosen from what has been used to smuggle code past filters: elements whose content is text, changes of language,
//! comments, spellings, bindings, components, slots, loops and templates. Whether a page holds code is decided on html5ever's own
//! tree, with no code of ours.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Value, json};
use sitewright_site::{
    Attr, BodyId, ComponentUse, Element, Entity, Facts, Kind, Loop, Namespace, Need, NewEntity,
    Node, NodeId, Op, Outcome, Place, Purpose, Site, Subtree, SubtreeNode,
};

use crate::html_tree::code_in;

/// The documents of the site: two pages, a template around them, two components.
const PAGES: [u64; 3] = [0, 1, 2];
const COMPONENTS: [u64; 2] = [3, 4];
const BODIES: u8 = 5;
/// Each document begins with nodes of its own, from 0, 8, 16 and so on. What is inserted has ids from 64, 80, 96 and so on, so that
/// most choices are about a node that is there.
const FIRST_NODES: u64 = 8;
const INSERTED: u64 = 64;
const INSERTED_NODES: u64 = 16;
const OPS_MAX: usize = 48;

/// Whether pages made by the ops that these bytes choose run nothing.
pub(crate) fn check(data: &[u8]) -> Result<(), String> {
    let mut site = start();
    let mut choices = Choices(data);
    let mut ops = 0;
    while !choices.0.is_empty() && ops < OPS_MAX {
        // An op that is refused is one that did its duty.
        drop(site.apply(&choices.op(), 2));
        ops += 1;
    }
    for page in PAGES {
        let Some(html) = rendered(&site, BodyId::from(page)) else {
            continue;
        };
        let found = code_in(&html);
        if !found.is_empty() {
            return Err(format!("{found:?} in {html}"));
        }
    }
    Ok(())
}

/// A page with hostile rows for every loop.
fn rendered(site: &Site, page: BodyId) -> Option<String> {
    let mut facts = Facts {
        route: json!({ "path": ATTACKS[0], "slug": ATTACKS[1], "query": { "q": ATTACKS[2] } }),
        entry: Some(json!({ "t": ATTACKS[3], "u": ADDRESSES[0] })),
        ..Facts::default()
    };
    for _ in 0..4 {
        match site.render(page, Purpose::Publish, &facts)? {
            Outcome::Done(rendered) => return Some(rendered.html),
            Outcome::Needs(needs) => {
                for need in needs {
                    if let Need::Rows { key, .. } = need {
                        let row = json!({ "t": ATTACKS[4], "u": ADDRESSES[1], "k": "refresh" });
                        facts.rows.insert(key, vec![row]);
                    }
                }
            }
        }
    }
    None
}

/// A site in which choices find something.
fn start() -> Site {
    static START: OnceLock<Site> = OnceLock::new();
    START.get_or_init(build).clone()
}

fn build() -> Site {
    let mut site = Site::default();
    for body in PAGES.into_iter().chain(COMPONENTS) {
        let kinds = [
            html("body"),
            html("div"),
            html("noscript"),
            svg("svg"),
            svg("foreignObject"),
            math("math"),
            math("annotation-xml"),
            Kind::Outlet,
        ];
        let parents = [
            None,
            Some(0),
            Some(0),
            Some(0),
            Some(3),
            Some(0),
            Some(5),
            Some(1),
        ];
        let nodes = (body * FIRST_NODES..).zip(kinds).zip(parents);
        let nodes = nodes.map(|((id, kind), parent)| grown(id, parent, kind));
        let tree = Subtree::new(nodes.collect()).unwrap_or_else(|error| unreachable!("{error:?}"));
        let new = if PAGES.contains(&body) {
            let template = (body == 2).then(|| json!({ "target": { "kind": "everywhere" } }));
            let page =
                json!({ "title": ATTACKS[0], "slug": format!("p{body}"), "template": template });
            NewEntity::Page {
                id: BodyId::from(body),
                page: serde_json::from_value(page).unwrap_or_else(|error| unreachable!("{error}")),
                tree,
                after: None,
            }
        } else {
            let param = json!({ "name": "a", "kind": "string", "default": ATTACKS[1] });
            let component = json!({ "name": "C", "params": [param] });
            NewEntity::Component {
                id: BodyId::from(body),
                component: serde_json::from_value(component)
                    .unwrap_or_else(|error| unreachable!("{error}")),
                tree,
                after: None,
            }
        };
        let insert = Op::Insert { new: Box::new(new) };
        site.apply(&insert, 1)
            .unwrap_or_else(|error| unreachable!("{error}"));
    }
    site
}

fn grown(id: u64, parent: Option<u32>, kind: Kind) -> SubtreeNode {
    SubtreeNode {
        id: NodeId::from(id),
        parent,
        node: Node::new(kind),
    }
}

fn element(namespace: Namespace, tag: &str) -> Kind {
    Kind::Element(Element {
        tag: tag.into(),
        namespace,
        attrs: Vec::new(),
    })
}

fn html(tag: &str) -> Kind {
    element(Namespace::Html, tag)
}

fn svg(tag: &str) -> Kind {
    element(Namespace::Svg, tag)
}

fn math(tag: &str) -> Kind {
    element(Namespace::MathMl, tag)
}

const TAGS: [&str; 64] = [
    "div",
    "p",
    "a",
    "b",
    "noscript",
    "xmp",
    "style",
    "title",
    "textarea",
    "iframe",
    "noembed",
    "noframes",
    "select",
    "option",
    "table",
    "tr",
    "td",
    "caption",
    "form",
    "button",
    "template",
    "slot",
    "body",
    "html",
    "head",
    "frameset",
    "image",
    "img",
    "meta",
    "link",
    "plaintext",
    "script",
    "TITLE",
    "XMP",
    "NoScript",
    "sVg",
    "base",
    "object",
    "embed",
    "li",
    "br",
    "pre",
    "listing",
    "nobr",
    "font",
    "svg",
    "math",
    "frame",
    "desc",
    "foreignObject",
    "foreignobject",
    "annotation-xml",
    "mtext",
    "mglyph",
    "malignmark",
    "mi",
    "use",
    "animate",
    "set",
    "a<b",
    "x\"y",
    "!--",
    "?x",
    "col",
];

const NAMES: [&str; 32] = [
    "href",
    "src",
    "title",
    "id",
    "name",
    "encoding",
    "http-equiv",
    "HTTP-EQUIV",
    "content",
    "onclick",
    "OnLoad",
    "srcdoc",
    "xlink:href",
    "values",
    "to",
    "from",
    "attributeName",
    "sandbox",
    "color",
    "face",
    "action",
    "formaction",
    "srcset",
    "poster",
    "data",
    "style",
    "class",
    "x<y",
    "a\"b",
    "rel",
    "is",
    "background",
];

/// What a text, a comment or a value may hold to get out of its place.
const ATTACKS: [&str; 24] = [
    "</noscript><img src=x onerror=alert(1)>",
    "</style><img src=x onerror=alert(1)>",
    "</title><img src=x onerror=alert(1)>",
    "</xmp></noembed></iframe></noframes><svg onload=alert(1)>",
    "</textarea></template></select><script>alert(1)</script>",
    "--><img src=x onerror=alert(1)><!--",
    "--!><img src=x onerror=alert(1)>",
    "><img src=x onerror=alert(1)>",
    "-><img src=x onerror=alert(1)>",
    "]]><img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<!--<script>alert(1)</script>",
    "<svg><style><img src=x onerror=alert(1)>",
    "</math></svg><img src=x onerror=alert(1)>",
    "\0<img src=x onerror=alert(1)>",
    "\r\n</noscript\r><img/src=x/onerror=alert(1)>",
    "{page.title}",
    "{props.a} {site.name} {route.path}",
    "{currentEntry.t} {item.t} {parentEntry.t}",
    "`\u{feff}<img src=x onerror=alert(1)>",
];

const ADDRESSES: [&str; 16] = [
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    " \u{1}javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "0;url=javascript:alert(1)",
    "0 url=data:text/html,x",
    "refresh",
    "text/html",
    "application/xhtml+xml",
    "/about",
    "{currentEntry.u}",
    "{currentEntry.k}",
    "{page.title}",
    "{props.a}",
    "x",
];

/// Bytes as choices; what is beyond their end is 0.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn next(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    fn below(&mut self, bound: u8) -> u8 {
        self.next() % bound
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[usize::from(self.next()) % words.len()]
    }

    fn document(&mut self) -> u64 {
        u64::from(self.below(BODIES))
    }

    fn body(&mut self) -> BodyId {
        BodyId::from(self.document())
    }

    /// A node of a document, or now and then one of another.
    fn node(&mut self, document: u64) -> NodeId {
        let choice = self.next();
        let document = match choice >> 4 {
            0 => self.document(),
            _ => document,
        };
        NodeId::from(match choice & 1 {
            0 => document * FIRST_NODES + u64::from(self.below(8)),
            _ => INSERTED + document * INSERTED_NODES + u64::from(self.below(16)),
        })
    }

    fn attack(&mut self) -> &'static str {
        match self.below(3) {
            0 => self.of(&ADDRESSES),
            _ => self.of(&ATTACKS),
        }
    }

    fn op(&mut self) -> Op {
        match self.below(12) {
            0..4 => self.insert(),
            4..6 => {
                let field = format!("attrs.{}", self.of(&NAMES));
                let value = match self.below(8) {
                    0 => Value::Null,
                    1 => {
                        json!({ "value": self.attack(), "target": { "type": "page", "id": self.body() } })
                    }
                    _ => json!(self.attack()),
                };
                self.put_node(&field, value)
            }
            6 => {
                let tag = self.of(&TAGS);
                self.put_node("tag", json!(tag))
            }
            7 => {
                let text = self.attack();
                self.put_node("text", json!(text))
            }
            8 | 9 => {
                let document = self.document();
                Op::Place {
                    body: BodyId::from(document),
                    node: self.node(document),
                    place: self.place(document),
                }
            }
            10 => self.put_page(),
            _ => self.put_elsewhere(),
        }
    }

    fn put_node(&mut self, field: &str, value: Value) -> Op {
        let document = self.document();
        let node = self.node(document);
        let body = BodyId::from(document);
        put(Entity::Node { body, node }, field, value)
    }

    fn put_page(&mut self) -> Op {
        let id = self.body();
        let attack = self.attack();
        let comment = json!({ "kind": { "comment": attack } });
        let (field, value) = match self.below(8) {
            0 => (
                "settings.strays",
                json!([{ "place": "beforeHtml", "node": comment }]),
            ),
            1 => (
                "settings.head",
                json!([{ "node": self.kind() }, { "node": comment }]),
            ),
            2 => (
                "settings.htmlAttrs",
                json!([{ "name": self.of(&NAMES), "value": attack }]),
            ),
            3 => ("settings.doctype", json!(format!("<!doctype {attack}>"))),
            4 => ("settings.canonical", json!(attack)),
            5 => ("settings.description", json!(attack)),
            6 => ("locale", json!(attack)),
            _ => ("title", json!(attack)),
        };
        put(Entity::Page { id }, field, value)
    }

    fn put_elsewhere(&mut self) -> Op {
        let attack = self.attack();
        match self.below(6) {
            0 => put(Entity::Site, "name", json!(attack)),
            1 => put(Entity::Site, "language", json!(attack)),
            2 => put(Entity::Site, "favicon", json!(attack)),
            3 => self.put_node("props.a", json!(attack)),
            4 => self.put_node("classes", json!(attack)),
            _ => self.put_node("style", json!(attack)),
        }
    }

    fn place(&mut self, document: u64) -> Place {
        Place {
            parent: self.node(document),
            after: None,
        }
    }

    fn insert(&mut self) -> Op {
        let document = self.document();
        let body = BodyId::from(document);
        let first = INSERTED + document * INSERTED_NODES + u64::from(self.below(13));
        let count = self.below(4);
        let nodes = (0..=count).map(|at| {
            let parent = at.checked_sub(1).map(|last| match self.below(3) {
                0 => u32::from(self.below(at)),
                _ => u32::from(last),
            });
            let kind = self.kind();
            let mut grown = grown(first + u64::from(at), parent, kind);
            if self.below(4) == 0 {
                grown.node.slot = Some("x".to_owned());
            }
            grown
        });
        let nodes: Vec<SubtreeNode> = nodes.collect();
        let place = self.place(document);
        let nodes = Subtree::new(nodes).unwrap_or_else(|error| unreachable!("{error:?}"));
        Op::Insert {
            new: Box::new(NewEntity::Nodes { body, nodes, place }),
        }
    }

    fn kind(&mut self) -> Kind {
        match self.below(10) {
            0..6 => {
                let namespace = match self.below(4) {
                    0 => Namespace::Svg,
                    1 => Namespace::MathMl,
                    _ => Namespace::Html,
                };
                let attrs = (0..self.below(3)).map(|_| Attr::new(self.of(&NAMES), self.attack()));
                let attrs = attrs.collect();
                Kind::Element(Element {
                    tag: self.of(&TAGS).into(),
                    namespace,
                    attrs,
                })
            }
            6 => Kind::Text(self.attack().to_owned()),
            7 => Kind::Comment(self.attack().to_owned()),
            8 => Kind::Loop(Box::new(Loop {
                source: self.of(&["data.rows", "props.a", "site.pages"]).to_owned(),
                table: None,
                order: None,
                direction: sitewright_site::Direction::Asc,
                limit: Some(2),
                offset: 0,
                filter: BTreeMap::new(),
                paged: self.below(2) == 0,
            })),
            _ => match self.below(3) {
                0 => Kind::Outlet,
                _ => Kind::Component(Box::new(ComponentUse {
                    id: BodyId::from(3 + u64::from(self.below(2))).to_string(),
                    props: BTreeMap::from([("a".to_owned(), json!(self.attack()))]),
                })),
            },
        }
    }
}

fn put(entity: Entity, field: &str, value: Value) -> Op {
    Op::Put {
        entity,
        field: field.to_owned(),
        value,
    }
}
