//! `astral`: a browser that a model can drive.
//!
//! Each session has a Chromium of its own, with an empty profile, whose only route out is a [`ForwardProxy`]. Names are resolved by the
//! proxy and never by the browser, and UDP is off, so there is no way around the checks of `egress`.

mod chromium;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_egress::{Egress, ForwardProxy};
use sitewright_media::{Library, NewPicture};
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_store::SiteId;
use sitewright_tool::definition::outside;
use sitewright_tool::{Destination, Effect, ErrorCode, Scope, Taint, ToolError};
use tokio::sync::Mutex;
use tokio::time::Instant;

use chromium::{BrowserFailure, Chromium};

const NAME: &str = "astral";
const TIMEOUT_MS: u32 = 90_000;
/// The most browsers at once; the one that was idle longest is closed for a new session.
const SESSIONS_MAX: usize = 4;
/// A browser that nobody used for this long is closed when another is opened.
const IDLE: Duration = Duration::from_secs(10 * 60);
const TEXT_CHARS_MAX: usize = 100_000;
const RESULT_BYTES_MAX: usize = 200_000;

/// The tool. `program` is the browser to start; without one it is found on the usual path.
pub fn browser_tool(egress: Egress, library: Library, program: Option<PathBuf>) -> Tool {
    let definition = outside(
        NAME,
        "Use a browser",
        "Drives a browser: `navigate` to a `url` (answers `url`, `title`), read the `text` of the page or of a `selector`, `click` a \
         `selector` (answers `clicked`), take a `screenshot` (answers its `path`), `evaluate` a JavaScript `script` in the page (answers \
         `result`). The page stays open between calls of a session. `click` and `evaluate` can send and spend, so they need approval.",
        Effect::External,
    )
    .only_reads_if("action", &["navigate", "text", "screenshot"])
    .words("Using a browser", "Used a browser")
    .scopes(&[Scope::Breadcrumbs])
    .tags(&["browser", "web", "page", "scrape"])
    .sends_to(Destination::Vendor)
    .timeout_ms(TIMEOUT_MS);
    Tool::outside(
        definition,
        Browser {
            egress,
            library,
            program,
            sessions: Mutex::default(),
        },
    )
}

type Session = Arc<Mutex<Chromium>>;

