//! Deleting pictures of the library: into the bin, where people can take them back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_runtime::{Attempt, Failure, Foreseen, Outside, ToolOutput};
use sitewright_store::MediaId;
use sitewright_tool::{ErrorCode, Receipt, ToolError, digest};

use super::{ImageLibrary, no_image, refusal, site_of, touched};

/// The most pictures of one call.
const MOST: usize = 100;
const BIN_NOTE: &str =
    "Gone from lists, tools and addresses; people can restore it from the bin for 30 days.";

pub(super) struct DeleteImageTool(pub(super) ImageLibrary);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteImage {
    /// The pictures, also for one.
    ids: Vec<String>,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

/// A picture that is to be deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeletedImage {
    id: String,
    filename: String,
    /// The places that show it and will show nothing in its place.
    used_in: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ImageDeletion {
    success: bool,
    /// What is gone.
    deleted: Vec<DeletedImage>,
    /// How it can come back.
    note: &'static str,
}

impl Outside for DeleteImageTool {
    type Input = DeleteImage;
    type Data = ImageDeletion;

    async fn foresee(
        &self,
        input: DeleteImage,
        attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        let items = self.listed(&input.ids, attempt).await?;
        let what = match items.len() {
            1 => "1 image".to_owned(),
            count => format!("{count} images"),
        };
        let message = format!("Delete {what}?");
        let question = json!({ "requiresConfirmation": true, "message": message, "items": items });
        Ok(Foreseen {
            agreed: Some(digest(&question)),
            preview: Some(json!({ "question": question })),
            ..Foreseen::default()
        })
    }

    async fn run(
        &self,
        input: DeleteImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<ImageDeletion>, Failure> {
        let deleted = self.listed(&input.ids, attempt).await?;
        let ids: Vec<MediaId> = input.ids.into_iter().map(MediaId::from).collect();
        let site = site_of(attempt.context);
        let binned = self.0.library.bin(&site, &ids, attempt.by).await;
        let binned = binned.map_err(|error| refusal(&error))?;
        let mut receipt = Receipt::default();
        receipt.removed.extend(binned.iter().map(touched));
        let data = ImageDeletion {
            success: true,
            deleted,
            note: BIN_NOTE,
        };
        Ok(ToolOutput {
            receipt: Some(receipt),
            ..ToolOutput::from(data)
        })
    }
}

impl DeleteImageTool {
    /// The pictures with their uses. Fails if any does not exist, and names all that do not.
    async fn listed(
        &self,
        ids: &[String],
        attempt: Attempt<'_>,
    ) -> Result<Vec<DeletedImage>, ToolError> {
        let refuse = |message: String| Err(ToolError::new(ErrorCode::InvalidInput, message));
        if ids.is_empty() {
            return refuse("ids is empty; name at least one.".to_owned());
        }
        if ids.len() > MOST {
            return refuse(format!("ids may name {MOST} at a time."));
        }
        if (0..ids.len()).any(|at| ids[..at].contains(&ids[at])) {
            return refuse("ids names something twice.".to_owned());
        }
        let (mut items, mut missing) = (Vec::new(), Vec::new());
        for id in ids {
            let Some(asset) = self.0.asset(id, attempt.context).await? else {
                missing.push(id.as_str());
                continue;
            };
            items.push(DeletedImage {
                id: id.clone(),
                filename: asset.row().name.clone(),
                used_in: self.0.usages(&asset.row().id, attempt.context).await?,
            });
        }
        match missing.is_empty() {
            true => Ok(items),
            false => Err(no_image(&missing)),
        }
    }
}
