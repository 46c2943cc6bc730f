//! The two clients: ours, and a bare one that only reads.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::json;
use sitewright_egress::{Egress, EgressPolicy, Limits, Request};
use sitewright_llm::{
    Backend, Capabilities, Catalogue, Ending, Message, ModelClient, ModelSettings, ProviderId,
    SystemPrompt, ToolCall, ToolLoop, ToolOutcome, ToolSpec, TurnEvent, TurnHost, TurnLimits,
    TurnPlan, run_turn,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) type Connection = SendRequest<Full<Bytes>>;

pub(crate) async fn connect(address: &str) -> Connection {
    let stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("the provider listens");
    stream.set_nodelay(true).expect("a socket");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("a connection");
    // It ends with its sender.
    drop(tokio::task::spawn(connection));
    sender
}

async fn send(connection: &mut Connection, body: Bytes) -> hyper::body::Incoming {
    connection.ready().await.expect("an open connection");
    let request = http::Request::post("/v1/messages")
        .header("host", "provider")
        .body(Full::new(body))
        .expect("a request");
    let answer = connection.send_request(request).await;
    answer.expect("an answer").into_body()
}

/// What the loop would send.
pub(crate) fn body(question: &str) -> Bytes {
    ToolLoop::new(plan(question)).request_body().into()
}

/// Reads a stream to its end, and gives the time from the first token's writing to its arrival.
pub(crate) async fn bare_round(connection: &mut Connection, body: Bytes) -> Duration {
    let mut body = send(connection, body).await;
    let mut first = None;
    while let Some(frame) = body.frame().await {
        let bytes = frame.expect("a frame").into_data().unwrap_or_default();
        if first.is_none() {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            first = text
                .split_once("\"text_delta\"")
                .and_then(|_| since_written(&text));
        }
    }
    first.expect("a first token")
}

/// The same through `egress`, which all our requests go through.
pub(crate) async fn egress_round(turns: &Turns, body: Bytes) {
    let request = Request::post(format!("{}/v1/messages", turns.base_url), body);
    let mut response = turns.egress.send(request).await.expect("an answer");
    while let Some(chunk) = response.body.chunk().await.expect("a chunk") {
        drop(chunk);
    }
}

pub(crate) async fn bare_stream(address: &str, told: mpsc::Sender<()>) {
    let mut connection = connect(address).await;
    let mut body = send(&mut connection, body("stall")).await;
    let mut told = Some(told);
    while let Some(Ok(frame)) = body.frame().await {
        let said_something = frame.data_ref().is_some_and(|bytes| !bytes.is_empty());
        if let Some(told) = told.take_if(|_| said_something) {
            told.send(()).await.ok();
        }
    }
}

/// How long ago the time in the text was; it stands before a bar.
fn since_written(text: &str) -> Option<Duration> {
    let (before, _) = text.split_once('|')?;
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let written = Duration::from_nanos(digits.parse().ok()?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(now.saturating_sub(written))
}

fn plan(question: &str) -> TurnPlan {
    let model = "claude-opus-5-5";
    TurnPlan {
        provider: ProviderId::Anthropic,
        settings: ModelSettings::new(model, Capabilities::of(model)),
        system: SystemPrompt::new("rules ".repeat(200), "today"),
        tools: Arc::clone(&TOOLS),
        history: vec![Message::user(question)],
        goes_on: false,
        limits: TurnLimits::default(),
        prices: Arc::clone(&PRICES),
        seed: 1,
    }
}

static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let schema = json!({ "type": "object", "properties": { "nodeId": { "type": "string" }, "html": { "type": "string" } } });
    let tool = |number| ToolSpec {
        name: format!("tool_{number}"),
        description: "A tool with a description of a usual length.".to_owned(),
        input_schema: schema.clone(),
        heavy: false,
        pictures: None,
    };
    (0..35).map(tool).collect()
});
static PRICES: LazyLock<Arc<Catalogue>> = LazyLock::new(Catalogue::bundled);

/// Turns against the provider.
#[derive(Clone)]
pub(crate) struct Turns {
    client: ModelClient,
    egress: Egress,
    base_url: String,
}

impl Turns {
    pub(crate) fn new(address: &str) -> Self {
        let allow = "127.0.0.1/32".parse().expect("an address");
        let egress = Egress::new(EgressPolicy { allow }, Limits::default()).expect("a client");
        let base_url = format!("http://{address}");
        Self {
            client: ModelClient::new(egress.clone(), ProviderId::Anthropic, Some(&base_url), None),
            egress,
            base_url,
        }
    }

    /// A turn whose stream stops in the middle; says when it has begun.
    pub(crate) async fn stalled(&self, told: mpsc::Sender<()>) {
        let host = Listener {
            first: Mutex::new(None),
            told: Some(told),
        };
        let mut turn = ToolLoop::new(plan("stall"));
        run_turn(
            &mut turn,
            Backend::Provider(&self.client),
            &mut &host,
            &CancellationToken::new(),
        )
        .await;
    }
}

/// The same as [`bare_round`], through the loop.
pub(crate) async fn loop_round(turns: &Turns) -> Duration {
    let host = Listener {
        first: Mutex::new(None),
        told: None,
    };
    let mut turn = ToolLoop::new(plan("go"));
    let ending = run_turn(
        &mut turn,
        Backend::Provider(&turns.client),
        &mut &host,
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(ending, Ending::Done);
    let first = host.first.lock().expect("no panic");
    first.expect("a first token")
}

struct Listener {
    first: Mutex<Option<Duration>>,
    told: Option<mpsc::Sender<()>>,
}

impl TurnHost for &Listener {
    type Report = ToolOutcome;
    type Batch = std::future::Ready<()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        if let TurnEvent::Text { text } = &event {
            let mut first = self.first.lock().expect("no panic");
            if first.is_none() {
                *first = since_written(text);
                if let Some(told) = &self.told {
                    told.try_send(()).ok();
                }
            }
        }
        Box::pin(std::future::ready(()))
    }

    fn run(&mut self, _: Vec<ToolCall>, _: mpsc::Sender<ToolOutcome>) -> Self::Batch {
        std::future::ready(())
    }

    fn report(&mut self, outcome: ToolOutcome) -> Option<ToolOutcome> {
        Some(outcome)
    }
}
