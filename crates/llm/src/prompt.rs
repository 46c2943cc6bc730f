//! The system prompt: a static part that providers can cache, and a part that describes this turn.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::request::ToolSpec;

/// Separates the part of a system prompt that providers may cache from the part that changes with every turn.
pub const SYSTEM_PROMPT_DYNAMIC_BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// A system prompt: static prefix, boundary, dynamic suffix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemPrompt {
    static_prefix: String,
    dynamic_suffix: String,
}

impl SystemPrompt {
    /// Creates a prompt from a static part, which is the same in every request, and a part for this turn.
    pub fn new(static_prefix: impl Into<String>, dynamic_suffix: impl Into<String>) -> Self {
        Self {
            static_prefix: static_prefix.into(),
            dynamic_suffix: dynamic_suffix.into(),
        }
    }

    /// Returns the static prefix, the boundary and the dynamic suffix.
    pub fn parts(&self) -> [&str; 3] {
        [
            &self.static_prefix,
            SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
            &self.dynamic_suffix,
        ]
    }

    /// The parts as one text, for formats without cache markers.
    pub(crate) fn joined(&self) -> String {
        let [prefix, boundary, suffix] = self.parts();
        match (prefix.is_empty(), suffix.is_empty()) {
            (false, false) => format!("{prefix}\n\n{boundary}\n\n{suffix}"),
            (false, true) => prefix.to_owned(),
            (true, _) => suffix.to_owned(),
        }
    }
}

/// A key that is the same for every turn of a scope with the same tools, whatever their order, so that the provider routes their
/// requests to the same cache.
pub fn prompt_cache_key(scope: &str, tools: &[ToolSpec]) -> String {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    part(scope);
    let mut sorted: Vec<&ToolSpec> = tools.iter().collect();
    sorted.sort_by(|one, other| one.name.cmp(&other.name));
    for tool in sorted {
        part(&tool.name);
        part(&tool.description);
        part(&Value::to_string(&tool.input_schema));
    }
    let digest = hash.finalize();
    let hex: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sw-{scope}-{hex}").chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::{SYSTEM_PROMPT_DYNAMIC_BOUNDARY, SystemPrompt, prompt_cache_key};
    use crate::request::ToolSpec;
    use serde_json::json;

    fn tool(name: &str) -> ToolSpec {
        ToolSpec {
            name: name.to_owned(),
            description: "d".to_owned(),
            input_schema: json!({}),
            heavy: false,
            pictures: None,
        }
    }

    #[test]
    fn the_prompt_has_three_parts_and_one_joined_form() {
        let prompt = SystemPrompt::new("rules", "today");
        assert_eq!(
            prompt.parts(),
            ["rules", SYSTEM_PROMPT_DYNAMIC_BOUNDARY, "today"]
        );
        assert_eq!(
            prompt.joined(),
            "rules\n\n__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__\n\ntoday"
        );
        assert_eq!(SystemPrompt::new("rules", "").joined(), "rules");
    }

    #[test]
    fn the_cache_key_follows_scope_and_tools_and_not_their_order() {
        let key = prompt_cache_key("site", &[tool("a"), tool("b")]);
        assert_eq!(key, prompt_cache_key("site", &[tool("b"), tool("a")]));
        assert_ne!(key, prompt_cache_key("content", &[tool("a"), tool("b")]));
        assert_ne!(key, prompt_cache_key("site", &[tool("a")]));
        assert_eq!(key.len(), "sw-site-".len() + 32);
    }
}
