//! A document as the editor lists it: a row for each node a person would point at, and one node in detail.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::diff::{element_word, mark, shortened, text_in};
use crate::module::module_of;
use crate::{Attr, BodyId, Kind, Lock, Node, NodeId, OwnStyle, Place, Site, Tree};

const DETAIL_CHARS_MAX: usize = 60;

/// A row for a node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Layer {
    /// The node.
    pub id: NodeId,
    /// What kind of node it is: `element`, `text`, `comment`, `loop`, `outlet` or `component`.
    #[schemars(extend("enum" = ["element", "text", "comment", "loop", "outlet", "component"]))]
    pub kind: &'static str,
    /// Its tag, for elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What a person calls it: the name it was given, else a word for what it is.
    pub name: String,
    /// What tells it from others of its name: its heading or first words, else its id or class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether it is left out of every rendering.
    pub hidden: bool,
    /// What agents may do to it.
    pub lock: Lock,
    /// Whether there are rows in it. A text that stands alone in its element has none: the element's row tells it.
    pub has_layers: bool,
}

/// A node with everything about it but what stands in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Its row.
    #[serde(flatten)]
    pub layer: Layer,
    /// The rows it lies in, from the root.
    pub path: Vec<Layer>,
    /// The module it is seen through; absent for texts and comments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'static str>,
    /// Its attributes without `class` and `style`, for elements.
    pub attrs: Vec<Attr>,
    /// The text of its `class` attribute.
    pub classes: Option<String>,
    /// The text of its `style` attribute.
    pub style: Option<String>,
    /// The rules for it alone, by breakpoint and state.
    pub own_styles: Vec<OwnStyle>,
    /// The name it was given.
    pub label: Option<String>,
    /// The text that it is, or that stands alone in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<LoneText>,
    /// Where it stands, counting what does not show; nothing for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The nearest siblings before and after it that show.
    pub beside: (Option<NodeId>, Option<NodeId>),
}

/// A text and where it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoneText {
    /// The text node.
    pub node: NodeId,
    /// What it says.
    pub value: String,
}

impl Site {
    /// The rows in a node, or in the root of a document: everything but comments and white space between elements. `None` if
    /// the document is not open or has no such node.
    pub fn layers(&self, body: BodyId, node: Option<NodeId>) -> Option<Vec<Layer>> {
        let tree = self.bodies.get(&body)?;
        let node = node.unwrap_or_else(|| tree.root());
        tree.node(node)?;
        let shown = tree.children(node).filter(|id| is_shown(tree, *id));
        Some(shown.filter_map(|id| self.layer(tree, id)).collect())
    }

    /// A node of an open document in detail.
    pub fn node_view(&self, body: BodyId, id: NodeId) -> Option<NodeView> {
        let tree = self.bodies.get(&body)?;
        let node = tree.node(id)?;
        let above = std::iter::successors(tree.parent(id), |above| tree.parent(*above));
        let mut path: Vec<_> = above.filter_map(|above| self.layer(tree, above)).collect();
        path.reverse();
        Some(NodeView {
            layer: self.layer(tree, id)?,
            path,
            module: module_of(node).map(|module| module.id),
            attrs: match &node.kind {
                Kind::Element(element) => element.attrs.clone(),
                _ => Vec::new(),
            },
            classes: node.classes.clone(),
            style: node.style.clone(),
            own_styles: self.own_styles(id, node.classes.as_deref()),
            label: node.label.clone(),
            text: lone_text(tree, id),
            place: tree.place(id),
            beside: beside(tree, id),
        })
    }

    fn layer(&self, tree: &Tree, id: NodeId) -> Option<Layer> {
        let node = tree.node(id)?;
        let mut shown = tree.children(id).filter(|child| is_shown(tree, *child));
        let lone = lone_text(tree, id).is_some();
        Some(Layer {
            id,
            kind: kind_word(&node.kind),
            tag: match &node.kind {
                Kind::Element(element) => Some(element.tag.as_str().to_owned()),
                _ => None,
            },
            name: self.layer_name(node),
            detail: detail(tree, id, node),
            hidden: node.hidden,
            lock: node.lock,
            has_layers: !lone && shown.next().is_some(),
        })
    }

    fn layer_name(&self, node: &Node) -> String {
        if let Some(label) = &node.label {
            return label.clone();
        }
        let used = match &node.kind {
            Kind::Component(used) => used.id.parse().ok(),
            _ => None,
        };
        let component = used.and_then(|id| self.shell.components.get(id));
        component.map_or_else(
            || match &node.kind {
                Kind::Element(element) => element_word(element, node.classes.as_deref()).to_owned(),
                other => kind_word(other).to_owned(),
            },
            |component| component.name.clone(),
        )
    }
}

fn kind_word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Element(_) => "element",
        Kind::Text(_) => "text",
        Kind::Comment(_) => "comment",
        Kind::Loop(_) => "loop",
        Kind::Outlet => "outlet",
        Kind::Component(_) => "component",
    }
}

