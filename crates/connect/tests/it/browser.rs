//! The browser tool with a real Chromium. What must not be reached is a listener that counts its connections.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_connect::browser_tool;
use sitewright_egress::{DnsLookup, Egress, EgressPolicy, Limits};
use sitewright_media::Library;
use sitewright_runtime::{Attempt, Failure, Tool, ToolOutput};
use sitewright_store::{BlobPlace, Blobs, Place, Stamp, Store, Timestamp};
use sitewright_testkit::vendor::{Answer, Received, Vendor};
use sitewright_testkit::{browser, unless_missing};
use sitewright_tool::{Taint, ToolContext};

const PUBLIC: [u8; 4] = [127, 0, 0, 2];
const INSIDE: [u8; 4] = [127, 0, 0, 1];

struct Desk {
    tool: Tool,
    site: String,
    public: Vendor,
    trap: Vendor,
    _folder: tempfile::TempDir,
}

/// `public.example` is 127.0.0.2, which is listed. `rebind.example` is that at first, and 127.0.0.1 from then on.
fn lookup() -> DnsLookup {
    let asked = AtomicUsize::new(0);
    Arc::new(move |name| {
        let address = match name.as_str() {
            "public.example" => PUBLIC,
            "rebind.example" if asked.fetch_add(1, Ordering::SeqCst) == 0 => PUBLIC,
            _ => INSIDE,
        };
        Box::pin(async move { Ok(vec![IpAddr::from(address)]) })
    })
}

