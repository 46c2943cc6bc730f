//! What a model can do and which requests it refuses, by its name.
//!
//! Providers state much of this in their model lists, from which [`Capabilities::with`] takes it. The table covers what no list states,
//! and the time before a list is fetched. A model without a row of its own gets the row of its family.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::models::ModelInfo;
use crate::price::pricing_key;

/// What a model can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// It can look at pictures.
    pub vision_input: bool,
    /// Input and output together, in tokens, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The most it writes in one answer.
    pub max_output_tokens: u32,
    /// Its place among the models of its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// What requests must look like.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) rules: Rules,
}

/// A model's place among those of its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The one to start with.
    Smartest,
    /// Good and cheaper.
    Balanced,
    /// For small work.
    Fastest,
}

/// Which requests a model accepts; sending one that it does not is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// `temperature` and similar parameters.
    pub(crate) sampling: Sampling,
    pub(crate) thinking: Thinking,
    /// Whether it accepts a tool choice of `any` or of one tool.
    pub(crate) forced_tool_choice: bool,
    /// Whether it has a level of effort between `high` and `max`.
    pub(crate) effort_xhigh: bool,
    /// Whether its reasoning is only valid after an unchanged prefix of the conversation.
    pub(crate) reasoning_bound_to_prefix: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampling {
    Accepted,
    /// Accepted only while it does not reason.
    WithoutReasoning,
    Refused,
}

/// How thinking is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// By a token budget; off unless requested.
    Budget,
    /// By effort; off unless requested.
    OnRequest,
    /// By effort; on unless switched off.
    ByDefault,
    /// By effort; it cannot be switched off.
    Always,
    /// The model does not think.
    None,
}

impl Default for Rules {
    fn default() -> Self {
        // The strictest rules: older models also accept requests without what the newest ones refuse.
        CLAUDE_NEWEST
    }
}

const CLAUDE_4_5: Rules = Rules {
    sampling: Sampling::Accepted,
    thinking: Thinking::Budget,
    forced_tool_choice: true,
    effort_xhigh: false,
    reasoning_bound_to_prefix: false,
};
const CLAUDE_4_6: Rules = Rules {
    thinking: Thinking::OnRequest,
    ..CLAUDE_4_5
};
const CLAUDE_4_7: Rules = Rules {
    sampling: Sampling::Refused,
    effort_xhigh: true,
    ..CLAUDE_4_6
};
const CLAUDE_5: Rules = Rules {
    thinking: Thinking::ByDefault,
    ..CLAUDE_4_7
};
const FABLE_5: Rules = Rules {
    thinking: Thinking::Always,
    ..CLAUDE_5
};
const HAIKU_5_5: Rules = Rules {
    reasoning_bound_to_prefix: true,
    ..CLAUDE_5
};
const CLAUDE_NEWEST: Rules = Rules {
    thinking: Thinking::Always,
    forced_tool_choice: false,
    ..HAIKU_5_5
};
const GPT_REASONING: Rules = Rules {
    sampling: Sampling::WithoutReasoning,
    thinking: Thinking::ByDefault,
    forced_tool_choice: true,
    effort_xhigh: true,
    reasoning_bound_to_prefix: false,
};
const GPT_ALWAYS: Rules = Rules {
    sampling: Sampling::Refused,
    thinking: Thinking::Always,
    ..GPT_REASONING
};
const PLAIN: Rules = Rules {
    sampling: Sampling::Accepted,
    thinking: Thinking::None,
    forced_tool_choice: true,
    effort_xhigh: false,
    reasoning_bound_to_prefix: false,
};
/// Models on compatible servers, about which only the server knows more.
const OPEN: Rules = Rules {
    thinking: Thinking::ByDefault,
    ..PLAIN
};

