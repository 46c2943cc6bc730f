//! M8: passkeys, with an authenticator in software. `web/e2e/accounts.test.mjs` does the same with Chromium's.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use http::header::{HOST, ORIGIN};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::instance::{Answer, Browser, Instance, request};

const HERE: &str = "http://localhost:8080";
const UNVERIFIED: &str =
    "403 forbidden: The passkey could not be verified. Try again, or sign in another way.";

/// An authenticator that has one passkey, for one person.
struct Authenticator {
    key: SigningKey,
    id: [u8; 16],
    user: String,
    counter: u32,
}

impl Authenticator {
    fn new(seed: u8) -> Self {
        Self {
            key: SigningKey::from_slice(&[seed; 32]).expect("a key"),
            id: [seed; 16],
            user: String::new(),
            counter: 0,
        }
    }

    /// The flags say that a person was present and verified, and in a new passkey that its key follows.
    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest("localhost").to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The public key as CBOR: EC2, ES256, P-256 and the two coordinates.
    fn public_key(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_sec1_point(false);
        let (x, y) = point.as_bytes()[1..].split_at(32);
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        [&head[..], x, &[0x22, 0x58, 0x20], y].concat()
    }

    fn make(&mut self, options: &Value) -> Value {
        self.user = options["user"]["id"].as_str().expect("a user").to_owned();
        let mut data = self.data(0x45);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(self.id);
        data.extend(self.public_key());
        let length = u8::try_from(data.len()).expect("a short text");
        let head = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58";
        let attestation = [&head[..], &[length], &data].concat();
        let client = client_data("webauthn.create", options, HERE);
        json!({ "id": BASE64.encode(self.id), "rawId": BASE64.encode(self.id), "type": "public-key",
            "clientExtensionResults": {}, "response": {
                "attestationObject": BASE64.encode(attestation),
                "clientDataJSON": BASE64.encode(client),
            } })
    }

    fn prove(&mut self, options: &Value, origin: &str, flags: u8) -> Value {
        self.counter += 1;
        let data = self.data(flags);
        let client = client_data("webauthn.get", options, origin);
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({ "id": BASE64.encode(self.id), "rawId": BASE64.encode(self.id), "type": "public-key",
            "clientExtensionResults": {}, "response": {
                "authenticatorData": BASE64.encode(data),
                "clientDataJSON": BASE64.encode(client),
                "signature": BASE64.encode(signature.to_der().as_bytes()),
                "userHandle": self.user,
            } })
    }
}

fn client_data(kind: &str, options: &Value, origin: &str) -> Vec<u8> {
    let data = json!({ "type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": false });
    data.to_string().into_bytes()
}

/// A verified and present person.
const VERIFIED: u8 = 0x05;

/// Adds a passkey to a person's account.
async fn register(instance: &Instance, browser: &Browser, authenticator: &mut Authenticator) {
    let path = "/admin/api/account/passkeys/start";
    let begun = browser.call(instance, "POST", path, json!({})).await;
    assert_eq!(begun.said(), "200");
    let selection = &begun.body["options"]["authenticatorSelection"];
    assert_eq!(selection["residentKey"], "required");
    assert_eq!(selection["userVerification"], "required");
    let credential = authenticator.make(&begun.body["options"]);
    let add = json!({ "ticket": begun.body["ticket"], "credential": credential, "name": "Laptop" });
    let path = "/admin/api/account/passkeys";
    let added = browser.call(instance, "POST", path, add).await;
    assert_eq!(added.said(), "200", "{}", added.body);
}

async fn begin(instance: &Instance) -> Value {
    let path = "/admin/api/session/passkey/start";
    let begun = Browser::default()
        .call(instance, "POST", path, json!({}))
        .await;
    assert_eq!(begun.said(), "200");
    begun.body
}

async fn sign_in(instance: &Instance, ticket: &Value, credential: &Value) -> Answer {
    let body = json!({ "ticket": ticket, "credential": credential });
    Browser::default()
        .call(instance, "POST", "/admin/api/session/passkey", body)
        .await
}

#[tokio::test]
async fn m8_somebody_signs_in_with_a_passkey_and_without_it_no_more() {
    let (instance, ada) = Instance::owned().await;
    let mut laptop = Authenticator::new(7);
    register(&instance, &ada, &mut laptop).await;
    let begun = begin(&instance).await;
    let proof = laptop.prove(&begun["options"], HERE, VERIFIED);
    let signed_in = sign_in(&instance, &begun["ticket"], &proof).await;
    assert_eq!(signed_in.said(), "200", "{}", signed_in.body);
    assert_eq!(signed_in.body["user"]["email"], "ada@example.com");
    let mut browser = Browser::default();
    browser.keep(&signed_in);
    let account = browser.get(&instance, "/admin/api/account").await.body;
    let passkey = &account["passkeys"][0];
    assert_eq!(passkey["name"], "Laptop");
    assert!(passkey["lastUsedAt"].is_i64());
    assert_eq!(account["notices"][0]["event"], "passkey_added");
    let path = format!(
        "/admin/api/account/passkeys/{}",
        passkey["id"].as_str().expect("an id")
    );
    let name = json!({ "name": "Desk" });
    let renamed = browser.call(&instance, "PATCH", &path, name).await;
    assert_eq!(renamed.body["name"], "Desk");
    let removed = browser.call(&instance, "DELETE", &path, json!(null)).await;
    assert_eq!(removed.said(), "204");
    let begun = begin(&instance).await;
    let proof = laptop.prove(&begun["options"], HERE, VERIFIED);
    let refused = sign_in(&instance, &begun["ticket"], &proof).await;
    assert_eq!(
        refused.said(),
        "403 forbidden: This passkey has been removed. Sign in another way."
    );
}

