//! Records on real rows, with restarts and several processes.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot get what it needs has failed"
)]

mod crash;
mod exactly_once;
mod stage;
mod workflows;
