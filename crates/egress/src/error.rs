//! What can go wrong, grouped by what a caller can do about it.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use http::HeaderName;

use crate::address::Reason;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer, or only part of one.
///
/// No variant contains a URL: queries may hold secrets, and errors are logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EgressError {
    /// The caller can use another URL. With [`Sent::Maybe`], a redirect led to this one.
    #[error("the address cannot be used: {problem}")]
    BadUrl {
        problem: UrlProblem,
        /// Whether a request may have been sent.
        sent: Sent,
    },
    /// The caller can omit this header; either the client sets it, or it is never allowed.
    #[error("the header {name} cannot be set")]
    BadHeader {
        /// The rejected header.
        name: HeaderName,
    },
    /// Only the operator can help, by listing the destination.
    #[error("{} may not be reached: {reason}; an operator can list it in SITEWRIGHT_EGRESS_ALLOW", Place(.host, *.address))]
    Refused {
        /// The host as the URL names it.
        host: String,
        /// The address it resolved to; `None` when it was refused without a lookup.
        address: Option<IpAddr>,
        reason: Reason,
        /// Whether a request may have been sent, to a host before a redirect.
        sent: Sent,
    },
    /// The name has no address, or no name server answered. Retrying may help.
    #[error("no address was found for {host}")]
    Resolve {
        host: String,
        source: Cause,
        /// Whether a request may have been sent, to a host before a redirect.
        sent: Sent,
    },
    /// Nothing listens there, or the network is down. Retrying may help.
    #[error("{host} does not accept connections")]
    Connect {
        host: String,
        source: Cause,
        /// Whether a request may have been sent, to a host before a redirect.
        sent: Sent,
    },
    /// The host could not prove its identity. Retrying does not help.
    #[error("no trusted connection to {host} is possible")]
    Tls {
        host: String,
        source: Cause,
        /// Whether a request may have been sent, to a host before a redirect.
        sent: Sent,
    },
    /// The caller can allow more time.
    #[error("{host} took longer than {limit:?}")]
    Timeout {
        /// The host of the current hop.
        host: String,
        /// The limit that was reached: for the connection, or in total.
        limit: Duration,
        /// Whether a request may have been sent.
        sent: Sent,
    },
    /// The caller can allow more bytes, except for the head.
    #[error("the {part} of the answer from {host} is larger than {limit} bytes")]
    TooLarge {
        host: String,
        /// What was too large.
        part: Part,
        /// The limit, in decoded bytes.
        limit: u64,
    },
    /// The caller can allow more redirects.
    #[error("more than {limit} redirects")]
    TooManyRedirects {
        /// The limit of the request.
        limit: usize,
    },
    /// The connection broke or the answer was not HTTP. An idempotent request can be retried.
    #[error("the connection to {host} broke")]
    Io {
        host: String,
        /// The error of the HTTP stack, without the URL.
        source: Cause,
    },
    /// The client could not be built; this machine's TLS is broken.
    #[error("the HTTP client cannot be set up")]
    Setup {
        /// The error of the TLS or HTTP stack.
        source: Cause,
    },
}

impl EgressError {
    /// Whether a server may have seen the request. `false` is certain; `true` is not.
    pub fn request_may_have_been_sent(&self) -> bool {
        match self {
            Self::BadHeader { .. } | Self::Setup { .. } => false,
            Self::BadUrl { sent, .. }
            | Self::Refused { sent, .. }
            | Self::Resolve { sent, .. }
            | Self::Connect { sent, .. }
            | Self::Tls { sent, .. }
            | Self::Timeout { sent, .. } => *sent == Sent::Maybe,
            Self::TooLarge { .. } | Self::TooManyRedirects { .. } | Self::Io { .. } => true,
        }
    }

    /// The same error after a redirect: the server that redirected has seen the request.
    pub(crate) fn after_a_redirect(mut self) -> Self {
        match &mut self {
            Self::BadUrl { sent, .. }
            | Self::Refused { sent, .. }
            | Self::Resolve { sent, .. }
            | Self::Connect { sent, .. }
            | Self::Tls { sent, .. }
            | Self::Timeout { sent, .. } => *sent = Sent::Maybe,
            Self::BadHeader { .. }
            | Self::Setup { .. }
            | Self::TooLarge { .. }
            | Self::TooManyRedirects { .. }
            | Self::Io { .. } => (),
        }
        self
    }
}

/// Whether a server may have seen the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It was certainly not sent.
    No,
    /// It was sent, or that cannot be known.
    Maybe,
}

/// The part of an answer that a size limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The status line and the headers.
    Head,
    /// The body, after decompression.
    Body,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Head => "head",
            Self::Body => "body",
        })
    }
}

/// What is wrong with a URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlProblem {
    /// It is not a URL.
    #[error("{0}")]
    Unreadable(url::ParseError),
    /// The location of a redirect is not valid UTF-8.
    #[error("the redirect is not text")]
    NotText,
    /// Only `http` and `https` are supported.
    #[error("{0:?} is neither http nor https")]
    Scheme(String),
    /// It contains a user name or password; credentials belong in headers.
    #[error("it contains a user name or password")]
    Credentials,
    #[error("it has no host")]
    NoHost,
    /// The host ends with a dot, which is a second spelling of the same host.
    #[error("its host ends with a dot")]
    TrailingDot,
    #[error("a redirect leads from https to http")]
    Downgrade,
}

struct Place<'a>(&'a str, Option<IpAddr>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)?;
        match self.1 {
            // An address literal in the URL is not repeated, unless it is spelled differently.
            Some(address) if address.to_string() != self.0.trim_matches(['[', ']']) => {
                write!(formatter, " ({address})")
            }
            Some(_) | None => Ok(()),
        }
    }
}
