//! Killed while eight write and one publishes, all without a pause: nothing that was acknowledged is lost or doubled, publishing
//! succeeds meanwhile, and what visitors see afterwards is one whole release with everything that was written before it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Call;
use crate::kill::{Random, busily_wait, check_chain, is_soak};
use crate::product::{Instance, PATIENCE, Server};

const WRITERS: usize = 8;
/// A folder that has been killed this often is replaced: its pages grow with each round.
const ROUNDS_PER_FOLDER: usize = 10;

#[test]
fn kill_while_publishing_at_full_speed_on_sqlite() {
    let rounds = if is_soak() { 60 } else { 3 };
    println!(
        "{}",
        kill_while_publishing("SQLite", rounds, || Some(Instance::new()))
    );
}

#[test]
fn kill_while_publishing_at_full_speed_on_postgres() {
    let rounds = if is_soak() { 20 } else { 2 };
    println!(
        "{}",
        kill_while_publishing("Postgres", rounds, Instance::on_postgres)
    );
}

/// What was acknowledged over all rounds.
#[derive(Default)]
struct Totals {
    writes: usize,
    publishes: usize,
}

/// Kills as often as it is told, and tells what was acknowledged meanwhile. What was lost or doubled fails the test.
fn kill_while_publishing(
    database: &str,
    rounds: usize,
    make: impl Fn() -> Option<Instance>,
) -> String {
    let mut random = Random::seeded();
    let mut totals = Totals::default();
    let mut left = rounds;
    while left > 0 {
        let Some(instance) = make() else {
            return format!("{database}: NOT RUN, because it is missing");
        };
        instance.set_up();
        let mut site = BusySite::new(&instance);
        let mut server = instance.serve("");
        let rounds = left.min(ROUNDS_PER_FOLDER);
        for round in 0..rounds {
            let context = format!("{database}, seed {}, round {round}", random.seed);
            site.write_and_kill(&mut server, &mut random, &mut totals);
            // First without a server: the lock is free, the database opens, the chain holds.
            check_chain(&instance, &context);
            server = instance.serve("");
            site.check(&server, &context);
        }
        left -= rounds;
    }
    let Totals { writes, publishes } = totals;
    format!(
        "{database}: killed {rounds} times with {WRITERS} writers and a publisher; {writes} writes and {publishes} publishes were \
         acknowledged, none was lost or doubled"
    )
}

/// A site with a page for each writer.
struct BusySite {
    token: String,
    writers: Vec<Writer>,
    /// The release of the last publish that was acknowledged.
    release: u64,
}

struct Writer {
    slug: String,
    root: Value,
    /// The number of the last write that was acknowledged.
    acknowledged: AtomicU64,
    /// The number of the last write that was sent.
    sent: AtomicU64,
    /// The number of the last write that was acknowledged before the last publish began that was.
    published: AtomicU64,
}

impl BusySite {
    fn new(instance: &Instance) -> Self {
        let token = instance.token("all");
        let server = instance.serve("");
        let call = |tool: &str, arguments: Value| {
            let answer = tool_call(tool, &arguments).token(&token).send(&server);
            let answer = answer.json();
            assert_eq!(answer["ok"], true, "{answer}");
            answer["data"].clone()
        };
        let writer = |number: usize| {
            let slug = format!("writer-{number}");
            let added = call("addPage", json!({ "title": slug, "slug": slug }));
            let document = json!({ "type": "page", "id": added["pageId"] });
            let read = call("read_document", json!({ "document": document }));
            Writer {
                slug,
                root: json!(crate::publishing::root_of(&read)),
                acknowledged: AtomicU64::new(0),
                sent: AtomicU64::new(0),
                published: AtomicU64::new(0),
            }
        };
        let writers = (0..WRITERS).map(writer).collect();
        Self {
            writers,
            release: 0,
            token,
        }
    }

    /// Lets everybody work until the server is killed: at a random moment after a random number of writes and of publishes.
    fn write_and_kill(&mut self, server: &mut Server, random: &mut Random, totals: &mut Totals) {
        let (writes, publishes) = (random.below(200), 1 + random.below(4));
        let pause = Duration::from_micros(random.below(20_000));
        let address = server.address.clone();
        let (wrote, written) = mpsc::channel();
        let (publish, published) = mpsc::channel();
        std::thread::scope(|scope| {
            for writer in &self.writers {
                let (token, wrote, address) = (&self.token, wrote.clone(), &address);
                scope.spawn(move || writer.write(address, token, &wrote));
            }
            let (token, writers, address) = (&self.token, &self.writers, &address);
            scope.spawn(move || publish_on(address, token, writers, &publish));
            drop(wrote);
            let written_in_time = (0..writes).try_for_each(|_| written.recv_timeout(PATIENCE));
            let seen: Result<Vec<u64>, _> = (0..publishes)
                .map(|_| published.recv_timeout(PATIENCE))
                .collect();
            busily_wait(pause);
            // Whoever is left goes on until the server is gone, so nothing may fail before that.
            server.kill();
            written_in_time.unwrap();
            let seen = seen.unwrap();
            let seen: Vec<u64> = seen.into_iter().chain(published).collect();
            totals.publishes += seen.len();
            totals.writes += usize::try_from(writes).unwrap() + written.iter().count();
            self.release = seen.last().copied().unwrap_or(self.release);
        });
    }

