//! Arguments for every tool that changes the draft, made from what the site has at that moment so that most calls are done.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sitewright_site::{
    BodyId, Change, ChangeId, Component, Entity, EntryRow, FORMAT, Kind, Lock, Mint, NewEntity,
    Node, NodeId, Op, Place, RecordId, Site, Subtree, SubtreeNode,
};
use sitewright_store::RevertTarget;

use super::content::ContentNames;
use super::random::Random;

/// What the tools can name.
pub(super) struct Names {
    pages: Vec<BodyId>,
    templates: Vec<BodyId>,
    components: Vec<BodyId>,
    nodes: Vec<(BodyId, NodeId)>,
    elements: Vec<NodeId>,
    roots: Vec<NodeId>,
    lists: Vec<NodeId>,
    colors: Vec<String>,
    content: ContentNames,
}

const HTML: [&str; 8] = [
    "<p>Plain words</p>",
    "<section class=\"hero\"><h1>Welcome</h1><p>Hello <b>you</b></p></section>",
    "<style>.card { color: red; padding: 1rem }</style><div class=\"card\"><a href=\"/about\">About</a></div>",
    "<ul><li>One</li><li>Two</li><li>Three</li></ul>",
    "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
    "<img src=\"/x.png\" alt=\"A picture\"><svg viewBox=\"0 0 1 1\"><path d=\"M0 0\"></path></svg>",
    "text, <em>inline</em> &amp; a comment<!-- here -->",
    "<button style=\"color: blue\" onclick=\"alert(1)\">Press</button>",
];
const DOCUMENTS: [&str; 4] = [
    "<!doctype html><html lang=de class=dark><title>Über uns</title><link rel=stylesheet href=site.css><body id=top><h1>{page.title}",
    "<p>Quirks</p><style>p { color: red }</style><style media=print>p { color: blue }</style>",
    "<!doctype html><!-- before --><link rel=stylesheet href=https://example.com/x.css><body onload=alert(1)><a href=/about>About</a>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\"><title>Index</title><table><tr><td>1",
];
const CSS: [&str; 6] = [
    ".card { color: green }",
    ".hero { padding: 2rem } .hero h1 { font-size: 3rem }",
    "@media (max-width: 600px) { .card { display: none } }",
    ":root { --gap: 4px } .stack > * + * { margin-top: var(--gap) }",
    ".card:hover { opacity: .5 !important }",
    "@keyframes spin { to { transform: rotate(1turn) } }",
];
const WORDS: [&str; 6] = [
    "About us",
    "Team",
    "Ünïcode ☃",
    "Prices & more",
    "a/b",
    "Index",
];
const PATCHES: [(&str, &str); 9] = [
    ("style.color", "red"),
    ("style.paddingTop", "12px"),
    ("style.color", ""),
    ("text", "Other words"),
    ("href", "/contact"),
    ("alt", "Described"),
    ("class", "card wide"),
    ("id", "anchor"),
    ("title", "Hint"),
];

impl Names {
    pub(super) fn of(site: &Site, entries: &BTreeMap<RecordId, EntryRow>) -> Self {
        let mut names = Self {
            content: ContentNames::of(site, entries),
            pages: Vec::new(),
            templates: Vec::new(),
            components: site.shell.components.iter().map(|(id, _)| id).collect(),
            nodes: Vec::new(),
            elements: Vec::new(),
            roots: Vec::new(),
            lists: Vec::new(),
            colors: site
                .tokens()
                .colors
                .into_iter()
                .map(|color| color.slug)
                .collect(),
        };
        for (id, page) in site.shell.pages.iter() {
            match page.template {
                Some(_) => names.templates.push(id),
                None => names.pages.push(id),
            }
        }
        let mut bodies: Vec<BodyId> = site.bodies.keys().copied().collect();
        bodies.sort_unstable();
        for body in bodies {
            let tree = &site.bodies[&body];
            names.roots.push(tree.root());
            for node in tree.walk(tree.root()) {
                names.nodes.push((body, node));
                let Some(Kind::Element(element)) = tree.node(node).map(|node| &node.kind) else {
                    continue;
                };
                names.elements.push(node);
                if matches!(element.tag.as_str(), "ul" | "tbody") {
                    names.lists.push(node);
                }
            }
        }
        names
    }

    pub(super) fn has_templates(&self) -> bool {
        !self.templates.is_empty()
    }

    pub(super) fn has_colors(&self) -> bool {
        !self.colors.is_empty()
    }

    pub(super) fn has_menu_items(&self) -> bool {
        self.content.has_menu_items()
    }

    fn node(&self, random: &mut Random) -> NodeId {
        random.one(&self.nodes).1
    }

    fn element(&self, random: &mut Random) -> NodeId {
        match random.happens(90) {
            true => random.any(&self.elements).unwrap_or(self.roots[0]),
            false => self.node(random),
        }
    }

