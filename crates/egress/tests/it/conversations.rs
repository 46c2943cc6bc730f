//! What is said on the wire, and what is made of vendors that break off.

use http::Method;
use http::header::{self, HeaderName, HeaderValue};
use sitewright_egress::Request;
use sitewright_testkit::closed_port;
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::{egress, knowing, outcome};

#[tokio::test]
async fn a_request_arrives_as_it_was_written_and_the_answer_comes_back() {
    let reply = Reply::new(201, "made").with_header("x-shelf", "7");
    let vendor = Vendor::scripted([Answer::Reply(reply)]);
    let request = Request::new(Method::PUT, vendor.url("/books?id=1#top"))
        .with_header(header::AUTHORIZATION, HeaderValue::from_static("Bearer a"))
        .with_body("{}");
    let response = egress("127.0.0.1/32").send(request).await.unwrap();
    assert_eq!(response.status.as_u16(), 201);
    assert_eq!(response.headers["x-shelf"], "7");
    assert_eq!(response.url.as_str(), vendor.url("/books?id=1#top"));
    assert_eq!(response.body.collect().await.unwrap(), "made");

    let received = vendor.requests().remove(0);
    let mut headers = received.headers.clone();
    headers.sort();
    let host = vendor.address().to_string();
    let expected = [
        ("accept", "*/*"),
        ("accept-encoding", "gzip,br"),
        ("authorization", "Bearer a"),
        ("content-length", "2"),
        ("host", host.as_str()),
        ("user-agent", "sitewright/0.1.0"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(headers, expected);
    assert_eq!(
        (
            received.method.as_str(),
            received.path.as_str(),
            received.body.as_slice()
        ),
        ("PUT", "/books?id=1", b"{}".as_slice())
    );
}

#[tokio::test]
async fn headers_that_frame_the_message_are_refused() {
    let vendor = Vendor::scripted([]);
    for name in [
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ] {
        let header: HeaderName = name.parse().unwrap();
        let request = Request::post(vendor.url("/"), "body")
            .with_header(header, HeaderValue::from_static("1"));
        assert_eq!(
            outcome(&egress("127.0.0.1/32"), request).await,
            format!("bad header: {name}, never sent")
        );
    }
    assert_eq!(vendor.connections(), 0);
}

#[tokio::test]
async fn a_vendor_that_breaks_off_may_have_acted() {
    let reply = || Reply::new(200, "hello");
    let bad_gzip = reply().with_header("content-encoding", "gzip");
    for answer in [
        Answer::Close,
        Answer::HalfClose(reply()),
        Answer::WrongLength {
            reply: reply(),
            claimed: 9,
        },
        Answer::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()),
        Answer::Raw(b"HTTP/1.1 200 -\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec()),
        Answer::Reply(bad_gzip),
    ] {
        let vendor = Vendor::scripted([answer.clone()]);
        let request = Request::post(vendor.url("/?key=secret"), "order");
        assert_eq!(
            outcome(&egress("127.0.0.1/32"), request).await,
            "broken: 127.0.0.1, maybe sent",
            "{answer:?}"
        );
        // One request, not two: a retry is the caller's decision.
        assert_eq!(vendor.requests().len(), 1, "{answer:?}");
    }
}

#[tokio::test]
async fn a_request_that_found_nobody_was_never_sent() {
    let port = closed_port().port();
    let egress = knowing(
        "127.0.0.1/32",
        &[("empty.example", ""), ("gone.example", "127.0.0.1")],
    );
    for (url, expected) in [
        (
            format!("http://127.0.0.1:{port}/"),
            "no connection: 127.0.0.1, never sent",
        ),
        (
            format!("http://gone.example:{port}/"),
            "no connection: gone.example, never sent",
        ),
        (
            "http://empty.example/".to_owned(),
            "no address: empty.example, never sent",
        ),
        (
            "http://unknown.example/".to_owned(),
            "no address: unknown.example, never sent",
        ),
    ] {
        assert_eq!(outcome(&egress, Request::get(url)).await, expected);
    }
}

#[tokio::test]
async fn a_request_that_found_nobody_after_a_redirect_was_sent_before_it() {
    let vendor = Vendor::answering(|_| Answer::redirect(307, "http://unknown.example/"));
    let request = Request::post(vendor.url("/"), "order");
    assert_eq!(
        outcome(&egress("127.0.0.1/32"), request).await,
        "no address: unknown.example, maybe sent"
    );
}

#[tokio::test]
async fn requests_and_answers_print_no_secrets() {
    let reply = Reply::new(200, "secret").with_header("set-cookie", "secret");
    let vendor = Vendor::scripted([Answer::Reply(reply)]);
    let request = Request::post(vendor.url("/?key=secret"), "secret")
        .with_header(header::AUTHORIZATION, HeaderValue::from_static("secret"));
    assert_eq!(format!("{request:?}"), "Request { method: POST, .. }");
    let response = egress("127.0.0.1/32").send(request).await.unwrap();
    assert_eq!(
        format!("{response:?}"),
        "Response { status: 200, body: Body { host: \"127.0.0.1\", received: 0, .. }, .. }"
    );
}

/// Errors are logged, and queries hold secrets.
#[tokio::test]
async fn errors_do_not_repeat_the_query() {
    let vendor = Vendor::answering(|_| Answer::Close);
    let egress = egress("127.0.0.1/32");
    for url in [
        vendor.url("/?key=secret"),
        "http://unknown.example/?key=secret".to_owned(),
    ] {
        let error = egress.send(Request::get(url)).await.unwrap_err();
        let mut causes = vec![error.to_string(), format!("{error:?}")];
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            causes.push(cause.to_string());
            source = cause.source();
        }
        assert!(!causes.concat().contains("secret"), "{causes:?}");
    }
}
