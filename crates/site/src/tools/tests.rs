//! The tools, called as a model calls them.

mod breakpoints;
mod catalogue;
mod code;
mod html;
mod import;
mod nodes;
mod outside;
mod own_styles;
mod pages;
mod props;
mod read;
mod references;
mod settings;
mod styles;
mod token_uses;

use serde_json::{Value, json};
use sitewright_tool::{Execution, ToolError, TurnRole};

use super::{SiteTool, ToolRun, View, site_tools};
use crate::{
    Attr, BodyId, ChangeId, Element, Facts, Kind, Namespace, NewEntity, Node, NodeId, Op, Outcome,
    Page, Site, Subtree, SubtreeNode,
};

/// A site with one page, `body(p#1(text) p)`.
pub(super) struct Bench {
    pub(super) site: Site,
    pub(super) view: View,
    pub(super) facts: Facts,
    calls: u32,
}

pub(super) fn page() -> BodyId {
    BodyId::from(1)
}

pub(super) fn node(number: u64) -> NodeId {
    NodeId::from(number)
}

fn element(tag: &str) -> Node {
    let attrs = vec![Attr::new("id", tag)];
    Node::new(Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs,
    }))
}

impl Bench {
    pub(super) fn new() -> Self {
        let grown = |number, parent, node| SubtreeNode {
            id: self::node(number),
            parent,
            node,
        };
        let tree = Subtree::new(vec![
            grown(10, None, element("body")),
            grown(11, Some(0), element("p")),
            grown(12, Some(1), Node::new(Kind::Text("Hello".to_owned()))),
            grown(13, Some(0), element("section")),
        ]);
        let mut site = Site::default();
        let new = NewEntity::Page {
            id: page(),
            page: Box::new(Page::new("Home", "index")),
            tree: tree.unwrap(),
            after: None,
        };
        site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
        Self {
            site,
            view: View {
                current: Some(page()),
                ..View::default()
            },
            facts: Facts::default(),
            calls: 0,
        }
    }

    /// Adds a collection with pages, first in the list.
    pub(super) fn add_collection(&mut self, id: crate::ItemId, slug: &str, fields: Value) {
        let item = json!({ "type": "collection", "slug": slug, "label": slug, "routeBase": format!("/{slug}"), "fields": fields });
        let op = json!({ "op": "insert", "new": { "type": "item", "id": id, "item": item } });
        let op: Op = serde_json::from_value(op).unwrap();
        self.site.apply(&op, 1).unwrap();
    }

    /// Calls a tool that must refuse.
    pub(super) fn refused(&mut self, tool: &str, input: Value) -> ToolError {
        match self.run(tool, input) {
            Err(error) => error,
            Ok(outcome) => panic!("{outcome:?}"),
        }
    }

    fn run(&mut self, tool: &str, input: Value) -> Result<Outcome<ToolRun>, ToolError> {
        self.calls += 1;
        let change = ChangeId::of_call("turn", &self.calls.to_string());
        let before = self.site.clone();
        let tool = site_tools()
            .into_iter()
            .find(|known| known.definition.name() == tool)
            .expect("a tool");
        let outcome = tool.run(input, &mut self.site, &self.view, (&self.facts, change));
        assert!(self.site == before, "a tool changes nothing by itself");
        outcome
    }

    /// Calls a tool and commits its ops.
    pub(super) fn call(&mut self, tool: &str, input: Value) -> Result<ToolRun, String> {
        match self.run(tool, input) {
            Ok(Outcome::Done(run)) => {
                let applied = self.site.apply_all(&run.ops, u64::from(self.calls) + 1);
                assert_eq!(applied.rejected, []);
                Ok(run)
            }
            Ok(Outcome::Needs(needs)) => Err(format!("needs {needs:?}")),
            Err(error) => Err(format!("{}: {}", error.code.as_str(), error.message)),
        }
    }

    /// The tree in a small notation: `body(p("Hello") section)`.
    pub(super) fn shown(&self) -> String {
        fn show(tree: &crate::Tree, at: NodeId) -> String {
            let name = match &tree.node(at).unwrap().kind {
                Kind::Element(element) => element.tag.as_str().to_owned(),
                Kind::Text(text) => format!("{text:?}"),
                other => format!("{other:?}"),
            };
            let children: Vec<String> = tree.children(at).map(|child| show(tree, child)).collect();
            if children.is_empty() {
                name
            } else {
                format!("{name}({})", children.join(" "))
            }
        }
        let tree = &self.site.bodies[&page()];
        show(tree, tree.root())
    }
}

