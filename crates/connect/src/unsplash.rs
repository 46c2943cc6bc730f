//! Photographs from Unsplash, by its rules: pictures are shown from its own addresses, photographer and Unsplash are credited with
//! links that say where the visitor comes from, and taking a photograph is reported.

use std::time::Duration;

use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use serde_json::{Value, json};
use sitewright_egress::{Egress, Request};
use sitewright_markup::html::escape_html;
use sitewright_runtime::{Attempt, Failure, Output, Running, Tool};
use sitewright_tool::{ErrorCode, Taint, ToolManifest};
use url::Url;

use crate::failure;
use crate::provider::{Asking, Provider, Refused, Said, no_key};

const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
const SETTING: &str = "unsplash_access_key";
const REMEDY: &str = "Set `unsplash_access_key` (SITEWRIGHT_UNSPLASH_ACCESS_KEY) to the access key of an application at \
                      https://unsplash.com/developers.";
/// How many photographs are found when nobody says.
const LIMIT: u64 = 10;
const LIMIT_MAX: u64 = 30;
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Unsplash, for the application that its key belongs to.
#[derive(Debug, Clone)]
pub struct Unsplash {
    egress: Egress,
    provider: Provider,
    /// The application's name, as links tell it.
    app: String,
}

/// A tool of Unsplash.
#[derive(Debug)]
pub struct UnsplashTool {
    unsplash: Unsplash,
    manifest: ToolManifest,
    work: Work,
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Search,
    Use,
}

impl Unsplash {
    /// Unsplash with a key; without one its tools are listed and off.
    pub fn new(egress: Egress, provider: Provider, app: impl Into<String>) -> Self {
        Self {
            egress,
            provider,
            app: app.into(),
        }
    }

    /// `unsplash.search` and `unsplash.use`.
    pub fn tools(&self) -> Result<Vec<UnsplashTool>, serde_json::Error> {
        [Work::Search, Work::Use]
            .into_iter()
            .map(|work| {
                Ok(UnsplashTool {
                    unsplash: self.clone(),
                    manifest: serde_json::from_value(self.manifest(work))?,
                    work,
                })
            })
            .collect()
    }

