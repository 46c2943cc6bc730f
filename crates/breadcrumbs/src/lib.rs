//! Breadcrumbs: versioned JSON records of a site, and the tool requests that they make.
//!
//! A record `agent.response.v1` names tools and inputs; the runner calls them all at once through the pipeline and writes exactly one
//! `tool.response.v1` for each. The crate writes no SQL, knows no routes, and decides nothing about permissions: the pipeline does.

mod breadcrumbs;
mod caller;
mod config;
mod error;
mod record;
mod round;
mod runner;
mod schema;
mod selector;
mod tools;

pub use breadcrumbs::{BreadcrumbParts, Breadcrumbs, RecordQuery};
pub use caller::BreadcrumbCaller;
pub use error::{BreadcrumbError, FieldProblem};
pub use record::{NewRecord, PostedRecord, RecordPatch, RecordView};
pub use selector::{BadSelector, Selector};
pub use tools::breadcrumb_tools;
