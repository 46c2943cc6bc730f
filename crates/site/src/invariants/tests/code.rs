//! H3, L5 and L12: the ways around the rules that an audit found, each as ops and as the page that visitors would get.

use serde_json::json;
use sitewright_markup::html::{HtmlLimits, find_code};

use super::{ATTACK, PAGE, element, html, nested, put, refused, svg, text};
use crate::{
    Attr, BodyId, Component, ComponentUse, Element, Entity, Facts, Kind, Loop, Namespace,
    NewEntity, Node, NodeId, Op, OpError, Outcome, Place, Purpose, Site, Subtree, SubtreeNode,
};

fn math(tag: &str) -> Kind {
    element(Namespace::MathMl, tag)
}

fn comment(text: &str) -> Kind {
    Kind::Comment(text.to_owned())
}

fn with_attrs(kind: Kind, attrs: &[(&str, &str)]) -> Kind {
    match kind {
        Kind::Element(element) => Kind::Element(Element {
            attrs: attrs
                .iter()
                .map(|(name, value)| Attr::new(*name, *value))
                .collect(),
            ..element
        }),
        other => other,
    }
}

fn put_page(site: &mut Site, field: &str, value: serde_json::Value) {
    let entity = Entity::Page {
        id: BodyId::from(PAGE),
    };
    let field = field.to_owned();
    let put = Op::Put {
        entity,
        field,
        value,
    };
    site.apply(&put, 3).unwrap();
}

/// The page as visitors get it.
fn rendered(site: &Site) -> String {
    let page = site.render(BodyId::from(PAGE), Purpose::Publish, &Facts::default());
    match page {
        Some(Outcome::Done(rendered)) => rendered.html,
        other => panic!("{other:?}"),
    }
}

/// The page runs nothing in a browser.
fn runs_nothing(site: &Site) {
    let html = rendered(site);
    let found = find_code(&html, &HtmlLimits::default()).unwrap();
    assert!(found.is_empty(), "{found:?} in {html}");
}

fn violates(done: Result<(), OpError>) -> bool {
    matches!(done, Err(OpError::Violation(_)))
}

/// H3, row 1.
#[test]
fn h3_1_a_tag_in_capitals_is_refused() {
    let attack = |tag: &str| comment(&format!("</{tag}>{ATTACK}"));
    for tag in [
        "TITLE", "XMP", "TEXTAREA", "NOSCRIPT", "IFRAME", "Style", "NoEmbed", "noFrames", "image",
    ] {
        assert!(refused(&[html(tag), attack(tag)]), "{tag}");
        assert!(refused(&[html("div"), html(tag)]), "{tag}");
        let (mut site, _) = nested(&[html("div"), attack(tag)]);
        assert!(violates(put(&mut site, 101, "tag", json!(tag))), "{tag}");
    }
    for tag in [
        "FOREIGNOBJECT",
        "foreignobject",
        "Title",
        "DESC",
        "lineargradient",
    ] {
        assert!(refused(&[svg("svg"), svg(tag)]), "{tag}");
    }
    assert!(refused(&[math("math"), math("MTEXT")]));
    assert!(!refused(&[svg("svg"), svg("linearGradient"), svg("stop")]));
}

/// H3, row 2.
#[test]
fn h3_2_a_comment_is_harmless_whatever_its_ancestors_become() {
    let attack = comment(&format!(" </noscript>{ATTACK} "));
    let (mut site, done) = nested(&[html("div"), html("p"), attack]);
    done.unwrap();
    put(&mut site, 101, "tag", json!("noscript")).unwrap();
    runs_nothing(&site);
    assert!(rendered(&site).contains("&lt;/noscript>&lt;img src=x"));
    // Text of its own is no way either.
    let (mut site, done) = nested(&[
        html("div"),
        html("p"),
        text(&format!("</noscript>{ATTACK}")),
    ]);
    done.unwrap();
    put(&mut site, 101, "tag", json!("noscript")).unwrap();
    runs_nothing(&site);
}

