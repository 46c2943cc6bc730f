//! The corpus of `tests/vectors`: HTML that has been used, or could be, to get code past a filter. Whichever way it comes into a
//! site, a browser that runs scripts finds none in the page.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic in a test is a failed test"
)]

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use sitewright_markup::css::{CssLimits, Origin, parse_css};
use sitewright_markup::html::{
    HtmlError, HtmlLimits, HtmlMode, find_code, import_html, rendered_page_limits,
};
use sitewright_site::{
    BodyId, ChangeId, Entity, Facts, Forest, Mint, NewEntity, Node, NodeId, Op, Outcome, Page,
    PageName, Place, Purpose, Site, Subtree, SubtreeNode, import_page,
};

use sitewright_testkit::packages::Package;
use sitewright_testkit::{Missing, unless_missing};

use crate::html_tree::code_in;

/// How many the corpus must have.
const VECTORS_MIN: usize = 300;

#[derive(Deserialize)]
struct Class {
    /// What the tricks of the class have in common.
    about: String,
    vectors: Vec<String>,
}

/// The vectors by class.
fn classes() -> Vec<(String, Class)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).unwrap())
    };
    files.iter().map(read).collect()
}

fn vectors() -> Vec<String> {
    let classes = classes().into_iter();
    classes.flat_map(|(_, class)| class.vectors).collect()
}

#[test]
fn the_corpus_is_large_and_repeats_nothing() {
    let all = vectors();
    let different: BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    assert!(all.len() >= VECTORS_MIN, "{}", all.len());
    for (name, class) in classes() {
        assert!(
            !class.about.is_empty() && class.vectors.len() >= 20,
            "{name}"
        );
    }
}

const PAGE: u64 = 1;

