//! Starting: what goes wrong is said with its remedy, and set-up happens once.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_store::{LinkPurpose, Place, Stamp, Store, Timestamp};
use sitewright_testkit::closed_port;

use crate::http::{Answer, Call};
use crate::product::{Instance, OWNER, Outcome, PASSWORD, Server};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const OTHER_KEY: &str = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";

fn failed(sentence: &str) -> Outcome {
    Outcome {
        code: Some(1),
        stdout: String::new(),
        stderr: format!("sitewright: {sentence}\n"),
    }
}

#[test]
fn a_busy_port_names_the_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let refused = Instance::new().run(&format!("serve --listen {address}"));
    let suggested = refused.stderr.trim_end().rsplit(':').next().unwrap();
    let suggested: u16 = suggested.parse().unwrap();
    let expected = failed(&format!(
        "the address {address} is in use by another program; stop that program, or choose another port with \
         --listen 127.0.0.1:{suggested}"
    ));
    assert_eq!(refused, expected);
    assert_ne!(suggested, address.port());
}

#[test]
fn an_address_of_another_machine_is_refused() {
    let refused = Instance::new().run("serve --listen 192.0.2.1:8080");
    let expected = "cannot listen on 192.0.2.1:8080: Cannot assign requested address (os error 99)";
    assert_eq!(refused, failed(expected));
}

#[test]
fn a_folder_has_one_server() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let expected = failed(&format!(
        "another Sitewright is already using the data folder {}; stop it first, or choose another folder with --data",
        instance.data().display()
    ));
    assert_eq!(instance.run("serve --listen 127.0.0.1:0"), expected);
    assert_eq!(Call::get("/readyz").send(&server).status, 200);
}

#[test]
fn another_secret_key_is_refused_by_both_fingerprints_and_changes_nothing() {
    let instance = Instance::new().with("SITEWRIGHT_SECRET_KEY", KEY);
    instance.set_up();
    let instance = instance.with("SITEWRIGHT_SECRET_KEY", OTHER_KEY);
    let expected = failed(
        "the secret key does not fit this instance: its secrets were encrypted with the key FIRST, and the key at hand is \
         SECOND; start with the right key in SITEWRIGHT_SECRET_KEY or in the data folder's `secret.key` (nothing was changed)",
    );
    for words in ["serve --listen 127.0.0.1:0", "user list"] {
        let mut refused = instance.run(words);
        let fingerprints = fingerprints(&refused.stderr);
        assert_eq!(fingerprints.len(), 2, "{refused:?}");
        assert_ne!(fingerprints[0], fingerprints[1]);
        refused.stderr = refused.stderr.replace(&fingerprints[0], "FIRST");
        refused.stderr = refused.stderr.replace(&fingerprints[1], "SECOND");
        assert_eq!(refused, expected);
    }
    let instance = instance.with("SITEWRIGHT_SECRET_KEY", KEY);
    let server = instance.serve("");
    assert_eq!(sign_in(&server).status, 200);
}

fn fingerprints(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_ascii_hexdigit());
    let found = words.filter(|word| word.len() == 16);
    found.map(str::to_owned).collect()
}

#[test]
fn a_secret_key_that_is_none_is_refused() {
    let instance = Instance::new().with("SITEWRIGHT_SECRET_KEY", "secret");
    let expected = "SITEWRIGHT_SECRET_KEY must hold 64 hexadecimal digits (32 bytes), as `openssl rand -hex 32` prints them";
    assert_eq!(instance.run("serve --listen 127.0.0.1:0"), failed(expected));
}

#[test]
fn a_key_file_that_is_gone_is_missed_and_not_made_anew() {
    let instance = Instance::ready();
    let key = instance.data().join("secret.key");
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    let refused = instance.run("serve --listen 127.0.0.1:0");
    let missing = format!("missing from {}", key.display());
    assert!(refused.stderr.contains(&missing), "{refused:?}");
    assert_eq!((refused.code, key.exists()), (Some(1), false));
    std::fs::write(&key, kept).unwrap();
    instance.serve("");
}

/// A settings file, flags, and what is said about them.
const BAD_SETTINGS: [(&str, &str, &str); 8] = [
    (
        "body_limit_bytes = 'much'",
        "",
        "the setting `body_limit_bytes` from FILE cannot be used: invalid digit found in string",
    ),
    (
        "\nlisten",
        "",
        "the settings file FILE cannot be used: line 2 is not valid TOML: expected `.`, `=`",
    ),
    (
        "lisen = '127.0.0.1:1'",
        "",
        "FILE has the setting `lisen`, which does not exist; docs/settings.md lists them",
    ),
    (
        "",
        "--set admin_url=https://example.com/below",
        "`public_url` and `admin_url` are of the form https://www.example.com, with nothing behind the host",
    ),
    (
        "",
        "--set listen",
        "--set takes NAME=VALUE; `listen` has no =",
    ),
    (
        "",
        "--listen here",
        "the setting `listen` from the command line cannot be used: `here` is not an address with a port, such as 127.0.0.1:8080",
    ),
    (
        "",
        "--config nowhere.toml",
        "the settings file nowhere.toml cannot be used: No such file or directory (os error 2)",
    ),
    (
        "",
        "--set log=a=b=c",
        "the setting `log` is not a filter: a=b=c: error parsing level filter: expected one of \"off\", \"error\", \"warn\", \
         \"info\", \"debug\", \"trace\", or a number 0-5",
    ),
];

