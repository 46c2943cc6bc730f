//! A small vendor to try remote tools with: products, assets and reservations, all made up.
//!
//! `cargo run -p sitewright-connect --example vendor [ADDRESS] [KEY]`; docs/tools.md shows it in use.

#![expect(
    clippy::print_stdout,
    reason = "it is a program for people at a terminal"
)]

mod tools;

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:4010".to_owned());
    let key = arguments.next().unwrap_or_else(|| "demo-key".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    println!("The vendor is ready at http://{}", listener.local_addr()?);
    axum::serve(listener, tools::router(&key)).await?;
    Ok(())
}
