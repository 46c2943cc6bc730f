//! Pictures: detecting their format, decoding them safely, and producing sizes for every screen.
//!
//! The format is determined by the bytes, never by the name or the sender. A picture is decoded before it is stored, within limits that
//! a hostile file cannot exceed. What is served is generated here: upright, and without the metadata that cameras write, such as
//! locations. The original is stored unchanged and never served.
//!
//! This crate has no HTTP and no tools. Decoding runs on blocking threads, a few pictures at a time.

mod format;
mod library;
mod picture;

pub use format::{Format, NotAPicture};
pub use library::{Asset, BYTES_MAX, Library, MediaError, NewPicture};
pub use picture::{BadPicture, PIXELS_MAX, PreparedPicture, RenderedSize, SIDE_MAX, prepare};