#[test]
fn bad_settings_are_named_with_their_place() {
    let instance = Instance::ready();
    let file = instance.data().join("sitewright.toml");
    for (text, flags, expected) in BAD_SETTINGS {
        std::fs::write(&file, text).unwrap();
        let expected = expected.replace("FILE", &file.display().to_string());
        assert_eq!(instance.run(&format!("serve {flags}")), failed(&expected));
    }
    let check = |variable: &'static str, value: &str, expected: &str| {
        let instance = Instance::new().with(variable, value);
        assert_eq!(instance.run("serve --listen 127.0.0.1:0"), failed(expected));
    };
    check(
        "SITEWRIGHT_TRUSTED_PROXIES",
        "proxy",
        "the setting `trusted_proxies` from the environment variable SITEWRIGHT_TRUSTED_PROXIES cannot be used: `proxy` is not an \
         address such as 10.0.0.5 or a network such as 10.0.0.0/8",
    );
    check(
        "DATABASE_URL",
        "mysql://localhost/site",
        "DATABASE_URL is not an address such as postgres://user:password@host:5432/name: it does not begin with postgres://",
    );
}

#[test]
fn a_database_that_does_not_answer_is_said_to_be_so() {
    let unused = closed_port();
    let instance = Instance::new().with("DATABASE_URL", &format!("postgres://u:s3cret@{unused}/x"));
    let refused = instance.run("serve --listen 127.0.0.1:0");
    let expected = "the database is not available: error communicating with database: Connection refused (os error 111)";
    assert_eq!(refused, failed(expected));
}

#[test]
fn the_start_page_leads_to_setup_until_that_is_done() {
    let instance = Instance::new();
    let mut server = instance.serve("");
    let before = Call::get("/").send(&server);
    let place = before.header("location").map(str::to_owned);
    assert_eq!(
        (before.status, place.as_deref()),
        (303, Some("/admin/setup"))
    );
    let token = printed_token(&mut server);
    assert_eq!(set_up(&server, &token).status, 200);
    let after = Call::get("/").send(&server);
    let heading = "<h1>Nothing is published here yet</h1>";
    assert_eq!((after.status, after.text().contains(heading)), (200, true));
}

#[test]
fn a_setup_link_works_once() {
    let instance = Instance::new();
    let mut server = instance.serve("");
    let token = printed_token(&mut server);
    let wrong = set_up(&server, "made-up").problem();
    let expired = "This set-up link has expired or is not complete. Run `sitewright setup --link` on the server for a new one.";
    assert_eq!(wrong, (403, "forbidden".to_owned(), expired.to_owned()));
    let session = set_up(&server, &token).json();
    assert_eq!(session["user"]["email"], OWNER);
    let again = set_up(&server, &token).problem();
    let done = "This instance is already set up; sign in instead.";
    assert_eq!(again, (403, "forbidden".to_owned(), done.to_owned()));
    let refused = instance.run("setup --link --json").failure();
    assert_eq!(refused, (Some(1), "conflict".to_owned(), done.to_owned()));
}

#[test]
fn a_setup_link_expires_after_a_day() {
    let instance = Instance::new();
    let server = instance.serve("");
    for (hours, status) in [(25, 403), (23, 200)] {
        let made = Timestamp::now().before(Duration::from_secs(hours * 60 * 60));
        let link = tokio::runtime::Runtime::new().unwrap().block_on(async {
            let place = Place::File(instance.data().join("sitewright.db"));
            let store = Store::open(&place).await.unwrap();
            let by = Stamp::local(made);
            let link = store.create_link(&LinkPurpose::Setup, &by).await.unwrap();
            store.close().await;
            link
        });
        assert_eq!(set_up(&server, &link.token).status, status);
    }
}

#[test]
fn l11_a_new_setup_link_replaces_the_older_without_and_through_the_server() {
    let instance = Instance::new();
    let link = instance.run("setup --link");
    assert_eq!(link.code, Some(0));
    let offline = link
        .stdout
        .trim()
        .rsplit("#token=")
        .next()
        .unwrap()
        .to_owned();
    let server = instance.serve("");
    let through = instance.run("setup --link --json").json();
    let through = token_of(&server, through["url"].as_str().unwrap());
    assert_ne!(offline, through);
    assert_eq!(set_up(&server, &offline).refusal().0, 403);
    assert_eq!(set_up(&server, &through).status, 200);
}

/// The secret of the link that the server printed at its start.
fn printed_token(server: &mut Server) -> String {
    let link = server.setup_link();
    token_of(server, &link)
}

/// The secret of a link, whose address must be the server's own.
fn token_of(server: &Server, link: &str) -> String {
    let place = format!("{}/admin/setup#token=", server.url());
    let token = link.strip_prefix(&place);
    token.unwrap_or_else(|| panic!("{link}")).to_owned()
}

fn set_up(server: &Server, token: &str) -> Answer {
    let body: Value = json!({ "token": token, "email": OWNER, "password": PASSWORD });
    Call::post("/admin/api/setup", &body).send(server)
}

fn sign_in(server: &Server) -> Answer {
    let body = json!({ "email": OWNER, "password": PASSWORD });
    Call::post("/admin/api/session", &body).send(server)
}
