//! A site as the facts speak of it: pages, nodes by id, rules, tokens and settings.

use std::collections::BTreeMap;

use sitewright_site::{BodyId, Item, Kind, List, NodeId, Piece, Reference, Site};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) pages: Vec<Page>,
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) colours: Vec<(String, String)>,
    pub(crate) fonts: Vec<(String, String)>,
    pub(crate) type_base: f64,
    pub(crate) space_base: f64,
    pub(crate) steps: Vec<String>,
    /// Breakpoint or other wrapper, selector, property, value.
    pub(crate) rules: Vec<Declared>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Declared {
    pub(crate) at: String,
    pub(crate) selector: String,
    pub(crate) property: String,
    pub(crate) value: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) id: BodyId,
    pub(crate) title: String,
    pub(crate) slug: String,
    pub(crate) path: String,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) is_template: bool,
    pub(crate) root: NodeId,
    pub(crate) nodes: BTreeMap<NodeId, Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) parent: Option<NodeId>,
    pub(crate) children: Vec<NodeId>,
    pub(crate) tag: String,
    pub(crate) attrs: BTreeMap<String, String>,
    pub(crate) classes: Vec<String>,
    pub(crate) hidden: bool,
    pub(crate) text: String,
}

impl Snapshot {
    pub(crate) fn of(site: &Site) -> Self {
        let pages = site
            .shell
            .pages
            .iter()
            .map(|(id, _)| page(site, id))
            .collect();
        let settings = &site.shell.settings;
        let on = |yes: bool| if yes { "on" } else { "off" }.to_owned();
        let settings = BTreeMap::from([
            ("name".to_owned(), settings.name.clone()),
            ("language".to_owned(), settings.language.clone()),
            (
                "favicon".to_owned(),
                settings.favicon.clone().unwrap_or_default(),
            ),
            ("noindex".to_owned(), on(settings.discourage_search_engines)),
            (
                "code".to_owned(),
                format!("{}{}", settings.head_code, settings.body_code),
            ),
        ]);
        let tokens = site.tokens();
        let mut steps = Vec::new();
        for scale in &tokens.type_scales {
            steps.extend(
                scale
                    .type_steps(&tokens.screens)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|step| format!("var(--{})", step.variable)),
            );
        }
        for scale in &tokens.spacing_scales {
            steps.extend(
                scale
                    .spacing_steps(&tokens.screens)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|step| format!("var(--{})", step.variable)),
            );
        }
        Self {
            pages,
            settings,
            colours: tokens
                .colors
                .iter()
                .map(|colour| (colour.slug.clone(), colour.light_value.clone()))
                .collect(),
            fonts: tokens
                .fonts
                .iter()
                .map(|font| (font.name.clone(), font.value()))
                .collect(),
            type_base: tokens
                .type_scales
                .first()
                .map_or(0.0, |scale| scale.max.size),
            space_base: tokens
                .spacing_scales
                .first()
                .map_or(0.0, |scale| scale.max.size),
            steps,
            rules: rules(site),
        }
    }

    pub(crate) fn page(&self, id: BodyId) -> Option<&Page> {
        self.pages.iter().find(|page| page.id == id)
    }
}

fn rules(site: &Site) -> Vec<Declared> {
    let queries: Vec<(String, String)> = site
        .breakpoints()
        .iter()
        .filter_map(|breakpoint| Some((breakpoint.wrapper()?, breakpoint.id.clone())))
        .collect();
    let mut found = Vec::new();
    let sheets: Vec<_> = site
        .shell
        .items
        .list(List::Sheets)
        .filter(|(_, item)| matches!(item, Item::Sheet(_)))
        .map(|(id, _)| id)
        .collect();
    for sheet in sheets {
        for (_, piece) in site.shell.items.pieces(sheet) {
            let Piece::Block(block) = piece else { continue };
            let wrapper = block.wrappers.join(" ");
            let at = queries
                .iter()
                .find(|(query, _)| *query == wrapper)
                .map_or(wrapper.clone(), |(_, id)| id.clone());
            for selector in block.selector.split(',') {
                for declaration in &block.declarations {
                    found.push(Declared {
                        at: at.clone(),
                        selector: selector.trim().to_owned(),
                        property: declaration.property.clone(),
                        value: declaration.value.clone(),
                    });
                }
            }
        }
    }
    found
}

