//! Tools whose work is done outside this server.
//!
//! A [`RemoteTool`] is a vendor's HTTP endpoint with the same contract as every other tool. A [`Registration`] describes one; it comes
//! over the API or from the [bootstrap file](read_bootstrap). [`Unsplash`] and [`image_tool`] are our own tools, backed by a provider.
//! [`openapi`] makes tools of the operations of a document.
//! [`GoogleFonts`] fetches the fonts that tools of the site request.
//!
//! All requests go through `egress`. Nothing here retries, asks for approval or checks schemas: that is the pipeline's job. A vendor's
//! words are never trusted, and secrets never appear in an error, a list or a log.

mod bootstrap;
mod exchange;
mod failure;
mod fonts;
mod images;
pub mod openapi;
mod provider;
mod pseudonyms;
mod registration;
mod remote;
mod unsplash;
mod vendor_text;
mod wait;

pub use bootstrap::{BadBootstrap, Bootstrap, RefusedEntry, read_bootstrap};
pub use fonts::{FontError, GoogleFonts};
pub use images::{ImageModel, ImageProviders, image_tool};
pub use provider::ProviderAccess;
pub use pseudonyms::VendorPseudonyms;
pub use registration::{Registration, RegistrationProblem};
pub use remote::{ANSWER_BYTES_MAX, RemoteTool};
pub use unsplash::Unsplash;
