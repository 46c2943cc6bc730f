//! Ids of changes, and the ids that a change generates.
//!
//! An id is the hash of the change's id and a counter: the browser and the server generate the same ids for the same change, so
//! making a change twice creates nothing new.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sitewright_markup::ItemId;

/// A change, as its maker names it.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct ChangeId(String);

impl ChangeId {
    /// The id of the change that a call of a turn makes; the same on every machine that runs the call.
    pub fn of_call(turn: &str, call: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update((turn.len() as u64).to_le_bytes());
        hash.update(turn);
        hash.update(call);
        let digest = hash.finalize();
        let mut bits = [0; 8];
        let mut text = String::new();
        for half in [0, 8] {
            bits.copy_from_slice(&digest[half..half + 8]);
            // Formatted as two ids in a row.
            text.push_str(&ItemId::from(u64::from_le_bytes(bits)).to_string());
        }
        Self(text)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ChangeId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Generates the ids of one change, deterministically.
#[derive(Debug, Clone)]
pub struct Mint {
    change: ChangeId,
    made: u32,
}

impl Mint {
    /// The generator of a change's ids.
    pub fn new(change: ChangeId) -> Self {
        Self { change, made: 0 }
    }

    /// The change whose ids it generates.
    pub(crate) fn change(&self) -> &ChangeId {
        &self.change
    }

    /// The next id.
    pub fn mint<I: From<u64>>(&mut self) -> I {
        let mut hash = Sha256::new();
        hash.update(self.change.as_str());
        hash.update(self.made.to_le_bytes());
        self.made += 1;
        let digest = hash.finalize();
        let mut bits = [0; 8];
        bits.copy_from_slice(&digest[..8]);
        I::from(u64::from_le_bytes(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::{ChangeId, Mint};
    use crate::NodeId;

    #[test]
    fn the_same_call_makes_the_same_ids_everywhere() {
        let ids = |turn, call| {
            let mut mint = Mint::new(ChangeId::of_call(turn, call));
            [mint.mint::<NodeId>(), mint.mint::<NodeId>()]
        };
        assert_eq!(ids("turn-1", "call-1"), ids("turn-1", "call-1"));
        assert_ne!(ids("turn-1", "call-1"), ids("turn-1", "call-2"));
        assert_ne!(ids("turn-1", "1call"), ids("turn-11", "call"));
        let [first, second] = ids("turn-1", "call-1");
        assert_ne!(first, second);
        assert_eq!(
            ChangeId::of_call("turn-1", "call-1").as_str(),
            "938zpvq6zxxp75mshdtta0y9"
        );
    }
}
