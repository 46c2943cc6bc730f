//! Tools that change code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_tool::{ErrorCode, ToolError, Touched};

use super::asset::{Asset, CodeType, Runtime, files, hash, one};
use crate::tools::work::{Stop, Work};
use crate::{
    Code, CodeFile, Entity, Item, ItemId, List, Lock, NewEntity, Op, Placement, Target, Timing,
};

const CONTENT_BYTES_MAX: usize = 1024 * 1024;
const REPLACEMENTS_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteCode {
    /// Its path, such as `scripts/menu.js`.
    path: String,
    /// What it is.
    r#type: CodeType,
    /// The whole text.
    content: String,
    /// How it is used; the usual way when left out.
    #[serde(default)]
    runtime: Runtime,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WrittenCode {
    #[serde(flatten)]
    asset: Asset,
    /// `created`, `updated` or `unchanged`.
    action: &'static str,
}

pub(super) fn put(input: WriteCode, work: &mut Work<'_>) -> Result<WrittenCode, Stop> {
    let path = input.path.trim().trim_start_matches('/').to_owned();
    let fine = !path.is_empty()
        && path.len() <= 200
        && !path
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..");
    if !fine || path.chars().any(char::is_control) {
        return Err(Stop::invalid(
            "path must be such as `scripts/menu.js`, without `..` and at most 200 bytes.",
        ));
    }
    small_enough(&input.content)?;
    let known = files(work)
        .find(|(_, file)| file.path == path)
        .map(|(id, file)| (id, file.clone()));
    let Some((id, before)) = known else {
        let code = match input.r#type {
            CodeType::Style => Code::Style,
            CodeType::Script => Code::Script {
                module: true,
                placement: Placement::default(),
                timing: Timing::default(),
                in_canvas: false,
            },
        };
        let file = CodeFile {
            path,
            code,
            content: input.content,
            enabled: true,
            target: Target::Site,
            priority: 100,
            lock: Lock::Open,
        };
        let file = input.runtime.onto(file);
        let id = work.mint.mint();
        let after = files(work).last().map(|(id, _)| id);
        let item = Box::new(Item::File(file.clone()));
        work.step(Op::Insert {
            new: Box::new(NewEntity::Item {
                id,
                item,
                pieces: Vec::new(),
                after,
            }),
        })?;
        work.receipt.created.push(touched(id, &file));
        return Ok(WrittenCode {
            asset: Asset::of(id, &file),
            action: "created",
        });
    };
    if CodeType::of(&before) != input.r#type {
        return Err(Stop::conflict(format!(
            "`{path}` is of the other type; choose another path."
        )));
    }
    let wanted = input.runtime.onto(CodeFile {
        content: input.content,
        ..before.clone()
    });
    let action = if update(work, id, &before, &wanted)? {
        "updated"
    } else {
        "unchanged"
    };
    Ok(WrittenCode {
        asset: Asset::of(id, &wanted),
        action,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PatchCode {
    /// The file, by its id.
    file_id: Option<ItemId>,
    /// The file, by its path.
    path: Option<String>,
    /// The hash the file was read with.
    expected_hash: String,
    /// What to replace, in order.
    #[schemars(length(min = 1, max = 100))]
    replacements: Vec<Replacement>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Replacement {
    /// The exact text that stands there.
    old_text: String,
    /// The text that is to stand there.
    new_text: String,
    /// Whether to replace it everywhere.
    #[serde(default)]
    replace_all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PatchedCode {
    #[serde(flatten)]
    asset: Asset,
    /// How many texts were replaced.
    replacements: usize,
}

pub(super) fn patch(input: PatchCode, work: &mut Work<'_>) -> Result<PatchedCode, Stop> {
    let (id, before) = one(work, input.file_id, input.path.as_deref())?;
    let current = hash(&before.content);
    if current != input.expected_hash {
        let message = format!(
            "`{}` has changed: its hash is {current}. Read it again and patch what is there now.",
            before.path
        );
        return Err(Stop::conflict(message));
    }
    if input.replacements.is_empty() || input.replacements.len() > REPLACEMENTS_MAX {
        return Err(Stop::invalid(format!(
            "replacements must hold 1 to {REPLACEMENTS_MAX} replacements."
        )));
    }
    let mut content = before.content.clone();
    let mut replacements = 0;
    for (position, replacement) in input.replacements.iter().enumerate() {
        let Replacement {
            old_text,
            new_text,
            replace_all,
        } = replacement;
        let found = if old_text.is_empty() {
            0
        } else {
            content.matches(old_text.as_str()).count()
        };
        match (found, replace_all) {
            (0, _) => {
                return Err(Stop::invalid(format!(
                    "replacements/{position}: oldText does not stand in the file; nothing was changed."
                )));
            }
            (1, _) | (_, true) => {
                content = content.replace(old_text.as_str(), new_text);
                replacements += found;
            }
            (found, false) => {
                let message = format!(
                    "replacements/{position}: oldText stands there {found} times. Take in more around it, or set replaceAll."
                );
                return Err(Stop::invalid(message));
            }
        }
    }
    small_enough(&content)?;
    let wanted = CodeFile {
        content,
        ..before.clone()
    };
    update(work, id, &before, &wanted)?;
    Ok(PatchedCode {
        asset: Asset::of(id, &wanted),
        replacements,
    })
}

/// Writes the fields that differ, and returns whether any did.
fn update(
    work: &mut Work<'_>,
    id: ItemId,
    before: &CodeFile,
    wanted: &CodeFile,
) -> Result<bool, Stop> {
    let entity = Entity::Item {
        list: List::Files,
        id,
    };
    let fields = [
        ("content", json!(before.content), json!(wanted.content)),
        ("enabled", json!(before.enabled), json!(wanted.enabled)),
        ("target", json!(before.target), json!(wanted.target)),
        ("priority", json!(before.priority), json!(wanted.priority)),
        ("code", json!(before.code), json!(wanted.code)),
    ];
    let mut changed = false;
    for (field, _, value) in fields.into_iter().filter(|(_, was, wanted)| was != wanted) {
        work.step(Op::Put {
            entity,
            field: field.to_owned(),
            value,
        })?;
        changed = true;
    }
    let to = if changed {
        &mut work.receipt.changed
    } else {
        &mut work.receipt.unchanged
    };
    to.push(touched(id, wanted));
    Ok(changed)
}

fn touched(id: ItemId, file: &CodeFile) -> Touched {
    Touched {
        kind: "file".to_owned(),
        id: id.to_string(),
        name: Some(file.path.clone()),
        also_used_in: None,
    }
}

fn small_enough(content: &str) -> Result<(), Stop> {
    if content.len() <= CONTENT_BYTES_MAX {
        return Ok(());
    }
    let message = format!(
        "The file would have {} bytes and may have {CONTENT_BYTES_MAX}; split it.",
        content.len()
    );
    Err(ToolError::new(ErrorCode::TooLarge, message).into())
}
