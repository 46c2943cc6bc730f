//! Publishing through its public face, on SQLite and on Postgres by the same tests.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get what it needs has failed"
)]
#![expect(clippy::print_stdout, reason = "what a long test did is worth a look")]

mod busy;
mod collection;
mod content;
mod crash;
mod damage;
mod governed;
mod many;
mod pages;
mod press;
mod releases;
mod reopening;
