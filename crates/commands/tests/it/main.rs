//! The built-in commands on the fixture site, through the loop, the pipeline and a real store.

#![expect(clippy::expect_used, reason = "a panic in a test is a failed test")]

mod corpus;
mod differences;
mod facts;
mod fuzz;
mod snapshot;
mod stage;
