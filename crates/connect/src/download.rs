//! Downloads a picture from an address that somebody named.

use std::time::Duration;

use bytes::Bytes;
use sitewright_egress::{Egress, Request, Response};
use sitewright_runtime::{Delivery, Failure};
use sitewright_tool::ErrorCode;

use crate::failure::{self, failure};

/// The most bytes of a picture; more than any provider's largest size.
const PICTURE_BYTES_MAX: u64 = 50 * 1024 * 1024;

/// The bytes at an address. Redirects are followed: nothing secret is sent.
pub(crate) async fn download(
    egress: &Egress,
    tool: &str,
    url: &str,
    timeout: Duration,
) -> Result<Bytes, Failure> {
    let request = Request::get(url)
        .with_total(timeout)
        .with_max_body(PICTURE_BYTES_MAX);
    let sent = egress.send(request).await;
    let Response { status, body, .. } = sent.map_err(|error| failure::of_exchange(tool, &error))?;
    if !status.is_success() {
        let message = format!(
            "The picture could not be fetched: the address answered {}. Check it, or choose another one.",
            status.as_u16()
        );
        return Err(failure(
            ErrorCode::UpstreamError,
            message,
            Delivery::Answered,
        ));
    }
    let bytes = body.collect().await;
    bytes.map_err(|error| failure::of_exchange(tool, &error))
}
