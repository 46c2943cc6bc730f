//! A version of a site into static files, and serving them from memory.
//!
//! Files are named by their content and never change; a release is a map from route to file. This crate knows no routes of the
//! administration and writes no SQL.
