//! A database or a bucket that takes connections and never answers. Time is the runtime's own and stands still while anything can be
//! done, so what is measured is how long callers were made to wait, whatever the machine does meanwhile.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use futures_util::future::join_all;
use secrecy::SecretString;
use sitewright_store::{
    BlobId, BlobPlace, Blobs, Place, S3Place, SiteId, Store, StoreError, Timestamp,
};
use sitewright_testkit::{FreshDatabase, closed_port};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

const SOON: Duration = Duration::from_secs(2);
/// Nothing in these tests takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

/// Runs a test on one thread, because the clock can be stopped only there.
fn block_on(test: impl Future<Output = Result<()>>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .expect("a runtime")
        .block_on(test)
        .expect("the test");
}

/// A way to a server on which nothing moves while it is stalled.
struct Line {
    address: String,
    is_stalled: watch::Sender<bool>,
    _tasks: JoinSet<()>,
}

impl Line {
    async fn to(server: String) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let is_stalled = watch::Sender::new(false);
        let stalled = is_stalled.subscribe();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut ways = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, stalled) = (server.clone(), stalled.clone());
                ways.spawn(async move {
                    let Ok(server) = TcpStream::connect(&server).await else {
                        return;
                    };
                    let ((from_client, to_client), (from_server, to_server)) =
                        (client.into_split(), server.into_split());
                    tokio::join!(
                        pass_on(from_client, to_server, stalled.clone()),
                        pass_on(from_server, to_client, stalled)
                    );
                });
            }
        });
        Ok(Self {
            address,
            is_stalled,
            _tasks: tasks,
        })
    }
}

async fn pass_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut stalled: watch::Receiver<bool>,
) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count) = from.read(&mut buffer).await {
        if count == 0 || stalled.wait_for(|is_stalled| !is_stalled).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

#[test]
fn a_postgres_that_does_not_answer_is_given_up_soon_by_everybody() {
    let Some(database) = FreshDatabase::postgres() else {
        return;
    };
    let (before, rest) = database
        .address
        .split_once('@')
        .expect("a user in the address");
    let (server, after) = rest.split_once('/').expect("a database in the address");
    block_on(async {
        let line = Line::to(server.to_owned()).await?;
        let through_the_line = format!("{before}@{}/{after}", line.address);
        let store = Store::open(&Place::Postgres(through_the_line)).await?;
        drop(store.live_site(&main_site()).await?);
        line.is_stalled.send_replace(true);
        tokio::time::pause();
        let started = Instant::now();
        // Callers queue for the one site, and must not wait for the database one after the other.
        let editors =
            join_all((0..30).map(async |_| store.live_site(&main_site()).await.map(drop)));
        let readers = join_all((0..30).map(async |_| store.sites().await.map(drop)));
        let (editors, readers, probe) =
            tokio::join!(editors, readers, store.probe(Timestamp::from_millis(1)));
        assert!(started.elapsed() <= SOON, "{:?}", started.elapsed());
        for answer in editors.into_iter().chain(readers).chain([probe]) {
            assert!(matches!(answer, Err(StoreError::Database(_))), "{answer:?}");
        }
        line.is_stalled.send_replace(false);
        tokio::time::resume();
        // Connections that were given up are replaced. A try that comes too early is refused or waits for the pool by itself.
        let reached = async {
            while store.live_site(&main_site()).await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        Ok(tokio::time::timeout(PATIENCE, reached).await?)
    });
}

fn bucket_at(address: SocketAddr) -> Result<Blobs> {
    Ok(Blobs::open(&BlobPlace::S3(S3Place {
        bucket: "bucket".to_owned(),
        prefix: String::new(),
        region: "us-east-1".to_owned(),
        endpoint: Some(format!("http://{address}")),
        access_key_id: "id".to_owned(),
        secret_access_key: SecretString::from("key"),
    }))?)
}

/// How long an operation on a bucket takes to fail.
async fn time_to_fail<T: std::fmt::Debug>(
    operation: impl Future<Output = Result<T, StoreError>>,
) -> Duration {
    let started = Instant::now();
    let failed = operation.await;
    assert!(matches!(failed, Err(StoreError::Blobs(_))), "{failed:?}");
    started.elapsed()
}

#[test]
fn a_bucket_that_does_not_answer_is_given_up_soon() {
    block_on(async {
        // Connections are made by the system, and nobody ever reads from them.
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let blobs = bucket_at(listener.local_addr()?)?;
        let (site, id) = (main_site(), BlobId::of(b"some"));
        tokio::time::pause();
        let small = Bytes::from_static(b"some");
        assert!(time_to_fail(blobs.put(&site, small)).await <= SOON);
        assert!(time_to_fail(blobs.get(&site, &id)).await <= SOON);
        assert!(time_to_fail(blobs.size(&site, &id)).await <= SOON);
        assert!(time_to_fail(blobs.remove(&site, &id)).await <= SOON);
        assert!(time_to_fail(blobs.probe()).await <= SOON);
        // A large file needs its time on a slow line.
        let large = Bytes::from(vec![0; 4 << 20]);
        let waited = time_to_fail(blobs.put(&site, large)).await;
        assert!((60 * SOON..600 * SOON).contains(&waited), "{waited:?}");
        Ok(())
    });
}

#[test]
fn a_bucket_that_refuses_is_given_up_soon() {
    block_on(async {
        let blobs = bucket_at(closed_port())?;
        tokio::time::pause();
        let started = Instant::now();
        let failed = blobs.probe().await;
        assert!(matches!(failed, Err(StoreError::Blobs(_))), "{failed:?}");
        assert!(started.elapsed() <= SOON, "{:?}", started.elapsed());
        Ok(())
    });
}