fn page(site: &Site, id: BodyId) -> Page {
    let page = site.shell.pages.get(id).expect("the page");
    let tree = &site.bodies[&id];
    let mut nodes = BTreeMap::new();
    for at in tree.walk(tree.root()) {
        let node = tree.node(at).expect("the node");
        let mut attrs = BTreeMap::new();
        let (tag, text) = match &node.kind {
            Kind::Element(element) => {
                for attr in &element.attrs {
                    if let Some(Reference::Page { id }) = attr.target.as_deref() {
                        attrs.insert(format!("{}#", attr.name.as_str()), id.to_string());
                    }
                    let value = match attr.target.as_deref() {
                        Some(Reference::Page { id }) if site.shell.pages.get(*id).is_some() => {
                            site.permalink(*id)
                        }
                        _ => attr.value.clone(),
                    };
                    attrs.insert(attr.name.as_str().to_owned(), value);
                }
                (element.tag.as_str().to_owned(), String::new())
            }
            Kind::Text(text) => (String::new(), text.clone()),
            Kind::Outlet => ("outlet".to_owned(), String::new()),
            _ => ("other".to_owned(), String::new()),
        };
        let classes = node
            .classes
            .as_deref()
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        nodes.insert(
            at,
            Node {
                parent: tree.parent(at),
                children: tree.children(at).collect(),
                tag,
                attrs,
                classes,
                hidden: node.hidden,
                text,
            },
        );
    }
    let on = |yes: bool| if yes { "on" } else { "off" }.to_owned();
    let parent = page
        .parent_id
        .and_then(|parent| site.shell.pages.get(parent))
        .map(|parent| parent.title.clone());
    Page {
        id,
        title: page.title.clone(),
        slug: page.slug.clone(),
        path: site.permalink(id),
        fields: BTreeMap::from([
            (
                "description".to_owned(),
                page.settings.description.clone().unwrap_or_default(),
            ),
            ("draft".to_owned(), on(page.draft)),
            ("noindex".to_owned(), on(page.settings.no_index)),
            ("parent".to_owned(), parent.unwrap_or_default()),
        ]),
        is_template: page.template.is_some(),
        root: tree.root(),
        nodes,
    }
}

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

impl Page {
    pub(crate) fn elements(&self, of: NodeId) -> Vec<NodeId> {
        let children = self.nodes[&of].children.iter().copied();
        children
            .filter(|child| !self.nodes[child].tag.is_empty() && self.nodes[child].tag != "outlet")
            .collect()
    }

    pub(crate) fn walk(&self, from: NodeId) -> Vec<NodeId> {
        let mut found = vec![from];
        for child in &self.nodes[&from].children {
            found.extend(self.walk(*child));
        }
        found
    }

    pub(crate) fn own_text(&self, at: NodeId) -> String {
        let texts = self.nodes[&at]
            .children
            .iter()
            .filter(|child| self.nodes[child].tag.is_empty())
            .map(|child| self.nodes[child].text.as_str());
        words(&texts.collect::<Vec<_>>().concat())
    }

    pub(crate) fn texts(&self, at: NodeId) -> Vec<String> {
        let texts = self
            .walk(at)
            .into_iter()
            .filter(|at| self.nodes[at].tag.is_empty())
            .map(|at| words(&self.nodes[&at].text));
        texts.filter(|text| !text.is_empty()).collect()
    }

    pub(crate) fn section_of(&self, at: NodeId) -> Option<NodeId> {
        let mut at = at;
        loop {
            let parent = self.nodes[&at].parent?;
            if parent == self.root {
                return Some(at);
            }
            at = parent;
        }
    }

    pub(crate) fn kind(&self, section: NodeId) -> String {
        let node = &self.nodes[&section];
        if matches!(node.tag.as_str(), "header" | "footer") {
            return node.tag.clone();
        }
        node.classes
            .iter()
            .find(|class| KINDS.contains(&class.as_str()))
            .cloned()
            .unwrap_or_else(|| "html".to_owned())
    }

    pub(crate) fn in_nav(&self, at: NodeId) -> bool {
        let mut at = Some(at);
        while let Some(here) = at {
            if self.nodes[&here].tag == "nav" {
                return true;
            }
            at = self.nodes[&here].parent;
        }
        false
    }

    /// The content without ids, for telling copies.
    pub(crate) fn html(&self, at: NodeId) -> String {
        let node = &self.nodes[&at];
        if node.tag.is_empty() {
            return words(&node.text);
        }
        let classes: Vec<&String> = node
            .classes
            .iter()
            .filter(|class| !class.starts_with("n-"))
            .collect();
        let inner: String = node
            .children
            .iter()
            .map(|child| self.html(*child))
            .collect();
        format!("<{} {:?} {:?}>{inner}</>", node.tag, node.attrs, classes)
    }
}

pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
