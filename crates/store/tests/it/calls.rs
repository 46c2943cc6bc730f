//! The life of calls: first as a pure machine over a million random interleavings, then the same on both databases.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use sitewright_store::{
    Actor, CallId, CallLife, CallRecord, CallState, End, Lease, SettledOutcome, SiteId, Stamp,
    Step, StepError, StepRecord, Store, Timestamp, TokenId, UserId,
};
use sitewright_tool::Scope;

use crate::both::{Fresh, on_both, proven_clock};

on_both! {
    interleavings_end_in_the_rows_as_in_the_machine
    a_second_call_with_a_key_is_answered_by_the_first
    a_card_is_decided_whole_or_not_at_all
    what_is_over_is_forgotten_and_what_is_open_stays
    many_calls_are_recorded_whole_and_a_taken_key_is_skipped
}

/// Names that other systems take for something else.
const TOOLS: [&str; 4] = ["__proto__", "constructor", "mail.send", "mail.Send"];
const KEYS: [&str; 3] = ["k1", "hasOwnProperty", "toString"];
const EXPIRES: i64 = 50;

/// A generator of numbers that is the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// Something that happens to one of a few calls.
#[derive(Debug, Clone, Copy)]
struct Event {
    key: usize,
    what: What,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Call {
        tool: usize,
        argument: u8,
        asks: bool,
        repeatable: bool,
    },
    Decide {
        who: usize,
        yes: bool,
    },
    /// Begins to run it as it would be now: the site may have changed since it was agreed to.
    Claim {
        node: usize,
        as_agreed: bool,
    },
    Finish {
        node: usize,
        end: End,
    },
    TimePasses(i64),
    Restart,
    Settle {
        who: usize,
        found: SettledOutcome,
    },
    Withdraw,
}

fn event(random: &mut Random) -> Event {
    let small = |random: &mut Random, end: u64| usize::try_from(random.below(end)).unwrap_or(0);
    let key = small(random, 3);
    let what = match random.below(13) {
        0..=2 => What::Call {
            tool: small(random, 4),
            argument: u8::from(random.chance()),
            asks: random.below(4) > 0,
            repeatable: random.chance(),
        },
        3..=5 => What::Decide {
            who: small(random, 5),
            yes: random.below(3) > 0,
        },
        6..=7 => What::Claim {
            node: small(random, 2),
            as_agreed: random.below(4) > 0,
        },
        8 => What::Finish {
            node: small(random, 2),
            end: [End::Done, End::Failed, End::Unknown][small(random, 3)],
        },
        9 => What::TimePasses(i64::try_from(random.below(30)).unwrap_or(0)),
        10 => What::Restart,
        11 => What::Settle {
            who: small(random, 5),
            found: [
                SettledOutcome::Happened,
                SettledOutcome::DidNotHappen,
                SettledOutcome::SendAgain,
            ][small(random, 3)],
        },
        _ => What::Withdraw,
    };
    Event { key, what }
}

fn actors() -> [Actor; 5] {
    [
        Actor::User(UserId::from("ana".to_owned())),
        Actor::User(UserId::from("ben".to_owned())),
        Actor::Local,
        Actor::Token(TokenId::from("agent".to_owned())),
        Actor::Anonymous,
    ]
}

const NODES: [&str; 2] = ["node-1", "node-2"];

/// What was asked for under a key.
#[derive(Clone, PartialEq)]
struct Asked {
    tool: usize,
    argument: u8,
}

impl Asked {
    fn digest(&self) -> String {
        format!("{}({})", TOOLS[self.tool], self.argument)
    }
}

/// The calls of a few keys, and what has been seen of each.
#[derive(Default)]
struct World {
    now: i64,
    /// Tells the keys of one world from those of another.
    round: u32,
    calls: BTreeMap<usize, Seen>,
    runs: u64,
}

struct Seen {
    asked: Asked,
    life: CallLife,
    /// What was agreed to, by the policy or by a person in time; watched here apart from the machine.
    agreed: Option<String>,
    runs: u32,
    may_repeat: bool,
}

impl World {
    fn new_life(&self, asked: &Asked, asks: bool, repeatable: bool) -> CallLife {
        let expires = Timestamp::from_millis(self.now + EXPIRES);
        match asks {
            true => CallLife::asking(asked.digest(), repeatable, expires),
            false => CallLife::allowed(asked.digest(), repeatable),
        }
    }

