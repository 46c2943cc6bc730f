//! Signing in over every way a request can travel, and the checks that go with a session.

use serde_json::{Value, json};

use crate::http::{Answer, Call};
use crate::product::{Instance, OWNER, PASSWORD, Server};

const PUBLIC: &str = "www.example.com";

fn credentials() -> Value {
    json!({ "email": OWNER, "password": PASSWORD })
}

fn sign_in() -> Call {
    Call::post("/admin/api/session", &credentials())
}

fn session() -> Call {
    Call::get("/admin/api/session")
}

/// The cookie's name, its value, and what else the header says about it.
fn cookie(answer: &Answer) -> (String, String, String) {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let header = answer.header("set-cookie").unwrap();
    let (pair, attributes) = header.split_once("; ").unwrap();
    let (name, value) = pair.split_once('=').unwrap();
    (name.to_owned(), value.to_owned(), attributes.to_owned())
}

/// Signs in and comes back with the cookie.
fn check_sign_in(server: &Server, dress: impl Fn(Call) -> Call, name: &str, attributes: &str) {
    let begun = dress(sign_in()).send(server);
    let (set, value, said) = cookie(&begun);
    assert_eq!((set.as_str(), said.as_str()), (name, attributes));
    let came_back = dress(session()).header("Cookie", &format!("{set}={value}"));
    assert_eq!(came_back.send(server).json()["user"]["email"], OWNER);
}

const PLAIN: &str = "Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000";
const SECURE: &str = "Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000; Secure";

#[test]
fn it_works_on_loopback_over_plain_http() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let (_, port) = server.address.split_once(':').unwrap();
    for host in ["127.0.0.1", "localhost", "[::1]", "site.localhost"] {
        let host = format!("{host}:{port}");
        check_sign_in(&server, |call| call.host(&host), "sitewright", PLAIN);
    }
}

#[test]
fn it_works_behind_a_trusted_proxy_that_speaks_https() {
    let instance = Instance::ready();
    let server = instance.serve("--set trusted_proxies=127.0.0.1");
    let dress = |call: Call| {
        call.host(PUBLIC)
            .header("X-Forwarded-Proto", "https")
            .header("X-Forwarded-Host", "elsewhere.example")
            .header("X-Forwarded-For", "192.0.2.7")
            .header("Origin", &format!("https://{PUBLIC}"))
    };
    check_sign_in(&server, dress, "__Host-sitewright", SECURE);
}

#[test]
fn it_works_on_the_host_of_an_https_public_url() {
    let instance = Instance::ready();
    let server = instance.serve(&format!("--set public_url=https://{PUBLIC}"));
    let dress = |call: Call| {
        call.host(PUBLIC)
            .header("Origin", &format!("https://{PUBLIC}"))
    };
    check_sign_in(&server, dress, "__Host-sitewright", SECURE);
    // The machine itself is still a way in, for whoever repairs the proxy.
    check_sign_in(&server, |call| call, "sitewright", PLAIN);
}

#[test]
fn plain_http_on_another_host_is_refused_with_the_reason() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let (_, port) = server.address.split_once(':').unwrap();
    let refused = format!(
        "Signing in is refused because http://{PUBLIC} is plain http, and others on the network could read your password. Open \
         this page over https (put a proxy with a certificate in front and set public_url), or on the machine itself at \
         http://127.0.0.1:{port}."
    );
    let answer = sign_in().host(PUBLIC).send(&server);
    let expected = (403, "forbidden".to_owned(), refused.clone());
    assert_eq!(answer.problem(), expected);
    assert_eq!(answer.header("set-cookie"), None);
    // The page learns it before anybody types a password.
    let shown = session().host(PUBLIC).send(&server).json();
    assert_eq!(shown["signInBlocked"], refused);
}

/// M4: without `trusted_proxies`, everyone is one client behind a proxy, and a stranger's guesses lock everyone out. The log says so, once.
#[test]
fn m4_a_proxy_that_nobody_listed_is_in_the_log() {
    let instance = Instance::ready();
    let server = instance.serve("");
    for client in ["198.51.100.1", "198.51.100.2"] {
        session().header("X-Forwarded-For", client).send(&server);
    }
    let log = server.log();
    let told = log.matches("everyone behind it counts as one client");
    assert_eq!(told.count(), 1, "{log}");
}

#[test]
fn a_proxy_that_is_not_trusted_is_named() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let answer = sign_in().host(PUBLIC).header("X-Forwarded-Proto", "https");
    let expected = format!(
        "Signing in is refused because this request arrived over plain http at http://{PUBLIC}. The sender 127.0.0.1 says that it \
         was https. If that is your proxy, set trusted_proxies = \"127.0.0.1\" or public_url = \"https://{PUBLIC}\", and start \
         Sitewright again."
    );
    let answer = answer.send(&server).problem();
    assert_eq!(answer, (403, "forbidden".to_owned(), expected));
}

