//! Finding pictures of the library.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_media::Asset;
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_store::{Embedding, MediaId, SiteId};
use sitewright_tool::{ErrorCode, ToolError};

use super::{ImageLibrary, ShownImage, refusal, site_of, stored};
use crate::embedder::Embedder;

/// How many pictures a search by meaning adds; everything is near to some degree.
const NEAREST: usize = 20;
/// How many of the pictures with the words of a search are ranked together with those.
const RANKED_MAX: u32 = 200;
const MISSING: &str = "Provide id, query, or set all: true";

pub(super) struct GetImageTool(pub(super) ImageLibrary);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetImage {
    /// Get by id.
    id: Option<String>,
    /// Get those whose name, description, tags or photographer have these words, or mean something like them.
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
    /// How a query was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchMethod>,
    /// What went wrong with the search by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum SearchMethod {
    /// By words alone.
    FullText,
    /// By words and by meaning.
    Hybrid,
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
            note: None,
        }
    }
}

/// The part of a search's results that is asked for.
#[derive(Clone, Copy)]
struct Page {
    from: u32,
    limit: u16,
}

impl Page {
    /// The cursor of the page after this one.
    fn next(self, total: u64) -> Option<String> {
        let next = self.from.saturating_add(self.limit.into());
        (u64::from(next) < total).then(|| next.to_string())
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
        let page = Page { from, limit };
        let site = site_of(attempt.context);
        let Some(embedder) = &self.0.embedder else {
            return self.by_words(&site, query, page).await;
        };
        match embedder.embed(&[query]).await {
            Ok(embeddings) => {
                let near = match embeddings.first() {
                    Some(wanted) => self.nearest(&site, embedder, wanted).await?,
                    None => Vec::new(),
                };
                self.by_words_and_meaning(&site, query, near, page).await
            }
            Err(failure) => Ok(Images {
                note: Some(format!("Found by words only: {}", failure.error.message)),
                ..self.by_words(&site, query, page).await?
            }),
        }
    }

    async fn by_words(&self, site: &SiteId, query: &str, page: Page) -> Result<Images, ToolError> {
        let Page { from, limit } = page;
        let found = self.0.library.search(site, query, limit.into(), from);
        let (assets, total) = found.await.map_err(|error| refusal(&error))?;
        Ok(Images {
            search: Some(SearchMethod::FullText),
            ..Images::of(shown(&assets), total, page.next(total))
        })
    }

    async fn nearest(
        &self,
        site: &SiteId,
        embedder: &Embedder,
        wanted: &Embedding,
    ) -> Result<Vec<Asset>, ToolError> {
        let store = &self.0.store;
        let ids = store.nearest_media(site, &embedder.model, wanted, NEAREST);
        let mut assets = Vec::new();
        for id in ids.await.map_err(|error| stored(&error))? {
            let asset = self.0.library.asset(&id).await;
            assets.extend(asset.map_err(|error| refusal(&error))?);
        }
        Ok(assets)
    }

    /// Merges both results by rank (reciprocal rank fusion), because their scores cannot be compared.
    async fn by_words_and_meaning(
        &self,
        site: &SiteId,
        query: &str,
        near: Vec<Asset>,
        page: Page,
    ) -> Result<Images, ToolError> {
        let by_words = self.0.library.search(site, query, RANKED_MAX, 0).await;
        let (by_words, _) = by_words.map_err(|error| refusal(&error))?;
        let mut ranked: Vec<(f64, Asset)> = Vec::new();
        for list in [by_words, near] {
            for (rank, asset) in list.into_iter().enumerate() {
                let score = 1.0 / (60.0 + rank as f64);
                let mut known = ranked.iter_mut();
                match known.find(|(_, other)| other.row().id == asset.row().id) {
                    Some((total, _)) => *total += score,
                    None => ranked.push((score, asset)),
                }
            }
        }
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let total = ranked.len() as u64;
        let items = ranked.iter().skip(page.from as usize);
        let items = items.take(page.limit.into());
        let items = items.map(|(_, asset)| ShownImage::from(asset)).collect();
        Ok(Images {
            search: Some(SearchMethod::Hybrid),
            ..Images::of(items, total, page.next(total))
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
