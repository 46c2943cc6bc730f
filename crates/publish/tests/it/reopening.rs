//! Whatever was acknowledged can be read again: after every call, by a reader that starts from the rows, by a tab that follows the
//! log, and by a second node.
//!
//! A sequence is one new site and a few random calls: every tool that changes the draft, plans, undo and redo, reverts, raw ops,
//! publishing, collapsing the history, and restarts in between. Its number is the seed, so a failure repeats.

mod calls;
mod content;
mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use sitewright_runtime::{Call, ToolSource, history_tools};
use sitewright_site::{BodyId, BodySnapshot, ChangeId, Logged, Replica, Site};
use sitewright_store::{
    CommitError, DatabaseKind, HistoryLimits, Place, SiteId, Store, StoredSite, Timestamp,
};
use sitewright_testkit::{FreshDatabase, block_on};
use sitewright_tool::{Effect, Scope};

use crate::press::{Press, local};
use calls::{Names, arguments, raw_change, taken};
use content::{open_or_close_entry, same_entries, stored_entries};
use random::Random;

/// What the name of a content tool begins with here when the site has one of the same name.
const TWIN: &str = "content/";
/// How many calls each of the tests below makes in a soak.
const CALLS: &str = "SITEWRIGHT_REOPENING_CALLS";
/// One sequence in this many is long enough for snapshots to become due.
const LONG: u64 = 50;

/// Several tests, so that they run beside each other.
macro_rules! sequences {
    ($($database:ident { $($name:ident: $seeds:expr,)* })*) => {
        $(mod $database {
            $(#[test] fn $name() { super::run(sitewright_testkit::FreshDatabase::$database(), $seeds); })*
        })*
    };
}

sequences! {
    sqlite {
        every_reader_sees_what_random_calls_left: 0..610,
        every_reader_sees_what_other_random_calls_left: 1_000..1_610,
        every_reader_sees_what_yet_other_random_calls_left: 2_000..2_630,
    }
    postgres {
        every_reader_and_node_sees_what_random_calls_left: 3_000..3_150,
    }
}

fn run(fresh: Option<FreshDatabase>, seeds: Range<u64>) {
    let Some(fresh) = fresh else { return };
    block_on(run_sequences(fresh, seeds));
}

async fn run_sequences(fresh: FreshDatabase, seeds: Range<u64>) -> Result<()> {
    let mut nodes = Nodes::open(fresh).await?;
    let mut done = BTreeMap::new();
    let (mut sequences, mut calls) = (0u64, 0u64);
    let soak = calls_of_a_soak()?;
    let wanted = seeds.end - seeds.start;
    let changing = nodes.changing_tools();
    let first = match soak {
        // A soak begins elsewhere each time; a failure names its seed.
        Some(_) => u64::try_from(Timestamp::now().millis())? << 16,
        None => seeds.start,
    };
    for seed in first.. {
        let is_long = sequences % LONG == LONG - 1;
        calls += run_sequence(&mut nodes, seed, is_long, &mut done)
            .await
            .with_context(|| format!("sequence {seed}"))?;
        sequences += 1;
        let is_enough = match soak {
            Some(calls_wanted) => calls >= calls_wanted,
            // Chance may leave a tool out, so there are a few more sequences until each was done.
            None if sequences < wanted => false,
            None => sequences >= 3 * wanted || changing.iter().all(|tool| done.contains_key(tool)),
        };
        if is_enough {
            break;
        }
    }
    println!("{calls} calls in {sequences} sequences: {done:?}");
    let never: Vec<&String> = changing
        .iter()
        .filter(|tool| !done.contains_key(*tool))
        .collect();
    ensure!(never.is_empty(), "never done: {never:?}");
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a soak is asked for by the environment"
)]
fn calls_of_a_soak() -> Result<Option<u64>> {
    let calls = std::env::var(CALLS).ok();
    Ok(calls.map(|calls| calls.parse()).transpose()?)
}

/// The processes that have the database: one on SQLite, two on Postgres; and a reader of rows.
struct Nodes {
    nodes: Vec<Press>,
    reader: Store,
}

impl Nodes {
    async fn open(fresh: FreshDatabase) -> Result<Self> {
        let first = Press::open(fresh, None).await?;
        let reader = Store::open(&Place::at(&first.database.address)).await?;
        let mut nodes = vec![first];
        if reader.backend() == DatabaseKind::Postgres {
            let (place, folder) = (&nodes[0].database.address, nodes[0].database.folder.path());
            nodes.push(Press::beside_files(place, folder).await?);
        }
        for node in &nodes {
            add_history_tools(node)?;
        }
        Ok(Self { nodes, reader })
    }

    /// Everything that is only in memory goes.
    async fn restart(&mut self) -> Result<()> {
        let first = self.nodes.remove(0).restarted(None).await?;
        add_history_tools(&first)?;
        self.nodes.insert(0, first);
        Ok(())
    }

