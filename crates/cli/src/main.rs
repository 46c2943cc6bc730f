//! The `sitewright` binary. A command is a request to the HTTP API, made on the data folder itself, through the server that uses it, or
//! to a server on the network; the binary adds flags, output and nothing else.

mod api;
mod arguments;
mod commands;
mod log;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::Arguments;

/// The C library's allocator keeps what it once had: after a flood of requests and three large pictures the process stayed at more than
/// twice its size. This one gives the memory back. docs/security.md has the figures.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json;
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(commands::run(arguments)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error, json),
    }
}
