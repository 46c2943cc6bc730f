//! The whole way: the pipeline, a remote tool, and a vendor behind a real socket that misbehaves. Every request that arrives there is
//! an effect, so what is counted is what happened.

use serde_json::{Value, json};
use sitewright_connect::{Registration, RemoteTool};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_runtime::{Call, Pipeline, Registry, ToolSource};
use sitewright_site::Author;
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};
use sitewright_tool::{CapabilitySet, Envelope};

struct Bench {
    pipeline: Pipeline,
    vendor: Vendor,
    _folder: tempfile::TempDir,
}

impl Bench {
    /// A pipeline whose only remote tool is a vendor that answers like this.
    async fn with(idempotent: bool, answers: impl IntoIterator<Item = Answer>) -> Self {
        let vendor = Vendor::scripted(answers);
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Place::File(folder.path().join("test.db")))
            .await
            .unwrap();
        let pipeline = Pipeline::new(store, Registry::built_in());
        let policy = EgressPolicy {
            allow: "127.0.0.1/32".parse().unwrap(),
        };
        let registration = json!({
            "manifest": {
                "name": "booking.reserve", "description": "Reserves a room", "inputSchema": { "type": "object" },
                "outputSchema": { "type": "object", "required": ["room"] }, "capability": "write", "timeoutMs": 500,
                "retryPolicy": { "maxAttempts": 3, "backoffMs": 1 }, "idempotent": idempotent
            },
            "endpoint": vendor.url("/reserve"),
        });
        let registration = Registration::check(&registration, &policy).unwrap();
        let tool = RemoteTool::new(
            registration,
            Egress::new(policy, Limits::default()).unwrap(),
        );
        pipeline
            .tools()
            .register(ToolSource::File, tool.into())
            .unwrap();
        Self {
            pipeline,
            vendor,
            _folder: folder,
        }
    }

    /// Reserves a room under a key, as somebody who may approve and says so.
    async fn reserve(&self, key: &str) -> Envelope {
        let by = Committer::new(
            Author::Local,
            CapabilitySet::all(),
            Stamp::local(Timestamp::now()),
        );
        let site = SiteId::from("main".to_owned());
        let call = Call::new(site, "booking.reserve", json!({ "room": "Ada" }), by);
        let call = Call {
            key: Some(key.to_owned()),
            is_confirmed: true,
            ..call
        };
        self.pipeline.call(call).await.into()
    }

    /// How often it was done, and under how many keys.
    fn effects(&self) -> (usize, usize) {
        let requests = self.vendor.requests();
        let mut keys: Vec<_> = requests
            .iter()
            .map(|request| request.header("idempotency-key").map(str::to_owned))
            .collect();
        keys.sort();
        keys.dedup();
        (requests.len(), keys.len())
    }
}

fn good() -> Reply {
    Reply::new(200, r#"{"data": {"room": "Ada"}}"#)
}

fn told(answer: &Envelope) -> &str {
    answer
        .error
        .as_ref()
        .map_or("ok", |error| error.code.as_str())
}

/// Both messages in one piece, as a vendor that answers twice sends them.
fn twice() -> Answer {
    let body = good().body;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let one = [head.into_bytes(), body].concat();
    Answer::Raw([one.clone(), one].concat())
}

#[tokio::test]
async fn a_vendor_that_misbehaves_is_asked_once_for_what_must_not_be_done_twice() {
    let short = Answer::WrongLength {
        reply: good(),
        claimed: 900,
    };
    for (answer, code) in [
        (Answer::Hang, "outcome_unknown"),
        (Answer::Close, "outcome_unknown"),
        (Answer::HalfClose(good()), "outcome_unknown"),
        (short, "outcome_unknown"),
        (Answer::Reply(Reply::new(504, "")), "outcome_unknown"),
        (Answer::Reply(Reply::new(500, "")), "upstream_error"),
        (Answer::Reply(Reply::new(429, "")), "rate_limited"),
        (Answer::Reply(Reply::new(200, "{}")), "invalid_output"),
        (Answer::ok(r#"{"data": {"hall": 1}}"#), "invalid_output"),
        (twice(), "ok"),
        (Answer::Reply(good()), "ok"),
    ] {
        let shown = format!("{answer:?}");
        let bench = Bench::with(false, [answer, Answer::Reply(good())]).await;
        assert_eq!(told(&bench.reserve("k").await), code, "{shown}");
        // The caller, who may not have got the answer, asks again.
        assert_eq!(told(&bench.reserve("k").await), code, "{shown}");
        assert_eq!(bench.effects(), (1, 1), "{shown}");
        bench.pipeline.close().await;
    }
}

#[tokio::test]
async fn a_vendor_that_knows_the_key_is_asked_again_with_the_same_one() {
    for lost in [
        Answer::Hang,
        Answer::Close,
        Answer::Reply(Reply::new(503, "")),
        Answer::Reply(Reply::new(504, "")),
    ] {
        let shown = format!("{lost:?}");
        let bench = Bench::with(true, [lost, Answer::Reply(good())]).await;
        let answer = bench.reserve("k").await;
        assert_eq!((told(&answer), answer.attempts), ("ok", 2), "{shown}");
        assert_eq!(answer.data, Some(json!({ "room": "Ada" })));
        assert_eq!(bench.effects(), (2, 1), "two attempts, one key: {shown}");
        bench.pipeline.close().await;
    }
}

#[tokio::test]
async fn a_vendor_that_restarts_gets_what_never_left_and_nothing_else() {
    let bench = Bench::with(false, []).await;
    let address = bench.vendor.address();
    drop(bench.vendor);
    let bench = Bench {
        vendor: Vendor::scripted([]),
        ..bench
    };
    let down = bench.reserve("while-down").await;
    assert_eq!((told(&down), down.attempts), ("unavailable", 3));
    let back = Vendor::bound_to(address, |_| Answer::Reply(good())).unwrap();
    // The key was used for a call that is known to have done nothing; a new one is a new call.
    assert_eq!(told(&bench.reserve("while-down").await), "unavailable");
    assert_eq!(told(&bench.reserve("after").await), "ok");
    assert_eq!(back.requests().len(), 1);
    let body: Value = serde_json::from_slice(&back.requests()[0].body).unwrap();
    assert_eq!(body["toolName"], "booking.reserve");
    bench.pipeline.close().await;
}
