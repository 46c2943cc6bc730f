//! Stopping: requests in flight are answered, nobody new is let in, and nobody can hold it up for good.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{Call, connect, read_answer};
use crate::product::{Instance, OWNER, PASSWORD, Server, until};

/// A sign-in whose body is being waited for by the server, and the part of it that is still to be sent.
fn half_sent(server: &Server) -> (TcpStream, Vec<u8>) {
    let body = json!({ "email": OWNER, "password": PASSWORD });
    let call = Call::post("/admin/api/session", &body).header("Expect", "100-continue");
    let mut bytes = call.to_bytes(&server.address);
    let rest = bytes.split_off(bytes.len() - 5);
    let mut stream = connect(&server.address).unwrap();
    stream.write_all(&bytes).unwrap();
    // The server says so when it begins to read the body, and not before.
    let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut said = vec![0; go_on.len()];
    stream.read_exact(&mut said).unwrap();
    assert_eq!(said, go_on);
    (stream, rest)
}

fn wait_until_closed(server: &Server) {
    until("new connections are refused", || {
        TcpStream::connect(&server.address).err()
    });
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    for signal in ["TERM", "INT"] {
        let instance = Instance::ready();
        let mut server = instance.serve("");
        let (mut stream, rest) = half_sent(&server);
        server.signal(signal);
        wait_until_closed(&server);
        stream.write_all(&rest).unwrap();
        let answer = read_answer(&mut stream).unwrap().unwrap();
        assert_eq!(answer.json()["user"]["email"], OWNER);
        assert_eq!(server.wait(), Some(0), "{signal}");
        assert!(!instance.data().join("sitewright.sock").exists());
        assert_eq!(instance.run("audit verify --json").json()["unsealed"], 0);
    }
}

#[test]
fn a_client_that_never_finishes_is_cut_off_when_the_grace_is_over() {
    let instance = Instance::ready();
    let mut server = instance.serve("--set shutdown_grace_seconds=1");
    let (mut stream, _) = half_sent(&server);
    let started = Instant::now();
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(1), "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    let cut_off = read_answer(&mut stream);
    assert!(!matches!(cut_off, Ok(Some(_))), "{cut_off:?}");
    let warning = "stopping with requests unanswered seconds=1";
    assert!(server.log().contains(warning), "{}", server.log());
}

#[test]
fn connections_without_a_request_do_not_delay_the_end() {
    let instance = Instance::ready();
    let mut server = instance.serve("");
    let silent = connect(&server.address).unwrap();
    let mut kept = connect(&server.address).unwrap();
    kept.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut byte = [0];
    kept.read_exact(&mut byte).unwrap();
    let started = Instant::now();
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    drop((silent, kept));
}

/// A command that comes while the server stops waits for the folder instead of failing.
#[test]
fn a_command_during_the_stop_waits_for_its_turn() {
    let instance = Instance::ready();
    let mut server = instance.serve("");
    let (mut stream, rest) = half_sent(&server);
    server.signal("TERM");
    wait_until_closed(&server);
    let mut command = instance.command("user list --json");
    let command = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    stream.write_all(&rest).unwrap();
    read_answer(&mut stream).unwrap().unwrap();
    assert_eq!(server.wait(), Some(0));
    let listed = command.wait_with_output().unwrap();
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
}
