//! The case list of forged addresses, each against a listener that would hear it.

use sitewright_egress::{Egress, EgressError, Reason, Request};
use sitewright_testkit::vendor::{Answer, Vendor};

use crate::{egress, knowing, limits, outcome, policy};

/// Spellings of 127.0.0.1; `{p}` is the port of a vendor that listens there.
const LOOPBACK: &[&str] = &[
    "http://127.0.0.1:{p}/",
    "HTTP://127.0.0.1:{p}/",
    "http://127.1:{p}/",
    "http://127.0.1:{p}/",
    "http://2130706433:{p}/",
    "http://0x7f000001:{p}/",
    "http://0x7F.0x0.0x0.0x1:{p}/",
    "http://0177.0.0.01:{p}/",
    "http://017700000001:{p}/",
    "http://0x7f.1:{p}/",
    "http://127.0.0.1.:{p}/",
    "http://%31%32%37.0.0.1:{p}/",
    "http://１２７.0.0.1:{p}/",
    "http://①②⑦.0.0.1:{p}/",
    "http://127。0。0。1:{p}/",
    "http:127.0.0.1:{p}/",
    "http:///127.0.0.1:{p}/",
    "http:\\\\127.0.0.1:{p}\\",
    " \thttp://127.0.0.1:{p}/\n",
    "ht\ntp://127.0.\t0.1:{p}/",
    "http://@127.0.0.1:{p}/",
    "http://127.0.0.1:{p}#@evil.example/",
    "http://127.0.0.1:{p}\\@evil.example/",
];

const LOOPBACK_MAPPED: &[&str] = &[
    "http://[::ffff:127.0.0.1]:{p}/",
    "http://[::FFFF:7F00:0001]:{p}/",
    "http://[0:0:0:0:0:ffff:7f00:1]:{p}/",
    "http://[0000:0000:0000:0000:0000:ffff:127.0.0.1]:{p}/",
];

fn hello() -> Vendor {
    Vendor::answering(|_| Answer::ok("hello"))
}

fn at(template: &str, vendor: &Vendor) -> Request {
    Request::get(template.replace("{p}", &vendor.address().port().to_string()))
}

/// The same spellings reach the vendor once its address is listed, which proves that the refusals are not typing errors.
#[tokio::test]
async fn loopback_is_refused_in_every_spelling_unless_listed() {
    let vendor = hello();
    let closed = egress("");
    for (templates, address) in [
        (LOOPBACK, "127.0.0.1"),
        (LOOPBACK_MAPPED, "::ffff:127.0.0.1"),
    ] {
        for template in templates {
            assert_eq!(
                outcome(&closed, at(template, &vendor)).await,
                format!("refused: {address} Loopback, never sent"),
                "{template}"
            );
        }
    }
    assert_eq!(vendor.connections(), 0);

    let open = egress("127.0.0.1/32");
    for template in LOOPBACK.iter().chain(LOOPBACK_MAPPED) {
        assert_eq!(
            outcome(&open, at(template, &vendor)).await,
            "200 hello",
            "{template}"
        );
    }
}

#[tokio::test]
async fn the_unspecified_addresses_do_not_lead_home_unless_listed() {
    let vendor = hello();
    let request = || at("http://0.0.0.0:{p}/", &vendor);
    assert_eq!(
        outcome(&egress(""), request()).await,
        "refused: 0.0.0.0 Unspecified, never sent"
    );
    assert_eq!(
        outcome(&egress("127.0.0.0/8"), request()).await,
        "refused: 0.0.0.0 Unspecified, never sent"
    );
    assert_eq!(
        outcome(&egress(""), at("http://[::]:{p}/", &vendor)).await,
        "refused: :: Unspecified, never sent"
    );
    assert_eq!(vendor.connections(), 0);
    assert_eq!(outcome(&egress("0.0.0.0/8"), request()).await, "200 hello");
}