struct Browser {
    egress: Egress,
    library: Library,
    program: Option<PathBuf>,
    /// By site, caller and session. A lock and not a message: it is held while a browser starts, so that a session starts one.
    sessions: Mutex<HashMap<String, (Session, Instant)>>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum BrowserAction {
    Navigate,
    Text,
    Click,
    Screenshot,
    Evaluate,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BrowserInput {
    /// What to do.
    action: BrowserAction,
    /// The address, for `navigate`; other actions go there first if it is given.
    #[serde(default)]
    url: Option<String>,
    /// The element, as a CSS selector, for `click` and `text`.
    #[serde(default)]
    selector: Option<String>,
    /// The expression, for `evaluate`.
    #[serde(default)]
    script: Option<String>,
}

#[derive(Serialize, JsonSchema, Default)]
struct BrowserAnswer {
    /// Where the browser is.
    url: String,
    /// The title of the page.
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clicked: Option<bool>,
    /// The address of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
}

impl Outside for Browser {
    type Input = BrowserInput;
    type Data = BrowserAnswer;

    async fn run(
        &self,
        input: BrowserInput,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<BrowserAnswer>, Failure> {
        let session = self.session(&attempt).await?;
        let mut browser = session.lock().await;
        let acted = self.act(&mut browser, input, &attempt).await;
        if acted.as_ref().is_err_and(|(_, is_lost)| *is_lost) {
            drop(browser);
            self.sessions.lock().await.remove(&session_key(&attempt));
        }
        let answer = acted.map_err(|(failure, _)| failure)?;
        Ok(ToolOutput {
            taint: Taint::Untrusted,
            ..ToolOutput::from(answer)
        })
    }
}

fn session_key(attempt: &Attempt<'_>) -> String {
    let context = attempt.context;
    format!(
        "{}\n{}\n{}",
        context.site_id, attempt.by.actor, context.session_id
    )
}

fn bad(message: impl Into<String>) -> (Failure, bool) {
    let error = ToolError::new(ErrorCode::InvalidInput, message);
    (Failure::answered(error), false)
}

/// A failure of the browser, and whether it is lost.
fn failed(failure: BrowserFailure) -> (Failure, bool) {
    let is_lost = matches!(failure, BrowserFailure::Gone | BrowserFailure::Start(_));
    let code = match failure {
        BrowserFailure::Page(_) => ErrorCode::InvalidInput,
        BrowserFailure::Late => ErrorCode::Timeout,
        BrowserFailure::Gone | BrowserFailure::Start(_) => ErrorCode::Unavailable,
    };
    let error = ToolError::new(code, failure.to_string());
    (Failure::answered(error), is_lost)
}

impl Browser {
    /// The browser of a session; a new one if it has none.
    async fn session(&self, attempt: &Attempt<'_>) -> Result<Session, Failure> {
        let key = session_key(attempt);
        let mut sessions = self.sessions.lock().await;
        let now = Instant::now();
        if let Some((session, used)) = sessions.get_mut(&key) {
            *used = now;
            return Ok(Arc::clone(session));
        }
        sessions.retain(|_, (_, used)| now.duration_since(*used) < IDLE);
        while sessions.len() >= SESSIONS_MAX {
            let oldest = sessions.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            sessions.remove(&oldest);
        }
        let proxy = ForwardProxy::start(self.egress.clone()).await;
        let proxy = proxy.map_err(|error| failed(BrowserFailure::Start(error.to_string())).0)?;
        let started = Chromium::start(self.program.clone(), proxy).await;
        let session = Arc::new(Mutex::new(started.map_err(|failure| failed(failure).0)?));
        sessions.insert(key, (Arc::clone(&session), now));
        Ok(session)
    }

    async fn act(
        &self,
        browser: &mut Chromium,
        input: BrowserInput,
        attempt: &Attempt<'_>,
    ) -> Result<BrowserAnswer, (Failure, bool)> {
        if let Some(url) = &input.url {
            let vetted = self.egress.policy().vet(url);
            let vetted =
                vetted.map_err(|error| bad(sitewright_tool::sentence(&error.to_string())))?;
            browser
                .navigate(vetted.url.as_str())
                .await
                .map_err(failed)?;
        } else if input.action == BrowserAction::Navigate {
            return Err(bad("`navigate` needs a `url`."));
        }
        let mut answer = BrowserAnswer::default();
        match input.action {
            BrowserAction::Navigate => {}
            BrowserAction::Text => {
                let selector = json!(input.selector.as_deref().unwrap_or("body"));
                let script = format!("document.querySelector({selector})?.innerText ?? null");
                let text = browser.evaluate(&script).await.map_err(failed)?;
                let text = text.as_str().ok_or_else(|| {
                    bad(format!("The page has no element {selector}; read `text` without a `selector` first."))
                })?;
                answer.text = Some(text.chars().take(TEXT_CHARS_MAX).collect());
            }
            BrowserAction::Click => {
                let selector = input
                    .selector
                    .ok_or_else(|| bad("`click` needs a `selector`."))?;
                answer.clicked = Some(browser.click(&selector).await.map_err(failed)?);
            }
            BrowserAction::Screenshot => {
                let picture = browser.screenshot().await.map_err(failed)?;
                answer.path = Some(self.keep(&picture, attempt).await?);
            }
            BrowserAction::Evaluate => {
                let script = input
                    .script
                    .ok_or_else(|| bad("`evaluate` needs a `script`."))?;
                let result = browser.evaluate(&script).await.map_err(failed)?;
                if result.to_string().len() > RESULT_BYTES_MAX {
                    return Err(bad("The result is too large; return less of it."));
                }
                answer.result = Some(result);
            }
        }
        let place = browser.evaluate("[location.href, document.title]").await;
        let place = place.map_err(failed)?;
        answer.url = place[0].as_str().unwrap_or_default().to_owned();
        answer.title = place[1].as_str().unwrap_or_default().to_owned();
        Ok(answer)
    }

    /// Stores a picture in the library of the site, and returns its address.
    async fn keep(&self, picture: &str, attempt: &Attempt<'_>) -> Result<String, (Failure, bool)> {
        let unusable = |what: String| {
            let error = ToolError::new(ErrorCode::Internal, what);
            (Failure::answered(error), false)
        };
        let bytes = STANDARD
            .decode(picture)
            .map_err(|error| unusable(format!("The picture cannot be read: {error}.")))?;
        let picture = NewPicture {
            bytes: bytes.into(),
            name: "screenshot.png".to_owned(),
            alt: "Screenshot of a page".to_owned(),
            credit: None,
        };
        let site = SiteId::from(attempt.context.site_id.clone());
        let added = self.library.add(&site, picture, attempt.by).await;
        let asset =
            added.map_err(|error| unusable(format!("The picture could not be kept: {error}.")))?;
        Ok(asset.url())
    }
}
