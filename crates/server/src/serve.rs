//! Listens on the network and on the data folder's socket until it is signalled to stop, and then until the requests in flight are
//! answered. The background tasks of an instance (sealing, sweeping) start and end here too.

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hyper_util::server::graceful::GracefulShutdown;
use sitewright_publish::PublishError;
use sitewright_store::{StoreError, Timestamp, Wake};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::built_in_tools::embedder;
use crate::connection::{Ending, serve_connection};
use crate::connections::Connections;
use crate::origin::Peer;
use crate::{App, FolderLock, meters, retention, router};

/// How long entries are batched before the audit log is sealed.
const SEAL_EVERY: Duration = Duration::from_millis(100);
/// How often the changes of sites are added to the audit log's chain. Each time adds an entry to it.
const SEAL_HISTORIES_EVERY: Duration = Duration::from_secs(60);
/// How often work from other nodes is polled for, and metrics are folded.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The longest time for which a tool registered on another node stays unknown here.
const TOOLS_EVERY: Duration = Duration::from_secs(1);
/// The pause after the service for embeddings has failed.
const EMBED_AGAIN_AFTER: Duration = Duration::from_secs(60);
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(
        "the address {address} is in use by another program; stop that program, or choose another port with --listen {}:{}",
        address.ip(), suggestion
    )]
    PortInUse {
        /// The requested address.
        address: SocketAddr,
        /// A port that is probably free.
        suggestion: u16,
    },
    /// The system does not allow listening on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The requested address.
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    /// The socket in the data folder could not be created.
    #[error("the local socket cannot be made: {0}")]
    Socket(#[source] io::Error),
}

/// A server that is listening but does not answer yet.
pub struct Server {
    app: App,
    network: TcpListener,
    /// `None` while the disk has no room for it.
    socket: Option<LocalSocket>,
    /// Held until the end: it keeps other processes out of the folder.
    lock: FolderLock,
}

impl Server {
    /// Binds the port and creates the socket, so that errors surface before the address is announced.
    pub async fn bind(app: App, mut lock: FolderLock) -> Result<Self, ServeError> {
        let address = app.settings().listen;
        let network = TcpListener::bind(address)
            .await
            .map_err(|source| match source.kind() {
                io::ErrorKind::AddrInUse => ServeError::PortInUse {
                    address,
                    suggestion: free_port(address),
                },
                _ => ServeError::Listen { address, source },
            })?;
        let socket = match LocalSocket::bind(&mut lock) {
            Ok(socket) => Some(socket),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                tracing::error!(
                    "the disk that holds the data folder is full: commands on this machine cannot reach the server until there is room"
                );
                None
            }
            Err(error) => return Err(ServeError::Socket(error)),
        };
        let address = network
            .local_addr()
            .map_err(|source| ServeError::Listen { address, source })?;
        app.listens_on(address);
        // The printed address can differ: `public_url` overrides it, and port 0 leaves the choice to the system.
        tracing::info!(%address, "listening");
        meters::install();
        Ok(Self {
            app,
            network,
            socket,
            lock,
        })
    }

    /// The address people use.
    pub fn address(&self) -> String {
        self.app.address()
    }

    /// A one-time link for setting the instance up; `None` when set-up is complete.
    pub async fn setup_link(&self) -> Result<Option<String>, StoreError> {
        self.app.setup_link().await
    }

    /// Serves until `stop` is cancelled and the requests in flight are done, or the grace period is over.
    ///
    /// With as many open connections as allowed it stops accepting until one ends. Shutdown has an order: streaming responses are
    /// signalled to end, the listeners are closed, connections and the assistant's turns get the grace period, then what is left is
    /// aborted. The background tasks end before the database is closed, because they use it.
    pub async fn run(mut self, stop: CancellationToken) -> io::Result<()> {
        let router = router(&self.app);
        let mut background = JoinSet::new();
        background.spawn(seal(self.app.clone(), stop.clone()));
        background.spawn(sweep(self.app.clone(), stop.clone()));
        background.spawn(tend_calls(self.app.clone(), stop.clone()));
        background.spawn(tend_turns(self.app.clone(), stop.clone()));
        background.spawn(renew_turns(self.app.clone(), stop.clone()));
        background.spawn(tend_breadcrumbs(self.app.clone(), stop.clone()));
        background.spawn(renew_breadcrumbs(self.app.clone(), stop.clone()));
        background.spawn(follow_tools(self.app.clone(), stop.clone()));
        background.spawn(follow_releases(self.app.clone(), stop.clone()));
        background.spawn(release_entries(self.app.clone(), stop.clone()));
        background.spawn(embed_pictures(self.app.clone(), stop.clone()));
        background.spawn(compare_file_place(self.app.clone()));
        let graceful = GracefulShutdown::new();
        let ending = Ending {
            graceful: &graceful,
            stopping: self.app.stopping(),
        };
        let mut connections = Connections::default();
        loop {
            connections.forget_ended();
            let (network, local) = (connections.has_network_room(), connections.has_local_room());
            tokio::select! {
                () = stop.cancelled() => break,
                () = connections.one_ended(), if !network || !local => {}
                accepted = self.network.accept(), if network => match accepted {
                    Ok((stream, address)) => match stream.set_nodelay(true) {
                        Ok(()) if connections.admits(address.ip(), self.app.settings().is_trusted_proxy(address.ip())) => {
                            let serving = serve_connection(stream, Peer::Network(address), router.clone(), &ending);
                            connections.serve_network(address.ip(), serving);
                        }
                        Ok(()) => tracing::debug!(%address, "a connection was closed: the client has too many open"),
                        // Some systems report an error here when the client has already gone.
                        Err(error) => tracing::debug!(%error, "a connection broke off"),
                    },
                    Err(error) => pause_after(&error).await,
                },
                () = tokio::time::sleep(LOOK_EVERY), if self.socket.is_none() => {
                    self.socket = LocalSocket::bind(&mut self.lock).ok();
                }
                accepted = accept_local(self.socket.as_ref()), if local => match accepted {
                    Ok(stream) => {
                        connections.serve_local(serve_connection(stream, Peer::Local, router.clone(), &ending));
                    }
                    Err(error) => pause_after(&error).await,
                },
            }
        }
        self.app.stopping().cancel();
        // No new connections from here on; a command that finds no socket waits for the folder.
        drop(self.network);
        if let Some(socket) = self.socket.take() {
            socket.remove();
        }
        let grace = self.app.settings().shutdown_grace();
        let ended = async { tokio::join!(graceful.shutdown(), self.app.end_turns()) };
        if tokio::time::timeout(grace, ended).await.is_err() {
            tracing::warn!(
                seconds = grace.as_secs(),
                "stopping with requests unanswered"
            );
        }
        connections.shut_down().await;
        while background.join_next().await.is_some() {}
        self.app.close().await.map_err(io::Error::other)
    }
}

