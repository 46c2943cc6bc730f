//! Describing a picture of the library.

use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_store::MediaChange;
use sitewright_tool::{ErrorCode, Receipt, ToolError};

use super::{ImageLibrary, SavedImage, no_image, refusal, site_of, touched};

pub(super) struct UpdateImageTool(pub(super) ImageLibrary);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateImage {
    /// The picture.
    id: String,
    /// What it shows; the alternative text where a use gives none of its own.
    description: Option<String>,
    /// Words to find it by, in place of those before.
    tags: Option<Vec<String>>,
    /// The groups it belongs to, in place of those before.
    categories: Option<Vec<String>>,
}

impl Outside for UpdateImageTool {
    type Input = UpdateImage;
    type Data = SavedImage;

    async fn run(
        &self,
        input: UpdateImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SavedImage>, Failure> {
        if input.description.is_none() && input.tags.is_none() && input.categories.is_none() {
            let message = "Provide description, tags, or categories.";
            return Err(ToolError::new(ErrorCode::InvalidInput, message).into());
        }
        let asset = self.0.asset(&input.id, attempt.context).await?;
        let before = asset.ok_or_else(|| no_image(&[&input.id]))?;
        let change = MediaChange {
            name: None,
            alt: input.description.map(|text| text.trim().to_owned()),
            tags: input.tags,
            categories: input.categories,
        };
        let (site, id) = (site_of(attempt.context), before.row().id.clone());
        let changed = self.0.library.change(&site, &id, change, attempt.by).await;
        let asset = changed.map_err(|error| refusal(&error))?;
        let mut receipt = Receipt::default();
        match asset == before {
            true => receipt.unchanged.push(touched(&asset)),
            false => {
                receipt.changed.push(touched(&asset));
                receipt.notes.push(words_before(&before));
            }
        }
        Ok(ToolOutput {
            receipt: Some(receipt),
            ..ToolOutput::from(SavedImage::from(&asset))
        })
    }
}

/// What was said about a picture, so that it can be said again: undo does not reach the library.
fn words_before(before: &sitewright_media::Asset) -> String {
    let row = before.row();
    format!(
        "Before: description \"{}\", tags {:?}, categories {:?}.",
        row.alt, row.tags, row.categories
    )
}
