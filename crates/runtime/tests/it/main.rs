//! The pipeline through its public face, on SQLite and on Postgres by the same tests.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get what it needs has failed"
)]

mod agency;
mod approvals;
mod crash;
mod foreseen;
mod history;
mod mission_approvals;
mod mission_crash;
mod missions;
mod outside;
mod own;
mod policies;
mod random_missions;
mod stage;
mod standing;