    fn changing_tools(&self) -> BTreeSet<String> {
        let names = |scope: Scope| -> BTreeSet<String> {
            let tools = self.nodes[0].pipeline.tools().list(Some(scope)).into_iter();
            tools
                .filter(|tool| tool.definition.manifest.effect == Some(Effect::Draft))
                .map(|tool| tool.definition.manifest.name.to_string())
                .collect()
        };
        let mut tools = names(Scope::Site);
        for tool in names(Scope::Content) {
            // A few names are tools of both scopes.
            let is_twin = tool.ends_with("Page") && tools.contains(&tool);
            tools.insert(if is_twin {
                format!("{TWIN}{tool}")
            } else {
                tool
            });
        }
        tools
    }
}

fn add_history_tools(node: &Press) -> Result<()> {
    for tool in history_tools(&node.store) {
        node.pipeline.tools().register(ToolSource::BuiltIn, tool)?;
    }
    Ok(())
}

/// One new site, and how many calls were made on it.
async fn run_sequence(
    nodes: &mut Nodes,
    seed: u64,
    is_long: bool,
    done: &mut BTreeMap<String, u64>,
) -> Result<u64> {
    let mut random = Random::new(seed);
    let site = nodes.nodes[0]
        .store
        .create_site(&format!("s{seed}"), "Site", Timestamp::now())
        .await?
        .id;
    // The first look writes the first entry.
    drop(nodes.nodes[0].store.live_site(&site).await?);
    let tools: Vec<String> = nodes.changing_tools().into_iter().collect();
    let mut tab = None;
    let mut changes: Vec<ChangeId> = Vec::new();
    let calls = if is_long { 90 } else { 3 + random.below(6) };
    let mut story: Vec<String> = Vec::new();
    for number in 0..calls {
        if random.happens(2) {
            nodes.restart().await?;
            story.push("restart".to_owned());
        }
        let node = random.below(nodes.nodes.len());
        let step = Step {
            node: &nodes.nodes[node],
            site: &site,
            number,
        };
        let names = step.names().await?;
        let told = match random.below(100) {
            0..72 => {
                let tool = match random.below(100) {
                    0..6 => "publishSite".to_owned(),
                    6..30 if number < 2 => "addPage".to_owned(),
                    // Something can be done again only right after it was undone.
                    6.. if story.last().is_some_and(|told| told.starts_with("undo")) => {
                        "redo".to_owned()
                    }
                    _ => any_tool(&tools, &names, done, &mut random),
                };
                step.call(&tool, &names, &mut random, done).await?
            }
            72..84 => step.commit_raw(&names, &mut random, &mut changes).await?,
            84..96 => step.revert(&changes, &mut random).await?,
            _ => step.collapse(&mut random).await?,
        };
        story.push(format!("{told} (node {node})"));
        let checked = check(nodes, &site, &mut tab, &mut random).await;
        checked.with_context(|| format!("after {}", story.join("; ")))?;
    }
    u64::try_from(calls).context("few calls")
}

/// Any tool, and half of the time one that was never done, so that a few sequences do each of them.
fn any_tool(
    tools: &[String],
    names: &Names,
    done: &BTreeMap<String, u64>,
    random: &mut Random,
) -> String {
    let never = tools.iter().filter(|tool| !done.contains_key(*tool));
    let never: Vec<String> = never.cloned().collect();
    let tool = match random.any(&never) {
        Some(tool) if random.happens(50) => tool,
        _ => random.one(tools),
    };
    // Something has to be there before it can be changed.
    match tool.as_str() {
        "clearPageTemplate" if !names.has_templates() => "setPageTemplate".to_owned(),
        "rename_color_token" if !names.has_colors() => "set_color_tokens".to_owned(),
        "updateNavItem" | "deleteNavItem" if !names.has_menu_items() => "createNavItem".to_owned(),
        _ => tool,
    }
}

struct Step<'a> {
    node: &'a Press,
    site: &'a SiteId,
    number: usize,
}

