//! The site, from outside.

#[path = "../../../markup/tests/it/cost.rs"]
mod cost;
mod format;
mod fuzz;
mod hostile;
mod html_page;
#[path = "../../../markup/tests/it/html_tree.rs"]
mod html_tree;
mod templates;
mod vectors;
