//! The content security policy of pages, by what else is served on their host.

use http::HeaderValue;
use sitewright_store::{ReleaseRoute, RouteKind};

use crate::page_code::{NO_SCRIPTS, UNKNOWN_SCRIPTS};

/// What else is served on the site's host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// The administration, too: code in pages must not reach it, and forms and frames must not pass for its own.
    Shared,
    /// Nothing else.
    Own,
}

/// Gives pages an opaque origin, so that their code cannot act for a user who is signed in to the administration.
pub(crate) const SANDBOX: &str = "sandbox allow-scripts allow-forms allow-popups";
/// Where people sign in, a browser fills in their password for a form that a page shows, so the form must stay here.
const CLOSED: &str = "form-action 'self'; frame-src 'self'; frame-ancestors 'self'";
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// The policies of one page.
#[derive(Debug, Clone)]
pub(crate) struct PagePolicies {
    shared: Option<HeaderValue>,
    own: Option<HeaderValue>,
}

impl PagePolicies {
    pub(crate) fn of(route: &ReleaseRoute) -> Self {
        match route.kind {
            RouteKind::Made => Self {
                shared: None,
                own: None,
            },
            RouteKind::Page | RouteKind::NotFound => Self {
                shared: Some(header(&policy(route, Host::Shared))),
                own: Some(header(&policy(route, Host::Own))),
            },
        }
    }

    pub(crate) fn on(&self, host: Host) -> Option<&HeaderValue> {
        match host {
            Host::Shared => self.shared.as_ref(),
            Host::Own => self.own.as_ref(),
        }
    }
}

/// The policy of a page on a host.
pub(crate) fn policy(route: &ReleaseRoute, host: Host) -> String {
    let scripts = script_policy(route);
    match (host, route.has_scripts) {
        (Host::Own, _) => scripts.to_owned(),
        (Host::Shared, false) => format!("{scripts}; {CLOSED}"),
        (Host::Shared, true) => format!("{SANDBOX}; {scripts}; {CLOSED}"),
    }
}

fn script_policy(route: &ReleaseRoute) -> &str {
    match (&route.script_policy, route.has_scripts) {
        (_, false) => NO_SCRIPTS,
        (Some(policy), true) => policy,
        (None, true) => UNKNOWN_SCRIPTS,
    }
}

/// The policy of a draft that is shown to whoever has a link. It is always in a sandbox: nobody has approved it yet.
pub(crate) fn draft_policy(scripts: &str, host: Host) -> HeaderValue {
    header(&match host {
        Host::Own => format!("{SANDBOX}; {scripts}"),
        Host::Shared => format!("{SANDBOX}; {scripts}; {CLOSED}"),
    })
}

/// The policies are made of words and hashes, which are valid in a header; a stored one that is not lets nothing run.
fn header(policy: &str) -> HeaderValue {
    HeaderValue::from_str(policy).unwrap_or(NOTHING)
}

pub(crate) const NO_SCRIPTS_ANYWHERE: HeaderValue = HeaderValue::from_static(
    "script-src 'none'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'",
);
