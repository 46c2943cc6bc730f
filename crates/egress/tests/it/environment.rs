//! What the process inherits: proxy variables, which are ignored, and certificate authorities, which are honoured.
//!
//! Variables of a running process cannot be set safely, so these tests run themselves again as a child that has them.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use sitewright_egress::Request;
use sitewright_testkit::vendor::{Answer, Vendor};

use crate::{egress, knowing, outcome};

const PART: &str = "EGRESS_TEST_PART";

#[expect(
    clippy::disallowed_methods,
    reason = "the child learns its part from the environment"
)]
fn is_child() -> bool {
    std::env::var_os(PART).is_some()
}

/// Runs one test of this binary again, with these variables.
fn run_as_child(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(PART, "child");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{output:?}"
    );
}

#[tokio::test]
async fn proxy_variables_are_ignored() {
    if is_child() {
        let vendor = Vendor::answering(|_| Answer::ok("direct"));
        let url = format!("http://shop.example:{}/", vendor.address().port());
        let egress = knowing(
            "127.0.0.1/32,shop.example:1",
            &[("shop.example", "127.0.0.1")],
        );
        assert_eq!(outcome(&egress, Request::get(url)).await, "200 direct");
        let tls = outcome(&egress, Request::get("https://shop.example:1/")).await;
        assert_eq!(tls, "no connection: shop.example, never sent");
        return;
    }
    let proxy = Vendor::answering(|_| Answer::ok("through the proxy"));
    let url = proxy.url("");
    let names = [
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ];
    let variables = names.map(|name| (name, url.as_str()));
    run_as_child("environment::proxy_variables_are_ignored", &variables);
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn an_authority_of_the_machine_is_trusted_for_its_names_only() {
    let port = tls_vendor();
    let names = [
        ("secure.example", "127.0.0.1"),
        ("other.example", "127.0.0.1"),
    ];
    let egress = knowing("127.0.0.1/32", &names);
    let get = |url: &str| Request::get(url.replace("{p}", &port.to_string()));
    if is_child() {
        for (url, expected) in [
            ("https://secure.example:{p}/", "200 secure"),
            (
                "https://other.example:{p}/",
                "no trust: other.example, never sent",
            ),
            ("https://127.0.0.1:{p}/", "no trust: 127.0.0.1, never sent"),
            (
                "https://secure.example:{p}/downgrade",
                "bad url: a redirect leads from https to http, maybe sent",
            ),
        ] {
            assert_eq!(outcome(&egress, get(url)).await, expected, "{url}");
        }
        return;
    }
    assert_eq!(
        outcome(&egress, get("https://secure.example:{p}/")).await,
        "no trust: secure.example, never sent"
    );
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/authority.pem");
    run_as_child(
        "environment::an_authority_of_the_machine_is_trusted_for_its_names_only",
        &[("SSL_CERT_FILE", authority)],
    );
}

#[tokio::test]
async fn a_host_that_does_not_speak_tls_is_not_trusted() {
    let request = Request::get(format!("https://127.0.0.1:{}/", mail_port()));
    assert_eq!(
        outcome(&egress("127.0.0.1/32"), request).await,
        "no trust: 127.0.0.1, never sent"
    );
}

/// A port that greets like a mail server. Its thread ends with the test process.
fn mail_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            drop(stream.write_all(b"220 mail.example ESMTP\r\n"));
            // Closing with unread data would reset the connection and might take the greeting along.
            drop(io::copy(&mut stream, &mut io::sink()));
        }
    });
    port
}

/// The port of a vendor for secure.example. Its thread ends with the test process.
fn tls_vendor() -> u16 {
    let certificate = CertificateDer::from(&include_bytes!("tls/server.der")[..]);
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("tls/server-key.der")[..]);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::Pkcs8(key))
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            // A client that does not trust us goes away in the middle.
            drop(stream.and_then(|stream| answer_over_tls(stream, Arc::clone(&config))));
        }
    });
    port
}

fn answer_over_tls(stream: TcpStream, config: Arc<ServerConfig>) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        request.extend(byte);
    }
    let answer = if request.starts_with(b"GET /downgrade ") {
        "HTTP/1.1 302 -\r\nlocation: http://secure.example/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    } else {
        "HTTP/1.1 200 -\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecure"
    };
    stream.write_all(answer.as_bytes())?;
    stream.conn.send_close_notify();
    stream.flush()
}
