use std::net::IpAddr;

use super::{Reason, refusal};

fn check(addresses: &str, expected: Option<Reason>) {
    for text in addresses.split_whitespace() {
        let address: IpAddr = text.parse().unwrap();
        assert_eq!(refusal(address), expected, "{text}");
    }
}

/// The first and the last address of each range, so that a wrong prefix length shows.
#[test]
fn every_special_ipv4_range_is_refused_from_end_to_end() {
    check("0.0.0.0 0.0.0.1 0.255.255.255", Some(Reason::Unspecified));
    check(
        "127.0.0.0 127.0.0.1 127.255.255.255",
        Some(Reason::Loopback),
    );
    check("10.0.0.0 10.255.255.255", Some(Reason::Private));
    check("172.16.0.0 172.31.255.255", Some(Reason::Private));
    check("192.168.0.0 192.168.255.255", Some(Reason::Private));
    check("100.64.0.0 100.127.255.255", Some(Reason::Shared));
    check("169.254.0.0 169.254.255.255", Some(Reason::LinkLocal));
    check("192.0.0.0 192.0.0.255", Some(Reason::Reserved));
    check("192.0.2.0 192.0.2.255", Some(Reason::Documentation));
    check("198.51.100.0 198.51.100.255", Some(Reason::Documentation));
    check("203.0.113.0 203.0.113.255", Some(Reason::Documentation));
    check("192.88.99.0 192.88.99.255", Some(Reason::Tunnel));
    check("198.18.0.0 198.19.255.255", Some(Reason::Benchmarking));
    check("224.0.0.0 239.255.255.255", Some(Reason::Multicast));
    check("240.0.0.0 255.255.255.254", Some(Reason::Reserved));
    check("255.255.255.255", Some(Reason::Multicast));
}

#[test]
fn metadata_endpoints_are_named_as_such() {
    check("169.254.169.254 169.254.170.2", Some(Reason::Metadata));
    check(
        "100.100.100.200 192.0.0.192 168.63.129.16",
        Some(Reason::Metadata),
    );
    check("fd00:ec2::254 fd20:ce::254", Some(Reason::Metadata));
}

#[test]
fn every_special_ipv6_range_is_refused_from_end_to_end() {
    check("::", Some(Reason::Unspecified));
    check("::1", Some(Reason::Loopback));
    check(
        "fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Private),
    );
    check(
        "fe80:: fe80::1 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::LinkLocal),
    );
    check(
        "fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Private),
    );
    check(
        "ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Multicast),
    );
    check(
        "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Documentation),
    );
    check(
        "3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Documentation),
    );
    check(
        "2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Benchmarking),
    );
    check(
        "2001:10:: 2001:20:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
        Some(Reason::Reserved),
    );
    check(
        "100:: 200:: 1fff:: 4000:: 5f00:: 8000:: fe00:: fbff::",
        Some(Reason::Reserved),
    );
}

#[test]
fn ipv4_inside_ipv6_does_not_slip_through() {
    check(
        "::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:7f00:0001",
        Some(Reason::Loopback),
    );
    check(
        "::FFFF:10.0.0.1 ::ffff:192.168.0.1 64:ff9b::10.0.0.1",
        Some(Reason::Private),
    );
    check(
        "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe",
        Some(Reason::Metadata),
    );
    check("::ffff:0.0.0.0 64:ff9b::", Some(Reason::Unspecified));
    check("::2 ::127.0.0.1 ::8.8.8.8", Some(Reason::Tunnel));
    check("::ffff:0:127.0.0.1 64:ff9b:1::7f00:1", Some(Reason::Tunnel));
    check("2002:7f00:1:: 2002:808:808::", Some(Reason::Tunnel));
    check(
        "2001:: 2001:0:ffff:ffff:ffff:ffff:80ff:fffe",
        Some(Reason::Tunnel),
    );
}

#[test]
fn the_neighbours_of_refused_ranges_are_public() {
    check(
        "1.0.0.0 9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0",
        None,
    );
    check(
        "100.63.255.255 100.128.0.0 169.253.255.255 169.255.0.0",
        None,
    );
    check(
        "172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0",
        None,
    );
    check(
        "192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0",
        None,
    );
    check(
        "198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255",
        None,
    );
    check(
        "168.63.129.15 168.63.129.17 ::ffff:8.8.8.8 64:ff9b::8.8.8.8",
        None,
    );
    check(
        "2001:200:: 2001:db7:ffff:: 2001:db9:: 2003:: 2606:4700::1111 3ffe:ffff::",
        None,
    );
}
