//! Where a request comes from and how it travelled: client address, scheme and host, with or without proxies.
//!
//! Headers that a proxy sets are trusted only from proxies that the operator named. Everything that depends on how a request travelled
//! (cookies, sign-in, the `Origin` check) uses this module.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Once;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};
use url::{Host, Url};

use crate::Settings;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Network(SocketAddr),
    /// A process on this machine that can open the data folder: through the socket there, or inside this process.
    Local,
}

/// How a request reached us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) client: IpAddr,
    scheme: Scheme,
    /// Host and port as the client sent them, in lower case.
    host: String,
    /// The proxy that reported `https` without being trusted.
    doubted_proxy: Option<IpAddr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// How safely a cookie travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Https,
    /// Plain http that never leaves the machine.
    Loopback,
    /// Plain http over a network.
    Plain,
}

impl Origin {
    pub(crate) fn of(
        settings: &Settings,
        peer: Peer,
        headers: &HeaderMap,
        authority: Option<&str>,
    ) -> Self {
        let address = match peer {
            Peer::Network(address) => address.ip().to_canonical(),
            Peer::Local => IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let trusted = settings.is_trusted_proxy(address);
        let forwarded = |name: &str| {
            header(headers, name).map(|value| value.split(',').next_back().unwrap_or("").trim())
        };
        let sent_host = header(headers, HOST.as_str())
            .or(authority)
            .unwrap_or_default();
        let host = forwarded("x-forwarded-host")
            .filter(|host| trusted && settings.trust_forwarded_host && !host.is_empty())
            .unwrap_or(sent_host);
        let host = host.to_ascii_lowercase();
        let says_https = forwarded("x-forwarded-proto")
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        let declared = [&settings.public_url, &settings.admin_url]
            .into_iter()
            .flatten()
            .find(|url| authority_of(url) == host);
        let https = declared.map_or(says_https && trusted, |url| url.scheme() == "https");
        if !trusted && matches!(peer, Peer::Network(_)) && headers.contains_key(FORWARDED_FOR) {
            warn_of_unknown_proxy(address);
        }
        Self {
            client: if trusted {
                forwarded_client(settings, headers).unwrap_or(address)
            } else {
                address
            },
            scheme: if https { Scheme::Https } else { Scheme::Http },
            host,
            doubted_proxy: (says_https && !trusted).then_some(address),
        }
    }

    /// The origin of our own pages, as browsers write it.
    pub(crate) fn base(&self) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        format!("{scheme}://{}", self.host)
    }

    pub(crate) fn transport(&self) -> Transport {
        match self.scheme {
            Scheme::Https => Transport::Https,
            Scheme::Http if is_loopback(&self.host) => Transport::Loopback,
            Scheme::Http => Transport::Plain,
        }
    }

    /// Why signing in is not possible this way; `None` when it is. `here` is our address on this machine.
    pub(crate) fn sign_in_blocked(&self, here: &str) -> Option<String> {
        if self.transport() != Transport::Plain {
            return None;
        }
        let base = self.base();
        if let Some(proxy) = self.doubted_proxy {
            return Some(format!(
                "Signing in is refused because this request arrived over plain http at {base}. The sender {proxy} says that it was \
                 https. If that is your proxy, set trusted_proxies = \"{proxy}\" or public_url = \"https://{}\", and start \
                 Sitewright again.",
                self.host
            ));
        }
        Some(format!(
            "Signing in is refused because {base} is plain http, and others on the network could read your password. Open this \
             page over https (put a proxy with a certificate in front and set public_url), or on the machine itself at \
             {here}."
        ))
    }

