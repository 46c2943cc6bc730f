//! HTML in and out.
