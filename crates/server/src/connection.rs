//! One connection, from its first byte to its last. When the server stops, a request that is being handled may take until the end of
//! the grace period; a connection that waits for its client and receives nothing is closed after a short time.

use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::Request;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::origin::Peer;

/// A client that has not sent its headers by then is disconnected, even if it has sent nothing at all.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a client may leave an answer unread before it is disconnected.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a connection may be idle on the client's side while the server is stopping.
const STALL_MAX: Duration = Duration::from_secs(2);

/// The server's shutdown, as connections need it.
pub(crate) struct Ending<'a> {
    /// Waits for the connections to end.
    pub(crate) graceful: &'a GracefulShutdown,
    /// Cancelled when shutdown begins.
    pub(crate) stopping: &'a CancellationToken,
}

/// Serves one connection. The future is built here, so that the graceful shutdown knows the connection before it is first polled.
pub(crate) fn serve_connection<S>(
    stream: S,
    peer: Peer,
    router: Router,
    ending: &Ending<'_>,
) -> impl Future<Output = ()> + use<S>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let traffic = Arc::new(Traffic::default());
    let answering = Arc::clone(&traffic);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (router, traffic) = (router.clone(), Arc::clone(&answering));
        let exchange = Exchange::begin(&traffic);
        request.extensions_mut().insert(peer);
        async move {
            let request = request.map(|body| Body::new(RequestBody::new(body, traffic)));
            let response: Response = router.oneshot(request).await?;
            let response = response.map(|body| ResponseBody {
                body,
                _exchange: exchange,
            });
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(Duration::from_secs(30)));
    let stream = MeteredStream {
        stream,
        traffic: Arc::clone(&traffic),
        write_deadline: None,
    };
    let serving = http
        .serve_connection_with_upgrades(TokioIo::new(stream), service)
        .into_owned();
    let serving = ending.graceful.watch(serving);
    let stopping = ending.stopping.clone();
    async move {
        // hyper starts its header timeout only once it knows the HTTP version, which a silent client never sends.
        let serving = unless_silent(HEADER_TIMEOUT, traffic.first_request(), serving);
        let stalled = async {
            stopping.cancelled().await;
            traffic.stalled(STALL_MAX).await;
        };
        tokio::select! {
            ended = serving => if let Some(Err(error)) = ended {
                // Clients disconnect in the middle all the time.
                tracing::debug!(%error, "a connection broke off");
            },
            () = stalled => tracing::debug!("a connection was closed that waited for its client"),
        }
    }
}

/// Runs `serving` to its end, or drops it when no request arrives in time.
async fn unless_silent<T>(
    limit: Duration,
    asked: impl Future<Output = ()>,
    serving: impl Future<Output = T>,
) -> Option<T> {
    let mut serving = pin!(serving);
    tokio::select! {
        ended = &mut serving => Some(ended),
        asked = tokio::time::timeout(limit, asked) => match asked {
            Ok(()) => Some(serving.await),
            Err(_elapsed) => None,
        },
    }
}

/// The activity on a connection. Counted with atomics and without reading the clock, because it is updated on every request.
#[derive(Debug, Default)]
struct Traffic {
    /// Incremented with every chunk that is read or written.
    pieces: AtomicU64,
    /// Requests whose head has arrived and whose response is not complete.
    exchanges: AtomicUsize,
    /// Those of them whose handler waits for more of the body.
    waiting: AtomicUsize,
    requested: Notify,
}

impl Traffic {
    async fn first_request(&self) {
        self.requested.notified().await;
    }

