//! Input no proper client sends: answered with a 4xx or cut off, never with a 5xx, and the server goes on.

use std::io::Write as _;

use serde_json::json;

use crate::http::{Answer, Call, connect, exchange};
use crate::product::{Instance, OWNER, PASSWORD, Server};

const JSON: &str = "Content-Type: application/json";

/// A request from its parts, with the right length unless the headers have one.
fn raw(line: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").into_bytes();
    if !headers.is_empty() {
        bytes.extend(headers.bytes());
        bytes.extend(b"\r\n");
    }
    if !headers.contains("Content-Length") && !headers.contains("Transfer-Encoding") {
        bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    bytes
}

struct Limits {
    _instance: Instance,
    server: Server,
    token: String,
}

impl Limits {
    fn on(instance: Instance) -> Self {
        instance.set_up();
        let token = instance.token("all");
        let server = instance.serve("");
        Self {
            _instance: instance,
            server,
            token,
        }
    }

    fn send(&self, bytes: &[u8]) -> Option<Answer> {
        exchange(&self.server.address, bytes).unwrap()
    }

    /// Our own answer: a problem with this status and code.
    fn check(&self, name: &str, bytes: &[u8], expected: (u16, &str)) {
        let answer = self
            .send(bytes)
            .unwrap_or_else(|| panic!("{name}: no answer"));
        let (status, code) = answer.refusal();
        assert_eq!(
            (status, code.as_str()),
            expected,
            "{name}: {}",
            answer.text()
        );
        self.check_alive(name);
    }

    fn check_alive(&self, name: &str) {
        assert_eq!(
            Call::get("/readyz").send(&self.server).status,
            200,
            "{name}"
        );
    }

    fn post(&self, path: &str, body: &[u8]) -> Vec<u8> {
        let headers = format!("{JSON}\r\nAuthorization: Bearer {}", self.token);
        raw(&format!("POST {path}"), &headers, body)
    }
}

fn on_both(test: impl Fn(&Limits)) {
    test(&Limits::on(Instance::new()));
    if let Some(instance) = Instance::on_postgres() {
        test(&Limits::on(instance));
    }
}

#[test]
fn bad_bodies_are_refused_with_a_code() {
    let limits = Limits::on(Instance::new());
    let check = |body: &[u8]| {
        let name = String::from_utf8_lossy(body).into_owned();
        let request = limits.post("/admin/api/tokens", body);
        limits.check(&name, &request, (400, "invalid_input"));
    };
    check(b"");
    check(b"{");
    check(b"{]");
    check(b"null");
    check(b"[]");
    check(b"\"text\"");
    check(b"{\"name\": \"\xff\xfe\", \"kind\": \"script\", \"capabilities\": [\"all\"]}");
    check(b"{\"name\": \"\\ud800\", \"kind\": \"script\", \"capabilities\": [\"all\"]}");
    check(b"{\"name\": \"a\\u0000b\", \"kind\": \"script\", \"capabilities\": [\"all\"]}");
    check(br#"{"name": 5, "kind": "script", "capabilities": ["all"]}"#);
    check(br#"{"name": "n", "kind": "robot", "capabilities": ["all"]}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": "all"}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": []}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": ["fly"]}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": ["all"], "extra": 1}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": ["all"], "expiresInDays": -1}"#);
    check(
        br#"{"name": "n", "kind": "script", "capabilities": ["all"], "expiresInDays": 4294967296}"#,
    );
    check(br#"{"name": "n", "name": "m", "kind": "script", "capabilities": ["all"]}"#);
    check(br#"{"name": "n", "kind": "script", "capabilities": ["all"]} {}"#);
    check(&[b"[".repeat(100_000), b"]".repeat(100_000)].concat());
    let deep = [br#"{"name": "#.as_slice(), &b"[".repeat(100_000)].concat();
    check(&deep);
    let other = raw("POST /admin/api/session", "Content-Type: text/plain", b"{}");
    limits.check("another type", &other, (400, "invalid_input"));
}

#[test]
fn the_longest_life_of_a_token_is_one_that_can_be_stored() {
    on_both(|limits| {
        let body = br#"{"name": "n", "kind": "script", "capabilities": ["all"], "expiresInDays": 4294967295}"#;
        let answer = limits
            .send(&limits.post("/admin/api/tokens", body))
            .unwrap();
        assert!([200, 400].contains(&answer.status), "{}", answer.text());
        assert_eq!(
            Call::get("/admin/api/tokens")
                .token(&limits.token)
                .send(&limits.server)
                .status,
            200
        );
    });
}

#[test]
fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let limits = Limits::on(Instance::new());
    let path = "POST /admin/api/session";
    let whole = raw(path, JSON, &vec![b' '; 2 * 1024 * 1024]);
    limits.check("too long", &whole, (413, "too_large"));
    let announced = |length: &str| raw(path, &format!("{JSON}\r\nContent-Length: {length}"), b"{");
    limits.check("announced", &announced("1048577"), (413, "too_large"));
    limits.check(
        "absurd",
        &announced("9223372036854775807"),
        (413, "too_large"),
    );
    let chunk = [
        b"200000\r\n".as_slice(),
        &vec![b' '; 0x20_0000],
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    let chunked = raw(
        path,
        &format!("{JSON}\r\nTransfer-Encoding: chunked"),
        &chunk,
    );
    limits.check("chunked", &chunked, (413, "too_large"));
    let small = raw(
        path,
        JSON,
        &[b"{}".as_slice(), &vec![b' '; 1024 * 1024 - 2]].concat(),
    );
    limits.check("just fits", &small, (400, "invalid_input"));
}

/// What the HTTP parser refuses has no body of ours, and must be a 4xx or a closed connection all the same.
#[test]
fn what_is_no_http_is_refused() {
    let limits = Limits::on(Instance::new());
    let line = "GET /healthz";
    let many: Vec<String> = (0..2000).map(|number| format!("X-{number}: y")).collect();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("many headers", raw(line, &many.join("\r\n"), b"")),
        (
            "a huge header",
            raw(line, &format!("X: {}", "y".repeat(1024 * 1024)), b""),
        ),
        (
            "a huge address",
            raw(&format!("GET /{}", "a".repeat(100 * 1024)), "", b""),
        ),
        ("a zero byte in the address", raw("GET /heal\0thz", "", b"")),
        ("a zero byte in a header", raw(line, "X: a\0b", b"")),
        (
            "bytes that are not UTF-8 in the address",
            [b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n".as_slice()].concat(),
        ),
        ("a header without a name", raw(line, ": x", b"")),
        (
            "a length that is no number",
            raw(line, "Content-Length: x", b""),
        ),
        ("a negative length", raw(line, "Content-Length: -1", b"")),
        (
            "a length over 64 bits",
            raw(line, "Content-Length: 99999999999999999999", b""),
        ),
        (
            "two lengths",
            raw(line, "Content-Length: 1\r\nContent-Length: 2", b"ab"),
        ),
        (
            "a chunk without a length",
            raw(
                "POST /admin/api/session",
                &format!("{JSON}\r\nTransfer-Encoding: chunked"),
                b"zz\r\n",
            ),
        ),
        (
            "another protocol",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
        ),
        (
            "another version",
            b"GET / HTTP/9.9\r\nHost: x\r\n\r\n".to_vec(),
        ),
        ("no version", b"GET /\r\n\r\n".to_vec()),
        ("no method", b" / HTTP/1.1\r\n\r\n".to_vec()),
    ];
    for (name, bytes) in cases {
        // A flood is cut off while it is being sent, which the sender may see as a reset.
        if let Ok(Some(answer)) = exchange(&limits.server.address, &bytes) {
            assert!(
                (400..500).contains(&answer.status),
                "{name}: {}",
                answer.status
            );
        }
        limits.check_alive(name);
    }
}

#[test]
fn strange_addresses_are_refused_with_a_code() {
    on_both(|limits| {
        let authorised = format!("Authorization: Bearer {}", limits.token);
        let check = |line: &str, expected: (u16, &str)| {
            limits.check(line, &raw(line, &authorised, b""), expected);
        };
        check("DELETE /admin/api/tokens/%ff", (404, "not_found"));
        check("DELETE /admin/api/tokens/..%2f..", (404, "not_found"));
        check("DELETE /admin/api/tokens/'%20OR%201=1", (404, "not_found"));
        check("GET /admin/api/audit?limit=0", (400, "invalid_input"));
        check("GET /admin/api/audit?limit=-1", (400, "invalid_input"));
        check(
            "GET /admin/api/audit?limit=99999999999",
            (400, "invalid_input"),
        );
        check(
            "GET /admin/api/audit?limit=1&limit=2",
            (400, "invalid_input"),
        );
        check("GET /admin/api/audit?other=1", (400, "invalid_input"));
        check("GET /admin/api/session?expect=%ff", (400, "invalid_input"));
        check("GET /admin/api/session?expect=%00", (400, "invalid_input"));
        check("GET /admin/api/nothing", (404, "not_found"));
        check("GET /admin/api/%2e%2e/%00", (404, "not_found"));
        check("GET /admin/../../etc/passwd.txt", (404, "not_found"));
        check(
            "GET /admin/%2e%2e%2f%2e%2e%2fetc/passwd.txt",
            (404, "not_found"),
        );
        check("BREW /admin/api/session", (405, "invalid_input"));
        check("BREW /", (405, "invalid_input"));
        check("TRACE /", (405, "invalid_input"));
        check("PUT /admin/api/tokens", (405, "invalid_input"));
        check("POST /admin", (405, "invalid_input"));
        check("CONNECT example.com:443", (405, "invalid_input"));
    });
}

/// Postgres has no place for a zero character in a text, and SQLite has.
#[test]
fn a_zero_character_is_refused_wherever_it_stands() {
    on_both(|limits| {
        let authorised = format!("Authorization: Bearer {}", limits.token);
        let paths = [
            "DELETE /admin/api/tokens/%00",
            "DELETE /admin/api/users/a%00b",
            "PUT /admin/api/roles/a%00b",
            "DELETE /admin/api/roles/a%00b",
        ];
        for line in paths {
            let request = raw(
                line,
                &format!("{authorised}\r\n{JSON}"),
                br#"{"name": "n", "capabilities": []}"#,
            );
            let status = limits.send(&request).unwrap().refusal().0;
            assert!([400, 404].contains(&status), "{line}: {status}");
        }
        let before = raw("GET /admin/api/audit?before=%00", &authorised, b"");
        let status = limits.send(&before).unwrap().status;
        assert!([200, 400].contains(&status), "{status}");
        let bodies = [
            (
                "/admin/api/users",
                json!({ "email": "a\0@example.com", "role": "viewer" }),
            ),
            (
                "/admin/api/users",
                json!({ "email": "a@example.com", "role": "view\0er" }),
            ),
            (
                "/admin/api/users",
                json!({ "email": "a@example.com", "role": "viewer", "name": "a\0b" }),
            ),
            (
                "/admin/api/password-links",
                json!({ "token": "\0", "password": "a long enough one\0" }),
            ),
        ];
        for (path, body) in bodies {
            let status = limits
                .send(&limits.post(path, body.to_string().as_bytes()))
                .unwrap();
            assert!(
                (400..500).contains(&status.status),
                "{path} {body}: {}",
                status.text()
            );
        }
    });
}

#[test]
fn nonsense_for_an_address_or_a_password_is_just_wrong() {
    on_both(|limits| {
        let wrong = "The email address or password is incorrect.";
        let noise: String = (0..60_000u32)
            .map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 27) as u8 % 26))
            .collect();
        for (email, password) in [
            (OWNER, "wrong"),
            (OWNER, &noise),
            (OWNER, "\0"),
            ("", ""),
            ("\0@example.com", PASSWORD),
            ("ada@example.com\0", PASSWORD),
            (&format!("{noise}@example.com"), PASSWORD),
            ("'; DROP TABLE users; --", PASSWORD),
        ] {
            let call = Call::post(
                "/admin/api/session",
                &json!({ "email": email, "password": password }),
            );
            let refused = call.send(&limits.server).problem();
            assert_eq!(
                refused,
                (401, "unauthenticated".to_owned(), wrong.to_owned()),
                "{email:.40}"
            );
        }
    });
}

#[test]
fn credentials_that_are_none_are_refused() {
    let limits = Limits::on(Instance::new());
    let check = |header: &str, expected: (u16, &str)| {
        limits.check(header, &raw("GET /admin/api/tokens", header, b""), expected);
    };
    check("X: y", (401, "unauthenticated"));
    check("Authorization: Bearer swt_wrong", (401, "unauthenticated"));
    check("Authorization: Bearer", (401, "unauthenticated"));
    check("Authorization: Basic YTpi", (401, "unauthenticated"));
    check("Authorization: Bearer \u{fc}", (401, "unauthenticated"));
    check("Cookie: sitewright=wrong", (401, "unauthenticated"));
    check(
        "Cookie: \u{fc}; sitewright=; =;;=",
        (401, "unauthenticated"),
    );
    let chosen = format!(
        "Authorization: Bearer {}\r\nSitewright-Site: other",
        limits.token
    );
    check(&chosen, (403, "forbidden"));
}

#[test]
fn clients_that_vanish_leave_nothing_behind() {
    let limits = Limits::on(Instance::new());
    for count in 0..50 {
        let mut stream = connect(&limits.server.address).unwrap();
        let request = limits.post("/admin/api/tokens", br#"{"name": "n"#);
        stream
            .write_all(&request[..request.len() * count / 50])
            .unwrap();
    }
    limits.check_alive("after the vanished");
}

#[test]
fn the_numbers_are_for_this_machine_and_for_tokens_that_may() {
    let instance = Instance::ready();
    let (may, may_not) = (
        instance.token("settings.manage"),
        instance.token("site.read"),
    );
    let server = instance.serve("--set trusted_proxies=127.0.0.1");
    let elsewhere = || Call::get("/metrics").header("X-Forwarded-For", "192.0.2.7");
    let open = Call::get("/metrics").send(&server);
    assert_eq!(open.status, 200);
    let numbers = open.header("content-type").map(str::to_owned);
    assert_eq!(
        numbers.as_deref(),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let refused = (
        403,
        "forbidden".to_owned(),
        "The numbers are shown to this machine, or with a token that has settings.manage."
            .to_owned(),
    );
    assert_eq!(elsewhere().send(&server).problem(), refused);
    assert_eq!(elsewhere().token(&may_not).send(&server).problem(), refused);
    assert_eq!(elsewhere().token(&may).send(&server).status, 200);
    let through_both =
        Call::get("/metrics").header("X-Forwarded-For", "127.0.0.1, 192.0.2.7, 127.0.0.1");
    assert_eq!(through_both.send(&server).problem(), refused);
}