/// A page whose body holds these nodes.
fn site_with(content: Forest) -> Site {
    let mut site = Site::default();
    let body = json!({ "element": { "tag": "body" } });
    let root = SubtreeNode {
        id: NodeId::from(100),
        parent: None,
        node: Node::new(serde_json::from_value(body).unwrap()),
    };
    let nodes = (101..).zip(content.0).map(|(id, planted)| SubtreeNode {
        id: NodeId::from(id),
        parent: Some(planted.parent.map_or(0, |parent| parent + 1)),
        node: planted.node,
    });
    let new = NewEntity::Page {
        id: BodyId::from(PAGE),
        page: Box::new(Page::new("Home", "index")),
        tree: Subtree::new([root].into_iter().chain(nodes).collect()).unwrap(),
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
    site
}

fn put(site: &mut Site, entity: Entity, field: &str, value: Value) {
    let put = Op::Put {
        entity,
        field: field.to_owned(),
        value,
    };
    // An op that is refused brings nothing.
    drop(site.apply(&put, 2));
}

fn put_title(site: &mut Site, title: &str) {
    let id = BodyId::from(PAGE);
    put(site, Entity::Page { id }, "title", json!(title));
}

/// A browser finds no code on the page, by html5ever's own tree and by the check that publishing makes.
fn runs_nothing(site: &Site, page: BodyId, vector: &str) {
    let html = match site.render(page, Purpose::Publish, &Facts::default()) {
        Some(Outcome::Done(rendered)) => rendered.html,
        // A loop without rows.
        Some(Outcome::Needs(_)) => return,
        None => panic!("there is no page"),
    };
    assert_eq!(code_in(&html), Vec::<String>::new(), "{vector}\n{html}");
    let found = find_code(&html, &rendered_page_limits()).unwrap();
    assert_eq!(found, [], "{vector}\n{html}");
}

#[test]
fn an_imported_fragment_runs_nothing() {
    for vector in vectors() {
        for tag in [
            "body",
            "div",
            "svg title",
            "math mtext",
            "noscript",
            "td",
            "select",
        ] {
            let mode = crate::html_tree::context(tag);
            let Ok(imported) = import_html(&vector, &mode, &HtmlLimits::default()) else {
                continue;
            };
            let mut site = site_with(imported.content);
            runs_nothing(&site, BodyId::from(PAGE), &vector);
            // What is bound is filled with another attack.
            put_title(
                &mut site,
                "</noscript></style></xmp><img src=x onerror=alert(1)>",
            );
            runs_nothing(&site, BodyId::from(PAGE), &vector);
        }
    }
}

#[test]
fn an_imported_page_runs_nothing() {
    for vector in vectors() {
        for html in [
            vector.clone(),
            format!("<!doctype html><head>{vector}</head>"),
        ] {
            let imported = match import_html(&html, &HtmlMode::Document, &HtmlLimits::default()) {
                Ok(imported) => imported,
                Err(HtmlError::Frameset | HtmlError::Unspeakable) => continue,
                Err(error) => panic!("{vector}: {error}"),
            };
            let mut mint = Mint::new(ChangeId::from("c".to_owned()));
            let name = PageName::default();
            let mut none = |_: &str| None;
            let page = import_page(&Site::default(), imported, name, &mut none, &mut mint).unwrap();
            let mut site = Site::default();
            site.apply_all(&page.ops, 1);
            let pages: Vec<BodyId> = site.shell.pages.iter().map(|(id, _)| id).collect();
            for page in pages {
                runs_nothing(&site, page, &vector);
            }
        }
    }
}

/// Elements in which a text, a comment or a value is read in different ways.
const PLACES: &str = "<div>{page.title}</div><p title='{page.title}' id='{site.name}'>x</p><noscript><xmp>{page.title}</xmp>\
    <p>{page.title}</p></noscript><noembed>{page.title}</noembed><iframe src='{page.title}'>{page.title}</iframe>\
    <textarea>{page.title}</textarea><svg><style>{page.title}</style><title>{page.title}</title><a href='{page.title}'>x</a>\
    <set attributeName=href to='{page.title}' /></svg><math><mtext>{page.title}</mtext><annotation-xml encoding='{page.title}'>\
    <svg><desc>{page.title}</desc></svg></annotation-xml></math><a href='{page.title}'>x</a><form action='{page.title}'></form>\
    <img src='{page.title}' srcset='{page.title} 2x'><meta http-equiv=refresh content='0;url={page.title}'>\
    <meta http-equiv='{page.title}' content='0;url=javascript:alert(1)'><template>{page.title}</template>";

/// H3, row 5: a title or a name is an attack, and everything that is bound shows it.
#[test]
fn h3_a_value_that_is_bound_runs_nothing() {
    let imported = import_html(PLACES, &HtmlMode::body(), &HtmlLimits::default()).unwrap();
    let mut site = site_with(imported.content);
    for vector in vectors() {
        put_title(&mut site, &vector);
        put(&mut site, Entity::Site, "name", json!(vector));
        runs_nothing(&site, BodyId::from(PAGE), &vector);
    }
}

/// Ops that no import makes: the attack as text, comment, attribute, class, style, tag, and in the settings of the page.
#[test]
fn h3_ops_with_a_vector_anywhere_run_nothing() {
    let imported = import_html(PLACES, &HtmlMode::body(), &HtmlLimits::default()).unwrap();
    let start = site_with(imported.content);
    let nodes: Vec<NodeId> = {
        let tree = &start.bodies[&BodyId::from(PAGE)];
        tree.walk(tree.root()).collect()
    };
    let body = BodyId::from(PAGE);
    for (turn, vector) in vectors().into_iter().enumerate() {
        let mut site = start.clone();
        let comment = json!({ "comment": vector });
        // Every third node: each vector changes many, and each node is changed by many vectors.
        for (number, node) in nodes.iter().enumerate().skip(turn % 3).step_by(3) {
            let new = NewEntity::Nodes {
                body,
                nodes: Subtree::new(vec![SubtreeNode {
                    id: NodeId::from(1000 + number as u64),
                    parent: None,
                    node: Node::new(serde_json::from_value(comment.clone()).unwrap()),
                }])
                .unwrap(),
                place: Place {
                    parent: *node,
                    after: None,
                },
            };
            drop(site.apply(&Op::Insert { new: Box::new(new) }, 2));
            let fields = [
                "text",
                "classes",
                "style",
                "attrs.title",
                "attrs.href",
                "attrs.src",
                "tag",
            ];
            for field in fields {
                let entity = Entity::Node { body, node: *node };
                put(&mut site, entity, field, json!(vector));
            }
        }
        let strays = json!([{ "place": "beforeHtml", "node": { "kind": comment } }]);
        let page = Entity::Page { id: body };
        for (field, value) in [
            ("settings.strays", strays),
            ("settings.doctype", json!(format!("<!doctype {vector}>"))),
            ("settings.canonical", json!(vector)),
            ("settings.description", json!(vector)),
            (
                "settings.htmlAttrs",
                json!([{ "name": "lang", "value": vector }]),
            ),
            ("locale", json!(vector)),
        ] {
            put(&mut site, page, field, value);
        }
        put(&mut site, Entity::Site, "favicon", json!(vector));
        runs_nothing(&site, body, &vector);
    }
}

/// A rule of a stylesheet cannot leave the style element.
#[test]
fn a_stylesheet_with_a_vector_runs_nothing() {
    for vector in vectors() {
        let mut site = site_with(Forest::default());
        let css = format!("a{{content:\"x\"}} {vector} b::after{{content:'{vector}'}}");
        let pieces = parse_css(&css, Origin::Author, &CssLimits::default())
            .unwrap()
            .pieces;
        let pieces: Vec<Value> = (1u64..)
            .zip(pieces)
            .map(|(id, piece)| json!([sitewright_site::ItemId::from(id), piece]))
            .collect();
        let sheet = json!({"op": "insert", "new": {"type": "item", "id": sitewright_site::ItemId::from(9),
            "item": {"type": "sheet", "name": vector}, "pieces": pieces}});
        let file = json!({"op": "insert", "new": {"type": "item", "id": sitewright_site::ItemId::from(10),
            "item": {"type": "file", "path": "a.css", "code": {"type": "style"}, "content": css}}});
        for op in [sheet, file] {
            let op: Op = serde_json::from_value(op).unwrap();
            drop(site.apply(&op, 2));
        }
        runs_nothing(&site, BodyId::from(PAGE), &vector);
    }
}

/// The inputs that the tests of other sanitisers have: their data files, and the strings with tags in their test programs.
fn vectors_of_packages() -> Result<Vec<String>, Missing> {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vector_packages.json");
    let mut found = BTreeSet::new();
    for package in Package::locked(Path::new(lock)) {
        let mut folders = vec![package.locate()?.join("tests")];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                match path.extension().and_then(|extension| extension.to_str()) {
                    Some("test") => drop(found.insert(text)),
                    Some("py") => {
                        let written = strings_with_tags(&text);
                        found.extend(written.iter().map(|text| unescaped(text)));
                        found.extend(written);
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// The strings of a Python program that contain a tag, as they are written.
fn strings_with_tags(program: &str) -> Vec<String> {
    let mut strings = Vec::new();
    for line in program.lines() {
        for quote in ['"', '\''] {
            let parts = line.split(quote).skip(1).step_by(2);
            strings.extend(parts.filter(|part| part.contains('<')).map(str::to_owned));
        }
    }
    strings
}

/// A text of a program with what its escapes stand for.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = match after.chars().next() {
            Some('x') => 2,
            Some('u') => 4,
            _ => 0,
        };
        let code = after.get(1..=digits).filter(|code| !code.is_empty());
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        let (char, length) = match (code.and_then(char::from_u32), after.chars().next()) {
            (Some(char), _) => (char, 1 + digits),
            (None, Some('n')) => ('\n', 1),
            (None, Some('t')) => ('\t', 1),
            (None, _) => ('\\', 0),
        };
        out.push(char);
        rest = &after[length..];
    }
    out + rest
}

#[test]
fn the_vectors_of_other_sanitisers_run_nothing() {
    let Some(vectors) = unless_missing(vectors_of_packages()) else {
        return;
    };
    assert!(vectors.len() > 1_500, "{}", vectors.len());
    let places = import_html(PLACES, &HtmlMode::body(), &HtmlLimits::default()).unwrap();
    let mut bound = site_with(places.content);
    for vector in vectors {
        if let Ok(imported) = import_html(&vector, &HtmlMode::body(), &HtmlLimits::default()) {
            let site = site_with(imported.content);
            runs_nothing(&site, BodyId::from(PAGE), &vector);
        }
        put_title(&mut bound, &vector);
        runs_nothing(&bound, BodyId::from(PAGE), &vector);
    }
}
