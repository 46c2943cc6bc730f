//! Which addresses are on the public internet, and why the others are not.
//!
//! The tables follow the IANA special-purpose registries. IPv6 is denied by default: only global unicast passes.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Why an address may not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This machine.
    Loopback,
    /// A private network, of either family.
    Private,
    /// The shared address space of carriers and overlay networks, 100.64.0.0/10.
    Shared,
    /// The local link of this machine.
    LinkLocal,
    /// A cloud's metadata endpoint, which hands out credentials.
    Metadata,
    /// No particular host: `0.0.0.0/8` or `::`.
    Unspecified,
    /// Addresses reserved for documentation.
    Documentation,
    /// Addresses reserved for benchmarks.
    Benchmarking,
    /// A group of hosts, or all of them.
    Multicast,
    /// IPv6 that reaches an IPv4 address through a relay that anyone may run.
    Tunnel,
    /// Reserved by IANA for something that is not a public host.
    Reserved,
    /// A port below 1024 other than 80 and 443.
    Port(u16),
}

impl Reason {
    /// Whether an operator who lists a host by name thereby accepts that the name resolves to such an address.
    ///
    /// Internal networks are accepted. The other ranges are never what an internal name means, so a listed name that starts to resolve
    /// to a metadata endpoint is an attack on that name.
    pub(crate) fn is_accepted_for_a_listed_name(self) -> bool {
        match self {
            Self::Loopback | Self::Private | Self::Shared => true,
            Self::LinkLocal
            | Self::Metadata
            | Self::Unspecified
            | Self::Documentation
            | Self::Benchmarking
            | Self::Multicast
            | Self::Tunnel
            | Self::Reserved
            | Self::Port(_) => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Loopback => "it is this machine",
            Self::Private => "it is in a private network",
            Self::Shared => "it is in the shared address space",
            Self::LinkLocal => "it is link-local",
            Self::Metadata => "it is a cloud metadata endpoint",
            Self::Unspecified => "it is no particular host",
            Self::Documentation => "it is reserved for documentation",
            Self::Benchmarking => "it is reserved for benchmarks",
            Self::Multicast => "it is a multicast or broadcast address",
            Self::Tunnel => "it tunnels to an IPv4 address",
            Self::Reserved => "it is reserved",
            Self::Port(port) => return write!(formatter, "port {port} is a system port"),
        };
        formatter.write_str(text)
    }
}

/// The address where packets end up: the IPv4 inside IPv4-mapped and well-known NAT64 addresses, else the address itself.
///
/// NAT64 is unwrapped rather than refused because IPv6-only hosts reach the whole IPv4 internet through it.
pub(crate) fn destination(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if NAT64.contains(&v6) => {
            let [.., a, b, c, d] = v6.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        canonical => canonical,
    }
}

/// Why this address is not a public host; `None` when it is one.
pub(crate) fn refusal(address: IpAddr) -> Option<Reason> {
    match destination(address) {
        IpAddr::V4(v4) => {
            let mut ranges = IPV4.iter();
            ranges
                .find(|(net, _)| net.contains(&v4))
                .map(|found| found.1)
        }
        IpAddr::V6(v6) => {
            let mut ranges = IPV6.iter();
            let found = ranges
                .find(|(net, _)| net.contains(&v6))
                .map(|found| found.1);
            found.or((!GLOBAL_UNICAST.contains(&v6)).then_some(Reason::Reserved))
        }
    }
}

const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The first match counts, so metadata endpoints come before the ranges that contain them.
const IPV4: &[(Ipv4Net, Reason)] = &[
    (v4([169, 254, 169, 254], 32), Reason::Metadata),
    (v4([169, 254, 170, 2], 32), Reason::Metadata),
    // Alibaba Cloud.
    (v4([100, 100, 100, 200], 32), Reason::Metadata),
    // Oracle Cloud.
    (v4([192, 0, 0, 192], 32), Reason::Metadata),
    // Azure hands out machine configuration at this public-looking address.
    (v4([168, 63, 129, 16], 32), Reason::Metadata),
    (v4([0, 0, 0, 0], 8), Reason::Unspecified),
    (v4([10, 0, 0, 0], 8), Reason::Private),
    (v4([100, 64, 0, 0], 10), Reason::Shared),
    (v4([127, 0, 0, 0], 8), Reason::Loopback),
    (v4([169, 254, 0, 0], 16), Reason::LinkLocal),
    (v4([172, 16, 0, 0], 12), Reason::Private),
    (v4([192, 0, 0, 0], 24), Reason::Reserved),
    (v4([192, 0, 2, 0], 24), Reason::Documentation),
    (v4([192, 88, 99, 0], 24), Reason::Tunnel),
    (v4([192, 168, 0, 0], 16), Reason::Private),
    (v4([198, 18, 0, 0], 15), Reason::Benchmarking),
    (v4([198, 51, 100, 0], 24), Reason::Documentation),
    (v4([203, 0, 113, 0], 24), Reason::Documentation),
    (v4([224, 0, 0, 0], 4), Reason::Multicast),
    (v4([255, 255, 255, 255], 32), Reason::Multicast),
    (v4([240, 0, 0, 0], 4), Reason::Reserved),
];

/// As above. Ranges outside global unicast are listed only to give a precise reason.
const IPV6: &[(Ipv6Net, Reason)] = &[
    // Amazon and Google.
    (
        v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128),
        Reason::Metadata,
    ),
    (
        v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128),
        Reason::Metadata,
    ),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Reason::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Reason::Loopback),
    // IPv4-compatible.
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), Reason::Tunnel),
    // IPv4-translated, and NAT64 with a prefix of local choice.
    (v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), Reason::Tunnel),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), Reason::Tunnel),
    // Teredo and 6to4.
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), Reason::Tunnel),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Reason::Tunnel),
    (v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Reason::Benchmarking),
    // Protocol assignments such as ORCHID.
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), Reason::Reserved),
    (
        v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
        Reason::Documentation,
    ),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Reason::Documentation),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), Reason::Private),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), Reason::LinkLocal),
    // Site-local, the predecessor of fc00::/7.
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), Reason::Private),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Reason::Multicast),
];

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    let [a, b, c, d] = octets;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

#[cfg(test)]
mod tests;