    /// Lets an event happen and checks that nothing ran that may not.
    fn happen(&mut self, event: &Event, actors: &[Actor; 5]) {
        let at = Timestamp::from_millis(self.now);
        if let What::Call {
            tool,
            argument,
            asks,
            repeatable,
        } = event.what
        {
            let asked = Asked { tool, argument };
            let life = self.new_life(&asked, asks, repeatable);
            self.calls.entry(event.key).or_insert_with(|| Seen {
                agreed: (!asks).then(|| asked.digest()),
                asked,
                life,
                runs: 0,
                may_repeat: repeatable,
            });
            return;
        }
        if let What::TimePasses(span) = event.what {
            self.now += span;
            let at = Timestamp::from_millis(self.now);
            for seen in self.calls.values_mut() {
                seen.life.take(&Step::Pass { at }).ok();
            }
            return;
        }
        if let What::Restart = event.what {
            for seen in self.calls.values_mut() {
                seen.life.take(&Step::Orphan).ok();
            }
            return;
        }
        let Some(seen) = self.calls.get_mut(&event.key) else {
            return;
        };
        let bound = bound_of(&seen.asked, event);
        let Some(step) = step(event, at, (actors, &bound)) else {
            return;
        };
        let before = seen.life.clone();
        if seen.life.take(&step).is_err() {
            assert_eq!(
                seen.life, before,
                "a step that is not taken changes nothing"
            );
            return;
        }
        seen.watch(&step, &bound, &before);
        self.runs += u64::from(matches!(step, Step::Claim { .. }));
    }
}

impl Seen {
    fn watch(&mut self, step: &Step<'_>, bound: &str, before: &CallLife) {
        match step {
            Step::Approve { by, at } => {
                assert!(
                    matches!(by, Actor::User(_) | Actor::Local),
                    "{by} is no person"
                );
                assert_eq!(before.state, CallState::Waiting);
                assert!(
                    before.expires.is_some_and(|expires| *at < expires),
                    "too late"
                );
                assert_eq!(self.agreed, None, "one yes is enough");
                self.agreed = Some(before.bound.clone());
            }
            Step::Claim { .. } => {
                self.runs += 1;
                assert_eq!(
                    self.agreed.as_deref(),
                    Some(bound),
                    "it ran without a yes to this"
                );
                assert_eq!(before.state, CallState::Ready);
                assert!(self.runs == 1 || self.may_repeat, "it ran twice");
            }
            Step::Settle { by, .. } => assert!(matches!(by, Actor::User(_) | Actor::Local)),
            Step::Withdraw => assert_eq!(before.state, CallState::Waiting),
            Step::Deny { .. } | Step::Finish { .. } | Step::Pass { .. } | Step::Orphan => {}
        }
    }
}

fn bound_of(asked: &Asked, event: &Event) -> String {
    match event.what {
        What::Claim {
            as_agreed: false, ..
        } => format!("{} later", asked.digest()),
        _ => asked.digest(),
    }
}

fn step<'a>(
    event: &Event,
    at: Timestamp,
    (actors, bound): (&'a [Actor; 5], &'a str),
) -> Option<Step<'a>> {
    Some(match event.what {
        What::Decide { who, yes: true } => Step::Approve {
            by: &actors[who],
            at,
        },
        What::Decide { who, yes: false } => Step::Deny {
            by: &actors[who],
            at,
        },
        What::Claim { node, .. } => Step::Claim {
            lease: Lease {
                holder: NODES[node].to_owned(),
                until: Timestamp::from_millis(at.millis() + 20),
            },
            at,
            bound,
        },
        What::Finish { node, end } => Step::Finish {
            holder: NODES[node],
            end,
        },
        What::Settle { who, found } => Step::Settle {
            by: &actors[who],
            found,
        },
        What::Withdraw => Step::Withdraw,
        What::Call { .. } | What::TimePasses(_) | What::Restart => return None,
    })
}

#[test]
fn in_a_million_interleavings_nothing_runs_without_a_yes_to_exactly_it() {
    let actors = actors();
    let mut random = Random(0x5eed_ca11);
    let (mut runs, mut states) = (0, BTreeMap::new());
    for _ in 0..1_000_000 {
        let mut world = World::default();
        for _ in 0..8 + random.below(17) {
            world.happen(&event(&mut random), &actors);
        }
        runs += world.runs;
        for seen in world.calls.values() {
            *states.entry(seen.life.state.as_str()).or_insert(0_u32) += 1;
        }
    }
    // Were hardly anything to happen, the checks above would say little.
    assert!(runs > 200_000, "{runs}");
    assert!(
        states.len() == CallState::ALL.len() && states.values().all(|count| *count > 1_000),
        "{states:?}"
    );
}

