//! The site, from outside.

mod css;
