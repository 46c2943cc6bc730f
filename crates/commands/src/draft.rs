//! The site as planned so far: a copy on which every planned call is run, so that a later part of a sentence sees the effect of
//! an earlier one.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_markup::html::write_forest;
use sitewright_site::{
    BodyId, ChangeId, DocumentRef, DocumentType, Element, Facts, Forest, ForestNode, Item, Kind,
    List, NodeId, Outcome, Piece, Reference, Site, SiteTool, TemplateTarget, Tree, View,
    site_tools,
};

use super::call::Call;

/// The kinds of section that can be created, in the order in which answers list them.
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

static TOOLS: LazyLock<HashMap<String, SiteTool>> = LazyLock::new(|| {
    let tools = site_tools().into_iter();
    tools
        .map(|tool| (tool.definition.name().to_owned(), tool))
        .collect()
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    pub(crate) body: BodyId,
    pub(crate) node: NodeId,
}

/// A planned call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) call: Call,
    /// The index of the request it belongs to.
    pub(crate) request: usize,
    /// The tool's result on the copy. The ids of what it creates differ when it runs on the real site.
    pub(crate) answer: Value,
    /// How many elements precede what is inserted or moved; positions in edit plans count only elements.
    pub(crate) elements_before: u32,
}

/// The copy and the calls that produced it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) site: Site,
    pub(crate) steps: Vec<Step>,
}

impl Draft {
    pub(crate) fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            steps: Vec::new(),
        }
    }

    /// Records a call and runs it on the copy.
    ///
    /// A call that the copy refuses is recorded all the same: run on the real site, it fails with the tool's own message.
    pub(crate) fn call(&mut self, call: Call, request: usize) -> &Value {
        let elements_before = self.elements_before(&call);
        let (tool, input) = call.to_parts();
        let change = ChangeId::of_call("draft", &self.steps.len().to_string());
        let run = TOOLS.get(&tool).map(|tool| {
            let world = (&Facts::default(), change);
            tool.run(input, &mut self.site, &View::default(), world)
        });
        let mut answer = Value::Null;
        if let Some(Ok(Outcome::Done(run))) = run {
            let is_done = |op| self.site.apply(op, 0).is_ok();
            if run.ops.iter().all(is_done) {
                answer = run.data;
            }
        }
        if let Call::DuplicatePage { .. } = call {
            self.forget_content(&answer);
        }
        let at = self.steps.len();
        self.steps.push(Step {
            call,
            request,
            answer,
            elements_before,
        });
        &self.steps[at].answer
    }

    /// Removes everything but the root of a duplicated page: the ids that the nodes of the real copy will have are not known yet.
    fn forget_content(&mut self, answer: &Value) {
        let page = answer["pageId"].as_str().and_then(|id| id.parse().ok());
        if let Some(tree) = page.and_then(|page| self.site.bodies.get_mut(&page))
            && let Some(root) = tree.node(tree.root()).cloned()
        {
            *tree = Tree::new(tree.root(), root);
        }
    }

    fn elements_before(&self, call: &Call) -> u32 {
        let (parent, index, leaves) = match call {
            Call::InsertHtml {
                parent_id, index, ..
            } => (*parent_id, *index, None),
            Call::MoveNode {
                node_id,
                new_parent_id,
                new_index,
            } => (*new_parent_id, *new_index, Some(*node_id)),
            _ => return 0,
        };
        let Some(doc) = self.spot(parent).map(|spot| self.doc(spot.body)) else {
            return 0;
        };
        let stays = doc.children(parent).into_iter();
        let first = stays.filter(|child| Some(*child) != leaves).take(index);
        let elements = first.filter(|child| doc.is_element(*child)).count();
        u32::try_from(elements).unwrap_or(u32::MAX)
    }

    pub(crate) fn doc(&self, body: BodyId) -> Document<'_> {
        Document {
            site: &self.site,
            body,
        }
    }

    /// Finds a node in the documents that are open.
    pub(crate) fn spot(&self, node: NodeId) -> Option<Spot> {
        let mut bodies = self.site.bodies.iter();
        let (body, _) = bodies.find(|(_, tree)| tree.node(node).is_some())?;
        Some(Spot { body: *body, node })
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        documents_of(&self.site)
    }

    pub(crate) fn pages(&self) -> impl Iterator<Item = Document<'_>> {
        self.documents().filter(|doc| doc.is_page())
    }

    /// The template around all pages.
    pub(crate) fn layout(&self) -> Option<Document<'_>> {
        self.documents().find(Document::is_layout)
    }

    /// The list in the menu that new links go into, and its links in order.
    pub(crate) fn menu(&self) -> Option<(Spot, Vec<Spot>)> {
        let mut order = self.layout().into_iter().chain(self.documents());
        order.find_map(|doc| {
            let nav = doc
                .elements()
                .into_iter()
                .find(|at| doc.tag(*at) == "nav")?;
            let within = doc.walk(nav);
            let list = within
                .iter()
                .copied()
                .find(|at| matches!(doc.tag(*at), "ul" | "ol"))
                .unwrap_or(nav);
            let links = doc.walk(list).into_iter();
            let links = links.filter(|at| doc.tag(*at) == "a");
            Some((doc.spot(list), links.map(|node| doc.spot(node)).collect()))
        })
    }

    /// The rules of the site's own stylesheets that apply at every width: selectors, properties and values.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (Vec<&str>, Vec<(&str, &str)>)> {
        let items = &self.site.shell.items;
        let sheets = items
            .list(List::Sheets)
            .filter(|(_, item)| matches!(item, Item::Sheet(_)));
        let pieces = sheets.flat_map(|(sheet, _)| items.pieces(sheet));
        pieces.filter_map(|(_, piece)| {
            let Piece::Block(block) = piece else {
                return None;
            };
            let is_layer = |wrapper: &String| wrapper.starts_with("@layer");
            block.wrappers.iter().all(is_layer).then_some(())?;
            let selectors = block.selector.split(',').map(str::trim);
            let declarations = block.declarations.iter();
            let declarations = declarations.map(|one| (one.property.as_str(), one.value.as_str()));
            Some((selectors.collect(), declarations.collect()))
        })
    }

    pub(crate) fn has_rule(&self, selector: &str) -> bool {
        self.rules()
            .any(|(selectors, _)| selectors.contains(&selector))
    }
}