/// A browser that reaches Sitewright over plain http drops the Secure cookie it is given; the page asks right afterwards.
#[test]
fn a_dropped_cookie_is_noticed_and_explained() {
    let instance = Instance::ready();
    let server = instance.serve(&format!("--set public_url=https://{PUBLIC}"));
    let expecting = || Call::get("/admin/api/session?expect=signed-in");
    let check = |call: Call, expected: &str| {
        let problem = (401, "unauthenticated".to_owned(), expected.to_owned());
        assert_eq!(call.send(&server).problem(), problem);
    };
    check(
        expecting().host(PUBLIC),
        "You signed in, but your browser did not keep the cookie. Sitewright believes that it is reached at \
         https://www.example.com and marked the cookie as secure: if the address in your browser does not begin with https://, \
         correct public_url or your proxy. Otherwise allow cookies for this site.",
    );
    let local = format!(
        "You signed in at {}, but your browser did not keep the cookie. Allow cookies for this site and sign in again.",
        server.url()
    );
    check(expecting(), &local);
    let begun = sign_in().host(PUBLIC).send(&server);
    let (name, value, _) = cookie(&begun);
    let kept = expecting().host(PUBLIC);
    let kept = kept.header("Cookie", &format!("{name}={value}"));
    assert_eq!(kept.send(&server).json()["signedIn"], true);
}

#[test]
fn a_change_by_cookie_needs_the_token_and_a_page_of_ours() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let begun = sign_in().send(&server);
    let (name, value, _) = cookie(&begun);
    let csrf = begun.json()["csrfToken"].as_str().unwrap().to_owned();
    let change = || {
        let call = Call::patch("/admin/api/account", &json!({ "name": "Ada" }));
        call.header("Cookie", &format!("{name}={value}"))
    };
    let check = |call: Call, sentence: &str| {
        let refused = (403, "forbidden".to_owned(), sentence.to_owned());
        assert_eq!(call.send(&server).problem(), refused);
    };
    let missing = "The header x-csrf-token is missing or old; reload the page and try again.";
    check(change(), missing);
    check(change().header("x-csrf-token", "guess"), missing);
    check(change().header("x-csrf-token", ""), missing);
    let foreign = format!(
        "This request says that it comes from a page of https://evil.example, and this server is {}. If both are the same \
         Sitewright, set public_url to the address in your browser, or trusted_proxies to the address of your proxy.",
        server.url()
    );
    let with_token = || change().header("x-csrf-token", &csrf);
    check(
        with_token().header("Origin", "https://evil.example"),
        &foreign,
    );
    check(sign_in().header("Origin", "https://evil.example"), &foreign);
    let changed = with_token().header("Origin", &server.url()).send(&server);
    assert_eq!(changed.json()["person"]["name"], "Ada");
    // A program sends no Origin.
    assert_eq!(with_token().send(&server).status, 200);
}

#[test]
fn a_cookie_of_one_transport_is_no_cookie_of_another() {
    let instance = Instance::ready();
    let server = instance.serve(&format!("--set public_url=https://{PUBLIC}"));
    let (name, value, _) = cookie(&sign_in().send(&server));
    let stolen = session()
        .host(PUBLIC)
        .header("Cookie", &format!("{name}={value}"));
    assert_eq!(stolen.send(&server).json()["signedIn"], false);
}

#[test]
fn with_an_admin_url_other_hosts_have_no_administration() {
    let instance = Instance::ready();
    let settings =
        format!("--set public_url=https://{PUBLIC} --set admin_url=https://admin.example.com");
    let server = instance.serve(&settings);
    let hidden = (
        404,
        "not_found".to_owned(),
        "The administration is not served on this host name; use the one set as admin_url."
            .to_owned(),
    );
    for host in [PUBLIC, "127.0.0.1", "localhost", "evil.example"] {
        for path in [
            "/admin",
            "/admin/setup",
            "/admin/api/session",
            "/admin/api/openapi.json",
            "/admin/api/tokens",
        ] {
            let answer = Call::get(path).host(host).send(&server);
            assert_eq!(answer.problem(), hidden, "{host} {path}");
        }
        assert_eq!(sign_in().host(host).send(&server).problem(), hidden);
        assert_eq!(Call::get("/").host(host).send(&server).status, 200);
    }
    let dress = |call: Call| call.host("admin.example.com");
    check_sign_in(&server, dress, "__Host-sitewright", SECURE);
    // The folder's own socket is no host name.
    assert_eq!(instance.run("user list --json").code, Some(0));
}
