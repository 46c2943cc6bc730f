//! The pictures of the site for editors: listing, adding, renaming and deleting.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_media::{Asset, BYTES_MAX, BadPicture, MediaError, NewPicture};
use sitewright_publish::{ShownRelease, uploads_of};
use sitewright_site::Mention;
use sitewright_store::{MediaChange, MediaId, MediaRow};
use sitewright_tool::{Capability, ErrorCode, sentence};
use tokio::task::spawn_blocking;

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route, Upload};

/// Enough for fifty megabytes over a slow line, or the largest picture on a slow machine.
const UPLOAD_WITHIN: Duration = Duration::from_secs(180);

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
    );
    let path = "/admin/api/media";
    let one = "/admin/api/media/{id}";
    vec![
        Route::new(
            Method::GET,
            path,
            read,
            "The pictures there are, the newest first",
            list,
        ),
        Route::upload(
            path,
            write,
            "Add a picture: the file as the body, its name and text in the query",
            add,
        )
        .up_to(BYTES_MAX)
        .within(UPLOAD_WITHIN),
        Route::new(
            Method::GET,
            one,
            read,
            "A picture, and where it is used",
            show,
        ),
        Route::new(
            Method::PATCH,
            one,
            write,
            "Name a picture, or say what it shows",
            change,
        ),
        Route::new(
            Method::GET,
            "/admin/api/media-bin",
            read,
            "The pictures that were deleted and can be restored",
            list_bin,
        ),
        Route::new(
            Method::POST,
            "/admin/api/media-bin/{id}/restore",
            write,
            "Take a picture out of the bin",
            restore,
        ),
        Route::new(
            Method::DELETE,
            one,
            write,
            "Delete a picture that is not used; the bin keeps it for 30 days",
            remove,
        ),
    ]
}

/// A picture.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MediaItem {
    /// The picture.
    id: String,
    /// What people call it.
    name: String,
    /// What it shows, for those who cannot see it.
    alt: String,
    /// Where the largest size is served, for `src`.
    url: String,
    /// All sizes, for `srcset`.
    srcset: String,
    /// Where the smallest size is served.
    thumbnail: String,
    /// How wide the original is, upright.
    width: u32,
    /// How high the original is, upright.
    height: u32,
    /// What the original is, such as `image/png`.
    format: String,
    /// How many bytes the original has.
    bytes: u64,
    /// Whether the original moves; what is served shows its first moment.
    animated: bool,
    /// Whom to name beside it, where somebody asks for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<Value>,
    /// Words of editors to find it by.
    tags: Vec<String>,
    /// The groups that editors put it into.
    categories: Vec<String>,
    /// When it was added, in milliseconds since 1970.
    created_at: i64,
}

