//! Cards as text: the answer of a connected tool, and what a person is asked to approve. Vendors wrote the values, so control characters,
//! which a terminal would act on, are left out.

use serde_json::Value;

use super::text;

/// The card of an answer, with the commands for what can be done next.
pub(crate) fn result(card: &Value) -> String {
    let mut lines = vec![clean(&text(card, "title"))];
    lines.extend(rows(&card["fields"], "  "));
    for (at, item) in list(&card["items"]).enumerate() {
        lines.push(format!("  {}.", at + 1));
        lines.extend(rows(&item["fields"], "     "));
    }
    if let Some(more @ 1..) = card["leftOut"].as_u64() {
        lines.push(format!("  … and {more} more; --json shows everything."));
    }
    for action in list(&card["actions"]) {
        // Single quotes end the shell's quoting; JSON can write them as an escape.
        let arguments = action["arguments"].to_string().replace('\'', "\\u0027");
        lines.push(format!(
            "Next: {}\n  sitewright tool call {} --args '{}'",
            clean(&text(action, "title")),
            clean(&text(action, "tool")),
            clean(&arguments)
        ));
    }
    lines.join("\n")
}

/// What a call that waits would do; `None` if its tool has no structured confirmation.
pub(crate) fn confirmation(call: &Value) -> Option<String> {
    let preview = &call["preview"];
    let kind = preview["kind"].as_str()?;
    if !kind.starts_with("structured-") {
        return None;
    }
    let title = [&preview["title"], &call["title"], &call["tool"]];
    let title = title
        .iter()
        .find_map(|title| title.as_str())
        .unwrap_or(kind);
    let mut lines = vec![format!("{}: {}", text(call, "id"), clean(title))];
    lines.extend(rows(&preview["fields"], "  "));
    for leg in list(&preview["legs"]) {
        let arguments = leg["arguments"].to_string();
        lines.push(format!(
            "  {}  {} {}",
            clean(&text(leg, "id")),
            clean(&text(leg, "tool")),
            clean(&arguments)
        ));
    }
    for (currency, sum) in preview["total"].as_object().into_iter().flatten() {
        lines.push(format!("  Total: {sum} {}", clean(currency)));
    }
    for (field, words) in [("host", "Sent to"), ("cancels", "Cancelled by")] {
        if let Some(value) = preview[field].as_str() {
            lines.push(format!("  {words}: {}", clean(value)));
        }
    }
    Some(lines.join("\n"))
}

fn rows(fields: &Value, indent: &str) -> Vec<String> {
    let width = list(fields).map(|field| text(field, "label").chars().count());
    let width = width.max().unwrap_or_default();
    list(fields)
        .map(|field| {
            let label = clean(&text(field, "label"));
            let value = match &field["value"] {
                Value::String(text) => clean(text),
                other => clean(&other.to_string()),
            };
            format!("{indent}{label:<width$}  {value}")
        })
        .collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn clean(text: &str) -> String {
    let is_shown = |character: &char| !character.is_control();
    text.chars().filter(is_shown).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{confirmation, result};

    #[test]
    fn a_receipt_reads_as_lines_with_the_next_command() {
        let card = json!({
            "kind": "receipt", "title": "Book a room", "leftOut": 2, "items": [{ "fields": [{ "label": "Night", "value": "1" }] }],
            "fields": [{ "label": "Booking", "value": "b1\u{1b}[31m" }, { "label": "Price", "value": "80" }],
            "actions": [{ "tool": "cancel", "title": "Cancel it", "arguments": { "booking": "b'1" } }],
        });
        let expected = "Book a room\n  Booking  b1[31m\n  Price    80\n  1.\n     Night  1\n  … and 2 more; --json shows everything.\nNext: Cancel it\n  \
                        sitewright tool call cancel --args '{\"booking\":\"b\\u00271\"}'";
        assert_eq!(result(&card), expected);
    }

    #[test]
    fn a_confirmation_shows_what_would_be_sent_and_where() {
        let call = json!({ "id": "c1", "tool": "book", "preview": {
            "kind": "structured-booking", "title": "Book a room", "host": "hotels.example", "cancels": "cancel",
            "fields": [{ "name": "price", "label": "Price", "value": 80 }],
        } });
        let expected =
            "c1: Book a room\n  Price  80\n  Sent to: hotels.example\n  Cancelled by: cancel";
        assert_eq!(confirmation(&call).as_deref(), Some(expected));
        assert_eq!(confirmation(&json!({ "preview": { "change": {} } })), None);
    }
}
