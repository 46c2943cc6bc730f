//! `searchWeb`, `fetchContent`, `httpGet` and `httpPost`: what is elsewhere on the web, as text. All of it is outside text, and tainted.

mod fetch;
mod http_tools;
mod readable;
mod search;

use std::time::Duration;

use sitewright_egress::Egress;
use sitewright_runtime::{Tool, ToolOutput};
use sitewright_tool::definition::outside;
use sitewright_tool::{Capability, DefinitionBuilder, Destination, Effect, Scope, Taint};

use crate::guidance::Guidance;
use crate::provider::ProviderAccess;

const SEARCH: &str = "searchWeb";
const FETCH: &str = "fetchContent";
const GET: &str = "httpGet";
const POST: &str = "httpPost";
/// How long fetching one page may take.
const PAGE_TIMEOUT: Duration = Duration::from_secs(15);
const SEARCH_REMEDY: &str = "Set `web_search_key` (SITEWRIGHT_WEB_SEARCH_KEY) to a key of Tavily, or `web_search_provider` to `searxng` with its `web_search_url`.";

/// Who answers searches of the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebSearchKind {
    /// Tavily, or something that answers as it does. Needs a key.
    Tavily,
    /// A SearXNG of one's own, without a key. It has no written answers.
    Searxng,
}

/// The web, as far as tools reach it.
#[derive(Debug, Clone)]
pub struct WebAccess {
    pub egress: Egress,
    pub search: ProviderAccess,
    pub search_kind: WebSearchKind,
}

impl WebAccess {
    /// The tools for the web; without a provider of searches `searchWeb` is listed as disabled.
    pub fn tools(&self, guidance: Guidance<'_>) -> Vec<Tool> {
        let search = outside(
            SEARCH,
            "Search the web",
            "Web search. mode: quick (facts) or deep (research with AI answer). urls are fetched, too. Returns results with sources.",
            Effect::None,
        )
        .timeout_ms(60_000)
        .words("Searching the web", "Searched the web")
        .tags(&["web", "search", "research", "facts", "external"]);
        let fetch = outside(
            FETCH,
            "Fetch pages",
            "Extract content from URLs. format: markdown or text. Returns the text, or an error, for each URL.",
            Effect::None,
        )
        .timeout_ms(90_000)
        .words("Reading web pages", "Read web pages")
        .tags(&["web", "fetch", "read", "page", "url", "external"]);
        let get = outside(
            GET,
            "Send a GET request",
            "HTTP GET to external API. By url with headers. Returns status, headers and body.",
            Effect::None,
        )
        .words(
            "Requesting data from another server",
            "Requested data from another server",
        )
        .tags(&["http", "api", "request", "external"]);
        let post = outside(
            POST,
            "Send a POST request",
            "HTTP POST to external API. By url with body and headers. Requires confirmed. Returns status, headers and body.",
            Effect::External,
        )
        .confirmation("preview")
        .needs(Capability::ContentWrite)
        .words("Sending data to another server", "Sent data to another server")
        .tags(&["http", "api", "request", "send", "external"]);
        let search = of_content(search, guidance);
        let search = match self.can_search() {
            true => search,
            false => search.disabled(SEARCH_REMEDY),
        };
        vec![
            Tool::outside(search, search::SearchWebTool(self.clone())),
            Tool::outside(
                of_content(fetch, guidance),
                fetch::FetchContentTool(self.clone()),
            ),
            Tool::outside(
                of_content(get, guidance),
                http_tools::HttpGetTool(self.clone()),
            ),
            Tool::outside(
                of_content(post, guidance),
                http_tools::HttpPostTool(self.clone()),
            ),
        ]
    }

    fn can_search(&self) -> bool {
        match self.search_kind {
            WebSearchKind::Tavily => self.search.key.is_some(),
            WebSearchKind::Searxng => !self.search.base_url.is_empty(),
        }
    }
}

fn of_content(definition: DefinitionBuilder, guidance: Guidance<'_>) -> DefinitionBuilder {
    guidance
        .of(definition)
        .scopes(&[Scope::Content])
        .sends_to(Destination::Vendor)
}

fn untrusted<T>(data: T) -> ToolOutput<T> {
    ToolOutput {
        taint: Taint::Untrusted,
        ..ToolOutput::from(data)
    }
}
