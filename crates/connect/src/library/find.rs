//! Finding pictures of the library.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_media::Asset;
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_store::MediaId;
use sitewright_tool::{ErrorCode, ToolError};

use super::{ImageLibrary, ShownImage, refusal, site_of};

const MISSING: &str = "Provide id, query, or set all: true";

pub(super) struct GetImageTool(pub(super) ImageLibrary);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetImage {
    /// Get by id.
    id: Option<String>,
    /// Get those whose name, description, tags or photographer have these words.
    #[schemars(length(max = 400))]
    query: Option<String>,
    /// Get all, the newest first.
    #[serde(default)]
    all: bool,
    /// How many at most; 50 when left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u16>,
    /// Only pictures with this status.
    status: Option<ImageStatus>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

/// How far the processing of a picture is.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ImageStatus {
    Processing,
    Completed,
    Failed,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Images {
    success: bool,
    /// How many items there are here.
    count: usize,
    items: Vec<ShownImage>,
    /// How many there are in all.
    total: u64,
    /// The cursor of the items that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How a query was answered: `fullText`.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<&'static str>,
}

impl Images {
    fn of(items: Vec<ShownImage>, total: u64, next: Option<String>) -> Self {
        Self {
            success: true,
            count: items.len(),
            items,
            total,
            next,
            search: None,
        }
    }
}

impl Outside for GetImageTool {
    type Input = GetImage;
    type Data = Images;

    async fn run(
        &self,
        input: GetImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<Images>, Failure> {
        check_selectors(&input)?;
        let limit = input.limit.unwrap_or(50).clamp(1, 200);
        // Nothing else is ever stored.
        if input
            .status
            .is_some_and(|status| status != ImageStatus::Completed)
        {
            return Ok(Images::of(Vec::new(), 0, None).into());
        }
        let found = match (&input.id, &input.query) {
            (Some(id), _) => self.one(id, attempt).await?,
            (None, Some(query)) => self.matching(query, limit, &input, attempt).await?,
            (None, None) => self.all(limit, &input, attempt).await?,
        };
        Ok(found.into())
    }
}

impl GetImageTool {
    async fn one(&self, id: &str, attempt: Attempt<'_>) -> Result<Images, ToolError> {
        let Some(asset) = self.0.asset(id, attempt.context).await? else {
            return Ok(Images::of(Vec::new(), 0, None));
        };
        let mut shown = ShownImage::from(&asset);
        shown.used_in = Some(self.0.usages(&asset.row().id, attempt.context).await?);
        Ok(Images::of(vec![shown], 1, None))
    }

    async fn matching(
        &self,
        query: &str,
        limit: u16,
        input: &GetImage,
        attempt: Attempt<'_>,
    ) -> Result<Images, ToolError> {
        let from = match &input.cursor {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_bad| bad_cursor())?,
        };
        let site = site_of(attempt.context);
        let found = self.0.library.search(&site, query, limit.into(), from);
        let (assets, total) = found.await.map_err(|error| refusal(&error))?;
        let next = from.saturating_add(limit.into());
        let next = (u64::from(next) < total).then(|| next.to_string());
        Ok(Images {
            search: Some("fullText"),
            ..Images::of(shown(&assets), total, next)
        })
    }

    async fn all(
        &self,
        limit: u16,
        input: &GetImage,
        attempt: Attempt<'_>,
    ) -> Result<Images, ToolError> {
        let site = site_of(attempt.context);
        let before = input.cursor.clone().map(MediaId::from);
        let page = self.0.library.page(&site, "", before.as_ref(), limit);
        let (assets, next) = page.await.map_err(|error| refusal(&error))?;
        let total = self.0.library.count(&site).await;
        let total = total.map_err(|error| refusal(&error))?;
        let next = next.map(|id| id.to_string());
        Ok(Images::of(shown(&assets), total, next))
    }
}

fn shown(assets: &[Asset]) -> Vec<ShownImage> {
    assets.iter().map(ShownImage::from).collect()
}

fn check_selectors(input: &GetImage) -> Result<(), ToolError> {
    let all = [
        ("id", input.id.is_some()),
        ("query", input.query.is_some()),
        ("all", input.all),
    ];
    let given: Vec<&str> = all
        .iter()
        .filter(|(_, is_given)| *is_given)
        .map(|(name, _)| *name)
        .collect();
    let message = match given.as_slice() {
        [_] => return Ok(()),
        [] => format!("{MISSING}."),
        several => format!(
            "{MISSING}, and only one of them; this call has {}.",
            several.join(" and ")
        ),
    };
    Err(ToolError::new(ErrorCode::InvalidInput, message))
}

fn bad_cursor() -> ToolError {
    let message = "cursor must be the `next` of the answer before.";
    ToolError::new(ErrorCode::InvalidInput, message)
}
