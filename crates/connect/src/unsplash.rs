//! Photographs from Unsplash, following its guidelines: pictures are hotlinked from its own addresses, photographer and Unsplash are
//! credited with links that carry a referral parameter, and each use of a photograph is reported.

use std::time::Duration;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_egress::{Egress, Request};
use sitewright_markup::html::escape_html;
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_tool::definition::outside;
use sitewright_tool::{DefinitionBuilder, Destination, Effect, ErrorCode, Taint};
use url::Url;

use crate::exchange::Refusal;
use crate::failure;
use crate::provider::{ProviderAccess, ProviderReply, ProviderRequest, no_key};

const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
const SEARCH: &str = "unsplash.search";
const USE: &str = "unsplash.use";
const SETTING: &str = "unsplash_access_key";
const REMEDY: &str = "Set `unsplash_access_key` (SITEWRIGHT_UNSPLASH_ACCESS_KEY) to the access key of an application at \
                      https://unsplash.com/developers.";
/// How many photographs a search returns by default.
const LIMIT: usize = 10;
const LIMIT_MAX: usize = 30;
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Unsplash, for the application that its key belongs to.
#[derive(Debug, Clone)]
pub struct Unsplash {
    egress: Egress,
    provider: ProviderAccess,
    /// The application's name, as it appears in links.
    app: String,
}

struct SearchTool(Unsplash);
struct UseTool(Unsplash);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PhotoSearch {
    /// What the photograph shows
    #[schemars(length(min = 1, max = 200))]
    query: String,
    /// How many at most; 10 when left out
    #[schemars(range(min = 1, max = 30))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct PhotoList {
    items: Vec<Photo>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PhotoChoice {
    /// The id that the search gave
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,64}$"))]
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct CreditedPhoto {
    photo: Photo,
    /// HTML for beside the photograph
    credit: String,
}

/// A photograph in the form of the contract.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Photo {
    id: String,
    image_url: String,
    thumb_url: String,
    alt: String,
    author: String,
    source_url: String,
}

impl Unsplash {
    /// Unsplash with a key; without one its tools are listed as disabled.
    pub fn new(egress: Egress, provider: ProviderAccess, app: impl Into<String>) -> Self {
        Self {
            egress,
            provider,
            app: app.into(),
        }
    }

    /// The tools `unsplash.search` and `unsplash.use`.
    pub fn tools(&self) -> Vec<Tool> {
        vec![
            Tool::outside(
                self.definition(outside(
                    SEARCH,
                    "Search photographs",
                    "Searches Unsplash for free photographs. Show the photographer (`author`) with a link to `sourceUrl` beside each one that \
                     is used, and call unsplash.use with its id first.",
                    Effect::None,
                ))
                .words("Searching photographs", "Searched photographs"),
                SearchTool(self.clone()),
            ),
            Tool::outside(
                self.definition(outside(
                    USE,
                    "Use a photograph",
                    "Takes a photograph of unsplash.search for a page: reports its use to Unsplash, as its rules ask, and answers the photograph \
                     with the credit to show beside it.",
                    Effect::None,
                ))
                .words("Choosing a photograph", "Chose a photograph"),
                UseTool(self.clone()),
            ),
        ]
    }

    fn definition(&self, definition: DefinitionBuilder) -> DefinitionBuilder {
        let definition = definition
            .timeout_ms(10_000)
            .attempts(2, 500)
            // The operator chose the address, and words for a search are of no use to those who upload photographs there.
            .sends_to(Destination::Harmless)
            .tags(&["photo", "image", "picture", "stock"]);
        match self.provider.key {
            Some(_) => definition,
            None => definition.disabled(REMEDY),
        }
    }

    async fn search(&self, input: PhotoSearch, attempt: Attempt<'_>) -> Result<PhotoList, Failure> {
        let limit = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let path = search_path(&input.query, limit);
        let answer = self.ask(SEARCH, self.provider.url(&path), attempt).await?;
        let Some(results) = answer["results"].as_array() else {
            return Err(failure::of_answer(
                SEARCH,
                ErrorCode::InvalidOutput,
                "its answer has no results",
            ));
        };
        let photos = results.iter().filter_map(|photo| self.photo(photo));
        Ok(PhotoList {
            items: photos.take(limit).collect(),
        })
    }

