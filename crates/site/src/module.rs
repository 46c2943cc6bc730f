//! Modules: typed views over nodes, with names a person would use. A node does not store its module; its kind and tag decide
//! which view applies, and a prop is a name for an attribute, a text or a tag.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Kind, Node};

/// A view over nodes of a kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Module {
    /// Its name in tools.
    pub id: &'static str,
    /// Its name on screen.
    pub name: &'static str,
    /// Where it is listed.
    pub category: &'static str,
    /// The tags it is for; empty for the kinds that HTML does not have.
    pub tags: &'static [&'static str],
    /// What can be set.
    pub props: &'static [Prop],
}

/// What can be set through a module.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Prop {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: PropKind,
    /// What holds while nothing is set.
    pub default: Unset,
    /// What it writes.
    #[serde(skip)]
    pub(crate) writes: Writes,
}

/// What a prop takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PropKind {
    /// Text; null takes it away.
    Text,
    /// An address; null takes it away.
    Url,
    /// Yes or no.
    Toggle,
    /// A number; null takes it away.
    Number,
}

/// What holds while a prop is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Unset {
    /// Nothing.
    Nothing,
    /// Yes or no.
    Toggle(bool),
    /// A number.
    Number(u32),
    /// A word.
    Word(&'static str),
}

/// What a prop writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    Attr(&'static str),
    /// A boolean attribute.
    Flag(&'static str),
    /// The text of the element.
    Content,
    Tag,
    /// A field of a loop.
    Loop(&'static str),
}

const fn text(name: &'static str) -> Prop {
    Prop {
        name,
        kind: PropKind::Text,
        default: Unset::Nothing,
        writes: Writes::Attr(name),
    }
}

const fn url(name: &'static str) -> Prop {
    Prop {
        name,
        kind: PropKind::Url,
        default: Unset::Nothing,
        writes: Writes::Attr(name),
    }
}

const fn flag(name: &'static str) -> Prop {
    Prop {
        name,
        kind: PropKind::Toggle,
        default: Unset::Toggle(false),
        writes: Writes::Flag(name),
    }
}

const fn number(name: &'static str) -> Prop {
    Prop {
        name,
        kind: PropKind::Number,
        default: Unset::Nothing,
        writes: Writes::Attr(name),
    }
}

const fn of_loop(name: &'static str, kind: PropKind, default: Unset) -> Prop {
    Prop {
        name,
        kind,
        default,
        writes: Writes::Loop(name),
    }
}

const CONTENT: Prop = Prop {
    name: "text",
    kind: PropKind::Text,
    default: Unset::Nothing,
    writes: Writes::Content,
};

/// The tag of the element, with its default.
const fn tag(default: &'static str) -> Prop {
    Prop {
        name: "tag",
        kind: PropKind::Text,
        default: Unset::Word(default),
        writes: Writes::Tag,
    }
}

/// All modules. An element uses the first one that lists its tag; an element that no module lists is a container.
pub(crate) const MODULES: &[Module] = &[
    Module {
        id: "base.body",
        name: "Body",
        category: "layout",
        tags: &["body"],
        props: &[text("id")],
    },
    Module {
        id: "base.text",
        name: "Text",
        category: "content",
        tags: &[
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "span",
            "small",
            "strong",
            "em",
            "blockquote",
            "figcaption",
            "li",
            "td",
            "th",
        ],
        props: &[CONTENT, tag("p"), text("id")],
    },
    Module {
        id: "base.link",
        name: "Link",
        category: "content",
        tags: &["a"],
        props: &[
            url("href"),
            CONTENT,
            text("target"),
            text("rel"),
            text("title"),
            text("id"),
        ],
    },
    Module {
        id: "base.image",
        name: "Image",
        category: "media",
        tags: &["img"],
        props: &[
            url("src"),
            text("alt"),
            number("width"),
            number("height"),
            text("srcset"),
            text("sizes"),
            text("loading"),
            text("decoding"),
            text("fetchpriority"),
            text("id"),
        ],
    },
    Module {
        id: "base.button",
        name: "Button",
        category: "content",
        tags: &["button"],
        props: &[
            CONTENT,
            text("type"),
            text("name"),
            text("value"),
            flag("disabled"),
            text("id"),
        ],
    },
    Module {
        id: "base.form",
        name: "Form",
        category: "forms",
        tags: &["form"],
        props: &[
            url("action"),
            text("method"),
            text("autocomplete"),
            flag("novalidate"),
            text("id"),
        ],
    },
    Module {
        id: "base.input",
        name: "Field",
        category: "forms",
        tags: &["input", "textarea", "select"],
        props: &[
            text("type"),
            text("name"),
            text("value"),
            text("placeholder"),
            text("autocomplete"),
            flag("required"),
            flag("disabled"),
            flag("checked"),
            text("id"),
        ],
    },
    Module {
        id: "base.label",
        name: "Label",
        category: "forms",
        tags: &["label"],
        props: &[CONTENT, text("for"), text("id")],
    },
    Module {
        id: "base.option",
        name: "Option",
        category: "forms",
        tags: &["option"],
        props: &[CONTENT, text("value"), flag("selected"), flag("disabled")],
    },
    Module {
        id: "base.video",
        name: "Video",
        category: "media",
        tags: &["video"],
        props: &[
            url("src"),
            url("poster"),
            flag("controls"),
            flag("autoplay"),
            flag("loop"),
            flag("muted"),
            flag("playsinline"),
            text("preload"),
            text("id"),
        ],
    },
    Module {
        id: "base.svg",
        name: "Drawing",
        category: "media",
        tags: &["svg"],
        props: &[
            text("viewBox"),
            text("width"),
            text("height"),
            text("role"),
            text("aria-label"),
            text("id"),
        ],
    },
    Module {
        id: "base.embed",
        name: "Embed",
        category: "media",
        tags: &["iframe"],
        props: &[
            url("src"),
            text("title"),
            text("allow"),
            text("loading"),
            number("width"),
            number("height"),
            text("id"),
        ],
    },
    Module {
        id: "base.loop",
        name: "Loop",
        category: "data",
        tags: &[],
        props: &[
            of_loop("source", PropKind::Text, Unset::Nothing),
            of_loop("table", PropKind::Text, Unset::Nothing),
            of_loop("order", PropKind::Text, Unset::Nothing),
            of_loop("direction", PropKind::Text, Unset::Word("desc")),
            of_loop("limit", PropKind::Number, Unset::Nothing),
            of_loop("offset", PropKind::Number, Unset::Number(0)),
        ],
    },
    Module {
        id: "base.outlet",
        name: "Outlet",
        category: "layout",
        tags: &[],
        props: &[],
    },
    Module {
        id: "base.component",
        name: "Component",
        category: "layout",
        tags: &[],
        props: &[],
    },
    Module {
        id: "base.container",
        name: "Container",
        category: "layout",
        tags: &[
            "div", "section", "article", "main", "header", "footer", "nav", "aside", "ul", "ol",
            "figure",
        ],
        props: &[tag("div"), text("id"), text("role"), text("aria-label")],
    },
];

/// The module of a node; `None` for text and comments, which are part of their parent.
pub(crate) fn module_of(node: &Node) -> Option<&'static Module> {
    let by_id = |id: &str| MODULES.iter().find(|module| module.id == id);
    match &node.kind {
        Kind::Text(_) | Kind::Comment(_) => None,
        Kind::Loop(_) => by_id("base.loop"),
        Kind::Outlet => by_id("base.outlet"),
        Kind::Component(_) => by_id("base.component"),
        Kind::Element(element) => {
            let tag = element.tag.as_str();
            MODULES
                .iter()
                .find(|module| module.tags.contains(&tag))
                .or_else(|| by_id("base.container"))
        }
    }
}
