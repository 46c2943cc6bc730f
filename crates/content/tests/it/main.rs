//! The content tools through the pipeline, on SQLite and on Postgres by the same tests.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get what it needs has failed"
)]

mod catalogue;
mod desk;
mod entries;
mod navigation;
mod pages;
mod posts;
mod sections;
mod translations;