/// The socket in the data folder.
struct LocalSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl LocalSocket {
    /// Creates the socket and records its path for other processes.
    fn bind(lock: &mut FolderLock) -> io::Result<Self> {
        let path = lock.socket_path()?;
        let socket = Self {
            listener: UnixListener::bind(&path)?,
            path,
        };
        // Anyone who can connect is treated as the owner, so only the owner may.
        let owner_only = std::fs::Permissions::from_mode(0o600);
        let announced = std::fs::set_permissions(&socket.path, owner_only)
            .and_then(|()| lock.announce(&socket.path));
        match announced {
            Ok(()) => Ok(socket),
            Err(error) => {
                socket.remove();
                Err(error)
            }
        }
    }

    fn remove(self) {
        let Self { listener, path } = self;
        drop(listener);
        if let Err(error) = std::fs::remove_file(path) {
            tracing::warn!(%error, "the local socket could not be removed");
        }
    }
}

/// The next connection on the local socket; never resolves while there is no socket.
async fn accept_local(socket: Option<&LocalSocket>) -> io::Result<UnixStream> {
    match socket {
        Some(socket) => socket.listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Pauses, so that running out of file descriptors does not become a busy loop.
async fn pause_after(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// A port that was free a moment ago.
fn free_port(address: SocketAddr) -> u16 {
    let found = std::net::TcpListener::bind(SocketAddr::new(address.ip(), 0))
        .and_then(|listener| listener.local_addr());
    found.map_or(address.port().wrapping_add(1), |found| found.port())
}

/// Warns when the files that the database speaks of are stored somewhere else. The server starts all the same: everything else works,
/// and the folder may be a new one after a disk was lost.
async fn compare_file_place(app: App) {
    match app.store().shares_files(app.blobs()).await {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "this server stores files in another place than the one where this instance began to: pictures and pages that are \
             stored there are missing here; give all servers one bucket (s3_bucket) or one folder, and copy the files that are missing"
        ),
        Err(error) => tracing::warn!(
            error = &error as &dyn std::error::Error,
            "it could not be checked that all servers store files in one place"
        ),
    }
}

async fn seal(app: App, stop: CancellationToken) {
    let mut histories_at = Instant::now();
    loop {
        let sealed = async {
            if histories_at <= Instant::now() {
                // Set first, so that histories that cannot be sealed hold up the audit log only once a minute.
                histories_at = Instant::now() + SEAL_HISTORIES_EVERY;
                app.store().seal_histories(Timestamp::now()).await?;
            }
            app.secrets().seal_audit().await
        };
        if let Err(error) = sealed.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the audit log could not be sealed; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {
                meters::fold();
                app.refusals().flush(app.store(), Timestamp::now()).await;
            }
            // A batch is everything that arrives within this time after the first entry.
            () = app.store().audit_written() => tokio::time::sleep(SEAL_EVERY).await,
        }
    }
}

/// Loads the tools that other nodes have registered and drops those they have removed.
async fn follow_tools(app: App, stop: CancellationToken) {
    loop {
        if let Err(error) = app.refresh_tools().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "registered tools could not be looked at; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TOOLS_EVERY) => {}
        }
    }
}