#[tokio::test]
async fn ipv6_loopback_is_refused_unless_listed() {
    let address = "[::1]:0".parse().unwrap();
    let vendor = Vendor::bound_to(address, |_| Answer::ok("hello")).unwrap();
    for template in [
        "http://[::1]:{p}/",
        "http://[0:0::0:1]:{p}/",
        "http://[::0.0.0.1]:{p}/",
    ] {
        assert_eq!(
            outcome(&egress("127.0.0.0/8"), at(template, &vendor)).await,
            "refused: ::1 Loopback, never sent",
            "{template}"
        );
    }
    assert_eq!(vendor.connections(), 0);
    assert_eq!(
        outcome(&egress("::1/128"), at("http://[::1]:{p}/", &vendor)).await,
        "200 hello"
    );
}

/// The ranges from end to end are a unit test beside the table; here each kind goes through a whole request.
#[tokio::test]
async fn addresses_that_are_not_the_public_internet_are_refused() {
    let closed = egress("");
    for (host, address, reason) in [
        ("169.254.169.254", "169.254.169.254", "Metadata"),
        ("2852039166", "169.254.169.254", "Metadata"),
        ("0xA9FEA9FE", "169.254.169.254", "Metadata"),
        ("169.254.170.2", "169.254.170.2", "Metadata"),
        ("[fd00:ec2::254]", "fd00:ec2::254", "Metadata"),
        (
            "[::ffff:169.254.169.254]",
            "::ffff:169.254.169.254",
            "Metadata",
        ),
        ("[64:ff9b::a9fe:a9fe]", "64:ff9b::a9fe:a9fe", "Metadata"),
        ("10.0.0.1", "10.0.0.1", "Private"),
        ("012.0.0.1", "10.0.0.1", "Private"),
        ("172.31.255.255", "172.31.255.255", "Private"),
        ("192.168.1", "192.168.0.1", "Private"),
        ("100.64.0.1", "100.64.0.1", "Shared"),
        ("169.254.1.1", "169.254.1.1", "LinkLocal"),
        ("198.18.0.1", "198.18.0.1", "Benchmarking"),
        ("192.0.2.1", "192.0.2.1", "Documentation"),
        ("198.51.100.1", "198.51.100.1", "Documentation"),
        ("203.0.113.1", "203.0.113.1", "Documentation"),
        ("192.0.0.1", "192.0.0.1", "Reserved"),
        ("192.88.99.1", "192.88.99.1", "Tunnel"),
        ("224.0.0.1", "224.0.0.1", "Multicast"),
        ("240.0.0.1", "240.0.0.1", "Reserved"),
        ("255.255.255.255", "255.255.255.255", "Multicast"),
        ("[fc00::1]", "fc00::1", "Private"),
        ("[fe80::1]", "fe80::1", "LinkLocal"),
        ("[febf::1]", "febf::1", "LinkLocal"),
        ("[fec0::1]", "fec0::1", "Private"),
        ("[ff02::1]", "ff02::1", "Multicast"),
        ("[2001:db8::1]", "2001:db8::1", "Documentation"),
        ("[::127.0.0.1]", "::7f00:1", "Tunnel"),
        ("[2002:7f00:1::]", "2002:7f00:1::", "Tunnel"),
        ("[2001:0:7f00:1::]", "2001:0:7f00:1::", "Tunnel"),
        ("[64:ff9b:1::7f00:1]", "64:ff9b:1::7f00:1", "Tunnel"),
        ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1", "Loopback"),
    ] {
        let request = Request::get(format!("http://{host}/latest"));
        let expected = format!("refused: {address} {reason}, never sent");
        assert_eq!(outcome(&closed, request).await, expected, "{host}");
    }
}