/// All documents in the order of the site: pages and templates, then components.
pub(crate) fn documents_of(site: &Site) -> impl Iterator<Item = Document<'_>> {
    let pages = site.shell.pages.iter().map(|(id, _)| id);
    let components = site.shell.components.iter().map(|(id, _)| id);
    let all = pages.chain(components);
    all.map(move |body| Document { site, body })
}

/// A document of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'d> {
    site: &'d Site,
    pub(crate) body: BodyId,
}

impl<'d> Document<'d> {
    fn tree(&self) -> Option<&'d Tree> {
        self.site.bodies.get(&self.body)
    }

    pub(crate) fn has_main_heading(&self) -> bool {
        self.site.main_heading(self.body).is_some()
    }

    pub(crate) fn spot(&self, node: NodeId) -> Spot {
        Spot {
            body: self.body,
            node,
        }
    }

    pub(crate) fn title(&self) -> &'d str {
        let shell = &self.site.shell;
        let component = shell.components.get(self.body);
        match shell.pages.get(self.body) {
            Some(page) => &page.title,
            None => component.map_or("", |component| &component.name),
        }
    }

    pub(crate) fn is_page(&self) -> bool {
        let page = self.site.shell.pages.get(self.body);
        page.is_some_and(|page| page.template.is_none())
    }

    pub(crate) fn is_layout(&self) -> bool {
        let page = self.site.shell.pages.get(self.body);
        let template = page.and_then(|page| page.template.as_ref());
        template.is_some_and(|template| template.target == TemplateTarget::Everywhere)
    }

    pub(crate) fn is_home(&self) -> bool {
        self.path() == "/"
    }

    /// Its address; empty when it has none.
    pub(crate) fn path(&self) -> String {
        if self.is_page() {
            self.site.permalink(self.body)
        } else {
            String::new()
        }
    }

    /// The reference by which tools name it.
    pub(crate) fn reference(&self) -> DocumentRef {
        let kind = match self.site.shell.pages.get(self.body) {
            Some(page) if page.template.is_none() => DocumentType::Page,
            Some(_) => DocumentType::Template,
            None => DocumentType::VisualComponent,
        };
        DocumentRef {
            kind,
            id: self.body,
        }
    }

    /// The root element; `None` for a document that is not open.
    pub(crate) fn root(&self) -> Option<NodeId> {
        self.tree().map(Tree::root)
    }

    pub(crate) fn root_spot(&self) -> Option<Spot> {
        self.root().map(|root| self.spot(root))
    }

    /// A node and all its descendants, in document order.
    pub(crate) fn walk(&self, from: NodeId) -> Vec<NodeId> {
        self.tree()
            .map(|tree| tree.walk(from).collect())
            .unwrap_or_default()
    }

    pub(crate) fn children(&self, at: NodeId) -> Vec<NodeId> {
        self.tree()
            .map(|tree| tree.children(at).collect())
            .unwrap_or_default()
    }

    pub(crate) fn parent(&self, at: NodeId) -> Option<NodeId> {
        self.tree()?.parent(at)
    }

    fn element(&self, at: NodeId) -> Option<&'d Element> {
        match &self.tree()?.node(at)?.kind {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    fn own(&self, at: NodeId) -> Option<&'d str> {
        match &self.tree()?.node(at)?.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_element(&self, at: NodeId) -> bool {
        let node = self.tree().and_then(|tree| tree.node(at));
        node.is_some_and(|node| !matches!(node.kind, Kind::Text(_) | Kind::Comment(_)))
    }

    fn is_outlet(&self, at: NodeId) -> bool {
        let node = self.tree().and_then(|tree| tree.node(at));
        node.is_some_and(|node| node.kind == Kind::Outlet)
    }

    /// The tag of an element; empty for anything else.
    pub(crate) fn tag(&self, at: NodeId) -> &'d str {
        self.element(at).map_or("", |element| element.tag.as_str())
    }

    pub(crate) fn is_hidden(&self, at: NodeId) -> bool {
        let node = self.tree().and_then(|tree| tree.node(at));
        node.is_some_and(|node| node.hidden)
    }

    pub(crate) fn has_class(&self, at: NodeId, fits: impl Fn(&str) -> bool) -> bool {
        self.classes(at).split_ascii_whitespace().any(fits)
    }

    pub(crate) fn classes(&self, at: NodeId) -> &'d str {
        let node = self.tree().and_then(|tree| tree.node(at));
        node.and_then(|node| node.classes.as_deref())
            .unwrap_or_default()
    }

    /// The value of an attribute; empty when it is missing. A reference to a page becomes the page's current address.
    pub(crate) fn attr(&self, at: NodeId, name: &str) -> String {
        let attrs = self.element(at).map(|element| element.attrs.as_slice());
        let mut attrs = attrs.unwrap_or_default().iter();
        let Some(attr) = attrs.find(|attr| attr.name.as_str() == name) else {
            return String::new();
        };
        match attr.target.as_deref() {
            Some(Reference::Page { id }) if self.site.shell.pages.get(*id).is_some() => {
                self.site.permalink(*id)
            }
            _ => attr.value.clone(),
        }
    }

    pub(crate) fn elements(&self) -> Vec<NodeId> {
        let mut all = self.root().map(|root| self.walk(root)).unwrap_or_default();
        all.retain(|at| self.is_element(*at));
        all
    }

    /// The sections: the root's children that are elements.
    pub(crate) fn sections(&self) -> Vec<NodeId> {
        let root = self.root();
        let mut children = root.map(|root| self.children(root)).unwrap_or_default();
        children.retain(|at| self.is_element(*at) && !self.is_outlet(*at));
        children
    }

    /// The text within a node, with whitespace collapsed.
    pub(crate) fn text(&self, at: NodeId) -> String {
        let inside = self.walk(at);
        let texts: Vec<&str> = inside.iter().filter_map(|at| self.own(*at)).collect();
        single_blanks(&texts.join(" "))
    }

    /// The first words within a node.
    pub(crate) fn first_text(&self, at: NodeId) -> Option<String> {
        let inside = self.walk(at);
        let mut texts = inside.iter().filter_map(|at| self.own(*at)).map(str::trim);
        texts.find(|text| !text.is_empty()).map(str::to_owned)
    }

    /// The text directly in a node, without that of its descendants.
    pub(crate) fn own_text(&self, at: NodeId) -> String {
        let children = self.children(at);
        let texts: Vec<&str> = children.iter().filter_map(|at| self.own(*at)).collect();
        single_blanks(&texts.concat())
    }

    /// The elements within a node that have text of their own, including the node itself.
    pub(crate) fn text_elements(&self, at: NodeId) -> Vec<NodeId> {
        let mut inside = self.walk(at);
        inside.retain(|at| self.is_element(*at) && !self.own_text(*at).is_empty());
        inside
    }

    /// The section that contains a node, or is the node.
    pub(crate) fn section_of(&self, at: NodeId) -> Option<NodeId> {
        let mut at = at;
        loop {
            let parent = self.parent(at)?;
            if Some(parent) == self.root() {
                return Some(at);
            }
            at = parent;
        }
    }

    pub(crate) fn is_within(&self, at: NodeId, above: NodeId) -> bool {
        std::iter::successors(Some(at), |here| self.parent(*here)).any(|here| here == above)
    }

    /// The parent of a node and its index among the parent's children, counting elements and texts alike.
    pub(crate) fn index(&self, at: NodeId) -> Option<(NodeId, usize)> {
        let parent = self.parent(at)?;
        let index = self
            .children(parent)
            .iter()
            .position(|child| *child == at)?;
        Some((parent, index))
    }

    /// The kind of a section, by its classes or its tag.
    pub(crate) fn kind_of(&self, at: NodeId) -> &'d str {
        match self.tag(at) {
            edge @ ("header" | "footer") => edge,
            _ => {
                let mut classes = self.classes(at).split_ascii_whitespace();
                classes
                    .find(|class| KINDS.contains(class))
                    .unwrap_or("html")
            }
        }
    }

    /// A node and its descendants without ids, with references to pages as their current addresses.
    pub(crate) fn forest(&self, at: NodeId) -> Forest {
        let subtree = self.tree().and_then(|tree| tree.subtree(at));
        let nodes = subtree.iter().flat_map(|subtree| subtree.nodes());
        let planted = nodes.map(|grown| {
            let mut node = grown.node.clone();
            if let Kind::Element(element) = &mut node.kind {
                for attr in &mut element.attrs {
                    attr.value = self.attr(grown.id, attr.name.as_str());
                }
            }
            ForestNode {
                parent: grown.parent,
                node,
            }
        });
        Forest(planted.collect())
    }
}

/// The HTML of nodes, ready to be inserted in another place.
pub(crate) fn html_of(forest: &Forest) -> String {
    let mut html = String::new();
    write_forest(&mut html, forest, None);
    html
}

/// Escapes text for HTML.
pub(crate) fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The ids of what a tool created, in the order of its result.
pub(crate) fn made_ids(answer: &Value) -> Vec<&str> {
    let page = [&answer["pageId"], &answer["rootNodeId"]].into_iter();
    let nodes = answer["nodeIds"].as_array().into_iter().flatten();
    page.chain(nodes).filter_map(Value::as_str).collect()
}
