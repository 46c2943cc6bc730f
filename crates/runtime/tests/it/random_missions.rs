//! Seeded random missions over real rows: each booking is kept by a completed mission, cancelled, or listed, and none is made twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use sitewright_testkit::FreshDatabase;

use crate::agency::Agency;
use crate::missions::{mission, prepared};
use crate::stage::{Stage, local, run};

/// How many missions run at the same time.
const AT_ONCE: usize = 8;

/// A small generator, so that a seed gives the same mission on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("a small number")
    }
}

fn legs(seed: u64) -> Vec<Value> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let count = 1 + random.below(5);
    (0..count)
        .map(|at| {
            let tool = ["book", "book", "book_by_key", "book_safely", "post"][random.below(5)];
            let behaviour = ["", "", "", "", "refuse", "lost", "nonsense"][random.below(7)];
            let cancel = ["", "", "", "refuse"][random.below(4)];
            let before = (0..at).filter(|_| random.below(3) == 0);
            let dependencies: Vec<String> = before.map(|other| format!("leg{other}")).collect();
            let what = format!("{seed}-leg{at}");
            json!({
                "id": format!("leg{at}"), "tool": tool, "dependencies": dependencies,
                "arguments": { "what": what, "behaviour": behaviour, "cancel": cancel },
            })
        })
        .collect()
}

async fn run_all(stage: Stage, seeds: u64) -> anyhow::Result<()> {
    let agency = prepared(&stage)?;
    let stage = &stage;
    let mut running = futures_util::stream::iter(0..seeds)
        .map(async |seed| {
            let envelope = stage.call(mission(&legs(seed), &local())).await;
            (seed, envelope.data.expect("an answer"))
        })
        .buffer_unordered(AT_ONCE);
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    while let Some((seed, answer)) = running.next().await {
        check(seed, &answer, &agency);
        let state = answer["state"].as_str().unwrap_or_default().to_owned();
        *ends.entry(state).or_default() += 1;
    }
    assert_eq!(ends.len(), 3, "every end occurs: {ends:?}");
    Ok(())
}

fn check(seed: u64, mission: &Value, agency: &Arc<Agency>) {
    let of_mission = |line: &String| line.contains(&format!(" {seed}-leg"));
    let all: Vec<String> = agency.all().into_iter().filter(of_mission).collect();
    let context = format!("seed {seed}: {mission}\n{all:#?}");
    let mut once = all.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), all.len(), "something was done twice: {context}");
    let kept: Vec<String> = agency
        .kept()
        .into_iter()
        .filter(|what| what.starts_with(&format!("{seed}-leg")))
        .collect();
    let listed = |what: &String| {
        let residuals = mission["residuals"].as_array().into_iter().flatten();
        let mut legs = residuals.filter_map(|residual| residual["leg"].as_str());
        legs.any(|leg| what.ends_with(leg))
    };
    match mission["state"].as_str() {
        Some("completed") => {
            let legs = mission["legs"].as_array().map_or(0, Vec::len);
            assert_eq!(kept.len(), legs, "{context}");
        }
        Some("rolled_back") => assert_eq!(kept, [""; 0], "{context}"),
        Some("rolled_back_with_residuals") => assert!(kept.iter().all(listed), "{context}"),
        other => assert_eq!(
            other,
            Some("completed"),
            "the mission is not over: {context}"
        ),
    }
}

#[test]
fn two_hundred_missions_with_faults_lose_nothing_on_sqlite() {
    run(FreshDatabase::sqlite(), |stage| run_all(stage, 200));
}

#[test]
fn forty_missions_with_faults_lose_nothing_on_postgres() {
    run(FreshDatabase::postgres(), |stage| run_all(stage, 40));
}