    /// Reports the use of a photograph at the address that it names for that, and returns what to show.
    async fn use_photo(
        &self,
        PhotoChoice { id }: PhotoChoice,
        attempt: Attempt<'_>,
    ) -> Result<CreditedPhoto, Failure> {
        let answer = self
            .ask(USE, self.provider.url(&format!("/photos/{id}")), attempt)
            .await?;
        let bad = |what| failure::of_answer(USE, ErrorCode::InvalidOutput, what);
        let photo = self
            .photo(&answer)
            .ok_or_else(|| bad("its answer is not a photograph"))?;
        let place = answer["links"]["download_location"]
            .as_str()
            .unwrap_or_default();
        if !self.is_ours(place) {
            return Err(bad("the place where a use is reported is not Unsplash's"));
        }
        self.ask(USE, place.to_owned(), attempt).await?;
        let profile =
            self.with_source(answer["user"]["links"]["html"].as_str().unwrap_or_default());
        let unsplash = self.with_source("https://unsplash.com/");
        let author = escape_html(&photo.author);
        let author = match profile {
            Some(profile) => format!("<a href=\"{}\">{author}</a>", escape_html(&profile)),
            None => author,
        };
        let credit = format!(
            "Photo by {author} on <a href=\"{}\">Unsplash</a>",
            escape_html(&unsplash.unwrap_or_default())
        );
        Ok(CreditedPhoto { photo, credit })
    }

    async fn ask(&self, tool: &str, url: String, attempt: Attempt<'_>) -> Result<Value, Failure> {
        let key = self.provider.header(header::AUTHORIZATION, "Client-ID ");
        let asking = ProviderRequest {
            egress: &self.egress,
            tool,
            key: key.ok_or_else(|| no_key(tool, REMEDY))?,
            setting: SETTING,
            answer_max: ANSWER_BYTES_MAX,
        };
        let version = HeaderName::from_static("accept-version");
        let request = Request::get(url).with_header(version, HeaderValue::from_static("v1"));
        match asking.ask(request, attempt.timeout).await? {
            ProviderReply::Json(answer) => Ok(answer),
            ProviderReply::Refused(refused) => Err(refusal(&asking, &refused)),
        }
    }

    /// A photograph in the form of the contract; `None` when a required part is missing.
    fn photo(&self, photo: &Value) -> Option<Photo> {
        let text = |place: &str| {
            photo
                .pointer(place)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        let image = text("/urls/regular").or(text("/urls/full"))?;
        let thumb = text("/urls/thumb").or(text("/urls/small")).unwrap_or(image);
        let alt = text("/alt_description").or(text("/description"));
        let author = text("/user/name").or(text("/user/username"));
        Some(Photo {
            id: text("/id")?.to_owned(),
            image_url: web_address(image)?,
            thumb_url: web_address(thumb)?,
            alt: alt.unwrap_or_default().to_owned(),
            author: author.unwrap_or("Unsplash").to_owned(),
            source_url: self.with_source(text("/links/html")?)?,
        })
    }

    /// A link that says which application the visitor comes from, as Unsplash requires.
    fn with_source(&self, link: &str) -> Option<String> {
        let mut url = Url::parse(&web_address(link)?).ok()?;
        url.query_pairs_mut()
            .append_pair("utm_source", &self.app)
            .append_pair("utm_medium", "referral");
        Some(url.into())
    }

    /// Whether an address is the provider's. The key is never sent to another address that an answer names.
    fn is_ours(&self, place: &str) -> bool {
        match (Url::parse(place), Url::parse(&self.provider.base_url)) {
            (Ok(place), Ok(base)) => place.origin() == base.origin(),
            _ => false,
        }
    }
}

fn search_path(query: &str, limit: usize) -> String {
    let mut words = url::form_urlencoded::Serializer::new(String::new());
    words.append_pair("query", query);
    words.append_pair("per_page", &limit.to_string());
    words.append_pair("content_filter", "high");
    format!("/search/photos?{}", words.finish())
}

/// Unsplash uses some statuses in unusual ways.
pub(crate) fn refusal(asking: &ProviderRequest<'_>, refused: &Refusal) -> Failure {
    let mut failure = asking.failure(refused);
    let is_limit = refused
        .body
        .to_ascii_lowercase()
        .starts_with(b"rate limit exceeded");
    if refused.status == StatusCode::FORBIDDEN && is_limit {
        failure.error.code = ErrorCode::RateLimited;
        failure.error.retryable = true;
        failure.retry_after = Some(HOUR);
        failure.error.message = format!(
            "`{}` has used up what its key may ask in an hour. Try again later.",
            asking.tool
        );
    }
    if refused.status == StatusCode::GONE {
        failure.error.code = ErrorCode::InvalidInput;
        failure.error.message = format!(
            "`{}` does not search for this. Use other words.",
            asking.tool
        );
    }
    failure
}

fn web_address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

impl Outside for SearchTool {
    type Input = PhotoSearch;
    type Data = PhotoList;

    async fn run(
        &self,
        input: PhotoSearch,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<PhotoList>, Failure> {
        self.0.search(input, attempt).await.map(untrusted)
    }
}

impl Outside for UseTool {
    type Input = PhotoChoice;
    type Data = CreditedPhoto;

    async fn run(
        &self,
        input: PhotoChoice,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<CreditedPhoto>, Failure> {
        self.0.use_photo(input, attempt).await.map(untrusted)
    }
}

fn untrusted<T>(data: T) -> ToolOutput<T> {
    ToolOutput {
        taint: Taint::Untrusted,
        ..ToolOutput::from(data)
    }
}
