//! Tools that live elsewhere.
//!
//! A [`RemoteTool`] is a vendor's HTTP endpoint behind the same contract as every other tool. A [`Registration`] is how one is
//! introduced: over the API, or by the [bootstrap file](read_bootstrap). [`Unsplash`] and [`image_tool`] are tools of our own
//! whose work is done by a provider. [`GoogleFonts`] gets the fonts that tools of the site ask for.
//!
//! Everything leaves through `egress`. Nothing here retries, asks for approval or checks schemas: that is the pipeline's. What a
//! vendor says is never trusted, and its secrets never appear in an error, a list or a log.

mod bootstrap;
mod failure;
mod fonts;
mod images;
mod provider;
mod reading;
mod registration;
mod remote;
mod unsplash;
mod vendor_text;
mod wait;

pub use bootstrap::{BadBootstrap, Bootstrap, RefusedEntry, read_bootstrap};
pub use fonts::{FontError, GoogleFonts};
pub use images::{ImageModel, ImageProviders, image_tool};
pub use provider::ProviderAccess;
pub use registration::{Registration, RegistrationProblem};
pub use remote::{ANSWER_BYTES_MAX, RemoteTool};
pub use unsplash::Unsplash;
