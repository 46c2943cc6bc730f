//! Remote tools against real sockets.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod bootstrap;
mod effects;
mod fonts;
mod images;
mod remote;
mod unsplash;
