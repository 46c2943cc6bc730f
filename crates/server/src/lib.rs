//! Sitewright's HTTP server: settings, sign-in, capabilities, the routes, and the embedded shell.
//!
//! Route functions translate between HTTP and the crates below; they contain no SQL and no rules beyond access checks. Every route
//! declares who may use it, and the router, the OpenAPI document and the tests are derived from that table.

mod app;
mod body;
mod built_in_tools;
mod caller;
mod common_passwords;
mod connection;
mod connections;
mod example;
mod folder;
mod key_rotation;
mod meters;
mod openapi_sources;
mod origin;
mod passkeys;
mod password;
mod presence;
mod problem;
mod public;
mod rate_limit;
mod readiness;
mod refusals;
mod retention;
mod route;
mod router;
mod routes;
mod second_factor;
mod serve;
mod settings;
mod shell;
mod sign_in;
mod start_error;
mod step_up;
mod ticket;
mod tool_sources;

pub use app::App;
pub use folder::{Folder, FolderError, FolderLock};
pub use key_rotation::rotate_secret_key;
pub use origin::Peer;
pub use router::router;
pub use serve::{ServeError, Server};
pub use settings::{
    BadSetting, FirstSite, Layers, LogFormat, Settings, WebSearchProvider, settings_document,
};
pub use start_error::StartError;
