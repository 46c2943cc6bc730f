//! The built-in commands on the fixture site, through the loop, the pipeline and a real store.

#![expect(clippy::expect_used, reason = "a panic in a test is a failed test")]

#[path = "commands/corpus.rs"]
mod corpus;
#[path = "commands/differences.rs"]
mod differences;
#[path = "commands/facts.rs"]
mod facts;
#[path = "commands/fuzz.rs"]
mod fuzz;
#[path = "commands/snapshot.rs"]
mod snapshot;
#[path = "commands/stage.rs"]
mod stage;
