//! Killed in the middle of writing: what was acknowledged is there afterwards, and nothing is there by half.
//!
//! A killed process leaves the system's page cache behind, so this proves order and atomicity, not what a power cut spares.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Call;
use crate::product::{Instance, OWNER, PASSWORD, PATIENCE, Server, until};

const WRITERS: usize = 4;
/// A folder that has been killed this often is replaced, so that reading all of it stays quick in long runs.
const ROUNDS_PER_FOLDER: usize = 50;

#[test]
fn kill_while_writing_to_sqlite_loses_nothing_acknowledged() {
    kill_while_writing(|| Some(Instance::new()));
}

#[test]
fn kill_while_writing_to_postgres_loses_nothing_acknowledged() {
    kill_while_writing(Instance::on_postgres);
}

/// Every command takes the folder for itself; killed at any point, it leaves a folder that the next one can use at once.
#[test]
fn kill_of_a_command_leaves_the_folder_free_and_whole() {
    let mut random = Random::seeded();
    for round in 0..rounds() {
        let context = format!("seed {}, round {round}", random.seed);
        let instance = Instance::new();
        let setup = format!("setup --email {OWNER} --password-stdin --json");
        kill_command(&instance, &setup, random.below(60_000));
        let (code, refusal, _) = match instance.run_with_input(&setup, PASSWORD) {
            done if done.code == Some(0) => (Some(0), String::new(), String::new()),
            refused => refused.failure(),
        };
        let expected = [(Some(0), ""), (Some(1), "conflict")];
        assert!(expected.contains(&(code, &refusal)), "{context}: {refusal}");
        let create = "token create --name killed --capabilities all --json";
        for _ in 0..3 {
            kill_command(&instance, create, random.below(20_000));
            check_chain(&instance, &context);
        }
        assert_eq!(instance.run(create).code, Some(0), "{context}");
        let server = instance.serve("");
        let token = instance.token("all");
        let found = Found::on(&server, &token);
        assert_eq!(found.things, found.told, "{context}");
    }
}

fn kill_while_writing(make: impl Fn() -> Option<Instance>) {
    let mut random = Random::seeded();
    let mut left = rounds();
    while left > 0 {
        let Some(instance) = make() else { return };
        instance.set_up();
        let token = instance.token("all");
        let mut acknowledged = BTreeSet::new();
        let mut server = instance.serve("");
        let rounds = left.min(ROUNDS_PER_FOLDER);
        for round in 0..rounds {
            let context = format!("seed {}, round {round}", random.seed);
            acknowledged.extend(write_and_kill(&mut server, &token, round, &mut random));
            // First without a server: the lock is free, the database opens, the chain holds.
            check_chain(&instance, &context);
            server = instance.serve("");
            let found = Found::on(&server, &token);
            let lost: Vec<_> = acknowledged.difference(&found.things).collect();
            assert!(lost.is_empty(), "{context}: lost {lost:?}");
            assert_eq!(found.things, found.told, "{context}");
        }
        let written = acknowledged.len();
        assert!(written > rounds, "only {written} writes in {rounds} rounds");
        left -= rounds;
    }
}

/// Lets clients write until the server is killed, at a random moment after a random number of answers; returns what was
/// acknowledged.
fn write_and_kill(
    server: &mut Server,
    token: &str,
    round: usize,
    random: &mut Random,
) -> Vec<Thing> {
    let answers = random.below(30);
    let pause = Duration::from_micros(random.below(4000));
    let (sender, receiver) = mpsc::channel();
    let address = server.address.clone();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (sender, address) = (sender.clone(), &address);
            scope.spawn(move || {
                let name = format!("r{round}-w{writer}");
                write_until_gone(address, token, &name, &sender);
            });
        }
        drop(sender);
        let mut seen = receive(&receiver, answers);
        busily_wait(pause);
        server.kill();
        seen.extend(receiver);
        seen
    })
}

fn receive(receiver: &Receiver<Thing>, count: u64) -> Vec<Thing> {
    let receive = |_| receiver.recv_timeout(PATIENCE).unwrap();
    (0..count).map(receive).collect()
}

/// Microseconds are too short to sleep for.
pub(crate) fn busily_wait(pause: Duration) {
    let started = Instant::now();
    while started.elapsed() < pause {
        std::thread::yield_now();
    }
}

