//! Checks a URL before anything is sent, and the addresses that its name resolves to before they are connected to.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::{self, Reason};
use crate::allow::{self, AllowList};
use crate::error::{EgressError, Sent, UrlProblem};

/// What may be reached.
#[derive(Clone, Debug, Default)]
pub struct EgressPolicy {
    /// The operator's exceptions.
    pub allow: AllowList,
}

/// A URL that may be stored, to be used later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VettedDestination {
    /// The URL in its canonical spelling.
    pub url: Url,
    /// Whether an operator listed its host, or the address that it names.
    pub is_listed: bool,
}

/// A URL that passed every check that needs no lookup.
pub(crate) struct Destination {
    pub(crate) url: Url,
    pub(crate) host: String,
    pub(crate) standing: Standing,
}

/// What the allow-list says about the host and port of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing: its addresses must be public or listed themselves.
    Unlisted,
    /// It is listed: its name may resolve to internal addresses.
    Listed,
}

/// Names under which clouds serve metadata. Their addresses are refused too; the names are refused before the lookup because the
/// query alone would reveal to a name server where we run.
const METADATA_NAMES: &[&str] = &[
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.goog",
    "metadata.google.internal",
];

impl EgressPolicy {
    /// Checks a URL as far as possible without a lookup, for callers that store it and use it later. Sending checks it again.
    pub fn vet(&self, url: &str) -> Result<VettedDestination, EgressError> {
        let Destination { url, standing, .. } = self.check_text(url)?;
        let names_a_listed_address = match url.host() {
            Some(Host::Ipv4(v4)) => self.allow.lists_address(v4.into()),
            Some(Host::Ipv6(v6)) => self.allow.lists_address(v6.into()),
            Some(Host::Domain(_)) | None => false,
        };
        Ok(VettedDestination {
            is_listed: standing == Standing::Listed || names_a_listed_address,
            url,
        })
    }

    /// Parses a URL and checks everything that needs no lookup.
    pub(crate) fn check_text(&self, url: &str) -> Result<Destination, EgressError> {
        match Url::parse(url) {
            Ok(url) => self.check(url),
            Err(problem) => Err(EgressError::BadUrl {
                problem: UrlProblem::Unreadable(problem),
                sent: Sent::No,
            }),
        }
    }

    /// Checks everything that needs no lookup.
    pub(crate) fn check(&self, url: Url) -> Result<Destination, EgressError> {
        let bad_url = |problem| EgressError::BadUrl {
            problem,
            sent: Sent::No,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad_url(UrlProblem::Scheme(url.scheme().to_owned())));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad_url(UrlProblem::Credentials));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(bad_url(UrlProblem::NoHost));
        };
        if matches!(host, Host::Domain(name) if name.ends_with('.')) {
            return Err(bad_url(UrlProblem::TrailingDot));
        }
        let standing = if self.allow.lists_host(&host, port) {
            Standing::Listed
        } else {
            self.check_unlisted(&host, port)?;
            Standing::Unlisted
        };
        let host = host.to_string();
        Ok(Destination {
            url,
            host,
            standing,
        })
    }

    fn check_unlisted(&self, host: &Host<&str>, port: u16) -> Result<(), EgressError> {
        let (address, reason) = match *host {
            Host::Domain(name) => {
                let is_metadata = METADATA_NAMES.contains(&name);
                (None, is_metadata.then_some(Reason::Metadata))
            }
            Host::Ipv4(v4) => (Some(v4.into()), self.judge(v4.into(), Standing::Unlisted)),
            Host::Ipv6(v6) => (Some(v6.into()), self.judge(v6.into(), Standing::Unlisted)),
        };
        let reason = reason.or((!allow::is_ordinary(port)).then_some(Reason::Port(port)));
        match reason {
            None => Ok(()),
            Some(reason) => Err(EgressError::Refused {
                host: host.to_string(),
                address,
                reason,
                sent: Sent::No,
            }),
        }
    }

    /// Why an address may not be connected to; `None` when it may.
    pub(crate) fn judge(&self, address: IpAddr, standing: Standing) -> Option<Reason> {
        let reason = address::refusal(address)?;
        let is_accepted = self.allow.lists_address(address)
            || (standing == Standing::Listed && reason.is_accepted_for_a_listed_name());
        (!is_accepted).then_some(reason)
    }
}
