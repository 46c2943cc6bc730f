//! `/readyz` looks at what requests need, and cannot be made a load.

use std::net::TcpListener;

use futures_util::future::join_all;
use http::StatusCode;

use crate::instance::{Browser, Instance};

/// A bucket that takes connections and never answers makes the server not ready, and anybody who asks meanwhile gets the answer of
/// one probe.
#[tokio::test]
async fn a_bucket_that_hangs_is_asked_once_and_reported_to_everybody() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let instance = Instance::with(|settings| {
        settings.s3_bucket = Some("bucket".to_owned());
        settings.s3_endpoint = Some(endpoint);
        settings.s3_access_key_id = Some("id".to_owned());
        settings.s3_secret_access_key = Some("key".to_owned().into());
    })
    .await;
    let probe = Browser::default();
    let answers = join_all((0..20).map(|_| probe.get(&instance, "/readyz"))).await;
    for answer in answers {
        assert_eq!(
            answer.said(),
            "503 unavailable: The file storage does not answer in time."
        );
    }
    let alive = probe.get(&instance, "/healthz").await;
    assert_eq!(alive.status, StatusCode::OK);
    listener.set_nonblocking(true).expect("a listener");
    let asked = std::iter::from_fn(|| listener.accept().ok()).count();
    // On a machine so slow that the answer grows old before everybody has it, there is a second probe, but never one for each.
    assert!((1..5).contains(&asked), "{asked}");
}

#[tokio::test]
async fn a_server_whose_parts_take_writes_is_ready() {
    let instance = Instance::new().await;
    let ready = Browser::default().get(&instance, "/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
}
