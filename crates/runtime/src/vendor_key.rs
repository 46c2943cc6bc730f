//! Idempotency keys as vendors see them.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use sitewright_tool::ToolContext;

/// The key that is sent with a call. Callers choose keys freely, and two may choose the same one, so the hash also covers the site, the
/// session and the tool.
pub fn vendor_key(context: &ToolContext, tool: &str, key: &str) -> String {
    let ToolContext {
        site_id,
        session_id,
        ..
    } = context;
    let whole = json!([site_id, session_id, tool, key]);
    hex::encode(Sha256::digest(whole.to_string()))
}
