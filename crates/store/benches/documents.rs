//! What opening and changing a page costs in a large site against a small one. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::time::{Duration, Instant};

use sitewright_site::{
    Author, BodyId, Change, ChangeId, Element, Entity, FORMAT, Kind, Mint, Namespace, NewEntity,
    Node, Op, Page, Subtree, SubtreeNode,
};
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::CapabilitySet;

const FEW: usize = 5;
const MANY: usize = 5_000;
const NODES: u32 = 200;
const ROUNDS: usize = 60;
const PER_CHANGE: usize = 50;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = build(Place::File(folder.path().join("small.db")), FEW).await;
    let large = build(Place::File(folder.path().join("large.db")), MANY).await;
    let mut pages = (Vec::new(), Vec::new());
    let mut sites = (Vec::new(), Vec::new());
    let mut edits = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (site, page, edit) = open(&large, round * 83 % MANY).await;
        sites.0.push(site);
        pages.0.push(page);
        edits.0.push(edit);
        let (site, page, edit) = open(&small, round % FEW).await;
        sites.1.push(site);
        pages.1.push(page);
        edits.1.push(edit);
    }
    print("opening a page, 5000 pages against 5", pages);
    print("changing a page, 5000 pages against 5", edits);
    print("opening the site itself, 5000 pages against 5", sites);
}

/// Opens the site, then a page of it, then changes that page, each timed by itself; nothing is in memory before.
async fn open(place: &Place, number: usize) -> (Duration, Duration, Duration) {
    let store = Store::open(place).await.expect("a store");
    let started = Instant::now();
    let mut live = store.live_site(&main_site()).await.expect("the site");
    let site = started.elapsed();
    let body = page_id(number);
    let started = Instant::now();
    assert!(live.open(body).await.expect("a page"));
    let written = serde_json::to_string(&live.site().body_snapshot(body)).expect("text");
    let page = started.elapsed();
    assert!(written.len() > NODES as usize * 20);
    let root = live.site().bodies[&body].root();
    let id = ChangeId::from(format!("edit-{}", Timestamp::now().millis()) + &number.to_string());
    let label = Op::Put {
        entity: Entity::Node { body, node: root },
        field: "label".to_owned(),
        value: format!("label {number}").into(),
    };
    let edit = change(id, vec![label]);
    let started = Instant::now();
    live.commit(&edit, &committer()).await.expect("a commit");
    let edited = started.elapsed();
    drop(live);
    store.close().await;
    (site, page, edited)
}

async fn build(place: Place, pages: usize) -> Place {
    let store = Store::open(&place).await.expect("a store");
    let mut live = store.live_site(&main_site()).await.expect("the site");
    let numbers: Vec<usize> = (0..pages).collect();
    for (at, some) in numbers.chunks(PER_CHANGE).enumerate() {
        let ops = some.iter().map(|number| page(*number)).collect();
        let change = change(ChangeId::from(format!("build-{at}")), ops);
        live.commit(&change, &committer()).await.expect("a commit");
    }
    drop(live);
    store.close().await;
    place
}

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

fn committer() -> Committer {
    Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

fn change(id: ChangeId, ops: Vec<Op>) -> Change {
    Change {
        id,
        author: Author::Local,
        turn: None,
        summary: String::new(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    }
}

fn page_id(number: usize) -> BodyId {
    Mint::new(ChangeId::from(format!("page-{number}"))).mint()
}

fn page(number: usize) -> Op {
    let mut mint = Mint::new(ChangeId::from(format!("page-{number}")));
    let id = mint.mint();
    let element = |tag: &str| {
        Node::new(Kind::Element(Element {
            tag: tag.into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        }))
    };
    let mut nodes = vec![SubtreeNode {
        id: mint.mint(),
        parent: None,
        node: element("body"),
    }];
    for at in 0..NODES / 2 {
        nodes.push(SubtreeNode {
            id: mint.mint(),
            parent: Some(0),
            node: element("p"),
        });
        nodes.push(SubtreeNode {
            id: mint.mint(),
            parent: Some(2 * at + 1),
            node: Node::new(Kind::Text(format!("Paragraph {at} of page {number}."))),
        });
    }
    let new = NewEntity::Page {
        id,
        page: Box::new(Page::new(
            format!("Page {number}"),
            format!("page-{number}"),
        )),
        tree: Subtree::new(nodes).expect("a tree"),
        after: None,
    };
    Op::Insert { new: Box::new(new) }
}

fn print(measure: &str, (mut product, mut baseline): (Vec<Duration>, Vec<Duration>)) {
    product.sort_unstable();
    baseline.sort_unstable();
    let median = |times: &[Duration]| times[times.len() / 2].as_secs_f64() * 1e6;
    println!(
        r#"{{"measure": "{measure}", "productMicros": {}, "baselineMicros": {}}}"#,
        median(&product),
        median(&baseline)
    );
}
