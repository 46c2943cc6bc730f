//! Walking the layers of a page and writing their HTML.

mod entry;
mod heading;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use serde_json::Value;
use sitewright_markup::css::Present;
use sitewright_markup::html::{
    Position, close_tag, comment, is_raw_text, is_raw_text_safe, is_void, open_tag, text,
};

use super::elements::{is_frame, sandbox_frame, without_refused};
use super::scope::{Filling, Scope, World};
use super::{Facts, Need, Outcome, Purpose, Rendered, RowQuery, Subject, UsedEntries};
use crate::binding::{fill, looped_value};
use crate::reference::{Address, spelled};
use crate::tree::Spot;
use crate::{
    Attr, BodyId, ComponentUse, Element, Kind, Loop, Name, Namespace, Node, NodeId, RecordId,
    Reference, Site, Tree,
};

/// The maximum depth of components inside each other.
const COMPONENTS_DEEP: usize = 32;
/// The maximum number of nodes a page may show, with loops and components unrolled.
const SHOWN_MAX: usize = 500_000;

/// The rendered body of a page, with what was found on the way.
pub(super) struct Body {
    pub(super) html: String,
    pub(super) documents: Vec<BodyId>,
    pub(super) problems: Vec<String>,
    /// The entries of collections that had a part in it.
    pub(super) used: UsedEntries,
    /// Whether a list goes on in another part of the page.
    pub(super) has_more: bool,
    /// What CSS can match in it; filled only for publishing.
    pub(super) present: Present,
}

#[derive(Clone, Copy)]
struct At<'a> {
    body: BodyId,
    tree: &'a Tree,
    spot: Spot,
}

enum Step<'a> {
    Node {
        at: At<'a>,
        scope: Rc<Scope>,
        parent: Option<&'a Element>,
        siblings: Siblings,
    },
    Close(Cow<'a, Element>),
    /// HTML that is written as it is.
    Html(String),
}

/// Whether the siblings after a node are rendered as well.
#[derive(Clone, Copy)]
enum Siblings {
    Shown,
    /// Only this node is rendered, or its siblings are pushed as steps of their own.
    LeftAlone,
}

/// A rendering in progress.
///
/// The walk keeps an explicit stack of steps instead of recursing, so that a deep document cannot overflow the call stack. Each
/// `Step::Node` writes one node; it first pushes its next sibling, then whatever the node expands to, so a list of children
/// takes one step on the stack and not one per child. Outlets, components, slots and loops push nodes of another tree or with
/// another scope, and nothing is copied. Missing data does not stop the walk: it is recorded in `needs` and the walk continues,
/// so that one pass reports as many needs as it can reach. If there are any, `finish` returns them and discards the HTML.
struct Walk<'a> {
    site: &'a Site,
    subject: Option<&'a Subject<'a>>,
    layers: &'a [BodyId],
    purpose: Purpose,
    world: World<'a>,
    language: &'a str,
    out: String,
    start: Option<usize>,
    steps: Vec<Step<'a>>,
    needs: Vec<Need>,
    documents: Vec<BodyId>,
    problems: Vec<String>,
    used: UsedEntries,
    has_more: bool,
    shown: usize,
    seen: Seen,
    /// Where the page has its main heading, once somebody has asked.
    main_heading: OnceCell<Option<NodeId>>,
}

/// What was written, to leave out CSS rules that cannot match.
#[derive(Default)]
struct Seen {
    present: Present,
    /// Whole `class` attributes, because pages repeat the same ones many times.
    classes: HashSet<String>,
    last_tag: Option<Name>,
}

impl Seen {
    fn note(&mut self, element: &Element, classes: Option<&str>) {
        if self.last_tag.as_ref() != Some(&element.tag) {
            self.present.add_tag(element.tag.as_str());
            self.last_tag = Some(element.tag.clone());
        }
        if let Some(classes) = classes.filter(|classes| !self.classes.contains(*classes)) {
            self.present.add_classes(classes);
            self.classes.insert(classes.to_owned());
        }
        for attr in &element.attrs {
            if attr.name.as_str() == "id" {
                self.present.add_id(&attr.value);
            }
        }
    }
}

