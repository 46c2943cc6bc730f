//! `image.generate`: pictures made by OpenAI or Gemini, kept among the site's own.
//!
//! Making one costs money and cannot be taken back: the tool is a write that reaches outside, and is never tried twice by itself.

mod gemini;
mod openai;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_egress::Egress;
use sitewright_media::{Asset, Library, MediaError, NewPicture};
use sitewright_runtime::{Attempt, Delivery, Failure, Outside, Tool, ToolOutput};
use sitewright_store::{Actor, SiteId, Stamp, Timestamp, UserId};
use sitewright_tool::definition::outside;
use sitewright_tool::{Effect, ErrorCode, Receipt, Taint, ToolContext, Touched};

use crate::failure;
use crate::provider::{ProviderAccess, no_key};

pub(crate) const TOOL: &str = "image.generate";
/// Four large pictures as text.
pub(crate) const ANSWER_BYTES_MAX: usize = 96 * 1024 * 1024;
const COUNT_MAX: u64 = 4;
const REMEDY: &str = "Set `openai_api_key` (SITEWRIGHT_OPENAI_API_KEY) or `gemini_api_key` (SITEWRIGHT_GEMINI_API_KEY).";

/// A provider of pictures, and the model that is asked when nobody names one.
#[derive(Debug, Clone)]
pub struct ImageModel {
    /// Where it is.
    pub provider: ProviderAccess,
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

/// Makes pictures and keeps them in the library.
#[derive(Debug)]
struct ImageGenerator {
    egress: Egress,
    providers: ImageProviders,
    library: Library,
}

/// What to draw.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImageRequest {
    /// What the picture shows, and in which style
    #[schemars(length(min = 1, max = 4000))]
    prompt: String,
    /// Who makes it; whoever is set up when left out
    provider: Option<ImageProvider>,
    /// The provider's model; the usual one when left out
    #[schemars(regex(pattern = "^[A-Za-z0-9._-]{1,100}$"))]
    model: Option<String>,
    /// Width and height in pixels, such as 1536x1024; Gemini takes the nearest shape it has
    #[schemars(regex(pattern = "^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$"))]
    size: Option<String>,
    /// How many; 1 when left out
    #[schemars(range(min = 1, max = 4))]
    count: Option<u64>,
}

/// The pictures that were made.
#[derive(Debug, Serialize, JsonSchema)]
struct GeneratedImages {
    items: Vec<GeneratedImage>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GeneratedImage {
    image_id: String,
    url: String,
    srcset: String,
    alt: String,
    width: u32,
    height: u32,
    provider: ImageProvider,
    model: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ImageProvider {
    OpenAi,
    Gemini,
}

/// What is asked of a provider.
struct ImageOrder<'a> {
    model: &'a str,
    prompt: &'a str,
    /// Width and height, where somebody said them.
    size: Option<(u32, u32)>,
    count: u64,
}

/// What a provider made, as files in base64.
type ImageFiles = Vec<String>;

/// `image.generate`; without any key it is listed and off.
pub fn image_tool(egress: Egress, providers: ImageProviders, library: Library) -> Tool {
    let has_key = |model: &ImageModel| model.provider.key.is_some();
    let is_on = has_key(&providers.openai) || has_key(&providers.gemini);
    let definition = outside(
        TOOL,
        "Make a picture",
        "Makes pictures from a description with OpenAI or Google Gemini and keeps them among the site's media. It costs money.",
        Effect::External,
    )
    .words("Making a picture", "Made a picture")
    .timeout_ms(300_000)
    .tags(&["image", "picture", "illustration"]);
    let definition = if is_on {
        definition
    } else {
        definition.disabled(REMEDY)
    };
    let generator = ImageGenerator {
        egress,
        providers,
        library,
    };
    Tool::outside(definition, generator)
}

impl ImageGenerator {
    async fn generate(
        &self,
        request: ImageRequest,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<GeneratedImages>, Failure> {
        let provider = self.provider_for(request.provider);
        let provider = provider.ok_or_else(|| no_key(TOOL, REMEDY))?;
        let known = self.model_of(provider);
        let model = request.model.as_deref().unwrap_or(&known.model);
        let wanted = ImageOrder {
            model,
            prompt: &request.prompt,
            size: request.size.as_deref().and_then(size),
            count: request.count.unwrap_or(1).clamp(1, COUNT_MAX),
        };
        let made = match provider {
            ImageProvider::OpenAi => openai::make(&self.egress, known, &wanted, attempt).await?,
            ImageProvider::Gemini => gemini::make(&self.egress, known, &wanted, attempt).await?,
        };
        let mut items = Vec::new();
        let mut receipt = Receipt::default();
        for file in made {
            let asset = self.keep(&request.prompt, &file, attempt.context).await?;
            let row = asset.row();
            items.push(GeneratedImage {
                image_id: row.id.to_string(),
                url: asset.url(),
                srcset: asset.srcset(),
                alt: row.alt.clone(),
                width: row.width,
                height: row.height,
                provider,
                model: model.to_owned(),
            });
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
        Ok(ToolOutput {
            data: GeneratedImages { items },
            images: Vec::new(),
            receipt: Some(receipt),
            taint: Taint::Untrusted,
        })
    }

    /// The provider that is named, or the first that has a key.
    fn provider_for(&self, named: Option<ImageProvider>) -> Option<ImageProvider> {
        [ImageProvider::OpenAi, ImageProvider::Gemini]
            .into_iter()
            .filter(|provider| named.is_none_or(|named| named == *provider))
            .find(|provider| self.model_of(*provider).provider.key.is_some())
    }

    fn model_of(&self, provider: ImageProvider) -> &ImageModel {
        match provider {
            ImageProvider::OpenAi => &self.providers.openai,
            ImageProvider::Gemini => &self.providers.gemini,
        }
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
        let by = Stamp {
            actor,
            at: Timestamp::now(),
        };
        let site = SiteId::from(context.site_id.clone());
        self.library.add(&site, picture, &by).await.map_err(|error| match error {
            MediaError::Store(error) => {
                let message = format!("The picture was made, and could not be kept: {error}. It may have cost something; try again later.");
                let mut failure = failure::failure(ErrorCode::Unavailable, message, Delivery::Answered);
                failure.error.retryable = false;
                failure
            }
            other => bad(&format!("a picture in its answer cannot be used: {other}")),
        })
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
    let mut failure = failure::failure(ErrorCode::InvalidInput, message, Delivery::Answered);
    failure.error.retryable = false;
    failure
}

impl Outside for ImageGenerator {
    type Input = ImageRequest;
    type Data = GeneratedImages;

    async fn run(
        &self,
        input: ImageRequest,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<GeneratedImages>, Failure> {
        self.generate(input, attempt).await
    }
}
