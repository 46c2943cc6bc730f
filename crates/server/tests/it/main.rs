//! The HTTP face, through its router, on a real SQLite file. What needs real sockets and processes is tested in `cli`.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot get what it needs has failed"
)]

mod account_security;
mod accounts;
mod agent;
mod ai;
mod ai_secrets;
mod bad_input;
mod breadcrumbs;
mod calls;
mod closed_doors;
mod code;
mod content;
mod documents;
mod fonts;
mod instance;
mod media;
mod newer_doors;
mod passkeys;
mod people;
mod pictures;
mod publishing;
mod readiness;
mod refusals;
mod schema;
mod second_factor;
mod sites;
mod step_up;
mod tokens;
mod tool_sources;
mod two_nodes;
mod vendor;
