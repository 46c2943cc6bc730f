//! Publishing a thousand pages, and publishing again after one edit. Prints a JSON object per measure.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on has failed"
)]
#![expect(clippy::print_stdout, reason = "what is printed is read")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use sitewright_publish::{Authorization, Host, PublicSite, PublishOptions, Publisher};
use sitewright_site::{
    Author, Change, ChangeId, Element, Entity, FORMAT, Kind, Mint, Namespace, NewEntity, Node, Op,
    Page, Subtree, SubtreeNode,
};
use sitewright_store::{BlobPlace, Blobs, Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::CapabilitySet;

const PAGES: usize = 1000;
const PARAGRAPHS: usize = 24;
const RUNS: usize = 3;

fn element(tag: &str) -> Node {
    Node::new(Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    }))
}

/// Pages of about eight kilobytes, each with words of its own.
fn pages() -> Vec<Op> {
    let mut mint = Mint::new(ChangeId::from("pages".to_owned()));
    let page = |number: usize| {
        let mut nodes = vec![(None, element("body"))];
        for paragraph in 0..PARAGRAPHS {
            let text = format!(
                "Page {number}, paragraph {paragraph}: the quick brown fox jumps over the lazy dog. "
            );
            let at = u32::try_from(nodes.len()).unwrap();
            nodes.push((Some(0), element("p")));
            nodes.push((Some(at), Node::new(Kind::Text(text.repeat(4)))));
        }
        let grown = |(parent, node)| SubtreeNode {
            id: mint.mint(),
            parent,
            node,
        };
        let tree = Subtree::new(nodes.into_iter().map(grown).collect()).unwrap();
        let page = Page::new(format!("Page {number}"), format!("page-{number}"));
        let new = NewEntity::Page {
            id: mint.mint(),
            page: Box::new(page),
            tree,
            after: None,
        };
        Op::Insert { new: Box::new(new) }
    };
    (0..PAGES).map(page).collect()
}

async fn commit(store: &Store, site: &SiteId, id: &str, ops: Vec<Op>) {
    let change = Change {
        id: ChangeId::from(id.to_owned()),
        author: Author::Local,
        turn: None,
        summary: String::new(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    };
    let by = Stamp::local(Timestamp::now());
    let by = Committer::new(Author::Local, CapabilitySet::all(), by);
    let mut live = store.live_site(site).await.unwrap();
    live.open(change.bodies().next().unwrap_or(0.into()))
        .await
        .unwrap();
    live.commit(&change, &by).await.unwrap();
}

async fn publish(publisher: &Publisher, site: &SiteId) -> Duration {
    let by = Stamp::local(Timestamp::now());
    let order = Authorization {
        by: &by,
        call: None,
        agreed: None,
    };
    let started = Instant::now();
    publisher
        .publish(site, &PublishOptions::default(), order)
        .await
        .unwrap();
    started.elapsed()
}

/// Publishing all, publishing after one edit, and the bytes of the pages.
async fn product(folder: &Path) -> (Duration, Duration, Vec<Bytes>) {
    let store = Store::open(&Place::File(folder.join("bench.db")))
        .await
        .unwrap();
    let blobs = Blobs::open(&BlobPlace::Folder(folder.join("blobs"))).unwrap();
    let site = store.sites().await.unwrap().remove(0).id;
    for (number, ops) in pages().chunks(100).enumerate() {
        commit(&store, &site, &format!("pages-{number}"), ops.to_vec()).await;
    }
    let publisher = Publisher::new(
        store.clone(),
        blobs,
        PublicSite {
            base: None,
            host: Host::Shared,
        },
    );
    let first = publish(&publisher, &site).await;
    let live = store.live_site(&site).await.unwrap();
    let found = live
        .site()
        .shell
        .pages
        .iter()
        .find(|(_, page)| page.slug == "page-500");
    let body = found.unwrap().0;
    drop(live);
    let mut live = store.live_site(&site).await.unwrap();
    live.open(body).await.unwrap();
    let tree = &live.site().bodies[&body];
    let node = tree
        .walk(tree.root())
        .find(|id| matches!(tree.node(*id).unwrap().kind, Kind::Text(_)));
    let edit = Op::Put {
        entity: Entity::Node {
            body,
            node: node.unwrap(),
        },
        field: "text".to_owned(),
        value: json!("Edited."),
    };
    drop(live);
    commit(&store, &site, "edit", vec![edit]).await;
    let second = publish(&publisher, &site).await;
    let shown = publisher.shown(&site).await.unwrap().unwrap();
    let bytes = (0..PAGES).map(|number| shown.file(&format!("/page-{number}")).unwrap().bytes());
    let bytes = bytes.collect();
    store.close().await;
    (first, second, bytes)
}

/// Two threads that compress the same pages in the same way and write them, each flushed to the disk.
fn baseline(folder: &Path, pages: &[Bytes]) -> Duration {
    let next = Mutex::new(0..pages.len());
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(at) = next.lock().unwrap().next() else {
                        break;
                    };
                    write(folder, at, "html", &pages[at]);
                    let mut packed = Vec::new();
                    let parameters = brotli::enc::BrotliEncoderParams {
                        quality: 9,
                        ..Default::default()
                    };
                    brotli::BrotliCompress(&mut &*pages[at], &mut packed, &parameters).unwrap();
                    write(folder, at, "br", &packed);
                    let mut encoder =
                        flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                    encoder.write_all(&pages[at]).unwrap();
                    write(folder, at, "gz", &encoder.finish().unwrap());
                }
            });
        }
    });
    started.elapsed()
}

fn write(folder: &Path, at: usize, ending: &str, bytes: &[u8]) {
    let mut file = std::fs::File::create(folder.join(format!("{at}.{ending}"))).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut firsts, mut seconds, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0;
    for _ in 0..RUNS {
        let folder = tempfile::tempdir().unwrap();
        let (first, second, pages) = runtime.block_on(product(folder.path()));
        firsts.push(first);
        seconds.push(second);
        bytes = pages[0].len();
        let folder = tempfile::tempdir().unwrap();
        bare.push(baseline(folder.path(), &pages));
    }
    let (first, second, bare) = (median(firsts), median(seconds), median(bare));
    let kilobytes = bytes / 1000;
    println!(
        "{}",
        json!({
            "measure": format!("publishing {PAGES} pages of {kilobytes} KB for the first time"),
            "product": format!("{first:.0} ms"), "baseline": format!("{bare:.0} ms"), "ratio": first / bare,
        })
    );
    println!(
        "{}",
        json!({
            "measure": "publishing again after one edit, against the first time",
            "product": format!("{second:.1} ms"), "baseline": format!("{first:.0} ms"), "ratio": second / first,
        })
    );
}