fn page(received: &Received) -> Answer {
    let closing = |head: &str, body: &str| {
        let length = body.len();
        Answer::Raw(
            format!(
                "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
            .into_bytes(),
        )
    };
    let host = received.header("host").unwrap_or_default();
    let port = host.rsplit(':').next().unwrap_or_default();
    match received.path.as_str() {
        "/redirect" => closing(
            &format!("302 -\r\nlocation: http://127.0.0.1:{port}/trap"),
            "",
        ),
        "/dialog" => closing(
            "200 -\r\ncontent-type: text/html",
            "<body><script>alert('Hello'); document.title = confirm('Buy?') ? 'Bought' : 'Not bought'</script></body>",
        ),
        _ => closing(
            "200 -\r\ncontent-type: text/html",
            "<title>Boats</title><body><h1>Boats for all</h1><button id=go onclick=\"document.title='Clicked'\">Go</button></body>",
        ),
    }
}

impl Desk {
    async fn new() -> Option<Self> {
        unless_missing(browser::locate())?;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Place::File(folder.path().join("db")))
            .await
            .unwrap();
        let blobs = Blobs::open(&BlobPlace::Folder(folder.path().join("blobs"))).unwrap();
        let site = store.sites().await.unwrap().remove(0).id.to_string();
        let trap = Vendor::answering(|_| Answer::ok("trapped"));
        let public = Vendor::bound_to(SocketAddr::new(PUBLIC.into(), trap.address().port()), page);
        let policy = EgressPolicy {
            allow: "127.0.0.2/32".parse().unwrap(),
        };
        let egress = Egress::with_lookup(policy, Limits::default(), lookup()).unwrap();
        Some(Self {
            tool: browser_tool(egress, Library::new(store, blobs), browser::locate().ok()),
            site,
            public: public.unwrap(),
            trap,
            _folder: folder,
        })
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.trap.address().port())
    }

    async fn act(&self, session: &str, arguments: Value) -> Result<ToolOutput, Failure> {
        let context = ToolContext {
            site_id: self.site.clone(),
            session_id: session.to_owned(),
            user_id: None,
            trace_id: "trace".to_owned(),
            planner_provider: "none".to_owned(),
        };
        let attempt = Attempt {
            scope: None,
            context: &context,
            by: &Stamp::local(Timestamp::now()),
            committer: None,
            agreed: None,
            idempotency_key: "key",
            timeout: Duration::from_secs(90),
        };
        self.tool
            .outside_work()
            .unwrap()
            .run(&arguments, attempt)
            .await
    }

    async fn done(&self, arguments: Value) -> Value {
        let output = self.act("one", arguments).await.unwrap();
        assert_eq!(output.taint, Taint::Untrusted);
        output.data
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_opened_read_clicked_pictured_and_evaluated() {
    let Some(desk) = Desk::new().await else {
        return;
    };
    let url = desk.url("public.example", "/");
    let opened = desk.done(json!({ "action": "navigate", "url": url })).await;
    assert_eq!(opened, json!({ "url": url, "title": "Boats" }));
    let read = desk
        .done(json!({ "action": "text", "selector": "h1" }))
        .await;
    assert_eq!(read["text"], "Boats for all");
    let clicked = desk
        .done(json!({ "action": "click", "selector": "#go" }))
        .await;
    assert_eq!(
        (&clicked["clicked"], &clicked["title"]),
        (&json!(true), &json!("Clicked"))
    );
    let missed = desk
        .done(json!({ "action": "click", "selector": "#none" }))
        .await;
    assert_eq!(missed["clicked"], false);
    let pictured = desk.done(json!({ "action": "screenshot" })).await;
    assert!(
        pictured["path"].as_str().unwrap().starts_with("/uploads/"),
        "{pictured}"
    );
    let evaluated = desk
        .done(json!({ "action": "evaluate", "script": "({ sum: 1 + 2, list: [document.title] })" }))
        .await;
    assert_eq!(
        evaluated["result"],
        json!({ "sum": 3, "list": ["Clicked"] })
    );
    let failed = desk
        .act(
            "one",
            json!({ "action": "evaluate", "script": "no.such()" }),
        )
        .await;
    assert!(
        failed
            .unwrap_err()
            .error
            .message
            .starts_with("The script failed: ReferenceError")
    );
    desk.done(json!({ "action": "evaluate", "script": "document.cookie = 'mine=1'" }))
        .await;
    let other = json!({ "action": "evaluate", "url": url, "script": "document.cookie" });
    let other = desk.act("two", other).await.unwrap();
    assert_eq!(
        other.data["result"], "",
        "a session has a profile of its own"
    );
}

/// A dialog holds its page up, and nobody sees it.
#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_dismissed() {
    let Some(desk) = Desk::new().await else {
        return;
    };
    let url = desk.url("public.example", "/dialog");
    let opened = desk.done(json!({ "action": "navigate", "url": url })).await;
    assert_eq!(opened["title"], "Not bought");
    let asked = desk
        .done(json!({ "action": "evaluate", "script": "confirm('Sure?')" }))
        .await;
    assert_eq!(asked["result"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_inside_can_be_reached_in_any_way() {
    let Some(desk) = Desk::new().await else {
        return;
    };
    let port = desk.trap.address().port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://2130706433:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "chrome://settings".to_owned(),
        desk.url("public.example", "/redirect"),
    ] {
        let opened = desk
            .act("one", json!({ "action": "navigate", "url": url }))
            .await;
        let title = opened.map(|output| output.data["title"].clone());
        assert!(
            title.as_ref().is_err() || title.as_ref().is_ok_and(|title| title != "trapped"),
            "{url}: {title:?}"
        );
    }
    let first = desk
        .done(json!({ "action": "navigate", "url": desk.url("rebind.example", "/") }))
        .await;
    assert_eq!(first["title"], "Boats");
    let script = format!(
        "Promise.all([
            ...['http://127.0.0.1:{port}/', 'http://localhost:{port}/', 'http://[::1]:{port}/', 'http://rebind.example:{port}/again',
                'http://inside.example:{port}/'].map(url => fetch(url, {{ mode: 'no-cors' }}).then(async answer => {{
                    return answer.type === 'opaque' || await answer.text() === 'trapped' ? 'answered' : 'refused'; }}, () => 'failed')),
            new Promise(done => {{ const socket = new WebSocket('ws://127.0.0.1:{port}/'); socket.onerror = () => done('failed');
                socket.onopen = () => done('open'); }}),
            new Promise(done => {{ const frame = document.createElement('iframe'); frame.src = 'http://127.0.0.1:{port}/';
                frame.onload = () => done('loaded'); document.body.append(frame); }}),
            new Promise(done => {{ const image = new Image(); image.onerror = () => done('failed'); image.onload = () => done('loaded');
                image.src = 'http://127.0.0.1:{port}/picture.png'; }}),
        ])"
    );
    desk.done(json!({ "action": "evaluate", "script": script }))
        .await;
    assert_eq!(desk.trap.connections(), 0, "nothing arrived inside");
    assert!(desk.public.connections() >= 2);
}