/// Every name here leads to the vendor's machine; only what the name is and what it resolves to may decide.
#[tokio::test]
async fn names_are_refused_by_the_addresses_behind_them() {
    let vendor = hello();
    let closed = knowing(
        "",
        &[
            ("localhost", "127.0.0.1"),
            ("home.example", "127.0.0.1"),
            ("xn--bcher-kva.example", "127.0.0.1"),
            ("first.example", "1.1.1.1 127.0.0.1"),
            ("last.example", "127.0.0.1 1.1.1.1"),
            ("mapped.example", "2606:4700::1111 ::ffff:127.0.0.1"),
            ("metadata.google.internal", "127.0.0.1"),
        ],
    );
    for (template, expected) in [
        ("http://localhost:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://LOCALHOST:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://home.example:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://HOME.Example:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://bücher.example:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://BÜCHER.example:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://first.example:{p}/", "refused: 127.0.0.1 Loopback"),
        ("http://last.example:{p}/", "refused: 127.0.0.1 Loopback"),
        (
            "http://mapped.example:{p}/",
            "refused: ::ffff:127.0.0.1 Loopback",
        ),
        (
            "http://evil.example\\@home.example:{p}/",
            "no address: evil.example",
        ),
        (
            "http://evil.example#@home.example:{p}/",
            "no address: evil.example",
        ),
        (
            "http://evil.example?@home.example:{p}/",
            "no address: evil.example",
        ),
        (
            "http://metadata.google.internal:{p}/",
            "refused: metadata.google.internal Metadata",
        ),
        (
            "http://Metadata.Google.Internal:{p}/",
            "refused: metadata.google.internal Metadata",
        ),
        ("http://metadata:{p}/", "refused: metadata Metadata"),
        (
            "http://localhost.:{p}/",
            "bad url: its host ends with a dot",
        ),
        (
            "http://home.example%2e:{p}/",
            "bad url: its host ends with a dot",
        ),
        (
            "http://home.example。:{p}/",
            "bad url: its host ends with a dot",
        ),
    ] {
        let expected = format!("{expected}, never sent");
        assert_eq!(
            outcome(&closed, at(template, &vendor)).await,
            expected,
            "{template}"
        );
    }
    assert_eq!(vendor.connections(), 0);
}

#[tokio::test]
async fn urls_that_are_not_plain_web_addresses_are_refused_even_when_the_host_is_listed() {
    let vendor = hello();
    let open = egress("127.0.0.1/32,::1/128");
    for (template, expected) in [
        (
            "http://user@127.0.0.1:{p}/",
            "bad url: it contains a user name or password",
        ),
        (
            "http://:secret@127.0.0.1:{p}/",
            "bad url: it contains a user name or password",
        ),
        (
            "http://evil.example@127.0.0.1:{p}/",
            "bad url: it contains a user name or password",
        ),
        (
            "ftp://127.0.0.1:{p}/",
            "bad url: \"ftp\" is neither http nor https",
        ),
        (
            "ws://127.0.0.1:{p}/",
            "bad url: \"ws\" is neither http nor https",
        ),
        (
            "gopher://127.0.0.1:{p}/_GET",
            "bad url: \"gopher\" is neither http nor https",
        ),
        (
            "file:///etc/passwd",
            "bad url: \"file\" is neither http nor https",
        ),
        (
            "data:text/plain,hello",
            "bad url: \"data\" is neither http nor https",
        ),
        (
            "javascript:alert(1)",
            "bad url: \"javascript\" is neither http nor https",
        ),
        ("127.0.0.1:{p}/", "bad url: relative URL without a base"),
        ("//127.0.0.1:{p}/", "bad url: relative URL without a base"),
        ("http://", "bad url: empty host"),
        ("http://[::1%25lo]:{p}/", "bad url: invalid IPv6 address"),
        ("http://127.0.0.256:{p}/", "bad url: invalid IPv4 address"),
        ("http://127.0.0.0x:{p}:1/", "bad url: invalid port number"),
        ("http://127.0.0.1:65536/", "bad url: invalid port number"),
    ] {
        let expected = format!("{expected}, never sent");
        assert_eq!(
            outcome(&open, at(template, &vendor)).await,
            expected,
            "{template}"
        );
    }
    assert_eq!(vendor.connections(), 0);
}

