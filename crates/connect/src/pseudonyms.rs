//! What a vendor is told instead of who calls: a name that stays the same for this vendor, and that no other vendor is given.
//!
//! Vendors use `userId` and `sessionId` to tell callers apart, so they need something stable. The ids of people and conversations would
//! let two vendors find out that they serve the same person.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use sitewright_tool::ToolContext;

/// Makes pseudonyms, with a key that only this instance has.
#[derive(Clone)]
pub struct VendorPseudonyms([u8; 32]);

impl VendorPseudonyms {
    /// Pseudonyms under a key. Another key gives other ones.
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The context as this vendor sees it. `None` when the key cannot be used.
    pub(crate) fn hide(&self, vendor: &str, context: &ToolContext) -> Option<ToolContext> {
        let user_id = context.user_id.as_deref();
        let user_id = user_id.map(|id| self.pseudonym("user", vendor, id));
        Some(ToolContext {
            session_id: self.pseudonym("session", vendor, &context.session_id)?,
            user_id: match user_id {
                Some(pseudonym) => Some(pseudonym?),
                None => None,
            },
            ..context.clone()
        })
    }

    fn pseudonym(&self, kind: &str, vendor: &str, id: &str) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        // With their lengths, so that no two different inputs give the same bytes.
        for part in [kind, vendor, id] {
            mac.update(format!("{}:{part}", part.len()).as_bytes());
        }
        let name = mac.finalize().into_bytes();
        Some(hex::encode(name.get(..16)?))
    }
}

impl fmt::Debug for VendorPseudonyms {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VendorPseudonyms(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sitewright_tool::ToolContext;

    use super::VendorPseudonyms;

    #[test]
    fn l17_no_two_vendors_are_told_the_same_name() {
        let context = ToolContext {
            site_id: "site".to_owned(),
            session_id: "a".to_owned(),
            user_id: Some("a".to_owned()),
            trace_id: "trace".to_owned(),
            planner_provider: "none".to_owned(),
        };
        let mut names = HashSet::new();
        for (key, vendor) in [(1, "one.example"), (1, "two.example"), (2, "one.example")] {
            let pseudonyms = VendorPseudonyms::new([key; 32]);
            let hidden = pseudonyms.hide(vendor, &context).unwrap();
            assert_eq!(pseudonyms.hide(vendor, &context).as_ref(), Some(&hidden));
            names.extend([hidden.session_id, hidden.user_id.unwrap()]);
        }
        assert_eq!(names.len(), 6, "{names:?}");
    }
}
