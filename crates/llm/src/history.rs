//! Repairs a stored conversation before it is sent.
//!
//! A crash or a stop can leave calls without results, and providers then refuse every later request. Histories also outlive their
//! model: a model cannot use what another one has signed or encrypted. This pass fixes both, and leaves a valid history unchanged.

use std::collections::{BTreeSet, VecDeque};

use crate::capability::Rules;
use crate::message::{Block, Echo, Format, Message, Role, ToolCall, ToolResult};

/// What a model reads in place of a result that was never recorded.
pub const INTERRUPTED_TOOL_RESULT_ERROR: &str = "This call was interrupted before its result was recorded. Check whether it took effect, and call again if it did not.";

/// The model a history is prepared for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) format: Format,
    pub(crate) model: &'a str,
    pub(crate) rules: Rules,
}

/// Returns a history that providers accept: each call has exactly one result, in the message right after it; ids are unique and safe;
/// no message is empty; and the first message is a person's. Reasoning stays only if `reader` can use it.
pub(crate) fn repair(history: &[Message], reader: Reader<'_>) -> Vec<Message> {
    let last_question = history
        .iter()
        .rposition(|message| message.role == Role::User)
        .unwrap_or(0);
    let mut ids = CallIds::default();
    let mut out: Vec<Message> = Vec::new();
    for (at, message) in history.iter().enumerate() {
        match message.role {
            Role::User if has_content(message) => out.push(message.clone()),
            Role::Assistant if !out.is_empty() => {
                let reasoning = !reader.rules.reasoning_bound_to_prefix || at > last_question;
                let results = history[at + 1..].iter();
                let results = results.take_while(|message| message.role == Role::Tool);
                answer(message, results, (reader, reasoning), &mut ids, &mut out);
            }
            // Results are handled together with their calls. Any others are orphans and are dropped.
            Role::User | Role::Assistant | Role::Tool => (),
        }
    }
    out
}

/// The call ids used in a conversation.
#[derive(Debug, Default, Clone)]
pub(crate) struct CallIds {
    used: BTreeSet<String>,
}

impl CallIds {
    const CHARS_MAX: usize = 64;

    pub(crate) fn of(messages: &[Message]) -> Self {
        let blocks = messages.iter().flat_map(|message| &message.content);
        let used = blocks.filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.tool_call_id.clone()),
            _ => None,
        });
        Self {
            used: used.collect(),
        }
    }

    /// Returns an id that is unique in the conversation and safe for every provider: the given one if possible, else a similar one.
    pub(crate) fn claim(&mut self, id: &str) -> String {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let mut base: String = id
            .chars()
            .map(|c| if safe(c) { c } else { '_' })
            .take(Self::CHARS_MAX)
            .collect();
        if base.is_empty() {
            base = "call".to_owned();
        }
        let mut candidate = base.clone();
        let mut number = 2;
        while !self.used.insert(candidate.clone()) {
            let ending = format!("-{number}");
            let start: String = base.chars().take(Self::CHARS_MAX - ending.len()).collect();
            candidate = start + &ending;
            number += 1;
        }
        candidate
    }
}

fn answer<'a>(
    message: &Message,
    results: impl Iterator<Item = &'a Message>,
    (reader, reasoning): (Reader<'_>, bool),
    ids: &mut CallIds,
    out: &mut Vec<Message>,
) {
    let mut found: VecDeque<&ToolResult> = results
        .flat_map(|message| &message.content)
        .filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
        .collect();
    let mine = |echo: &Echo| echo.format == reader.format && echo.model == reader.model;
    let (mut content, mut answers) = (Vec::new(), Vec::new());
    for block in &message.content {
        match block {
            Block::Text { text, .. } if text.trim().is_empty() => (),
            Block::Text { .. } => content.push(block.clone()),
            Block::Reasoning(echo) if reasoning && mine(echo) => content.push(block.clone()),
            Block::ToolCall(call) => {
                let at = found
                    .iter()
                    .position(|result| result.tool_call_id == call.tool_call_id);
                let result = at.and_then(|at| found.remove(at)).cloned();
                let call = ToolCall {
                    tool_call_id: ids.claim(&call.tool_call_id),
                    ..call.clone()
                };
                let mut result = result
                    .unwrap_or_else(|| ToolResult::failed(&call, INTERRUPTED_TOOL_RESULT_ERROR));
                result.tool_call_id.clone_from(&call.tool_call_id);
                answers.push(Block::ToolResult(result));
                content.push(Block::ToolCall(call));
            }
            Block::Reasoning(_) | Block::Image(_) | Block::ToolResult(_) => (),
        }
    }
    let says_something = |block: &Block| !matches!(block, Block::Reasoning(_));
    if content.iter().any(says_something) {
        out.push(Message::assistant(content));
    }
    if !answers.is_empty() {
        out.push(Message {
            role: Role::Tool,
            content: answers,
        });
    }
}

