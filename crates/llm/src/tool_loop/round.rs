//! What one round has said so far.

use crate::message::{Block, Message, ToolCall};
use crate::stream::Usage;

#[derive(Debug, Default)]
pub(super) struct Round {
    /// The model that answers, which an alias may hide.
    pub(super) model: String,
    pub(super) text: String,
    /// Bytes of reasoning that were shown.
    pub(super) reasoned: usize,
    pub(super) content: Vec<Block>,
    /// The calls, with what is wrong with their arguments.
    pub(super) calls: Vec<(ToolCall, Option<String>)>,
    pub(super) usage: Option<Usage>,
}

impl Round {
    /// The provider has said something, so it has done something.
    pub(super) fn has_begun(&self) -> bool {
        self.was_shown() || self.usage.is_some() || !self.model.is_empty()
    }

    /// Something of it has been seen, so it cannot be taken back and tried again.
    pub(super) fn was_shown(&self) -> bool {
        !self.text.is_empty() || self.reasoned > 0
    }
}

/// About how many tokens a conversation has: four bytes of text each, and a fixed number for a picture.
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
