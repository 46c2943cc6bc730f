//! Ops that import would never make.

use serde_json::{Value, json};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};

use crate::{
    BodyId, Element, Entity, Kind, Namespace, NewEntity, Node, NodeId, Op, OpError, Page, Place,
    Purpose, Site, SlugProblem, Subtree, SubtreeNode,
};

const PAGE: u64 = 1;

fn element(namespace: Namespace, tag: &str) -> Kind {
    Kind::Element(Element {
        tag: tag.into(),
        namespace,
        attrs: Vec::new(),
    })
}

fn html(tag: &str) -> Kind {
    element(Namespace::Html, tag)
}

fn svg(tag: &str) -> Kind {
    element(Namespace::Svg, tag)
}

fn text(text: &str) -> Kind {
    Kind::Text(text.to_owned())
}

/// A page whose body contains these nodes, each inside the previous one; the body is node 100, the others are 101 and up.
fn nested(kinds: &[Kind]) -> (Site, Result<(), OpError>) {
    let mut site = Site::default();
    let root = SubtreeNode {
        id: NodeId::from(100),
        parent: None,
        node: Node::new(html("body")),
    };
    let insert = Op::Insert {
        new: Box::new(NewEntity::Page {
            id: BodyId::from(PAGE),
            page: Box::new(Page::new("Home", "index")),
            tree: Subtree::new(vec![root]).unwrap(),
            after: None,
        }),
    };
    site.apply(&insert, 1).unwrap();
    let nodes: Vec<SubtreeNode> = (0u32..)
        .zip(kinds)
        .map(|(at, kind)| SubtreeNode {
            id: NodeId::from(101 + u64::from(at)),
            parent: at.checked_sub(1),
            node: Node::new(kind.clone()),
        })
        .collect();
    let place = Place {
        parent: NodeId::from(100),
        after: None,
    };
    let new = NewEntity::Nodes {
        body: BodyId::from(PAGE),
        nodes: Subtree::new(nodes).unwrap(),
        place,
    };
    let done = site.apply(&Op::Insert { new: Box::new(new) }, 2);
    (site, done.map(drop))
}

fn refused(kinds: &[Kind]) -> bool {
    matches!(nested(kinds).1, Err(OpError::Violation(_)))
}

fn put(site: &mut Site, node: u64, field: &str, value: Value) -> Result<(), OpError> {
    let entity = Entity::Node {
        body: BodyId::from(PAGE),
        node: NodeId::from(node),
    };
    let field = field.to_owned();
    site.apply(
        &Op::Put {
            entity,
            field,
            value,
        },
        3,
    )
    .map(drop)
}

const ATTACK: &str = "<img src=x onerror=alert(1)>";

#[test]
fn no_step_brings_what_import_takes_out() {
    assert!(refused(&[html("script"), text("alert(1)")]));
    assert!(refused(&[svg("svg"), svg("script")]));
    assert!(refused(&[html("object")]));
    assert!(refused(&[html("a b")]));
    for (name, value) in [
        ("onclick", "x"),
        ("href", "javascript:x"),
        ("srcdoc", "x"),
        ("class", "x"),
        ("a b", "x"),
    ] {
        let (mut site, _) = nested(&[html("a")]);
        let done = put(&mut site, 101, &format!("attrs.{name}"), json!(value));
        assert!(matches!(done, Err(OpError::Violation(_))), "{name}");
    }
    let (mut site, _) = nested(&[html("a")]);
    assert!(put(&mut site, 101, "tag", json!("script")).is_err());
    assert!(put(&mut site, 101, "attrs.href", json!("/about")).is_ok());
    assert!(put(&mut site, 101, "attrs.href", Value::Null).is_ok());
}

#[test]
fn what_one_attribute_makes_of_another_counts() {
    let (mut site, _) = nested(&[html("meta")]);
    put(
        &mut site,
        101,
        "attrs.content",
        json!("0;url=javascript:alert(1)"),
    )
    .unwrap();
    let done = put(&mut site, 101, "attrs.http-equiv", json!("refresh"));
    assert!(matches!(done, Err(OpError::Violation(_))));
}

