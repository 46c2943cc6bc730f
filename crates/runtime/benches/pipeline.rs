//! What the pipeline costs against the same work done directly. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Call, Failure, Outside, Pipeline, Registry, Tool, ToolOutput, ToolSource,
};
use sitewright_site::{
    Author, BodyId, Change, ChangeId, Entity, FORMAT, Facts, Op, Outcome, SiteTool, View,
    site_tools,
};
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::{CapabilitySet, Definition, Envelope, ToolManifest};

const READS: usize = 4_000;
const EDITS: usize = 600;
const TOOLS: usize = 10_000;

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
    let store = Store::open(&Place::File(folder.path().join("bench.db")))
        .await
        .expect("a store");
    let pipeline = Pipeline::new(store.clone(), Registry::built_in());
    let page = a_page(&pipeline).await;
    reads(&store, &pipeline, page).await;
    edits(&store, &pipeline, page).await;
    many_tools(&store, &pipeline, page).await;
    pipeline.close().await;
    store.close().await;
}

/// A page of some two hundred nodes.
async fn a_page(pipeline: &Pipeline) -> BodyId {
    let added = made(pipeline, "addPage", json!({ "title": "Bench" })).await;
    let html: String = (0..100)
        .map(|number| format!("<p class=\"lead\">Paragraph {number}</p>"))
        .collect();
    made(
        pipeline,
        "insertHtml",
        json!({ "parentId": added["rootNodeId"], "html": html }),
    )
    .await;
    serde_json::from_value(added["pageId"].clone()).expect("a page")
}

async fn made(pipeline: &Pipeline, tool: &str, arguments: Value) -> Value {
    let answer = Envelope::from(pipeline.call(call(tool, arguments)).await);
    assert!(answer.ok, "{answer:?}");
    answer.data.unwrap_or_default()
}

fn call(tool: &str, arguments: Value) -> Call {
    Call::new(main_site(), tool, arguments, committer())
}

fn committer() -> Committer {
    Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

fn reading(page: BodyId) -> Value {
    json!({ "document": { "type": "page", "id": page } })
}

/// One read by the function itself, on a site that is at hand.
fn directly(tool: &SiteTool, site: &mut sitewright_site::Site, page: BodyId) -> Duration {
    let input = reading(page);
    let (view, facts) = (View::default(), Facts::default());
    let started = Instant::now();
    let outcome = tool.run(
        input,
        site,
        &view,
        (&facts, ChangeId::from("read".to_owned())),
    );
    let elapsed = started.elapsed();
    assert!(matches!(outcome, Ok(Outcome::Done(_))));
    elapsed
}

async fn through(pipeline: &Pipeline, page: BodyId) -> Duration {
    let call = call("read_document", reading(page));
    let started = Instant::now();
    let answer = pipeline.call(call).await;
    let elapsed = started.elapsed();
    assert!(answer.error().is_none(), "{answer:?}");
    elapsed
}

async fn reads(store: &Store, pipeline: &Pipeline, page: BodyId) {
    let tools = site_tools();
    let tool = tools
        .iter()
        .find(|tool| tool.definition.manifest.name.as_str() == "read_document")
        .expect("a tool");
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..READS {
        product.push(through(pipeline, page).await);
        let mut live = store.live_site(&main_site()).await.expect("the site");
        assert!(live.open(page).await.expect("a page"));
        baseline.push(directly(tool, live.site_mut(), page));
    }
    for (name, part, limit) in [("p50", 0.5, 60.0), ("p99", 0.99, 200.0)] {
        let (product, baseline) = (at(&mut product, part), at(&mut baseline, part));
        let added = product - baseline;
        let target = json!({ "text": format!("at most {limit} µs added, found {added:.0}"), "met": added <= limit });
        print(
            &format!("a read, {name}, against its function"),
            (product, baseline),
            Some(target),
        );
    }
}

async fn edits(store: &Store, pipeline: &Pipeline, page: BodyId) {
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for round in 0..EDITS {
        let call = call(
            "renamePage",
            json!({ "pageId": page, "title": format!("Title {round}") }),
        );
        let started = Instant::now();
        let answer = pipeline.call(call).await;
        product.push(started.elapsed());
        assert!(answer.error().is_none(), "{answer:?}");
        let change = Change {
            id: ChangeId::from(format!("bare-{round}")),
            author: Author::Local,
            turn: None,
            summary: "Rename a page".to_owned(),
            ops: vec![Op::Put {
                entity: Entity::Page { id: page },
                field: "title".to_owned(),
                value: format!("Bare {round}").into(),
            }],
            expects: Vec::new(),
            format: FORMAT,
        };
        let mut live = store.live_site(&main_site()).await.expect("the site");
        let started = Instant::now();
        live.commit(&change, &committer()).await.expect("a commit");
        baseline.push(started.elapsed());
    }
    let (product, baseline) = (at(&mut product, 0.5), at(&mut baseline, 0.5));
    let ratio = product / baseline;
    let target = json!({ "text": format!("at most 1.5 bare commits, found {ratio:.2}"), "met": ratio <= 1.5 });
    print(
        "a draft edit against a bare commit",
        (product, baseline),
        Some(target),
    );
}

async fn many_tools(store: &Store, few: &Pipeline, page: BodyId) {
    let many = Pipeline::new(store.clone(), Registry::built_in());
    for number in 0..TOOLS {
        let tool = Tool::new(Definition::imported(manifest(number)), Idle);
        many.tools()
            .register(ToolSource::File, tool)
            .expect("a free name");
    }
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..READS {
        product.push(through(&many, page).await);
        baseline.push(through(few, page).await);
    }
    let (product, baseline) = (at(&mut product, 0.5), at(&mut baseline, 0.5));
    let ratio = product / baseline;
    let target = json!({ "text": format!("nothing to be measured, found {ratio:.2}"), "met": ratio <= 1.05 });
    print(
        "a read among 10,000 tools, against among those built in",
        (product, baseline),
        Some(target),
    );
    many.close().await;
}

struct Idle;

impl Outside for Idle {
    type Input = Value;
    type Data = Value;

    async fn run(&self, _: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        Ok(ToolOutput::default())
    }
}

fn manifest(number: usize) -> ToolManifest {
    let manifest = json!({
        "name": format!("vendor.tool{number}"), "description": "Looks.", "inputSchema": { "type": "object" }, "outputSchema": {},
        "capability": "read", "timeoutMs": 1000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true,
    });
    serde_json::from_value(manifest).expect("a manifest")
}

/// The time below which this part of the turns stayed, in microseconds.
fn at(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    let last = times.len() - 1;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a position in a short list"
    )]
    let position = (last as f64 * part) as usize;
    times[position].as_secs_f64() * 1e6
}

fn print(measure: &str, (product, baseline): (f64, f64), target: Option<Value>) {
    println!(
        "{}",
        json!({
            "measure": measure, "product": format!("{product:.0} µs"), "baseline": format!("{baseline:.0} µs"),
            "ratio": product / baseline, "target": target,
        })
    );
}