    /// Checks that the request was sent by one of our pages; the error names both values.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), String> {
        // A request without the header is not a cross-site request from a browser: browsers send it with every request that changes things.
        let Some(sent) = header(headers, ORIGIN.as_str()) else {
            return Ok(());
        };
        let ours = self.base();
        if sent.eq_ignore_ascii_case(&ours)
            || Url::parse(sent).is_ok_and(|url| url.origin().ascii_serialization() == ours)
        {
            return Ok(());
        }
        Err(format!(
            "This request says that it comes from a page of {sent}, and this server is {ours}. If both are the same Sitewright, set \
             public_url to the address in your browser, or trusted_proxies to the address of your proxy."
        ))
    }

    /// Whether the administration is served on this host.
    pub(crate) fn serves_admin(&self, settings: &Settings) -> bool {
        settings
            .admin_url
            .as_ref()
            .is_none_or(|url| authority_of(url) == self.host)
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The last address in the chain that is not one of our proxies; the client may have made up everything before it. Where an entry
/// cannot be read, the proxy that wrote it counts as the client: skipping the entry would believe one that the client wrote.
fn forwarded_client(settings: &Settings, headers: &HeaderMap) -> Option<IpAddr> {
    let values: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .map(|value| value.to_str().unwrap_or_default())
        .collect();
    let mut nearest = None;
    for entry in values.iter().flat_map(|value| value.split(',')).rev() {
        let Some(address) = parse_hop(entry.trim()) else {
            return nearest;
        };
        nearest = Some(address);
        if !settings.is_trusted_proxy(address) {
            return nearest;
        }
    }
    nearest
}

/// Parses an entry of `X-Forwarded-For`: an address, which some proxies write with its port.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse::<IpAddr>().ok();
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    address
        .or_else(with_port)
        .map(|address| address.to_canonical())
}

/// Without `trusted_proxies`, everyone behind a proxy is one client: a stranger's wrong passwords would lock everyone out.
fn warn_of_unknown_proxy(address: IpAddr) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::warn!(
            %address,
            "a request came with X-Forwarded-For from an address that is not in trusted_proxies; if it is your proxy, add it, because \
             everyone behind it counts as one client until then"
        );
    });
}