#[tokio::test]
async fn m8_a_proof_is_for_one_sign_in_one_site_and_a_verified_person() {
    let (instance, ada) = Instance::owned().await;
    let mut laptop = Authenticator::new(7);
    register(&instance, &ada, &mut laptop).await;
    let begun = begin(&instance).await;
    let proof = laptop.prove(&begun["options"], HERE, VERIFIED);
    let ticket = &begun["ticket"];
    assert_eq!(sign_in(&instance, ticket, &proof).await.said(), "200");
    assert_eq!(
        sign_in(&instance, ticket, &proof).await.said(),
        "409 conflict: This took too long or was already done. Start again."
    );
    let another = begin(&instance).await;
    assert_eq!(
        sign_in(&instance, &another["ticket"], &proof).await.said(),
        UNVERIFIED,
        "the proof is for another challenge"
    );
    for (origin, flags) in [("http://evil.example", VERIFIED), (HERE, 0x01)] {
        let begun = begin(&instance).await;
        let proof = laptop.prove(&begun["options"], origin, flags);
        let refused = sign_in(&instance, &begun["ticket"], &proof).await;
        assert_eq!(refused.said(), UNVERIFIED, "{origin} {flags}");
    }
    let begun = begin(&instance).await;
    let mut forged = Authenticator::new(9);
    forged.id = laptop.id;
    forged.user = laptop.user.clone();
    forged.counter = 100;
    let proof = forged.prove(&begun["options"], HERE, VERIFIED);
    let refused = sign_in(&instance, &begun["ticket"], &proof).await;
    assert_eq!(refused.said(), UNVERIFIED, "another key");
    // A counter that goes back is the sign of a copied authenticator.
    let begun = begin(&instance).await;
    laptop.counter = 0;
    let proof = laptop.prove(&begun["options"], HERE, VERIFIED);
    let refused = sign_in(&instance, &begun["ticket"], &proof).await;
    assert_eq!(refused.said(), UNVERIFIED, "an old counter");
}

#[tokio::test]
async fn a_passkey_confirms_its_own_person_only() {
    let (instance, ada) = Instance::owned().await;
    let grace = instance.member("grace@example.com", "editor").await;
    let (mut of_ada, mut of_grace) = (Authenticator::new(7), Authenticator::new(8));
    register(&instance, &ada, &mut of_ada).await;
    register(&instance, &grace, &mut of_grace).await;
    let path = "/admin/api/session/confirm";
    let ways = ada.get(&instance, path).await.body;
    assert_eq!(ways["methods"], json!(["passkey", "password"]));
    for (authenticator, said) in [
        (
            &mut of_grace,
            "403 forbidden: This passkey belongs to another account. Choose one of yours.",
        ),
        (&mut of_ada, "204"),
    ] {
        let begun = begin(&instance).await;
        let credential = authenticator.prove(&begun["options"], HERE, VERIFIED);
        let proof = json!({ "passkey": { "ticket": begun["ticket"], "credential": credential } });
        let answer = ada.call(&instance, "POST", path, proof).await;
        assert_eq!(answer.said(), said);
    }
}

#[tokio::test]
async fn passkeys_work_at_the_address_of_the_settings_or_at_localhost() {
    let (instance, _) = Instance::owned().await;
    let at = async |instance: &Instance, host: &str| {
        let path = "/admin/api/session/passkey/start";
        let mut request = request("POST", path, Some(json!({})));
        request
            .headers_mut()
            .insert(HOST, host.parse().expect("a host"));
        request.headers_mut().remove(ORIGIN);
        instance.send(request).await.said()
    };
    assert_eq!(at(&instance, "localhost:9999").await, "200");
    assert_eq!(
        at(&instance, "127.0.0.1:8080").await,
        "403 forbidden: Passkeys work only at localhost; open this page there, or set public_url."
    );
    let instance = instance
        .opened_again(|settings| {
            settings.public_url = Some("https://www.example.com".parse().expect("a URL"));
        })
        .await;
    assert_eq!(at(&instance, "www.example.com").await, "200");
    assert_eq!(
        at(&instance, "localhost:8080").await,
        "403 forbidden: Passkeys work only at https://www.example.com; open this page there."
    );
}