    fn page(&self, random: &mut Random) -> BodyId {
        match random.happens(80) {
            true => random.one(&self.pages),
            false => random.any(&self.templates).unwrap_or(self.pages[0]),
        }
    }
}

/// The arguments of a call; nothing for a tool that is not known here.
pub(super) fn arguments(tool: &str, names: &Names, random: &mut Random) -> Option<Value> {
    let words = random.one(&WORDS);
    Some(match tool {
        "insertHtml" => {
            json!({ "parentId": names.element(random), "index": random.below(4), "html": random.one(&HTML) })
        }
        "replaceNodeHtml" => {
            json!({ "nodeId": names.node(random), "html": random.one(&HTML) })
        }
        "updateNodeProps" => {
            let mut patch = serde_json::Map::new();
            for _ in 0..=random.below(2) {
                let (field, value) = random.one(&PATCHES);
                patch.insert(field.to_owned(), json!(value));
            }
            json!({ "nodeId": names.element(random), "patch": patch })
        }
        "moveNode" => {
            json!({ "nodeId": names.node(random), "newParentId": names.element(random), "newIndex": random.below(5) })
        }
        "deleteNode" => json!({ "nodeId": names.node(random) }),
        "duplicateNode" => {
            json!({ "nodeId": names.node(random), "count": 1 + random.below(2) })
        }
        "renameNode" => json!({ "nodeId": names.node(random), "label": words }),
        "assignClass" | "removeClass" => {
            let class = random.one(&["card", "hero", "stack", "new-class"]);
            json!({ "nodeId": names.element(random), "classId": class })
        }
        "applyCss" => json!({ "css": random.one(&CSS) }),
        "addPage" => json!({ "title": words }),
        "import_page" => {
            let css = json!([{ "path": "site.css", "css": random.one(&CSS) }]);
            json!({ "html": random.one(&DOCUMENTS), "fileName": random.one(&["about.html", "index.html"]), "files": css })
        }
        "deletePage" => json!({ "pageId": names.page(random) }),
        "clearPageTemplate" => {
            json!({ "pageId": random.any(&names.templates).unwrap_or(names.pages[0]) })
        }
        "renamePage" => {
            json!({ "pageId": names.page(random), "title": words, "slug": random.one(&["team", "index", "about"]) })
        }
        "duplicatePage" => json!({ "pageId": names.page(random), "title": words }),
        "updatePageSettings" => {
            let parent = random.any(&names.pages).filter(|_| random.happens(20));
            json!({ "pageId": names.page(random), "description": words, "draft": random.happens(30), "parentId": parent })
        }
        "updateSiteSettings" => {
            json!({ "name": words, "headCode": random.one(&["", "<script>1</script>"]) })
        }
        "setPageTemplate" => {
            let target = random.one(&["everywhere", "notFound"]);
            json!({ "pageId": names.page(random), "target": { "kind": target }, "priority": random.below(5) })
        }
        "apply_edit_plan" => json!({ "plan": plan(names, random) }),
        "undo" | "redo" | "revertTurn" | "publishSite" | "rollbackSite" => json!({}),
        _ => {
            return names
                .content
                .arguments(tool, random)
                .or_else(|| tokens_and_code(tool, names, random));
        }
    })
}

fn tokens_and_code(tool: &str, names: &Names, random: &mut Random) -> Option<Value> {
    Some(match tool {
        "set_color_tokens" => {
            let slug = random.one(&["brand", "ink", "paper"]);
            json!({ "tokens": [{ "slug": slug, "lightValue": random.one(&["#ff0000", "oklch(0.7 0.1 200)"]) }] })
        }
        "rename_color_token" => {
            let slug = random.any(&names.colors).unwrap_or_default();
            json!({ "slug": slug, "newSlug": random.one(&["brand", "ink", "paper", "moss"]) })
        }
        "set_breakpoint_widths" => {
            let id = random.one(&["mobile", "tablet", "desktop"]);
            json!({ "breakpoints": [{ "breakpointId": id, "maxWidth": 320 + random.below(900) }] })
        }
        "set_type_scale" => {
            json!({ "min": { "fontSize": 14 + random.below(4), "scaleRatio": 1.2 }, "max": { "fontSize": 18, "scaleRatio": 1.25 } })
        }
        "set_spacing_scale" => {
            json!({ "min": { "size": 4 + random.below(4), "scaleRatio": 1.4 }, "max": { "size": 8, "scaleRatio": 1.5 } })
        }
        "set_font_tokens" => {
            json!({ "tokens": [{ "name": random.one(&["Heading", "Body"]), "fallback": "serif" }] })
        }
        "write_code_asset" => {
            let (path, kind, content) = random.one(&[
                ("app.js", "script", "console.log('a')"),
                ("extra.css", "style", ".extra { color: red }"),
            ]);
            json!({ "path": path, "type": kind, "content": content })
        }
        "patch_code_asset" => {
            let content = "console.log('a')";
            let hash = sitewright_store::BlobId::of(content.as_bytes());
            json!({ "path": "app.js", "expectedHash": hash, "replacements": [{ "oldText": "'a'", "newText": "'b'" }] })
        }
        _ => return None,
    })
}

