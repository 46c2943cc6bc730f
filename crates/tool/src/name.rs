//! Names of tools and scopes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The name of a tool, compared exactly: `[A-Za-z][A-Za-z0-9._-]{0,127}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Cow<'static, str>);

/// A text that is not a valid name for a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name for a tool: use a letter, then up to 127 letters, digits, `.`, `_` or `-`"
)]
pub struct BadToolName(pub String);

const NAME_PATTERN: &str = "^[A-Za-z][A-Za-z0-9._-]{0,127}$";
const NAME_BYTES_MAX: usize = 128;

impl ToolName {
    /// A name that is a literal in our code.
    ///
    /// # Panics
    /// If the text is not a valid name; at compile time in a `const`.
    pub const fn from_static(text: &'static str) -> Self {
        assert!(is_name(text.as_bytes()), "not a name for a tool");
        Self(Cow::Borrowed(text))
    }

    /// The name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn is_name(bytes: &[u8]) -> bool {
    if bytes.is_empty() || bytes.len() > NAME_BYTES_MAX || !bytes[0].is_ascii_alphabetic() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'.' | b'_' | b'-')) {
            return false;
        }
        at += 1;
    }
    true
}

impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for ToolName {
    type Err = BadToolName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_name(text.as_bytes()) {
            Ok(Self(Cow::Owned(text.to_owned())))
        } else {
            Err(BadToolName(text.to_owned()))
        }
    }
}

impl Serialize for ToolName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ToolName {
    fn schema_name() -> Cow<'static, str> {
        "ToolName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": NAME_PATTERN })
    }
}

/// The part of Sitewright a tool belongs to.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Pages, styles and code of the website.
    Site,
    /// Entries, media and navigation.
    Content,
    /// Data tables.
    Data,
    /// Connected systems.
    Plugin,
    /// Records, their tool requests and workflows.
    Breadcrumbs,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] = [
        Self::Site,
        Self::Content,
        Self::Data,
        Self::Plugin,
        Self::Breadcrumbs,
    ];

    /// The spelling on the wire; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Content => "content",
            Self::Data => "data",
            Self::Plugin => "plugin",
            Self::Breadcrumbs => "breadcrumbs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolName;

    #[test]
    fn names_are_letters_digits_and_three_signs() {
        for good in [
            "a",
            "unsplash.search",
            "insertHtml",
            "breadcrumb-create",
            "set_type_scale",
            &"a".repeat(128),
        ] {
            assert_eq!(
                good.parse::<ToolName>()
                    .map(|name| name.to_string())
                    .as_deref(),
                Ok(good)
            );
        }
        for bad in [
            "",
            "1a",
            ".a",
            "a b",
            "a/b",
            "ünsplash",
            "__proto__",
            "a\n",
            &"a".repeat(129),
        ] {
            assert!(bad.parse::<ToolName>().is_err(), "{bad:?}");
            assert!(
                serde_json::from_value::<ToolName>(bad.into()).is_err(),
                "{bad:?}"
            );
        }
    }
}
