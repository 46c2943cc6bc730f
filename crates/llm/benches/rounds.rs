//! What the loop costs over a bare HTTP client that reads the same stream: a round, the first token, 500 streams at once.
//! Prints a JSON object per measure for `cargo xtask bench`.
//!
//! The provider and the two kinds of clients whose memory is measured are this program again, in processes of their own.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark that cannot run has failed, prints, and tells the time"
)]

#[path = "rounds/client.rs"]
mod client;
#[path = "rounds/provider.rs"]
mod provider;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use client::{bare_round, bare_stream, egress_round, loop_round};

const ROUNDS: u32 = 50;
const BLOCKS: usize = 10;
const STREAMS: usize = 500;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("provider") => provider::serve(),
        Some("memory") => memory(&arguments[2], &arguments[3]),
        _ => measure(),
    }
}

fn measure() {
    let provider = OtherProcess::start(&["provider"]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let [bare, egress, product] = runtime.expect("a runtime").block_on(rounds(&provider.said));
    let (clock, bare_clock) = (undisturbed(&product.clock), undisturbed(&egress.clock));
    let within = ratio(clock, bare_clock) <= 1.25
        && clock.saturating_sub(bare_clock) <= Duration::from_micros(300);
    row(
        "a round of 100 deltas through the loop",
        &micros(clock),
        &micros(bare_clock),
        ratio(clock, bare_clock),
        Some(("at most 1.25x and 300 µs more", within)),
    );
    let (whole, bare_whole) = (
        undisturbed(&product.processor),
        undisturbed(&egress.processor),
    );
    row(
        "the same in processor time",
        &micros(whole),
        &micros(bare_whole),
        ratio(whole, bare_whole),
        None,
    );
    let (first, bare_first) = (undisturbed(&product.first), undisturbed(&bare.first));
    row(
        "from the provider's write to the first token told",
        &micros(first),
        &micros(bare_first),
        ratio(first, bare_first),
        Some((
            "within 1 ms of its arrival",
            first.saturating_sub(bare_first) <= Duration::from_millis(1),
        )),
    );
    drop(provider);
    measure_memory();
}

/// Rounds of hyper alone, of egress, and of the loop, in turn.
async fn rounds(address: &str) -> [Samples; 3] {
    let [mut bare, mut egress, mut product] = <[Samples; 3]>::default();
    let mut connection = client::connect(address).await;
    let turns = client::Turns::new(address);
    let body = client::body("go");
    // The first block warms caches and connections.
    for block in 0..=BLOCKS {
        for _ in 0..ROUNDS {
            bare.first
                .push(bare_round(&mut connection, body.clone()).await);
        }
        let before = used();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            egress_round(&turns, body.clone()).await;
            egress.clock.push(began.elapsed());
        }
        let between = used();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            product.first.push(loop_round(&turns).await);
            product.clock.push(began.elapsed());
        }
        if block > 0 {
            egress.processor.push((between - before) / ROUNDS);
            product.processor.push((used() - between) / ROUNDS);
        }
    }
    [bare, egress, product]
}

fn measure_memory() {
    let added = |kind: &str| {
        let provider = OtherProcess::start(&["provider"]);
        let client = OtherProcess::start(&["memory", kind, &provider.said]);
        client.said.parse::<u64>().expect("a number of KiB")
    };
    let (product, bare) = (added("loop"), added("bare"));
    row(
        &format!("{STREAMS} streams at once, memory added"),
        &format!("{:.1} MB", product as f64 / 1024.0),
        &format!("{:.1} MB", bare as f64 / 1024.0),
        product as f64 / bare as f64,
        Some(("under 100 MB", product < 100 * 1024)),
    );
}

#[derive(Default)]
struct Samples {
    first: Vec<Duration>,
    clock: Vec<Duration>,
    processor: Vec<Duration>,
}

/// Processor time of this process so far, which does not depend on what else runs on the machine.
fn used() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux");
    let used = threads.flatten().map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        let first = text.split_whitespace().next();
        first
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0)
    });
    Duration::from_nanos(used.sum())
}

/// The tenth part from below: what else runs on the machine only makes a round longer, never shorter.
fn undisturbed(samples: &[Duration]) -> Duration {
    let mut sorted = samples.to_vec();
    sorted.sort();
    sorted[sorted.len() / 10]
}

fn ratio(product: Duration, baseline: Duration) -> f64 {
    product.as_secs_f64() / baseline.as_secs_f64()
}

fn micros(duration: Duration) -> String {
    format!("{} µs", duration.as_micros())
}

fn row(measure: &str, product: &str, baseline: &str, ratio: f64, target: Option<(&str, bool)>) {
    let target = target.map(|(text, met)| json!({ "text": text, "met": met }));
    println!(
        "{}",
        json!({ "measure": measure, "product": product, "baseline": baseline, "ratio": ratio, "target": target })
    );
}

/// Opens all streams, waits until each has said something, and prints by how many KiB the process grew.
fn memory(kind: &str, address: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // One stream first, so that what is made once does not count.
        let turns = client::Turns::new(address);
        loop_round(&turns).await;
        let before = resident_kib();
        let (told, mut heard) = tokio::sync::mpsc::channel(STREAMS);
        let mut streams = tokio::task::JoinSet::new();
        for _ in 0..STREAMS {
            let (told, turns, address) = (told.clone(), turns.clone(), address.to_owned());
            match kind {
                "loop" => streams.spawn(async move { turns.stalled(told).await }),
                _ => streams.spawn(async move { bare_stream(&address, told).await }),
            };
        }
        let deadline = Instant::now() + Duration::from_secs(60);
        for _ in 0..STREAMS {
            tokio::time::timeout_at(deadline.into(), heard.recv())
                .await
                .expect("every stream says something")
                .expect("the streams are open");
        }
        println!("{}", resident_kib().saturating_sub(before));
        streams.abort_all();
    });
    // The streams never end by themselves.
    std::process::exit(0);
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a size");
    let number = line.split_whitespace().nth(1).expect("a number");
    number.parse().expect("a number")
}

/// This program again, and the first line it says.
struct OtherProcess {
    child: Child,
    said: String,
}

impl OtherProcess {
    fn start(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().expect("a path");
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut said = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut said).expect("a line");
        Self {
            child,
            said: said.trim().to_owned(),
        }
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        std::io::stdout().flush().ok();
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
