//! Deleting sections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_site::{BodyId, Entity, Need, NodeId, Op, Stop, Work};

use super::edit::touched;
use super::find::page_with;
use super::shown::{SectionContent, sections};
use crate::confirm::{Deletion, Words, check_list};
use crate::pages::find::named;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteSection {
    /// The sections, also for one.
    ids: Vec<NodeId>,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

/// A section that is to be deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeletedSection {
    page_section_id: NodeId,
    template_key: String,
    page_id: BodyId,
    /// The name of its page.
    page: String,
    /// What it says, shortened.
    text: String,
}

pub(super) fn delete(
    input: DeleteSection,
    work: &mut Work<'_>,
) -> Result<Deletion<DeletedSection>, Stop> {
    check_list("ids", &input.ids)?;
    let found = found(&input.ids, work)?;
    let mut deleted = Vec::with_capacity(found.len());
    for (id, page) in found {
        let mut all = sections(page, SectionContent::LeftOut, work)?.into_iter();
        let Some(section) = all.find(|section| section.page_section_id == id) else {
            continue;
        };
        work.step(Op::Remove {
            entity: Entity::Node {
                body: page,
                node: id,
            },
        })?;
        let touched = touched(id, &section.template_key);
        work.receipt().removed.push(touched);
        deleted.push(DeletedSection {
            page_section_id: id,
            template_key: section.template_key,
            page_id: page,
            page: named(page, work)?.title,
            text: section.text.chars().take(120).collect(),
        });
    }
    let words = Words {
        one: "section",
        several: "sections",
    };
    let note = "Gone from the draft; undo and the history bring it back. Visitors see it until the page is published.";
    Ok(Deletion::of(deleted, &words, note, work))
}

/// The sections with their pages. All documents that are not open are asked for at once; all that are missing are named at once.
fn found(ids: &[NodeId], work: &Work<'_>) -> Result<Vec<(NodeId, BodyId)>, Stop> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let mut needs: Vec<Need> = Vec::new();
    for id in ids {
        match page_with("ids", *id, work) {
            Ok(page) => found.push((*id, page)),
            Err(Stop::Needs(more)) => needs.extend(more),
            Err(Stop::Error(error)) if error.code == sitewright_tool::ErrorCode::NotFound => {
                missing.push(id.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    match (needs.is_empty(), missing.is_empty()) {
        (false, _) => Err(Stop::Needs(needs)),
        (true, true) => Ok(found),
        (true, false) => Err(Stop::not_found(format!(
            "There is no section {}; nothing was deleted. getSection names those of a page.",
            missing.join(", ")
        ))),
    }
}
