//! A flight, a hotel and a car vendor to try missions with, all made up.
//!
//! `cargo run -p sitewright-connect --example travel [ADDRESS] [FAILURE…]`, where a failure is `hotels` (it refuses to book), `hotels:lost`
//! (it books and never answers) or `hotels:stuck` (it books and cannot cancel). docs/missions.md shows it in use.

#![expect(
    clippy::print_stdout,
    reason = "it is a program for people at a terminal"
)]

mod vendors;

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:4020".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    println!("The vendors are ready at http://{}", listener.local_addr()?);
    axum::serve(listener, vendors::router(arguments.collect())).await?;
    Ok(())
}