/// Writes `<body>` with its content: the outermost layer first, each next layer in the outlet of the one before.
pub(super) fn body(
    site: &Site,
    subject: &Subject<'_>,
    layers: &[BodyId],
    (purpose, facts): (Purpose, &Facts),
) -> Outcome<Body> {
    let missing: Vec<Need> = layers
        .iter()
        .filter(|id| !site.bodies.contains_key(id))
        .map(|id| Need::Body(*id))
        .collect();
    if !missing.is_empty() {
        return Outcome::Needs(missing);
    }
    let mut walk = Walk::new(site, Some(subject), layers, (purpose, facts));
    match layers.first().and_then(|outer| site.bodies.get(outer)) {
        Some(tree) => walk.open_body(tree),
        None => walk.open_bare_body(),
    }
    walk.finish()
}

/// Writes a node of a document with its descendants, for the canvas.
pub(super) fn node(
    site: &Site,
    (body, node): (BodyId, NodeId),
    facts: &Facts,
) -> Outcome<Rendered> {
    let layers = [body];
    let page = site.shell.pages.get(body);
    let subject = page.map(|page| Subject::of_page(site, body, page));
    let mut walk = Walk::new(site, subject.as_ref(), &layers, (Purpose::Canvas, facts));
    let found = site.bodies.get(&body);
    if let Some((tree, spot)) = found.and_then(|tree| Some((tree, tree.spot(node)?))) {
        let mut scope = Scope::of_layer(0, facts);
        if let Some(component) = site.shell.components.get(body) {
            let props = component.params.iter();
            let props = props.map(|param| (param.name.clone(), param.default.clone()));
            scope = scope.with_props(Value::Object(props.collect()));
        }
        let parent = tree
            .place(node)
            .and_then(|place| tree.node(place.parent))
            .and_then(|parent| match &parent.kind {
                Kind::Element(element) => Some(element),
                _ => None,
            });
        let at = At { body, tree, spot };
        walk.steps.push(Step::Node {
            at,
            scope: Rc::new(scope),
            parent,
            siblings: Siblings::LeftAlone,
        });
    }
    match walk.finish() {
        Outcome::Needs(needs) => Outcome::Needs(needs),
        Outcome::Done(Body {
            html,
            documents,
            problems,
            used,
            has_more,
            present: _,
        }) => Outcome::Done(Rendered {
            html,
            documents,
            problems,
            used,
            has_more,
        }),
    }
}

