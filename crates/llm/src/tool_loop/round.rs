//! The answer of one round so far.

use crate::message::{Block, Message, ToolCall};
use crate::stream::Usage;

#[derive(Debug, Default)]
pub(super) struct Round {
    /// The model that answers, as the provider reports it; the requested name may be an alias.
    pub(super) model: String,
    pub(super) text: String,
    /// The bytes of reasoning shown so far.
    pub(super) reasoned: usize,
    pub(super) content: Vec<Block>,
    /// The calls, each with the problem in its arguments, if there is one.
    pub(super) calls: Vec<(ToolCall, Option<String>)>,
    pub(super) usage: Option<Usage>,
}

impl Round {
    /// Whether the provider has started to answer, so that the round counts towards the usage even if it breaks off.
    pub(super) fn has_begun(&self) -> bool {
        self.was_shown() || self.usage.is_some() || !self.model.is_empty()
    }

    /// Whether anything was shown to the user. From then on the round cannot be retried.
    pub(super) fn was_shown(&self) -> bool {
        !self.text.is_empty() || self.reasoned > 0
    }
}

/// Estimates the tokens of a conversation: one per four bytes of text, and a fixed number per picture.
pub(super) fn tokens_about(messages: &[Message]) -> u64 {
    const IMAGE: usize = 1600 * 4;
    let bytes = |block: &Block| match block {
        Block::Text { text, .. } => text.len(),
        Block::Image(_) => IMAGE,
        Block::ToolCall(call) => call.input.to_string().len() + call.tool_name.len(),
        Block::ToolResult(result) => result.model_text().len() + result.images.len() * IMAGE,
        Block::Reasoning(_) => 0,
    };
    let blocks = messages.iter().flat_map(|message| &message.content);
    blocks.map(bytes).sum::<usize>() as u64 / 4
}