fn detail(tree: &Tree, id: NodeId, node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Element(element) => {
            let lone = lone_text(tree, id).map(|text| shortened(&text.value, DETAIL_CHARS_MAX));
            lone.or_else(|| text_in(tree, id))
                .or_else(|| mark(element, node.classes.as_deref()))
        }
        Kind::Text(text) => Some(shortened(text, DETAIL_CHARS_MAX)),
        Kind::Loop(looped) => Some(looped.source.clone()),
        Kind::Component(used) => {
            let title = used.props.get("title").and_then(Value::as_str);
            title.map(|title| shortened(title, DETAIL_CHARS_MAX))
        }
        Kind::Comment(_) | Kind::Outlet => None,
    }
}

fn is_shown(tree: &Tree, id: NodeId) -> bool {
    match tree.node(id).map(|node| &node.kind) {
        Some(Kind::Text(text)) => !text.trim().is_empty(),
        Some(Kind::Comment(_)) | None => false,
        Some(_) => true,
    }
}

/// The text of a text node, or of an element that shows only one text.
fn lone_text(tree: &Tree, id: NodeId) -> Option<LoneText> {
    let text_of = |id| match &tree.node(id)?.kind {
        Kind::Text(value) => Some(LoneText {
            node: id,
            value: value.clone(),
        }),
        _ => None,
    };
    match &tree.node(id)?.kind {
        Kind::Text(_) => text_of(id),
        Kind::Element(_) => {
            let mut shown = tree.children(id).filter(|child| is_shown(tree, *child));
            let only = shown.next()?;
            shown.next().is_none().then(|| text_of(only)).flatten()
        }
        _ => None,
    }
}

/// The previous and next sibling that is shown. It follows the links of the tree, because a node may have many siblings.
fn beside(tree: &Tree, id: NodeId) -> (Option<NodeId>, Option<NodeId>) {
    let shown = |sibling: &NodeId| is_shown(tree, *sibling);
    let back = |from: &NodeId| tree.place(*from)?.after;
    let on = |from: &NodeId| Some(tree.id_at(tree.next_at(tree.spot(*from)?)?));
    (
        std::iter::successors(back(&id), back).find(shown),
        std::iter::successors(on(&id), on).find(shown),
    )
}

#[cfg(test)]
mod tests {
    use crate::{BodyId, ChangeId, Facts, Outcome, Site, View, first_ops, site_tools};
    use serde_json::json;

    fn with_html(html: &str) -> (Site, BodyId) {
        let mut site = Site::default();
        let ops = first_ops("Northwind", ChangeId::from("first".to_owned())).unwrap();
        site.apply_all(&ops, 1);
        let (page, _) = site.shell.pages.iter().next().unwrap();
        let tools = site_tools();
        let insert = tools
            .iter()
            .find(|tool| tool.definition.manifest.name.as_str() == "insertHtml")
            .unwrap();
        let view = View {
            current: Some(page),
            ..View::default()
        };
        let root = site.bodies[&page].root();
        let input = json!({ "parentId": root, "html": html });
        let change = ChangeId::from("second".to_owned());
        let Ok(Outcome::Done(run)) =
            insert.run(input, &mut site, &view, (&Facts::default(), change))
        else {
            panic!("it was not inserted");
        };
        site.apply_all(&run.ops, 2);
        (site, page)
    }

    #[test]
    fn a_row_tells_a_lone_text_and_leaves_white_space_out() {
        let (site, page) = with_html(
            "<section class=\"hero\"> <h1>Good  bread</h1> <p>Baked <b>every</b> day</p> <!-- x --></section>",
        );
        let [section] = &site.layers(page, None).unwrap()[..] else {
            panic!("one row");
        };
        assert_eq!(
            (section.name.as_str(), section.detail.as_deref()),
            ("hero", Some("Good bread"))
        );
        let rows = site.layers(page, Some(section.id)).unwrap();
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.name.as_str(), row.detail.as_deref(), row.has_layers))
            .collect();
        assert_eq!(
            told,
            [
                ("heading", Some("Good bread"), false),
                ("paragraph", Some("Baked"), true)
            ]
        );
        assert_eq!(site.layers(page, Some(rows[1].id)).unwrap().len(), 3);
    }

    #[test]
    fn a_node_knows_its_way_its_text_and_its_neighbours() {
        let (site, page) = with_html("<main><h2>One</h2> <a href=\"/x\">Two</a> </main>");
        let main = &site.layers(page, None).unwrap()[0];
        let rows = site.layers(page, Some(main.id)).unwrap();
        let link = site.node_view(page, rows[1].id).unwrap();
        let way: Vec<_> = link.path.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(way, ["page body", "main"]);
        assert_eq!(link.text.unwrap().value, "Two");
        assert_eq!(link.beside, (Some(rows[0].id), None));
        let place = link.place.unwrap();
        assert_eq!(place.parent, main.id);
        assert_ne!(place.after, Some(rows[0].id), "white space stands between");
        assert_eq!(link.attrs[0].value, "/x");
    }
}
