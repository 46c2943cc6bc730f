use serde_json::{Value, json};
use sitewright_egress::EgressPolicy;

use super::Registration;

fn policy(allow: &str) -> EgressPolicy {
    EgressPolicy {
        allow: allow.parse().unwrap(),
    }
}

fn vendor() -> Value {
    json!({
        "manifest": {
            "name": "pim.getProduct", "description": "A product by its number", "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object" }, "capability": "read", "timeoutMs": 3000,
            "retryPolicy": { "maxAttempts": 2 }, "idempotent": true
        },
        "endpoint": "https://vendor.example.com/site-editor/tools/pim/getProduct",
        "staticHeaders": { "x-api-key": "k3y-canary" }
    })
}

fn problems(registration: &Value, allow: &str) -> Vec<String> {
    match Registration::check(registration, &policy(allow)) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn check(pointer: &str, value: Value, expected: &[&str]) {
    let mut registration = vendor();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    registration.pointer_mut(parent).unwrap()[field] = value;
    assert_eq!(
        problems(&registration, "127.0.0.1/32,shop.internal:8443"),
        expected
    );
}

#[test]
fn the_payload_of_the_contract_is_read_and_written_without_loss() {
    let read = Registration::check(&vendor(), &policy("")).unwrap();
    let again = Registration::check(&read.to_json(), &policy("")).unwrap();
    assert_eq!(read, again);
    assert_eq!(read.to_json()["staticHeaders"], vendor()["staticHeaders"]);
    let mut without = vendor();
    without
        .as_object_mut()
        .unwrap()
        .shift_remove("staticHeaders");
    assert!(
        Registration::check(&without, &policy(""))
            .unwrap()
            .static_headers
            .is_empty()
    );
}

#[test]
fn what_is_printed_of_a_registration_shows_no_secret() {
    let read = Registration::check(&vendor(), &policy("")).unwrap();
    assert!(!format!("{read:?}").contains("canary"));
}

#[test]
fn everything_wrong_is_told_at_once_with_its_field() {
    let wrong = json!({ "manifest": { "name": "a b" }, "endpoint": 7, "staticHeaders": [], "secret": "k3y-canary" });
    let problems = Registration::check(&wrong, &policy("")).unwrap_err();
    let fields: Vec<&str> = problems
        .iter()
        .map(|problem| problem.field.as_str())
        .collect();
    assert_eq!(
        fields,
        [
            "manifest.name",
            "manifest.description",
            "manifest.inputSchema",
            "manifest.outputSchema",
            "manifest.capability",
            "manifest.timeoutMs",
            "manifest.retryPolicy",
            "manifest.idempotent",
            "endpoint",
            "staticHeaders",
            "secret"
        ]
    );
    assert_eq!(
        super::tests::problems(&json!([]), ""),
        [
            "the registration is not an object: send a JSON object with `manifest`, `endpoint` and, if needed, `staticHeaders` and `harmless`"
        ]
    );
    assert_eq!(
        super::tests::problems(&json!({}), ""),
        [
            "`manifest` is missing: give the manifest of the tool as an object",
            "`endpoint` is missing: give the address of the tool, such as https://vendor.example.com/tools/pim/getProduct"
        ]
    );
}

/// A tool that could declare its own writes as drafts would run without approval.
#[test]
fn a_vendor_does_not_choose_an_effect_that_spares_it_an_approval() {
    for effect in ["draft", "none", "durable"] {
        let mut registration = vendor();
        registration["manifest"]["capability"] = json!("write");
        registration["manifest"]["effect"] = json!(effect);
        assert_eq!(
            problems(&registration, ""),
            [
                "`manifest.effect` is not `external`, and the tool changes something elsewhere: say `external`, or leave `effect` out"
            ]
        );
    }
    check(
        "/manifest/execution",
        json!("browser"),
        &[
            "`manifest.execution` is `browser`, and a remote tool is called by the server: say `server`, or leave `execution` out",
        ],
    );
}

/// Without this check a vendor could point the server at any internal address.
#[test]
fn an_endpoint_inside_the_house_or_in_the_clear_needs_the_operator() {
    let private = "use a public address, or have an operator list it in SITEWRIGHT_EGRESS_ALLOW";
    for (endpoint, host, reason) in [
        ("https://10.0.0.5/x", "10.0.0.5", "private"),
        (
            "https://169.254.169.254/latest",
            "169.254.169.254",
            "metadata",
        ),
        ("https://0x7f.2/x", "127.0.0.2", "this machine"),
        ("https://[::ffff:10.0.0.5]/x", "[::ffff:a00:5]", "private"),
        (
            "https://metadata.google.internal/x",
            "metadata.google.internal",
            "metadata",
        ),
        (
            "https://vendor.example.com:22/x",
            "vendor.example.com",
            "port",
        ),
    ] {
        let mut registration = vendor();
        registration["endpoint"] = json!(endpoint);
        let found = problems(&registration, "");
        let [sentence] = found.as_slice() else {
            panic!("{endpoint}: {found:?}")
        };
        let begins = format!("`endpoint` leads to {host}, which may not be reached (");
        assert!(
            sentence.starts_with(&begins) && sentence.ends_with(private),
            "{sentence}"
        );
        assert!(sentence.contains(reason), "{sentence}");
    }
    let clear = "`endpoint` is not https, so that its headers and answers could be read and changed on the way: use https, or have an \
                 operator list vendor.example.com in SITEWRIGHT_EGRESS_ALLOW";
    check("/endpoint", json!("http://vendor.example.com/x"), &[clear]);
    check("/endpoint", json!("http://127.0.0.1:4000/x"), &[]);
    check("/endpoint", json!("http://shop.internal:8443/x"), &[]);
}

#[test]
fn an_endpoint_is_one_plain_address() {
    let wants =
        "give the address of the tool, such as https://vendor.example.com/tools/pim/getProduct";
    check(
        "/endpoint",
        json!(" "),
        &[&format!("`endpoint` is no text: {wants}")],
    );
    check(
        "/endpoint",
        json!("ftp://vendor.example.com/x"),
        &[&format!(
            "`endpoint` cannot be used (\"ftp\" is neither http nor https): {wants}"
        )],
    );
    check(
        "/endpoint",
        json!("https://ada:pw@vendor.example.com/x"),
        &[&format!(
            "`endpoint` cannot be used (it contains a user name or password): {wants}"
        )],
    );
    check(
        "/endpoint",
        json!("https://vendor.example.com/x#part"),
        &["`endpoint` has a part after `#`, which is never sent: leave that part out"],
    );
    let long = format!("https://vendor.example.com/{}", "x".repeat(2_000));
    check(
        "/endpoint",
        json!(long),
        &["`endpoint` is 2027 bytes long: use at most 2000"],
    );
}

#[test]
fn headers_that_frame_a_message_or_are_ours_are_refused() {
    for name in [
        "Host",
        "content-length",
        "Connection",
        "Transfer-Encoding",
        "TE",
        "Keep-Alive",
        "Proxy-Authorization",
        "Upgrade",
    ] {
        check(
            &format!("/staticHeaders/{name}"),
            json!("x"),
            &[&format!(
                "`staticHeaders.{name}` decides where the message goes or ends, and is set with each call: leave it out"
            )],
        );
    }
    for name in ["Idempotency-Key", "content-type", "Accept-Encoding"] {
        check(
            &format!("/staticHeaders/{name}"),
            json!("x"),
            &[&format!(
                "`staticHeaders.{name}` is set by Sitewright with each call: leave it out"
            )],
        );
    }
    check("/staticHeaders/Authorization", json!("Bearer x"), &[]);
    check("/staticHeaders/accept", json!("application/json"), &[]);
}

#[test]
fn a_wrong_header_is_told_without_its_value() {
    let name = "use letters, digits and `-`, at most 128";
    check(
        "/staticHeaders/x key",
        json!("k3y"),
        &[&format!(
            "`staticHeaders.x key` is no name of a header: {name}"
        )],
    );
    check(
        "/staticHeaders/",
        json!("k3y"),
        &[&format!("`staticHeaders.` is no name of a header: {name}")],
    );
    let characters = "`staticHeaders.x-key` has characters that no header may have: use printable ASCII characters only";
    check(
        "/staticHeaders/x-key",
        json!("k3y\r\nx-injected: 1"),
        &[characters],
    );
    check("/staticHeaders/x-key", json!("kéy"), &[characters]);
    check("/staticHeaders/x-key", json!("k3y\u{7f}"), &[characters]);
    check(
        "/staticHeaders/x-key",
        json!("k3y\n"),
        &["`staticHeaders.x-key` begins or ends with a blank or a line break: remove it"],
    );
    check(
        "/staticHeaders/x-key",
        json!(""),
        &["`staticHeaders.x-key` is empty: give a value, or leave the header out"],
    );
    check(
        "/staticHeaders/x-key",
        json!({ "a": "k3y" }),
        &["`staticHeaders.x-key` is no text: give the value as a text"],
    );
    check(
        "/staticHeaders/x-key",
        json!("k".repeat(9_000)),
        &["`staticHeaders.x-key` is too long: use at most 8192 bytes"],
    );
    check(
        "/staticHeaders/X-Api-Key",
        json!("k3y"),
        &["`staticHeaders.X-Api-Key` is there twice, in different case: leave one of them out"],
    );
    let many: serde_json::Map<String, Value> =
        (0..33).map(|n| (format!("x-{n}"), json!("k3y"))).collect();
    check(
        "/staticHeaders",
        many.into(),
        &["`staticHeaders` has too many headers: use at most 32"],
    );
}
