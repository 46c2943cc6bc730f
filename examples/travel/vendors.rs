//! The three vendors: one router, bookings in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

#[derive(Clone)]
struct Vendors {
    failures: Arc<Vec<String>>,
    /// By vendor and number. A lock, because requests run at the same time.
    bookings: Arc<Mutex<HashMap<String, Booking>>>,
}

#[derive(Clone)]
struct Booking {
    key: String,
    is_cancelled: bool,
}

/// The vendors, some of which fail.
pub(crate) fn router(failures: Vec<String>) -> Router {
    let vendors = Vendors {
        failures: Arc::new(failures),
        bookings: Arc::default(),
    };
    Router::new()
        .route("/{vendor}/book", post(book))
        .route("/{vendor}/cancel", post(cancel))
        .route("/bookings", get(bookings))
        .with_state(vendors)
}

type Reply = (StatusCode, Json<Value>);

impl Vendors {
    fn fails(&self, vendor: &str, how: &str) -> bool {
        let wanted = match how {
            "" => vendor.to_owned(),
            how => format!("{vendor}:{how}"),
        };
        self.failures.contains(&wanted)
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Booking>> {
        self.bookings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn book(
    State(vendors): State<Vendors>,
    Path(vendor): Path<String>,
    headers: HeaderMap,
    Json(order): Json<Value>,
) -> Reply {
    if vendors.fails(&vendor, "") {
        let message = json!({ "message": "Nothing is free." });
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(message));
    }
    let key = headers.get("idempotency-key");
    let key = key
        .and_then(|key| key.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let number = {
        let mut bookings = vendors.all();
        // The same key is the same booking.
        let known = bookings.iter().find(|(_, booking)| booking.key == key);
        match known.map(|(number, _)| number.clone()) {
            Some(number) => number,
            None => {
                let number = format!("{vendor}-{}", bookings.len() + 1);
                let is_cancelled = false;
                bookings.insert(number.clone(), Booking { key, is_cancelled });
                println!("booked {number}");
                number
            }
        }
    };
    if vendors.fails(&vendor, "lost") {
        std::future::pending::<()>().await;
    }
    let price = order["price"].as_f64().unwrap_or(100.0);
    (
        StatusCode::OK,
        Json(json!({ "booking_id": number, "price": price })),
    )
}

async fn cancel(
    State(vendors): State<Vendors>,
    Path(vendor): Path<String>,
    Json(order): Json<Value>,
) -> Reply {
    if vendors.fails(&vendor, "stuck") {
        let message = json!({ "message": "Nobody answers the phone." });
        return (StatusCode::SERVICE_UNAVAILABLE, Json(message));
    }
    let number = order["booking_id"].as_str().unwrap_or_default();
    match vendors.all().get_mut(number) {
        None => (
            StatusCode::NOT_FOUND,
            Json(json!({ "message": "There is no such booking." })),
        ),
        Some(booking) if booking.is_cancelled => (
            StatusCode::CONFLICT,
            Json(json!({ "message": "It was cancelled before." })),
        ),
        Some(booking) => {
            booking.is_cancelled = true;
            println!("cancelled {number}");
            (StatusCode::OK, Json(json!({ "cancelled": number })))
        }
    }
}

/// What is booked and not cancelled, by all vendors.
async fn bookings(State(vendors): State<Vendors>) -> Json<Value> {
    let all = vendors.all();
    let kept = all.iter().filter(|(_, booking)| !booking.is_cancelled);
    let mut kept: Vec<&String> = kept.map(|(number, _)| number).collect();
    kept.sort();
    Json(json!(kept))
}
