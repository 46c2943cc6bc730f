//! The tools for the pictures of a site's own library: finding, adding, describing and deleting them.

mod add;
mod change;
mod delete;
mod find;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_egress::Egress;
use sitewright_media::{Asset, BadPicture, Library, MediaError};
use sitewright_runtime::{Delivery, Failure, Tool};
use sitewright_store::{MediaId, SiteId, Store, StoreError};
use sitewright_tool::definition::outside;
use sitewright_tool::{
    Capability, DefinitionBuilder, Destination, Effect, ErrorCode, Scope, ToolContext, ToolError,
    Touched, sentence,
};

use crate::embedder::Embedder;
use crate::failure::failure;
use crate::guidance::Guidance;

/// What the tools for pictures work with.
#[derive(Debug, Clone)]
pub struct ImageLibrary {
    pub store: Store,
    pub library: Library,
    pub egress: Egress,
    /// With it pictures are also found by what their descriptions mean.
    pub embedder: Option<Embedder>,
}

impl ImageLibrary {
    /// The tools `getImage`, `createImage`, `updateImage` and `deleteImage`.
    pub fn tools(&self, guidance: Guidance<'_>) -> Vec<Tool> {
        let read = guidance.of(self
            .definition(
                "getImage",
                "Get images",
                "Get local image(s). By id, query, or all. Filter by status. Returns items.",
                Effect::None,
            )
            .needs(Capability::ContentRead)
            .words("Looking at pictures", "Looked at pictures")
            .tags(&["image", "picture", "photo", "media", "list", "search"]));
        // Adding and describing leave nothing that cannot be taken back: what is added can be deleted, and answers carry what was there.
        let create = guidance.of(
            self.definition(
                "createImage",
                "Add an image",
                "Upload image. By buffer (base64), url, or uploadId. Returns imageId after processing.",
                Effect::Draft,
            )
            .timeout_ms(120_000)
            // Fetching a file tells its host whatever the model put into the address.
            .sends_to(Destination::Vendor)
            .words("Adding a picture", "Added a picture")
            .tags(&["image", "picture", "photo", "media", "upload", "add"]),
        );
        let update = guidance.of(
            self.definition(
                "updateImage",
                "Describe an image",
                "Update image metadata (description, tags, categories). By id. Merges with existing. Returns the image.",
                Effect::Draft,
            )
            .words("Describing a picture", "Described a picture")
            .tags(&["image", "picture", "photo", "media", "alt", "tag", "edit"]),
        );
        let delete = guidance.of(
            self.definition(
                "deleteImage",
                "Delete images",
                "Delete image(s). Array param. Requires confirmed. The preview names where they are used. Restorable for 30 days.",
                Effect::Durable,
            )
            .confirmation("preview")
            .words("Deleting pictures", "Deleted pictures")
            .tags(&["image", "picture", "photo", "media", "remove"]),
        );
        vec![
            Tool::outside(read, find::GetImageTool(self.clone())),
            Tool::outside(create, add::CreateImageTool(self.clone())),
            Tool::outside(update, change::UpdateImageTool(self.clone())),
            Tool::outside(delete, delete::DeleteImageTool(self.clone())),
        ]
    }

    fn definition(
        &self,
        name: &'static str,
        title: &str,
        description: &str,
        effect: Effect,
    ) -> DefinitionBuilder {
        outside(name, title, description, effect)
            .scopes(&[Scope::Content])
            .needs(Capability::ContentWrite)
            .confirmed_by(Capability::ContentWrite)
    }

    /// The picture with this id, if it belongs to the site of the call.
    async fn asset(&self, id: &str, context: &ToolContext) -> Result<Option<Asset>, ToolError> {
        let found = self.library.asset(&MediaId::from(id.to_owned())).await;
        let found = found.map_err(|error| refusal(&error))?;
        Ok(found.filter(|asset| asset.row().site.as_str() == context.site_id))
    }

    /// Where a picture is used.
    async fn usages(&self, id: &MediaId, context: &ToolContext) -> Result<Vec<String>, ToolError> {
        let mentions = async {
            let mut live = self.store.live_site(&site_of(context)).await?;
            live.mentions(id.as_str()).await
        };
        let mentions = mentions.await.map_err(|error| stored(&error))?;
        Ok(mentions.into_iter().map(|mention| mention.name).collect())
    }
}

fn site_of(context: &ToolContext) -> SiteId {
    SiteId::from(context.site_id.clone())
}

/// A picture in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownImage {
    id: String,
    filename: String,
    /// The address of the largest size, as it belongs into content.
    url: String,
    srcset: String,
    width: u32,
    height: u32,
    /// What it shows; the alternative text where a use gives none of its own.
    description: String,
    tags: Vec<String>,
    categories: Vec<String>,
    /// Pictures are stored once they are processed, so this is always `completed`.
    status: &'static str,
    /// Whom to credit beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<Value>,
    /// Where it is used, for one picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_in: Option<Vec<String>>,
}

impl From<&Asset> for ShownImage {
    fn from(asset: &Asset) -> Self {
        let row = asset.row();
        Self {
            id: row.id.to_string(),
            filename: row.name.clone(),
            url: asset.url(),
            srcset: asset.srcset(),
            width: row.width,
            height: row.height,
            description: row.alt.clone(),
            tags: row.tags.clone(),
            categories: row.categories.clone(),
            status: "completed",
            credit: row.credit.clone(),
            used_in: None,
        }
    }
}

/// The answer of a tool that adds or changes one picture.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedImage {
    pub(crate) success: bool,
    pub(crate) image_id: String,
    /// Its local address.
    pub(crate) url: String,
    pub(crate) item: ShownImage,
}

impl From<&Asset> for SavedImage {
    fn from(asset: &Asset) -> Self {
        Self {
            success: true,
            image_id: asset.row().id.to_string(),
            url: asset.url(),
            item: ShownImage::from(asset),
        }
    }
}

pub(crate) fn touched(asset: &Asset) -> Touched {
    let row = asset.row();
    Touched {
        kind: "image".to_owned(),
        id: row.id.to_string(),
        name: Some(row.name.clone()),
        also_used_in: None,
    }
}

pub(crate) fn no_image(ids: &[&str]) -> ToolError {
    let message = format!(
        "There is no image {}; nothing was changed. getImage names those there are.",
        ids.join(", ")
    );
    ToolError::new(ErrorCode::NotFound, message)
}

/// Why a picture was not stored, as an answer.
pub(crate) fn refusal(error: &MediaError) -> ToolError {
    let code = match error {
        MediaError::TooLarge { .. }
        | MediaError::Picture(BadPicture::TooManyPixels { .. } | BadPicture::TooCostly) => {
            ErrorCode::TooLarge
        }
        MediaError::Picture(BadPicture::NotMade(_)) => ErrorCode::Internal,
        MediaError::Picture(_) => ErrorCode::InvalidInput,
        MediaError::Store(error) => return stored(error),
        MediaError::Stopped => ErrorCode::Unavailable,
        _ => ErrorCode::Internal,
    };
    ToolError::new(code, sentence(&error.to_string()))
}

fn stored(error: &StoreError) -> ToolError {
    let code = match error {
        StoreError::NotFound { .. } => ErrorCode::NotFound,
        StoreError::Refused { .. } => ErrorCode::Conflict,
        _ => ErrorCode::Unavailable,
    };
    ToolError::new(code, sentence(&error.to_string()))
}

/// A failure after which nothing was stored.
pub(crate) fn nothing_stored(error: ToolError) -> Failure {
    let ToolError { code, message, .. } = error;
    failure(code, message, Delivery::Answered)
}