/// Shows what was published on other nodes: immediately when they announce it, else with the next poll.
async fn follow_releases(app: App, stop: CancellationToken) {
    let mut wake = None;
    loop {
        if let Err(error) = look_for_release(&app, &mut wake).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "what is published could not be looked at; trying again"
            );
        }
        let changed = async {
            match &mut wake {
                Some(wake) => drop(Wake::changed(wake).await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = changed => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

async fn look_for_release(app: &App, wake: &mut Option<Wake>) -> Result<(), StoreError> {
    let site = app.front().site(app).await?;
    wake.get_or_insert_with(|| app.store().wake(site));
    app.publisher().refresh(site).await.map(drop)
}

/// Makes embeddings of the pictures that have none.
async fn embed_pictures(app: App, stop: CancellationToken) {
    let Some(embedder) = embedder(app.settings(), app.egress()) else {
        return;
    };
    loop {
        let round = tokio::select! {
            () = stop.cancelled() => return,
            round = embedder.embed_pictures(app.store()) => round,
        };
        let pause = match round {
            Ok(true) => Duration::ZERO,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "pictures could not be embedded; trying again in a minute"
                );
                EMBED_AGAIN_AFTER
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Releases entries when somebody publishes them or takes them away, and when their schedules say so. Any node does it.
async fn release_entries(app: App, stop: CancellationToken) {
    let mut wake = None;
    loop {
        if let Err(error) = release_due_entries(&app, &mut wake).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "entries could not be released; trying again"
            );
        }
        let changed = async {
            match &mut wake {
                Some(wake) => drop(Wake::changed(wake).await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = changed => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

async fn release_due_entries(app: &App, wake: &mut Option<Wake>) -> Result<(), PublishError> {
    let front = app.front().site(app).await?;
    wake.get_or_insert_with(|| app.store().wake(front));
    for site in app.store().sites().await? {
        let released = app
            .publisher()
            .release_due(&site.id, Timestamp::now())
            .await?;
        for address in released.left {
            tracing::info!(
                site = site.slug,
                address,
                "a page with other changes was not released with an entry"
            );
        }
    }
    Ok(())
}

async fn sweep(app: App, stop: CancellationToken) {
    loop {
        let now = Timestamp::now();
        if let Err(error) = app.store().sweep(now).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old sessions could not be removed; trying again later"
            );
        }
        if let Err(error) = retention::collect(&app, now).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "what is too old could not be removed; trying again later"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SWEEP_EVERY) => {}
        }
    }
}

/// Resumes calls that were interrupted, and ends those that have timed out.
async fn tend_calls(app: App, stop: CancellationToken) {
    let mut tended = app.pipeline().resume().await;
    loop {
        if let Err(error) = tended {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "calls that wait or run could not be looked after; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        tended = app.pipeline().tend(Timestamp::now()).await;
    }
}

/// Resumes turns that were interrupted, here or on other nodes.
async fn tend_turns(app: App, stop: CancellationToken) {
    let mut tended = app.agent().resume().await;
    loop {
        if let Err(error) = tended {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "turns could not be looked after; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        tended = app.agent().take_over_abandoned().await;
    }
}

/// Goes on with the tool requests of records that were interrupted, here or on other nodes.
async fn tend_breadcrumbs(app: App, stop: CancellationToken) {
    let mut tended = app.breadcrumbs().resume().await;
    loop {
        if let Err(error) = tended {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the requests of records could not be looked after; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        tended = app.breadcrumbs().tend().await;
    }
}

/// Renews the leases of the records whose requests run here, in a task of its own like [`renew_turns`].
async fn renew_breadcrumbs(app: App, stop: CancellationToken) {
    loop {
        if let Err(error) = app.breadcrumbs().renew_leases().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the leases of records could not be renewed; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Renews the leases of the turns that run here. In a task of its own, because other nodes take a turn for dead when its lease is not
/// renewed in time: neither slow work nor a failure in the loops above may hold this up.
async fn renew_turns(app: App, stop: CancellationToken) {
    loop {
        if let Err(error) = app.agent().renew_leases().await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the leases of turns could not be renewed; trying again"
            );
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}
