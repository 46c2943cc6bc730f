//! One way to call the HTTP API, over three transports: inside this process on the data folder, through the socket of the server that
//! uses the folder, or over the network to another server.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, LOCATION};
use http::{Method, Request, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Body;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use sitewright_server::{App, Folder, FolderError, FolderLock, Layers, Peer, Settings, router};
use sitewright_tool::ErrorCode;
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tower::ServiceExt as _;
use url::Url;

use crate::arguments::Target;
use crate::output::chain;

/// How long to wait for a folder that another process has locked.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// An error response, from the server or from the command line itself.
#[derive(Debug, Deserialize, thiserror::Error)]
#[error("{detail}")]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) detail: String,
    /// The response as received, for `--json`.
    #[serde(skip)]
    pub(crate) body: Value,
}

impl Refusal {
    /// An error of the command line itself.
    pub(crate) fn new(code: ErrorCode, detail: String) -> Self {
        let code = code.as_str().to_owned();
        let body = json!({ "code": code, "detail": detail });
        Self { code, detail, body }
    }
}

/// A connection to the API.
pub(crate) struct Api {
    road: Road,
    site: Option<String>,
}

/// What to do when the data folder contains no instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// One is created.
    Made,
    /// The command fails.
    Refused,
}

enum Road {
    Here {
        app: App,
        _lock: FolderLock,
    },
    Socket(PathBuf),
    Elsewhere {
        base: Url,
        token: String,
        client: reqwest::Client,
    },
}