const NOW: i64 = 1_800_000_000_000;

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

fn record(key: &str, asked: &Asked, life: CallLife) -> CallRecord {
    CallRecord {
        id: CallId::new(),
        site: main_site(),
        actor: Actor::Token(TokenId::from("agent".to_owned())),
        key: key.to_owned(),
        card: key.to_owned(),
        scope: Scope::Plugin,
        tool: TOOLS[asked.tool].to_owned(),
        digest: asked.digest(),
        arguments: Some(json!({ "argument": asked.argument })),
        request: json!({}),
        judged: None,
        preview: None,
        life,
        outcome: None,
        at: Timestamp::from_millis(NOW),
        ended_at: None,
    }
}

/// Lets the same event happen to the rows.
async fn happen_in_rows(
    store: &Store,
    ids: &mut BTreeMap<usize, CallId>,
    (event, world): (&Event, &World),
) -> anyhow::Result<()> {
    let actors = actors();
    let at = Timestamp::from_millis(world.now);
    let by = Stamp {
        actor: Actor::Local,
        at,
    };
    let stepped = StepRecord {
        outcome: None,
        by: &by,
    };
    let refused = |result: Result<CallRecord, StepError>| match result {
        Ok(_) | Err(StepError::No(_)) => Ok(()),
        Err(StepError::Store(error)) => Err(error),
    };
    match event.what {
        What::Call {
            tool,
            argument,
            asks,
            repeatable,
        } => {
            let asked = Asked { tool, argument };
            let life = world.new_life(&asked, asks, repeatable);
            let call = record(&format!("{}{}", KEYS[event.key], world.round), &asked, life);
            if let std::collections::btree_map::Entry::Vacant(free) = ids.entry(event.key) {
                assert_eq!(store.begin_call(&call).await?, None);
                free.insert(call.id);
            }
        }
        What::TimePasses(span) => {
            let at = Timestamp::from_millis(world.now + span);
            for call in store.due_calls(at).await? {
                refused(
                    store
                        .step_call(&call.id, &[Step::Pass { at }], stepped)
                        .await,
                )?;
            }
        }
        What::Restart => {
            for call in store.running_calls().await? {
                refused(store.step_call(&call.id, &[Step::Orphan], stepped).await)?;
            }
        }
        What::Decide { .. }
        | What::Claim { .. }
        | What::Finish { .. }
        | What::Settle { .. }
        | What::Withdraw => {
            let Some(id) = ids.get(&event.key) else {
                return Ok(());
            };
            let bound = bound_of(&world.calls[&event.key].asked, event);
            if let Some(step) = step(event, at, (&actors, &bound)) {
                refused(store.step_call(id, &[step], stepped).await)?;
            }
        }
    }
    Ok(())
}

async fn interleavings_end_in_the_rows_as_in_the_machine(fresh: &Fresh) -> anyhow::Result<()> {
    let actors = actors();
    let mut random = Random(0xca11_5eed);
    let mut store = fresh.open().await;
    for round in 0..500 {
        let mut ids = BTreeMap::new();
        let mut world = World {
            round,
            ..World::default()
        };
        for _ in 0..4 + random.below(8) {
            let event = event(&mut random);
            // What is not in the rows is gone after this. Opening is slow, so not every restart is a real one.
            if matches!(event.what, What::Restart) && round % 10 == 0 {
                store.close().await;
                store = fresh.open().await;
            }
            happen_in_rows(&store, &mut ids, (&event, &world)).await?;
            world.happen(&event, &actors);
        }
        for (key, id) in &ids {
            let row = store.call(&main_site(), id).await?;
            assert_eq!(row.life, world.calls[key].life, "round {round}, key {key}");
        }
        // What is left must not be due in the next round.
        for id in ids.values() {
            let by = Stamp::local(Timestamp::from_millis(world.now + 1_000));
            let at = by.at;
            let stepped = StepRecord {
                outcome: None,
                by: &by,
            };
            store.step_call(id, &[Step::Orphan], stepped).await.ok();
            store
                .step_call(id, &[Step::Pass { at }], stepped)
                .await
                .ok();
        }
    }
    let secrets = Fresh::secrets(&store).await;
    secrets.seal_audit().await?;
    assert_eq!(secrets.verify_audit(None).await?.broken, None);
    Ok(())
}

