//! What can go wrong, by what a caller can do about it.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use http::HeaderName;

use crate::address::Reason;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer, or not all of it.
///
/// No variant carries a URL: queries hold secrets, and errors are logged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EgressError {
    /// The caller can write another URL. With [`Sent::Maybe`] it is a redirect that led to this one.
    #[error("the address cannot be used: {problem}")]
    BadUrl {
        /// What is wrong with it.
        problem: UrlProblem,
        /// Whether a request may have left.
        sent: Sent,
    },
    /// The caller can leave this header out; the client sets it, or no client may.
    #[error("the header {name} cannot be set")]
    BadHeader {
        /// The header.
        name: HeaderName,
    },
    /// Only the operator can help, by listing the place.
    #[error("{} may not be reached: {reason}; an operator can list it in SITEWRIGHT_EGRESS_ALLOW", Place(.host, *.address))]
    Refused {
        /// The host as the URL names it.
        host: String,
        /// The address it led to; `None` when no lookup was needed to refuse it.
        address: Option<IpAddr>,
        /// Why.
        reason: Reason,
        /// Whether a request may have left, to a host before a redirect.
        sent: Sent,
    },
    /// The name has no address, or no name server answered. Retrying may help.
    #[error("no address was found for {host}")]
    Resolve {
        /// The name.
        host: String,
        /// What the resolver said.
        source: Cause,
        /// Whether a request may have left, to a host before a redirect.
        sent: Sent,
    },
    /// Nobody listens there, or the network is down. Retrying may help.
    #[error("{host} does not accept connections")]
    Connect {
        /// The host.
        host: String,
        /// What the network said.
        source: Cause,
        /// Whether a request may have left, to a host before a redirect.
        sent: Sent,
    },
    /// The host could not prove who it is. Retrying does not help.
    #[error("no trusted connection to {host} is possible")]
    Tls {
        /// The host.
        host: String,
        /// What the handshake said.
        source: Cause,
        /// Whether a request may have left, to a host before a redirect.
        sent: Sent,
    },
    /// The caller can allow more time.
    #[error("{host} took longer than {limit:?}")]
    Timeout {
        /// The host that was being talked to.
        host: String,
        /// The limit that was reached: for the connection, or in total.
        limit: Duration,
        /// Whether a request may have left.
        sent: Sent,
    },
    /// The caller can allow more bytes, except for the head.
    #[error("the {part} of the answer from {host} is larger than {limit} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// What was too large.
        part: Part,
        /// The limit, in decoded bytes.
        limit: u64,
    },
    /// The caller can allow more redirects.
    #[error("more than {limit} redirects")]
    TooManyRedirects {
        /// The limit.
        limit: usize,
    },
    /// The conversation broke off or was not HTTP. A request that may be repeated can be.
    #[error("the connection to {host} broke")]
    Io {
        /// The host.
        host: String,
        /// What happened.
        source: Cause,
    },
    /// The client could not be built; this machine's TLS is broken.
    #[error("the HTTP client cannot be set up")]
    Setup {
        /// What is missing.
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
    /// It surely never left.
    No,
    /// It left, or nobody can tell.
    Maybe,
}

/// The part of an answer that a size limit is about.
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
    /// It is no URL.
    #[error("{0}")]
    Unreadable(url::ParseError),
    /// A redirect names a place in bytes that are no text.
    #[error("the redirect is not text")]
    NotText,
    /// Only `http` and `https` are spoken.
    #[error("{0:?} is neither http nor https")]
    Scheme(String),
    /// A user name or password stands before the host; credentials belong in headers.
    #[error("it contains a user name or password")]
    Credentials,
    /// There is no host.
    #[error("it has no host")]
    NoHost,
    /// The host ends with a dot, which names the same place in a second spelling.
    #[error("its host ends with a dot")]
    TrailingDot,
    /// A redirect leads from https to http.
    #[error("a redirect leads from https to http")]
    Downgrade,
}

struct Place<'a>(&'a str, Option<IpAddr>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)?;
        match self.1 {
            // A literal in the URL needs no second mention, unless it is spelled differently.
            Some(address) if address.to_string() != self.0.trim_matches(['[', ']']) => {
                write!(formatter, " ({address})")
            }
            Some(_) | None => Ok(()),
        }
    }
}
