//! `searchWeb`: results of a search engine, and with `deep` what the pages say and an answer written from them.

use http::header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_egress::Request;
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_tool::{ErrorCode, ToolError};

use super::fetch::{FetchedPage, URLS_MAX, fetch_all};
use super::readable::TextFormat;
use super::{SEARCH, SEARCH_REMEDY, WebAccess, WebSearchKind, untrusted};
use crate::failure;
use crate::provider::{ProviderReply, ProviderRequest, no_key};

const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How many results an answer has by default.
const RESULTS: usize = 5;
/// How many pages a deep search reads where the engine does not.
const READ_MAX: usize = 3;
/// The most characters of one result.
const RESULT_CHARS_MAX: usize = 12_000;

pub(super) struct SearchWebTool(pub(super) WebAccess);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SearchMode {
    Quick,
    Deep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Topic {
    General,
    News,
    Finance,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SearchWeb {
    /// What to search for.
    #[schemars(length(min = 1, max = 400))]
    query: String,
    /// quick for facts, deep for research.
    mode: SearchMode,
    /// How many results; 5 when left out.
    #[schemars(range(min = 1, max = 20))]
    num_results: Option<usize>,
    /// What kind of pages.
    topic: Option<Topic>,
    /// Addresses to fetch besides, up to 10.
    #[serde(default)]
    #[schemars(length(max = 10))]
    urls: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WebResults {
    success: bool,
    count: usize,
    items: Vec<WebResult>,
    /// An answer written from the results, if the engine writes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// The addresses that were to be fetched, each with its text or an error.
    pages: Vec<FetchedPage>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WebResult {
    title: String,
    url: String,
    snippet: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    /// What the page says, for a deep search.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Outside for SearchWebTool {
    type Input = SearchWeb;
    type Data = WebResults;

    async fn run(
        &self,
        input: SearchWeb,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<WebResults>, Failure> {
        if input.urls.len() > URLS_MAX {
            let message = format!("urls may name {URLS_MAX} addresses.");
            return Err(ToolError::new(ErrorCode::InvalidInput, message).into());
        }
        let mut results = match self.0.search_kind {
            WebSearchKind::Tavily => self.tavily(&input, attempt).await?,
            WebSearchKind::Searxng => self.searxng(&input, attempt).await?,
        };
        results.pages = fetch_all(&self.0.egress, &input.urls, TextFormat::Markdown).await;
        Ok(untrusted(results))
    }
}

impl SearchWebTool {
    async fn tavily(&self, input: &SearchWeb, attempt: Attempt<'_>) -> Result<WebResults, Failure> {
        let is_deep = input.mode == SearchMode::Deep;
        let key = self.0.search.header(header::AUTHORIZATION, "Bearer ");
        let asking = ProviderRequest {
            egress: &self.0.egress,
            tool: SEARCH,
            key: key.ok_or_else(|| no_key(SEARCH, SEARCH_REMEDY))?,
            setting: "web_search_key",
            answer_max: ANSWER_BYTES_MAX,
        };
        let body = json!({
            "query": input.query,
            "search_depth": if is_deep { "advanced" } else { "basic" },
            "topic": input.topic.unwrap_or(Topic::General),
            "max_results": input.num_results.unwrap_or(RESULTS),
            "include_answer": if is_deep { json!("advanced") } else { json!(false) },
            "include_raw_content": if is_deep { json!("markdown") } else { json!(false) },
        });
        let request = Request::post(self.0.search.url("/search"), body.to_string()).with_header(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("application/json"),
        );
        let answer = match asking.ask(request, attempt.timeout).await? {
            ProviderReply::Json(answer) => answer,
            ProviderReply::Refused(refused) => return Err(asking.failure(&refused)),
        };
        let mut results = results(&answer, "content", input).ok_or_else(no_results)?;
        results.answer = answer["answer"].as_str().map(shortened);
        Ok(results)
    }

    async fn searxng(
        &self,
        input: &SearchWeb,
        attempt: Attempt<'_>,
    ) -> Result<WebResults, Failure> {
        let asking = ProviderRequest {
            egress: &self.0.egress,
            tool: SEARCH,
            // It has no key; the header that every client sends takes its place.
            key: (
                header::ACCEPT,
                header::HeaderValue::from_static("application/json"),
            ),
            setting: "web_search_url",
            answer_max: ANSWER_BYTES_MAX,
        };
        let request = Request::get(self.0.search.url(&searxng_path(input)));
        let answer = match asking.ask(request, attempt.timeout).await? {
            ProviderReply::Json(answer) => answer,
            ProviderReply::Refused(refused) => return Err(asking.failure(&refused)),
        };
        let mut results = results(&answer, "content", input).ok_or_else(no_results)?;
        let silent = answer["unresponsive_engines"].as_array();
        if results.items.is_empty() && silent.is_some_and(|engines| !engines.is_empty()) {
            results
                .notes
                .push("No engine answered, so there may be results all the same.".to_owned());
        }
        if input.mode == SearchMode::Deep {
            self.read_results(&mut results).await;
        }
        Ok(results)
    }

    /// Reads the first pages of the results, for an engine that does not do it.
    async fn read_results(&self, results: &mut WebResults) {
        let urls: Vec<String> = results
            .items
            .iter()
            .take(READ_MAX)
            .map(|result| result.url.clone())
            .collect();
        let pages = fetch_all(&self.0.egress, &urls, TextFormat::Markdown).await;
        for (result, page) in results.items.iter_mut().zip(pages) {
            result.text = page.content.as_deref().map(shortened);
        }
        let note = "This search engine writes no answer; the first pages are here to be read.";
        results.notes.push(note.to_owned());
    }
}

fn searxng_path(input: &SearchWeb) -> String {
    let mut words = url::form_urlencoded::Serializer::new(String::new());
    words.append_pair("q", &input.query);
    words.append_pair("format", "json");
    if input.topic == Some(Topic::News) {
        words.append_pair("categories", "news");
    }
    format!("/search?{}", words.finish())
}

fn no_results() -> Failure {
    let what = "its answer has no results";
    failure::of_answer(SEARCH, ErrorCode::InvalidOutput, what)
}

fn results(answer: &Value, snippet: &str, input: &SearchWeb) -> Option<WebResults> {
    let found = answer["results"].as_array()?;
    let text = |result: &Value, name: &str| result[name].as_str().map(shortened);
    let items = found.iter().filter_map(|result| {
        Some(WebResult {
            title: text(result, "title").unwrap_or_default(),
            url: text(result, "url").filter(|url| url.starts_with("http"))?,
            snippet: text(result, snippet).unwrap_or_default(),
            published: text(result, "published_date").or_else(|| text(result, "publishedDate")),
            text: text(result, "raw_content"),
        })
    });
    let items: Vec<WebResult> = items.take(input.num_results.unwrap_or(RESULTS)).collect();
    Some(WebResults {
        success: true,
        count: items.len(),
        items,
        answer: None,
        pages: Vec::new(),
        notes: Vec::new(),
    })
}

fn shortened(text: &str) -> String {
    text.chars().take(RESULT_CHARS_MAX).collect()
}
