//! Ids: 60 bits, written as twelve characters to stay short in prompts.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Crockford's base 32, which leaves out letters that are easily mistaken for digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH: usize = 12;

/// The text is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id; ids are {LENGTH} letters and digits and are never made up")]
pub struct BadId(pub String);

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u64);

        impl From<u64> for $name {
            fn from(bits: u64) -> Self {
                Self(bits & ((1 << 60) - 1))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&written(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                read(text).map(Self).ok_or_else(|| BadId(text.to_owned()))
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&written(self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": "^[0-9a-hjkmnp-tv-z]{12}$" })
            }
        }
    )*};
}

ids! {
    /// A node of a document.
    NodeId;
    /// A document with a tree: a page, a template or a component.
    BodyId;
    /// A thing of the shell: a stylesheet, a token, a font, a file, a breakpoint, a collection, a menu.
    ItemId;
    /// An entry of a collection.
    RecordId;
    /// A field of a collection; it stays the same when the field gets another name.
    FieldId;
}

fn written(bits: u64) -> String {
    let character = |at: usize| char::from(ALPHABET[(bits >> (5 * at)) as usize & 31]);
    (0..LENGTH).rev().map(character).collect()
}

fn read(text: &str) -> Option<u64> {
    if text.len() != LENGTH {
        return None;
    }
    text.bytes().try_fold(0, |bits, byte| {
        let digit = ALPHABET.iter().position(|known| *known == byte)?;
        Some(bits << 5 | digit as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::NodeId;

    #[test]
    fn ids_are_written_and_read_as_twelve_characters() {
        for bits in [0, 1, 31, 32, (1 << 60) - 1, 0x0123_4567_89ab_cdef] {
            let id = NodeId::from(bits);
            let text = id.to_string();
            assert_eq!((text.len(), text.parse()), (12, Ok(id)));
        }
        for bad in [
            "",
            "00000000000",
            "0000000000000",
            "00000000000u",
            "00000000000A",
            "ü0000000000",
        ] {
            assert!(bad.parse::<NodeId>().is_err(), "{bad}");
        }
    }
}
