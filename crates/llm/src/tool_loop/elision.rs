//! Removes stale results: only the newest results of each heavy tool stay in a conversation.
//!
//! A result is replaced once, in the first request after its tool has produced a newer one. The replacement never changes again, so
//! everything before the newest results is byte-identical from request to request, and provider caches keep hitting. Results of the
//! same batch are equally new, because the model has seen none of them yet.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::message::{Block, Message, Role, ToolResult};
use crate::request::ToolSpec;

#[derive(Debug)]
pub(super) struct HeavyResults {
    tools: BTreeSet<String>,
    /// The positions of each tool's newest results, as indices of message and block.
    newest: BTreeMap<String, Vec<(usize, usize)>>,
}

impl HeavyResults {
    pub(super) fn new(tools: &[ToolSpec]) -> Self {
        let heavy = tools.iter().filter(|tool| tool.heavy);
        Self {
            tools: heavy.map(|tool| tool.name.clone()).collect(),
            newest: BTreeMap::new(),
        }
    }

    /// Replaces the tools on offer, of which the heavy ones are elided from now on.
    pub(super) fn offer(&mut self, tools: &[ToolSpec]) {
        self.tools = Self::new(tools).tools;
    }

    /// Replaces the results that those in the last message make stale. `reasoning_bound` is set for models whose reasoning is only valid
    /// after an unchanged prefix: for them, all reasoning after a replaced result is dropped too.
    pub(super) fn elide(&mut self, messages: &mut [Message], reasoning_bound: bool) {
        let Some(last) = messages.len().checked_sub(1) else {
            return;
        };
        let mut fresh: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, block) in messages[last].content.iter().enumerate() {
            if let Block::ToolResult(result) = block
                && self.is_heavy(result)
            {
                let places = fresh.entry(result.tool_name.clone()).or_default();
                places.push((last, at));
            }
        }
        let mut first_changed = None;
        for (tool, places) in fresh {
            for (message, block) in self.newest.insert(tool, places).unwrap_or_default() {
                replace(&mut messages[message].content[block]);
                first_changed =
                    Some(first_changed.map_or(message, |first: usize| first.min(message)));
            }
        }
        if let Some(first) = first_changed.filter(|_| reasoning_bound) {
            for message in &mut messages[first..] {
                if message.role == Role::Assistant {
                    message
                        .content
                        .retain(|block| !matches!(block, Block::Reasoning(_)));
                }
            }
        }
    }

    fn is_heavy(&self, result: &ToolResult) -> bool {
        result.ok && (self.tools.contains(&result.tool_name) || !result.images.is_empty())
    }
}

fn replace(block: &mut Block) {
    if let Block::ToolResult(result) = block {
        let tool = &result.tool_name;
        let line = format!(
            "Earlier {tool} output removed: newer output follows. Call {tool} again if you need it."
        );
        result.data = Some(json!(line));
        result.images.clear();
    }
}
