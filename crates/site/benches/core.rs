//! What ops and rendering cost: an op on a large page against one on a small page, and a rendering against a plain loop that
//! writes the same tags and escaped texts. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use sitewright_markup::css::{CssLimits, Origin, parse_css};
use sitewright_site::{
    BodyId, Element, Entity, Facts, Item, ItemId, Kind, Lock, Namespace, NewEntity, Node, NodeId,
    Op, Outcome, Page, Place, Purpose, Sheet, Site, Subtree, SubtreeNode, Target,
};

const SMALL: usize = 500;
const LARGE: usize = 50_000;
const OPS: usize = 20_000;
const RENDERINGS: usize = 40;
const RULES: usize = 3_000;

fn main() {
    let (mut small, mut large) = (page(SMALL), page(LARGE));
    render(&large, &format!("rendering {LARGE} nodes"));
    style(&mut large);
    render(
        &large,
        &format!("rendering {LARGE} nodes and the used of {RULES} rules"),
    );
    for (measure, op) in [
        ("a field of a node", put as fn(usize, usize) -> Op),
        ("moving a node", place),
    ] {
        let (mut on_small, mut on_large) = (Vec::new(), Vec::new());
        for round in 0..OPS {
            on_small.push(timed(|| {
                drop(small.apply(&op(round, SMALL), 2).expect("an op"))
            }));
            on_large.push(timed(|| {
                drop(large.apply(&op(round, LARGE), 2).expect("an op"))
            }));
        }
        print(
            &format!("{measure}, {LARGE} nodes against {SMALL}"),
            on_large,
            on_small,
        );
    }
    render(&large, &format!("the same rendering after {OPS} moves"));
}

fn render(site: &Site, measure: &str) {
    let (mut rendered, mut written) = (Vec::new(), Vec::new());
    for _ in 0..RENDERINGS {
        rendered.push(timed(|| {
            let outcome = site.render(body(), Purpose::Publish, &Facts::default());
            assert!(matches!(outcome, Some(Outcome::Done(_))));
        }));
        written.push(timed(|| drop(plain_loop(LARGE))));
    }
    print(
        &format!("{measure}, against a loop of write!"),
        rendered,
        written,
    );
}

/// A stylesheet of a size that frameworks have: of five rules, one is used.
fn style(site: &mut Site) {
    let rule = |number: usize| match number % 5 {
        0 => format!(".card:nth-child({number}n) {{ color: red }}"),
        1 => format!(".unused-{number} {{ color: red }}"),
        2 => format!(".card .inner-{number}:hover > a {{ color: red }}"),
        3 => format!("article.type-{number}, .other-{number} p {{ color: red }}"),
        _ => format!("@media (min-width: 600px) {{ .wide-{number} {{ color: red }} }}"),
    };
    let css: String = (0..RULES).map(rule).collect();
    let parsed = parse_css(&css, Origin::Author, &CssLimits::default()).expect("CSS");
    let sheet = Sheet {
        name: "bench".to_owned(),
        target: Target::Site,
        lock: Lock::Open,
    };
    let new = NewEntity::Item {
        id: ItemId::from(1),
        item: Box::new(Item::Sheet(sheet)),
        pieces: (2..).map(ItemId::from).zip(parsed.pieces).collect(),
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 1)
        .expect("a stylesheet");
}

fn body() -> BodyId {
    BodyId::from(1)
}

fn node(number: usize) -> NodeId {
    NodeId::from(number as u64 + 10)
}

/// A body with paragraphs of one text each; half of the nodes are texts.
fn page(nodes: usize) -> Site {
    let element = |tag: &str| {
        let mut node = Node::new(Kind::Element(Element {
            tag: tag.into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        }));
        node.classes = Some("card".to_owned());
        node
    };
    let mut grown = vec![SubtreeNode {
        id: node(0),
        parent: None,
        node: element("body"),
    }];
    for number in (1..nodes).step_by(2) {
        let parent = u32::try_from(grown.len()).expect("few enough");
        grown.push(SubtreeNode {
            id: node(number),
            parent: Some(0),
            node: element("p"),
        });
        let text = Node::new(Kind::Text(TEXT.to_owned()));
        grown.push(SubtreeNode {
            id: node(number + 1),
            parent: Some(parent),
            node: text,
        });
    }
    let tree = Subtree::new(grown).expect("a tree");
    let mut site = Site::default();
    let new = NewEntity::Page {
        id: body(),
        page: Box::new(Page::new("Bench", "bench")),
        tree,
        after: None,
    };
    site.apply(&Op::Insert { new: Box::new(new) }, 1)
        .expect("a page");
    site
}

const TEXT: &str = "Some text & a little more of it, <as> people write.";

fn put(round: usize, nodes: usize) -> Op {
    let entity = Entity::Node {
        body: body(),
        node: paragraph(round * 7, nodes),
    };
    Op::Put {
        entity,
        field: "label".to_owned(),
        value: json!(round.to_string()),
    }
}

fn place(round: usize, nodes: usize) -> Op {
    let (moved, after) = (
        paragraph(round * 7, nodes),
        paragraph(round * 13 + 1, nodes),
    );
    Op::Place {
        body: body(),
        node: moved,
        place: Place {
            parent: node(0),
            after: Some(after),
        },
    }
}

fn paragraph(number: usize, nodes: usize) -> NodeId {
    let count = (nodes - 1) / 2;
    node(1 + 2 * (number % count))
}

fn plain_loop(nodes: usize) -> String {
    let mut out = String::new();
    for _ in (1..nodes).step_by(2) {
        write!(out, "<p class=\"{}\">", escaped("card")).expect("a string takes all");
        write!(out, "{}</p>", escaped(TEXT)).expect("a string takes all");
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn print(measure: &str, product: Vec<Duration>, baseline: Vec<Duration>) {
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6
    };
    let (product, baseline) = (median(product), median(baseline));
    let ratio = product / baseline;
    let line = json!({
        "measure": measure, "product": format!("{product:.2} µs"), "baseline": format!("{baseline:.2} µs"), "ratio": ratio,
        "target": { "text": format!("at most twice, found {ratio:.2}"), "met": ratio <= 2.0 },
    });
    println!("{line}");
}
