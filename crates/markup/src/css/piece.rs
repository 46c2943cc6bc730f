//! The pieces of a stylesheet, as they are stored and sent.

use std::borrow::Cow;

use cssparser::{Parser, Token};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lock;

/// One piece of a stylesheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Piece {
    /// A rule that can be edited.
    Block(Block),
    /// Text that is kept as it is.
    Raw(Raw),
}

/// A style rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Block {
    /// The at-rules around it, outermost first, such as `@media (min-width: 600px)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrappers: Vec<String>,
    /// Its selector list, such as `.hero a:hover`.
    pub selector: String,
    /// Its declarations in order, duplicates included.
    pub declarations: Vec<Declaration>,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Origin::is_author")]
    pub origin: Origin,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Declaration {
    /// Its property as it was written; custom properties are case-sensitive.
    pub property: String,
    /// Its value as it was written, without `!important`.
    pub value: String,
    /// Whether it is marked `!important`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub important: bool,
}

/// CSS that is not wrappers, one selector and declarations: `@keyframes`, `@font-face`, nesting, anonymous layers, at-rules
/// that nobody knows yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Raw {
    /// The at-rules around it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrappers: Vec<String>,
    /// One whole rule or statement.
    pub text: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Origin::is_author")]
    pub origin: Origin,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

/// Where a piece came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub enum Origin {
    /// A person or an agent wrote it here.
    #[default]
    Author,
    /// It was imported.
    Import {
        /// The file or address it stood in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
    /// It is generated from the site's tokens, and only from them.
    Framework,
}

impl Origin {
    fn is_author(&self) -> bool {
        *self == Self::Author
    }
}

impl Piece {
    /// What agents may do to it.
    pub fn lock(&self) -> Lock {
        match self {
            Self::Block(block) => block.lock,
            Self::Raw(raw) => raw.lock,
        }
    }

    /// The same piece without its lock.
    pub fn unlocked(mut self) -> Self {
        match &mut self {
            Self::Block(block) => block.lock = Lock::Open,
            Self::Raw(raw) => raw.lock = Lock::Open,
        }
        self
    }

    /// The at-rules around it, outermost first.
    pub fn wrappers(&self) -> &[String] {
        match self {
            Self::Block(block) => &block.wrappers,
            Self::Raw(raw) => &raw.wrappers,
        }
    }

    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Block(block) => &block.origin,
            Self::Raw(raw) => &raw.origin,
        }
    }
}

impl Raw {
    /// The name of the at-rule in lower case, such as `font-face`; `None` for a style rule.
    pub fn at_rule(&self) -> Option<String> {
        match Parser::new(&self.text).next() {
            Ok(Token::AtKeyword(name)) => Some(name.to_ascii_lowercase()),
            _ => None,
        }
    }
}

/// The form in which property names are compared: only custom properties are case-sensitive.
pub(super) fn property_key(property: &str) -> Cow<'_, str> {
    if property.starts_with("--") || !property.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Borrowed(property)
    } else {
        Cow::Owned(property.to_ascii_lowercase())
    }
}
