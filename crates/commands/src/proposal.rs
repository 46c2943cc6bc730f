//! The steps of a turn as a plan: what the commands would do, to be accepted in whole or in part.

use serde_json::{Map, Value, json};

use super::find::kind_word;
use super::plan::Step;
use super::site_view::KINDS;

/// The plan for these steps, or the words for why there is none.
pub(super) fn proposal(steps: &[Step], not_done: &[String]) -> Result<Value, String> {
    let mut operations = Vec::new();
    let mut log = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if step.tool == "open_document" {
            continue;
        }
        let (operation, words) = operation(at, step).ok_or_else(|| {
            "I cannot put this into a plan. Turn planning off, and I do it at once; it can be undone.".to_owned()
        })?;
        operations.push(operation);
        log.push(words);
    }
    let count = match operations.len() {
        1 => "One step".to_owned(),
        many => format!("{many} steps"),
    };
    let mut summary = format!("{count} to look at. Nothing is changed until you accept.");
    for words in not_done {
        summary.push(' ');
        summary.push_str(words);
    }
    Ok(json!({
        "intent": "edit_plan",
        "summary_for_user": summary,
        "change_log": log,
        "ops": operations,
        "suggested_next_actions": [],
    }))
}

/// The operation that does what a call would, and what it does in words.
fn operation(at: usize, step: &Step) -> Option<(Value, String)> {
    let input = &step.input;
    let text = |field: &str| input[field].as_str().unwrap_or_default();
    let (page, node) = (reference(text("pageId")), reference(text("nodeId")));
    let made = format!("s{at}");
    let title = text("title");
    Some(match step.tool {
        "addPage" => (
            with_slug(
                json!({ "op": "create_page", "title": title, "as": made }),
                input,
            ),
            format!("Adds the page “{title}”."),
        ),
        "duplicatePage" => (
            json!({ "op": "duplicate_page", "page": page, "title": title, "as": made }),
            format!("Copies a page as “{title}”."),
        ),
        "renamePage" => (
            json!({ "op": "rename_page", "page": page, "title": title }),
            format!("Calls a page “{title}”."),
        ),
        "deletePage" => (
            json!({ "op": "remove_page", "page": page }),
            "Deletes a page.".to_owned(),
        ),
        "updatePageSettings" => page_settings(&page, input.as_object()?)?,
        "updateSiteSettings" => (
            json!({ "op": "update_site_settings", "settings": input }),
            "Changes settings of the site.".to_owned(),
        ),
        "insertHtml" => inserted(step, &made),
        "replaceNodeHtml" => (
            json!({ "op": "replace_node", "node": node, "html": input["html"] }),
            "Changes the words of an element.".to_owned(),
        ),
        "updateNodeProps" => {
            let mut operation =
                json!({ "op": "update_props", "node": node, "props": input["patch"] });
            if let Some(breakpoint) = input.get("breakpointId") {
                operation["breakpoint"] = breakpoint.clone();
            }
            (operation, props_words(&input["patch"]))
        }
        "deleteNode" => (
            json!({ "op": "remove_node", "node": node }),
            "Removes an element.".to_owned(),
        ),
        "duplicateNode" => (
            json!({ "op": "duplicate_node", "node": node, "as": made }),
            "Copies an element.".to_owned(),
        ),
        "moveNode" => (
            json!({
                "op": "move_node", "node": node, "parent": reference(text("newParentId")), "position": step.elements_before,
            }),
            "Moves an element.".to_owned(),
        ),
        "applyCss" => (
            json!({ "op": "apply_css", "css": input["css"] }),
            format!("Styles: {}", text("css")),
        ),
        _ => return None,
    })
}

/// "$3.pageId" is what step 3 makes; anything else is there.
fn reference(said: &str) -> String {
    match said.strip_prefix('$').and_then(|rest| rest.split_once('.')) {
        Some((step, _)) => format!("@s{step}"),
        None => said.to_owned(),
    }
}

fn with_slug(mut operation: Value, input: &Value) -> Value {
    if let Some(slug) = input.get("slug") {
        operation["slug"] = slug.clone();
    }
    operation
}

fn page_settings(page: &str, input: &Map<String, Value>) -> Option<(Value, String)> {
    let mut fields = input.iter().filter(|(name, _)| *name != "pageId");
    let (name, value) = fields.next()?;
    if fields.next().is_some() {
        return None;
    }
    Some(match name.as_str() {
        "parentId" => (
            json!({ "op": "move_page", "page": page, "parent": reference(value.as_str()?) }),
            "Puts the page below another one.".to_owned(),
        ),
        "slug" => (
            json!({ "op": "rename_page", "page": page, "slug": value }),
            format!("Gives a page the address /{}.", value.as_str()?),
        ),
        "description" | "draft" | "noIndex" => (
            json!({ "op": "update_page_settings", "page": page, "settings": { name.as_str(): value } }),
            "Changes settings of a page.".to_owned(),
        ),
        _ => return None,
    })
}

fn inserted(step: &Step, made: &str) -> (Value, String) {
    let html = step.input["html"].as_str().unwrap_or_default();
    let parent = step.input["parentId"].as_str().unwrap_or_default();
    let position = step.elements_before;
    let operation = if parent.ends_with(".rootNodeId") {
        json!({ "op": "add_section", "page": reference(parent), "html": html, "position": position, "as": made })
    } else {
        json!({ "op": "add_node", "parent": reference(parent), "html": html, "position": position, "as": made })
    };
    let has_class = |kind: &&&str| html.starts_with(&format!("<section class=\"{kind}\""));
    let words = match (
        KINDS.iter().find(has_class),
        html.split(['<', ' ', '>']).nth(1),
    ) {
        (Some(&"text"), _) => "Adds a section.".to_owned(),
        (Some(kind), _) => format!("Adds a {} section.", kind_word(kind)),
        (None, Some(edge @ ("header" | "footer"))) => format!("Adds a {edge}."),
        _ => "Adds an element.".to_owned(),
    };
    (operation, words)
}

fn props_words(patch: &Value) -> String {
    let names: Vec<&str> = patch
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    match (names.as_slice(), &patch["text"]) {
        (["text"], Value::String(text)) => format!("Changes a text to “{text}”."),
        _ => format!("Changes an element: {}.", names.join(", ")),
    }
}
