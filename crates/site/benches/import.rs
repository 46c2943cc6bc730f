//! What import costs: against html5ever alone building the same arena without limits, judgement or nodes of ours; and how much
//! memory a site takes for each node beyond the node's own text. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

#[expect(
    dead_code,
    reason = "the arena of `markup`, of which building needs only a part"
)]
#[path = "../../markup/src/html/arena.rs"]
mod arena;
#[path = "import/bare.rs"]
mod bare;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use sitewright_markup::html::{HtmlLimits, HtmlMode, ImportedHtml, import_html};
use sitewright_site::{
    BodyId, ForestNode, Kind, NewEntity, Node, NodeId, Op, Page, Site, Subtree, SubtreeNode,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counts for the measure of memory. It costs both sides of the measure of time the same few additions.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const ROUNDS: usize = 60;
const PAGE_BYTES: usize = 300_000;
const NODES: usize = 50_000;
const SPEED_MIN: f64 = 0.4;
const NODE_BYTES_MAX: usize = 500;

fn main() {
    let html = page_of(|html| html.len() >= PAGE_BYTES);
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        product.push(timed(|| drop(import(&html))));
        baseline.push(timed(|| drop(bare::parse(&html))));
    }
    let (product, baseline) = (median(product), median(baseline));
    let speed = baseline / product;
    let line = json!({
        "measure": format!("importing a page of {} KB, against html5ever alone", html.len() / 1000),
        "product": format!("{product:.0} µs"),
        "baseline": format!("{baseline:.0} µs"),
        "ratio": product / baseline,
        "target": { "text": format!("at least {SPEED_MIN} of its speed, found {speed:.2}"), "met": speed >= SPEED_MIN },
    });
    println!("{line}");
    memory();
}

/// A site of one page is built, and all that it was built from is dropped.
fn memory() {
    let html = page_of(|html| import(html).content.0.len() >= NODES);
    let before = Region::new(ALLOCATOR);
    let (site, nodes, text) = site_of(&html);
    let change = before.change();
    let held = change.bytes_allocated - change.bytes_deallocated;
    let each = (held - text) / nodes;
    drop(site);
    let line = json!({
        "measure": format!("memory of a page of {nodes} nodes, for each node"),
        "product": format!("{each} bytes"),
        "baseline": format!("{} bytes of text", text / nodes),
        "ratio": each as f64 / (text / nodes) as f64,
        "target": { "text": format!("at most {NODE_BYTES_MAX} bytes beyond its own text"), "met": each <= NODE_BYTES_MAX },
    });
    println!("{line}");
}

fn site_of(html: &str) -> (Site, usize, usize) {
    let ImportedHtml { content, .. } = import(html);
    let body = Node::new(Kind::Element(sitewright_site::Element {
        tag: "body".into(),
        namespace: sitewright_site::Namespace::Html,
        attrs: Vec::new(),
    }));
    let mut grown = vec![SubtreeNode {
        id: NodeId::from(1),
        parent: None,
        node: body,
    }];
    let mut text = 0;
    for (number, ForestNode { parent, node }) in (2u64..).zip(content.0) {
        text += own_text(&node);
        grown.push(SubtreeNode {
            id: NodeId::from(number),
            parent: Some(parent.map_or(0, |parent| parent + 1)),
            node,
        });
    }
    let nodes = grown.len();
    let new = NewEntity::Page {
        id: BodyId::from(1),
        page: Box::new(Page::new("Bench", "bench")),
        tree: Subtree::new(grown).expect("a tree"),
        after: None,
    };
    let mut site = Site::default();
    let done = site.apply(&Op::Insert { new: Box::new(new) }, 1);
    drop(done.expect("a page"));
    (site, nodes, text)
}

fn own_text(node: &Node) -> usize {
    let kind = match &node.kind {
        Kind::Text(text) | Kind::Comment(text) => text.len(),
        Kind::Element(element) => element.attrs.iter().map(|attr| attr.value.len()).sum(),
        Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => 0,
    };
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    kind + optional(&node.classes) + optional(&node.style)
}

fn import(html: &str) -> ImportedHtml {
    import_html(html, &HtmlMode::Document, &HtmlLimits::default()).expect("a page")
}

/// A page as site builders write them: sections of cards, lists, tables, pictures and a form.
fn page_of(is_enough: impl Fn(&str) -> bool) -> String {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title>\
         <link rel=\"stylesheet\" href=\"/style.css\"></head><body class=\"home page\">\n",
    );
    for number in 0.. {
        if number % 50 == 0 && is_enough(&html) {
            break;
        }
        write!(
            html,
            "<section id=\"s{number}\" class=\"section section--{} has-background\">\n  <!-- {number} -->\n  \
             <h2 class=\"title\">Heading {number} &amp; more</h2>\n  <div class=\"row gap-4\">\n    \
             <article class=\"card shadow\" data-id=\"{number}\"><a href=\"/articles/{number}\" class=\"card__link\">\
             <img src=\"/img/{number}.jpg\" alt=\"Picture {number}\" width=\"640\" height=\"480\" loading=\"lazy\"></a>\
             <p>Some words about <strong>thing {number}</strong>, which is <em>rather</em> long and has a \
             <a href=\"https://example.com/{number}?a=1&amp;b=2\">link</a> in it.</p></article>\n    \
             <ul class=\"list\"><li>One<li>Two <code>x &lt; y</code><li>Three</ul>\n    \
             <table class=\"table\"><tr><th>Key<th>Value<tr><td>{number}<td>&euro;{number}.00</table>\n  </div>\n</section>\n",
            number % 5
        )
        .expect("a string takes all");
    }
    html.push_str("</body></html>");
    html
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