fn has_content(message: &Message) -> bool {
    message.content.iter().any(|block| match block {
        Block::Text { text, .. } => !text.trim().is_empty(),
        Block::Image(_) => true,
        Block::ToolCall(_) | Block::ToolResult(_) | Block::Reasoning(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::{CallIds, INTERRUPTED_TOOL_RESULT_ERROR, Reader, repair};
    use crate::capability::Capabilities;
    use crate::message::{Block, Echo, Format, Message, Role, ToolCall, ToolResult};
    use serde_json::{Map, json};

    fn call(id: &str) -> Block {
        Block::ToolCall(ToolCall {
            tool_call_id: id.to_owned(),
            tool_name: "f".to_owned(),
            input: json!({}),
            echo: None,
        })
    }

    fn result(id: &str, text: &str) -> Block {
        Block::ToolResult(ToolResult {
            tool_call_id: id.to_owned(),
            tool_name: "f".to_owned(),
            ok: true,
            data: Some(json!(text)),
            error: None,
            receipt: None,
            images: Vec::new(),
        })
    }

    fn tool(content: Vec<Block>) -> Message {
        Message {
            role: Role::Tool,
            content,
        }
    }

    fn reasoning(model: &str) -> Block {
        Block::Reasoning(Echo {
            format: Format::Messages,
            model: model.to_owned(),
            fields: Map::new(),
        })
    }

    fn repaired(history: &[Message], model: &str) -> Vec<Message> {
        let reader = Reader {
            format: Format::Messages,
            model,
            rules: Capabilities::of(model).rules,
        };
        repair(history, reader)
    }

    #[track_caller]
    fn check(history: &[Message], expected: &[Message]) {
        assert_eq!(repaired(history, "claude-opus-5"), expected);
    }

    #[test]
    fn a_whole_history_is_left_as_it_is() {
        let history = [
            Message::user("hi"),
            Message::assistant(vec![
                reasoning("claude-opus-5"),
                Block::text("ok"),
                call("a"),
                call("b"),
            ]),
            tool(vec![result("a", "1"), result("b", "2")]),
            Message::assistant(vec![Block::text("done")]),
        ];
        check(&history, &history);
    }

    #[test]
    fn k13_calls_without_results_get_an_error_and_orphans_and_empty_messages_go() {
        let interrupted = |id: &str| {
            let Block::ToolCall(call) = call(id) else {
                unreachable!()
            };
            Block::ToolResult(ToolResult::failed(&call, INTERRUPTED_TOOL_RESULT_ERROR))
        };
        check(
            &[
                Message::user("hi"),
                tool(vec![result("nobody", "x")]),
                Message::assistant(vec![call("a"), call("b")]),
                tool(vec![result("b", "2"), result("other", "3")]),
                Message::assistant(vec![Block::text("  ")]),
                Message::user("again"),
                Message::assistant(vec![call("c")]),
            ],
            &[
                Message::user("hi"),
                Message::assistant(vec![call("a"), call("b")]),
                tool(vec![interrupted("a"), result("b", "2")]),
                Message::user("again"),
                Message::assistant(vec![call("c")]),
                tool(vec![interrupted("c")]),
            ],
        );
    }

    #[test]
    fn k14_duplicate_and_unsafe_ids_are_rewritten_with_their_results() {
        check(
            &[
                Message::user("hi"),
                Message::assistant(vec![call("a"), call("a"), call("")]),
                tool(vec![result("a", "1"), result("a", "2"), result("", "3")]),
                Message::assistant(vec![call("a"), call("x:1")]),
                tool(vec![result("a", "4"), result("x:1", "5")]),
            ],
            &[
                Message::user("hi"),
                Message::assistant(vec![call("a"), call("a-2"), call("call")]),
                tool(vec![
                    result("a", "1"),
                    result("a-2", "2"),
                    result("call", "3"),
                ]),
                Message::assistant(vec![call("a-3"), call("x_1")]),
                tool(vec![result("a-3", "4"), result("x_1", "5")]),
            ],
        );
        assert_eq!(CallIds::default().claim(&"i".repeat(99)).len(), 64);
    }

    #[test]
    fn k25_reasoning_of_another_model_is_dropped_and_text_and_calls_stay() {
        let history = [
            Message::user("hi"),
            Message::assistant(vec![
                reasoning("claude-sonnet-5"),
                Block::text("ok"),
                call("a"),
            ]),
            tool(vec![result("a", "1")]),
        ];
        let expected = Message::assistant(vec![Block::text("ok"), call("a")]);
        assert_eq!(repaired(&history, "claude-opus-5")[1], expected);
    }

    #[test]
    fn k22_reasoning_bound_to_its_prefix_stays_only_in_the_turn_that_made_it() {
        let model = "claude-opus-5-5";
        let turn = || {
            [
                Message::user("hi"),
                Message::assistant(vec![reasoning(model), call("a")]),
                tool(vec![result("a", "1")]),
            ]
        };
        assert_eq!(repaired(&turn(), model), turn());
        let mut longer = turn().to_vec();
        longer.push(Message::user("more"));
        assert_eq!(
            repaired(&longer, model)[1],
            Message::assistant(vec![call("a")])
        );
    }
}
