//! An address at which nobody listens.

use std::net::{Ipv4Addr, SocketAddr};

/// A port of 127.0.0.1 that refuses connections.
///
/// A port that was free a moment ago is not enough: another test may be given it meanwhile, and then somebody answers. The port of an
/// open connection is not enough either: a client that connects to it may be given the same port and reach itself. This one is below
/// the ports that the system gives out, no service uses it, and outgoing connections to it are allowed.
pub fn closed_port() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 28_999))
}

#[cfg(test)]
mod tests {
    use super::closed_port;
    use std::io::ErrorKind;
    use std::net::TcpStream;

    #[test]
    fn a_closed_port_refuses() {
        let refused = TcpStream::connect(closed_port()).map_err(|error| error.kind());
        assert_eq!(refused.err(), Some(ErrorKind::ConnectionRefused));
    }
}
