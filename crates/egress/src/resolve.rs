//! Resolves names, and passes only checked addresses to the connector.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::Reason;
use crate::destination::{EgressPolicy, Standing};

/// Resolves a name to addresses. Called once per connection; its answer is checked, and the connection goes to exactly the addresses
/// that were checked.
pub type DnsLookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The resolver of the operating system.
pub fn system_lookup() -> DnsLookup {
    Arc::new(|name| {
        Box::pin(async move {
            // The call needs a port but does not use it; the connector takes the URL's.
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// The resolver that the connector uses.
///
/// It gets names without ports, so what the allow-list says about a host and port is decided beforehand: there is one resolver per
/// [`Standing`], each in a client with its own connections.
pub(crate) struct JudgingResolver {
    pub(crate) lookup: DnsLookup,
    pub(crate) policy: EgressPolicy,
    pub(crate) standing: Standing,
}

/// Why a lookup returned no address to connect to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupFailure {
    #[error("{address} may not be reached")]
    Refused { address: IpAddr, reason: Reason },
    #[error("the name has no address")]
    Empty,
    #[error(transparent)]
    Failed(#[from] io::Error),
}

impl Resolve for JudgingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.lookup)(name.as_str().to_owned());
        let (policy, standing) = (self.policy.clone(), self.standing);
        Box::pin(async move {
            let addresses = found.await.map_err(LookupFailure::Failed)?;
            judge_all(&policy, standing, &addresses)?;
            // The connector replaces port 0 with the URL's port.
            let sockets = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}

/// One forbidden address rejects the whole answer: a name with both kinds is an attack or a mistake, and using only the good
/// addresses would let the attacker try again.
pub(crate) fn judge_all(
    policy: &EgressPolicy,
    standing: Standing,
    addresses: &[IpAddr],
) -> Result<(), LookupFailure> {
    if addresses.is_empty() {
        return Err(LookupFailure::Empty);
    }
    for &address in addresses {
        if let Some(reason) = policy.judge(address, standing) {
            return Err(LookupFailure::Refused { address, reason });
        }
    }
    Ok(())
}