    /// Returns once there was no traffic for `limit` while the server was waiting for the client.
    async fn stalled(&self, limit: Duration) {
        loop {
            let before = self.pieces.load(Ordering::Relaxed);
            tokio::time::sleep(limit).await;
            let exchanges = self.exchanges.load(Ordering::Relaxed);
            let is_clients_turn = exchanges == self.waiting.load(Ordering::Relaxed);
            if is_clients_turn && before == self.pieces.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    fn count_piece(&self) {
        self.pieces.fetch_add(1, Ordering::Relaxed);
    }
}

/// A request and its response, counted until dropped.
struct Exchange(Arc<Traffic>);

impl Exchange {
    fn begin(traffic: &Arc<Traffic>) -> Self {
        traffic.requested.notify_one();
        traffic.exchanges.fetch_add(1, Ordering::Relaxed);
        traffic.count_piece();
        Self(Arc::clone(traffic))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.exchanges.fetch_sub(1, Ordering::Relaxed);
        self.0.count_piece();
    }
}

/// A request body that records whether its handler waits for more of it.
struct RequestBody {
    body: Incoming,
    is_waiting: bool,
    traffic: Arc<Traffic>,
}

impl RequestBody {
    fn new(body: Incoming, traffic: Arc<Traffic>) -> Self {
        Self {
            body,
            is_waiting: false,
            traffic,
        }
    }

    fn set_waiting(&mut self, is_waiting: bool) {
        match (self.is_waiting, is_waiting) {
            (false, true) => self.traffic.waiting.fetch_add(1, Ordering::Relaxed),
            (true, false) => self.traffic.waiting.fetch_sub(1, Ordering::Relaxed),
            (true, true) | (false, false) => return,
        };
        self.is_waiting = is_waiting;
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.set_waiting(polled.is_pending());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.set_waiting(false);
    }
}

/// A response body; dropping it ends the exchange.
struct ResponseBody {
    body: Body,
    _exchange: Exchange,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that counts its reads and writes.
struct MeteredStream<S> {
    stream: S,
    traffic: Arc<Traffic>,
    /// Runs while a write waits for the client to read.
    write_deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> MeteredStream<S> {
    /// Counts a write that is through, and fails one that has waited too long. Without a limit, clients that request large files and
    /// do not read them would keep them in memory.
    fn limit_write(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if polled.is_ready() {
            self.traffic.count_piece();
            self.write_deadline = None;
            return polled;
        }
        let deadline = self
            .write_deadline
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_TIMEOUT)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => polled,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MeteredStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_ready() {
            self.traffic.count_piece();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MeteredStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit_write(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.limit_write(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{Exchange, MeteredStream, Traffic, unless_silent};
    use std::future::{pending, ready};
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt as _;

    const LIMIT: Duration = Duration::from_secs(1);

    /// Without the limit, connections that never send anything could occupy every slot.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_asks_for_nothing_is_cut_off_and_one_that_asks_is_not() {
        let answer = async {
            tokio::time::sleep(4 * LIMIT).await;
            "answered"
        };
        let silent = unless_silent(LIMIT, pending(), pending::<()>());
        assert_eq!(silent.await, None);
        assert_eq!(
            unless_silent(LIMIT, ready(()), answer).await,
            Some("answered")
        );
        assert_eq!(
            unless_silent(LIMIT, pending(), ready("gone")).await,
            Some("gone")
        );
    }

    /// L13: nothing limited how long an answer could wait for a client that does not read it.
    #[tokio::test(start_paused = true)]
    async fn l13_a_client_that_does_not_read_its_answer_is_cut_off() {
        let (server, _client) = tokio::io::duplex(16);
        let mut stream = MeteredStream {
            stream: server,
            traffic: Arc::new(Traffic::default()),
            write_deadline: None,
        };
        let written = stream.write_all(&[0; 64]).await;
        let kind = written.map_err(|error| error.kind());
        assert_eq!(kind, Err(std::io::ErrorKind::TimedOut));
    }

    /// Whether the connection is still open after ten times the limit.
    async fn is_held(traffic: &Traffic) -> bool {
        let stalled = traffic.stalled(LIMIT);
        tokio::time::timeout(10 * LIMIT, stalled).await.is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_stalls_when_it_is_the_clients_turn_and_nothing_comes() {
        let traffic = Arc::new(Traffic::default());
        assert!(!is_held(&traffic).await, "no request");
        let exchange = Exchange::begin(&traffic);
        assert!(is_held(&traffic).await, "a handler works");
        traffic.waiting.fetch_add(1, Ordering::Relaxed);
        assert!(!is_held(&traffic).await, "a handler waits for the body");
        let trickle = async {
            loop {
                tokio::time::sleep(LIMIT / 2).await;
                traffic.count_piece();
            }
        };
        tokio::select! {
            is_held = is_held(&traffic) => assert!(is_held, "the body comes slowly"),
            () = trickle => {}
        }
        traffic.waiting.fetch_sub(1, Ordering::Relaxed);
        drop(exchange);
        assert!(!is_held(&traffic).await, "the answer is complete");
    }
}
