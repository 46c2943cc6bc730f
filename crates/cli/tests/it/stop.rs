//! Stopping: requests in flight are answered, nobody new is let in, watchers hear of it, and nobody can hold it up for good.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::http::{Call, connect, read_answer};
use crate::product::{Instance, OWNER, PASSWORD, Server, until};

/// Longer than any test waits: whatever ends before it did not wait for it.
const LONG_GRACE: &str = "--set shutdown_grace_seconds=600";
const CUT_OFF: &str = "stopping with requests unanswered";

/// A sign-in whose body is being waited for by the server.
struct HalfSent {
    stream: TcpStream,
    /// Much of it is blank, so that it can be sent for as long as a test likes.
    rest: std::vec::IntoIter<u8>,
}

impl HalfSent {
    fn begin(server: &Server) -> Self {
        let body = json!({ "email": OWNER, "password": PASSWORD }).to_string();
        let body = format!("{}{body}", " ".repeat(50_000));
        let head = format!(
            "POST /admin/api/session HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
            server.address,
            body.len()
        );
        let mut stream = connect(&server.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // The server says so when it begins to read the body, and not before.
        let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
        let mut said = vec![0; go_on.len()];
        stream.read_exact(&mut said).unwrap();
        assert_eq!(said, go_on);
        let rest = body.into_bytes().into_iter();
        Self { stream, rest }
    }

    /// Sends one more byte.
    fn trickle(&mut self) -> std::io::Result<()> {
        let byte = self.rest.next().unwrap();
        self.stream.write_all(&[byte])
    }

    /// Sends what is left and gives whose session it is.
    fn finish(mut self) -> serde_json::Value {
        self.stream.write_all(self.rest.as_slice()).unwrap();
        let answer = read_answer(&mut self.stream).unwrap().unwrap();
        answer.json()["user"]["email"].clone()
    }
}

/// Waits until nobody new is let in; a request that is in flight goes on meanwhile.
fn wait_until_closed(server: &Server, in_flight: &mut HalfSent) {
    until("new connections are refused", || {
        in_flight.trickle().unwrap();
        TcpStream::connect(&server.address).err()
    });
}

/// Reads until the server closes the connection, and gives all of it.
fn read_to_end(mut stream: TcpStream) -> String {
    let mut seen = Vec::new();
    match stream.read_to_end(&mut seen) {
        Ok(_) => {}
        // The system resets a connection that is closed with bytes unread.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
    }
    String::from_utf8(seen).unwrap()
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    for signal in ["TERM", "INT"] {
        let instance = Instance::ready();
        let mut server = instance.serve(LONG_GRACE);
        let mut in_flight = HalfSent::begin(&server);
        server.signal(signal);
        wait_until_closed(&server, &mut in_flight);
        assert_eq!(in_flight.finish(), OWNER);
        assert_eq!(server.wait(), Some(0), "{signal}");
        assert!(!instance.data().join("sitewright.sock").exists());
        assert_eq!(instance.run("audit verify --json").json()["unsealed"], 0);
        assert!(!server.log().contains(CUT_OFF), "{}", server.log());
    }
}

#[test]
fn a_client_that_never_finishes_is_cut_off_when_the_grace_is_over() {
    let instance = Instance::ready();
    let mut server = instance.serve("--set shutdown_grace_seconds=1");
    let mut in_flight = HalfSent::begin(&server);
    server.signal("TERM");
    let trickling = std::thread::spawn(move || {
        while in_flight.trickle().is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        in_flight.stream
    });
    assert_eq!(server.wait(), Some(0));
    assert_eq!(read_to_end(trickling.join().unwrap()), "");
    let warning = format!("{CUT_OFF} seconds=1");
    assert!(server.log().contains(&warning), "{}", server.log());
}

/// Whatever waits for its client and hears nothing is closed long before the grace is over.
#[test]
fn clients_that_send_nothing_more_do_not_delay_the_end() {
    let instance = Instance::ready();
    let mut server = instance.serve(LONG_GRACE);
    let silent = connect(&server.address).unwrap();
    let mut kept = connect(&server.address).unwrap();
    kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut byte = [0];
    kept.read_exact(&mut byte).unwrap();
    let mut half_a_head = connect(&server.address).unwrap();
    half_a_head
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: local")
        .unwrap();
    let half_a_body = HalfSent::begin(&server);
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(!server.log().contains(CUT_OFF), "{}", server.log());
    assert_eq!(read_to_end(silent), "");
    assert_eq!(read_to_end(half_a_head), "");
    assert_eq!(read_to_end(half_a_body.stream), "");
    drop(kept);
}

#[test]
fn those_who_follow_a_site_hear_that_the_server_goes_away() {
    let instance = Instance::ready();
    let token = instance.token("all");
    let mut server = instance.serve(LONG_GRACE);
    let follow = Call::get("/admin/api/site/changes?after=0")
        .header("Accept", "text/event-stream")
        .token(&token);
    let mut stream = connect(&server.address).unwrap();
    stream.write_all(&follow.to_bytes(&server.address)).unwrap();
    let (mut seen, mut buffer) = (String::new(), [0; 4096]);
    while !seen.contains("event: presence") {
        let read = stream.read(&mut buffer).unwrap();
        assert_ne!(read, 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    server.signal("TERM");
    let last = read_to_end(stream);
    assert!(last.contains("event: goingAway\n"), "{last}");
    assert!(last.ends_with("\r\n0\r\n\r\n"), "it is cut off: {last:?}");
    assert_eq!(server.wait(), Some(0));
}

/// A command that comes while the server stops waits for the folder instead of failing.
#[test]
fn a_command_during_the_stop_waits_for_its_turn() {
    let instance = Instance::ready();
    let mut server = instance.serve(LONG_GRACE);
    let mut in_flight = HalfSent::begin(&server);
    server.signal("TERM");
    wait_until_closed(&server, &mut in_flight);
    let mut command = instance.command("user list --json");
    let command = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    in_flight.finish();
    assert_eq!(server.wait(), Some(0));
    let listed = command.wait_with_output().unwrap();
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
}
