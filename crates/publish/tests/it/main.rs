//! Publishing through its public face, on SQLite and on Postgres by the same tests.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get what it needs has failed"
)]

mod crash;
mod governed;
mod many;
mod pages;
mod press;
mod releases;
