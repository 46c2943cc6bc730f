//! The site, from outside.

mod cost;
mod css;
mod format;
mod fuzz;
mod hostile;
mod html_import;
mod html_page;
mod html_policy;
mod html_round_trip;
mod html_tree;
mod templates;
