//! The one HTTP client for addresses that users, models or content can influence.
//!
//! [`Egress`] resolves a host, checks every address of the answer, and connects to the checked addresses and no others; it does so again
//! on every redirect. Private, link-local, metadata and reserved ranges are refused in every spelling unless the operator's
//! [`AllowList`] names them. Answers are limited in time, in redirects and in decoded bytes.
//!
//! It has no notion of vendors, tools or retries: a failed request reports whether it may have been sent
//! ([`EgressError::request_may_have_been_sent`]), and the caller decides what follows from that. It reads no environment variables,
//! ignores proxies, sends no cookies and stores nothing.

mod address;
mod allow;
mod client;
mod destination;
mod error;
mod failure;
mod hop;
mod message;
mod proxy;
mod resolve;
mod tls;

pub use address::Reason;
pub use allow::{AllowList, BadAllowItem};
pub use client::{Egress, Limits};
pub use destination::{EgressPolicy, VettedDestination};
pub use error::{EgressError, Part, Sent, UrlProblem};
pub use message::{Body, Request, Response};
pub use proxy::ForwardProxy;
pub use resolve::{DnsLookup, system_lookup};
