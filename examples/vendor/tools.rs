//! The vendor's side of the contract: `{toolName, arguments, context}` comes in by POST, `{data}` goes out.
//!
//! An error is an HTTP status with a sentence. The one tool that changes something honours `Idempotency-Key`: a call that is sent
//! twice, because its answer was lost, does its work once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// The tools of the vendor, for callers that know the key.
pub(crate) fn router(key: &str) -> Router {
    let vendor = Arc::new(Vendor {
        key: key.to_owned(),
        reservations: Mutex::default(),
    });
    Router::new()
        .route("/tools/pim/getProduct", post(get_product))
        .route("/tools/dam/searchAssets", post(search_assets))
        .route("/tools/booking/reserve", post(reserve))
        .with_state(vendor)
}

struct Vendor {
    key: String,
    /// What was asked for under each idempotency key, and what was answered.
    reservations: Mutex<HashMap<String, (Value, Value)>>,
}

type Answer = Result<Json<Value>, (StatusCode, Json<Value>)>;

fn refused(status: StatusCode, sentence: &str) -> (StatusCode, Json<Value>) {
    (status, Json(json!({ "error": { "message": sentence } })))
}

impl Vendor {
    fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, Json<Value>)> {
        match headers.get("x-api-key") {
            Some(key) if key.as_bytes() == self.key.as_bytes() => Ok(()),
            _ => Err(refused(
                StatusCode::UNAUTHORIZED,
                "send the key in x-api-key",
            )),
        }
    }
}

async fn get_product(
    State(vendor): State<Arc<Vendor>>,
    headers: HeaderMap,
    Json(call): Json<Value>,
) -> Answer {
    vendor.check(&headers)?;
    let sku = call["arguments"]["sku"].as_str().unwrap_or_default();
    match sku {
        "SKU-123" => Ok(Json(json!({ "data": {
            "sku": "SKU-123", "title": "Walnut desk", "description": "Solid walnut, 140 by 70 cm, oiled by hand.",
            "imageUrl": "https://vendor.example.com/images/sku-123.jpg", "price": "EUR 840.00"
        } }))),
        "SKU-456" => Ok(Json(
            json!({ "data": { "sku": "SKU-456", "title": "Desk lamp" } }),
        )),
        _ => Err(refused(StatusCode::NOT_FOUND, "no product has this number")),
    }
}

async fn search_assets(
    State(vendor): State<Arc<Vendor>>,
    headers: HeaderMap,
    Json(call): Json<Value>,
) -> Answer {
    const ASSETS: [(&str, &str, &str); 3] = [
        ("desk-front", "Walnut desk from the front", "image/jpeg"),
        ("desk-detail", "Grain of the walnut desk", "image/jpeg"),
        ("lamp", "Desk lamp, lit", "image/webp"),
    ];
    vendor.check(&headers)?;
    let query = call["arguments"]["query"].as_str().unwrap_or_default();
    let query = query.to_lowercase();
    let limit = call["arguments"]["limit"].as_u64().unwrap_or(10);
    let found = ASSETS
        .iter()
        .filter(|(_, alt, _)| alt.to_lowercase().contains(&query));
    let items: Vec<Value> = found
        .take(usize::try_from(limit).unwrap_or(usize::MAX))
        .map(|(id, alt, mime_type)| {
            let url = format!("https://vendor.example.com/assets/{id}");
            json!({ "id": id, "url": url, "alt": alt, "mimeType": mime_type })
        })
        .collect();
    Ok(Json(json!({ "data": { "items": items } })))
}

async fn reserve(
    State(vendor): State<Arc<Vendor>>,
    headers: HeaderMap,
    Json(call): Json<Value>,
) -> Answer {
    vendor.check(&headers)?;
    let Some(key) = headers
        .get("idempotency-key")
        .and_then(|key| key.to_str().ok())
    else {
        return Err(refused(
            StatusCode::BAD_REQUEST,
            "send an Idempotency-Key, so that nothing is reserved twice",
        ));
    };
    let asked = &call["arguments"];
    let mut reservations = vendor
        .reservations
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let number = reservations.len() + 1;
    let (first, answer) = reservations.entry(key.to_owned()).or_insert_with(|| {
        let answer = json!({
            "reservationId": format!("R-{number}"), "room": asked["room"], "date": asked["date"], "status": "confirmed"
        });
        (asked.clone(), answer)
    });
    if first != asked {
        return Err(refused(
            StatusCode::CONFLICT,
            "this key was used for another reservation",
        ));
    }
    Ok(Json(json!({ "data": answer })))
}
