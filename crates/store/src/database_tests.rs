use std::path::Path;
use std::task::Poll;

use sitewright_site::{
    Author, Change, ChangeId, Element, FORMAT, Kind, Mint, Namespace, NewEntity, Node, Op, Page,
    Subtree, SubtreeNode,
};
use sitewright_tool::CapabilitySet;
use sqlx::{AnyConnection, Row as _};

use super::Place;
use crate::{CommitError, Committer, SiteId, Stamp, Store, StoreError, Timestamp};

/// Polls a future so many times, each time when it was woken, and then drops it. Returns whether it finished before.
async fn drop_after_polls(future: impl Future, polls: usize) -> bool {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(move |context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending if left <= 1 => Poll::Ready(false),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// The time of the server, which stands still within a transaction.
async fn time(connection: &mut AnyConnection) -> String {
    sqlx::query_scalar("SELECT CAST(now() AS TEXT)")
        .fetch_one(connection)
        .await
        .unwrap()
}

/// A caller that is dropped while its `BEGIN` is on the way leaves a connection in a transaction that sqlx does not know of. Whoever gets
/// that connection next would write into it, and nothing would ever commit it.
#[tokio::test]
async fn a_caller_that_is_dropped_while_it_begins_leaves_no_transaction_behind() {
    let Some(postgres) = sitewright_testkit::unless_missing(sitewright_testkit::Postgres::shared())
    else {
        return;
    };
    let database = postgres.create_database();
    let store = Store::open(&Place::Postgres(database.url.clone()))
        .await
        .unwrap();
    let mut finished = 0;
    for polls in 1..=24 {
        let begun = drop_after_polls(store.write(), polls).await;
        finished += usize::from(begun);
        // Several at once, because the connection of the dropped caller may not be the next one that the pool gives out.
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(store.reader().acquire().await.unwrap());
        }
        for connection in &mut held {
            let (one, two) = (time(connection).await, time(connection).await);
            assert_ne!(one, two, "a transaction was left after {polls} polls");
        }
    }
    assert!((1..24).contains(&finished), "{finished} of 24 finished");
    store.close().await;
}

/// A connection that is fine is not replaced: opening one takes longer than most statements.
#[tokio::test]
async fn a_connection_to_postgres_is_used_again() {
    let Some(postgres) = sitewright_testkit::unless_missing(sitewright_testkit::Postgres::shared())
    else {
        return;
    };
    let database = postgres.create_database();
    let place = Place::Postgres(database.url.clone());
    let store = Store::open(&place).await.unwrap();
    let mut processes = std::collections::HashSet::new();
    for _ in 0..40 {
        let process: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
            .fetch_one(store.reader())
            .await
            .unwrap();
        processes.insert(process);
    }
    // A connection goes back to the pool in the background, so the next caller may open another, up to the size of the pool.
    let most = super::POSTGRES_CONNECTIONS as usize;
    assert!(processes.len() <= most, "{} connections", processes.len());
    store.close().await;
}

#[test]
fn signs_with_a_meaning_in_addresses_are_encoded() {
    let encoded = super::percent_encoded(Path::new("/a b/ü?#%.db")).unwrap();
    assert_eq!(encoded, "/a%20b/%C3%BC%3F%23%25.db");
}

/// A change that adds a page with a few hundred nodes, so that each of its statements needs disk space.
fn page_change(number: u64) -> Change {
    let id = ChangeId::from(format!("change-{number}"));
    let mut mint = Mint::new(id.clone());
    let (page, root) = (mint.mint(), mint.mint());
    let element = |tag: &str| {
        Node::new(Kind::Element(Element {
            tag: tag.into(),
            namespace: Namespace::Html,
            attrs: Vec::new(),
        }))
    };
    let mut nodes = vec![SubtreeNode {
        id: root,
        parent: None,
        node: element("body"),
    }];
    nodes.extend((0..300).map(|_| SubtreeNode {
        id: mint.mint(),
        parent: Some(0),
        node: element("p"),
    }));
    let new = NewEntity::Page {
        id: page,
        page: Box::new(Page::new(
            format!("Page {number}"),
            format!("page-{number}"),
        )),
        tree: Subtree::new(nodes).unwrap(),
        after: None,
    };
    Change {
        id,
        author: Author::Local,
        turn: None,
        summary: format!("Add page {number}"),
        ops: vec![Op::Insert { new: Box::new(new) }],
        expects: Vec::new(),
        format: FORMAT,
    }
}

/// Limits the growth of the writing connection's file to `pages`; SQLite reports hitting the limit the same way as a full disk.
async fn limit_growth(store: &Store, pages: i64) {
    let mut connection = store.writer.acquire().await.unwrap();
    let count = sqlx::query("PRAGMA page_count")
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    let limit = count.try_get::<i64, _>(0).unwrap().saturating_add(pages);
    let pragma = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {limit}"));
    sqlx::raw_sql(pragma)
        .execute(&mut *connection)
        .await
        .unwrap();
}

/// Whichever statement of a change runs out of space, nothing of the change is stored, the error says that the disk is full, and
/// the same change succeeds once there is space.
#[tokio::test]
async fn a_full_disk_at_any_statement_of_a_change_leaves_a_store_that_writes() {
    const ENOUGH: i64 = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Place::File(folder.path().join("test.db")))
        .await
        .unwrap();
    let site = SiteId::from("main".to_owned());
    let by = Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    );
    let mut expected = vec!["Created the site".to_owned()];
    let mut fitted = None;
    for pages in 0..200 {
        let change = page_change(pages);
        drop(store.live_site(&site).await.unwrap());
        limit_growth(&store, i64::try_from(pages).unwrap()).await;
        let mut live = store.live_site(&site).await.unwrap();
        match live.commit(&change, &by).await {
            Ok(_) => fitted = Some(pages),
            Err(CommitError::Store(StoreError::DiskFull { .. })) => {
                drop(live);
                limit_growth(&store, ENOUGH).await;
                let mut live = store.live_site(&site).await.unwrap();
                let committed = live.commit(&change, &by).await.unwrap();
                assert!(!committed.is_repeated, "{pages} pages of room");
            }
            Err(other) => panic!("{pages} pages of room: {other:?}"),
        }
        expected.push(change.summary);
        if fitted.is_some() {
            break;
        }
    }
    assert!(fitted.is_some_and(|pages| pages > 5), "{fitted:?}");
    limit_growth(&store, ENOUGH).await;
    store.record_calls(&[]).await.unwrap();
    store.close().await;
    let again = Store::open(&Place::File(folder.path().join("test.db")))
        .await
        .unwrap();
    let history = again.history(&site, None, None, 500).await.unwrap();
    let mut summaries: Vec<String> = history
        .entries
        .into_iter()
        .map(|entry| entry.summary)
        .collect();
    summaries.reverse();
    assert_eq!(summaries, expected);
    let check = sqlx::query("PRAGMA integrity_check")
        .fetch_one(again.reader())
        .await
        .unwrap();
    assert_eq!(check.try_get::<String, _>(0).unwrap(), "ok");
}

/// When the pool opens the file, nothing is left to write, however slow the disk is.
#[tokio::test]
async fn a_new_file_has_its_log_before_a_pool_counts_the_time() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let address = format!("sqlite://{}?mode=rwc", path.display());
    let options = address.parse().unwrap();
    super::prepare_file(&path, &options, super::WRITER_PRAGMAS)
        .await
        .unwrap();
    // The format versions for writing and reading the file: 2 means write-ahead logging.
    let header = std::fs::read(&path).unwrap();
    assert_eq!(header.get(18..20), Some(&[2, 2][..]));
}
