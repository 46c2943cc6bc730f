//! Bounds in time and size, against vendors that respect neither.

use std::io::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use sitewright_egress::{Egress, Limits, Request};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use crate::{egress, limits, outcome, policy};

const ZEROS: usize = 10 * 1024 * 1024;

fn gzip_bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; ZEROS]).unwrap();
    encoder.finish().unwrap()
}

fn endless(headers: &[(&str, &str)], part: Vec<u8>) -> Answer {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Answer::Endless {
        headers: headers.collect(),
        part,
    }
}

/// The client's limit is 64 KiB in these tests.
#[tokio::test]
async fn a_body_over_the_limit_is_cut_off() {
    let bomb = gzip_bomb();
    assert!(bomb.len() < 16 * 1024, "the bomb is small on the wire");
    let gzip = |body: &[u8]| Reply::new(200, body).with_header("content-encoding", "gzip");
    let claims = Answer::WrongLength {
        reply: Reply::new(200, "tiny"),
        claimed: 64 * 1024 + 1,
    };
    for (answer, what) in [
        (Answer::ok(vec![b'x'; 64 * 1024 + 1]), "one byte too many"),
        (claims, "a length that announces too many"),
        (endless(&[], vec![b'x'; 1000]), "an endless body"),
        (endless(&[], vec![b'x']), "an endless body in tiny pieces"),
        (Answer::Reply(gzip(&bomb)), "a bomb"),
        (
            endless(&[("content-encoding", "gzip")], bomb.clone()),
            "an endless row of bombs",
        ),
    ] {
        let vendor = Vendor::scripted([answer]);
        let request = Request::get(vendor.url("/"));
        assert_eq!(
            outcome(&egress("127.0.0.1/32"), request).await,
            "too large: body 65536, maybe sent",
            "{what}"
        );
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_passes_and_a_request_can_move_it() {
    let vendor = Vendor::answering(|_| Answer::ok("12345"));
    let egress = egress("127.0.0.1/32");
    for (max_body, expected) in [(5, "200 12345"), (4, "too large: body 4, maybe sent")] {
        let request = Request::get(vendor.url("/")).with_max_body(max_body);
        assert_eq!(outcome(&egress, request).await, expected);
    }
}

#[tokio::test]
async fn the_announced_length_of_an_answer_without_a_body_does_not_count() {
    let vendor = Vendor::scripted([Answer::Raw(
        b"HTTP/1.1 200 -\r\ncontent-length: 999999999\r\n\r\n".to_vec(),
    )]);
    let request = Request::new(http::Method::HEAD, vendor.url("/"));
    assert_eq!(outcome(&egress("127.0.0.1/32"), request).await, "200 ");
}

/// A stream is usable before it ends, and counts all the while.
#[tokio::test]
async fn an_endless_stream_delivers_its_beginning() {
    let vendor = Vendor::scripted([endless(&[], b"data: tick\n\n".to_vec())]);
    let request = Request::get(vendor.url("/")).with_max_body(1200);
    let mut response = egress("127.0.0.1/32").send(request).await.unwrap();
    let mut seen = Vec::new();
    let error = loop {
        match response.body.chunk().await {
            Ok(chunk) => seen.extend(chunk.unwrap()),
            Err(error) => break error,
        }
    };
    assert_eq!(crate::describe(&error), "too large: body 1200");
    assert!(seen.len() <= 1200 && seen.starts_with(b"data: tick\n\n"));
}

#[tokio::test]
async fn a_head_over_the_limit_is_refused() {
    let one_line = |length: usize| format!("x-long: {}\r\n", "x".repeat(length));
    for (lines, what) in [
        (one_line(65 * 1024), "a long line"),
        (
            one_line(1024 * 1024),
            "a line beyond the buffers of the HTTP stack",
        ),
        ("x: y\r\n".repeat(1000), "many lines"),
    ] {
        let answer = format!("HTTP/1.1 200 -\r\n{lines}content-length: 0\r\n\r\n");
        let vendor = Vendor::scripted([Answer::Raw(answer.into_bytes())]);
        let request = Request::get(vendor.url("/"));
        assert_eq!(
            outcome(&egress("127.0.0.1/32"), request).await,
            "too large: head 65536, maybe sent",
            "{what}"
        );
    }
}

/// Stops the clock until `event` has returned; after that it jumps to the next timer whenever there is nothing else to do.
fn hold_clock_until(event: impl FnOnce() + Send + 'static) {
    tokio::time::pause();
    // Tokio leaves a paused clock where it is while blocking work is under way.
    tokio::task::spawn_blocking(event);
}

#[tokio::test]
async fn a_slow_vendor_meets_the_total_limit() {
    for (answer, what) in [
        (Answer::Hang, "no answer"),
        (
            Answer::Drip {
                reply: Reply::new(200, vec![b'x'; 60_000]),
                pause: Duration::from_millis(3),
            },
            "a dripping body",
        ),
    ] {
        let vendor = Vendor::scripted([answer]);
        let request = Request::get(vendor.url("/"))
            .with_total(Duration::from_millis(400))
            .with_max_body(u64::MAX);
        hold_clock_until(vendor.until_requests(1));
        assert_eq!(
            outcome(&egress("127.0.0.1/32"), request).await,
            "timeout: 400ms, maybe sent",
            "{what}"
        );
        tokio::time::resume();
    }
}

/// Each hop takes 150 ms of a clock that moves only then.
#[tokio::test]
async fn redirects_that_each_take_a_while_share_the_total_limit() {
    let (answer, may_answer) = mpsc::channel::<()>();
    let may_answer = Mutex::new(may_answer);
    let vendor = Vendor::answering(move |_| match may_answer.lock().unwrap().recv() {
        Ok(()) => Answer::redirect(302, "/"),
        Err(mpsc::RecvError) => Answer::Close,
    });
    let request = Request::get(vendor.url("/"))
        .with_total(Duration::from_millis(400))
        .with_max_redirects(usize::MAX - 1);
    tokio::time::pause();
    let clock = async {
        for count in 1.. {
            let arrived = tokio::task::spawn_blocking(vendor.until_requests(count));
            arrived.await.unwrap();
            tokio::time::advance(Duration::from_millis(150)).await;
            answer.send(()).unwrap();
        }
    };
    let egress = egress("127.0.0.1/32");
    let outcome = tokio::select! {
        biased;
        outcome = outcome(&egress, request) => outcome,
        () = clock => unreachable!("there is always another hop"),
    };
    assert_eq!(outcome, "timeout: 400ms, maybe sent");
    drop(answer);
    assert_eq!(vendor.requests().len(), 3);
}

/// Data that is always there must not keep the clock from being looked at.
#[tokio::test]
async fn a_fast_stream_meets_the_total_limit_too() {
    let vendor = Vendor::scripted([endless(&[], vec![b'x'; 4096])]);
    let request = Request::get(vendor.url("/"))
        .with_total(Duration::from_millis(500))
        .with_max_body(u64::MAX);
    // There is no second request: the clock moves only as it is told to below.
    hold_clock_until(vendor.until_requests(2));
    let mut response = egress("127.0.0.1/32").send(request).await.unwrap();
    for _ in 0..10 {
        assert_ne!(response.body.chunk().await.unwrap(), None);
    }
    tokio::time::advance(Duration::from_millis(500)).await;
    let error = response.body.chunk().await.unwrap_err();
    assert_eq!(crate::describe(&error), "timeout: 500ms");
}

/// The connect limit covers the lookup and the handshake, and whoever meets it has sent nothing.
#[tokio::test]
async fn a_connection_that_does_not_come_about_meets_the_connect_limit() {
    let limits = Limits {
        connect: Duration::from_millis(50),
        ..limits()
    };
    let silent = Arc::new(|_| -> futures_util::future::BoxFuture<'static, _> {
        Box::pin(std::future::pending())
    });
    let egress = Egress::with_lookup(policy("127.0.0.1/32"), limits, silent).unwrap();
    // The kernel completes connections to a listener that nobody accepts from; the TLS greeting then gets no answer.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let greeting = format!("https://{}/", listener.local_addr().unwrap());
    for url in ["http://slow.example/", greeting.as_str()] {
        assert_eq!(
            outcome(&egress, Request::get(url)).await,
            "timeout: 50ms, never sent",
            "{url}"
        );
    }
}
