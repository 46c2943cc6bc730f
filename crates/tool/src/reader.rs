//! Deserializes types from JSON values.
//!
//! Serde's code for a type is compiled once for each deserializer, and the browser has to download every copy. So the site reads
//! its types from values, with this one deserializer. It leaves out forms that our JSON never has: no struct is written as a list,
//! and no name as a number or as bytes. Errors carry the path to the value that did not match.

mod tagged;

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::{Value, map};

pub use tagged::{Tagged, read_tagged};

/// Deserializes a type from a value.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Misread> {
    T::deserialize(Reader(value))
}

/// A value that did not match its type. Boxed, because every function that reads anything returns it, and the error type must be
/// small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread(Box<Unfit>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Unfit {
    reason: String,
    /// The path to the value, innermost step first.
    steps: Vec<String>,
}

impl Misread {
    /// What is wrong.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// The JSON pointer to the value; empty for the whole.
    pub fn pointer(&self) -> String {
        let escaped = |step: &String| format!("/{}", step.replace('~', "~0").replace('/', "~1"));
        self.0.steps.iter().rev().map(escaped).collect()
    }

    #[cold]
    fn new(reason: String) -> Self {
        Self(Box::new(Unfit {
            reason,
            steps: Vec::new(),
        }))
    }

    /// Adds the step that leads to the value from the one around it.
    #[cold]
    fn below(mut self, step: Option<String>) -> Self {
        self.0.steps.extend(step);
        self
    }

    #[cold]
    fn unfit(value: &Value, expected: &dyn Expected) -> Self {
        let found = match value {
            Value::Null => Unexpected::Other("null"),
            Value::Bool(is) => Unexpected::Bool(*is),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Self::invalid_type(found, expected)
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.steps.is_empty() {
            write!(formatter, "`{}`: ", self.pointer())?;
        }
        formatter.write_str(&self.0.reason)
    }
}

impl std::error::Error for Misread {}

impl Error for Misread {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(reason.to_string())
    }
}

/// The deserializer of a value.
#[derive(Clone, Copy)]
struct Reader<'de>(&'de Value);

macro_rules! numbers {
    ($($name:ident)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
            let Value::Number(number) = self.0 else {
                return Err(Misread::unfit(self.0, &visitor));
            };
            match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            }
        }
    )*};
}

macro_rules! texts {
    ($($name:ident)*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
            match self.0 {
                Value::String(text) => visitor.visit_str(text),
                other => Err(Misread::unfit(other, &visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Misread;

    numbers!(
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    );
    texts!(deserialize_char deserialize_str deserialize_string deserialize_identifier);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(*is),
            Value::Number(_) => self.deserialize_f64(visitor),
            Value::String(text) => visitor.visit_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Bool(is) => visitor.visit_bool(*is),
            other => Err(Misread::unfit(other, &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            other => Err(Misread::unfit(other, &visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Value::Array(values) = self.0 else {
            return Err(Misread::unfit(self.0, &visitor));
        };
        let mut list = List { values, taken: 0 };
        let read = visitor.visit_seq(&mut list);
        read.and_then(|read| list.end().map(|()| read))
            .map_err(|misread| list.misread(misread))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.0 {
            Value::Object(fields) => {
                let mut fields = Fields {
                    rest: fields.iter(),
                    name: None,
                    value: &Value::Null,
                };
                let read = visitor.visit_map(&mut fields);
                read.map_err(|misread| misread.below(fields.name.cloned()))
            }
            other => Err(Misread::unfit(other, &visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                content: &Value::Null,
            }),
            Value::Object(fields) if let Some((name, content)) = only(fields) => {
                let read = visitor.visit_enum(Variant { name, content });
                read.map_err(|misread| misread.below(Some(name.clone())))
            }
            other => Err(Misread::unfit(other, &"a name, or an object of one field")),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        Err(Misread::unfit(self.0, &visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        Err(Misread::unfit(self.0, &visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_unit()
    }
}

/// Reads the values of a list in order.
struct List<'de> {
    values: &'de [Value],
    taken: usize,
}

impl List<'_> {
    fn end(&self) -> Result<(), Misread> {
        match self.values.len() - self.taken {
            0 => Ok(()),
            more => Err(Misread::new(format!("there are {more} values too many"))),
        }
    }

    #[cold]
    fn misread(&self, misread: Misread) -> Misread {
        let is_in_it = self.taken < self.values.len();
        misread.below(is_in_it.then(|| self.taken.to_string()))
    }
}

impl<'de> SeqAccess<'de> for &mut List<'de> {
    type Error = Misread;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misread> {
        let Some(value) = self.values.get(self.taken) else {
            return Ok(None);
        };
        let read = seed.deserialize(Reader(value))?;
        self.taken += 1;
        Ok(Some(read))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len() - self.taken)
    }
}

/// Reads the fields of an object in order.
struct Fields<'de> {
    rest: map::Iter<'de>,
    /// The field that is being read.
    name: Option<&'de String>,
    value: &'de Value,
}

impl<'de> MapAccess<'de> for &mut Fields<'de> {
    type Error = Misread;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misread> {
        let Some((name, value)) = self.rest.next() else {
            self.name = None;
            return Ok(None);
        };
        (self.name, self.value) = (Some(name), value);
        seed.deserialize(Name(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misread> {
        seed.deserialize(Reader(self.value))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The name of a field or of a variant.
#[derive(Clone, Copy)]
struct Name<'de>(&'de str);

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Misread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        visitor.visit_enum(Variant {
            name: self.0,
            content: &Value::Null,
        })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

fn only(fields: &map::Map<String, Value>) -> Option<(&String, &Value)> {
    fields.iter().next().filter(|_| fields.len() == 1)
}

/// A variant of an enum, with its content.
struct Variant<'de> {
    name: &'de str,
    content: &'de Value,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Misread;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Misread> {
        Ok((seed.deserialize(Name(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Misread;

    fn unit_variant(self) -> Result<(), Misread> {
        match self.content {
            Value::Null => Ok(()),
            Value::Object(fields) => match fields.keys().next() {
                None => Ok(()),
                Some(name) => Err(Misread::unknown_field(name, &[])),
            },
            other => Err(Misread::unfit(other, &"nothing")),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Misread> {
        seed.deserialize(Reader(self.content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misread> {
        Reader(self.content).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        Reader(self.content).deserialize_map(visitor)
    }
}

#[cfg(test)]
mod tests;
