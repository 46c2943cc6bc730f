//! Large results go stale: only the newest of each tool stays in a conversation.
//!
//! A result is replaced once, in the first request after a newer one of its tool; the line that stands for it never changes
//! again, so that everything before the newest results is the same bytes from request to request, and caches keep hitting.
//! Results of the same batch are equally new: the model has seen none of them yet.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::message::{Block, Message, Role, ToolResult};
use crate::request::ToolSpec;

#[derive(Debug)]
pub(super) struct HeavyResults {
    tools: BTreeSet<String>,
    /// Where the newest results of each tool are: message and block.
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

    /// Takes other tools for the heavy ones from now on.
    pub(super) fn offer(&mut self, tools: &[ToolSpec]) {
        self.tools = Self::new(tools).tools;
    }

    /// Looks at the results in the last message and replaces those they make stale. `reasoning_bound` is for models whose
    /// reasoning is valid only behind an unchanged prefix: what they thought after a replaced result is dropped with it.
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