/// H3, row 3.
#[test]
fn h3_3_an_attribute_that_changes_the_language_checks_what_is_inside() {
    let encoded = |value: &str| with_attrs(math("annotation-xml"), &[("encoding", value)]);
    let inside = [
        math("math"),
        math("annotation-xml"),
        math("title"),
        comment(&format!("</title>{ATTACK}")),
    ];
    let (mut site, done) = nested(&inside);
    done.unwrap();
    assert!(violates(put(
        &mut site,
        102,
        "attrs.encoding",
        json!("text/html")
    )));
    runs_nothing(&site);
    // The other way round: taking the attribute away leaves HTML where none is read.
    let (mut site, done) = nested(&[math("math"), encoded("Text/HTML"), html("p")]);
    done.unwrap();
    assert!(violates(put(
        &mut site,
        102,
        "attrs.encoding",
        serde_json::Value::Null
    )));
    assert!(violates(put(&mut site, 102, "attrs.encoding", json!("x"))));
    assert!(
        put(
            &mut site,
            102,
            "attrs.encoding",
            json!("application/xhtml+xml")
        )
        .is_ok()
    );
    // An attribute that another one made harmless cannot lose it.
    let icon = with_attrs(
        html("link"),
        &[("rel", "icon"), ("href", "data:image/png;base64,AA")],
    );
    let (mut site, done) = nested(&[icon]);
    done.unwrap();
    assert!(violates(put(
        &mut site,
        101,
        "attrs.rel",
        serde_json::Value::Null
    )));
}

fn grown(id: u64, parent: Option<u32>, kind: Kind) -> SubtreeNode {
    SubtreeNode {
        id: NodeId::from(id),
        parent,
        node: Node::new(kind),
    }
}

/// Puts a component with these nodes, each inside the previous one, into the site and returns a use of it.
fn component(site: &mut Site, kinds: &[Kind]) -> Kind {
    let root = grown(500, None, html("div"));
    let inner = (0u32..).zip(kinds);
    let inner = inner.map(|(at, kind)| grown(501 + u64::from(at), Some(at), kind.clone()));
    let component: Component = serde_json::from_value(json!({ "name": "C" })).unwrap();
    let new = NewEntity::Component {
        id: BodyId::from(7),
        component: Box::new(component),
        tree: Subtree::new([root].into_iter().chain(inner).collect()).unwrap(),
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 3).unwrap();
    Kind::Component(Box::new(ComponentUse {
        id: BodyId::from(7).to_string(),
        props: std::collections::BTreeMap::new(),
    }))
}

fn insert(site: &mut Site, parent: u64, nodes: Vec<SubtreeNode>) -> Result<(), OpError> {
    let new = NewEntity::Nodes {
        body: BodyId::from(PAGE),
        nodes: Subtree::new(nodes).unwrap(),
        place: Place {
            parent: NodeId::from(parent),
            after: None,
        },
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 4).map(drop)
}

/// H3, row 4.
#[test]
fn h3_4_what_a_component_or_slot_brings_is_harmless_where_it_is_used() {
    let attack = comment(&format!("</noscript>{ATTACK}"));
    let (mut site, done) = nested(&[html("noscript")]);
    done.unwrap();
    let used = component(&mut site, &[html("p"), attack.clone()]);
    insert(&mut site, 101, vec![grown(200, None, used)]).unwrap();
    runs_nothing(&site);
    // A slot in `noscript`, filled from outside.
    let (mut site, done) = nested(&[html("div")]);
    done.unwrap();
    let used = component(&mut site, &[html("noscript"), html("slot")]);
    let filling = vec![
        grown(200, None, used),
        grown(201, Some(0), html("p")),
        grown(202, Some(1), attack),
    ];
    insert(&mut site, 101, filling).unwrap();
    assert!(rendered(&site).contains("<noscript><p><!--&lt;/noscript>"));
    runs_nothing(&site);
    // An element of SVG is no slot, so no HTML comes into SVG that way.
    let (mut site, done) = nested(&[html("div")]);
    done.unwrap();
    let used = component(&mut site, &[svg("svg"), svg("slot")]);
    let filling = vec![
        grown(200, None, used),
        grown(201, Some(0), html("style")),
        grown(202, Some(1), text("x")),
    ];
    insert(&mut site, 101, filling).unwrap();
    assert!(rendered(&site).contains("<svg><slot></slot></svg>"));
}

