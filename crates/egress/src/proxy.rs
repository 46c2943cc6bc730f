//! A forward proxy on this machine, for programs such as a browser that make connections of their own.
//!
//! Every connection that the program asks for is opened by [`Egress::connect`], so it is resolved once, checked, and refused like any
//! request of ours: redirects, scripts, frames and WebSockets included, because all of them need a connection. `https` and WebSockets
//! pass as tunnels. A plain `http` request gets a connection of its own, which ends with its answer; otherwise a server could keep the
//! connection open and be sent the program's next request, which is for another host.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use crate::{Egress, EgressError};

const CONNECTIONS_MAX: usize = 128;
const HEAD_BYTES_MAX: usize = 64 * 1024;
const HEAD_TIME: Duration = Duration::from_secs(15);
/// The longest that one connection lives.
const LIFE: Duration = Duration::from_secs(5 * 60);
/// The most bytes of one plain answer.
const ANSWER_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// A proxy that is open until it is dropped.
#[derive(Debug)]
pub struct ForwardProxy {
    address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl ForwardProxy {
    /// Opens a proxy on a free port of the loopback interface.
    pub async fn start(egress: Egress) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, egress));
        Ok(Self {
            address,
            _accepting: accepting,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn accept(listener: TcpListener, egress: Egress) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        while connections.try_join_next().is_some() {}
        let Ok((client, _)) = listener.accept().await else {
            // Out of file descriptors; others are closed before long.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let egress = egress.clone();
        connections.spawn(async move {
            // A connection that breaks is the business of its two ends.
            drop(timeout(LIFE, serve(client, &egress)).await);
            drop(place);
        });
    }
}

/// The head of a request, and what came after it.
struct Head {
    method: String,
    target: String,
    /// The header lines as they were sent.
    lines: Vec<String>,
    rest: Vec<u8>,
}

async fn serve(mut client: TcpStream, egress: &Egress) -> io::Result<()> {
    let head = match timeout(HEAD_TIME, read_head(&mut client)).await {
        Ok(head) => head?,
        Err(_elapsed) => None,
    };
    let Some(head) = head else {
        return answer(
            &mut client,
            "400 Bad Request",
            "This is no request to a proxy.",
        )
        .await;
    };
    match head.method.as_str() {
        "CONNECT" => tunnel(client, head, egress).await,
        _ => forward(client, head, egress).await,
    }
}

async fn tunnel(mut client: TcpStream, head: Head, egress: &Egress) -> io::Result<()> {
    let Some((host, port)) = authority(&head.target) else {
        return answer(
            &mut client,
            "400 Bad Request",
            "The target must be host:port.",
        )
        .await;
    };
    let mut server = match egress.connect(&host, port).await {
        Ok(server) => server,
        Err(error) => return refuse(&mut client, &error).await,
    };
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    server.write_all(&head.rest).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

async fn forward(mut client: TcpStream, head: Head, egress: &Egress) -> io::Result<()> {
    let url = Url::parse(&head.target).ok();
    let url = url.filter(|url| url.scheme() == "http");
    let Some((url, host)) = url.and_then(|url| Some((url.clone(), url.host()?.to_string()))) else {
        return answer(
            &mut client,
            "400 Bad Request",
            "The target must be an http address.",
        )
        .await;
    };
    let header = |name: &str| {
        let mut lines = head.lines.iter().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().to_owned())
    };
    if header("transfer-encoding").is_some() {
        return answer(
            &mut client,
            "411 Length Required",
            "The body must have a length.",
        )
        .await;
    }
    let length: u64 = header("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let port = url.port_or_known_default().unwrap_or(80);
    let mut server = match egress.connect(&host, port).await {
        Ok(server) => server,
        Err(error) => return refuse(&mut client, &error).await,
    };
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let mut sent = format!("{} {path} HTTP/1.1\r\n", head.method);
    for line in &head.lines {
        let name = line.split(':').next().unwrap_or_default().to_lowercase();
        if !name.starts_with("proxy-") && name != "connection" && name != "keep-alive" {
            sent.push_str(line);
            sent.push_str("\r\n");
        }
    }
    sent.push_str("Connection: close\r\n\r\n");
    server.write_all(sent.as_bytes()).await?;
    let at_hand = usize::try_from(length)
        .unwrap_or(usize::MAX)
        .min(head.rest.len());
    server.write_all(&head.rest[..at_hand]).await?;
    let (reader, mut writer) = client.split();
    copy(&mut reader.take(length - at_hand as u64), &mut server).await?;
    copy(&mut server.take(ANSWER_BYTES_MAX), &mut writer).await?;
    writer.shutdown().await
}

/// `host:port`, with brackets around an IPv6 address kept.
fn authority(target: &str) -> Option<(String, u16)> {
    let (host, port) = target.rsplit_once(':')?;
    let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
    is_host.then_some((host.to_owned(), port.parse().ok()?))
}

/// Reads up to the empty line; `None` if what comes is no request.
async fn read_head(client: &mut TcpStream) -> io::Result<Option<Head>> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::with_capacity(1024);
    let end = loop {
        if let Some(at) = bytes.windows(END.len()).position(|window| window == END) {
            break at;
        }
        if bytes.len() > HEAD_BYTES_MAX || client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let rest = bytes.split_off(end + END.len());
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    let mut lines = text.trim_end().split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(_version), None) =
        (first.next(), first.next(), first.next(), first.next())
    else {
        return Ok(None);
    };
    Ok(Some(Head {
        method: method.to_owned(),
        target: target.to_owned(),
        lines: lines.map(str::to_owned).collect(),
        rest,
    }))
}

async fn refuse(client: &mut TcpStream, error: &EgressError) -> io::Result<()> {
    let status = match error {
        EgressError::Refused { .. } | EgressError::BadUrl { .. } => "403 Forbidden",
        _ => "502 Bad Gateway",
    };
    answer(client, status, &error.to_string()).await
}

async fn answer(client: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await
}
