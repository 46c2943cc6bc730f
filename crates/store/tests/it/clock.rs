//! Starts with a clock that is wrong: nothing is deleted by it, and the history goes on as before once it is right.

use std::time::Duration;

use serde_json::json;
use sitewright_site::{Author, Change, ChangeId, Entity, FORMAT, Op};
use sitewright_store::{Committer, HistoryLimits, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::CapabilitySet;

use crate::both::{Fresh, on_both, proven_clock};

on_both! {
    a_clock_that_is_ahead_for_a_day_deletes_nothing
    a_change_that_a_slow_clock_dated_takes_no_newer_one_with_it
}

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LIMITS: HistoryLimits = HistoryLimits {
    age: Duration::from_secs(365 * 24 * 60 * 60),
    bytes: 1 << 30,
};

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

async fn rename(store: &Store, name: &str, at: Timestamp) -> anyhow::Result<()> {
    let change = Change {
        id: ChangeId::from(name.to_owned()),
        author: Author::Local,
        turn: None,
        summary: format!("Rename to {name}"),
        ops: vec![Op::Put {
            entity: Entity::Site,
            field: "name".to_owned(),
            value: json!(name),
        }],
        expects: Vec::new(),
        format: FORMAT,
    };
    let by = Committer::new(Author::Local, CapabilitySet::all(), Stamp::local(at));
    store
        .live_site(&main_site())
        .await?
        .commit(&change, &by)
        .await?;
    Ok(())
}

/// How many changes are kept one by one, and how many restore points there are.
async fn kept(store: &Store) -> anyhow::Result<(usize, usize)> {
    let history = store.history(&main_site(), None, None, 100).await?;
    Ok((history.entries.len(), history.restore_points.len()))
}

async fn a_clock_that_is_ahead_for_a_day_deletes_nothing(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    for number in 0..5 {
        rename(&store, &format!("n{number}"), NOW).await?;
    }
    let clock = proven_clock(&store, NOW).await?;
    store.tend_history(&main_site(), LIMITS, &clock).await?;
    let before = kept(&store).await?;
    assert_eq!(before, (6, 1));
    store.close().await;
    // The clock is 400 days ahead for a whole day of sweeps, and somebody even makes a change.
    let store = fresh.open().await;
    let wrong = NOW.after(400 * DAY);
    for hour in 0..24 {
        let clock = store.retention_clock(wrong.after(DAY / 24 * hour)).await?;
        let gone = store.tend_history(&main_site(), LIMITS, &clock).await?;
        assert_eq!(gone, 0, "after {hour} hours");
        if hour == 0 {
            rename(&store, "ahead", wrong).await?;
        }
    }
    assert_eq!(kept(&store).await?.0, 7);
    store.close().await;
    // The clock is right again: changes and monthly points go on, and what is too old by then goes.
    let store = fresh.open().await;
    rename(&store, "right", NOW.after(DAY)).await?;
    let clock = proven_clock(&store, NOW.after(20 * DAY)).await?;
    let gone = store.tend_history(&main_site(), LIMITS, &clock).await?;
    assert_eq!((gone, kept(&store).await?.0), (0, 8));
    let points = kept(&store).await?.1;
    rename(&store, "later", NOW.after(60 * DAY)).await?;
    let clock = proven_clock(&store, NOW.after(60 * DAY)).await?;
    store.tend_history(&main_site(), LIMITS, &clock).await?;
    assert_eq!(
        kept(&store).await?.1,
        points + 1,
        "a month later there is another point"
    );
    let clock = proven_clock(&store, NOW.after(380 * DAY)).await?;
    let gone = store.tend_history(&main_site(), LIMITS, &clock).await?;
    assert_eq!(gone, 6, "the start and the five changes of the first day");
    Ok(())
}

async fn a_change_that_a_slow_clock_dated_takes_no_newer_one_with_it(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    let store = fresh.open().await;
    rename(&store, "first", NOW).await?;
    rename(&store, "slow", NOW.before(900 * DAY)).await?;
    rename(&store, "last", NOW).await?;
    let clock = proven_clock(&store, NOW.after(DAY)).await?;
    let gone = store.tend_history(&main_site(), LIMITS, &clock).await?;
    assert_eq!((gone, kept(&store).await?.0), (0, 4));
    Ok(())
}
