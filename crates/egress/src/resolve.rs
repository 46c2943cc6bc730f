//! Looking up names, and letting only judged addresses through to the connector.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::Reason;
use crate::destination::{EgressPolicy, Standing};

/// How a name becomes addresses. Asked once per connection; what it answers is judged, and the judged answer is what is
/// connected to.
pub type DnsLookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

/// The resolver of the operating system.
pub fn system_lookup() -> DnsLookup {
    Arc::new(|name| {
        Box::pin(async move {
            // The port is a formality of the call; the connector uses that of the URL.
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    })
}

/// The resolver that the connector asks.
///
/// It hears names without ports, so what the allow-list says about a host and port is fixed beforehand: there is one of these
/// for each standing, in a client with connections of its own.
pub(crate) struct JudgingResolver {
    pub(crate) lookup: DnsLookup,
    pub(crate) policy: EgressPolicy,
    pub(crate) standing: Standing,
}

/// Why a lookup gave no address to connect to.
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
            // Port 0 is replaced by the port of the URL.
            let sockets = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}

/// One forbidden address spoils the answer: a name with both kinds is an attack or a mistake, and picking the good ones would
/// leave the attacker to try again.
fn judge_all(
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
