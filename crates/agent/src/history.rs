//! Converts between stored rows and messages, and shortens the messages of a turn once it is over.
//!
//! While a turn runs, tool results are stored in full, so that it can be resumed after a restart. Once it is over, only what the model
//! needs later stays: whether a call succeeded, its receipt, and short results.

use serde_json::Value;
use sitewright_llm::{Block, Message, Role, ToolResult};
use sitewright_store::{MessageRow, StoreError, TurnId};

/// Tool results of up to this many bytes of JSON are never shortened.
const KEPT_BYTES_MAX: usize = 1_000;

/// Parses a stored message.
pub(crate) fn message(role: &str, content: &str) -> Result<Message, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "message" };
    let role = match role {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return Err(corrupt()),
    };
    let content = serde_json::from_str(content).map_err(|_bad| corrupt())?;
    Ok(Message { role, content })
}

/// The name under which a role is stored.
pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// The messages of a finished turn that can be shortened: their sequence numbers and new contents.
pub(crate) fn shortened(rows: &[MessageRow], turn: &TurnId) -> Vec<(u64, String)> {
    let of_tools = rows
        .iter()
        .filter(|row| row.turn == *turn && row.role == "tool");
    of_tools
        .filter_map(|row| {
            let mut message = message(&row.role, &row.content).ok()?;
            let mut is_shorter = false;
            for block in &mut message.content {
                if let Block::ToolResult(result) = block {
                    is_shorter |= shorten(result);
                }
            }
            if !is_shorter {
                return None;
            }
            Some((row.seq, serde_json::to_string(&message.content).ok()?))
        })
        .collect()
}

fn shorten(result: &mut ToolResult) -> bool {
    let is_long = |data: &Value| data.to_string().len() > KEPT_BYTES_MAX;
    let long = result.data.take_if(|data| is_long(data)).is_some();
    let pictures = !std::mem::take(&mut result.images).is_empty();
    if long && result.ok && result.receipt.is_none() {
        result.data = Some(Value::String(
            "This answer is no longer kept; call the tool again to see it as it is now.".to_owned(),
        ));
    }
    long || pictures
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sitewright_llm::{Block, Message, Role, ToolCall, ToolResult};
    use sitewright_store::{MessageRow, Timestamp, TurnId};
    use sitewright_tool::{Image, Receipt, Touched};

    use super::{message, shortened};

    fn result(id: &str) -> ToolResult {
        let call = ToolCall {
            tool_call_id: id.to_owned(),
            tool_name: "f".to_owned(),
            input: json!({}),
            echo: None,
        };
        ToolResult {
            ok: true,
            error: None,
            ..ToolResult::failed(&call, "")
        }
    }

    /// One type is written to the database, sent to the shell and given to the loop; here is how it is stored.
    #[test]
    fn stored_blocks_are_of_four_kinds_and_anything_else_is_refused() {
        let stored = json!([
            { "kind": "text", "text": "Hello" },
            { "kind": "image", "mimeType": "image/png", "data": "AAAA" },
            { "kind": "toolCall", "toolCallId": "c1", "toolName": "f", "input": {} },
            { "kind": "toolResult", "toolCallId": "c1", "toolName": "f", "ok": true },
        ]);
        let read = message("assistant", &stored.to_string()).unwrap();
        let kinds: Vec<serde_json::Value> = read
            .content
            .iter()
            .map(|block| serde_json::to_value(block).unwrap()["kind"].clone())
            .collect();
        assert_eq!(kinds, ["text", "image", "toolCall", "toolResult"]);
        for broken in [
            json!([{ "kind": "video", "data": "AAAA" }]),
            json!([{ "kind": "text" }]),
            json!([{ "kind": "toolCall", "toolName": "f", "input": {} }]),
            json!({ "kind": "text", "text": "Hello" }),
        ] {
            assert!(
                message("assistant", &broken.to_string()).is_err(),
                "{broken}"
            );
        }
        assert!(message("system", "[]").is_err());
    }

    #[test]
    fn ids_of_what_was_made_stay_and_long_answers_and_pictures_go() {
        let made = Receipt {
            created: vec![Touched {
                kind: "page".to_owned(),
                id: "p1".to_owned(),
                name: None,
                also_used_in: None,
            }],
            ..Receipt::default()
        };
        let picture = Image {
            mime_type: "image/png".to_owned(),
            data: "AAAA".to_owned(),
        };
        let content = vec![
            Block::ToolResult(ToolResult {
                data: Some(json!("x".repeat(5_000))),
                receipt: Some(made.clone()),
                ..result("a")
            }),
            Block::ToolResult(ToolResult {
                data: Some(json!({ "pageId": "p1" })),
                images: vec![picture],
                ..result("b")
            }),
            Block::ToolResult(ToolResult {
                data: Some(json!("y".repeat(5_000))),
                ..result("c")
            }),
        ];
        let turn = TurnId::new();
        let row = MessageRow {
            seq: 4,
            turn: turn.clone(),
            role: "tool".to_owned(),
            content: serde_json::to_string(&content).unwrap(),
            is_tainted: false,
            at: Timestamp::from_millis(0),
        };
        let shorter = shortened(std::slice::from_ref(&row), &turn);
        assert_eq!(shorter[0].0, 4);
        let left = message("tool", &shorter[0].1);
        let Message {
            role: Role::Tool,
            content,
        } = left.unwrap()
        else {
            panic!("a message of tools")
        };
        let results: Vec<ToolResult> = content
            .into_iter()
            .filter_map(|block| match block {
                Block::ToolResult(result) => Some(result),
                _ => None,
            })
            .collect();
        assert_eq!(
            (&results[0].data, &results[0].receipt),
            (&None, &Some(made))
        );
        assert_eq!(results[1].data, Some(json!({ "pageId": "p1" })));
        assert!(results[1].images.is_empty());
        let note = results[2].data.as_ref().and_then(|data| data.as_str());
        assert!(note.is_some_and(|note| note.contains("call the tool again")));
        assert!(
            shortened(&[row], &TurnId::new()).is_empty(),
            "of this turn alone"
        );
    }
}