#[test]
fn text_never_becomes_markup() {
    for raw in ["style", "xmp", "iframe", "noembed", "noframes"] {
        assert!(refused(&[html(raw), text(ATTACK)]), "{raw}");
        assert!(!refused(&[html(raw), text("a > b")]), "{raw}");
        assert!(refused(&[html(raw), html("p")]), "{raw}");
        assert!(
            refused(&[html(raw), Kind::Comment("x".to_owned())]),
            "{raw}"
        );
    }
    for rich in ["title", "textarea"] {
        assert!(!refused(&[html(rich), text(ATTACK)]), "{rich}");
        assert!(refused(&[
            html(rich),
            Kind::Comment(format!("</{rich}>{ATTACK}"))
        ]));
        assert!(refused(&[html(rich), html("p")]), "{rich}");
    }
    assert!(refused(&[html("br"), text("x")]));
    // Renaming the tag afterwards does not get around the check.
    let (mut site, _) = nested(&[html("b"), text(ATTACK)]);
    assert!(put(&mut site, 101, "tag", json!("style")).is_err());
    let (mut site, _) = nested(&[html("style"), text("x")]);
    assert!(put(&mut site, 102, "text", json!(ATTACK)).is_err());
}

#[test]
fn languages_stand_where_they_are_spoken() {
    let math = |tag: &str| element(Namespace::MathMl, tag);
    assert!(!refused(&[html("p"), svg("svg"), svg("g"), svg("rect")]));
    assert!(!refused(&[svg("svg"), svg("foreignObject"), html("div")]));
    assert!(!refused(&[math("math"), math("mi"), html("b")]));
    assert!(refused(&[html("p"), svg("rect")]));
    assert!(refused(&[svg("svg"), html("style"), text("x")]));
    assert!(refused(&[svg("svg"), svg("p")]));
    assert!(refused(&[svg("svg"), math("math")]));
    assert!(refused(&[svg("svg"), Kind::Outlet]));
    assert!(refused(&[html("p"), math("mi")]));
    let (mut site, _) = nested(&[svg("svg"), svg("rect")]);
    let out = Op::Place {
        body: BodyId::from(PAGE),
        node: NodeId::from(102),
        place: Place {
            parent: NodeId::from(100),
            after: None,
        },
    };
    assert!(matches!(site.apply(&out, 3), Err(OpError::Violation(_))));
}

#[test]
fn what_stands_around_a_page_is_looked_at_too() {
    let (mut site, _) = nested(&[html("main")]);
    let mut put = |field: &str, value: Value| {
        let entity = Entity::Page {
            id: BodyId::from(PAGE),
        };
        let field = field.to_owned();
        site.apply(
            &Op::Put {
                entity,
                field,
                value,
            },
            3,
        )
        .map(drop)
    };
    assert!(
        put(
            "settings.doctype",
            json!(format!("<!doctype html>{ATTACK}>"))
        )
        .is_err()
    );
    assert!(
        put(
            "settings.doctype",
            json!("<!DOCTYPE html SYSTEM \"about:legacy-compat\">")
        )
        .is_ok()
    );
    assert!(put("settings.doctype", json!("")).is_ok());
    let script = json!([{ "node": { "kind": { "element": { "tag": "script" } } } }]);
    assert!(put("settings.head", script).is_err());
    let frame = json!([{ "node": { "kind": { "element": { "tag": "iframe" } } } }]);
    assert!(put("settings.head", frame).is_err());
    let handler = json!([{ "name": "onload", "value": "x" }]);
    assert!(put("settings.htmlAttrs", handler.clone()).is_err());
    assert!(put("settings.headAttrs", handler).is_err());
    let class = json!([{ "name": "class", "value": "dark" }]);
    assert!(put("settings.htmlAttrs", class).is_ok());
    assert!(
        put(
            "settings",
            json!({ "htmlAttrs": [{ "name": "onload", "value": "x" }] })
        )
        .is_err()
    );
    assert!(
        put(
            "settings.htmlAttrs",
            json!([{ "name": "dir", "value": "rtl" }])
        )
        .is_ok()
    );
}

#[test]
fn pages_are_found_at_addresses_that_can_be() {
    let (mut site, _) = nested(&[html("main")]);
    let mut second = |slug: &str, parent: Option<u64>| {
        let root = SubtreeNode {
            id: NodeId::from(300),
            parent: None,
            node: Node::new(html("body")),
        };
        let page = Page {
            parent_id: parent.map(BodyId::from),
            ..Page::new("Second", slug)
        };
        let new = NewEntity::Page {
            id: BodyId::from(2),
            page: Box::new(page),
            tree: Subtree::new(vec![root]).unwrap(),
            after: None,
        };
        site.apply(&Op::Insert { new: Box::new(new) }, 3).map(drop)
    };
    for (slug, parent) in [("a/b", None), ("", None), ("..", None), ("a", Some(2))] {
        assert!(
            matches!(second(slug, parent), Err(OpError::Violation(_))),
            "{slug}"
        );
    }
    assert_eq!(second("admin", Some(1)), Ok(()));
    let put = |field: &str, value: Value, page: u64| Op::Put {
        entity: Entity::Page {
            id: BodyId::from(page),
        },
        field: field.to_owned(),
        value,
    };
    let circle = put("parentId", json!(BodyId::from(2)), 1);
    assert!(matches!(site.apply(&circle, 4), Err(OpError::Violation(_))));
    assert!(site.apply(&put("slug", json!("te am"), 2), 4).is_err());
    // Whether a slug is allowed at its position is checked for the change as a whole.
    let problem = |site: &Site| site.shell.pages.get(BodyId::from(2)).unwrap().check_slug();
    assert_eq!(problem(&site), Ok(()));
    site.apply(&put("parentId", Value::Null, 2), 4).unwrap();
    assert!(matches!(problem(&site), Err(SlugProblem::Reserved { .. })));
}

