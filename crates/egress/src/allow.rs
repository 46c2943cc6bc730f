//! The operator's exceptions, as written in a setting.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

use crate::address;

/// Destinations that may be reached although they are refused by default. Empty by default.
///
/// The written form is a comma-separated list, for example `127.0.0.1/32,::1/128,10.1.0.0/16,intranet.example:8443`:
/// - a network or an address allows every URL that resolves to it, on port 80, 443 and from 1024 up;
/// - a host allows URLs with that host on the same ports, and lets its name resolve to private and loopback addresses;
/// - a host or an address with a port allows URLs with that host and that port only; this is the one way to reach a system port.
///
/// Nothing else changes for a listed destination: limits, redirect rules and the checks of URLs still apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    networks: Vec<IpNet>,
    authorities: Vec<Authority>,
}

/// An item of an [`AllowList`] that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{item:?} is no network, address or host: write it like 10.1.0.0/16, ::1, intranet.example or intranet.example:8443, \
     with commas between items, or remove it"
)]
pub struct BadAllowItem {
    /// The item as written.
    pub item: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Authority {
    host: Host,
    port: Option<u16>,
}

impl AllowList {
    /// Whether an item names this host, for this port.
    pub(crate) fn lists_host(&self, host: &Host<&str>, port: u16) -> bool {
        self.authorities.iter().any(|item| {
            let port_fits = item.port.map_or(is_ordinary(port), |listed| listed == port);
            port_fits && is_same(&item.host, host)
        })
    }

    /// Whether an item covers this address, in any spelling.
    pub(crate) fn lists_address(&self, address: IpAddr) -> bool {
        let address = address::destination(address);
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }
}

/// Whether a port needs no exception: the two of the web, and the unprivileged ones.
pub(crate) fn is_ordinary(port: u16) -> bool {
    matches!(port, 80 | 443 | 1024..)
}

impl FromStr for AllowList {
    type Err = BadAllowItem;

    fn from_str(text: &str) -> Result<Self, BadAllowItem> {
        let mut list = Self::default();
        let items = text.split(',').map(str::trim);
        for item in items.filter(|item| !item.is_empty()) {
            match parse_item(item) {
                Some(Item::Network(network)) => list.networks.push(network),
                Some(Item::Authority(authority)) => list.authorities.push(authority),
                None => {
                    let item = item.to_owned();
                    return Err(BadAllowItem { item });
                }
            }
        }
        Ok(list)
    }
}

enum Item {
    Network(IpNet),
    Authority(Authority),
}

fn parse_item(item: &str) -> Option<Item> {
    if let Ok(address) = item.parse::<IpAddr>() {
        return Some(Item::Network(address::destination(address).into()));
    }
    if let Ok(network) = item.parse::<IpNet>() {
        // Addresses are compared after their IPv4 is unwrapped, so a network of wrapped addresses would silently match nothing.
        let inside = network.addr();
        return (address::destination(inside) == inside).then_some(Item::Network(network));
    }
    let (host, port) = match item.rsplit_once(':') {
        Some((host, port)) => (
            host,
            Some(port.parse::<u16>().ok().filter(|port| *port != 0)?),
        ),
        None => (item, None),
    };
    // URLs are parsed with the same function, so both sides are compared in one canonical form.
    let host = Host::parse(host).ok()?;
    let is_name = |name: &String| !name.ends_with('.') && !name.contains('*');
    match &host {
        Host::Domain(name) => is_name(name),
        // Without a port, an ordinary address was parsed above; what is left is a spelling such as 0x7f.1.
        Host::Ipv4(_) | Host::Ipv6(_) => port.is_some(),
    }
    .then_some(Item::Authority(Authority { host, port }))
}

fn is_same(listed: &Host, host: &Host<&str>) -> bool {
    match (listed, host) {
        (Host::Domain(listed), Host::Domain(name)) => listed == name,
        (Host::Ipv4(listed), Host::Ipv4(address)) => listed == address,
        (Host::Ipv6(listed), Host::Ipv6(address)) => listed == address,
        (Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{AllowList, BadAllowItem};

    fn list(text: &str) -> AllowList {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_covers_its_addresses_in_every_spelling() {
        let list = list(" 127.0.0.1/32, ::1/128,10.1.0.0/16 ,2001:db8::7,");
        for (address, expected) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("::1", true),
            ("10.1.255.255", true),
            ("64:ff9b::10.1.0.1", true),
            ("10.2.0.0", false),
            ("2001:db8::7", true),
            ("2001:db8::8", false),
        ] {
            assert_eq!(
                list.lists_address(address.parse().unwrap()),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn a_host_is_compared_as_urls_spell_it() {
        let list =
            list("Intranet.example:8443,bücher.example,10.1.2.3:25,[::1]:993,files.example:80");
        for (url, expected) in [
            ("https://intranet.example:8443/", true),
            ("https://INTRANET.example:8443/", true),
            ("https://intranet.example/", false),
            ("https://sub.intranet.example:8443/", false),
            ("http://xn--bcher-kva.example/", true),
            ("http://xn--bcher-kva.example:9000/", true),
            ("http://xn--bcher-kva.example:22/", false),
            ("http://10.1.2.3:25/", true),
            ("http://0xa.1.515:25/", true),
            ("http://10.1.2.3/", false),
            ("http://[0:0::1]:993/", true),
            ("http://files.example/", true),
            ("https://files.example/", false),
        ] {
            let url: url::Url = url.parse().unwrap();
            let (host, port) = (url.host().unwrap(), url.port_or_known_default().unwrap());
            assert_eq!(list.lists_host(&host, port), expected, "{url}");
        }
    }

    #[test]
    fn an_item_that_cannot_be_read_is_named() {
        for item in [
            "10.0.0.0/33",
            "10.0.0.0/8/8",
            "::ffff:10.0.0.0/104",
            "*.example",
            "intranet.example.",
            "intranet.example:0",
            "intranet.example:65536",
            "intranet.example:https",
            "http://intranet.example",
            "intranet.example/path",
            "two words",
            "0x7f.1",
            "[::1]",
            "user@intranet.example",
            ":8443",
        ] {
            let parsed = format!("127.0.0.1/32,{item},::1").parse::<AllowList>();
            let item = item.to_owned();
            assert_eq!(parsed, Err(BadAllowItem { item }));
        }
    }

    #[test]
    fn the_message_names_the_item_and_the_remedy() {
        let error = "10.0.0.0/33".parse::<AllowList>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"10.0.0.0/33\" is no network, address or host: write it like 10.1.0.0/16, ::1, intranet.example or \
             intranet.example:8443, with commas between items, or remove it"
        );
    }

    #[test]
    fn nothing_is_listed_by_default() {
        assert_eq!(list(""), AllowList::default());
        assert_eq!(list(" , "), AllowList::default());
    }
}
