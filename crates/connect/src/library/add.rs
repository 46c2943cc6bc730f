//! Adding a picture to the library.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_media::NewPicture;
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_store::MediaChange;
use sitewright_tool::{ErrorCode, Receipt, Taint, ToolError};

use super::{ImageLibrary, SavedImage, no_image, nothing_stored, refusal, site_of, touched};
use crate::download::download;

const TOOL: &str = "createImage";
/// The most bytes of a picture in the arguments of a call: they are stored with the call. Larger ones are uploaded.
const BUFFER_BYTES_MAX: usize = 8 * 1024 * 1024;

pub(super) struct CreateImageTool(pub(super) ImageLibrary);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CreateImage {
    /// The file in base64, up to 8 MB.
    buffer: Option<String>,
    /// An address to fetch the file from.
    url: Option<String>,
    /// The id of a file that was uploaded before.
    upload_id: Option<String>,
    /// The name of the file; that of the address when left out.
    filename: Option<String>,
    /// The session of the caller; needed by nothing.
    session_id: Option<String>,
    /// What it shows; the alternative text where a use gives none of its own.
    #[serde(default)]
    description: String,
    /// Words to find it by.
    #[serde(default)]
    tags: Vec<String>,
}

impl Outside for CreateImageTool {
    type Input = CreateImage;
    type Data = SavedImage;

    async fn run(
        &self,
        input: CreateImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SavedImage>, Failure> {
        let is_foreign = |session: &String| *session != attempt.context.session_id;
        if input.session_id.as_ref().is_some_and(is_foreign) {
            let message = "sessionId is not the session of this call; leave it out.";
            return Err(ToolError::new(ErrorCode::Forbidden, message).into());
        }
        let (bytes, taint) = match (&input.buffer, &input.url, &input.upload_id) {
            (Some(buffer), None, None) => (decoded(buffer)?, Taint::Trusted),
            (None, Some(url), None) => {
                let bytes = download(&self.0.egress, TOOL, url, attempt.timeout).await?;
                (bytes, Taint::Untrusted)
            }
            (None, None, Some(id)) => return self.uploaded(id, attempt).await,
            _ => {
                let message = "Provide exactly one of buffer, url and uploadId.";
                return Err(ToolError::new(ErrorCode::InvalidInput, message).into());
            }
        };
        let picture = NewPicture {
            bytes,
            name: name_of(&input),
            alt: input.description.trim().to_owned(),
            credit: None,
        };
        let site = site_of(attempt.context);
        let added = self.0.library.add(&site, picture, attempt.by).await;
        let mut asset = added.map_err(|error| nothing_stored(refusal(&error)))?;
        if !input.tags.is_empty() {
            let change = MediaChange {
                tags: Some(input.tags),
                ..MediaChange::default()
            };
            let id = asset.row().id.clone();
            let changed = self.0.library.change(&site, &id, change, attempt.by).await;
            asset = changed.map_err(|error| refusal(&error))?;
        }
        let mut receipt = Receipt::default();
        receipt.created.push(touched(&asset));
        Ok(ToolOutput {
            receipt: Some(receipt),
            taint,
            ..ToolOutput::from(SavedImage::from(&asset))
        })
    }
}

impl CreateImageTool {
    /// A file that was uploaded is in the library already.
    async fn uploaded(
        &self,
        id: &str,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SavedImage>, Failure> {
        let asset = self.0.asset(id, attempt.context).await?;
        let asset = asset.ok_or_else(|| no_image(&[id]))?;
        let mut receipt = Receipt::default();
        receipt.unchanged.push(touched(&asset));
        Ok(ToolOutput {
            receipt: Some(receipt),
            ..ToolOutput::from(SavedImage::from(&asset))
        })
    }
}

fn decoded(buffer: &str) -> Result<Bytes, ToolError> {
    if buffer.len() / 4 * 3 > BUFFER_BYTES_MAX {
        let message = "buffer may have 8 MB. Upload larger files in the administration and pass their id as uploadId.";
        return Err(ToolError::new(ErrorCode::TooLarge, message));
    }
    // What browsers make of a file begins with its media type.
    let text = match buffer.split_once(";base64,") {
        Some((_, text)) if buffer.starts_with("data:") => text,
        Some(_) | None => buffer,
    };
    STANDARD
        .decode(text.trim())
        .map(Bytes::from)
        .map_err(|error| {
            let message = format!("buffer is not base64: {error}.");
            ToolError::new(ErrorCode::InvalidInput, message)
        })
}

fn name_of(input: &CreateImage) -> String {
    let given = input.filename.as_deref().map(str::trim);
    let of_url = input.url.as_deref().and_then(|url| {
        let path = url.split(['?', '#']).next()?;
        path.rsplit('/').next()
    });
    let mut names = [given, of_url].into_iter().flatten();
    let name = names.find(|name| !name.is_empty());
    name.unwrap_or("Picture").to_owned()
}
