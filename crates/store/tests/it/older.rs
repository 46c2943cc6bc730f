//! The database of an older version, frozen as that version wrote it: everything in it is there after it was brought up to date.
//!
//! The version could not open its own database again: it replayed entries about a page onto a shell that did not have that page. So
//! this is also the proof that sites that were broken by it open again, unchanged.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_site::{BodyId, ChangeId, Facts, Outcome, View, site_tools};
use sitewright_store::{
    CallFilter, CallState, ConversationOwner, KeySource, Place, Secrets, Site, Store, TurnState,
};
use sqlx::{Connection as _, Row as _};

use crate::audit::connect;
use crate::both::{Fresh, on_both};

const DATABASE: &str = include_str!("../fixtures/level-10/database.sql");
/// A line for each migration: its number, its checksum and its name.
const MIGRATIONS: &str = include_str!("../fixtures/level-10/migrations.txt");
/// What the older version read in each document.
const DOCUMENTS: &str = include_str!("../fixtures/level-10/documents.json");

on_both! {
    every_row_of_an_older_database_is_there
    the_documents_of_an_older_database_read_as_they_were
    what_stands_beside_the_documents_of_an_older_database_is_read
    an_older_database_can_be_changed
}

/// Writes the older database, as far as it goes beyond the tables and rows of the product.
async fn load(fresh: &Fresh) -> Result<()> {
    let (table, bytes) = match &fresh.place {
        Place::File(_) => (
            "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB",
            "x'#'",
        ),
        Place::Postgres(_) => (
            "TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA",
            "decode('#', 'hex')",
        ),
    };
    let mut text = format!(
        "{DATABASE}\nCREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on {table} NOT \
         NULL, execution_time BIGINT NOT NULL);"
    );
    for line in MIGRATIONS.lines() {
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().context("three parts");
        let (version, checksum, name) = (part()?, part()?, part()?);
        let checksum = bytes.replace('#', checksum);
        text += &format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES ({version}, '{name}', TRUE, {checksum}, 0);"
        );
    }
    let mut connection = connect(fresh).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(text))
        .execute(&mut connection)
        .await?;
    Ok(connection.close().await?)
}

/// The key that the older version was given.
async fn secrets(store: &Store) -> Result<Secrets> {
    let key = KeySource::Given("00112233445566778899aabbccddeeff".repeat(2).into());
    Ok(Secrets::open(store, &key).await?)
}

async fn opened(fresh: &Fresh) -> Result<(Store, Site)> {
    load(fresh).await?;
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0);
    Ok((store, site))
}

/// The columns that the older version gave each table.
fn tables() -> BTreeMap<&'static str, &'static str> {
    let inserts = DATABASE
        .lines()
        .filter_map(|line| line.strip_prefix("INSERT INTO "));
    let heads = inserts.filter_map(|line| line.split_once(") VALUES ("));
    heads
        .filter_map(|(head, _)| head.split_once(" ("))
        .collect()
}

/// Every row of every table, by the columns that the older version knew.
async fn rows(fresh: &Fresh) -> Result<BTreeMap<&'static str, BTreeSet<Vec<Option<String>>>>> {
    let mut connection = connect(fresh).await?;
    let mut all = BTreeMap::new();
    for (table, columns) in tables() {
        let cast = columns
            .split(", ")
            .map(|column| format!("CAST({column} AS TEXT)"));
        let cast: Vec<String> = cast.collect();
        let select = format!("SELECT {} FROM {table}", cast.join(", "));
        let found = sqlx::query(sqlx::AssertSqlSafe(select))
            .fetch_all(&mut connection)
            .await?;
        let read = |row: &sqlx::any::AnyRow| (0..cast.len()).map(|at| row.try_get(at)).collect();
        let found: Result<BTreeSet<Vec<Option<String>>>, sqlx::Error> =
            found.iter().map(read).collect();
        all.insert(table, found?);
    }
    connection.close().await?;
    Ok(all)
}

async fn every_row_of_an_older_database_is_there(fresh: &Fresh) -> Result<()> {
    load(fresh).await?;
    let before = rows(fresh).await?;
    let count: usize = before.values().map(BTreeSet::len).sum();
    let inserted = DATABASE
        .lines()
        .filter(|line| line.starts_with("INSERT INTO "))
        .count();
    assert_eq!(count, inserted, "the whole fixture is loaded");
    for _ in 0..2 {
        let store = fresh.open().await;
        drop(store.live_site(&store.sites().await?.remove(0).id).await?);
        store.close().await;
        let after = rows(fresh).await?;
        // Opening adds the first collections and menus, so the log has one more entry.
        for (table, old) in before.iter().filter(|(table, _)| **table != "site_logs") {
            let lost: Vec<_> = old.difference(&after[table]).collect();
            assert!(lost.is_empty(), "{table}: {lost:?}");
        }
    }
    Ok(())
}