    fn manifest(&self, work: Work) -> Value {
        let (name, title, description, input, output) = match work {
            Work::Search => (
                "unsplash.search",
                "Search photographs",
                "Searches Unsplash for free photographs. Show the photographer (`author`) with a link to `sourceUrl` beside each one that \
                 is used, and call unsplash.use with its id first.",
                json!({
                    "type": "object", "additionalProperties": false, "required": ["query"],
                    "properties": {
                        "query": { "type": "string", "minLength": 1, "maxLength": 200, "description": "What the photograph shows" },
                        "limit": { "type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "description": "How many at most; 10 when left out" }
                    }
                }),
                json!({
                    "type": "object", "required": ["items"],
                    "properties": { "items": { "type": "array", "items": photo_schema() } }
                }),
            ),
            Work::Use => (
                "unsplash.use",
                "Use a photograph",
                "Takes a photograph of unsplash.search for a page: reports its use to Unsplash, as its rules ask, and answers the photograph \
                 with the credit to show beside it.",
                json!({
                    "type": "object", "additionalProperties": false, "required": ["id"],
                    "properties": { "id": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$", "description": "The id that the search gave" } }
                }),
                json!({
                    "type": "object", "required": ["photo", "credit"],
                    "properties": { "photo": photo_schema(), "credit": { "type": "string", "description": "HTML for beside the photograph" } }
                }),
            ),
        };
        let is_on = self.provider.key.is_some();
        let mut manifest = json!({
            "name": name, "title": title, "description": description, "inputSchema": input, "outputSchema": output,
            "capability": "read", "timeoutMs": 10_000, "retryPolicy": { "maxAttempts": 2, "backoffMs": 500 }, "idempotent": true,
            "intentTags": ["photo", "image", "picture", "stock"], "enabled": is_on
        });
        if !is_on {
            manifest["guidance"] = json!(REMEDY);
        }
        manifest
    }

    async fn search(&self, tool: &str, attempt: Attempt<'_>) -> Result<Value, Failure> {
        let query = attempt.arguments["query"].as_str().unwrap_or_default();
        let limit = attempt.arguments["limit"]
            .as_u64()
            .unwrap_or(LIMIT)
            .clamp(1, LIMIT_MAX);
        let path = search_path(query, limit);
        let answer = self.ask(tool, self.provider.url(&path), attempt).await?;
        let Some(results) = answer["results"].as_array() else {
            return Err(failure::of_answer(
                tool,
                ErrorCode::InvalidOutput,
                "its answer has no results",
            ));
        };
        let items = results.iter().filter_map(|photo| self.item(photo));
        let items: Vec<Value> = items
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect();
        Ok(json!({ "items": items }))
    }

    /// Reports the use of a photograph at the address that it names for that, and answers what to show.
    async fn use_photo(&self, tool: &str, attempt: Attempt<'_>) -> Result<Value, Failure> {
        let id = attempt.arguments["id"].as_str().unwrap_or_default();
        let photo = self
            .ask(tool, self.provider.url(&format!("/photos/{id}")), attempt)
            .await?;
        let bad = |what| failure::of_answer(tool, ErrorCode::InvalidOutput, what);
        let item = self
            .item(&photo)
            .ok_or_else(|| bad("its answer is no photograph"))?;
        let place = photo["links"]["download_location"]
            .as_str()
            .unwrap_or_default();
        if !self.is_ours(place) {
            return Err(bad("the place where a use is reported is not Unsplash's"));
        }
        self.ask(tool, place.to_owned(), attempt).await?;
        let profile = self.with_source(photo["user"]["links"]["html"].as_str().unwrap_or_default());
        let unsplash = self.with_source("https://unsplash.com/");
        let author = escape_html(item["author"].as_str().unwrap_or_default());
        let author = match profile {
            Some(profile) => format!("<a href=\"{}\">{author}</a>", escape_html(&profile)),
            None => author,
        };
        let credit = format!(
            "Photo by {author} on <a href=\"{}\">Unsplash</a>",
            escape_html(&unsplash.unwrap_or_default())
        );
        Ok(json!({ "photo": item, "credit": credit }))
    }

    async fn ask(&self, tool: &str, url: String, attempt: Attempt<'_>) -> Result<Value, Failure> {
        let key = self.provider.header(header::AUTHORIZATION, "Client-ID ");
        let asking = Asking {
            egress: &self.egress,
            tool,
            key: key.ok_or_else(|| no_key(tool, REMEDY))?,
            setting: SETTING,
            answer_max: ANSWER_BYTES_MAX,
        };
        let version = HeaderName::from_static("accept-version");
        let request = Request::get(url).with_header(version, HeaderValue::from_static("v1"));
        match asking.ask(request, attempt.timeout).await? {
            Said::Json(answer) => Ok(answer),
            Said::Refused(refused) => Err(refusal(&asking, &refused)),
        }
    }

    /// A photograph in the form of the contract; nothing when it lacks what that needs.
    fn item(&self, photo: &Value) -> Option<Value> {
        let text = |place: &str| {
            photo
                .pointer(place)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        let image = text("/urls/regular").or(text("/urls/full"))?;
        let alt = text("/alt_description")
            .or(text("/description"))
            .unwrap_or_default();
        Some(json!({
            "id": text("/id")?,
            "imageUrl": web_address(image)?,
            "thumbUrl": web_address(text("/urls/thumb").or(text("/urls/small")).unwrap_or(image))?,
            "alt": alt,
            "author": text("/user/name").or(text("/user/username")).unwrap_or("Unsplash"),
            "sourceUrl": self.with_source(text("/links/html")?)?,
        }))
    }

    /// A link that says which application the visitor comes from, as Unsplash asks.
    fn with_source(&self, link: &str) -> Option<String> {
        let mut url = Url::parse(&web_address(link)?).ok()?;
        url.query_pairs_mut()
            .append_pair("utm_source", &self.app)
            .append_pair("utm_medium", "referral");
        Some(url.into())
    }

    /// The key goes to the provider and to nobody that an answer names.
    fn is_ours(&self, place: &str) -> bool {
        match (Url::parse(place), Url::parse(&self.provider.base_url)) {
            (Ok(place), Ok(base)) => place.origin() == base.origin(),
            _ => false,
        }
    }
}

fn search_path(query: &str, limit: u64) -> String {
    let mut words = url::form_urlencoded::Serializer::new(String::new());
    words.append_pair("query", query);
    words.append_pair("per_page", &limit.to_string());
    words.append_pair("content_filter", "high");
    format!("/search/photos?{}", words.finish())
}

fn photo_schema() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object", "required": ["id", "imageUrl", "thumbUrl", "alt", "author", "sourceUrl"],
        "properties": { "id": text, "imageUrl": text, "thumbUrl": text, "alt": text, "author": text, "sourceUrl": text }
    })
}

/// Unsplash tells some things with unusual statuses.
fn refusal(asking: &Asking<'_>, refused: &Refused) -> Failure {
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

impl Tool for UnsplashTool {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a> {
        Box::pin(async move {
            let name = self.manifest.name.as_str();
            let data = match self.work {
                Work::Search => self.unsplash.search(name, attempt).await?,
                Work::Use => self.unsplash.use_photo(name, attempt).await?,
            };
            Ok(Output {
                data,
                taint: Taint::Untrusted,
                ..Output::default()
            })
        })
    }
}
