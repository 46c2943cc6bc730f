//! Every hop is judged like the first, and carries no more than it must.

use std::net::SocketAddr;

use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use sitewright_egress::Request;
use sitewright_testkit::vendor::{Answer, Received, Vendor};

use crate::{egress, outcome};

/// A vendor on an address that is not listed, counting who comes.
fn trap() -> Vendor {
    let address = SocketAddr::from(([127, 0, 0, 2], 0));
    Vendor::bound_to(address, |_| Answer::ok("trapped")).unwrap()
}

/// `/n` redirects to `/n-1`, `/0` to `location`, and `/` answers.
fn chain(location: String) -> Vendor {
    Vendor::answering(
        move |received| match received.path.trim_start_matches('/') {
            "" => Answer::ok("arrived"),
            "0" => Answer::redirect(302, &location),
            hops => {
                let hops: usize = hops.parse().unwrap();
                Answer::redirect(302, &format!("/{}", hops - 1))
            }
        },
    )
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_place_is_refused_at_any_hop() {
    let trap = trap();
    let port = trap.address().port();
    for (location, expected) in [
        (
            format!("http://127.0.0.2:{port}/"),
            "refused: 127.0.0.2 Loopback",
        ),
        (
            format!("//127.0.0.2:{port}/"),
            "refused: 127.0.0.2 Loopback",
        ),
        (
            format!("http://0x7f.2:{port}/"),
            "refused: 127.0.0.2 Loopback",
        ),
        (
            format!("http://[::ffff:127.0.0.2]:{port}/"),
            "refused: ::ffff:127.0.0.2 Loopback",
        ),
        (
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "refused: 169.254.169.254 Metadata",
        ),
        (
            "http://127.0.0.1:22/".to_owned(),
            "refused: 127.0.0.1 Port(22)",
        ),
        (
            "http://metadata.google.internal/".to_owned(),
            "refused: metadata.google.internal Metadata",
        ),
        (
            format!("http://user@127.0.0.2:{port}/"),
            "bad url: it contains a user name or password",
        ),
        (
            "file:///etc/passwd".to_owned(),
            "bad url: \"file\" is neither http nor https",
        ),
        ("http://[".to_owned(), "bad url: invalid IPv6 address"),
    ] {
        let vendor = chain(location.clone());
        for path in ["/0", "/1", "/2"] {
            assert_eq!(
                outcome(&egress("127.0.0.1/32"), Request::get(vendor.url(path))).await,
                format!("{expected}, maybe sent"),
                "{location} {path}"
            );
        }
    }
    assert_eq!(trap.connections(), 0);
}

#[tokio::test]
async fn redirects_are_followed_up_to_the_limit() {
    let vendor = chain("/".to_owned());
    let egress = egress("127.0.0.1/32");
    let response = egress.send(Request::get(vendor.url("/2"))).await.unwrap();
    assert_eq!(
        (response.status, response.url.path()),
        (StatusCode::OK, "/")
    );
    assert_eq!(vendor.requests().len(), 4);

    let too_many = Request::get(vendor.url("/3"));
    assert_eq!(
        outcome(&egress, too_many).await,
        "too many redirects: 3, maybe sent"
    );
    assert_eq!(vendor.requests().len(), 8);

    let none = Request::get(vendor.url("/0")).with_max_redirects(0);
    assert_eq!(
        outcome(&egress, none).await,
        "too many redirects: 0, maybe sent"
    );
    assert_eq!(vendor.requests().len(), 9);
}

#[tokio::test]
async fn a_redirect_without_a_location_is_an_answer() {
    let vendor = Vendor::scripted([Answer::Raw(
        b"HTTP/1.1 302 -\r\ncontent-length: 5\r\n\r\nhello".to_vec(),
    )]);
    let request = Request::get(vendor.url("/"));
    assert_eq!(outcome(&egress("127.0.0.1/32"), request).await, "302 hello");
}

#[tokio::test]
async fn the_method_and_the_body_follow_the_kind_of_redirect() {
    for (status, method, expected) in [
        (301, Method::POST, "GET "),
        (302, Method::POST, "GET "),
        (303, Method::POST, "GET "),
        (307, Method::POST, "POST order"),
        (308, Method::POST, "POST order"),
        (301, Method::PUT, "PUT order"),
        (302, Method::DELETE, "DELETE order"),
        (303, Method::PUT, "GET "),
        (303, Method::HEAD, "HEAD order"),
    ] {
        let vendor = Vendor::scripted([Answer::redirect(status, "/next"), Answer::ok("")]);
        let request = Request::new(method.clone(), vendor.url("/"))
            .with_body("order")
            .with_header(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        assert_eq!(outcome(&egress("127.0.0.1/32"), request).await, "200 ");
        let received = vendor.requests();
        let last = received.last().unwrap();
        let seen = format!("{} {}", last.method, String::from_utf8_lossy(&last.body));
        assert_eq!(seen, expected, "{status} {method}");
        let content_type = (!last.body.is_empty()).then_some("text/plain");
        assert_eq!(
            last.header("content-type"),
            content_type,
            "{status} {method}"
        );
    }
}

/// The headers that a caller set, as they arrived.
fn of_the_caller(received: &Received) -> Vec<&str> {
    let names = ["accept", "authorization", "cookie", "x-api-key"];
    names
        .into_iter()
        .filter(|name| received.header(name).is_some())
        .collect()
}

#[tokio::test]
async fn secrets_stay_with_their_origin_and_do_not_come_back() {
    let other = Vendor::answering(|received| match received.header("host") {
        // Back to where the secrets came from.
        Some(_) if received.path.starts_with("/back/") => Answer::redirect(
            307,
            &format!("http://127.0.0.1:{}/end", &received.path[6..]),
        ),
        _ => Answer::ok("other"),
    });
    let back = other.url("/back/");
    let home = Vendor::answering(move |received| match received.path.as_str() {
        "/start" => Answer::redirect(307, "/same"),
        "/same" => {
            let port = received.header("host").unwrap().rsplit(':').next().unwrap();
            Answer::redirect(307, &format!("{back}{port}"))
        }
        _ => Answer::ok("home"),
    });
    let request = Request::get(home.url("/start"))
        .with_header(header::ACCEPT, HeaderValue::from_static("text/html"))
        .with_header(header::AUTHORIZATION, HeaderValue::from_static("Bearer a"))
        .with_header(header::COOKIE, HeaderValue::from_static("b=c"))
        .with_header(
            HeaderName::from_static("x-api-key"),
            HeaderValue::from_static("d"),
        );
    assert_eq!(outcome(&egress("127.0.0.1/32"), request).await, "200 home");
    let all = vec!["accept", "authorization", "cookie", "x-api-key"];
    let at_home = home.requests();
    let at_home: Vec<_> = at_home.iter().map(of_the_caller).collect();
    assert_eq!(at_home, [all.clone(), all, vec!["accept"]]);
    assert_eq!(of_the_caller(&other.requests()[0]), ["accept"]);
}