#[test]
fn pages_lie_under_each_other_to_a_depth() {
    let (mut site, _) = nested(&[html("main")]);
    let mut under = |id: u64, parent: u64| {
        let root = SubtreeNode {
            id: NodeId::from(300),
            parent: None,
            node: Node::new(html("body")),
        };
        let page = Page {
            parent_id: Some(BodyId::from(parent)),
            ..Page::new("Page", "page")
        };
        let new = NewEntity::Page {
            id: BodyId::from(id),
            page: Box::new(page),
            tree: Subtree::new(vec![root]).unwrap(),
            after: None,
        };
        site.apply(&Op::Insert { new: Box::new(new) }, 3).map(drop)
    };
    for id in 2..=33 {
        assert_eq!(under(id, id - 1), Ok(()), "{id}");
    }
    let refused = under(34, 33).unwrap_err().to_string();
    assert!(
        refused.ends_with("a page lies under at most 32 others"),
        "{refused}"
    );
    assert_eq!(under(34, 32), Ok(()));
}

/// Everything that import produces can be inserted into a site.
#[test]
fn what_import_makes_is_lawful() {
    let source = "<svg><title>a<b>c</b></title><style>a&lt;b{}</style><foreignObject><p>x</foreignObject></svg>\
        <math><mi>x</mi><annotation-xml><svg></svg></annotation-xml></math><noscript><p>x</p></noscript>\
        <iframe src='https://example.com'>x</iframe><textarea><b></textarea><select><option>x</select><table><tr><td>y</table>";
    let imported = import_html(source, &HtmlMode::body(), &HtmlLimits::default()).unwrap();
    let kinds: Vec<Kind> = imported
        .content
        .0
        .iter()
        .map(|planted| planted.node.kind.clone())
        .collect();
    assert!(kinds.len() > 20);
    let (mut site, _) = nested(&[html("main")]);
    let mut nodes = vec![SubtreeNode {
        id: NodeId::from(199),
        parent: None,
        node: Node::new(html("div")),
    }];
    for (at, planted) in (0u64..).zip(&imported.content.0) {
        nodes.push(SubtreeNode {
            id: NodeId::from(200 + at),
            parent: Some(planted.parent.map_or(0, |parent| parent + 1)),
            node: planted.node.clone(),
        });
    }
    let new = NewEntity::Nodes {
        body: BodyId::from(PAGE),
        nodes: Subtree::new(nodes).unwrap(),
        place: Place {
            parent: NodeId::from(100),
            after: None,
        },
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 2).unwrap();
    assert!(
        site.render(
            BodyId::from(PAGE),
            Purpose::Publish,
            &crate::Facts::default()
        )
        .is_some()
    );
}

#[test]
fn an_attribute_is_written_under_the_name_that_was_judged() {
    let (mut site, _) = nested(&[html("a")]);
    put(&mut site, 101, "attrs.attrs.onclick", json!("x")).unwrap();
    let tree = &site.bodies[&BodyId::from(PAGE)];
    let Some(Kind::Element(link)) = tree.node(NodeId::from(101)).map(|node| &node.kind) else {
        panic!("the link is gone");
    };
    let names: Vec<&str> = link.attrs.iter().map(|attr| attr.name.as_str()).collect();
    assert_eq!(names, ["attrs.onclick"]);
}

#[test]
fn an_attribute_is_given_once() {
    let attr = |value: &str| crate::Attr::new("href", value);
    let link = Kind::Element(Element {
        tag: "a".into(),
        namespace: Namespace::Html,
        attrs: vec![attr("/a"), attr("/b")],
    });
    assert!(refused(&[link]));
    let capital = crate::Attr::new("HREF", "/b");
    let link = Kind::Element(Element {
        tag: "a".into(),
        namespace: Namespace::Html,
        attrs: vec![attr("/a"), capital],
    });
    assert!(refused(&[link]));
}

#[path = "tests/code.rs"]
mod code;
