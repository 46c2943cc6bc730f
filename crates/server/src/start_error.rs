//! Why an instance does not start.

use sitewright_egress::EgressError;
use sitewright_runtime::NameTaken;
use sitewright_store::StoreError;

/// Why an instance does not start. Nothing has been changed.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database, the secret key or the file storage failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The settings of outgoing connections are invalid.
    #[error(transparent)]
    Egress(#[from] EgressError),
    /// Two built-in tools have the same name, which is a defect.
    #[error(transparent)]
    Tool(#[from] NameTaken),
}
