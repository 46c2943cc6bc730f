//! OpenAPI documents as tools: operations of 3.0 and 3.1, in JSON or YAML, become definitions for the registry.
//!
//! [`import`] is pure: it takes the texts of a [`Bundle`] and returns tools and findings. Operations are tools when they say so
//! (`x-orchet-tool: true`) or when a person chose them. A document with an error is refused as a whole: half of a cancel pair would be
//! worse than neither.

mod access_token;
mod answer;
mod body;
mod bundle;
mod call;
mod extension;
mod fetch;
mod finding;
mod import;
mod input;
mod operation;
mod pair;
mod parameter;
mod request;
mod review;
mod schema;
mod security;
mod source;
mod yaml;

pub use bundle::{BUNDLE_BYTES_MAX, Bundle, BundleError};
pub use call::{ApiCredentials, OpenApiTool};
pub use fetch::{BundleFetchError, fetch_bundle};
pub use finding::{Finding, FindingLevel, has_errors};
pub use import::{Import, ImportedTool, OperationChoice, OperationSummary, import};
pub use review::weakened_contracts;
pub use security::SecurityScheme;

#[cfg(test)]
mod corpus_tests;
