//! The open connections, counted in all and by address. One address cannot take all of them, and the local socket has places of its
//! own, so that the command line works while the network is full.

use std::collections::HashMap;
use std::net::IpAddr;

use tokio::task::{Id, JoinError, JoinSet};

use crate::rate_limit::household;

/// The maximum number of connections from the network.
const NETWORK_MAX: usize = 10_000;
const LOCAL_MAX: usize = 100;
/// A browser opens six; many people may share an address.
const PER_ADDRESS_MAX: usize = 512;

#[derive(Debug, Default)]
pub(crate) struct Connections {
    tasks: JoinSet<()>,
    /// The address that each task from the network serves.
    clients: HashMap<Id, IpAddr>,
    open: HashMap<IpAddr, usize>,
}

impl Connections {
    /// Whether another connection from the network may be accepted.
    pub(crate) fn has_network_room(&self) -> bool {
        self.clients.len() < NETWORK_MAX
    }

    /// Whether another connection on the local socket may be accepted.
    pub(crate) fn has_local_room(&self) -> bool {
        self.tasks.len() - self.clients.len() < LOCAL_MAX
    }

    /// Whether this client may open another connection. Proxies and this machine are not limited: they speak for many.
    pub(crate) fn admits(&self, client: IpAddr, is_proxy: bool) -> bool {
        let client = client.to_canonical();
        is_proxy
            || client.is_loopback()
            || self.open.get(&household(client)).copied().unwrap_or(0) < PER_ADDRESS_MAX
    }

    pub(crate) fn serve_network(
        &mut self,
        client: IpAddr,
        serving: impl Future<Output = ()> + Send + 'static,
    ) {
        let client = household(client.to_canonical());
        let task = self.tasks.spawn(serving);
        self.clients.insert(task.id(), client);
        *self.open.entry(client).or_default() += 1;
    }

    pub(crate) fn serve_local(&mut self, serving: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(serving);
    }

    /// Forgets connections that have ended.
    pub(crate) fn forget_ended(&mut self) {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
    }

    /// Waits until a connection ends; never resolves while there is none.
    pub(crate) async fn one_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.forget(ended),
            None => std::future::pending().await,
        }
    }

    /// Aborts what is left.
    pub(crate) async fn shut_down(mut self) {
        self.tasks.shutdown().await;
    }

    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => error.id(),
        };
        let Some(client) = self.clients.remove(&id) else {
            return;
        };
        if let Some(open) = self.open.get_mut(&client) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Connections, PER_ADDRESS_MAX};
    use std::future::pending;
    use std::net::IpAddr;
    use tokio::sync::oneshot;

    /// L13: one address could take every connection, those of the command line too.
    #[tokio::test]
    async fn l13_one_address_takes_only_its_share() {
        let mut connections = Connections::default();
        let crowd: IpAddr = "192.0.2.1".parse().unwrap();
        let (end, ended) = oneshot::channel::<()>();
        connections.serve_network(crowd, async { drop(ended.await) });
        for _ in 1..PER_ADDRESS_MAX {
            connections.serve_network(crowd, pending());
        }
        assert!(!connections.admits(crowd, false));
        assert!(connections.admits(crowd, true));
        assert!(connections.admits("192.0.2.2".parse().unwrap(), false));
        assert!(connections.has_local_room());
        end.send(()).unwrap();
        connections.one_ended().await;
        assert!(connections.admits(crowd, false));
    }
}