    fn check(&self, server: &Server, context: &str) {
        let get = |path: &str| Call::get(path).token(&self.token).send(server);
        let files = get("/admin/api/site/releases/current/files").json();
        let number = files["release"]["number"].as_u64().unwrap();
        assert!(number >= self.release, "{context}: release {number}");
        for file in files["files"].as_array().unwrap() {
            let address = file["address"].as_str().unwrap();
            // These are for static hosts; the server sends their headers itself.
            if ["/_headers", "/nginx-headers.conf"].contains(&address) {
                continue;
            }
            let expected = if address == "/404.html" { 404 } else { 200 };
            assert_eq!(get(address).status, expected, "{context}: {address}");
        }
        for writer in &self.writers {
            let read = json!({ "nodeId": writer.root });
            let call = tool_call("getNodeHtml", &read).token(&self.token);
            let html = call.send(server).json()["data"]["html"].to_string();
            let (acknowledged, sent) = (&writer.acknowledged, &writer.sent);
            let last = writer.check_texts(&html, acknowledged.load(Ordering::SeqCst), context);
            assert!(last <= sent.load(Ordering::SeqCst), "{context}");
            // The writer goes on after what is there.
            acknowledged.store(last, Ordering::SeqCst);
            let page = get(&format!("/{}", writer.slug)).text();
            let least = writer.published.load(Ordering::SeqCst);
            let shown = writer.check_texts(&page, least, context);
            assert!(shown <= last, "{context}: visitors see what is not there");
        }
        let publish = Call::post("/admin/api/site/publish", &json!({})).token(&self.token);
        publish.send(server).json();
        let listed = get("/admin/api/site/releases?limit=200").json();
        let numbers = listed["releases"].as_array().unwrap().iter();
        let numbers: Vec<u64> = numbers
            .map(|release| release["number"].as_u64().unwrap())
            .collect();
        let newest = numbers[0];
        let expected: Vec<u64> = (1..=newest).rev().take(numbers.len()).collect();
        assert_eq!(numbers, expected, "{context}: a gap among the releases");
    }
}

impl Writer {
    /// Adds a paragraph after the other until the server is gone.
    fn write(&self, address: &str, token: &str, acknowledged: &Sender<()>) {
        for number in self.acknowledged.load(Ordering::SeqCst) + 1.. {
            self.sent.store(number, Ordering::SeqCst);
            let html = format!("<p>text {number};</p>");
            let arguments = json!({ "parentId": self.root, "html": html });
            let call = tool_call("insertHtml", &arguments).token(token);
            let Ok(answer) = call.try_send(address) else {
                return;
            };
            let answer = answer.json();
            assert_eq!(answer["ok"], true, "{answer}");
            self.acknowledged.store(number, Ordering::SeqCst);
            acknowledged.send(()).unwrap();
        }
    }

    /// Every text up to the last one is there once, and at least up to `least`; tells the last one.
    fn check_texts(&self, html: &str, least: u64, context: &str) -> u64 {
        let mut found: BTreeMap<u64, usize> = BTreeMap::new();
        for (at, _) in html.match_indices("<p>text ") {
            let number = &html[at + "<p>text ".len()..];
            let number = number.split_once(';').unwrap().0;
            *found.entry(number.parse().unwrap()).or_default() += 1;
        }
        let last = found.last_key_value().map_or(0, |(last, _)| *last);
        let expected: BTreeMap<u64, usize> = (1..=last).map(|number| (number, 1)).collect();
        assert_eq!(found, expected, "{context}: {} lost or doubled", self.slug);
        assert!(
            last >= least,
            "{context}: {} lost {last} to {least}",
            self.slug
        );
        last
    }
}

/// Publishes again and again until the server is gone. Nothing else may be in the way.
fn publish_on(address: &str, token: &str, writers: &[Writer], published: &Sender<u64>) {
    loop {
        let before: Vec<u64> = writers
            .iter()
            .map(|writer| writer.acknowledged.load(Ordering::SeqCst))
            .collect();
        let publish = Call::post("/admin/api/site/publish", &json!({})).token(token);
        let Ok(answer) = publish.try_send(address) else {
            return;
        };
        let release = answer.json()["release"].as_u64().unwrap();
        for (writer, before) in writers.iter().zip(before) {
            writer.published.store(before, Ordering::SeqCst);
        }
        published.send(release).unwrap();
    }
}

fn tool_call(tool: &str, arguments: &Value) -> Call {
    let body = json!({ "tool": tool, "scope": "site", "arguments": arguments });
    Call::post("/tools/call", &body)
}
