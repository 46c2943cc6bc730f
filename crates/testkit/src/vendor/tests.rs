use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use super::{Answer, Received, Reply, Vendor};

const GET: &str = "GET /a?b=c HTTP/1.1\r\nHost: shop.example\r\n\r\n";

/// Sends a request, says that nothing follows and reads what comes back until the vendor closes.
fn exchange(vendor: &Vendor, request: &str) -> String {
    let mut stream = TcpStream::connect(vendor.address()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn check(answer: Answer, expected: &str) {
    let vendor = Vendor::scripted([answer]);
    assert_eq!(exchange(&vendor, GET), expected);
}

fn page() -> Reply {
    Reply::new(200, "hello").with_header("x-shelf", "7")
}

#[test]
fn each_answer_looks_on_the_wire_as_its_name_says() {
    let full = "HTTP/1.1 200 -\r\nx-shelf: 7\r\ncontent-length: 5\r\n\r\nhello";
    check(Answer::Reply(page()), full);
    let drip = Answer::Drip {
        reply: page(),
        pause: Duration::from_micros(1),
    };
    check(drip, full);
    let chunks = Answer::Chunks {
        headers: vec![("x-shelf".to_owned(), "7".to_owned())],
        parts: vec![b"data: 1\n\n".to_vec(), Vec::new(), b"end".to_vec()],
    };
    let expected = "HTTP/1.1 200 -\r\nx-shelf: 7\r\ntransfer-encoding: chunked\r\n\r\n\
                    9\r\ndata: 1\n\n\r\n3\r\nend\r\n0\r\n\r\n";
    check(chunks, expected);
    check(
        Answer::HalfClose(page()),
        "HTTP/1.1 200 -\r\nx-shelf: 7\r\ncontent-length: 5\r\n\r\n",
    );
    let reply = Reply::new(200, "hello");
    check(
        Answer::WrongLength { reply, claimed: 9 },
        "HTTP/1.1 200 -\r\ncontent-length: 9\r\n\r\nhello",
    );
    check(
        Answer::redirect(302, "/b"),
        "HTTP/1.1 302 -\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n",
    );
    check(Answer::Raw(b"\0nonsense".to_vec()), "\0nonsense");
    check(Answer::Hang, "");
    check(Answer::Close, "");
}

#[test]
fn requests_are_recorded_with_either_framing_of_the_body() {
    let vendor = Vendor::answering(|received| Answer::ok(received.path.as_bytes()));
    let answer = exchange(
        &vendor,
        "PUT /sized HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
         POST /parts HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    );
    assert_eq!(
        answer,
        "HTTP/1.1 200 -\r\ncontent-length: 6\r\n\r\n/sizedHTTP/1.1 200 -\r\ncontent-length: 6\r\n\r\n/parts"
    );
    let received = |method: &str, path: &str, header: (&str, &str)| Received {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: vec![(header.0.to_owned(), header.1.to_owned())],
        body: b"abc".to_vec(),
    };
    let expected = [
        received("PUT", "/sized", ("content-length", "3")),
        received("POST", "/parts", ("transfer-encoding", "chunked")),
    ];
    assert_eq!(vendor.requests(), expected);
}

#[test]
fn a_script_that_ran_out_says_so() {
    let vendor = Vendor::scripted([]);
    assert_eq!(
        exchange(&vendor, GET),
        "HTTP/1.1 500 -\r\ncontent-length: 30\r\n\r\nthe script has no answer left\n"
    );
}

#[test]
fn a_connection_without_a_request_still_counts() {
    let vendor = Vendor::scripted([]);
    assert_eq!(vendor.connections(), 0);
    let silent = TcpStream::connect(vendor.address()).unwrap();
    assert_eq!(vendor.connections(), 1);
    assert_eq!(exchange(&vendor, "\x16\x03\x01 no request\r\n"), "");
    assert_eq!(vendor.connections(), 2);
    assert_eq!(vendor.requests(), []);
    drop(silent);
}

/// Dropping must end every fault that would otherwise last for ever; this test hangs when it does not.
#[test]
fn dropping_the_vendor_ends_faults_that_never_end_by_themselves() {
    let slow = Answer::Drip {
        reply: page(),
        pause: Duration::from_secs(3600),
    };
    let endless = Answer::Endless {
        headers: Vec::new(),
        part: vec![b'x'; 4096],
    };
    for answer in [Answer::Hang, slow, endless] {
        let (asked, was_asked) = mpsc::channel();
        let vendor = Vendor::answering(move |_| {
            asked.send(()).unwrap();
            answer.clone()
        });
        let mut stream = TcpStream::connect(vendor.address()).unwrap();
        stream.write_all(GET.as_bytes()).unwrap();
        was_asked.recv().unwrap();
        drop(vendor);
    }
}
