//! Plans, submitted as a model would and run as a person would.

mod ops;
mod property;
mod run;
mod slips;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::shape::{SHAPES, examples};
use super::{Accept, EditPlan, PlanRun, edit_plan_schema, normalise};
use crate::tools::html::{self, GetNodeHtml};
use crate::{
    Attr, BodyId, ChangeId, Component, Element, Facts, Kind, Namespace, NewEntity, Node, NodeId,
    Op, Outcome, Page, Param, ParamKind, Site, Subtree, SubtreeNode, View,
};

/// A small site: Home, About with Team under it, two pages called News, and a component with a list.
pub(super) struct Bench {
    pub(super) site: Site,
    pub(super) view: View,
    pub(super) facts: Facts,
}

pub(super) fn page(number: u64) -> BodyId {
    BodyId::from(number)
}

const HOME: &str = r#"<header id="top"><h1 id="title">Welcome</h1></header>
<section id="hero"><p id="intro">Hello</p><a id="link" href="/about">About</a></section>
<section id="services"><h2>Services</h2><ul id="list"><li id="one">One</li> <li>Two</li><li>Three</li></ul></section>
<footer id="end"><p>Bye</p></footer>"#;
const ABOUT: &str = r#"<main id="about"><p>Us</p></main>"#;

impl Bench {
    pub(super) fn new() -> Self {
        let mut site = Site::default();
        let component = Component {
            name: "Features".to_owned(),
            params: vec![
                param("title", ParamKind::String, &[]),
                param("items", ParamKind::List, &["name", "text"]),
            ],
            template_key: Some("features".to_owned()),
            lock: crate::Lock::Open,
        };
        let new = NewEntity::Component {
            id: page(50),
            component: Box::new(component),
            tree: body(500),
            after: None,
        };
        site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
        let mut bench = Self {
            site,
            view: View {
                current: Some(page(1)),
                ..View::default()
            },
            facts: Facts::default(),
        };
        bench.add_page(1, Page::new("Home", "index"), HOME);
        bench.add_page(2, Page::new("About", "about"), ABOUT);
        let team = Page {
            parent_id: Some(page(2)),
            ..Page::new("Team", "team")
        };
        bench.add_page(3, team, "<p>We</p>");
        bench.add_page(4, Page::new("News", "news"), "<p>New</p>");
        bench.add_page(5, Page::new("News", "press"), "<p>Old</p>");
        bench
    }

    fn add_page(&mut self, number: u64, document: Page, html: &str) {
        let new = NewEntity::Page {
            id: page(number),
            page: Box::new(document),
            tree: body(number * 100),
            after: self.site.shell.pages.last(),
        };
        self.site
            .apply(&Op::Insert { new: Box::new(new) }, 1)
            .unwrap();
        let root = NodeId::from(number * 100).to_string();
        let fill = json!([{ "op": "add_node", "parent": root, "html": html }]);
        self.apply(fill, &format!("page {number}"));
    }

    /// The node with this `id` attribute.
    pub(super) fn node(&self, id: &str) -> NodeId {
        let trees = self.site.bodies.values();
        let mut nodes = trees.flat_map(|tree| tree.walk(tree.root()).map(move |id| (tree, id)));
        let is_it = |(tree, node): &(&crate::Tree, NodeId)| {
            let Kind::Element(element) = &tree.node(*node).unwrap().kind else {
                return false;
            };
            let mut attrs = element.attrs.iter();
            attrs.any(|attr| attr.name.as_str() == "id" && attr.value == id)
        };
        nodes.find(is_it).map(|(_, id)| id).unwrap()
    }

    pub(super) fn root(number: u64) -> NodeId {
        NodeId::from(number * 100)
    }

    pub(super) fn plan(&self, ops: Value) -> EditPlan {
        let plan = json!({ "intent": "edit_plan", "summary_for_user": "Edits.", "ops": ops });
        normalise(plan, &self.site).unwrap().plan
    }

    pub(super) fn run(&mut self, plan: &EditPlan, accept: &Accept) -> PlanRun {
        self.run_as(plan, accept, "change")
    }

    fn run_as(&mut self, plan: &EditPlan, accept: &Accept, change: &str) -> PlanRun {
        let before = self.site.clone();
        let change = ChangeId::from(change.to_owned());
        let outcome = plan.run(accept, &mut self.site, &self.view, (&self.facts, change));
        assert!(self.site == before, "a plan changes nothing by itself");
        match outcome.unwrap() {
            Outcome::Done(run) => run,
            Outcome::Needs(needs) => panic!("needs {needs:?}"),
        }
    }

    /// Runs operations that must all succeed, and commits them.
    pub(super) fn apply(&mut self, ops: Value, change: &str) -> PlanRun {
        let plan = self.plan(ops);
        let run = self.run_as(&plan, &Accept::All, change);
        let problems: Vec<String> = run.all_problems().map(ToString::to_string).collect();
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(self.site.apply_all(&run.ops, 7).rejected, []);
        run
    }

    /// The problems of operations, as texts.
    pub(super) fn problems(&mut self, ops: Value) -> Vec<String> {
        let plan = json!({ "intent": "edit_plan", "summary_for_user": "Edits.", "ops": ops });
        match normalise(plan, &self.site) {
            Err(refused) => refused.problems.iter().map(ToString::to_string).collect(),
            Ok(normalised) => {
                let run = self.run(&normalised.plan, &Accept::All);
                run.all_problems().map(ToString::to_string).collect()
            }
        }
    }

    /// The HTML of a node, without the markers by which tests find nodes.
    pub(super) fn html(&mut self, id: NodeId) -> String {
        let mut work = crate::tools::Work::new(
            &mut self.site,
            &self.view,
            &self.facts,
            ChangeId::from("read".to_owned()),
        );
        let Ok(read) = html::read(GetNodeHtml { node_id: id }, &mut work) else {
            panic!("{id} cannot be read");
        };
        read.html
    }
}

fn param(name: &str, kind: ParamKind, fields: &[&str]) -> Param {
    let fields = fields
        .iter()
        .map(|name| ((*name).to_owned(), ParamKind::String));
    Param {
        name: name.to_owned(),
        kind,
        description: None,
        default: Value::Null,
        required: name == "title",
        options: Vec::new(),
        fields: fields.collect::<BTreeMap<_, _>>(),
    }
}

fn body(root: u64) -> Subtree {
    let element = Element {
        tag: "body".into(),
        namespace: Namespace::Html,
        attrs: Vec::<Attr>::new(),
    };
    let grown = SubtreeNode {
        id: NodeId::from(root),
        parent: None,
        node: Node::new(Kind::Element(element)),
    };
    Subtree::new(vec![grown]).unwrap()
}

#[test]
fn the_schema_for_models_is_that_of_the_type() {
    insta::assert_json_snapshot!(edit_plan_schema());
}

#[test]
fn every_operation_has_an_example_that_fits_it() {
    let mut named = Vec::new();
    for example in examples() {
        let read: super::PlanOp = serde_json::from_value(example.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), example);
        named.push(example["op"].as_str().unwrap().to_owned());
    }
    named.sort();
    let known: Vec<String> = SHAPES.ops.keys().cloned().collect();
    assert_eq!(named, known);
}
