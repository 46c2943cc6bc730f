//! The client against real listeners: what must not be reached is a vendor that counts its connections.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod conversations;
mod destinations;
mod environment;
mod limits;
mod rebinding;
mod redirects;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use sitewright_egress::{DnsLookup, Egress, EgressError, EgressPolicy, Limits, Request};

/// A client that knows no names.
fn egress(allow: &str) -> Egress {
    knowing(allow, &[])
}

/// A client that knows these names, each with a list of addresses.
fn knowing(allow: &str, names: &[(&str, &str)]) -> Egress {
    Egress::with_lookup(policy(allow), limits(), names_lookup(names)).unwrap()
}

fn policy(allow: &str) -> EgressPolicy {
    let allow = allow.parse().unwrap();
    EgressPolicy { allow }
}

fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(20),
        total: Duration::from_secs(20),
        max_body: 64 * 1024,
        max_redirects: 3,
    }
}

fn names_lookup(names: &[(&str, &str)]) -> DnsLookup {
    let known: Vec<(String, Vec<IpAddr>)> = names
        .iter()
        .map(|(name, found)| ((*name).to_owned(), addresses(found)))
        .collect();
    Arc::new(move |name| {
        let found = known.iter().find(|(known, _)| *known == name);
        let found = found.map(|(_, found)| found.clone());
        Box::pin(async { found.ok_or_else(|| io::Error::other("no such name")) })
    })
}

fn addresses(text: &str) -> Vec<IpAddr> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().unwrap()).collect()
}

/// Sends a request, reads the whole answer and says in one line what came of it.
async fn outcome(egress: &Egress, request: Request) -> String {
    match fetch(egress, request).await {
        Ok(answer) => answer,
        Err(error) => {
            let sent = if error.request_may_have_been_sent() {
                "maybe sent"
            } else {
                "never sent"
            };
            format!("{}, {sent}", describe(&error))
        }
    }
}

async fn fetch(egress: &Egress, request: Request) -> Result<String, EgressError> {
    let response = egress.send(request).await?;
    let status = response.status.as_u16();
    let body = response.body.collect().await?;
    Ok(format!("{status} {}", String::from_utf8_lossy(&body)))
}

fn describe(error: &EgressError) -> String {
    match error {
        EgressError::BadUrl { problem, .. } => format!("bad url: {problem}"),
        EgressError::BadHeader { name } => format!("bad header: {name}"),
        EgressError::Refused {
            address: Some(address),
            reason,
            ..
        } => {
            format!("refused: {address} {reason:?}")
        }
        EgressError::Refused { host, reason, .. } => format!("refused: {host} {reason:?}"),
        EgressError::Resolve { host, .. } => format!("no address: {host}"),
        EgressError::Connect { host, .. } => format!("no connection: {host}"),
        EgressError::Tls { host, .. } => format!("no trust: {host}"),
        EgressError::Timeout { limit, .. } => format!("timeout: {limit:?}"),
        EgressError::TooLarge { part, limit, .. } => format!("too large: {part} {limit}"),
        EgressError::TooManyRedirects { limit } => format!("too many redirects: {limit}"),
        EgressError::Io { host, .. } => format!("broken: {host}"),
        other => format!("{other:?}"),
    }
}
