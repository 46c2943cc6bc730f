//! Ops: what was applied can be taken back exactly, replicas agree, and nothing that anybody sends breaks a site.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::{Value, json};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html, write_forest};
use sitewright_site::{
    Applied, BodyId, Change, Facts, Forest, ForestNode, ItemId, NodeId, Op, Purpose, Shell, Site,
    SubtreeNode, Tree,
};

/// Whether a site does all it promises with the ops that these bytes spell: as JSON, or as choices.
pub(crate) fn check(data: &[u8]) -> Result<(), String> {
    let ops = match data.first() {
        Some(b'[' | b'{') => sent(data),
        _ => Choices(data).ops(),
    };
    let (mine, theirs) = ops.split_at(ops.len() / 2);
    let mut site = start();
    let before = site.clone();
    let applied = site.apply_all(mine, 2);
    renders(&site)?;
    stored(&site)?;
    // A tab that is behind takes its own back, applies what others did, and its own again.
    undo(&mut site, &applied)?;
    equal("taken back", &site, &before)?;
    let mut server = before;
    server.apply_all(theirs, 3);
    site.apply_all(theirs, 3);
    equal("the log", &site, &server)?;
    let again = site.apply_all(mine, 4);
    if again != server.apply_all(mine, 4) {
        return Err("the same ops went differently".to_owned());
    }
    equal("the log and mine", &site, &server)?;
    as_committed(&again, theirs)?;
    let reverted = site.revert(again.done.iter(), 5);
    stored(&site)?;
    undo(&mut site, &reverted.applied)?;
    equal("the revert taken back", &site, &server)
}

/// The ops as they went, sent to somebody else, do the same there.
fn as_committed(applied: &Applied, theirs: &[Op]) -> Result<(), String> {
    let ops: Vec<Op> = applied.done.iter().map(|done| done.op.clone()).collect();
    let text = serde_json::to_string(&ops).map_err(|error| error.to_string())?;
    let read: Vec<Op> =
        serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
    if read != ops {
        return Err(format!("{text} is read as {read:?}"));
    }
    let mut here = start();
    here.apply_all(theirs, 3);
    let mut there = here.clone();
    here.apply_all(&ops, 4);
    let went = there.apply_all(&read, 4);
    if let Some((position, why)) = went.rejected.first() {
        return Err(format!(
            "committed and then refused: {why}: {:?}",
            ops[*position]
        ));
    }
    equal("what was sent", &there, &here)
}

fn undo(site: &mut Site, applied: &Applied) -> Result<(), String> {
    site.undo_all(applied)
        .map_err(|error| format!("cannot be taken back: {error}"))
}

fn equal(what: &str, found: &Site, expected: &Site) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (written(found), written(expected));
    let lines = found.iter().zip(&expected);
    let from = lines.take_while(|(one, other)| one == other).count();
    let near = |lines: &[String]| {
        let lines = lines.iter().skip(from.saturating_sub(8)).take(16);
        lines.cloned().collect::<Vec<_>>().join("\n")
    };
    Err(format!(
        "{what}: the sites differ\nfound:\n{}\nexpected:\n{}",
        near(&found),
        near(&expected)
    ))
}

