//! Tools that read code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::asset::{Asset, CodeType, Runtime, files, one};
use crate::tools::documents::DocumentRef;
use crate::tools::work::{Stop, Work};
use crate::{BodyId, CodeFile, ItemId};

const PART_CHARS: usize = 20_000;
const PART_CHARS_MAX: usize = 60_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListCode {
    /// Only files of this type.
    r#type: Option<CodeType>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Assets {
    assets: Vec<Asset>,
}

pub(super) fn list(input: ListCode, work: &mut Work<'_>) -> Result<Assets, Stop> {
    let wanted = |file: &CodeFile| {
        input
            .r#type
            .is_none_or(|wanted| CodeType::of(file) == wanted)
    };
    let assets = files(work)
        .filter(|(_, file)| wanted(file))
        .map(|(id, file)| Asset::of(id, file))
        .collect();
    Ok(Assets { assets })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ReadCode {
    /// The file, by its id.
    file_id: Option<ItemId>,
    /// The file, by its path.
    path: Option<String>,
    /// Which part, from 1.
    part: Option<usize>,
    /// How many characters a part has, at most 60000.
    max_chars: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodePart {
    file_id: ItemId,
    path: String,
    r#type: CodeType,
    content: String,
    /// The SHA-256 of the whole text.
    hash: String,
    runtime: Runtime,
    page_info: PartInfo,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PartInfo {
    part: usize,
    total_parts: usize,
    /// The part to read next; null at the end.
    next_part: Option<usize>,
}

pub(super) fn show(input: ReadCode, work: &mut Work<'_>) -> Result<CodePart, Stop> {
    let (file_id, file) = one(work, input.file_id, input.path.as_deref())?;
    let size = input
        .max_chars
        .unwrap_or(PART_CHARS)
        .clamp(1, PART_CHARS_MAX);
    let count = file.content.chars().count();
    let total_parts = count.div_ceil(size).max(1);
    let part = input.part.unwrap_or(1);
    if !(1..=total_parts).contains(&part) {
        return Err(Stop::invalid(format!(
            "part must be 1 to {total_parts}, and was {part}."
        )));
    }
    let content = file
        .content
        .chars()
        .skip((part - 1) * size)
        .take(size)
        .collect();
    let page_info = PartInfo {
        part,
        total_parts,
        next_part: (part < total_parts).then_some(part + 1),
    };
    let Asset {
        file_id,
        path,
        r#type,
        hash,
        runtime,
        ..
    } = Asset::of(file_id, &file);
    Ok(CodePart {
        file_id,
        path,
        r#type,
        content,
        hash,
        runtime,
        page_info,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InspectCode {
    /// The page or template; the one the editor shows when left out.
    document: Option<DocumentRef>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Applying {
    page_id: BodyId,
    document: DocumentRef,
    scripts: Vec<Asset>,
    styles: Vec<Asset>,
}

pub(super) fn inspect(input: InspectCode, work: &mut Work<'_>) -> Result<Applying, Stop> {
    let id = input
        .document
        .map(|document| document.id)
        .or(work.view.current);
    let found = id.and_then(|id| Some((id, work.site.shell.pages.get(id)?)));
    let (Some((page_id, page)), Some(document)) = (found, id.and_then(|id| work.document_ref(id)))
    else {
        return Err(Stop::not_found(
            "There is no such page or template; list_documents names those there are.",
        ));
    };
    let mut documents = crate::templates_for(work.site, page_id, page, work.facts);
    documents.push(page_id);
    let mut used: Vec<(ItemId, &CodeFile)> = files(work)
        .filter(|(_, file)| file.enabled && file.target.covers(&documents))
        .collect();
    used.sort_by_key(|(_, file)| file.priority);
    let of = |wanted: CodeType| {
        used.iter()
            .filter(|(_, file)| CodeType::of(file) == wanted)
            .map(|(id, file)| Asset::of(*id, file))
            .collect()
    };
    Ok(Applying {
        page_id,
        document,
        scripts: of(CodeType::Script),
        styles: of(CodeType::Style),
    })
}
