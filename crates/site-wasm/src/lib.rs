//! The site core in the browser.
//!
//! Translates and nothing else: arguments and results are JSON strings, which cross the boundary in half the time of objects,
//! and whatever deserves a unit test lives in a crate below.

use wasm_bindgen::prelude::wasm_bindgen;

/// Which core this is, so that the shell can tell a stale one: `{"version":"…"}`.
#[wasm_bindgen(js_name = coreVersion)]
#[must_use]
pub fn core_version() -> String {
    concat!(r#"{"version":""#, env!("CARGO_PKG_VERSION"), r#""}"#).to_owned()
}