async fn the_documents_of_an_older_database_read_as_they_were(fresh: &Fresh) -> Result<()> {
    let (store, site) = opened(fresh).await?;
    assert_eq!(store.check_site(&site.id).await?, []);
    let tools = site_tools();
    let mut read = tools
        .iter()
        .filter(|tool| tool.definition.name() == "read_document");
    let read = read.next().context("the tool")?;
    let documents: Vec<Value> = serde_json::from_str(DOCUMENTS)?;
    let mut live = store.live_site(&site.id).await?;
    assert!(live.damage().is_none());
    // The older version wrote twelve entries; opening added the first collections and menus.
    assert_eq!(live.seq(), 13);
    let slugs: Vec<&str> = live
        .site()
        .collections()
        .map(|(_, found)| found.slug.as_str())
        .collect();
    assert_eq!(slugs, ["blog"]);
    assert_eq!(live.site().navigations().count(), 2);
    for expected in &documents {
        let id: BodyId = serde_json::from_value(expected["document"]["id"].clone())?;
        assert!(live.open(id).await?);
        let known = (&Facts::default(), ChangeId::from("read".to_owned()));
        let input = json!({ "document": expected["document"] });
        let run = read.run(input, live.site_mut(), &View::default(), known);
        let Ok(Outcome::Done(run)) = run else {
            anyhow::bail!("it is read without anything else: {run:?}");
        };
        for field in ["document", "title", "html", "css"] {
            assert_eq!(run.data[field], expected[field], "{field}");
        }
    }
    assert_eq!(live.site().shell.pages.iter().count(), documents.len());
    Ok(())
}

async fn what_stands_beside_the_documents_of_an_older_database_is_read(
    fresh: &Fresh,
) -> Result<()> {
    let (store, site) = opened(fresh).await?;
    let chain = secrets(&store).await?.verify_audit(None).await?;
    // Entries were not signed then; opening adds one that is.
    assert_eq!((chain.sealed, chain.broken), (30, None));
    let members = store.members(&site.id).await?;
    let emails: BTreeSet<&str> = members
        .iter()
        .map(|member| member.user.email.as_str())
        .collect();
    assert_eq!(
        emails,
        BTreeSet::from(["ada@example.com", "grace@example.com"])
    );
    let ada = store
        .user_by_email("ada@example.com")
        .await?
        .context("Ada")?;
    let preferences = store.preferences(&ada.id).await?;
    assert_eq!(preferences["theme"], "dunkel");
    let history = store.history(&site.id, None, None, 50).await?;
    let told: Vec<&str> = history
        .entries
        .iter()
        .map(|entry| entry.summary.as_str())
        .collect();
    assert_eq!(told.len(), 12);
    assert_eq!(told[0], "Undo a change");
    let releases = store.releases(&site.id, None, 10).await?;
    let numbers: Vec<u64> = releases.iter().map(|release| release.number).collect();
    assert_eq!(numbers, [2, 1]);
    let routes = store.release_routes(&site.id, &releases[0].id).await?;
    assert!(routes.contains_key("/menu"), "{routes:?}");
    let media = store.media_page(&site.id, "boat", None, 10).await?.rows;
    assert_eq!((media.len(), media[0].alt.as_str()), (1, "A blue boat"));
    let policy = store.policy(&site.id).await?.active;
    assert_eq!(
        policy.as_deref(),
        Some("permit (principal, action, resource);")
    );
    let calls = store.calls(&site.id, CallFilter::default(), 200).await?;
    let waiting = calls
        .iter()
        .filter(|call| call.life.state == CallState::Waiting);
    assert_eq!((calls.len(), waiting.count()), (27, 1));
    let owner = ConversationOwner {
        site: &site.id,
        owner: "token:01a1e475d85a7496bb80d3fe09db1eb2",
    };
    let conversation = store.conversations(owner, None, 10).await?.remove(0);
    assert_eq!(conversation.title, "add a page called Team");
    assert_eq!(store.messages(&conversation.id).await?.len(), 10);
    let turns = store.turns(&conversation.id, 10).await?;
    assert_eq!((turns.len(), turns[0].state), (1, TurnState::Done));
    Ok(())
}

async fn an_older_database_can_be_changed(fresh: &Fresh) -> Result<()> {
    let (store, site) = opened(fresh).await?;
    crate::documents::commit_page(&store, &site.id, 1).await?;
    store.seal_histories(crate::people::NOW).await?;
    let secrets = secrets(&store).await?;
    secrets.seal_audit().await?;
    let chain = secrets.verify_audit(None).await?;
    assert!(chain.sealed > 29 && chain.broken.is_none(), "{chain:?}");
    store.close().await;
    let store = fresh.open().await;
    let live = store.live_site(&site.id).await?;
    assert_eq!(live.seq(), 14);
    assert!(live.damage().is_none());
    Ok(())
}