/// A prefix of a pricing key, the context window and the output limit in thousands of tokens (0: unknown), the tier, the rules.
type Row = (&'static str, u64, u32, Option<Tier>, Rules);

const M: u64 = 1000;
/// The known models, all of which can see. The longest matching prefix decides, so the order does not matter.
const KNOWN: &[Row] = &[
    ("claude", M, 128, None, CLAUDE_5),
    ("claude-haiku-4-5", 200, 64, None, CLAUDE_4_5),
    ("claude-sonnet-4-5", 200, 64, None, CLAUDE_4_5),
    ("claude-opus-4-5", 200, 64, None, CLAUDE_4_5),
    ("claude-sonnet-4-6", M, 128, None, CLAUDE_4_6),
    ("claude-opus-4-6", M, 128, None, CLAUDE_4_6),
    ("claude-opus-4-7", M, 128, None, CLAUDE_4_7),
    ("claude-opus-4-8", M, 128, None, CLAUDE_4_7),
    ("claude-sonnet-5", M, 128, None, CLAUDE_4_7),
    ("claude-opus-5", M, 128, None, CLAUDE_5),
    ("claude-fable-5", M, 128, None, FABLE_5),
    ("claude-mythos-5", M, 128, None, FABLE_5),
    ("claude-fable-5-1", M, 128, None, CLAUDE_NEWEST),
    ("claude-fable-5-2", 0, 128, None, CLAUDE_NEWEST),
    ("claude-mythos-5-2", 0, 128, None, CLAUDE_NEWEST),
    (
        "claude-opus-5-5",
        M,
        128,
        Some(Tier::Smartest),
        CLAUDE_NEWEST,
    ),
    (
        "claude-sonnet-5-5",
        M,
        128,
        Some(Tier::Balanced),
        CLAUDE_NEWEST,
    ),
    ("claude-haiku-5-5", M, 128, Some(Tier::Fastest), HAIKU_5_5),
    ("gpt", 0, 128, None, GPT_ALWAYS),
    ("gpt-6-astra", 1050, 128, Some(Tier::Smartest), GPT_ALWAYS),
    ("gpt-6-sol", 1050, 128, Some(Tier::Balanced), GPT_REASONING),
    ("gpt-6-luna", 1050, 128, Some(Tier::Fastest), GPT_REASONING),
    ("gpt-6-1-sol", 0, 128, None, GPT_ALWAYS),
    ("gpt-6-1-terra", 0, 128, None, GPT_REASONING),
    ("gpt-5-6", 1050, 128, None, GPT_REASONING),
    ("gpt-5-5", 1050, 128, None, GPT_REASONING),
    ("gpt-5-4", 1050, 128, None, GPT_REASONING),
    ("gpt-5-4-mini", 400, 128, None, GPT_REASONING),
    ("gpt-5-3-codex", 400, 128, None, GPT_REASONING),
    ("gpt-5-2", 0, 128, None, GPT_REASONING),
    ("gpt-5-1", 0, 128, None, GPT_REASONING),
    ("gpt-4-1", M, 32, None, PLAIN),
    ("gpt-4o", 128, 16, None, PLAIN),
    ("gemma4", 0, 32, None, OPEN),
    ("qwen3-5", 0, 32, None, OPEN),
    ("qwen3-vl", 0, 32, None, OPEN),
    ("kimi-k3", 0, 32, None, OPEN),
    ("gemini", 0, 64, None, OPEN),
    ("grok-4", 0, 32, None, OPEN),
];

/// Models that match a known prefix, but belong to another family and cannot see.
const BLIND: &[&str] = &["gpt-oss"];

impl Capabilities {
    /// Looks up a model in the table.
    pub fn of(model: &str) -> Self {
        let key = pricing_key(model);
        let fits = |start: &str| {
            let rest = key.strip_prefix(start);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':']))
        };
        let row = KNOWN
            .iter()
            .filter(|(start, ..)| fits(start) && !BLIND.iter().any(|blind| fits(blind)))
            .max_by_key(|(start, ..)| start.len());
        let Some((start, window, output, tier, rules)) = row else {
            return Self {
                vision_input: false,
                context_window: None,
                max_output_tokens: 8_000,
                tier: None,
                rules: OPEN,
            };
        };
        Self {
            vision_input: true,
            context_window: (*window > 0).then_some(window * 1000),
            max_output_tokens: output * 1000,
            // A tier belongs to the model itself, not to others with the same prefix.
            tier: tier.filter(|_| *start == key),
            rules: *rules,
        }
    }

    /// Overrides the table with what the provider's list says about the model, because the list is newer.
    #[must_use]
    pub fn with(mut self, live: &ModelInfo) -> Self {
        if let Some(vision) = live.vision_input {
            self.vision_input = vision;
        }
        self.context_window = live.context_window.or(self.context_window);
        if let Some(most) = live.max_output_tokens {
            self.max_output_tokens = most;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Capabilities, Sampling, Thinking, Tier};

    #[test]
    fn the_longest_start_decides() {
        let rules = |model| Capabilities::of(model).rules;
        assert!(!rules("claude-opus-5-5").forced_tool_choice);
        assert!(rules("claude-opus-5").forced_tool_choice);
        assert_eq!(
            rules("claude-haiku-4-5-20251001").thinking,
            Thinking::Budget
        );
        assert_eq!(
            rules("anthropic/claude-opus-4.6").sampling,
            Sampling::Accepted
        );
        assert_eq!(rules("claude-next-9").thinking, Thinking::ByDefault);
        assert_eq!(rules("gpt-6-sol").sampling, Sampling::WithoutReasoning);
    }

    #[test]
    fn windows_vision_and_tiers_are_looked_up_per_model() {
        let known = Capabilities::of("claude-opus-5-5");
        assert_eq!(
            (known.vision_input, known.context_window, known.tier),
            (true, Some(1_000_000), Some(Tier::Smartest))
        );
        let other = Capabilities::of("llama3.2");
        assert_eq!(
            (other.vision_input, other.context_window, other.tier),
            (false, None, None)
        );
        assert_eq!(Capabilities::of("claude-opus-5-5-fast").tier, None);
        assert!(!Capabilities::of("gpt-oss:20b").vision_input);
    }
}