impl Step<'_> {
    async fn names(&self) -> Result<Names> {
        let site = self.node.store.stored_site(self.site).await?.site;
        let entries = stored_entries(&self.node.store, self.site).await?;
        Ok(Names::of(&site, &entries))
    }

    async fn call(
        &self,
        tool: &str,
        names: &Names,
        random: &mut Random,
        done: &mut BTreeMap<String, u64>,
    ) -> Result<String> {
        let arguments = arguments(tool, names, random)
            .with_context(|| format!("no arguments are known for {tool}"))?;
        let call = Call {
            is_confirmed: true,
            turn: Some(format!("turn-{}", random.below(3))),
            scope: tool.starts_with(TWIN).then_some(Scope::Content),
            ..Call::new(
                self.site.clone(),
                tool.trim_start_matches(TWIN),
                arguments.clone(),
                local(),
            )
        };
        let answer = self.node.call(call).await;
        if answer.ok {
            *done.entry(tool.to_owned()).or_default() += 1;
        }
        Ok(format!("{tool} {arguments}: {}", answer.ok))
    }

    async fn commit_raw(
        &self,
        names: &Names,
        random: &mut Random,
        changes: &mut Vec<ChangeId>,
    ) -> Result<String> {
        let change = raw_change(format!("raw-{}", self.number), names, random);
        let mut live = self.node.store.live_site(self.site).await?;
        let committed = live.commit(&change, &local()).await;
        let told = format!("{}: {}", json!(change.ops), committed.is_ok());
        match committed {
            Ok(_) => changes.push(change.id),
            Err(CommitError::Store(error)) => return Err(error.into()),
            Err(_refused) => {}
        }
        Ok(told)
    }

    async fn revert(&self, changes: &[ChangeId], random: &mut Random) -> Result<String> {
        let mut live = self.node.store.live_site(self.site).await?;
        let taken = taken(changes, live.seq(), random);
        let id = ChangeId::from(format!("revert-{}", self.number));
        let reverted = live
            .revert(&taken, (id, "Revert".to_owned()), &local())
            .await;
        let told = format!("revert {taken:?}: {}", reverted.is_ok());
        match reverted {
            Err(CommitError::Store(error)) => Err(error.into()),
            _ => Ok(told),
        }
    }

    /// Makes a restore point, and forgets what does not fit into a few bytes.
    async fn collapse(&self, random: &mut Random) -> Result<String> {
        let limits = HistoryLimits {
            age: std::time::Duration::from_secs(365 * 24 * 60 * 60),
            bytes: u64::try_from(random.below(4_000))?,
        };
        let store = &self.node.store;
        let clock = store.retention_clock(Timestamp::now()).await?;
        let gone = store.tend_history(self.site, limits, &clock).await?;
        Ok(format!("collapse {gone} entries"))
    }
}

/// Compares, byte for byte, what every reader has.
async fn check(
    nodes: &Nodes,
    id: &SiteId,
    tab: &mut Option<Replica>,
    random: &mut Random,
) -> Result<()> {
    let StoredSite { site, end, damage } = nodes.reader.stored_site(id).await?;
    ensure!(damage.is_empty(), "the rows cannot be read: {damage:?}");
    let entries = stored_entries(&nodes.reader, id).await?;
    for (number, node) in nodes.nodes.iter().enumerate() {
        let live = node.store.live_site(id).await?;
        ensure!(
            live.seq() == end,
            "node {number} is at {} of {end}",
            live.seq()
        );
        same(live.site(), &site).with_context(|| format!("node {number}"))?;
        same_entries(live.site(), &entries).with_context(|| format!("node {number}"))?;
    }
    follow(&nodes.reader, id, &site, end, tab).await?;
    let tab = tab.as_mut().context("a tab")?;
    same(tab.site(), &site).context("a tab")?;
    same_entries(tab.site(), &entries).context("a tab")?;
    open_or_close_entry(tab, &entries, end, random)?;
    // Tabs open and close documents as people go from page to page.
    let listed: Vec<BodyId> = {
        let mut listed: Vec<BodyId> = site.bodies.keys().copied().collect();
        listed.sort_unstable();
        listed
    };
    if let Some(body) = random.any(&listed) {
        match random.happens(60) {
            true if !tab.site().bodies.contains_key(&body) => {
                let document = site.body_snapshot(body).context("a document")?;
                tab.open(body, &through_text::<BodySnapshot>(&document)?, end)?;
            }
            true => {}
            false => tab.close(body),
        }
    }
    Ok(())
}

/// Has a tab take in the entries it has not seen, or fetch the site anew where a tab would.
async fn follow(
    store: &Store,
    id: &SiteId,
    site: &Site,
    end: u64,
    tab: &mut Option<Replica>,
) -> Result<()> {
    if let Some(tab) = tab
        && let Some(changes) = store.changes(id, tab.seq(), 1_000).await?
    {
        for entry in &changes.entries {
            tab.receive(through_text::<Logged>(entry)?)?;
        }
        ensure!(tab.seq() == end, "a tab is at {} of {end}", tab.seq());
        return Ok(());
    }
    *tab = Some(Replica::new(through_text(&site.shell_snapshot())?, end));
    Ok(())
}

/// A value as the other side of a connection reads it.
fn through_text<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> Result<T> {
    Ok(serde_json::from_str(&serde_json::to_string(value)?)?)
}

/// Whether the shell and every document that is open in a copy are what the rows say.
fn same(copy: &Site, stored: &Site) -> Result<()> {
    let (here, there) = (
        serde_json::to_string(&copy.shell_snapshot())?,
        serde_json::to_string(&stored.shell_snapshot())?,
    );
    ensure!(here == there, "shell:\n{here}\n{there}");
    for body in copy.bodies.keys() {
        let (here, there) = (
            serde_json::to_string(&copy.body_snapshot(*body))?,
            serde_json::to_string(&stored.body_snapshot(*body))?,
        );
        ensure!(here == there, "document {body}:\n{here}\n{there}");
    }
    Ok(())
}
