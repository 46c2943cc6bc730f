//! An address at which nobody listens, and at which nobody can begin to.

use std::net::{SocketAddr, TcpListener, TcpStream};

/// A port that refuses connections until this is dropped.
///
/// A port that was free a moment ago is not enough: another test may be given it meanwhile, and then somebody answers. This one
/// belongs to the near end of an open connection, so the system neither accepts connections at it nor gives it away.
pub struct ClosedPort {
    near: TcpStream,
    _far: TcpListener,
}

impl ClosedPort {
    /// Takes a port of 127.0.0.1.
    pub fn new() -> Self {
        let far = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = far.local_addr().expect("a bound socket has an address");
        let near = TcpStream::connect(address).expect("the listener is there");
        Self { near, _far: far }
    }

    /// The address that refuses.
    pub fn address(&self) -> SocketAddr {
        let address = self.near.local_addr();
        address.expect("a connected socket has an address")
    }
}

impl Default for ClosedPort {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::ClosedPort;
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_closed_port_refuses_and_cannot_be_taken() {
        let closed = ClosedPort::new();
        let refused = TcpStream::connect(closed.address()).map_err(|error| error.kind());
        assert_eq!(refused.err(), Some(ErrorKind::ConnectionRefused));
        let taken = TcpListener::bind(closed.address()).map_err(|error| error.kind());
        assert_eq!(taken.err(), Some(ErrorKind::AddrInUse));
    }
}
