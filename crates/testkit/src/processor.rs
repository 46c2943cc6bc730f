//! How much of a processor work takes.
//!
//! The time that passes says more about what else runs on the machine. Compare what this measures with a baseline in the same
//! process: machines differ.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Does work on this thread, and says how long a processor was at it. What other threads do for it is not counted.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = processor_time();
    let done = work();
    (done, processor_time().saturating_sub(before))
}

/// The time that processors gave this thread; elsewhere than on Linux, the time that has passed.
fn processor_time() -> Duration {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    let started = STARTED.get_or_init(Instant::now);
    // The kernel adds up when a thread gives way, and otherwise every few milliseconds.
    std::thread::yield_now();
    let given = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = given.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| started.elapsed(), Duration::from_nanos)
}
