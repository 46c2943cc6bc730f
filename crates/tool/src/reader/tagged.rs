//! Internally tagged enums: a field beside the others names the variant.
//!
//! Serde would buffer such an enum in a representation of its own until it has found the tag, and compile every type within it
//! for that representation too. Here it is buffered as a JSON value and read like everything else.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{Misread, Variant};

/// Reads an enum from a source in which the field `tag` names the variant; `read` is serde's code for the same enum, externally
/// tagged.
pub fn read_tagged<'de, D: Deserializer<'de>, T>(
    tag: &'static str,
    source: D,
    read: fn(Tagged<'_>) -> Result<T, Misread>,
) -> Result<T, D::Error> {
    let names = Cell::default();
    // Only the enum knows the names of its variants, and passes them to any deserializer, so this first read, which always fails,
    // collects them. They are needed while the tag is read, because only the source can add the position to an error.
    drop(read(Tagged {
        variant: None,
        names: &names,
    }));
    let (name, fields) = source.deserialize_map(Gathering {
        tag,
        names: names.get(),
    })?;
    let content = &Value::Object(fields);
    let variant = Some(Variant { name, content });
    read(Tagged {
        variant,
        names: &names,
    })
    .map_err(D::Error::custom)
}

/// A deserializer for an enum and nothing else.
pub struct Tagged<'de> {
    variant: Option<Variant<'de>>,
    names: &'de Cell<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for Tagged<'de> {
    type Error = Misread;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.names.set(names);
        match self.variant {
            Some(variant) => visitor.visit_enum(variant),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Misread> {
        Err(Misread::new(String::new()))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Separates the tag from the other fields.
struct Gathering {
    tag: &'static str,
    names: &'static [&'static str],
}

impl<'de> Visitor<'de> for Gathering {
    type Value = (&'static str, Map<String, Value>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object with `{}`", self.tag)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        let mut name = None;
        while let Some(field) = source.next_key::<String>()? {
            if field != self.tag {
                fields.insert(field, source.next_value()?);
            } else if name
                .replace(source.next_value_seed(OneOf(self.names))?)
                .is_some()
            {
                return Err(A::Error::duplicate_field(self.tag));
            }
        }
        Ok((
            name.ok_or_else(|| A::Error::missing_field(self.tag))?,
            fields,
        ))
    }
}

/// Reads one of these names.
struct OneOf(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<&'static str, D::Error> {
        source.deserialize_str(self)
    }
}

impl Visitor<'_> for OneOf {
    type Value = &'static str;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<&'static str, E> {
        let known = self.0.iter().find(|name| **name == text);
        known
            .copied()
            .ok_or_else(|| E::unknown_variant(text, self.0))
    }
}
