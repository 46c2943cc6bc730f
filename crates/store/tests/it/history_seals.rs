//! The history of a site under the audit chain: what is altered or removed behind the store's back is named.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use sitewright_site::{Author, Change, ChangeId, Entity, FORMAT, Op};
use sitewright_store::{Committer, HistoryLimits, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::CapabilitySet;

use crate::audit::tamper;
use crate::both::{Fresh, on_both, proven_clock};

on_both! {
    every_way_of_tampering_with_a_history_is_found
    what_is_left_of_a_collapsed_history_is_still_covered
    nodes_that_seal_at_once_leave_one_row_of_seals
    hashes_are_not_shown_as_something_that_happened
}

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

pub(crate) async fn rename(store: &Store, name: &str, at: Timestamp) -> Result<()> {
    let change = Change {
        id: ChangeId::from(name.to_owned()),
        author: Author::Local,
        turn: Some("turn".to_owned()),
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
    let mut live = store.live_site(&main_site()).await?;
    live.commit(&change, &by).await?;
    Ok(())
}

pub(crate) async fn seal(store: &Store) -> Result<u64> {
    let sealed = store.seal_histories(NOW).await?;
    Fresh::secrets(store).await.seal_audit().await?;
    Ok(sealed)
}

/// How many changes are covered, and what is wrong with them.
async fn verified(store: &Store) -> Result<(u64, Option<String>)> {
    let report = Fresh::secrets(store).await.verify_audit(None).await?;
    Ok((report.changes, report.broken))
}

/// A statement that alters one column of a change, and one that puts back what was there.
const ALTERED_COLUMNS: [(&str, &str); 7] = [
    (
        "UPDATE site_changes SET summary = summary || '!' WHERE seq = 5",
        "UPDATE site_changes SET summary = 'Rename to n5' WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET author = '{\"kind\":\"person\",\"id\":\"eve\"}' || ' ' WHERE seq = 5",
        "UPDATE site_changes SET author = (SELECT author FROM site_changes WHERE seq = 4) WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET at = at - 1 WHERE seq = 5",
        "UPDATE site_changes SET at = at + 1 WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET turn = NULL WHERE seq = 5",
        "UPDATE site_changes SET turn = 'turn' WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET ops = ops || ' ' WHERE seq = 5",
        "UPDATE site_changes SET ops = TRIM(ops) WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET replaced = replaced || ' ' WHERE seq = 5",
        "UPDATE site_changes SET replaced = TRIM(replaced) WHERE seq = 5",
    ),
    (
        "UPDATE site_changes SET tainted = 1 WHERE seq = 5",
        "UPDATE site_changes SET tainted = 0 WHERE seq = 5",
    ),
];

async fn every_way_of_tampering_with_a_history_is_found(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    // The first entry of the site comes with the first change.
    for number in 2..=4 {
        rename(&store, &format!("n{number}"), NOW).await?;
    }
    assert_eq!(verified(&store).await?, (0, None), "nothing is sealed yet");
    assert_eq!((seal(&store).await?, seal(&store).await?), (4, 0));
    for number in 5..=6 {
        rename(&store, &format!("n{number}"), NOW).await?;
        assert_eq!(seal(&store).await?, 1);
    }
    assert_eq!(verified(&store).await?, (6, None));
    let altered = |place: &str| format!("{place} in the history of the site `main`");
    for (statement, undo) in ALTERED_COLUMNS {
        tamper(fresh, statement).await?;
        let found = verified(&store).await?;
        assert_eq!(
            found,
            (6, Some(altered("change 5 was altered"))),
            "{statement}"
        );
        tamper(fresh, undo).await?;
        assert_eq!(verified(&store).await?, (6, None), "{undo}");
    }
    // Several changes under one seal cannot be told apart.
    tamper(fresh, "UPDATE site_changes SET summary = 'x' WHERE seq = 3").await?;
    let found = verified(&store).await?.1;
    assert_eq!(
        found,
        Some(altered("one of the changes 1 to 4 was altered"))
    );
    tamper(
        fresh,
        "UPDATE site_changes SET summary = 'Rename to n3' WHERE seq = 3",
    )
    .await?;
    tamper(fresh, "DELETE FROM site_changes WHERE seq = 6").await?;
    let found = verified(&store).await?.1;
    assert_eq!(found, Some(altered("change 6 is missing")));
    // Whoever removes the beginning and says that it was collapsed needs an entry in the chain for it.
    tamper(fresh, "DELETE FROM site_changes WHERE seq <= 3").await?;
    tamper(fresh, "UPDATE site_logs SET kept_from = 4").await?;
    let found = verified(&store).await?.1;
    assert_eq!(found, Some(altered("changes 1 to 3 are missing")));
    Ok(())
}

async fn what_is_left_of_a_collapsed_history_is_still_covered(fresh: &Fresh) -> Result<()> {
    let limits = HistoryLimits {
        age: 365 * DAY,
        bytes: 1 << 30,
    };
    let store = fresh.open().await;
    for number in 2..=4 {
        rename(&store, &format!("n{number}"), NOW).await?;
    }
    seal(&store).await?;
    for number in 5..=9 {
        rename(&store, &format!("n{number}"), NOW.after(100 * DAY)).await?;
    }
    // All that was sealed goes.
    let clock = proven_clock(&store, NOW.after(380 * DAY)).await?;
    assert_eq!(store.tend_history(&main_site(), limits, &clock).await?, 4);
    assert_eq!(verified(&store).await?, (0, None));
    assert_eq!(seal(&store).await?, 5);
    assert_eq!(verified(&store).await?, (5, None));
    // The next collapse ends where a seal ends, and the last one within what a seal covers.
    for number in 10..=12 {
        rename(&store, &format!("n{number}"), NOW.after(390 * DAY)).await?;
    }
    let tight = HistoryLimits {
        age: 285 * DAY,
        bytes: 1 << 30,
    };
    let clock = proven_clock(&store, NOW.after(386 * DAY)).await?;
    assert_eq!(store.tend_history(&main_site(), tight, &clock).await?, 5);
    assert_eq!(verified(&store).await?, (0, None));
    seal(&store).await?;
    let all = HistoryLimits { bytes: 1, ..tight };
    assert_eq!(store.tend_history(&main_site(), all, &clock).await?, 2);
    seal(&store).await?;
    assert_eq!(verified(&store).await?, (1, None));
    tamper(
        fresh,
        "UPDATE site_changes SET summary = 'x' WHERE seq = 12",
    )
    .await?;
    let found = verified(&store).await?.1;
    let expected = "change 12 was altered in the history of the site `main`";
    assert_eq!(found.as_deref(), Some(expected));
    Ok(())
}

async fn nodes_that_seal_at_once_leave_one_row_of_seals(fresh: &Fresh) -> Result<()> {
    let (one, other) = (fresh.open().await, fresh.open().await);
    for number in 2..=20 {
        rename(&one, &format!("n{number}"), NOW).await?;
        let (a, b) = tokio::join!(one.seal_histories(NOW), other.seal_histories(NOW));
        assert!(a? + b? <= 2);
    }
    seal(&one).await?;
    assert_eq!(verified(&other).await?, (20, None));
    Ok(())
}

async fn hashes_are_not_shown_as_something_that_happened(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    rename(&store, "other", NOW).await?;
    seal(&store).await?;
    let report = Fresh::secrets(&store).await.verify_audit(None).await?;
    assert_eq!(report.sealed, 1);
    let page = store.audit_page(&main_site(), None, 10).await?;
    assert!(page.entries.is_empty(), "{:?}", page.entries);
    Ok(())
}