/// H3, row 5.
#[test]
fn h3_5_raw_text_is_judged_after_bindings_are_filled() {
    for tag in ["xmp", "style", "iframe", "noembed", "noframes"] {
        let (mut site, done) = nested(&[html("noscript"), html(tag), text("a {page.title} b")]);
        done.unwrap();
        put_page(&mut site, "title", json!("Plain"));
        assert!(rendered(&site).contains("a Plain b"), "{tag}");
        put_page(&mut site, "title", json!(format!("</noscript>{ATTACK}")));
        runs_nothing(&site);
        assert!(!rendered(&site).contains(" b</"), "{tag}");
    }
}

/// H3, row 6.
#[test]
fn h3_6_a_loop_takes_its_content_nowhere_else() {
    let repeated = || {
        Kind::Loop(Box::new(Loop {
            source: "props.items".to_owned(),
            table: None,
            order: None,
            direction: crate::Direction::Asc,
            limit: None,
            offset: 0,
            filter: std::collections::BTreeMap::new(),
            paged: false,
        }))
    };
    let (mut site, done) = nested(&[
        svg("svg"),
        repeated(),
        repeated(),
        svg("style"),
        text(ATTACK),
    ]);
    done.unwrap();
    let out = Op::Place {
        body: BodyId::from(PAGE),
        node: NodeId::from(102),
        place: Place {
            parent: NodeId::from(100),
            after: None,
        },
    };
    assert!(violates(site.apply(&out, 3).map(drop)));
    // Renaming the element around it is the same move.
    let (mut site, done) = nested(&[svg("svg"), svg("foreignObject"), repeated(), html("p")]);
    done.unwrap();
    assert!(violates(put(&mut site, 102, "tag", json!("g"))));
}

/// L12: an attribute is judged with all others, whatever their case and order.
#[test]
fn l12_a_refresh_is_found_in_any_spelling_and_after_filling() {
    let refresh = |kind: &str, name: &str, content: &str| {
        with_attrs(html("meta"), &[("content", content), (name, kind)])
    };
    for content in [
        "0;url=javascript:alert(1)",
        "0 url=javascript:alert(1)",
        "0;url=https://a.example",
    ] {
        for name in ["http-equiv", "HTTP-EQUIV", "Http-Equiv"] {
            assert!(
                refused(&[refresh("refresh", name, content)]),
                "{name} {content}"
            );
        }
    }
    let (mut site, done) = nested(&[refresh(
        "{page.title}",
        "HTTP-EQUIV",
        "0;url=//a.example/sign-in",
    )]);
    done.unwrap();
    put_page(&mut site, "title", json!("refresh"));
    let html = rendered(&site);
    assert!(!html.contains("a.example"), "{html}");
}

/// L5: a refresh to another page of the site is one; to another site it is code for `headCode`, which needs `site.code`.
#[test]
fn l5_a_refresh_leads_to_pages_of_the_site_alone() {
    let refresh = |content: &str| {
        with_attrs(
            html("meta"),
            &[("http-equiv", "refresh"), ("content", content)],
        )
    };
    assert!(!refused(&[refresh("5")]));
    assert!(!refused(&[refresh("0; url=/new-address")]));
    assert!(refused(&[refresh("0; url=https://sign-in.example")]));
    let (mut site, done) = nested(&[refresh("0;url=/{page.title}")]);
    done.unwrap();
    put_page(&mut site, "title", json!("/sign-in.example"));
    let html = rendered(&site);
    assert!(!html.contains("content=\"0;"), "{html}");
}
