//! Keys of providers, planted and looked for: in answers, logs, the activity log and on disk.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};
use tracing_subscriber::fmt::MakeWriter;

use crate::ai::with_loopback;
use crate::instance::{self, Browser, Instance};

/// Nothing about them looks like a key, so that nothing but care keeps them in.
const KEYS: [&str; 4] = [
    "canaryAlpha7f3e",
    "canaryBravo7f3e",
    "canaryCharlie7f3e",
    "canaryDelta7f3e",
];

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Which of the keys stand in these bytes.
fn found(bytes: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(bytes);
    KEYS.into_iter().filter(|key| text.contains(key)).collect()
}

/// A provider that accepts one key and quotes the others in its refusal, in the header and in the body.
fn quoting_provider() -> Vendor {
    Vendor::answering(|received| {
        let key = received.header("x-api-key").unwrap_or_default();
        if key == KEYS[0] {
            return Answer::ok(r#"{"data":[{"id":"claude-opus-5-5"}],"has_more":false}"#);
        }
        let body = json!({ "error": { "type": "authentication_error", "message": format!("{key} is no key ({key})") } });
        Answer::Reply(Reply::new(401, body.to_string()).with_header("request-id", key))
    })
}

/// Somebody at the API who keeps every answer.
struct Visit {
    instance: Instance,
    ada: Browser,
    provider: Vendor,
    answers: Vec<Value>,
}

const PATH: &str = "/admin/api/ai/credentials";

impl Visit {
    async fn call(&mut self, method: &str, path: &str, body: Value) -> instance::Answer {
        let answer = self.ada.call(&self.instance, method, path, body).await;
        let (status, headers) = (answer.status.as_u16(), format!("{:?}", answer.headers));
        self.answers.push(json!([status, headers, answer.body]));
        answer
    }

    async fn add(&mut self, key: &str) -> String {
        let body = json!({ "providerId": "anthropic", "label": "Main", "apiKey": key, "baseUrl": self.provider.url("") });
        let added = self.call("POST", PATH, body).await;
        added.body["id"].as_str().expect("an id").to_owned()
    }

    async fn test(&mut self, id: &str) -> Value {
        let path = format!("{PATH}/{id}/test");
        self.call("POST", &path, json!({})).await.body
    }

    /// Credentials come, are tried, fail, are changed and go.
    async fn use_credentials(&mut self) {
        let good = self.add(KEYS[0]).await;
        let bad = self.add(KEYS[1]).await;
        assert_eq!(self.test(&good).await["ok"], true);
        assert_eq!(
            self.test(&bad).await["message"],
            "The provider does not accept the key: check the credential in AI settings. ([redacted] is no key ([redacted]))"
        );
        for id in [&good, &bad] {
            let path = format!("/admin/api/ai/providers/anthropic/models?credentialId={id}");
            self.call("GET", &path, Value::Null).await;
        }
        let (good_path, bad_path) = (format!("{PATH}/{good}"), format!("{PATH}/{bad}"));
        self.call("PATCH", &bad_path, json!({ "apiKey": KEYS[2] }))
            .await;
        self.test(&bad).await;
        self.call(
            "PATCH",
            &bad_path,
            json!({ "apiKey": KEYS[3], "label": "" }),
        )
        .await;
        self.call("DELETE", &good_path, Value::Null).await;
        for scope in ["site", "content", "data", "plugin", "breadcrumbs"] {
            let path = format!("/admin/api/ai/defaults/{scope}");
            self.call("DELETE", &path, Value::Null).await;
        }
        self.call("GET", PATH, Value::Null).await;
        let removed = self.call("DELETE", &good_path, Value::Null).await;
        assert_eq!(removed.said(), "204");
        self.test(&good).await;
    }

    /// Requests that are refused for other reasons, with a key aboard.
    async fn send_what_is_refused(&mut self) {
        let key = KEYS[3];
        for body in [
            json!({ "providerId": "nobody", "label": "x", "apiKey": key }),
            json!({ "providerId": "openai", "label": "x", "apiKey": format!("{key} ü") }),
            json!({ "providerId": "openai", "label": "x", "apikey": key }),
            json!({ "providerId": "openai", "label": "x", "apiKey": "k", "baseUrl": format!("https://user:{key}@example.com") }),
            json!({ "providerId": "openai", "label": "x", "apiKey": "k", "baseUrl": format!("https://example.com/?key={key}") }),
        ] {
            let refused = self.call("POST", PATH, body).await;
            assert_eq!(refused.status.as_u16(), 400);
        }
    }
}

#[tokio::test]
async fn keys_are_in_no_answer_log_line_audit_entry_or_file() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .init();
    let (instance, ada) = with_loopback().await;
    let mut visit = Visit {
        instance,
        ada,
        provider: quoting_provider(),
        answers: Vec::new(),
    };
    visit.use_credentials().await;
    visit.send_what_is_refused().await;
    for path in ["/admin/api/audit?limit=200", "/admin/api/ai/audit", PATH] {
        visit.call("GET", path, Value::Null).await;
    }

    let sent = visit.provider.requests();
    let sent: Vec<_> = sent.iter().map(|one| one.header("x-api-key")).collect();
    assert_eq!(found(json!(sent).to_string().as_bytes()), &KEYS[..3]);
    let answers = json!(visit.answers).to_string();
    assert_eq!(found(answers.as_bytes()), [""; 0], "answers");
    let logged = log.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert!(logged.len() > 10_000, "the log was kept");
    assert_eq!(found(&logged), [""; 0], "logs");
    let mut files = 0;
    look_into(&visit.instance.settings.data, &mut |path, bytes| {
        files += 1;
        assert_eq!(found(bytes), [""; 0], "{}", path.display());
    });
    assert!(files >= 2, "the database and the key are there");
}

fn look_into(folder: &Path, look: &mut impl FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            look_into(&path, look);
        } else if let Ok(bytes) = std::fs::read(&path) {
            look(&path, &bytes);
        }
    }
}
