//! Strangers who send as much as they can: the server's memory stays, and others are served.
//! `SITEWRIGHT_FLOOD_REQUESTS` makes it longer; then sign-in beside the flood is also measured.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::Call;
use crate::kill::variable;
use crate::product::{Instance, OWNER, PASSWORD, Server};

const AT_ONCE: usize = 48;
const GROWTH_MAX_MB: u64 = 60;

fn requests() -> usize {
    variable("SITEWRIGHT_FLOOD_REQUESTS").map_or(240, |count| count.parse().unwrap())
}

fn resident_mb(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes.unwrap().parse::<u64>().unwrap() / 1024
}

/// Every public route, as strangers use it, and what they get to see besides: pages, the shell, and a token that is none. Each request
/// claims another client, so that no limit by client protects the server.
fn calls() -> Vec<Call> {
    let link = json!({ "token": "x", "password": "xxxxxxxxxxxx" });
    let setup = json!({ "token": "x", "email": "a@example.com", "password": "xxxxxxxxxxxx" });
    let guess = json!({ "email": "nobody@example.com", "password": "xxxxxxxxxxxx" });
    let step = json!({ "ticket": "x", "code": "000000" });
    let passkey = json!({ "ticket": "x", "credential": {} });
    let guessed = "Bearer swt_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    vec![
        Call::get("/"),
        Call::get("/nowhere"),
        Call::get("/admin/"),
        Call::get("/_sw/content/blog").header("Authorization", guessed),
        Call::get("/breadcrumbs/stream").header("Authorization", guessed),
        Call::post("/tools/call", &json!({})),
        Call::get("/healthz"),
        Call::get("/readyz"),
        Call::get("/metrics"),
        Call::get("/uploads/x/320.webp"),
        Call::get("/uploads/fonts/x.woff2"),
        Call::get("/preview/x"),
        Call::get("/admin/api/session"),
        Call::post("/admin/api/session/passkey/start", &json!({})),
        Call::post("/admin/api/session/passkey", &passkey),
        Call::post("/admin/api/session/second-step", &step),
        Call::post("/admin/api/setup", &setup),
        Call::post("/admin/api/password-links/redeem", &link),
        Call::post("/admin/api/session", &guess),
    ]
}

/// Sends each call so many times, and returns the most memory that was seen.
fn flood(server: &Server, count: usize) -> u64 {
    let calls = calls();
    let (next, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(call) = calls.get(number / count) else {
                        return;
                    };
                    let client = format!("203.{}.{}.7", number / 250 % 250, number % 250);
                    let call = call.clone().header("X-Forwarded-For", &client);
                    let answer = call.try_send(&server.address).unwrap();
                    assert!(answer.status < 500 || answer.status == 503, "{answer:?}");
                    if number.is_multiple_of(50) {
                        let now = usize::try_from(resident_mb(server)).unwrap();
                        peak.fetch_max(now, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    u64::try_from(peak.into_inner()).unwrap()
}

/// H4: some 100 anonymous requests took a gigabyte and kept it.
#[test]
fn h4_strangers_take_no_memory_from_the_server() {
    let instance = Instance::ready();
    let server = instance.serve("--set trusted_proxies=127.0.0.1");
    // Once, so that caches and the threads for passwords have their memory.
    sign_in(&server, 1);
    flood(&server, 8);
    let before = resident_mb(&server);
    let peak = flood(&server, requests());
    let after = resident_mb(&server);
    eprintln!("resident: {before} MB before, {peak} MB at most, {after} MB after");
    assert!(
        peak <= before + GROWTH_MAX_MB,
        "{before} MB, then {peak} MB"
    );
    sign_in(&server, 2);
}

/// H4: sign-in took a hundred times as long beside the flood, and later was refused when the queue for passwords was full. Every sign-in
/// is answered with 200 while strangers guess at an account as fast as they can, each guess from another client. How long it takes is
/// measured as a ratio within one run, and only when asked for, because the clients that flood the server take the same cores.
#[test]
fn h4_sign_in_is_served_beside_a_flood() {
    const SIGN_INS: u8 = 40;
    let instance = Instance::ready();
    let server = instance.serve("--set trusted_proxies=127.0.0.1");
    let p95 = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() * 95 / 100]
    };
    let mut alone: Vec<Duration> = (0..SIGN_INS)
        .map(|client| sign_in(&server, client))
        .collect();
    let mut beside = Vec::new();
    let (ended, guesses) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let number = guesses.fetch_add(1, Ordering::Relaxed);
                    let answer = guess(number).try_send(&server.address).unwrap();
                    assert!([401, 429, 503].contains(&answer.status), "{answer:?}");
                }
            });
        }
        // Not before strangers are at every place.
        while guesses.load(Ordering::Relaxed) < AT_ONCE {
            std::thread::yield_now();
        }
        for client in SIGN_INS..2 * SIGN_INS {
            beside.push(sign_in(&server, client));
        }
        ended.store(true, Ordering::Relaxed);
    });
    let (alone, beside) = (p95(&mut alone), p95(&mut beside));
    let guesses = guesses.into_inner();
    eprintln!("sign-in, 95 of 100 within: {alone:?} alone, {beside:?} beside {guesses} guesses");
    if requests() >= 2000 {
        assert!(beside <= 2 * alone, "{alone:?} alone, {beside:?} beside it");
    }
}

/// A guess at a password. The first hundred are hashed, because an account may be tried that often; every fourth is for an account of its
/// own, from one client, which has its own limit.
fn guess(number: usize) -> Call {
    let (account, client) = match number % 4 {
        0 => (format!("{number}@example.com"), "192.0.2.9".to_owned()),
        _ => (
            "nobody@example.com".to_owned(),
            format!("203.{}.{}.7", number / 250 % 250, number % 250),
        ),
    };
    let body = json!({ "email": account, "password": "xxxxxxxxxxxx" });
    Call::post("/admin/api/session", &body).header("X-Forwarded-For", &client)
}

/// Signs in from a client of its own, so that no limit counts.
fn sign_in(server: &Server, client: u8) -> Duration {
    let body = json!({ "email": OWNER, "password": PASSWORD });
    let call = Call::post("/admin/api/session", &body);
    let call = call.header("X-Forwarded-For", &format!("198.51.100.{client}"));
    let started = Instant::now();
    let answer = call.send(server);
    assert_eq!(answer.status, 200, "{answer:?}");
    started.elapsed()
}
