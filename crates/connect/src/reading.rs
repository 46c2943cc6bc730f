//! Reads an answer up to a limit.

use sitewright_egress::{Body, EgressError};

/// Enough of an error to find its message.
pub(crate) const ERROR_BYTES_MAX: usize = 64 * 1024;

/// An answer that was read up to the limit.
pub(crate) enum BodyRead {
    Whole(Vec<u8>),
    CutOff(Vec<u8>),
}

/// Reads up to a limit; on failure, what was received so far is returned with the error.
pub(crate) async fn read(
    body: &mut Body,
    limit: usize,
) -> Result<BodyRead, (Vec<u8>, EgressError)> {
    let mut bytes = Vec::new();
    loop {
        match body.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(BodyRead::Whole(bytes)),
            Err(error) => return Err((bytes, error)),
        }
        if bytes.len() > limit {
            bytes.truncate(limit);
            return Ok(BodyRead::CutOff(bytes));
        }
    }
}
