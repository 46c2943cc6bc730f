//! The whole product from outside: the real binary on temporary data folders, spoken to over real sockets.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]
#![expect(clippy::panic, reason = "a panic in a test is a failed test")]

mod access_tokens;
mod approvals;
mod chat;
mod commands;
mod connected_tools;
mod content;
mod credentials;
mod doctor;
mod flood;
mod full_disk;
mod http;
mod import;
mod keys;
mod kill;
mod kill_publishing;
mod limits;
mod nodes;
mod openapi;
mod product;
mod publishing;
mod sign_in;
mod start;
mod stop;
mod tools;
mod turns_on_nodes;
mod uploads;