fn authority_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn is_loopback(host: &str) -> bool {
    let Ok(url) = Url::parse(&format!("http://{host}/")) else {
        return false;
    };
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Origin, Peer, Transport};
    use crate::Settings;
    use http::{HeaderMap, HeaderName, HeaderValue};

    const HERE: &str = "http://127.0.0.1:8080";

    fn origin(settings: &Settings, peer: &str, headers: &[(&'static str, &str)]) -> Origin {
        let map: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect();
        Origin::of(settings, Peer::Network(peer.parse().unwrap()), &map, None)
    }

    fn behind_a_proxy() -> Settings {
        Settings {
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            ..Settings::default()
        }
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling_and_nothing_else_is() {
        for host in [
            "localhost:8080",
            "LOCALHOST",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]:8080",
            "site.localhost",
        ] {
            let origin = origin(&Settings::default(), "127.0.0.1:5", &[("host", host)]);
            assert_eq!(origin.transport(), Transport::Loopback, "{host}");
        }
        for host in [
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com",
            "10.0.0.1",
            "",
            "a b",
            "user@localhost.evil",
        ] {
            let origin = origin(&Settings::default(), "127.0.0.1:5", &[("host", host)]);
            assert_eq!(origin.transport(), Transport::Plain, "{host}");
        }
    }

    #[test]
    fn forwarded_headers_count_only_from_a_trusted_proxy() {
        let headers = [
            ("host", "inner:8080"),
            ("x-forwarded-host", "www.example.com"),
            ("x-forwarded-proto", "https"),
            ("x-forwarded-for", "6.6.6.6, 192.0.2.9, 10.1.1.1"),
        ];
        let settings = Settings {
            trust_forwarded_host: true,
            ..behind_a_proxy()
        };
        let believed = origin(&settings, "10.0.0.5:99", &headers);
        assert_eq!(
            (believed.base().as_str(), believed.transport()),
            ("https://www.example.com", Transport::Https)
        );
        assert_eq!(believed.client.to_string(), "192.0.2.9");
        let doubted = origin(&behind_a_proxy(), "192.0.2.1:99", &headers);
        assert_eq!(
            (doubted.base().as_str(), doubted.transport()),
            ("http://inner:8080", Transport::Plain)
        );
        assert_eq!(doubted.client.to_string(), "192.0.2.1");
    }

    /// M4: a visitor's own header passed through a proxy that does not set it, and reached the administration.
    #[test]
    fn m4_a_forwarded_host_counts_only_when_a_setting_says_so() {
        let headers = [
            ("host", "www.example.com"),
            ("x-forwarded-host", "admin.example.com"),
        ];
        let settings = Settings {
            admin_url: Some("https://admin.example.com".parse().unwrap()),
            ..behind_a_proxy()
        };
        let origin = origin(&settings, "10.0.0.5:99", &headers);
        assert!(!origin.serves_admin(&settings));
    }

    /// M4: an entry with a port was skipped, and the one before it, which the client wrote, was believed.
    #[test]
    fn m4_a_chain_is_believed_up_to_the_first_entry_that_cannot_be_read() {
        let client = |chain: &str| {
            let headers = [("host", "h"), ("x-forwarded-for", chain)];
            origin(&behind_a_proxy(), "10.0.0.5:99", &headers)
                .client
                .to_string()
        };
        assert_eq!(client("198.51.100.1, 203.0.113.7:5000"), "203.0.113.7");
        assert_eq!(
            client("198.51.100.1, [2001:db8::7]:5000, 10.0.0.1"),
            "2001:db8::7"
        );
        assert_eq!(client("198.51.100.1, [2001:db8::7]"), "2001:db8::7");
        assert_eq!(client("198.51.100.1, unknown, 10.0.0.1"), "10.0.0.1");
        assert_eq!(client("198.51.100.1, unknown"), "10.0.0.5");
    }

    #[test]
    fn the_public_url_says_how_its_host_is_reached() {
        let settings = Settings {
            public_url: Some("https://www.example.com".parse().unwrap()),
            ..Settings::default()
        };
        let origin = origin(&settings, "192.0.2.1:99", &[("host", "www.example.com")]);
        assert_eq!(origin.transport(), Transport::Https);
        assert_eq!(origin.sign_in_blocked(HERE), None);
    }

    #[test]
    fn plain_http_explains_itself_and_names_an_unknown_proxy() {
        let settings = Settings::default();
        let plain = origin(&settings, "192.0.2.1:99", &[("host", "example.com:8080")])
            .sign_in_blocked(HERE);
        assert_eq!(
            plain.as_deref(),
            Some(
                "Signing in is refused because http://example.com:8080 is plain http, and others on the network could read your \
                 password. Open this page over https (put a proxy with a certificate in front and set public_url), or on the machine \
                 itself at http://127.0.0.1:8080."
            )
        );
        let proxied = [("host", "example.com"), ("x-forwarded-proto", "https")];
        let proxied = origin(&settings, "192.0.2.1:99", &proxied)
            .sign_in_blocked(HERE)
            .unwrap();
        assert!(
            proxied.contains(
                "trusted_proxies = \"192.0.2.1\" or public_url = \"https://example.com\""
            ),
            "{proxied}"
        );
    }

    #[test]
    fn a_foreign_origin_is_refused_with_both_values() {
        let settings = Settings::default();
        let check = |sent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("origin", HeaderValue::from_str(sent).unwrap());
            origin(&settings, "127.0.0.1:5", &[("host", "localhost:8080")]).check(&headers)
        };
        assert_eq!(check("http://localhost:8080"), Ok(()));
        for foreign in [
            "https://localhost:8080",
            "http://localhost:8081",
            "http://evil.example",
            "null",
            "http://localhost:8080.evil",
        ] {
            let refused = check(foreign).unwrap_err();
            assert!(
                refused.contains(foreign) && refused.contains("http://localhost:8080"),
                "{refused}"
            );
        }
    }
}
