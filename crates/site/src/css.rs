//! CSS as ordered blocks.
