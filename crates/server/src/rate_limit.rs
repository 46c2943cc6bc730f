//! Limits how fast one client may send requests to routes that anyone may use. The counts are in memory: they protect this process,
//! and a client that moves to another node finds that one's own limit.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use sitewright_tool::ErrorCode;

use crate::problem::ApiError;

/// How fast a client may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as the client likes: whoever uses it is signed in.
    Unlimited,
    /// A person fills in a form.
    Form,
    /// A browser loads a page, or a monitor asks how we are.
    Page,
    /// A browser loads the files of pages; many people may share an address.
    File,
}

/// The counts of all clients.
pub(crate) struct RateLimits {
    forms: DefaultKeyedRateLimiter<IpAddr>,
    pages: DefaultKeyedRateLimiter<IpAddr>,
    files: DefaultKeyedRateLimiter<IpAddr>,
    checks: AtomicU64,
}

/// Clients that have been quiet are dropped after this many checks.
const CHECKS_BETWEEN_SWEEPS: u64 = 4096;

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            forms: limiter(1, 100),
            pages: limiter(20, 300),
            files: limiter(300, 3000),
            checks: AtomicU64::new(0),
        }
    }
}

fn limiter(per_second: u32, burst: u32) -> DefaultKeyedRateLimiter<IpAddr> {
    let at_least_one = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
    let quota = Quota::per_second(at_least_one(per_second)).allow_burst(at_least_one(burst));
    RateLimiter::keyed(quota)
}

impl RateLimits {
    /// Counts a request, and refuses it when the client has sent too many.
    pub(crate) fn count(&self, pace: Pace, client: IpAddr) -> Result<(), ApiError> {
        let limiter = match pace {
            Pace::Unlimited => return Ok(()),
            Pace::Form => &self.forms,
            Pace::Page => &self.pages,
            Pace::File => &self.files,
        };
        if self
            .checks
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(CHECKS_BETWEEN_SWEEPS)
        {
            for limiter in [&self.forms, &self.pages, &self.files] {
                limiter.retain_recent();
            }
        }
        let Err(until) = limiter.check_key(&household(client)) else {
            return Ok(());
        };
        let wait = until.wait_time_from(DefaultClock::default().now());
        let seconds = wait.as_secs() + 1;
        Err(ApiError::new(
            ErrorCode::RateLimited,
            "Too many requests came from your address. Wait a moment and try again.",
        )
        .retry_after(seconds))
    }
}

/// The IPv6 network of one household counts as one client.
pub(crate) fn household(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(address) => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, RateLimits, household};

    #[test]
    fn a_client_that_sends_too_much_waits_and_others_do_not() {
        let limits = RateLimits::default();
        let (one, other) = ("192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let refused = (0..200).filter(|_| limits.count(Pace::Form, one).is_err());
        assert!(refused.count() > 50);
        assert!(limits.count(Pace::Form, other).is_ok());
        assert!(limits.count(Pace::Page, one).is_ok());
    }

    #[test]
    fn neighbours_with_ipv6_are_one_client() {
        let of = |text: &str| household(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
