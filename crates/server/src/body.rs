//! Reads request bodies within limits: of one body, of all bodies in flight, and of the values that a JSON text makes.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use sitewright_tool::ErrorCode;

use crate::problem::ApiError;

/// The bytes of all bodies that are being received or handled.
static IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);
/// Three of the largest uploads at once.
const IN_FLIGHT_MAX: usize = 160 * 1024 * 1024;
/// An array or object takes up to 600 bytes of memory, however short it is written.
const CONTAINERS_MAX: usize = 100_000;
const VALUES_MAX: usize = 1_000_000;
const DEPTH_MAX: usize = 100;

/// The share of a body in the bytes in flight, given back when dropped. Held until the request is answered, because the parsed input
/// is at least as large.
#[derive(Debug, Default)]
pub(crate) struct BodyShare {
    bytes: usize,
}

impl BodyShare {
    fn grow(&mut self, more: usize) -> Result<(), ApiError> {
        let before = IN_FLIGHT.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
        if before + more > IN_FLIGHT_MAX {
            return Err(ApiError::new(
                ErrorCode::Unavailable,
                "The server is receiving as much as it can hold. Try again in a few seconds.",
            )
            .retry_after(5));
        }
        Ok(())
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        IN_FLIGHT.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read_body(
    mut body: Body,
    limit: usize,
) -> Result<(Bytes, BodyShare), ApiError> {
    let too_large = || {
        ApiError::new(
            ErrorCode::TooLarge,
            format!("The body is larger than the {limit} bytes allowed here."),
        )
    };
    // A body that announces more than the limit is rejected without reading it.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    let mut share = BodyShare::default();
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| ApiError::invalid(format!("The body could not be read: {error}.")))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > limit {
            return Err(too_large());
        }
        share.grow(data.len())?;
        bytes.extend_from_slice(&data);
    }
    Ok((bytes.freeze(), share))
}

/// Refuses a JSON text that would take far more memory as values than it has bytes. Does not check that it is valid.
pub(crate) fn check_json(text: &[u8]) -> Result<(), ApiError> {
    let (mut depth, mut containers, mut values) = (0_usize, 0_usize, 0_usize);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'[' | b'{' => {
                depth += 1;
                containers += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b':' => values += 1,
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(ApiError::invalid(format!(
                "The body is nested more than {DEPTH_MAX} levels deep."
            )));
        }
    }
    if containers > CONTAINERS_MAX || values > VALUES_MAX {
        return Err(ApiError::new(
            ErrorCode::TooLarge,
            format!(
                "The body has {containers} lists and objects and {values} values; at most {CONTAINERS_MAX} and {VALUES_MAX} are allowed. Send it in parts."
            ),
        ));
    }
    Ok(())
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BodyShare, IN_FLIGHT_MAX, check_json};

    /// M9: a body of 15 MB that is nothing but empty lists took half a gigabyte.
    #[test]
    fn m9_many_small_values_are_refused_before_they_are_made() {
        let lists = format!("[{}[]]", "[],".repeat(5_000_000));
        assert!(check_json(lists.as_bytes()).is_err());
        let numbers = format!("[{}1]", "1,".repeat(2_000_000));
        assert!(check_json(numbers.as_bytes()).is_err());
        let deep = "[".repeat(101);
        assert!(check_json(deep.as_bytes()).is_err());
    }

    #[test]
    fn signs_inside_texts_do_not_count() {
        let html = format!(r#"{{"html":"{}\"","css":"\\"}}"#, "[{,:".repeat(2_000_000));
        assert!(check_json(html.as_bytes()).is_ok());
    }

    /// M9: nothing limited how many large bodies were collected at once.
    #[test]
    fn m9_bodies_in_flight_share_one_budget() {
        let mut first = BodyShare::default();
        first.grow(IN_FLIGHT_MAX - 10).unwrap();
        let mut second = BodyShare::default();
        assert!(second.grow(11).is_err());
        drop(second);
        let mut third = BodyShare::default();
        third.grow(10).unwrap();
        drop(first);
        third.grow(IN_FLIGHT_MAX - 10).unwrap();
    }
}
