//! Encodes tool names for model providers, which accept `^[a-zA-Z0-9_-]{1,64}$`, and decodes them by table.
//!
//! `.` becomes `__`. If that would be too long or ambiguous, the wire name ends in three underscores and a hash of the name, which
//! no other wire name does. So a wire name depends on its own tool name alone: adding a tool never renames another, and a resumed
//! conversation refers to the same tools as before.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::canonical::push_hex;

const CHARS_MAX: usize = 64;
const HASH_BYTES: usize = 8;
const MARK: &str = "___";

/// The wire names of a set of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WireNames {
    to_wire: BTreeMap<String, String>,
    from_wire: BTreeMap<String, String>,
}

impl WireNames {
    /// The wire names of these tools. Their order does not matter.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let mut table = Self::default();
        for name in names {
            let mut wire = spelled(name);
            let mut again = 0;
            // Only hashes can collide, which is very unlikely; each iteration gives another hash.
            while table.from_wire.contains_key(&wire) {
                again += 1;
                wire = hashed(name, again);
            }
            table.from_wire.insert(wire.clone(), name.to_owned());
            table.to_wire.insert(name.to_owned(), wire);
        }
        table
    }

    /// The wire name of a tool. A tool that is not in the table, such as one that was removed, is encoded by the same rule.
    pub fn wire(&self, name: &str) -> String {
        let known = self.to_wire.get(name);
        known.map_or_else(|| spelled(name), Clone::clone)
    }

    /// The tool with this wire name; `None` if it is not in the table.
    pub fn own(&self, wire: &str) -> Option<&str> {
        self.from_wire.get(wire).map(String::as_str)
    }
}

fn spelled(name: &str) -> String {
    let wire = name.replace('.', "__");
    if wire.len() <= CHARS_MAX && is_reversible(name) {
        wire
    } else {
        hashed(name, 0)
    }
}

/// Whether the dots can be recovered from the underscores: a single underscore is itself, an even run is dots. That holds for every
/// tool name without `__`, `_.` or `._`.
fn is_reversible(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_doubtful = |pair: &[u8]| matches!(pair, b"__" | b"_." | b"._");
    !name.is_empty() && name.bytes().all(is_known) && !name.as_bytes().windows(2).any(is_doubtful)
}

fn hashed(name: &str, again: u32) -> String {
    let start_max = CHARS_MAX - MARK.len() - 2 * HASH_BYTES;
    let safe = name.replace('.', "__");
    let safe = safe.chars().map(|character| {
        let is_safe = character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        if is_safe { character } else { '-' }
    });
    let start: String = safe.take(start_max).collect();
    // So that exactly three underscores precede the hash.
    let mut wire = start.trim_end_matches('_').to_owned();
    wire.push_str(MARK);
    let hash = Sha256::new()
        .chain_update(name)
        .chain_update(again.to_be_bytes());
    for byte in hash.finalize().into_iter().take(HASH_BYTES) {
        push_hex(byte, &mut wire);
    }
    wire
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{
        Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
    };

    use super::WireNames;

    #[test]
    fn dots_become_two_underscores_and_come_back() {
        let names = ["pim.getProduct", "read_document", "a.b-c.d_e", "x..y"];
        let table = WireNames::new(names);
        let wires = names.map(|name| table.wire(name));
        assert_eq!(
            wires,
            ["pim__getProduct", "read_document", "a__b-c__d_e", "x____y"]
        );
        assert_eq!(
            names.map(|name| table.own(&table.wire(name)).unwrap().to_owned()),
            names
        );
    }

    #[test]
    fn names_that_would_meet_are_told_apart() {
        let names = [
            "pim.get", "pim__get", "a_.b", "a._b", "a___b", "a.-b", "a_-b",
        ];
        let table = WireNames::new(names);
        let wires: BTreeSet<String> = names.iter().map(|name| table.wire(name)).collect();
        assert_eq!(wires.len(), names.len());
        assert_eq!(table.wire("pim.get"), "pim__get");
        assert_eq!(table.own("pim__get"), Some("pim.get"));
        assert_eq!(table.wire("pim__get").split("___").next(), Some("pim__get"));
    }

    #[test]
    fn a_tool_that_is_gone_still_has_a_spelling() {
        let table = WireNames::new(["a"]);
        assert_eq!(table.wire("old.tool"), "old__tool");
        assert_eq!(table.own("never_seen"), None);
    }

    fn is_wire(wire: &str) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (1..=64).contains(&wire.len()) && wire.bytes().all(fits)
    }

    /// Names that are likely to collide: few letters, many signs, long ones with equal prefixes, and wire names of other names.
    fn names() -> impl Strategy<Value = BTreeSet<String>> {
        let name = prop_oneof![
            4 => "[ab][ab._-]{0,6}",
            2 => "a{50,60}[ab._-]{0,20}",
            1 => "[A-Za-z][A-Za-z0-9._-]{0,127}",
            1 => any::<String>(),
        ];
        prop::collection::btree_set(name, 1..40).prop_map(|names| {
            let spelled = names.iter().map(|name| WireNames::default().wire(name));
            let spelled: Vec<String> = spelled.collect();
            names.into_iter().chain(spelled).collect()
        })
    }

    proptest! {
        #[test]
        fn every_set_of_names_is_spelled_safely_and_comes_back(names in names()) {
            let table = WireNames::new(names.iter().map(String::as_str));
            let wires: BTreeSet<String> = names.iter().map(|name| table.wire(name)).collect();
            prop_assert_eq!(wires.len(), names.len());
            for name in &names {
                let wire = table.wire(name);
                prop_assert!(is_wire(&wire), "{:?}", wire);
                prop_assert_eq!(table.own(&wire), Some(name.as_str()));
                // A wire name depends neither on the order nor on the other tools.
                prop_assert_eq!(WireNames::new([name.as_str()]).wire(name), wire);
            }
            let turned = WireNames::new(names.iter().rev().map(String::as_str));
            prop_assert_eq!(turned, table);
        }
    }
}
