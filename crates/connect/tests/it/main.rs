//! Remote tools against real sockets.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod bootstrap;
mod browser;
mod catalogue;
mod contract;
mod desk;
mod effects;
mod fonts;
mod images;
mod library;
mod old_calls;
mod remote;
mod unsplash;
mod web;
