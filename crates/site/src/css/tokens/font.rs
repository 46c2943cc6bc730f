//! Font tokens: a family by role, with what stands in for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lock;

use super::super::text::spell_string;
use super::{Sheet, TokenProblem, check_name, check_value};

/// A font by its role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FontToken {
    /// What people call it.
    pub name: String,
    /// The name of its variable, without dashes.
    pub variable: String,
    /// What stands in while the family is not there, such as `system-ui, sans-serif`.
    pub fallback: String,
    /// The family; without one the fallback is all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

impl FontToken {
    /// The value of its variable.
    pub fn value(&self) -> String {
        match &self.family {
            Some(family) if self.fallback.is_empty() => spell_string(family),
            Some(family) => format!("{}, {}", spell_string(family), self.fallback),
            None => self.fallback.clone(),
        }
    }

    /// The class that sets it.
    pub fn class(&self) -> &str {
        &self.variable
    }

    pub(crate) fn check(&self) -> Result<(), TokenProblem> {
        check_name(&self.variable)?;
        check_value(&self.value())
    }
}

pub(super) fn add(sheet: &mut Sheet, token: &FontToken) {
    if sheet.define(&token.variable, &token.value()) {
        let value = format!("var(--{})", token.variable);
        sheet.utility(token.class(), &["font-family"], &value);
    }
}
