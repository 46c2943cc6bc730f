//! `image.generate`: pictures made by OpenAI or Gemini, kept among the site's own.
//!
//! Making one costs money and cannot be taken back: the tool is a write that reaches outside, and is never tried twice by itself.

mod gemini;
mod openai;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sitewright_egress::Egress;
use sitewright_media::{Asset, Library, MediaError, NewPicture};
use sitewright_runtime::{Attempt, Failure, Output, Reached, Running, Tool};
use sitewright_store::{Actor, By, SiteId, Timestamp, UserId};
use sitewright_tool::{ErrorCode, Receipt, Taint, ToolContext, ToolManifest, Touched};

use crate::failure;
use crate::provider::{Provider, no_key};

pub(crate) const TOOL: &str = "image.generate";
/// Four large pictures as text.
pub(crate) const ANSWER_BYTES_MAX: usize = 96 * 1024 * 1024;
const COUNT_MAX: u64 = 4;
const REMEDY: &str = "Set `openai_api_key` (SITEWRIGHT_OPENAI_API_KEY) or `gemini_api_key` (SITEWRIGHT_GEMINI_API_KEY).";

/// A provider of pictures, and the model that is asked when nobody names one.
#[derive(Debug, Clone)]
pub struct ImageModel {
    /// Where it is.
    pub provider: Provider,
    /// The model.
    pub model: String,
}

/// The providers of pictures; those without a key are not asked.
#[derive(Debug, Clone)]
pub struct ImageProviders {
    /// OpenAI.
    pub openai: ImageModel,
    /// Google's Gemini.
    pub gemini: ImageModel,
}

/// The tool.
#[derive(Debug)]
pub struct ImageGenerator {
    egress: Egress,
    providers: ImageProviders,
    library: Library,
    manifest: ToolManifest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    OpenAi,
    Gemini,
}

/// What is asked of a provider.
struct Wanted<'a> {
    model: &'a str,
    prompt: &'a str,
    /// Width and height, where somebody said them.
    size: Option<(u32, u32)>,
    count: u64,
}

/// What a provider made, as files in base64.
type Made = Vec<String>;

impl ImageGenerator {
    /// The tool; without any key it is listed and off.
    pub fn new(
        egress: Egress,
        providers: ImageProviders,
        library: Library,
    ) -> Result<Self, serde_json::Error> {
        let has = |model: &ImageModel| model.provider.key.is_some();
        let is_on = has(&providers.openai) || has(&providers.gemini);
        Ok(Self {
            egress,
            providers,
            library,
            manifest: serde_json::from_value(manifest(is_on))?,
        })
    }

    async fn generate(&self, attempt: Attempt<'_>) -> Result<Output, Failure> {
        let arguments = attempt.arguments;
        let which = self.which(arguments["provider"].as_str());
        let which = which.ok_or_else(|| no_key(TOOL, REMEDY))?;
        let known = match which {
            Which::OpenAi => &self.providers.openai,
            Which::Gemini => &self.providers.gemini,
        };
        let prompt = arguments["prompt"].as_str().unwrap_or_default();
        let model = arguments["model"].as_str().unwrap_or(&known.model);
        let wanted = Wanted {
            model,
            prompt,
            size: arguments["size"].as_str().and_then(size),
            count: arguments["count"].as_u64().unwrap_or(1).clamp(1, COUNT_MAX),
        };
        let made = match which {
            Which::OpenAi => openai::make(&self.egress, known, &wanted, attempt).await?,
            Which::Gemini => gemini::make(&self.egress, known, &wanted, attempt).await?,
        };
        let mut items = Vec::new();
        let mut receipt = Receipt::default();
        for file in made {
            let asset = self.keep(prompt, &file, attempt.context).await?;
            let row = asset.row();
            items.push(json!({
                "imageId": row.id, "url": asset.url(), "srcset": asset.srcset(), "alt": row.alt,
                "width": row.width, "height": row.height, "provider": which.name(), "model": model
            }));
            receipt.created.push(Touched {
                kind: "image".to_owned(),
                id: row.id.to_string(),
                name: Some(row.name.clone()),
                also_used_in: None,
            });
        }
        if items.is_empty() {
            return Err(failure::of_answer(
                TOOL,
                ErrorCode::InvalidOutput,
                "its answer has no picture in it",
            ));
        }
        Ok(Output {
            data: json!({ "items": items }),
            images: Vec::new(),
            receipt: Some(receipt),
            taint: Taint::Untrusted,
        })
    }

