//! The list of prices over its life.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::json;
use sitewright_llm::{Catalogue, OutgoingPermission, PriceStore, Prices, Refresh, StoredCatalogue};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use super::egress;

const HOUR: i64 = 60 * 60 * 1000;

/// A place that remembers, as the database does.
#[derive(Default)]
struct Shelf(Mutex<Option<StoredCatalogue>>);

impl PriceStore for Shelf {
    fn load(&self) -> BoxFuture<'_, Option<StoredCatalogue>> {
        Box::pin(async { self.0.lock().unwrap().clone() })
    }

    fn save(&self, stored: StoredCatalogue) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            *self.0.lock().unwrap() = Some(stored);
            Ok(())
        })
    }
}

fn list(prompt: &str) -> String {
    json!({ "data": [{ "id": "anthropic/claude-opus-5.5", "context_length": 7, "pricing": { "prompt": prompt, "completion": "0" } }] }).to_string()
}

fn prices(vendor: &Vendor, shelf: &Arc<Shelf>) -> Prices {
    let store: Arc<dyn PriceStore> = Arc::clone(shelf) as _;
    Prices::new(egress(), store, Refresh::From(vendor.url("/api/v1/models")))
}

fn price(catalogue: &Catalogue) -> f64 {
    catalogue
        .get("claude-opus-5-5")
        .unwrap()
        .prompt
        .unwrap()
        .per_million()
}

#[tokio::test]
async fn the_first_turn_is_priced_without_the_network_and_the_list_comes_behind() {
    let vendor = Vendor::answering(|_| Answer::Reply(Reply::new(200, list("0.000009"))));
    let shelf = Arc::new(Shelf::default());
    let prices = prices(&vendor, &shelf);
    let first = prices.catalogue(HOUR, OutgoingPermission::Allowed).await;
    assert!((price(&first) - 4.0).abs() < 1e-9, "the built-in list");
    prices.settle().await;
    let second = prices.catalogue(HOUR, OutgoingPermission::Allowed).await;
    assert!((price(&second) - 9.0).abs() < 1e-9);
    assert_eq!(
        shelf
            .0
            .lock()
            .unwrap()
            .as_ref()
            .map(|stored| stored.fetched_at_ms),
        Some(HOUR)
    );
    let asked = vendor.requests();
    assert_eq!(
        (asked.len(), asked[0].header("authorization")),
        (1, None),
        "no key is needed and none is shown"
    );
}

#[tokio::test]
async fn nothing_goes_out_before_a_credential_exists_or_when_it_is_switched_off() {
    let vendor = Vendor::answering(|_| Answer::ok(list("0.000009")));
    let shelf = Arc::new(Shelf::default());
    let waiting = prices(&vendor, &shelf);
    waiting.catalogue(0, OutgoingPermission::NotYet).await;
    waiting.settle().await;
    let off = Prices::new(egress(), Arc::clone(&shelf) as _, Refresh::Off);
    off.catalogue(0, OutgoingPermission::Allowed).await;
    off.settle().await;
    assert_eq!(vendor.connections(), 0);
}

#[tokio::test]
async fn a_list_is_kept_for_six_hours_and_then_fetched_in_the_background() {
    let vendor = Vendor::scripted([Answer::ok(list("0.000009")), Answer::ok(list("0.000011"))]);
    let prices = prices(&vendor, &Arc::new(Shelf::default()));
    // A list that was fetched while somebody waits would be the one they get.
    for (now, known, fetched) in [
        (0, 4.0, 1),
        (HOUR, 9.0, 1),
        (6 * HOUR - 1, 9.0, 1),
        (6 * HOUR, 9.0, 2),
        (7 * HOUR, 11.0, 2),
    ] {
        let catalogue = prices.catalogue(now, OutgoingPermission::Allowed).await;
        assert!((price(&catalogue) - known).abs() < 1e-9, "at {now}");
        prices.settle().await;
        assert_eq!(vendor.requests().len(), fetched, "at {now}");
    }
}

#[tokio::test]
async fn what_was_stored_is_used_at_once_after_a_restart() {
    let stored = StoredCatalogue {
        fetched_at_ms: 0,
        catalogue: Catalogue::from_openrouter(list("0.000003").as_bytes()).unwrap(),
    };
    // The stored form survives being written and read.
    let written = serde_json::to_string(&stored).unwrap();
    let shelf = Arc::new(Shelf(Mutex::new(serde_json::from_str(&written).unwrap())));
    let vendor = Vendor::answering(|_| Answer::ok(list("0.000009")));
    let prices = prices(&vendor, &shelf);
    let known = prices.catalogue(HOUR, OutgoingPermission::Allowed).await;
    assert!((price(&known) - 3.0).abs() < 1e-9);
    assert_eq!(
        known.get("claude-opus-5-5").unwrap().context_window,
        Some(7)
    );
    prices.settle().await;
    assert_eq!(vendor.requests().len(), 0, "it is fresh");
}

#[tokio::test]
async fn a_refresh_that_fails_keeps_the_old_list_and_is_tried_again_later() {
    for broken in [
        Answer::Close,
        Answer::Reply(Reply::new(500, "")),
        Answer::ok("{}"),
        Answer::ok("<html>"),
    ] {
        let vendor = Vendor::answering(move |_| broken.clone());
        let prices = prices(&vendor, &Arc::new(Shelf::default()));
        for (now, tries) in [(0, 1), (1000, 1), (HOUR, 2)] {
            let catalogue = prices.catalogue(now, OutgoingPermission::Allowed).await;
            assert!((price(&catalogue) - 4.0).abs() < 1e-9);
            prices.settle().await;
            assert_eq!(vendor.requests().len(), tries);
        }
    }
}
