//! The client: one loop over hops.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use url::Host;

use crate::destination::{Destination, EgressPolicy, Standing};
use crate::error::{EgressError, Part, Sent};
use crate::failure::{self, HEAD_MAX};
use crate::hop::{Hop, Next};
use crate::message::{Body, Bounds, Request, Response};
use crate::resolve::{DnsLookup, JudgingResolver, LookupFailure, judge_all, system_lookup};
use crate::tls;

/// The limits of an exchange. A [`Request`] can override all but the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the lookup, the connection and the TLS handshake, per host.
    pub connect: Duration,
    /// For the whole exchange: every redirect, and the body to its end.
    pub total: Duration,
    /// The size of the body, in decoded bytes.
    pub max_body: u64,
    pub max_redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            max_body: 10 * 1024 * 1024,
            max_redirects: 5,
        }
    }
}

/// The client. Clones share its connections.
#[derive(Clone)]
pub struct Egress {
    inner: Arc<Inner>,
}

struct Inner {
    policy: EgressPolicy,
    limits: Limits,
    unlisted: reqwest::Client,
    listed: reqwest::Client,
    lookup: DnsLookup,
}

impl Egress {
    /// What it may reach.
    pub fn policy(&self) -> &EgressPolicy {
        &self.inner.policy
    }

    /// A client that resolves names with the operating system.
    ///
    /// Fails with [`EgressError::Setup`] only.
    pub fn new(policy: EgressPolicy, limits: Limits) -> Result<Self, EgressError> {
        Self::with_lookup(policy, limits, system_lookup())
    }