fn plan(names: &Names, random: &mut Random) -> Value {
    let (page, node) = (names.page(random), names.element(random));
    let list = random.any(&names.lists).unwrap_or(node);
    let steps = [
        json!({ "op": "create_page", "title": "Pricing", "html": random.one(&HTML), "as": "made" }),
        json!({ "op": "rename_page", "page": page, "title": random.one(&WORDS) }),
        json!({ "op": "remove_page", "page": page }),
        json!({ "op": "move_page", "page": page, "parent": null, "position": 0 }),
        json!({ "op": "duplicate_page", "page": page, "title": "Copy" }),
        json!({ "op": "update_page_settings", "page": page, "settings": { "description": "Who we are." } }),
        json!({ "op": "add_section", "page": page, "html": random.one(&HTML), "position": 0 }),
        json!({ "op": "add_node", "parent": node, "html": random.one(&HTML) }),
        json!({ "op": "replace_content", "node": node, "html": "<p>Other</p>" }),
        json!({ "op": "update_classes", "node": node, "add": ["hero"], "remove": [] }),
        json!({ "op": "remove_node", "node": names.node(random) }),
        json!({ "op": "duplicate_node", "node": node }),
        json!({ "op": "add_item", "list": list, "html": "<li>More</li>" }),
        json!({ "op": "apply_css", "css": random.one(&CSS) }),
        json!({ "op": "update_site_settings", "settings": { "name": random.one(&WORDS) } }),
    ];
    let ops: Vec<Value> = (0..=random.below(3)).map(|_| random.one(&steps)).collect();
    json!({ "intent": "edit_plan", "summary_for_user": "A plan", "ops": ops })
}

/// A change of ops that no tool made, such as tabs and scripts send: of the shell and of documents at once.
pub(super) fn raw_change(id: String, names: &Names, random: &mut Random) -> Change {
    let id = ChangeId::from(id);
    let mut mint = Mint::new(id.clone());
    let ops = (0..=random.below(4))
        .map(|_| raw_op(names, &mut mint, random))
        .collect();
    Change {
        id,
        author: sitewright_site::Author::Local,
        turn: None,
        summary: "Raw ops".to_owned(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    }
}

fn raw_op(names: &Names, mint: &mut Mint, random: &mut Random) -> Op {
    let (body, node) = random.one(&names.nodes);
    let page = names.page(random);
    let words = json!(random.one(&WORDS));
    let put = |entity, field: &str, value| Op::Put {
        entity,
        field: field.to_owned(),
        value,
    };
    match random.below(12) {
        9..12 => names.content.raw_op(mint, random),
        0 => put(Entity::Node { body, node }, "label", words),
        1 => put(Entity::Page { id: page }, "title", words),
        2 => put(Entity::Site, "name", words),
        3 => Op::Insert {
            new: Box::new(NewEntity::Nodes {
                body,
                nodes: text(mint.mint()),
                place: Place {
                    parent: node,
                    after: None,
                },
            }),
        },
        4 => Op::Place {
            body,
            node,
            place: Place {
                parent: random.one(&names.nodes).1,
                after: None,
            },
        },
        5 => Op::Remove {
            entity: Entity::Node { body, node },
        },
        6 => Op::Insert {
            new: Box::new(NewEntity::Component {
                id: mint.mint(),
                component: Box::new(Component {
                    name: "Part".to_owned(),
                    params: Vec::new(),
                    template_key: None,
                    lock: Lock::Open,
                }),
                tree: text(mint.mint()),
                after: random.any(&names.components),
            }),
        },
        7 => Op::Order {
            entity: Entity::Page { id: page },
            after: random.any(&names.pages).map(|id| Entity::Page { id }),
        },
        _ => Op::Remove {
            entity: match random.any(&names.components) {
                Some(id) => Entity::Component { id },
                None => Entity::Page { id: page },
            },
        },
    }
}

fn text(id: NodeId) -> Subtree {
    Subtree::new(vec![SubtreeNode {
        id,
        parent: None,
        node: Node::new(Kind::Text("raw".to_owned())),
    }])
    .expect("one node is a tree")
}

/// Something to take back.
pub(super) fn taken(changes: &[ChangeId], end: u64, random: &mut Random) -> RevertTarget {
    match (random.any(changes), random.below(3)) {
        (Some(id), 0 | 1) => RevertTarget::Change(id),
        (_, 0) => RevertTarget::Turn(format!("turn-{}", random.below(3))),
        _ => RevertTarget::After(end.saturating_sub(u64::try_from(random.below(6)).unwrap_or(0))),
    }
}
