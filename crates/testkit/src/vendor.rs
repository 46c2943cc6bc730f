//! An HTTP/1.1 vendor that remembers what it was sent and misbehaves on request.
//!
//! It runs on plain threads and sockets, so that a test proves what went over the wire and not what a mock was told. It
//! speaks neither TLS nor HTTP/2.
//!
//! ```
//! use sitewright_testkit::vendor::{Answer, Vendor};
//!
//! let vendor = Vendor::scripted([Answer::ok("hello"), Answer::Hang]);
//! assert!(vendor.url("/greeting").starts_with("http://127.0.0.1:"));
//! assert_eq!(vendor.connections(), 0);
//! ```

mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wire::{chunk, chunked_head, head, read_request};

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The method, as spelled by the client.
    pub method: String,
    /// The request target: path and query.
    pub path: String,
    /// The header lines in the order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body, without transfer coding.
    pub body: Vec<u8>,
}

impl Received {
    /// The first value of a header; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A well-formed answer; see [`Answer`] for the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Header lines besides `Content-Length`, which is always right.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// An answer without headers.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Self {
            status,
            headers: Vec::new(),
            body,
        }
    }

    /// The same answer with one more header line.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer on the wire, with a `Content-Length` that may be a lie.
    fn to_bytes(&self, content_length: usize) -> Vec<u8> {
        let mut bytes = head(self.status, &self.headers);
        bytes.extend(format!("content-length: {content_length}\r\n\r\n").bytes());
        bytes.extend(&self.body);
        bytes
    }
}

/// What the vendor does once it has read a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Answers properly and keeps the connection.
    Reply(Reply),
    /// Answers 200 with these parts as chunks, each flushed on its own, as event streams are.
    Chunks {
        /// Header lines besides `Transfer-Encoding`.
        headers: Vec<(String, String)>,
        /// The chunks; empty ones are left out.
        parts: Vec<Vec<u8>>,
    },
    /// Answers 200 with these parts as chunks, then says nothing more until the client goes away or the vendor stops.
    Stall {
        /// Header lines besides `Transfer-Encoding`.
        headers: Vec<(String, String)>,
        /// The chunks; empty ones are left out.
        parts: Vec<Vec<u8>>,
    },
    /// Says nothing until the client goes away or the vendor stops.
    Hang,
    /// Answers properly, but one byte at a time.
    Drip {
        /// The answer to spell out.
        reply: Reply,
        /// The pause before each byte.
        pause: Duration,
    },
    /// Sends the head of this answer, then closes its sending side while it keeps reading.
    HalfClose(Reply),
    /// Claims another length than the body has, then closes.
    WrongLength {
        /// The answer whose length is a lie.
        reply: Reply,
        /// The length that is claimed.
        claimed: usize,
    },
    /// Answers 200 and repeats this part as chunks until the client goes away.
    Endless {
        /// Header lines besides `Transfer-Encoding`.
        headers: Vec<(String, String)>,
        /// The part that repeats; never empty.
        part: Vec<u8>,
    },
    /// Sends these bytes, then closes.
    Raw(Vec<u8>),
    /// Closes without a word.
    Close,
}

impl Answer {
    /// A plain 200.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Reply(Reply::new(200, body))
    }

    /// A redirect to `location`.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Reply(Reply::new(status, "").with_header("location", location))
    }
}

type Script = Box<dyn Fn(&Received) -> Answer + Send + Sync>;

/// A running vendor. Dropping it closes its sockets and waits for its threads.
pub struct Vendor {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Vendor {
    /// Gives these answers in order, then answers 500.
    pub fn scripted(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect::<VecDeque<_>>());
        Self::answering(move |_| {
            let next = lock(&answers).pop_front();
            next.unwrap_or_else(|| {
                Answer::Reply(Reply::new(500, "the script has no answer left\n"))
            })
        })
    }