async fn a_second_call_with_a_key_is_answered_by_the_first(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let asked = Asked {
        tool: 2,
        argument: 0,
    };
    let life = CallLife::allowed(asked.digest(), false);
    let first = record("k", &asked, life.clone());
    assert_eq!(store.begin_call(&first).await?, None);
    let second = record("k", &asked, life.clone());
    assert_eq!(
        store.begin_call(&second).await?.map(|call| call.id),
        Some(first.id.clone())
    );
    // Somebody else's key is another key.
    let other = CallRecord {
        actor: Actor::Local,
        ..record("k", &asked, life)
    };
    assert_eq!(store.begin_call(&other).await?, None);
    assert_eq!(
        store
            .calls(&main_site(), Default::default(), 10)
            .await?
            .len(),
        2
    );
    Ok(())
}

async fn a_card_is_decided_whole_or_not_at_all(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let at = |seconds: i64| Timestamp::from_millis(NOW + seconds * 1000);
    let asked = Asked {
        tool: 2,
        argument: 0,
    };
    let call = |key: &str, expires: i64| {
        let life = CallLife::asking(asked.digest(), false, at(expires));
        CallRecord {
            card: "round-1".to_owned(),
            ..record(key, &asked, life)
        }
    };
    for call in [call("a", 100), call("b", 10)] {
        store.begin_call(&call).await?;
    }
    let site = main_site();
    let ana = Actor::User(UserId::from("ana".to_owned()));
    let yes = async |seconds: i64| {
        let by = Stamp {
            actor: ana.clone(),
            at: at(seconds),
        };
        let step = Step::Approve {
            by: &ana,
            at: by.at,
        };
        let stepped = StepRecord {
            outcome: None,
            by: &by,
        };
        store
            .step_card((&site, "round-1"), &step, &[], stepped)
            .await
    };
    // One of the two has run out: the other must not be approved behind the person's back.
    assert!(matches!(yes(20).await, Err(StepError::No(_))));
    let states = async || -> anyhow::Result<Vec<CallState>> {
        let calls = store.calls_of_card(&site, "round-1").await?;
        Ok(calls.iter().map(|call| call.life.state).collect())
    };
    assert_eq!(states().await?, [CallState::Waiting, CallState::Waiting]);
    assert_eq!(yes(5).await?.len(), 2);
    assert_eq!(states().await?, [CallState::Ready, CallState::Ready]);
    assert!(
        matches!(yes(6).await, Err(StepError::No(_))),
        "a second yes"
    );
    Ok(())
}

async fn what_is_over_is_forgotten_and_what_is_open_stays(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let asked = Asked {
        tool: 2,
        argument: 0,
    };
    for (key, state) in [
        ("done", CallState::Done),
        ("unknown", CallState::Unknown),
        ("waiting", CallState::Waiting),
    ] {
        let life = CallLife {
            state,
            ..CallLife::allowed(asked.digest(), false)
        };
        store.begin_call(&record(key, &asked, life)).await?;
    }
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let (age, made) = (30 * DAY, Timestamp::from_millis(NOW));
    let forget = async |now: Timestamp| {
        let clock = proven_clock(&store, now).await?;
        anyhow::Ok(store.forget_calls(&clock, age).await?)
    };
    assert_eq!(forget(made.after(age)).await?, 0);
    // One reading that jumps ahead deletes nothing.
    let ahead = store.retention_clock(made.after(400 * DAY)).await?;
    assert_eq!(store.forget_calls(&ahead, age).await?, 0);
    assert_eq!(forget(made.after(age + DAY)).await?, 1);
    let left = store.calls(&main_site(), Default::default(), 10).await?;
    let mut keys: Vec<&str> = left.iter().map(|call| call.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["unknown", "waiting"]);
    Ok(())
}

async fn many_calls_are_recorded_whole_and_a_taken_key_is_skipped(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let life = || CallLife {
        state: CallState::Done,
        ..CallLife::allowed("bound".to_owned(), true)
    };
    let call = |key: usize| {
        let asked = Asked {
            tool: key % TOOLS.len(),
            argument: 1,
        };
        record(&format!("key{key}"), &asked, life())
    };
    let first = call(40);
    store.record_calls(std::slice::from_ref(&first)).await?;
    // Two statements of many, and a few one by one.
    let calls: Vec<CallRecord> = (0..70).map(call).collect();
    store.record_calls(&calls).await?;
    let mut stored = store.calls(&main_site(), Default::default(), 100).await?;
    let mut expected = calls;
    expected[40] = first;
    stored.sort_by(|a, b| a.id.cmp(&b.id));
    expected.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(stored, expected);
    Ok(())
}
