//! Rendering, told by small documents.

use serde_json::{Value, json};

use super::{Facts, Need, Outcome, Purpose, Rendered};
use crate::{
    Attr, BodyId, Component, ComponentUse, Direction, Element, Grown, Kind, Lock, Loop, Namespace,
    New, Node, NodeId, Op, Page, Param, ParamKind, Place, Site, Subtree, Template, TemplateTarget,
};

fn body(number: u64) -> BodyId {
    BodyId::from(number)
}

fn element(tag: &str, attrs: &[(&str, &str)]) -> Node {
    let attrs = attrs
        .iter()
        .map(|(name, value)| Attr::new(*name, *value))
        .collect();
    Node::new(Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs,
    }))
}

fn text(text: &str) -> Node {
    Node::new(Kind::Text(text.to_owned()))
}

/// A document written by hand: ids count up from `first`, the parent is a position in the list.
struct Draft {
    site: Site,
    next: u64,
}

impl Draft {
    fn new() -> Self {
        Self {
            site: Site::default(),
            next: 1,
        }
    }

    fn page(&mut self, number: u64, page: Page, root: Node) -> NodeId {
        let (tree, id) = self.root(root);
        let new = New::Page {
            id: body(number),
            page: Box::new(page),
            tree,
            after: self.site.shell.pages.last(),
        };
        self.site
            .apply(&Op::Insert { new: Box::new(new) }, 1)
            .unwrap();
        id
    }

    fn component(&mut self, number: u64, params: Vec<Param>) -> NodeId {
        let (tree, id) = self.root(element("template", &[]));
        let component = Component {
            name: "Card".to_owned(),
            params,
            template_key: None,
            lock: Lock::Open,
        };
        let new = New::Component {
            id: body(number),
            component: Box::new(component),
            tree,
            after: None,
        };
        self.site
            .apply(&Op::Insert { new: Box::new(new) }, 1)
            .unwrap();
        id
    }

    fn root(&mut self, node: Node) -> (Subtree, NodeId) {
        let id = NodeId::from(self.next);
        self.next += 1;
        (
            Subtree::new(vec![Grown {
                id,
                parent: None,
                node,
            }])
            .unwrap(),
            id,
        )
    }

    fn add(&mut self, number: u64, parent: NodeId, node: Node) -> NodeId {
        let (nodes, id) = self.root(node);
        let tree = &self.site.bodies[&body(number)];
        let place = Place {
            parent,
            after: tree.children(parent).last(),
        };
        self.site
            .apply(
                &Op::Insert {
                    new: Box::new(New::Nodes {
                        body: body(number),
                        nodes,
                        place,
                    }),
                },
                1,
            )
            .unwrap();
        id
    }

    fn rendered(&self, number: u64, facts: &Facts) -> Rendered {
        match self
            .site
            .render(body(number), Purpose::Publish, facts)
            .unwrap()
        {
            Outcome::Done(rendered) => rendered,
            Outcome::Needs(needs) => panic!("{needs:?}"),
        }
    }

    fn body_of(&self, number: u64, facts: &Facts) -> String {
        let html = self.rendered(number, facts).html;
        let from = html.find("<body").unwrap();
        html[from..]
            .trim_end()
            .trim_end_matches("</html>")
            .trim_end()
            .to_owned()
    }
}

fn template(title: &str, target: TemplateTarget) -> Page {
    Page {
        template: Some(Template {
            target,
            priority: 100,
        }),
        ..Page::new(title, "layout")
    }
}

#[test]
fn a_page_in_a_template_keeps_its_title_its_body_classes_and_its_styles() {
    let mut draft = Draft::new();
    let mut root = element("body", &[("data-theme", "dark"), ("id", "layout")]);
    root.classes = Some("layout".to_owned());
    root.style = Some("margin: 0;".to_owned());
    let layout = draft.page(1, template("Layout", TemplateTarget::Everywhere), root);
    draft.add(1, layout, element("header", &[]));
    let main = draft.add(1, layout, element("main", &[]));
    draft.add(1, main, Node::new(Kind::Outlet));
    let mut root = element("body", &[("id", "home")]);
    root.classes = Some("home wide".to_owned());
    root.style = Some("color: red".to_owned());
    let home = draft.page(2, Page::new("Home", "index"), root);
    draft.add(2, home, text("Hello {page.title}"));
    assert_eq!(
        draft.body_of(2, &Facts::default()),
        "<body class=\"layout home wide\" style=\"margin: 0; color: red\" data-theme=\"dark\" id=\"home\"><header></header>\
         <main>Hello Home</main></body>"
    );
    let rendered = draft.rendered(2, &Facts::default());
    assert!(
        rendered.html.contains("<title>Home – My site</title>"),
        "{}",
        rendered.html
    );
    assert_eq!(rendered.documents, [body(1), body(2)]);
}

#[test]
fn a_template_without_an_outlet_wraps_nothing_and_the_greatest_priority_wins() {
    let mut draft = Draft::new();
    let empty = Page {
        template: Some(Template {
            target: TemplateTarget::Everywhere,
            priority: 900,
        }),
        ..Page::new("Empty", "a")
    };
    draft.page(1, empty, element("body", &[]));
    let low = draft.page(
        2,
        template("Low", TemplateTarget::Everywhere),
        element("body", &[]),
    );
    draft.add(2, low, Node::new(Kind::Outlet));
    let home = draft.page(3, Page::new("Home", "index"), element("body", &[]));
    draft.add(3, home, text("Hello"));
    assert_eq!(
        draft.rendered(3, &Facts::default()).documents,
        [body(2), body(3)]
    );
}