    /// Asks `script` for each answer.
    pub fn answering(script: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Self {
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self::bound_to(loopback, script).expect("a free port on 127.0.0.1")
    }

    /// Like [`Vendor::answering`], on an address of the caller's choice. Fails when it is taken or not of this machine.
    pub fn bound_to(
        address: SocketAddr,
        script: impl Fn(&Received) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let acceptor = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept(&listener, &shared))
        };
        Ok(Self {
            address,
            shared,
            acceptor: Some(acceptor),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A URL at this vendor; `path` starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Every request read so far, in order.
    pub fn requests(&self) -> Vec<Received> {
        lock(&self.shared.state).received.clone()
    }

    /// How many connections were made so far, including those on which no request came.
    ///
    /// A connection that was complete before the call is always counted: the vendor knocks at its own door and waits until
    /// that knock, which queues behind the others, is taken in.
    pub fn connections(&self) -> usize {
        let knock =
            TcpStream::connect(self.address).expect("the vendor listens until it is dropped");
        let own = knock
            .local_addr()
            .expect("a connected socket has an address");
        let mut state = lock(&self.shared.state);
        while !state.accepted.contains(&own) {
            state = wait(&self.shared.changed, state);
        }
        state.accepted.retain(|peer| *peer != own);
        state.accepted.len()
    }
}

impl Vendor {
    /// Waits, on the thread that runs it, until so many requests were read in all, or the vendor has stopped.
    ///
    /// A test of a time limit starts its clock then, so that a slow machine does not use the time up before the request is sent.
    pub fn until_requests(&self, count: usize) -> impl FnOnce() + Send + use<> {
        let shared = Arc::clone(&self.shared);
        move || {
            let mut state = lock(&shared.state);
            while state.received.len() < count && !state.stopping {
                state = wait(&shared.changed, state);
            }
        }
    }

    /// Waits until a client has gone away from an [`Answer::Stall`] or [`Answer::Hang`], at most so long, and says whether one
    /// has.
    pub fn saw_hang_up(&self, patience: Duration) -> bool {
        let state = lock(&self.shared.state);
        let waited = self
            .shared
            .changed
            .wait_timeout_while(state, patience, |state| state.hang_ups == 0);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.hang_ups > 0
    }
}

impl fmt::Debug for Vendor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Vendor");
        debug
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for Vendor {
    fn drop(&mut self) {
        {
            let mut state = lock(&self.shared.state);
            state.stopping = true;
            for stream in state.open.drain(..) {
                // A stream that the client closed first has nothing left to shut down.
                drop(stream.shutdown(Shutdown::Both));
            }
        }
        self.shared.changed.notify_all();
        // Wakes the acceptor; when the knock fails, it is awake already.
        drop(TcpStream::connect(self.address));
        if let Some(acceptor) = self.acceptor.take() {
            drop(acceptor.join());
        }
    }
}

struct Shared {
    script: Script,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn count_hang_up(&self) {
        lock(&self.state).hang_ups += 1;
        self.changed.notify_all();
    }
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    accepted: Vec<SocketAddr>,
    /// A second handle to each connection, so that dropping the vendor ends reads and writes that would block for ever.
    open: Vec<TcpStream>,
    /// Clients that went away from an [`Answer::Stall`] or [`Answer::Hang`].
    hang_ups: usize,
    stopping: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that panicked inside a script has failed already; the vendor must still stop.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut connections = Vec::new();
    while let Ok((stream, peer)) = listener.accept() {
        let mut state = lock(&shared.state);
        if state.stopping {
            break;
        }
        state.accepted.push(peer);
        if let Ok(second) = stream.try_clone() {
            state.open.push(second);
        }
        drop(state);
        shared.changed.notify_all();
        let shared = Arc::clone(shared);
        // An error on a connection is the client leaving, which faults provoke on purpose.
        connections.push(thread::spawn(move || drop(converse(&stream, &shared))));
    }
    for connection in connections {
        drop(connection.join());
    }
}

fn converse(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(received) = read_request(&mut reader)? {
        lock(&shared.state).received.push(received.clone());
        shared.changed.notify_all();
        let answer = (shared.script)(&received);
        if answer_with(answer, stream, shared)? == After::Close {
            break;
        }
    }
    stream.shutdown(Shutdown::Both)
}

#[derive(PartialEq, Eq)]
enum After {
    Keep,
    Close,
}

fn answer_with(answer: Answer, mut stream: &TcpStream, shared: &Shared) -> io::Result<After> {
    match answer {
        Answer::Reply(reply) => {
            stream.write_all(&reply.to_bytes(reply.body.len()))?;
            return Ok(After::Keep);
        }
        Answer::Chunks { headers, parts } => {
            stream.write_all(&chunked_head(&headers))?;
            for part in parts.iter().filter(|part| !part.is_empty()) {
                stream.write_all(&chunk(part))?;
            }
            stream.write_all(b"0\r\n\r\n")?;
            return Ok(After::Keep);
        }
        Answer::Stall { headers, parts } => {
            // A client that goes away while it is written to, or resets the connection, has gone away too.
            drop(stall(stream, &headers, &parts));
            shared.count_hang_up();
        }
        Answer::Hang => {
            drop(wait_for_the_end(stream));
            shared.count_hang_up();
        }
        Answer::Drip { reply, pause } => {
            for byte in reply.to_bytes(reply.body.len()) {
                if pause_unless_stopping(shared, pause) {
                    return Ok(After::Close);
                }
                stream.write_all(&[byte])?;
            }
            return Ok(After::Keep);
        }
        Answer::HalfClose(reply) => {
            let length = reply.body.len();
            let head_only = Reply {
                body: Vec::new(),
                ..reply
            };
            stream.write_all(&head_only.to_bytes(length))?;
            stream.shutdown(Shutdown::Write)?;
            wait_for_the_end(stream)?;
        }
        Answer::WrongLength { reply, claimed } => stream.write_all(&reply.to_bytes(claimed))?,
        Answer::Endless { headers, part } => {
            assert!(!part.is_empty(), "an empty chunk would end the body");
            stream.write_all(&chunked_head(&headers))?;
            let part = chunk(&part);
            loop {
                stream.write_all(&part)?;
            }
        }
        Answer::Raw(bytes) => stream.write_all(&bytes)?,
        Answer::Close => (),
    }
    Ok(After::Close)
}

fn stall(
    mut stream: &TcpStream,
    headers: &[(String, String)],
    parts: &[Vec<u8>],
) -> io::Result<()> {
    stream.write_all(&chunked_head(headers))?;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        stream.write_all(&chunk(part))?;
    }
    wait_for_the_end(stream)
}

fn wait_for_the_end(mut stream: &TcpStream) -> io::Result<()> {
    io::copy(&mut stream, &mut io::sink()).map(drop)
}

fn pause_unless_stopping(shared: &Shared, pause: Duration) -> bool {
    let state = lock(&shared.state);
    let waited = shared
        .changed
        .wait_timeout_while(state, pause, |state| !state.stopping);
    let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
    state.stopping
}

#[cfg(test)]
mod tests;