impl Api {
    /// Connects in the way that the flags ask for.
    pub(crate) async fn open(target: &Target, absent: Absent) -> Result<Self> {
        let site = target.site.clone();
        if let (Some(base), Some(token)) = (&target.server, &target.token) {
            refuse_clear_text(base)?;
            // reqwest uses the installed provider; installing it twice would be a defect.
            if rustls::crypto::ring::default_provider()
                .install_default()
                .is_err()
            {
                anyhow::bail!("the TLS provider is installed twice");
            }
            let client = reqwest::Client::builder()
                // Following would turn a POST into a GET, and its answer would be mistaken for the requested one.
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .context("the HTTP client cannot be created")?;
            return Ok(Self {
                road: Road::Elsewhere {
                    base: base.clone(),
                    token: token.clone(),
                    client,
                },
                site,
            });
        }
        let settings = settings(target, None)?;
        // A mistyped folder must not become an empty instance on which everything seems fine.
        if absent == Absent::Refused && !settings.data.join("sitewright.lock").exists() {
            let folder = settings.data.display();
            let detail = format!(
                "There is no Sitewright in {folder}. Check --data, or start with `sitewright setup --data {folder} --link`."
            );
            return Err(Refusal::new(ErrorCode::NotFound, detail).into());
        }
        let road = match take_folder(&settings.data).await? {
            Folder::Served(socket) => Road::Socket(socket),
            Folder::Ours(lock) => Road::Here {
                app: App::open(settings).await?,
                _lock: lock,
            },
        };
        Ok(Self { road, site })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, None).await
    }

    /// The raw bytes at a path.
    pub(crate) async fn bytes(&self, path: &str) -> Result<Bytes> {
        let (status, mut body) = self.exchange(Method::GET, path, None).await?;
        let whole = body.whole().await?;
        match status.is_success() {
            true => Ok(whole),
            false => answer(status, &whole).map(|_| whole),
        }
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Sends a file as it is.
    pub(crate) async fn upload(&self, path: &str, file: Vec<u8>) -> Result<Value> {
        let payload = Payload {
            content_type: "application/octet-stream",
            bytes: file.into(),
        };
        let (status, mut body) = self.exchange(Method::POST, path, Some(payload)).await?;
        answer(status, &body.whole().await?)
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Result<Value> {
        self.call(Method::PATCH, path, Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Value> {
        self.call(Method::DELETE, path, None).await
    }

    /// Closes the instance, if it was opened in this process.
    pub(crate) async fn close(self) -> Result<()> {
        if let Road::Here { app, _lock } = self.road {
            app.close().await?;
        }
        Ok(())
    }

    /// Sends a request whose response is lines of JSON, and passes on each line as it arrives.
    pub(crate) async fn lines(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Lines> {
        let (status, mut body) = self.exchange(method, path, body.map(Payload::json)).await?;
        if status.is_success() {
            return Ok(Lines {
                body,
                read: Vec::new(),
            });
        }
        let whole = body.whole().await?;
        answer(status, &whole)?;
        Err(not_ours(format!("the response has status {status}")))
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let (status, mut body) = self.exchange(method, path, body.map(Payload::json)).await?;
        answer(status, &body.whole().await?)
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        payload: Option<Payload>,
    ) -> Result<(StatusCode, AnswerBody)> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "localhost");
        if let Some(payload) = &payload {
            request = request.header(CONTENT_TYPE, payload.content_type);
        }
        if let Some(site) = &self.site {
            request = request.header("sitewright-site", site);
        }
        let body = payload.map(|payload| payload.bytes).unwrap_or_default();
        let request = request.body(Full::new(body))?;
        match &self.road {
            Road::Here { app, .. } => here(app, request).await,
            Road::Socket(socket) => through_socket(socket, request).await,
            Road::Elsewhere {
                base,
                token,
                client,
            } => elsewhere(client, base, token, request).await,
        }
    }
}

/// The body of a request.
struct Payload {
    content_type: &'static str,
    bytes: Bytes,
}

impl Payload {
    fn json(value: Value) -> Self {
        Self {
            content_type: "application/json",
            bytes: value.to_string().into(),
        }
    }
}

/// The body of a response, over any transport.
struct AnswerBody {
    body: UnsyncBoxBody<Bytes, anyhow::Error>,
    /// Drives the socket's connection until this is dropped.
    _connection: Option<JoinSet<()>>,
}

impl AnswerBody {
    fn new<B>(body: B, connection: Option<JoinSet<()>>) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<anyhow::Error>,
    {
        Self {
            body: body.map_err(Into::into).boxed_unsync(),
            _connection: connection,
        }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>> {
        while let Some(frame) = self.body.frame().await.transpose()? {
            // Trailers are not used.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    async fn whole(&mut self) -> Result<Bytes> {
        let mut whole = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.into())
    }
}

/// A response of JSON lines.
pub(crate) struct Lines {
    body: AnswerBody,
    read: Vec<u8>,
}

impl Lines {
    /// The next line; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                let line = serde_json::from_slice(&line)
                    .context("the server sent a line that is not JSON")?;
                return Ok(Some(line));
            }
            match self.body.chunk().await? {
                Some(chunk) => self.read.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

/// Refuses to send a token over a network where others can read it.
fn refuse_clear_text(base: &Url) -> Result<()> {
    let is_this_machine = match base.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if base.scheme() == "https" || is_this_machine {
        return Ok(());
    }
    let detail = format!(
        "{base} is plain http, and others on the network could read the token. Use https, or run the command on the server with --data."
    );
    Err(Refusal::new(ErrorCode::InvalidInput, detail).into())
}

/// Locks the folder or finds its server, and waits a while for a command or a stopping server to release it.
pub(crate) async fn take_folder(path: &Path) -> Result<Folder, FolderError> {
    let started = Instant::now();
    loop {
        let found = Folder::take(path);
        let settled = match &found {
            Ok(Folder::Ours(_)) | Err(FolderError::Unusable { .. }) => true,
            Ok(Folder::Served(socket)) => UnixStream::connect(socket).await.is_ok(),
            Err(FolderError::Busy(_)) => false,
        };
        if settled || started.elapsed() > PATIENCE {
            return found;
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// The settings from the flags, the environment and the file, in the documented order.
pub(crate) fn settings(target: &Target, listen: Option<&str>) -> Result<Settings> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the environment is handed to the settings, which own it"
    )]
    let lookup = |name: &str| std::env::var(name).ok();
    let data = target
        .data
        .clone()
        .or_else(|| lookup("SITEWRIGHT_DATA").map(PathBuf::from))
        .unwrap_or_else(|| Settings::default().data);
    let mut layers = match &target.config {
        Some(file) => Layers::default().file(file, true)?,
        None => Layers::default().file(&data.join("sitewright.toml"), false)?,
    };
    layers = layers.environment(lookup);
    for pair in &target.settings {
        let (name, value) = pair
            .split_once('=')
            .with_context(|| format!("--set takes NAME=VALUE; `{pair}` has no ="))?;
        layers = layers.flag(name, value.to_owned())?;
    }
    if let Some(listen) = listen {
        layers = layers.flag("listen", listen.to_owned())?;
    }
    let data = data
        .to_str()
        .context("the path of the data folder is not valid UTF-8")?
        .to_owned();
    Ok(layers.flag("data", data)?.read()?)
}

async fn here(app: &App, mut request: Request<Full<Bytes>>) -> Result<(StatusCode, AnswerBody)> {
    request.extensions_mut().insert(Peer::Local);
    let response = router(app).oneshot(request).await?;
    let status = response.status();
    Ok((status, AnswerBody::new(response.into_body(), None)))
}

async fn through_socket(
    socket: &PathBuf,
    request: Request<Full<Bytes>>,
) -> Result<(StatusCode, AnswerBody)> {
    let stream = UnixStream::connect(socket)
        .await
        .context("the server that is using the data folder does not respond on its socket")?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    // Errors of the connection surface in the exchange.
    let mut task = JoinSet::new();
    task.spawn(async move { drop(connection.await) });
    let response = sender
        .send_request(request)
        .await
        .context("the server closed its socket before it answered")?;
    let status = response.status();
    let body = AnswerBody::new(response.into_body(), Some(task));
    Ok((status, body))
}

async fn elsewhere(
    client: &reqwest::Client,
    base: &Url,
    token: &str,
    request: Request<Full<Bytes>>,
) -> Result<(StatusCode, AnswerBody)> {
    let url = base.join(&request.uri().to_string())?;
    let (parts, body) = request.into_parts();
    let mut outgoing = client
        .request(parts.method, url)
        .header(AUTHORIZATION, format!("Bearer {token}"));
    for (name, value) in parts.headers.iter().filter(|(name, _)| **name != HOST) {
        outgoing = outgoing.header(name, value);
    }
    let body = body.collect().await?.to_bytes();
    let sent = outgoing.body(body).send().await;
    let response = sent.map_err(|error| {
        let causes = chain(&error.without_url().into());
        Refusal::new(
            ErrorCode::Unavailable,
            format!("{base} does not respond: {causes}"),
        )
    })?;
    if let Some(place) = response.headers().get(LOCATION) {
        let place = String::from_utf8_lossy(place.as_bytes()).into_owned();
        return Err(not_ours(format!(
            "the server redirects to {place}; pass that address with --server"
        )));
    }
    let response = http::Response::from(response);
    let status = response.status();
    Ok((status, AnswerBody::new(response.into_body(), None)))
}

/// The error for a server that is not Sitewright, or a proxy in front of ours.
fn not_ours(detail: String) -> anyhow::Error {
    Refusal::new(ErrorCode::UpstreamError, detail).into()
}

fn answer(status: StatusCode, bytes: &Bytes) -> Result<Value> {
    if status.is_success() && bytes.is_empty() {
        return Ok(Value::Null);
    }
    let body: Option<Value> = serde_json::from_slice(bytes).ok();
    if status.is_success() {
        let page =
            || format!("the response has status {status} and is not JSON: is this address right?");
        return body.ok_or_else(|| not_ours(page()));
    }
    let refusal = body.and_then(|body| {
        let refusal: Refusal = serde_json::from_value(body.clone()).ok()?;
        Some(Refusal { body, ..refusal })
    });
    let strange = || {
        format!(
            "the response has status {status} and does not come from Sitewright: is this address right?"
        )
    };
    Err(refusal.map_or_else(|| not_ours(strange()), anyhow::Error::from))
}

#[cfg(test)]
mod tests {
    use super::refuse_clear_text;

    /// L14: a token went over plain http without a word.
    #[test]
    fn l14_a_token_is_not_sent_where_others_can_read_it() {
        let is_sent = |address: &str| refuse_clear_text(&address.parse().unwrap()).is_ok();
        for address in [
            "https://example.com",
            "http://127.0.0.1:8080",
            "http://[::1]",
            "http://localhost:8080",
        ] {
            assert!(is_sent(address), "{address}");
        }
        for address in [
            "http://example.com",
            "http://192.168.0.7:8080",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
        ] {
            assert!(!is_sent(address), "{address}");
        }
    }
}
