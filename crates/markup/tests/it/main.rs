//! Nodes, HTML and CSS, from outside.

#[expect(dead_code, reason = "the tests of `site` measure against more parsers")]
mod cost;
mod css;
mod fuzz;
mod html_import;
mod html_policy;
mod html_round_trip;
mod html_tree;