    /// A client with a resolver of the caller's choice, whose answers are checked like any other.
    ///
    /// Fails with [`EgressError::Setup`] only.
    pub fn with_lookup(
        policy: EgressPolicy,
        limits: Limits,
        lookup: DnsLookup,
    ) -> Result<Self, EgressError> {
        let tls = tls::config().map_err(|error| EgressError::Setup {
            source: error.into(),
        })?;
        let connections = |standing| {
            let resolver = JudgingResolver {
                lookup: Arc::clone(&lookup),
                policy: policy.clone(),
                standing,
            };
            build(resolver, tls.clone(), &limits)
        };
        let unlisted = connections(Standing::Unlisted)?;
        let listed = connections(Standing::Listed)?;
        let inner = Inner {
            policy,
            limits,
            unlisted,
            listed,
            lookup,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Sends a request, follows redirects and returns the first answer that is not a redirect, as soon as its head has arrived.
    ///
    /// Every hop is checked against the policy before it is sent, and the resolver checks the addresses it connects to, so a redirect
    /// cannot reach what the first URL could not. Errors after a redirect report the request as possibly sent, because the server that
    /// redirected has seen it. A status is not an error: a 500 is an answer. Nothing is retried.
    pub async fn send(&self, request: Request) -> Result<Response, EgressError> {
        let limits = &self.inner.limits;
        let bounds = bounds(limits, &request);
        let max_redirects = request.max_redirects.unwrap_or(limits.max_redirects);
        let mut hop = Hop::first(&self.inner.policy, request)?;
        for hops in 0..=max_redirects {
            let asked = self.ask(&hop, bounds).await;
            let mut body = asked.map_err(|error| match hops {
                0 => error,
                _ => error.after_a_redirect(),
            })?;
            let status = body.response.status();
            let headers = std::mem::take(body.response.headers_mut());
            let next = hop.next(&self.inner.policy, status, &headers);
            match next.map_err(EgressError::after_a_redirect)? {
                Next::Redirected(next) => hop = next,
                Next::Arrived(destination) => {
                    return Ok(Response {
                        status,
                        headers,
                        url: destination.url,
                        body,
                    });
                }
            }
        }
        Err(EgressError::TooManyRedirects {
            limit: max_redirects,
        })
    }

    /// Opens a connection to a host, for protocols that are not requests of ours. The host is resolved once, every address of the answer
    /// is checked, and the connection goes to one of these addresses.
    pub(crate) async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, EgressError> {
        let destination = self
            .inner
            .policy
            .check_text(&format!("http://{host}:{port}/"))?;
        let connecting = self.connect_checked(&destination, port);
        match timeout(self.inner.limits.connect, connecting).await {
            Ok(connected) => connected,
            Err(_elapsed) => Err(EgressError::Timeout {
                host: destination.host.clone(),
                limit: self.inner.limits.connect,
                sent: Sent::No,
            }),
        }
    }

    async fn connect_checked(
        &self,
        destination: &Destination,
        port: u16,
    ) -> Result<TcpStream, EgressError> {
        let host = destination.host.clone();
        let addresses = match destination.url.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::from(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::from(address)],
            Some(Host::Domain(name)) => {
                let found = (self.inner.lookup)(name.to_owned()).await;
                let found = found.map_err(LookupFailure::Failed);
                let judged = found.and_then(|found| {
                    judge_all(&self.inner.policy, destination.standing, &found)?;
                    Ok(found)
                });
                judged.map_err(|failed| failure::of_lookup(failed, &host))?
            }
            None => Vec::new(),
        };
        let mut last = None;
        for address in addresses {
            match TcpStream::connect((address, port)).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        let source = last.unwrap_or_else(|| std::io::Error::other("the name has no address"));
        Err(failure::of_connection(source, &host))
    }

    async fn ask(&self, hop: &Hop, bounds: Bounds) -> Result<Body, EgressError> {
        let destination = &hop.destination;
        let client = match destination.standing {
            Standing::Unlisted => &self.inner.unlisted,
            Standing::Listed => &self.inner.listed,
        };
        let mut request = reqwest::Request::new(hop.method.clone(), destination.url.clone());
        *request.headers_mut() = hop.headers.clone();
        *request.body_mut() = hop.body.clone().map(reqwest::Body::from);
        let host = destination.host.clone();
        let response = match timeout_at(bounds.deadline, client.execute(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                return Err(failure::while_asking(
                    error,
                    &host,
                    self.inner.limits.connect,
                ));
            }
            Err(_elapsed) => {
                return Err(EgressError::Timeout {
                    host,
                    limit: bounds.total,
                    sent: Sent::Maybe,
                });
            }
        };
        if weight(response.headers()) > HEAD_MAX {
            return Err(EgressError::TooLarge {
                host,
                part: Part::Head,
                limit: HEAD_MAX,
            });
        }
        let announced = response.content_length().unwrap_or(0);
        let body = Body {
            response,
            host,
            received: 0,
            bounds,
        };
        if announced > bounds.max_body {
            return Err(body.too_large());
        }
        Ok(body)
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Egress");
        debug.field("policy", &self.inner.policy);
        debug
            .field("limits", &self.inner.limits)
            .finish_non_exhaustive()
    }
}

fn build(
    resolver: JudgingResolver,
    tls: rustls::ClientConfig,
    limits: &Limits,
) -> Result<reqwest::Client, EgressError> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(resolver))
        // A proxy would connect to addresses that were never checked.
        .no_proxy()
        // Each hop is checked by our own loop.
        .redirect(reqwest::redirect::Policy::none())
        // Only the caller knows whether sending twice is safe.
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(limits.connect)
        .user_agent(concat!("sitewright/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| EgressError::Setup {
            source: error.into(),
        })
}

fn bounds(limits: &Limits, request: &Request) -> Bounds {
    /// Used as "no limit" where a caller asks for more time than the clock can represent.
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    let total = request.total.unwrap_or(limits.total).min(YEAR);
    Bounds {
        deadline: Instant::now() + total,
        total,
        max_body: request.max_body.unwrap_or(limits.max_body),
    }
}

fn weight(headers: &HeaderMap) -> u64 {
    let lines = headers.iter();
    lines
        .map(|(name, value)| (name.as_str().len() + value.len()) as u64)
        .sum()
}
