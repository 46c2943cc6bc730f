//! `fetchContent`: the text of pages. Each address has its own answer, so one that fails takes nothing from the others.

use futures_util::StreamExt as _;
use http::header::{self, HeaderMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_egress::{Egress, EgressError, Request, Response};
use sitewright_runtime::{Attempt, Failure, Outside, ToolOutput};
use sitewright_tool::{ErrorCode, ToolError};

use super::readable::{TextFormat, read_page};
use super::{PAGE_TIMEOUT, WebAccess, untrusted};
use crate::exchange::{BodyRead, read};

/// The most bytes of a page that are read.
const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most characters of a page in an answer.
const TEXT_CHARS_MAX: usize = 40_000;
/// How many pages are fetched at once.
const AT_ONCE: usize = 4;
/// The most addresses of one call.
pub(super) const URLS_MAX: usize = 10;

pub(super) struct FetchContentTool(pub(super) WebAccess);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchContent {
    /// The addresses, up to 10.
    #[schemars(length(min = 1, max = 10))]
    urls: Vec<String>,
    /// How the text is written; markdown when left out.
    #[serde(default)]
    format: TextFormat,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FetchedPages {
    /// Whether any page could be read.
    success: bool,
    /// How many could.
    count: usize,
    /// One for each address, in order.
    items: Vec<FetchedPage>,
}

/// What came of an address: its content, or an error.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FetchedPage {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// Whether there is more than the content shows.
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Outside for FetchContentTool {
    type Input = FetchContent;
    type Data = FetchedPages;

    async fn run(
        &self,
        input: FetchContent,
        _attempt: Attempt<'_>,
    ) -> Result<ToolOutput<FetchedPages>, Failure> {
        if !(1..=URLS_MAX).contains(&input.urls.len()) {
            let message = format!("urls must name 1 to {URLS_MAX} addresses.");
            return Err(ToolError::new(ErrorCode::InvalidInput, message).into());
        }
        let items = fetch_all(&self.0.egress, &input.urls, input.format).await;
        let count = items.iter().filter(|page| page.content.is_some()).count();
        Ok(untrusted(FetchedPages {
            success: count > 0,
            count,
            items,
        }))
    }
}

/// The pages at some addresses, in their order.
pub(super) async fn fetch_all(
    egress: &Egress,
    urls: &[String],
    format: TextFormat,
) -> Vec<FetchedPage> {
    let pages = futures_util::stream::iter(urls.iter().cloned());
    let pages = pages.map(|url| fetch(egress, url, format));
    pages.buffered(AT_ONCE).collect().await
}

async fn fetch(egress: &Egress, url: String, format: TextFormat) -> FetchedPage {
    let failed = |url: String, error: String| FetchedPage {
        url,
        title: None,
        content: None,
        truncated: false,
        error: Some(error),
    };
    match load(egress, &url).await {
        Ok(PageText {
            response_url,
            headers,
            text,
            is_cut,
        }) => {
            let is_html = media_type(&headers).is_none_or(|found| found.contains("html"));
            let page = match is_html {
                true => read_page(&text, &response_url, format),
                false => None,
            };
            let (title, text) = match page {
                Some(page) => (page.title, page.text),
                None if is_html => {
                    return failed(
                        url,
                        "The page is too large or too deep to be read.".to_owned(),
                    );
                }
                None => (None, text),
            };
            let content: String = text.chars().take(TEXT_CHARS_MAX).collect();
            FetchedPage {
                url,
                title,
                truncated: is_cut || content.len() < text.len(),
                content: Some(content),
                error: None,
            }
        }
        Err(error) => failed(url, error),
    }
}

struct PageText {
    response_url: url::Url,
    headers: HeaderMap,
    text: String,
    is_cut: bool,
}

async fn load(egress: &Egress, url: &str) -> Result<PageText, String> {
    let told = |error: &EgressError| format!("It could not be fetched: {error}.");
    let request = Request::get(url)
        .with_total(PAGE_TIMEOUT)
        .with_max_body(u64::MAX);
    let sent = egress.send(request).await;
    let Response {
        status,
        headers,
        url: response_url,
        mut body,
        ..
    } = sent.map_err(|error| told(&error))?;
    if !status.is_success() {
        return Err(format!("It answered {}.", status.as_u16()));
    }
    if let Some(found) = media_type(&headers).filter(|found| !is_text(found)) {
        return Err(format!("It is no text but {found}."));
    }
    let (bytes, is_cut) = match read(&mut body, PAGE_BYTES_MAX).await {
        Ok(BodyRead::Whole(bytes)) => (bytes, false),
        Ok(BodyRead::CutOff(bytes)) => (bytes, true),
        Err((_, error)) => return Err(told(&error)),
    };
    Ok(PageText {
        response_url,
        headers,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        is_cut,
    })
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let found = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(found.split(';').next()?.trim().to_ascii_lowercase())
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["html", "xml", "json", "yaml"]
            .iter()
            .any(|kind| media_type.contains(kind))
}
