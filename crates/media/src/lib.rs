//! Pictures: what they are by their bytes, safe decoding, and sizes for every screen.
//!
//! A picture is what its bytes say, never what its name or sender says. It is decoded before it is kept, within limits that a
//! hostile file cannot pass. What is served is made here: upright, and without the metadata that cameras write, places included.
//! The original is kept as it came and never served.
//!
//! It knows no HTTP and no tools. Decoding happens off the async threads, a few pictures at a time.

mod format;
mod library;
mod picture;

pub use format::{Format, NotAPicture};
pub use library::{Asset, BYTES_MAX, Library, MediaError, NewPicture};
pub use picture::{BadPicture, PIXELS_MAX, PreparedPicture, RenderedSize, SIDE_MAX, prepare};