    /// The provider that is named, or the first that has a key.
    fn which(&self, named: Option<&str>) -> Option<Which> {
        let wanted = [Which::OpenAi, Which::Gemini]
            .into_iter()
            .filter(|which| named.is_none_or(|named| named == which.name()));
        let model = |which: &Which| match which {
            Which::OpenAi => &self.providers.openai,
            Which::Gemini => &self.providers.gemini,
        };
        let mut usable = wanted.filter(|which| model(which).provider.key.is_some());
        usable.next()
    }

    async fn keep(
        &self,
        prompt: &str,
        file: &str,
        context: &ToolContext,
    ) -> Result<Asset, Failure> {
        let bad = |what: &str| failure::of_answer(TOOL, ErrorCode::InvalidOutput, what);
        let bytes = STANDARD
            .decode(file)
            .map_err(|_error| bad("a picture in its answer cannot be read"))?;
        let picture = NewPicture {
            bytes: bytes.into(),
            name: prompt.chars().take(80).collect(),
            alt: prompt.to_owned(),
            credit: None,
        };
        let actor = match &context.user_id {
            Some(user) => Actor::User(UserId::from(user.clone())),
            // A token that was made on the machine itself.
            None => Actor::Local,
        };
        let by = By {
            actor,
            at: Timestamp::now(),
        };
        let site = SiteId::from(context.site_id.clone());
        self.library.add(&site, picture, &by).await.map_err(|error| match error {
            MediaError::Store(error) => {
                let message = format!("The picture was made, and could not be kept: {error}. It may have cost something; try again later.");
                let mut failure = failure::failure(ErrorCode::Unavailable, message, Reached::Answered);
                failure.error.retryable = false;
                failure
            }
            other => bad(&format!("a picture in its answer cannot be used: {other}")),
        })
    }
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Gemini => "gemini",
        }
    }
}

/// `1536x1024`; `auto` is nothing in particular.
fn size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// A failure of a provider that declines to draw something.
fn declined(why: &str) -> Failure {
    let message = format!(
        "`{TOOL}`: the provider declines to make this picture ({why}). Describe something else."
    );
    let mut failure = failure::failure(ErrorCode::InvalidInput, message, Reached::Answered);
    failure.error.retryable = false;
    failure
}

fn manifest(is_on: bool) -> Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer" });
    let mut manifest = json!({
        "name": TOOL, "title": "Make a picture",
        "description": "Makes pictures from a description with OpenAI or Google Gemini and keeps them among the site's media. It costs money.",
        "inputSchema": {
            "type": "object", "additionalProperties": false, "required": ["prompt"],
            "properties": {
                "prompt": { "type": "string", "minLength": 1, "maxLength": 4000, "description": "What the picture shows, and in which style" },
                "provider": { "enum": ["openai", "gemini"], "description": "Who makes it; whoever is set up when left out" },
                "model": { "type": "string", "pattern": "^[A-Za-z0-9._-]{1,100}$", "description": "The provider's model; the usual one when left out" },
                "size": {
                    "type": "string", "pattern": "^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$",
                    "description": "Width and height in pixels, such as 1536x1024; Gemini takes the nearest shape it has"
                },
                "count": { "type": "integer", "minimum": 1, "maximum": COUNT_MAX, "description": "How many; 1 when left out" }
            }
        },
        "outputSchema": {
            "type": "object", "required": ["items"],
            "properties": { "items": { "type": "array", "items": {
                "type": "object", "required": ["imageId", "url", "alt"],
                "properties": {
                    "imageId": text, "url": text, "srcset": text, "alt": text, "width": number, "height": number, "provider": text, "model": text
                }
            } } }
        },
        "capability": "write", "effect": "external", "timeoutMs": 300_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": false,
        "intentTags": ["image", "picture", "illustration"], "enabled": is_on
    });
    if !is_on {
        manifest["guidance"] = json!(REMEDY);
    }
    manifest
}

impl Tool for ImageGenerator {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a> {
        Box::pin(self.generate(attempt))
    }
}
