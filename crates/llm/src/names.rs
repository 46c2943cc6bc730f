//! Tool names on the wire: `[A-Za-z0-9_-]{1,64}`, and back again by table.
//!
//! `.` becomes `__`, other characters `_`. A name that is too long, or that another tool already has, ends in a hash of the
//! full name, so that the spelling depends on the set of tools and not on their order.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

const CHARS_MAX: usize = 64;
const HASH_CHARS: usize = 8;

/// The spellings of one set of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolNames {
    to_wire: BTreeMap<String, String>,
    from_wire: BTreeMap<String, String>,
}

impl ToolNames {
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let sorted: BTreeSet<&str> = names.into_iter().collect();
        let mut table = Self::default();
        // Names that are spelled as they are come first: they must keep their own spelling.
        let (plain, others): (Vec<&str>, Vec<&str>) =
            sorted.into_iter().partition(|name| spelled(name) == **name);
        for name in plain.into_iter().chain(others) {
            let mut wire = spelled(name);
            if table.from_wire.contains_key(&wire) {
                wire = hashed(&wire, name);
            }
            table.from_wire.insert(wire.clone(), name.to_owned());
            table.to_wire.insert(name.to_owned(), wire);
        }
        table
    }

    /// The spelling of a tool; one that is not in the table (any more) is spelled the same way.
    pub(crate) fn wire(&self, name: &str) -> String {
        let known = self.to_wire.get(name);
        known.map_or_else(|| spelled(name), Clone::clone)
    }

    /// The tool behind a spelling; what nobody has is left as it is, and found to be unknown later.
    pub(crate) fn own(&self, wire: &str) -> String {
        let known = self.from_wire.get(wire);
        known.map_or_else(|| wire.to_owned(), Clone::clone)
    }
}

fn spelled(name: &str) -> String {
    let mut wire = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '.' => wire.push_str("__"),
            c if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') => wire.push(c),
            _ => wire.push('_'),
        }
    }
    if wire.is_empty() || wire.len() > CHARS_MAX {
        return hashed(&wire, name);
    }
    wire
}

fn hashed(wire: &str, name: &str) -> String {
    let digest = Sha256::digest(name.as_bytes());
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let start: String = wire.chars().take(CHARS_MAX - HASH_CHARS - 1).collect();
    format!("{start}_{}", &hash[..HASH_CHARS])
}

#[cfg(test)]
mod tests {
    use super::ToolNames;

    #[test]
    fn k17_names_are_made_safe_and_come_back() {
        let long = "a".repeat(90);
        let names = ["pim.getProduct", "pim__getProduct", "read_document", &long];
        let table = ToolNames::new(names);
        let wires: Vec<String> = names.iter().map(|name| table.wire(name)).collect();
        assert_eq!(wires[1..3], ["pim__getProduct", "read_document"]);
        assert_eq!(wires[0], "pim__getProduct_d4fbb3b8");
        assert_eq!(wires[3].len(), 64);
        for (name, wire) in names.iter().zip(&wires) {
            assert_eq!(table.own(wire), **name);
        }
        let reversed = ToolNames::new(names.into_iter().rev());
        assert_eq!(reversed, table);
    }

    #[test]
    fn a_tool_that_is_gone_still_has_a_spelling() {
        let table = ToolNames::new(["a"]);
        assert_eq!(table.wire("old.tool"), "old__tool");
        assert_eq!(table.own("never_seen"), "never_seen");
    }
}