/// Listing a network does not open its system ports. Nobody listens on those, so "no connection" means it was tried.
#[tokio::test]
async fn system_ports_are_refused_unless_listed_with_their_host() {
    for (allow, url, expected) in [
        (
            "127.0.0.1/32",
            "http://127.0.0.1:22/",
            "refused: 127.0.0.1 Port(22)",
        ),
        (
            "127.0.0.1/32",
            "http://127.0.0.1:1023/",
            "refused: 127.0.0.1 Port(1023)",
        ),
        (
            "127.0.0.1/32",
            "http://127.0.0.1:0/",
            "refused: 127.0.0.1 Port(0)",
        ),
        (
            "127.0.0.1/32",
            "http://mail.example:25/",
            "refused: mail.example Port(25)",
        ),
        (
            "mail.example",
            "http://mail.example:25/",
            "refused: mail.example Port(25)",
        ),
        (
            "mail.example:26",
            "http://mail.example:25/",
            "refused: mail.example Port(25)",
        ),
        (
            "127.0.0.1:1",
            "http://127.0.0.1:1/",
            "no connection: 127.0.0.1",
        ),
        (
            "mail.example:1",
            "http://mail.example:1/",
            "no connection: mail.example",
        ),
    ] {
        let egress = knowing(allow, &[("mail.example", "127.0.0.1")]);
        let expected = format!("{expected}, never sent");
        assert_eq!(
            outcome(&egress, Request::get(url)).await,
            expected,
            "{allow} {url}"
        );
    }
}

#[tokio::test]
async fn a_listed_name_may_lead_into_the_house_on_its_port_only() {
    let (vendor, other) = (hello(), hello());
    let egress = knowing(
        &format!(
            "intranet.example:{},cloud.example,pair.example",
            vendor.address().port()
        ),
        &[
            ("intranet.example", "127.0.0.1"),
            ("sub.intranet.example", "127.0.0.1"),
            ("cloud.example", "169.254.169.254"),
            ("pair.example", "127.0.0.1 127.0.0.1"),
        ],
    );
    for (template, vendor, expected) in [
        ("http://intranet.example:{p}/", &vendor, "200 hello"),
        ("http://INTRANET.example:{p}/", &vendor, "200 hello"),
        ("http://pair.example:{p}/", &vendor, "200 hello"),
        (
            "http://intranet.example:{p}/",
            &other,
            "refused: 127.0.0.1 Loopback, never sent",
        ),
        (
            "http://sub.intranet.example:{p}/",
            &vendor,
            "refused: 127.0.0.1 Loopback, never sent",
        ),
        (
            "http://127.0.0.1:{p}/",
            &vendor,
            "refused: 127.0.0.1 Loopback, never sent",
        ),
        (
            "http://cloud.example:{p}/",
            &vendor,
            "refused: 169.254.169.254 Metadata, never sent",
        ),
    ] {
        assert_eq!(
            outcome(&egress, at(template, vendor)).await,
            expected,
            "{template}"
        );
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_refusal_tells_the_operator_what_to_do() {
    let egress = knowing("", &[("home.example", "10.0.0.7")]);
    for (url, expected) in [
        (
            "http://home.example/?key=secret",
            "home.example (10.0.0.7) may not be reached: it is in a private network; \
             an operator can list it in SITEWRIGHT_EGRESS_ALLOW",
        ),
        (
            "http://[::1]:8080/",
            "[::1] may not be reached: it is this machine; an operator can list it in SITEWRIGHT_EGRESS_ALLOW",
        ),
    ] {
        let error = egress.send(Request::get(url)).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// Whether the machine knows its own name as IPv4, IPv6 or both is its business.
#[tokio::test]
async fn answers_of_the_operating_system_are_judged_too() {
    let vendor = hello();
    let request = || at("http://localhost:{p}/", &vendor);
    let closed = Egress::new(policy(""), limits()).unwrap();
    let error = closed.send(request()).await.unwrap_err();
    assert!(
        matches!(
            error,
            EgressError::Refused {
                reason: Reason::Loopback,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(vendor.connections(), 0);
    let open = Egress::new(policy("127.0.0.0/8,::1"), limits()).unwrap();
    assert_eq!(outcome(&open, request()).await, "200 hello");
}