#[test]
fn a_loop_asks_for_its_rows_and_repeats_its_children() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Blog", "blog"), element("body", &[]));
    let looped = Loop {
        source: "data.rows".to_owned(),
        table: Some("posts".to_owned()),
        order: Some("publishedAt".to_owned()),
        direction: Direction::Desc,
        limit: Some(2),
        offset: 0,
        filter: [("author".to_owned(), json!("{route.query.author|ada}"))].into(),
    };
    let list = draft.add(1, home, Node::new(Kind::Loop(looped)));
    let link = draft.add(
        1,
        list,
        element("a", &[("href", "{currentEntry.permalink}")]),
    );
    draft.add(1, link, text("{currentEntry.title|Untitled}"));
    let Some(Outcome::Needs(needs)) =
        draft
            .site
            .render(body(1), Purpose::Publish, &Facts::default())
    else {
        panic!("it needs rows")
    };
    let [Need::Rows { key, query }] = needs.as_slice() else {
        panic!("{needs:?}")
    };
    assert_eq!(query.filter.get("author").map(String::as_str), Some("ada"));
    let rows = vec![
        json!({ "title": "One & two", "permalink": "/blog/one" }),
        json!({ "permalink": "javascript:alert(1)" }),
    ];
    let facts = Facts {
        rows: [(key.clone(), rows)].into(),
        ..Facts::default()
    };
    assert_eq!(
        draft.body_of(1, &facts),
        "<body><a href=\"/blog/one\">One &amp; two</a><a>Untitled</a></body>"
    );
}

#[test]
fn a_component_is_filled_with_props_and_slots() {
    let mut draft = Draft::new();
    let param = |name: &str, kind, default: Value| Param {
        name: name.to_owned(),
        kind,
        description: None,
        default,
        required: false,
        options: Vec::new(),
        fields: [].into(),
    };
    let params = vec![
        param("title", ParamKind::String, json!("Card")),
        param("items", ParamKind::List, json!([])),
    ];
    let card = draft.component(10, params);
    let article = draft.add(10, card, element("article", &[]));
    let heading = draft.add(10, article, element("h2", &[]));
    draft.add(10, heading, text("{props.title}"));
    let each = Loop {
        source: "props.items".to_owned(),
        table: None,
        order: None,
        direction: Direction::Asc,
        limit: None,
        offset: 0,
        filter: [].into(),
    };
    let list = draft.add(10, article, Node::new(Kind::Loop(each)));
    draft.add(10, list, text("[{item.name} of {props.title}]"));
    let slot = draft.add(10, article, element("slot", &[("name", "foot")]));
    draft.add(10, slot, text("nothing"));

    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let used = |props: Value| {
        let props = props
            .as_object()
            .cloned()
            .unwrap_or_default()
            .into_iter()
            .collect();
        Node::new(Kind::Component(ComponentUse {
            id: body(10).to_string(),
            props,
        }))
    };
    draft.add(1, home, used(json!({})));
    let filled = draft.add(
        1,
        home,
        used(json!({ "title": "On {page.title}", "items": [{ "name": "a" }, { "name": "b" }] })),
    );
    let mut foot = element("p", &[]);
    foot.slot = Some("foot".to_owned());
    let foot = draft.add(1, filled, foot);
    draft.add(1, foot, text("of {page.title}, not {props.title|a prop}"));
    assert_eq!(
        draft.body_of(1, &Facts::default()),
        "<body><article><h2>Card</h2>nothing</article><article><h2>On Home</h2>[a of On Home][b of On Home]<p>of Home, not a prop</p>\
         </article></body>"
    );
}

#[test]
fn a_component_in_itself_is_left_out_and_told() {
    let mut draft = Draft::new();
    let card = draft.component(10, Vec::new());
    let me = Node::new(Kind::Component(ComponentUse {
        id: body(10).to_string(),
        props: [].into(),
    }));
    draft.add(10, card, text("once"));
    draft.add(10, card, me.clone());
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    draft.add(1, home, me);
    let rendered = draft.rendered(1, &Facts::default());
    assert!(
        rendered.html.contains("<body>once</body>"),
        "{}",
        rendered.html
    );
    assert_eq!(
        rendered.problems,
        ["The component Card contains itself, or lies too deep."]
    );
}

#[test]
fn hidden_nodes_are_left_out_and_the_canvas_names_every_element() {
    let mut draft = Draft::new();
    let home = draft.page(1, Page::new("Home", "index"), element("body", &[]));
    let shown = draft.add(1, home, element("p", &[]));
    let mut hidden = element("p", &[]);
    hidden.hidden = true;
    draft.add(1, home, hidden);
    assert_eq!(draft.body_of(1, &Facts::default()), "<body><p></p></body>");
    let Some(Outcome::Done(canvas)) =
        draft
            .site
            .render(body(1), Purpose::Canvas, &Facts::default())
    else {
        panic!("it is done")
    };
    assert!(
        canvas.html.contains(&format!(
            "<body data-sw-node=\"{home}\"><p data-sw-node=\"{shown}\"></p></body>"
        )),
        "{}",
        canvas.html
    );
}