/// Something written, as the activity log tells of it: what was done, and to what.
type Thing = (&'static str, String);

fn write_until_gone(address: &str, token: &str, name: &str, acknowledged: &Sender<Thing>) {
    for number in 0.. {
        let name = format!("{name}-{number}");
        let (call, action, id) = write(number % 4, &name);
        let Ok(answer) = call.token(token).try_send(address) else {
            return;
        };
        let answer = answer.json();
        let id = answer.pointer(id).and_then(Value::as_str).unwrap();
        acknowledged.send((action, id.to_owned())).unwrap();
    }
}

/// A request that writes, what the log will say was done, and where the answer has the id.
fn write(kind: usize, name: &str) -> (Call, &'static str, &'static str) {
    match kind {
        0 => {
            let body = json!({ "name": name, "kind": "script", "capabilities": ["site.read"] });
            (
                Call::post("/admin/api/tokens", &body),
                "token.created",
                "/info/id",
            )
        }
        1 => {
            let body = json!({ "email": format!("{name}@example.com"), "role": "viewer" });
            (
                Call::post("/admin/api/users", &body),
                "user.added",
                "/user/id",
            )
        }
        2 => {
            let body = json!({ "tool": "addPage", "arguments": { "title": name } });
            (
                Call::post("/tools/call", &body),
                "page.added",
                "/data/pageId",
            )
        }
        _ => {
            let body = json!({ "name": name, "capabilities": ["site.read"] });
            let path = format!("/admin/api/roles/{name}");
            (Call::put(&path, &body), "role.changed", "/key")
        }
    }
}

/// What a server has: the things themselves, and what its log tells of.
struct Found {
    things: BTreeSet<Thing>,
    told: BTreeSet<Thing>,
}

impl Found {
    fn on(server: &Server, token: &str) -> Self {
        let get = |path: &str| Call::get(path).token(token).send(server).json();
        let list = |path: &str, list: &str| get(path)[list].as_array().unwrap().clone();
        let mut things = BTreeSet::new();
        let mut add = |action, id: &Value| things.insert((action, id.as_str().unwrap().to_owned()));
        for token in list("/admin/api/tokens", "tokens") {
            add("token.created", &token["id"]);
        }
        for user in list("/admin/api/users", "users") {
            if user["email"] != OWNER {
                add("user.added", &user["id"]);
            }
        }
        for role in list("/admin/api/roles", "roles") {
            if role["builtIn"] == false {
                add("role.changed", &role["key"]);
            }
        }
        let document = get("/admin/api/site/document");
        for page in document["shell"]["shell"]["pages"].as_array().unwrap() {
            if page[1]["slug"] != "index" {
                add("page.added", &page[0]);
            }
        }
        let mut told = told(get);
        told.extend(pages_in_the_log(get));
        Self { things, told }
    }
}

/// The pages that the log of changes tells of.
fn pages_in_the_log(get: impl Fn(&str) -> Value) -> BTreeSet<Thing> {
    let mut pages = BTreeSet::new();
    let mut after = 1;
    loop {
        let log = get(&format!("/admin/api/site/changes?after={after}"));
        for change in log["changes"].as_array().unwrap() {
            after = change["seq"].as_u64().unwrap();
            let id = change["ops"][0]["new"]["id"].as_str().unwrap();
            pages.insert(("page.added", id.to_owned()));
        }
        if log["seq"].as_u64().unwrap() <= after {
            return pages;
        }
    }
}

fn told(get: impl Fn(&str) -> Value) -> BTreeSet<Thing> {
    let mut told = BTreeSet::new();
    let mut before = String::new();
    loop {
        let page = get(&format!("/admin/api/audit?limit=200{before}"));
        for entry in page["entries"].as_array().unwrap() {
            let actions = ["token.created", "user.added", "role.changed"];
            if let Some(action) = actions.iter().find(|action| entry["action"] == **action) {
                told.insert((*action, entry["subject"].as_str().unwrap().to_owned()));
            }
        }
        let Some(next) = page["next"].as_str() else {
            return told;
        };
        before = format!("&before={next}");
    }
}

/// The chain holds, and in the end everything has its place in it.
pub(crate) fn check_chain(instance: &Instance, context: &str) {
    until("everything is sealed", || {
        let outcome = instance.run("audit verify --json");
        assert_eq!(outcome.code, Some(0), "{context}: {outcome:?}");
        let report = outcome.json();
        assert_eq!(report["ok"], true, "{context}: {report}");
        (report["unsealed"] == 0).then_some(())
    });
}

fn kill_command(instance: &Instance, words: &str, micros: u64) {
    let input = instance.folder().join("password");
    std::fs::write(&input, PASSWORD).unwrap();
    let mut child = instance
        .command(words)
        .stdin(std::fs::File::open(input).unwrap())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    busily_wait(Duration::from_micros(micros));
    child.kill().unwrap();
    child.wait().unwrap();
}

pub(crate) fn rounds() -> usize {
    variable("SITEWRIGHT_KILL_ROUNDS").map_or(20, |rounds| rounds.parse().unwrap())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a long run is asked for by the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Whether this is a long run, which `cargo xtask soak` asks for.
pub(crate) fn is_soak() -> bool {
    variable("SITEWRIGHT_SOAK").is_some()
}

/// Where the random numbers of the suite begin, so that each of its runs does the same.
const SEED: u64 = 14;

/// Random numbers (SplitMix64) from a seed that failures name. Long runs begin elsewhere each time; `SITEWRIGHT_KILL_SEED` repeats one.
pub(crate) struct Random {
    pub(crate) seed: u64,
    state: u64,
}

impl Random {
    pub(crate) fn seeded() -> Self {
        let seed = match variable("SITEWRIGHT_KILL_SEED") {
            Some(seed) => seed.parse().unwrap(),
            None if is_soak() => RandomState::new().hash_one(0),
            None => SEED,
        };
        Self { seed, state: seed }
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}