/// All but the sequences, which nobody outside sees as a whole.
fn written(site: &Site) -> Vec<String> {
    let bodies: BTreeMap<&BodyId, &Tree> = site.bodies.iter().collect();
    let text = serde_json::to_string_pretty(&(&site.shell, bodies)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Shell and trees survive being written and read.
fn stored(site: &Site) -> Result<(), String> {
    let again: Shell = through_json(&site.shell)?;
    if again != site.shell {
        return Err(format!(
            "stored as another shell: {:#?} was {:#?}",
            again, site.shell
        ));
    }
    for tree in site.bodies.values() {
        let again: Tree = through_json(tree)?;
        if again != *tree {
            return Err(format!("stored as another tree: {again:#?} was {tree:#?}"));
        }
    }
    Ok(())
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> Result<T, String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
}

/// Every document can be rendered, and what is in it is nothing that import would take out.
fn renders(site: &Site) -> Result<(), String> {
    for (body, tree) in &site.bodies {
        drop(site.render(*body, Purpose::Publish, &Facts::default()));
        let nodes = tree.subtree(tree.root()).into_iter();
        let planted = nodes.flat_map(|subtree| subtree.nodes().to_vec());
        let planted = planted.map(|SubtreeNode { parent, node, .. }| ForestNode { parent, node });
        let mut html = String::new();
        write_forest(&mut html, &Forest(planted.collect()), None);
        let imported = import_html(&html, &HtmlMode::body(), &HtmlLimits::default())
            .map_err(|error| format!("{html}: {error}"))?;
        if !imported.removed.is_empty() {
            return Err(format!("{html} holds {:?}", imported.removed));
        }
    }
    Ok(())
}

/// What comes over the wire: a change, ops, or nothing that can be read.
fn sent(data: &[u8]) -> Vec<Op> {
    if let Ok(change) = serde_json::from_slice::<Change>(data) {
        return change.ops;
    }
    let values: Vec<Value> = serde_json::from_slice(data).unwrap_or_default();
    values.into_iter().filter_map(read_op).collect()
}

fn read_op(value: Value) -> Option<Op> {
    serde_json::from_value(value).ok()
}

/// A site with two pages, a component and a stylesheet, so that choices find something.
fn start() -> Site {
    static START: OnceLock<Site> = OnceLock::new();
    START.get_or_init(build).clone()
}

fn build() -> Site {
    let mut site = Site::default();
    let ops = [
        json!({"op": "insert", "new": {"type": "page", "id": body(0), "page": {"title": "P", "slug": "p"}, "tree": tree(0)}}),
        json!({"op": "insert", "new": {"type": "page", "id": body(1), "page": {"title": "Q", "slug": "p"}, "tree": tree(8)}}),
        json!({"op": "insert", "new": {"type": "component", "id": body(2), "component": {"name": "C"}, "tree": tree(16)}}),
        json!({"op": "insert", "new": {"type": "item", "id": item(0), "item": {"type": "sheet", "name": "s"},
            "pieces": [[item(0), piece(0)], [item(1), piece(2)], [item(2), piece(4)]]}}),
    ];
    let ops: Vec<Op> = ops.into_iter().filter_map(read_op).collect();
    let applied = site.apply_all(&ops, 1);
    assert_eq!(applied.done.len(), 4, "{:?}", applied.rejected);
    site
}

fn body(number: u8) -> Value {
    json!(BodyId::from(u64::from(number)))
}

fn node(number: u8) -> Value {
    json!(NodeId::from(u64::from(number)))
}

fn item(number: u8) -> Value {
    json!(ItemId::from(u64::from(number)))
}

fn tree(first: u8) -> Value {
    let kinds = (0u8..).zip([0, 1, 3, 4, 5]);
    let nodes = kinds.map(|(at, number)| {
        let parent = at.checked_sub(1).map(|above| above / 2);
        json!({"id": node(first + at), "parent": parent, "node": {"kind": kind(number)}})
    });
    nodes.collect()
}

fn kind(choice: u8) -> Value {
    match choice % 9 {
        0 => json!({"element": {"tag": "div"}}),
        1 => {
            json!({"element": {"tag": "a", "attrs": [{"name": "href", "value": "/"}, {"name": "id", "value": "x"}]}})
        }
        2 => json!({"element": {"tag": "svg", "namespace": "svg"}}),
        3 => json!({"text": "{page.title|x} {{y}} <"}),
        4 => json!({"loop": {"source": "pages", "filter": {"a": 1.5}}}),
        5 => json!({"component": {"id": BodyId::from(2), "props": {"a": [1]}}}),
        6 => json!("outlet"),
        7 => json!({"comment": "--><b>"}),
        _ => {
            json!({"element": {"tag": "slot", "attrs": [{"name": "name", "value": "x"}, {"name": "name", "value": "y"}]}})
        }
    }
}

fn piece(choice: u8) -> Value {
    match choice % 6 {
        0 => {
            json!({"block": {"selector": ".a", "declarations": [{"property": "color", "value": "red"}]}})
        }
        1 => json!({"block": {"selector": ".a}", "declarations": []}}),
        2 => json!({"raw": {"text": "@font-face{font-family:x}"}}),
        3 => json!({"raw": {"text": "a{", "wrappers": ["@media"]}}),
        4 => {
            json!({"block": {"selector": ".b", "wrappers": ["@media print"], "declarations": [], "origin": {"import": {}}}})
        }
        _ => json!({"block": {"selector": ".a", "declarations": [], "origin": "framework"}}),
    }
}

fn thing(choice: u8) -> Value {
    match choice % 8 {
        0 => {
            json!({"type": "sheet", "name": "s", "target": {"kind": "documents", "ids": [body(0)]}})
        }
        1 => json!({"type": "breakpoint", "id": "b", "label": "B", "width": 600}),
        2 => json!({"type": "file", "path": "a.js", "code": {"type": "script"}, "content": "x"}),
        3 => {
            json!({"type": "family", "family": "F", "files": [{"weight": "400", "blob": "x", "format": "woff2"}]})
        }
        4 => {
            json!({"type": "font", "name": "body", "variable": "b", "fallback": "serif", "family": "F"})
        }
        5 => {
            json!({"type": "color", "slug": "main", "lightValue": "#123456", "shades": choice % 5})
        }
        6 => {
            json!({"type": "typeScale", "groupId": "t", "namingConvention": "t-*", "steps": ["s", "m"], "baseScaleIndex": choice,
            "min": {"size": 16, "scaleRatio": 1.2}, "max": {"size": 18.1, "scaleRatio": 1.25}})
        }
        _ => {
            json!({"type": "file", "path": "a.css", "code": {"type": "style"}, "content": "</style>"})
        }
    }
}

const LISTS: [&str; 8] = [
    "sheets",
    "breakpoints",
    "files",
    "families",
    "fonts",
    "colors",
    "typeScales",
    "spacingScales",
];

const FIELDS: [&str; 45] = [
    "classes",
    "style",
    "label",
    "hidden",
    "lock",
    "slot",
    "text",
    "tag",
    "loop",
    "component",
    "attrs.href",
    "attrs.id",
    "attrs.attrs.id",
    "attrs.name",
    "attrs.",
    "attrs.onclick",
    "attrs",
    "props.a",
    "props.props.a",
    "title",
    "slug",
    "parentId",
    "locale",
    "translationOf",
    "isProtected",
    "draft",
    "settings",
    "settings.description",
    "settings.doctype",
    "settings.head",
    "settings.x",
    "template",
    "template.priority",
    "name",
    "params",
    "templateKey",
    "target",
    "target.kind",
    "selector",
    "wrappers",
    "declarations",
    "origin",
    "kind",
    "type",
    "",
];

/// Bytes as choices; what is beyond their end is 0.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn ops(mut self) -> Vec<Op> {
        let mut ops = Vec::new();
        while !self.0.is_empty() && ops.len() < 64 {
            let op = self.op();
            ops.extend(read_op(op));
        }
        ops
    }

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

    fn op(&mut self) -> Value {
        match self.below(8) {
            0..3 => {
                let field = FIELDS[usize::from(self.next()) % FIELDS.len()];
                json!({"op": "put", "entity": self.entity(), "field": field, "value": self.value()})
            }
            3 => {
                json!({"op": "place", "body": body(self.below(4)), "node": self.node(), "place": self.place()})
            }
            4 => {
                json!({"op": "order", "entity": self.entity(), "after": self.maybe(Self::entity)})
            }
            5 | 6 => json!({"op": "insert", "new": self.thing()}),
            _ => json!({"op": "remove", "entity": self.entity()}),
        }
    }

    fn node(&mut self) -> Value {
        node(self.below(32))
    }

    fn maybe(&mut self, choose: fn(&mut Self) -> Value) -> Value {
        match self.below(3) {
            0 => Value::Null,
            _ => choose(self),
        }
    }

    fn place(&mut self) -> Value {
        json!({"parent": self.node(), "after": self.maybe(Self::node)})
    }

    fn entity(&mut self) -> Value {
        match self.below(8) {
            0..3 => json!({"type": "node", "body": body(self.below(4)), "node": self.node()}),
            3 => json!({"type": "page", "id": body(self.below(4))}),
            4 => json!({"type": "component", "id": body(self.below(4))}),
            5 => {
                let list = LISTS[usize::from(self.next()) % LISTS.len()];
                json!({"type": "item", "list": list, "id": item(self.below(4))})
            }
            6 => {
                json!({"type": "piece", "sheet": item(self.below(3)), "id": item(self.below(5))})
            }
            _ => json!({"type": "site"}),
        }
    }

    fn thing(&mut self) -> Value {
        let after = |choices: &mut Self, name: fn(u8) -> Value| match choices.below(5) {
            0 => Value::Null,
            number => name(number - 1),
        };
        match self.below(6) {
            0 | 1 => {
                json!({"type": "nodes", "body": body(self.below(4)), "nodes": self.nodes(), "place": self.place()})
            }
            2 => {
                let page = json!({"title": "N", "slug": self.word(), "parentId": self.maybe(|choices| body(choices.below(4))),
                    "isProtected": self.below(2) == 0, "draft": self.below(2) == 0, "template": self.maybe(Self::template)});
                json!({"type": "page", "id": body(self.below(5)), "page": page, "tree": self.nodes(), "after": after(self, body)})
            }
            3 => {
                json!({"type": "component", "id": body(self.below(5)), "component": {"name": self.word()}, "tree": self.nodes(),
                "after": after(self, body)})
            }
            4 => {
                let pieces: Vec<Value> = (0..self.below(4))
                    .map(|_| json!([item(self.below(5)), piece(self.next())]))
                    .collect();
                json!({"type": "item", "id": item(self.below(4)), "item": thing(self.next()), "pieces": pieces, "after": after(self, item)})
            }
            _ => {
                json!({"type": "piece", "sheet": item(self.below(3)), "id": item(self.below(5)), "piece": piece(self.next()),
                "after": after(self, item)})
            }
        }
    }

    fn template(&mut self) -> Value {
        match self.below(3) {
            0 => json!({"target": {"kind": "everywhere"}}),
            1 => {
                json!({"target": {"kind": "postTypes", "tableSlugs": ["a"]}, "priority": self.next()})
            }
            _ => json!({"target": {"kind": "notFound"}}),
        }
    }

    /// Nodes that form a tree as a rule, and sometimes do not.
    fn nodes(&mut self) -> Value {
        let count = self.below(6);
        let nodes = (0..=count).map(|at| {
            let parent = match (at, self.next()) {
                (0, choice) if choice < 250 => None,
                (_, choice) if choice >= 250 => Some(choice),
                (_, choice) => Some(choice % at.max(1)),
            };
            let slot = self.maybe(Self::word);
            json!({"id": self.node(), "parent": parent, "node": {"kind": kind(self.next()), "slot": slot}})
        });
        nodes.collect()
    }

    fn word(&mut self) -> Value {
        const WORDS: [&str; 12] = [
            "p",
            "p-2",
            "",
            "index",
            "x",
            "</style>",
            "{page.slug}",
            "script",
            "style",
            "noscript",
            "javascript:a",
            "<!-- </noscript><img src=x onerror=a>",
        ];
        json!(WORDS[usize::from(self.next()) % WORDS.len()])
    }

    fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.next()),
            3 => json!(f64::from(self.next()) / 7.0 - 3.0),
            4 => body(self.below(4)),
            5 => json!([self.value()]),
            6 => json!({"kind": "documents", "ids": [body(0)]}),
            7 => {
                let length = usize::from(self.next()).min(self.0.len());
                let (text, rest) = self.0.split_at(length);
                self.0 = rest;
                let text = String::from_utf8_lossy(text);
                serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
            }
            8 => self.template(),
            _ => self.word(),
        }
    }
}
