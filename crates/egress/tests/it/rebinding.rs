//! Names that change their mind between the check and the connection.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sitewright_egress::{DnsLookup, Egress, Request};
use sitewright_testkit::vendor::{Answer, Vendor};

use crate::{addresses, limits, outcome, policy};

/// A resolver that gives each answer once, and how often it was asked.
fn changing(answers: &[&str]) -> (DnsLookup, Arc<AtomicUsize>) {
    let answers: VecDeque<_> = answers.iter().map(|answer| addresses(answer)).collect();
    let answers = Mutex::new(answers);
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let lookup: DnsLookup = Arc::new(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        let next = answers.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(async { Ok(next) })
    });
    (lookup, asked)
}

/// Two vendors on one port: 127.0.0.2, which stands for a public host, and a trap on 127.0.0.1.
fn public_and_trap(location: &'static str) -> (Vendor, Vendor) {
    let trap = Vendor::answering(|_| Answer::ok("trapped"));
    let address = SocketAddr::new([127, 0, 0, 2].into(), trap.address().port());
    // Closing makes the next request look the name up again instead of using the connection it has.
    let public = Vendor::bound_to(address, move |received| {
        Answer::Raw(match received.path.as_str() {
            "/redirect" => format!(
                "HTTP/1.1 302 -\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )
            .into_bytes(),
            _ => b"HTTP/1.1 200 -\r\ncontent-length: 6\r\nconnection: close\r\n\r\npublic".to_vec(),
        })
    });
    (public.unwrap(), trap)
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_judged_address_is_the_connected_one() {
    let (public, trap) = public_and_trap("/");
    let (lookup, asked) = changing(&["127.0.0.2", "127.0.0.1", "127.0.0.2"]);
    let egress = Egress::with_lookup(policy("127.0.0.2/32"), limits(), lookup).unwrap();
    let url = format!("http://rebind.example:{}/", trap.address().port());
    for (asked_so_far, expected) in [
        (1, "200 public"),
        (2, "refused: 127.0.0.1 Loopback, never sent"),
        (3, "200 public"),
        (4, "no address: rebind.example, never sent"),
    ] {
        assert_eq!(outcome(&egress, Request::get(url.clone())).await, expected);
        assert_eq!(asked.load(Ordering::SeqCst), asked_so_far);
    }
    assert_eq!((public.connections(), trap.connections()), (2, 0));
}

#[tokio::test]
async fn a_name_that_rebinds_between_two_hops_is_refused_on_the_second() {
    let (public, trap) = public_and_trap("/next");
    let (lookup, asked) = changing(&["127.0.0.2", "127.0.0.1"]);
    let egress = Egress::with_lookup(policy("127.0.0.2/32"), limits(), lookup).unwrap();
    let url = format!("http://rebind.example:{}/redirect", trap.address().port());
    assert_eq!(
        outcome(&egress, Request::get(url)).await,
        "refused: 127.0.0.1 Loopback, maybe sent"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!((public.connections(), trap.connections()), (1, 0));
}

#[tokio::test]
async fn one_forbidden_address_spoils_an_answer_in_any_place() {
    let (public, trap) = public_and_trap("/");
    for mixed in [
        "127.0.0.2 127.0.0.1",
        "127.0.0.1 127.0.0.2",
        "127.0.0.2 127.0.0.2 127.0.0.1",
    ] {
        let (lookup, _) = changing(&[mixed]);
        let egress = Egress::with_lookup(policy("127.0.0.2/32"), limits(), lookup).unwrap();
        let url = format!("http://mixed.example:{}/", trap.address().port());
        assert_eq!(
            outcome(&egress, Request::get(url)).await,
            "refused: 127.0.0.1 Loopback, never sent",
            "{mixed}"
        );
    }
    assert_eq!((public.connections(), trap.connections()), (0, 0));
}
