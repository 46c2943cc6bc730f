//! For tests only: a real Postgres, a real browser, real templates, and vendors and models that misbehave.
//!
//! Knows none of our other crates, so that every one of them can use it. Its own servers run on threads, so that tests without an
//! async runtime can use them. What it hands out cleans up after itself, also when the test process is killed.

mod abort_at;
pub mod browser;
mod closed_port;
mod fresh_database;
mod generated;
pub mod model;
pub mod outside_world;
pub mod packages;
pub mod postgres;
mod prerequisite;
pub mod processor;
mod small_disk;
mod tokens;
pub mod vendor;

pub use abort_at::AbortAt;
pub use closed_port::closed_port;
pub use fresh_database::{FreshDatabase, block_on};
pub use generated::check_generated;
pub use postgres::{Postgres, TempDatabase};
pub use prerequisite::{
    Missing, Prerequisite, UnknownPrerequisite, WITHOUT_VARIABLE, unless_left_out, unless_missing,
};
pub use small_disk::SmallDisk;
pub use tokens::tokens_in;
