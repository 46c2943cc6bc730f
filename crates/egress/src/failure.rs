//! Classifies the errors of the HTTP stack, which hide the relevant cause deep in their source chain.

use std::error::Error;
use std::io;
use std::time::Duration;

use crate::error::{EgressError, Part, Sent};
use crate::resolve::LookupFailure;

/// The maximum size of an answer's head. The HTTP stack has limits of its own above it, so memory is bounded either way.
pub(crate) const HEAD_MAX: u64 = 64 * 1024;

/// Classifies an error from before the answer's head arrived.
pub(crate) fn while_asking(
    error: reqwest::Error,
    host: &str,
    connect_limit: Duration,
) -> EgressError {
    let host = host.to_owned();
    if let Some(failure) = find::<LookupFailure>(&error) {
        if let LookupFailure::Refused { address, reason } = *failure {
            return EgressError::Refused {
                host,
                address: Some(address),
                reason,
                sent: Sent::No,
            };
        }
        let source = error.without_url().into();
        return EgressError::Resolve {
            host,
            source,
            sent: Sent::No,
        };
    }
    if !error.is_connect() {
        return while_talking(error, &host);
    }
    let sent = Sent::No;
    if error.is_timeout() {
        let limit = connect_limit;
        return EgressError::Timeout { host, limit, sent };
    }
    let is_tls = find::<rustls::Error>(&error).is_some();
    let source = error.without_url().into();
    if is_tls {
        EgressError::Tls { host, source, sent }
    } else {
        EgressError::Connect { host, source, sent }
    }
}

/// Classifies an error from an established connection.
pub(crate) fn while_talking(error: reqwest::Error, host: &str) -> EgressError {
    let host = host.to_owned();
    if find::<hyper::Error>(&error).is_some_and(hyper::Error::is_parse_too_large) {
        let (part, limit) = (Part::Head, HEAD_MAX);
        return EgressError::TooLarge { host, part, limit };
    }
    // The sources of these errors name the URL, whose query may contain a secret.
    let source = error.without_url().into();
    EgressError::Io { host, source }
}

/// Classifies a lookup that gave no address to connect to.
pub(crate) fn of_lookup(failure: LookupFailure, host: &str) -> EgressError {
    let host = host.to_owned();
    match failure {
        LookupFailure::Refused { address, reason } => EgressError::Refused {
            host,
            address: Some(address),
            reason,
            sent: Sent::No,
        },
        other @ (LookupFailure::Empty | LookupFailure::Failed(_)) => EgressError::Resolve {
            host,
            source: other.into(),
            sent: Sent::No,
        },
    }
}

/// Classifies a connection that could not be opened.
pub(crate) fn of_connection(source: io::Error, host: &str) -> EgressError {
    EgressError::Connect {
        host: host.to_owned(),
        source: source.into(),
        sent: Sent::No,
    }
}

fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // `io::Error` does not include the error it wraps among its sources.
        let inside = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        current = match inside {
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    None
}
