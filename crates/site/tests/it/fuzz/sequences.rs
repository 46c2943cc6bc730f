//! Sequences of choices from a generator, spread over threads: the same ones each time, however many threads there are.

#![expect(clippy::print_stdout, reason = "the rate of a soak is worth a look")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

/// How many sequences are checked, unless `SITEWRIGHT_CODE_SEQUENCES` says otherwise.
const SEQUENCES: u64 = 4_000;
/// How many bytes of choices a sequence has at most: about a dozen ops.
const BYTES_MAX: u64 = 160;

/// How often a soak, which may be ended before its time, tells how far it has come.
const TOLD_EVERY: u64 = 250_000;

/// Fails the test with the number of the sequence that broke the target.
pub(super) fn check(check: fn(&[u8]) -> Result<(), String>) {
    let (next, count) = (AtomicU64::new(0), wanted());
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    if number > 0 && number.is_multiple_of(TOLD_EVERY) {
                        println!(
                            "{number} sequences in {:.1} s",
                            began.elapsed().as_secs_f64()
                        );
                    }
                    let choices = sequence(number);
                    if let Err(problem) = check(&choices) {
                        panic!(
                            "sequence {number}: {problem}\nthe input: b\"{}\"",
                            choices.escape_ascii()
                        );
                    }
                }
            });
        }
    });
    println!(
        "{count} sequences in {:.1} s on {threads} threads",
        began.elapsed().as_secs_f64()
    );
}

/// The choices of a sequence, from SplitMix64.
fn sequence(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0xd134_2543_de82_ef95);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    let words = (16 + next() % (BYTES_MAX - 16)) / 8;
    (0..words).flat_map(|_| next().to_le_bytes()).collect()
}

fn wanted() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "a soak says how many it wants")]
    let wanted = std::env::var("SITEWRIGHT_CODE_SEQUENCES").ok();
    wanted.map_or(SEQUENCES, |wanted| wanted.parse().unwrap())
}
