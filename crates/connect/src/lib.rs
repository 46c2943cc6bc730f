//! Tools whose work is done outside this server.
//!
//! A [`RemoteTool`] is a vendor's HTTP endpoint with the same contract as every other tool. A [`Registration`] describes one; it comes
//! over the API or from the [bootstrap file](read_bootstrap). [`Unsplash`] and [`image_tool`] are our own tools, backed by a provider.
//! [`Embedder`] tells what texts mean, for searches.
//! [`ImageLibrary`], [`PhotoProviders`] and [`WebAccess`] are the content tools for pictures, photographs and the web. [`openapi`] makes
//! tools of the operations of a document. [`browser_tool`] drives a Chromium.
//! [`GoogleFonts`] fetches the fonts that tools of the site request.
//!
//! All requests go through `egress`. Nothing here retries, asks for approval or checks schemas: that is the pipeline's job. A vendor's
//! words are never trusted, and secrets never appear in an error, a list or a log.

mod bootstrap;
mod browser;
mod download;
mod embedder;
mod exchange;
mod failure;
mod fonts;
mod guidance;
mod images;
mod library;
pub mod openapi;
mod photos;
mod provider;
mod pseudonyms;
mod registration;
mod remote;
mod unsplash;
mod vendor_text;
mod wait;
mod web;

pub use bootstrap::{BadBootstrap, Bootstrap, RefusedEntry, read_bootstrap};
pub use browser::browser_tool;
pub use embedder::{EmbedError, Embedder};
pub use fonts::{FontError, GoogleFonts};
pub use guidance::Guidance;
pub use images::{ImageModel, ImageProviders, image_tool};
pub use library::ImageLibrary;
pub use photos::PhotoProviders;
pub use provider::ProviderAccess;
pub use pseudonyms::VendorPseudonyms;
pub use registration::{Registration, RegistrationProblem};
pub use remote::{ANSWER_BYTES_MAX, RemoteTool};
pub use unsplash::Unsplash;
pub use web::{WebAccess, WebSearchKind};