#[test]
fn every_tool_has_a_name_of_its_own_and_schemas_of_objects() {
    let mut names = std::collections::BTreeSet::new();
    for tool in site_tools() {
        let manifest = tool.definition.manifest;
        assert!(names.insert(manifest.name.to_string()), "{}", manifest.name);
        for schema in [&manifest.input_schema, &manifest.output_schema] {
            assert_eq!(schema["type"], "object", "{}", manifest.name);
        }
        assert_eq!(
            manifest.input_schema["additionalProperties"], false,
            "{}",
            manifest.name
        );
    }
}

/// The tools of specification 004. Our own additions are for imports, settings, tokens, breakpoints and edit plans.
#[test]
fn the_site_has_six_catalogue_tools_and_29_that_run_in_the_browser() {
    const CATALOGUE: [&str; 6] = [
        "list_documents",
        "list_modules",
        "list_breakpoints",
        "list_post_types",
        "list_loop_sources",
        "list_tokens",
    ];
    const OURS: [&str; 8] = [
        "import_page",
        "list_token_uses",
        "rename_color_token",
        "set_breakpoint_widths",
        "getPageSettings",
        "updatePageSettings",
        "getSiteSettings",
        "updateSiteSettings",
    ];
    let of = |execution: Execution| -> Vec<String> {
        let tools = super::document_tools().into_iter();
        let manifests = tools.map(|tool| tool.definition.manifest);
        let names = manifests
            .filter(|manifest| manifest.execution == execution)
            .map(|manifest| manifest.name.to_string());
        names
            .filter(|name| !OURS.contains(&name.as_str()))
            .collect()
    };
    let (mut here, mut expected) = (of(Execution::Server), CATALOGUE.map(str::to_owned));
    here.sort();
    expected.sort();
    assert_eq!(here, expected);
    assert_eq!(of(Execution::Browser).len(), 29);
}

/// Whether a model sees is known to whoever calls it, so a schema that shows the argument would invite it to guess.
#[test]
fn no_schema_shows_a_model_the_argument_that_asks_for_pictures() {
    let tools = site_tools();
    let mut asking = tools.iter().filter_map(|tool| {
        let argument = tool.definition.pictures?;
        Some((&tool.definition.manifest.input_schema, argument))
    });
    let (schema, argument) = asking.next().expect("a tool that answers with pictures");
    assert_eq!(argument, "captureScreenshot");
    assert!(!schema.to_string().contains(argument), "{schema}");
    assert_eq!(asking.next(), None);
}

/// The agent loop keeps only the latest result of each of these tools. A result with an image is treated the same,
/// whatever its tool declares.
#[test]
fn what_answers_with_whole_documents_says_that_it_is_heavy() {
    let heavy: Vec<String> = site_tools()
        .into_iter()
        .filter(|tool| tool.definition.manifest.heavy)
        .map(|tool| tool.definition.manifest.name.to_string())
        .collect();
    assert_eq!(heavy, ["read_document", "getNodeHtml", "render_snapshot"]);
}

/// Structure is HTML and styling is CSS: no tool takes nodes or classes as JSON.
#[test]
fn no_tool_takes_a_tree_or_classes() {
    fn fields(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(object) => {
                if let Some(Value::Object(properties)) = object.get("properties") {
                    found.extend(properties.keys().cloned());
                }
                object.values().for_each(|inner| fields(inner, found));
            }
            Value::Array(list) => list.iter().for_each(|inner| fields(inner, found)),
            _ => {}
        }
    }
    // A plan names nodes and pages by id; its HTML is text like everywhere else.
    let is_plan = |tool: &SiteTool| tool.definition.role == TurnRole::SubmitsPlan;
    for tool in site_tools().into_iter().filter(|tool| !is_plan(tool)) {
        let mut found = Vec::new();
        fields(&tool.definition.manifest.input_schema, &mut found);
        for field in found {
            let is_structure = ["classes", "className", "children", "nodes", "node", "tree"]
                .contains(&field.as_str());
            assert!(!is_structure, "{}: {field}", tool.definition.manifest.name);
        }
    }
}