impl<'a> Walk<'a> {
    /// A walk over layers, for a page unless it is about a component.
    fn new(
        site: &'a Site,
        subject: Option<&'a Subject<'a>>,
        layers: &'a [BodyId],
        (purpose, facts): (Purpose, &'a Facts),
    ) -> Self {
        Self {
            site,
            subject,
            layers,
            purpose,
            world: World::new(site, subject, facts),
            language: subject
                .and_then(|subject| subject.page.locale.as_deref())
                .unwrap_or(&site.shell.settings.language),
            out: String::new(),
            start: None,
            steps: Vec::new(),
            needs: Vec::new(),
            documents: layers.to_vec(),
            problems: Vec::new(),
            used: UsedEntries::default(),
            has_more: false,
            shown: 0,
            seen: Seen::default(),
            main_heading: OnceCell::new(),
        }
    }

    /// Runs the remaining steps and returns the result.
    fn finish(mut self) -> Outcome<Body> {
        self.run();
        if !self.needs.is_empty() {
            let mut seen = HashSet::new();
            self.needs.retain(|need| seen.insert(need.clone()));
            return Outcome::Needs(self.needs);
        }
        Outcome::Done(Body {
            html: self.out,
            documents: self.documents,
            problems: self.problems,
            used: self.used,
            has_more: self.has_more,
            present: self.seen.present,
        })
    }

    /// Writes the start tag of the body. It carries the classes, styles and attributes of every layer, so that what a page sets
    /// on its body also holds inside a template.
    fn open_body(&mut self, tree: &'a Tree) {
        let mut element = Element {
            tag: "body".into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        };
        let (mut classes, mut styles): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for layer in self.layers {
            let root = self
                .site
                .bodies
                .get(layer)
                .and_then(|tree| tree.node(tree.root()));
            let Some(Node {
                kind: Kind::Element(own),
                classes: own_classes,
                style,
                ..
            }) = root
            else {
                continue;
            };
            classes.extend(own_classes.as_deref());
            styles.extend(
                style
                    .as_deref()
                    .map(|style| style.trim().trim_end_matches(';')),
            );
            for attr in &own.attrs {
                element.attrs.retain(|known| known.name != attr.name);
                element.attrs.push(attr.clone());
            }
        }
        let classes = (!classes.is_empty()).then(|| classes.join(" "));
        let style = (!styles.is_empty()).then(|| styles.join("; "));
        let scope = Rc::new(Scope::of_layer(0, self.world.facts));
        let root = tree.root();
        self.write_open(
            &element,
            (classes.as_deref(), style.as_deref()),
            root,
            &scope,
        );
        self.steps.push(Step::Close(Cow::Owned(element)));
        let at = At {
            body: self.layers[0],
            tree,
            spot: tree.root_spot(),
        };
        self.push_children(at, &scope, None);
    }

    fn run(&mut self) {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Close(element) => close_tag(&mut self.out, &element),
                Step::Html(html) => self.out.push_str(&html),
                Step::Node {
                    at,
                    scope,
                    parent,
                    siblings,
                } => {
                    if let (Siblings::Shown, Some(spot)) = (siblings, at.tree.next_at(at.spot)) {
                        self.steps.push(Step::Node {
                            at: At { spot, ..at },
                            scope: scope.clone(),
                            parent,
                            siblings,
                        });
                    }
                    self.shown += 1;
                    if self.shown > SHOWN_MAX {
                        self.problems.push(format!(
                            "The page shows more than {SHOWN_MAX} nodes; the rest is left out."
                        ));
                        self.steps.retain(|step| matches!(step, Step::Close(_)));
                        continue;
                    }
                    self.node(at, &scope, parent);
                }
            }
        }
    }

    fn node(&mut self, at: At<'a>, scope: &Rc<Scope>, parent: Option<&'a Element>) {
        let node = at.tree.node_at(at.spot);
        let is_left_out = self.purpose == Purpose::Publish && !node.status.is_published();
        if node.hidden || is_left_out {
            return;
        }
        match &node.kind {
            Kind::Text(written) => {
                if let Some(html) = self.rich_text(written, scope, parent) {
                    self.write_rich_text(&html);
                    return;
                }
                let filled = self.filled(written, scope);
                if self.purpose == Purpose::Canvas && takes_comments(parent) {
                    self.name_text(at, written);
                }
                let position = if self.start == Some(self.out.len()) {
                    Position::First
                } else {
                    Position::Later
                };
                if parent.is_some_and(is_raw) && !is_raw_text_safe(&filled) {
                    self.problems.push(
                        "A text with `<` is left out of an element that cannot hold it.".to_owned(),
                    );
                }
                text(&mut self.out, &filled, parent, position);
            }
            Kind::Comment(written) => comment(&mut self.out, written),
            Kind::Element(element) if is_slot(element) && scope.filling.is_some() => {
                self.slot(at, element, scope, parent);
            }
            Kind::Element(element) => {
                let levelled = self.levelled(element, scope);
                self.write_open(
                    &levelled,
                    (node.classes.as_deref(), node.style.as_deref()),
                    at.tree.id_at(at.spot),
                    scope,
                );
                if !is_void(element) {
                    self.steps.push(Step::Close(levelled));
                    self.push_children(at, scope, Some(element));
                }
            }
            Kind::Loop(looped) => self.repeat(at, looped, scope, parent),
            Kind::Outlet => self.outlet(scope, parent),
            Kind::Component(used) => self.component(at, used, scope, parent),
        }
    }

    fn push_children(&mut self, at: At<'a>, scope: &Rc<Scope>, parent: Option<&'a Element>) {
        if let Some(spot) = at.tree.children_at(at.spot).next() {
            self.steps.push(Step::Node {
                at: At { spot, ..at },
                scope: scope.clone(),
                parent,
                siblings: Siblings::Shown,
            });
        }
    }

    fn write_open(
        &mut self,
        element: &Element,
        (classes, style): (Option<&str>, Option<&str>),
        id: NodeId,
        scope: &Scope,
    ) {
        let classes = classes.map(|classes| self.filled(classes, scope));
        let style = style.map(|style| self.filled(style, scope));
        let bound = element
            .attrs
            .iter()
            .any(|attr| attr.target.is_some() || attr.value.contains('{'));
        let mut filled = if bound {
            Cow::Owned(self.filled_element(element, scope))
        } else {
            Cow::Borrowed(element)
        };
        if is_frame(&filled) {
            sandbox_frame(filled.to_mut(), self.world.facts.base.as_deref());
        }
        let (classes, style) = (classes.as_deref(), style.as_deref());
        match self.purpose {
            Purpose::Publish => {
                self.seen.note(&filled, classes);
                open_tag(&mut self.out, &filled, classes, style, &[]);
            }
            Purpose::Canvas => {
                let id = id.to_string();
                open_tag(
                    &mut self.out,
                    &filled,
                    classes,
                    style,
                    &[("data-sw-node", &id)],
                );
            }
        }
        self.start = Some(self.out.len());
    }

    /// Writes a comment that identifies the text after it. White space between tags gets none, because it is not editable.
    fn name_text(&mut self, at: At<'a>, written: &str) {
        if !written.trim().is_empty() {
            let name = format!("sw-text {} {}", at.body, at.tree.id_at(at.spot));
            comment(&mut self.out, &name);
        }
    }

    /// An element with its bindings filled in.
    fn filled_element(&mut self, element: &Element, scope: &Scope) -> Element {
        let mut filled = Element {
            attrs: Vec::with_capacity(element.attrs.len()),
            ..element.clone()
        };
        for attr in &element.attrs {
            let value = match &attr.target {
                Some(target) => self.address(target, &attr.value),
                None => self.filled(&attr.value, scope).into_owned(),
            };
            filled.attrs.push(Attr::new(attr.name.clone(), value));
        }
        without_refused(&mut filled);
        filled
    }

    /// The current address of a link's target; the address as written if the target no longer exists.
    fn address(&mut self, target: &Reference, written: &str) -> String {
        if let Reference::Entry { id } = target {
            self.used.entries.extend(id.parse::<RecordId>());
            if self.world.facts.has_blank_entries {
                return written.to_owned();
            }
        }
        match self.site.address_of(target, self.world.facts) {
            Address::At(address) => return spelled(written, &address).into_owned(),
            Address::Gone => self.problems.push(format!(
                "The link to `{written}` leads to something that no longer exists."
            )),
            Address::Unknown => self.needs.push(Need::Address(target.clone())),
        }
        written.to_owned()
    }

    fn filled<'t>(&self, written: &'t str, scope: &Scope) -> Cow<'t, str> {
        fill(written, self.language, &|path| self.world.find(scope, path))
    }

    /// Renders the children once for each row: `item` for a list in the component's props or in a field of the current entry,
    /// `currentEntry` for any other source. A value that is no list is a list of one, or of none when it is empty, so that components
    /// and templates leave out what is not filled in.
    fn repeat(
        &mut self,
        at: At<'a>,
        looped: &Loop,
        scope: &Rc<Scope>,
        parent: Option<&'a Element>,
    ) {
        let scopes: Vec<Scope> = match looped_value(&looped.source) {
            Some(path) => {
                let items = match self.world.find(scope, &path) {
                    Some(Value::Array(items)) => items,
                    Some(value) if !is_unset(&value) => vec![value],
                    Some(_) | None => Vec::new(),
                };
                let shown = items
                    .into_iter()
                    .skip(looped.offset as usize)
                    .take(looped.limit.map_or(usize::MAX, |limit| limit as usize));
                shown.map(|item| scope.with_item(item)).collect()
            }
            None => {
                let Some(rows) = self.rows(self.query(looped, scope)) else {
                    return;
                };
                let rows = self.part_of(looped, rows);
                rows.into_iter().map(|row| scope.with_entry(row)).collect()
            }
        };
        for scope in scopes.into_iter().rev().map(Rc::new) {
            self.push_children(at, &scope, parent);
        }
    }

    /// The rows of a query; `None`, with what is needed, when they are not known yet.
    fn rows(&mut self, query: RowQuery) -> Option<Vec<Value>> {
        let facts = self.world.facts;
        self.note_rows(&query);
        if facts.has_blank_entries && query.source == "data.rows" {
            return Some(vec![Value::Object(serde_json::Map::new())]);
        }
        match self.site.shell_rows(&query, facts) {
            Some(Ok(rows)) => return Some(rows),
            Some(Err(needs)) => {
                self.needs.extend(needs);
                return None;
            }
            None => {}
        }
        let key = query.key();
        let rows = facts.rows.get(&key).cloned();
        if rows.is_none() {
            let query = Box::new(query);
            self.needs.push(Need::Rows { key, query });
        }
        rows
    }

    fn query(&self, looped: &Loop, scope: &Scope) -> RowQuery {
        let filter: BTreeMap<String, String> = looped
            .filter
            .iter()
            .map(|(field, value)| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                (field.clone(), self.filled(&text, scope).into_owned())
            })
            .collect();
        RowQuery {
            source: looped.source.clone(),
            table: looped.table.clone(),
            order: looped.order.clone(),
            direction: looped.direction,
            // One row more than a part shows tells whether another one follows.
            limit: looped.limit.map(|limit| limit + u32::from(looped.paged)),
            offset: looped.offset + self.skipped(looped),
            filter,
            locale: self
                .subject
                .and_then(|subject| subject.page.locale.clone())
                .filter(|locale| *locale != self.site.shell.settings.language),
        }
    }

    /// Renders the next inner layer in place of the outlet.
    fn outlet(&mut self, scope: &Scope, parent: Option<&'a Element>) {
        let within = scope.layer + 1;
        let Some(layer) = self.layers.get(within) else {
            self.write_entry();
            return;
        };
        if let Some(tree) = self.site.bodies.get(layer) {
            let scope = Rc::new(Scope::of_layer(within, self.world.facts));
            let at = At {
                body: *layer,
                tree,
                spot: tree.root_spot(),
            };
            self.push_children(at, &scope, parent);
        }
    }

    fn component(
        &mut self,
        at: At<'a>,
        used: &ComponentUse,
        scope: &Rc<Scope>,
        parent: Option<&'a Element>,
    ) {
        let found = used
            .id
            .parse::<BodyId>()
            .ok()
            .and_then(|id| Some((id, self.site.shell.components.get(id)?)));
        let Some((id, component)) = found else {
            self.problems
                .push(format!("The component {} no longer exists.", used.id));
            return;
        };
        if scope.components.contains(&id) || scope.components.len() >= COMPONENTS_DEEP {
            self.problems.push(format!(
                "The component {} contains itself, or lies too deep.",
                component.name
            ));
            return;
        }
        let Some(tree) = self.site.bodies.get(&id) else {
            self.needs.push(Need::Body(id));
            return;
        };
        if !self.documents.contains(&id) {
            self.documents.push(id);
        }
        let mut props = serde_json::Map::new();
        for param in &component.params {
            let given = used.props.get(&param.name).unwrap_or(&param.default);
            props.insert(param.name.clone(), self.filled_value(given, scope));
        }
        let filling = Filling {
            body: at.body,
            node: at.tree.id_at(at.spot),
            scope: scope.clone(),
        };
        let inner = Rc::new(scope.in_component(id, Value::Object(props), filling));
        let at = At {
            body: id,
            tree,
            spot: tree.root_spot(),
        };
        self.push_children(at, &inner, parent);
    }

    /// Fills the bindings of a prop, which refer to the scope around the use.
    fn filled_value(&self, value: &Value, scope: &Scope) -> Value {
        match value {
            Value::String(text) => Value::String(self.filled(text, scope).into_owned()),
            other => other.clone(),
        }
    }

    /// Renders the content that the use provides for a slot, in the scope of the use; without any, the slot's own children.
    fn slot(
        &mut self,
        at: At<'a>,
        element: &'a Element,
        scope: &Rc<Scope>,
        parent: Option<&'a Element>,
    ) {
        let Some(filling) = scope.filling.clone() else {
            return;
        };
        let name = element
            .attrs
            .iter()
            .find(|attr| attr.name.as_str() == "name")
            .map(|attr| attr.value.as_str());
        let outer = self.site.bodies.get(&filling.body);
        let used = outer.and_then(|tree| Some((tree, tree.spot(filling.node)?)));
        let children = used
            .into_iter()
            .flat_map(|(tree, used)| tree.children_at(used).map(move |spot| (tree, spot)));
        let brought: Vec<(&'a Tree, Spot)> = children
            .filter(|(tree, spot)| tree.node_at(*spot).slot.as_deref() == name)
            .collect();
        if brought.is_empty() {
            self.push_children(at, scope, parent);
            return;
        }
        let steps = brought.into_iter().rev().map(|(tree, spot)| Step::Node {
            at: At {
                body: filling.body,
                tree,
                spot,
            },
            scope: filling.scope.clone(),
            parent,
            siblings: Siblings::LeftAlone,
        });
        self.steps.extend(steps);
    }
}

/// Whether a prop has nothing to show.
fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Object(fields) => fields.values().all(is_unset),
        Value::Array(items) => items.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Whether a comment inside this element is parsed as a comment and not as text.
fn takes_comments(parent: Option<&Element>) -> bool {
    parent.is_none_or(|parent| {
        let tag = parent.tag.as_str();
        parent.namespace != Namespace::Html
            || !(is_raw_text(tag) || matches!(tag, "title" | "textarea"))
    })
}

fn is_raw(element: &Element) -> bool {
    element.namespace == Namespace::Html && is_raw_text(element.tag.as_str())
}

/// Whether this is where a component takes in content. That content is HTML, so an element of SVG is none.
fn is_slot(element: &Element) -> bool {
    element.namespace == Namespace::Html && element.tag.as_str() == "slot"
}
