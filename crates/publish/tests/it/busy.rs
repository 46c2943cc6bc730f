//! Publishing while others write: without a `version` it is never refused, and each release is the site as of one entry of its log.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_publish::publishing_tools;
use sitewright_runtime::{Attempt, Call, Failure, Foreseen, Outside, Tool, ToolOutput, ToolSource};
use sitewright_site::{Author, BodyId, Change, ChangeId, Entity, FORMAT, Kind, NodeId, Op};
use sitewright_store::{DatabaseKind, ReleaseId, SiteId, Store};
use sitewright_tool::{Envelope, ErrorCode, ToolError};

use crate::press::{Press, local, look, on_both};

on_both! {
    an_edit_between_the_look_ahead_and_the_run_is_published
    publishing_succeeds_while_eight_write_without_a_pause
    calls_that_publish_at_once_all_succeed
}

async fn publish(press: &Press, arguments: Value) -> Envelope {
    let call = Call::new(press.site.clone(), "publishSite", arguments, local());
    press
        .call(Call {
            is_confirmed: true,
            ..call
        })
        .await
}

async fn put(store: &Store, site: &SiteId, name: String, ops: Vec<Op>) -> Result<u64> {
    let change = Change {
        id: ChangeId::from(name),
        author: Author::Local,
        turn: None,
        summary: String::new(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    };
    let mut live = store.live_site(site).await?;
    for body in change.bodies() {
        live.open(body).await?;
    }
    Ok(live.commit(&change, &local()).await?.entry.seq)
}

/// `publishSite` with somebody who renames a page each time right after it looked ahead.
struct Interrupted {
    tool: Tool,
    store: Store,
    site: SiteId,
    page: BodyId,
    edits: AtomicU64,
}

impl Interrupted {
    async fn edit(&self) -> Result<()> {
        let number = self.edits.fetch_add(1, Ordering::SeqCst);
        let rename = Op::Put {
            entity: Entity::Page { id: self.page },
            field: "title".to_owned(),
            value: json!(format!("Title {number}")),
        };
        put(
            &self.store,
            &self.site,
            format!("rename-{number}"),
            vec![rename],
        )
        .await?;
        Ok(())
    }
}

impl Outside for Interrupted {
    type Input = Value;
    type Data = Value;

    async fn foresee(&self, input: Value, attempt: Attempt<'_>) -> Result<Foreseen, ToolError> {
        let work = self.tool.outside_work().expect("publishing is outside");
        let foreseen = work.foresee(&input, attempt).await;
        self.edit().await.expect("an edit");
        foreseen
    }

    async fn run(&self, input: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let work = self.tool.outside_work().expect("publishing is outside");
        work.run(&input, attempt).await
    }
}

async fn an_edit_between_the_look_ahead_and_the_run_is_published(press: Press) -> Result<()> {
    let page = press.page("About", "about", "<p>Us</p>").await?;
    for tool in publishing_tools(&press.publisher) {
        if tool.definition().name() == "publishSite" {
            let definition = tool.definition().clone();
            let interrupted = Interrupted {
                tool,
                store: press.store.clone(),
                site: press.site.clone(),
                page: page.as_str().context("an id")?.parse()?,
                edits: AtomicU64::new(0),
            };
            let tools = press.pipeline.tools();
            tools.register(ToolSource::BuiltIn, Tool::new(definition, interrupted))?;
        }
    }
    for number in 0..3 {
        let answer = publish(&press, json!({})).await;
        assert!(answer.ok, "{answer:?}");
        let (_, html) = press.visit("/about").await?;
        let title = format!("<title>Title {number} – My site</title>");
        assert!(html.contains(&title), "{html}");
    }
    // Whoever names what they have seen gets that or nothing.
    let version = press.compare().await?.version;
    let answer = publish(&press, json!({ "version": version })).await;
    let code = answer.error.map(|error| error.code);
    assert_eq!(code, Some(ErrorCode::Conflict));
    assert!(press.visit("/about").await?.1.contains("Title 2"));
    Ok(())
}

const WRITERS: usize = 8;
/// How often each writer writes at least, and how often is published at least.
const ROUNDS: usize = 15;

/// A writer's two pages, which each of its changes gives the same text.
#[derive(Clone)]
struct Pair {
    slugs: [String; 2],
    texts: [(BodyId, NodeId); 2],
}

async fn pair(press: &Press, writer: usize) -> Result<Pair> {
    let slugs = ["a", "b"].map(|page| format!("writer-{writer}-{page}"));
    let mut texts = Vec::new();
    for slug in &slugs {
        let page = press.page(slug, slug, "<p>text 0.</p>").await?;
        let body: BodyId = page.as_str().context("an id")?.parse()?;
        let mut live = press.store.live_site(&press.site).await?;
        live.open(body).await?;
        let tree = &live.site().bodies[&body];
        let is_text = |id: &NodeId| {
            let node = tree.node(*id);
            node.is_some_and(|node| matches!(node.kind, Kind::Text(_)))
        };
        let node = tree.walk(tree.root()).find(is_text).context("a text")?;
        texts.push((body, node));
    }
    let texts = texts.try_into().ok().context("two pages")?;
    Ok(Pair { slugs, texts })
}

/// What each writer wrote, by the entry of the log that it became.
type Written = Mutex<Vec<BTreeMap<u64, usize>>>;

async fn write(
    press: &Press,
    (writer, pair): (usize, &Pair),
    written: &Written,
    is_over: &AtomicBool,
) -> Result<()> {
    let mut number = 0;
    while number < ROUNDS || !is_over.load(Ordering::SeqCst) {
        number += 1;
        let ops = pair.texts.iter().map(|(body, node)| Op::Put {
            entity: Entity::Node {
                body: *body,
                node: *node,
            },
            field: "text".to_owned(),
            value: json!(format!("text {number}.")),
        });
        let name = format!("w{writer}-{number}");
        let seq = put(&press.store, &press.site, name, ops.collect()).await?;
        written.lock().expect("the list")[writer].insert(seq, number);
    }
    Ok(())
}

async fn publishing_succeeds_while_eight_write_without_a_pause(press: Press) -> Result<()> {
    let mut pairs = Vec::new();
    for writer in 0..WRITERS {
        pairs.push(pair(&press, writer).await?);
    }
    let beginning = press.store.live_site(&press.site).await?.seq();
    let first = BTreeMap::from([(beginning, 0)]);
    let written: Written = Mutex::new(vec![first; WRITERS]);
    let is_over = AtomicBool::new(false);
    let writers = pairs.iter().enumerate();
    let writers = writers.map(|pair| write(&press, pair, &written, &is_over));
    let publishing = async {
        let mut releases = Vec::new();
        for _ in 0..ROUNDS {
            let answer = publish(&press, json!({})).await;
            assert!(answer.ok, "{answer:?}");
            let data = answer.data.context("data")?;
            let id = data["releaseId"].as_str().context("an id")?.to_owned();
            releases.push(ReleaseId::from(id));
        }
        is_over.store(true, Ordering::SeqCst);
        anyhow::Ok(releases)
    };
    let (wrote, releases) = tokio::join!(futures_util::future::try_join_all(writers), publishing);
    wrote?;
    let written = written.lock().expect("the list").clone();
    for id in releases? {
        let shown = press.publisher.release(&press.site, &id).await?;
        let (number, seq) = (shown.release.number, shown.release.seq);
        for (pair, written) in pairs.iter().zip(&written) {
            let (_, expected) = written.range(..=seq).next_back().context("a text")?;
            for slug in &pair.slugs {
                let (status, html) = look(&shown, &format!("/{slug}"));
                assert_eq!(status, 200);
                assert!(
                    html.contains(&format!("<p>text {expected}.</p>")),
                    "release {number} of entry {seq}, {slug}: {html}"
                );
            }
        }
    }
    Ok(())
}

async fn calls_that_publish_at_once_all_succeed(press: Press) -> Result<()> {
    let other = press.beside().await?;
    // A folder has one process; nodes share a Postgres.
    let elsewhere = match press.store.backend() {
        DatabaseKind::Sqlite => 0,
        DatabaseKind::Postgres => 2,
    };
    for round in 0..4 {
        press
            .page("More", &format!("more-{round}"), "<p>More</p>")
            .await?;
        let by = local().by;
        let wish = sitewright_publish::PublishOptions::default();
        let here = (0..8).map(|_| publish(&press, json!({})));
        let there =
            (0..elsewhere).map(|_| other.publish(&press.site, &wish, crate::press::order(&by)));
        let (here, there) = tokio::join!(
            futures_util::future::join_all(here),
            futures_util::future::join_all(there)
        );
        assert!(here.iter().all(|answer| answer.ok), "{here:?}");
        for published in there {
            assert_eq!(published?.release.number, round + 1);
        }
    }
    assert_eq!(press.store.releases(&press.site, None, 10).await?.len(), 4);
    Ok(())
}
