//! Fetches a document and the files beside it from an address.

use std::collections::BTreeSet;

use http::StatusCode;
use http::header::{ACCEPT, HeaderValue};
use sitewright_egress::{Egress, EgressError, Request};
use url::Url;

use super::bundle::{BUNDLE_BYTES_MAX, Bundle, BundleError};

const ACCEPTED: &str = "application/openapi+json, application/openapi+yaml, application/json, application/yaml, */*;q=0.5";

/// Why a document could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum BundleFetchError {
    /// The other side cannot be reached, or may not be.
    #[error("{url} cannot be fetched: {error}")]
    Exchange {
        /// The address.
        url: Url,
        /// Why.
        #[source]
        error: Box<EgressError>,
    },
    /// The other side answered something else than a document.
    #[error("{url} answered {status}")]
    Status {
        /// The address.
        url: Url,
        /// What it answered.
        status: StatusCode,
    },
    /// It is no text.
    #[error("{url} is no text")]
    NotText {
        /// The address.
        url: Url,
    },
    /// It is larger than can be imported.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// Fetches a document and the files that it refers to by relative paths, from the same host only. A file that cannot be fetched is left
/// out; the reference to it becomes a finding.
pub async fn fetch_bundle(egress: &Egress, url: &Url) -> Result<Bundle, BundleFetchError> {
    let name = url.path_segments().and_then(|mut parts| parts.next_back());
    let name = name.filter(|name| !name.is_empty()).unwrap_or("openapi");
    let mut bundle = Bundle::single(name, fetch(egress, url).await?);
    let mut pending = vec![name.to_owned()];
    let mut seen: BTreeSet<String> = pending.iter().cloned().collect();
    while let Some(name) = pending.pop() {
        for file in bundle.references_of(&name) {
            if !seen.insert(file.clone()) {
                continue;
            }
            let address = url.join(&file).ok();
            let address = address.filter(|address| address.origin() == url.origin());
            let Some(address) = address else { continue };
            if let Ok(text) = fetch(egress, &address).await {
                bundle.files.insert(file.clone(), text);
                // At once: one document may name thousands of large files.
                bundle.check_size()?;
                pending.push(file);
            }
        }
    }
    Ok(bundle)
}

async fn fetch(egress: &Egress, url: &Url) -> Result<String, BundleFetchError> {
    let failed = |error| BundleFetchError::Exchange {
        url: url.clone(),
        error: Box::new(error),
    };
    let request = Request::get(url.as_str())
        .with_header(ACCEPT, HeaderValue::from_static(ACCEPTED))
        .with_max_body(BUNDLE_BYTES_MAX as u64);
    let response = egress.send(request).await.map_err(failed)?;
    if !response.status.is_success() {
        return Err(BundleFetchError::Status {
            url: url.clone(),
            status: response.status,
        });
    }
    let bytes = response.body.collect().await.map_err(failed)?;
    String::from_utf8(bytes.into())
        .map_err(|_binary| BundleFetchError::NotText { url: url.clone() })
}