impl From<&Asset> for MediaItem {
    fn from(asset: &Asset) -> Self {
        let MediaRow {
            id,
            site: _,
            blob: _,
            format,
            width,
            height,
            bytes,
            is_animated,
            name,
            alt,
            credit,
            variants: _,
            tags,
            categories,
            created_at,
        } = asset.row();
        Self {
            id: id.to_string(),
            name: name.clone(),
            alt: alt.clone(),
            url: asset.url(),
            srcset: asset.srcset(),
            thumbnail: asset.thumbnail(),
            width: *width,
            height: *height,
            format: format.clone(),
            bytes: *bytes,
            animated: *is_animated,
            credit: credit.clone(),
            tags: tags.clone(),
            categories: categories.clone(),
            created_at: created_at.millis(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MediaQuery {
    /// Only pictures whose name or text holds this.
    search: Option<String>,
    /// Only pictures from before this one.
    before: Option<String>,
    /// How many, at most 200; 50 when left out.
    limit: Option<u16>,
}

/// Pictures.
#[derive(Serialize, JsonSchema)]
struct MediaList {
    /// The pictures, the newest first.
    media: Vec<MediaItem>,
    /// What to send as `before` for older ones; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn list(context: Context, input: MediaQuery) -> Result<Json<MediaList>, ApiError> {
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let before = input.before.map(MediaId::from);
    let search = input.search.unwrap_or_default();
    let library = context.app.library();
    let (assets, next) = library
        .page(context.site()?, search.trim(), before.as_ref(), limit)
        .await
        .map_err(refusal)?;
    Ok(Json(MediaList {
        media: assets.iter().map(MediaItem::from).collect(),
        next: next.map(|id| id.to_string()),
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewMedia {
    /// What to call it, such as the name of the file.
    name: Option<String>,
    /// What it shows, for those who cannot see it.
    alt: Option<String>,
}

async fn add(context: Context, input: Upload<NewMedia>) -> Result<Json<MediaItem>, ApiError> {
    let Upload { about, bytes } = input;
    let name = about.name.unwrap_or_default();
    let picture = NewPicture {
        bytes,
        name: match name.trim() {
            "" => "Picture".to_owned(),
            name => name.to_owned(),
        },
        alt: about.alt.unwrap_or_default().trim().to_owned(),
        credit: None,
    };
    let library = context.app.library();
    let asset = library
        .add(context.site()?, picture, &context.by())
        .await
        .map_err(refusal)?;
    Ok(Json(MediaItem::from(&asset)))
}

/// A picture and where it is used.
#[derive(Serialize, JsonSchema)]
struct MediaUse {
    /// The picture.
    #[serde(flatten)]
    item: MediaItem,
    /// The documents and styles of the draft that show it.
    uses: Vec<Mention>,
    /// Whether visitors see it now.
    published: bool,
}

async fn show(context: Context, _: Nothing) -> Result<Json<MediaUse>, ApiError> {
    let asset = asset(&context).await?;
    let (uses, published) = used(&context, &asset.row().id).await?;
    Ok(Json(MediaUse {
        item: MediaItem::from(&asset),
        uses,
        published,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MediaPatch {
    /// What people call it.
    name: Option<String>,
    /// What it shows; empty for a picture that only decorates.
    alt: Option<String>,
    /// Words to find it by, in place of those before.
    tags: Option<Vec<String>>,
    /// The groups it belongs to, in place of those before.
    categories: Option<Vec<String>>,
}

async fn change(context: Context, input: MediaPatch) -> Result<Json<MediaItem>, ApiError> {
    let name = input.name.map(|name| name.trim().to_owned());
    if name.as_deref() == Some("") {
        return Err(ApiError::field("name", "A picture needs a name."));
    }
    let id = id(&context)?;
    let change = MediaChange {
        name,
        alt: input.alt.map(|alt| alt.trim().to_owned()),
        tags: input.tags,
        categories: input.categories,
    };
    let library = context.app.library();
    let asset = library
        .change(context.site()?, &id, change, &context.by())
        .await
        .map_err(refusal)?;
    Ok(Json(MediaItem::from(&asset)))
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let id = asset(&context).await?.row().id.clone();
    let (uses, published) = used(&context, &id).await?;
    if !uses.is_empty() || published {
        let mut names: Vec<&str> = uses.iter().map(|place| place.name.as_str()).collect();
        if published {
            names.push("the published site");
        }
        let places = match names.as_slice() {
            [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
            _ => names.concat(),
        };
        let detail = format!("This picture is used by {places}. Take it out there first.");
        return Err(ApiError::new(ErrorCode::Conflict, detail)
            .with("uses", json!(uses))
            .with("published", json!(published)));
    }
    let library = context.app.library();
    library
        .bin(context.site()?, &[id], &context.by())
        .await
        .map_err(refusal)?;
    Ok(Done)
}

/// A picture in the bin.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BinnedItem {
    /// The picture.
    #[serde(flatten)]
    item: MediaItem,
    /// Until when it can be restored, in milliseconds since 1970.
    kept_until: i64,
}

/// The pictures in the bin.
#[derive(Serialize, JsonSchema)]
struct MediaBin {
    /// The pictures, the last deleted first.
    media: Vec<BinnedItem>,
}

async fn list_bin(context: Context, _: Nothing) -> Result<Json<MediaBin>, ApiError> {
    let library = context.app.library();
    let binned = library.binned(context.site()?, 200).await;
    let binned = binned.map_err(refusal)?;
    let media = binned.iter().map(|(asset, kept_until)| BinnedItem {
        item: MediaItem::from(asset),
        kept_until: kept_until.millis(),
    });
    Ok(Json(MediaBin {
        media: media.collect(),
    }))
}

async fn restore(context: Context, _: Nothing) -> Result<Json<MediaItem>, ApiError> {
    let library = context.app.library();
    let restored = library
        .restore(context.site()?, &id(&context)?, &context.by())
        .await;
    let asset = restored.map_err(refusal)?;
    Ok(Json(MediaItem::from(&asset)))
}

/// The places in the draft that use a picture, and whether visitors see it.
async fn used(context: &Context, id: &MediaId) -> Result<(Vec<Mention>, bool), ApiError> {
    let site = context.site()?;
    let mut live = context.app.store().live_site(site).await?;
    let uses = live.mentions(id.as_str()).await?;
    drop(live);
    let shown = context.app.publisher().shown(site).await?;
    let address = format!("/uploads/{id}/");
    let is_shown = move |shown: Arc<ShownRelease>| {
        let mut uploads = uploads_of(&shown).iter();
        uploads.any(|upload| upload.starts_with(&address))
    };
    let published = match shown {
        Some(shown) => spawn_blocking(move || is_shown(shown))
            .await
            .map_err(|error| ApiError::internal(&error))?,
        None => false,
    };
    Ok((uses, published))
}

fn id(context: &Context) -> Result<MediaId, ApiError> {
    Ok(MediaId::from(context.param("id")?.to_owned()))
}

/// The asset in the path, if it belongs to the site.
async fn asset(context: &Context) -> Result<Asset, ApiError> {
    let site = context.site()?;
    let found = context.app.library().asset(&id(context)?).await;
    let found = found.map_err(refusal)?;
    found
        .filter(|asset| asset.row().site == *site)
        .ok_or_else(|| ApiError::not_found("There is no such picture."))
}

fn refusal(error: MediaError) -> ApiError {
    let code = match &error {
        MediaError::TooLarge { .. }
        | MediaError::Picture(BadPicture::TooManyPixels { .. } | BadPicture::TooCostly) => {
            ErrorCode::TooLarge
        }
        MediaError::Picture(BadPicture::NotMade(_)) => return ApiError::internal(&error),
        MediaError::Picture(_) => ErrorCode::InvalidInput,
        MediaError::Stopped => ErrorCode::Unavailable,
        _ => ErrorCode::Internal,
    };
    match error {
        MediaError::Store(error) => error.into(),
        other => ApiError::new(code, sentence(&other.to_string())),
    }
}
