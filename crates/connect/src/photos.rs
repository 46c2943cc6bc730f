//! `browseImages` and `importImage`: photographs of Pexels and Unsplash under one pair of names. Importing copies a photograph into the
//! site's library with whom to credit.

mod pexels;
mod unsplash;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_egress::Egress;
use sitewright_media::{Library, NewPicture};
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_store::SiteId;
use sitewright_tool::definition::outside;
use sitewright_tool::{
    Capability, DefinitionBuilder, Destination, Effect, ErrorCode, Receipt, Scope, Taint, ToolError,
};

use crate::download::download;
use crate::failure;
use crate::guidance::Guidance;
use crate::library::{SavedImage, nothing_stored, refusal, touched};
use crate::provider::{ProviderAccess, no_key};

const BROWSE: &str = "browseImages";
const IMPORT: &str = "importImage";
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How many photographs of each provider an answer has by default.
const LIMIT: usize = 10;
const REMEDY: &str = "Set `pexels_api_key` (SITEWRIGHT_PEXELS_API_KEY) or `unsplash_access_key` (SITEWRIGHT_UNSPLASH_ACCESS_KEY).";

/// The providers of photographs; those without a key are not used.
#[derive(Debug, Clone)]
pub struct PhotoProviders {
    pub egress: Egress,
    pub pexels: ProviderAccess,
    pub unsplash: ProviderAccess,
    /// What Unsplash calls the application, as it appears in links.
    pub unsplash_app: String,
    pub library: Library,
}

struct BrowseTool(PhotoProviders);
struct ImportTool(PhotoProviders);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PhotoProvider {
    Pexels,
    Unsplash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Orientation {
    Landscape,
    Portrait,
    Square,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BrowseImages {
    /// What the photograph shows.
    #[schemars(length(min = 1, max = 200))]
    query: String,
    /// Whose photographs; all that have a key when left out.
    provider: Option<PhotoProvider>,
    /// The shape.
    orientation: Option<Orientation>,
    /// The main colour, such as blue.
    #[schemars(regex(pattern = "^(#[0-9a-fA-F]{6}|[a-z_]{3,20})$"))]
    color: Option<String>,
    /// How many of each provider; 10 when left out.
    #[schemars(range(min = 1, max = 30))]
    limit: Option<usize>,
}

/// A photograph at a provider.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Photo {
    provider: PhotoProvider,
    /// What importImage takes.
    photo_id: String,
    preview_url: String,
    width: u64,
    height: u64,
    alt: String,
    photographer: String,
    photographer_url: Option<String>,
    source_url: String,
    /// Where the file is fetched from when it is imported.
    #[serde(skip)]
    file_url: String,
    /// Where its use is reported.
    #[serde(skip)]
    report_url: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Photos {
    success: bool,
    count: usize,
    items: Vec<Photo>,
    /// What was left out, and why.
    notes: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ImportImage {
    /// Whose photograph.
    provider: PhotoProvider,
    /// The photoId of browseImages.
    photo_id: PhotoId,
}

/// Ids of Pexels are numbers, those of Unsplash are text.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum PhotoId {
    Number(u64),
    Text(String),
}

impl PhotoId {
    fn text(&self) -> Result<String, ToolError> {
        let text = match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        };
        let is_id = (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match is_id {
            true => Ok(text),
            false => Err(ToolError::new(
                ErrorCode::InvalidInput,
                "photoId must be the photoId of an item that browseImages returned.",
            )),
        }
    }
}

impl PhotoProviders {
    /// The tools `browseImages` and `importImage`; without any key they are listed as disabled.
    pub fn tools(&self, guidance: Guidance<'_>) -> Vec<Tool> {
        let browse = outside(
            BROWSE,
            "Browse photographs",
            "Search Pexels/Unsplash for outside photos. Filter by provider, orientation, color. Returns previews. Use importImage to download.",
            Effect::None,
        )
        .timeout_ms(20_000)
        .attempts(2, 500)
        .words("Browsing photographs", "Browsed photographs")
        .tags(&["image", "photo", "stock", "picture", "external", "browse"]);
        let import = outside(
            IMPORT,
            "Import a photograph",
            "Download external photo to local. By provider and photoId. Keeps whom to credit. Returns local imageId and URL.",
            Effect::Draft,
        )
        .timeout_ms(120_000)
        .needs(Capability::ContentWrite)
        .words("Importing a photograph", "Imported a photograph")
        .tags(&["image", "photo", "stock", "picture", "download", "import"]);
        vec![
            Tool::outside(self.definition(browse, guidance), BrowseTool(self.clone())),
            Tool::outside(self.definition(import, guidance), ImportTool(self.clone())),
        ]
    }

    fn definition(
        &self,
        definition: DefinitionBuilder,
        guidance: Guidance<'_>,
    ) -> DefinitionBuilder {
        let definition = guidance
            .of(definition)
            .scopes(&[Scope::Content])
            // The operator chose the addresses, and words for a search are of no use to those who upload photographs there.
            .sends_to(Destination::Harmless);
        match self.pexels.key.is_some() || self.unsplash.key.is_some() {
            true => definition,
            false => definition.disabled(REMEDY),
        }
    }

    fn access(&self, provider: PhotoProvider) -> &ProviderAccess {
        match provider {
            PhotoProvider::Pexels => &self.pexels,
            PhotoProvider::Unsplash => &self.unsplash,
        }
    }

    /// The named provider, or all that have a key.
    fn asked(&self, named: Option<PhotoProvider>) -> Vec<PhotoProvider> {
        [PhotoProvider::Pexels, PhotoProvider::Unsplash]
            .into_iter()
            .filter(|provider| named.is_none_or(|named| named == *provider))
            .filter(|provider| self.access(*provider).key.is_some())
            .collect()
    }

    async fn search(
        &self,
        provider: PhotoProvider,
        input: &BrowseImages,
        attempt: Attempt<'_>,
    ) -> Result<Photos, Failure> {
        match provider {
            PhotoProvider::Pexels => pexels::search(self, input, attempt).await,
            PhotoProvider::Unsplash => unsplash::search(self, input, attempt).await,
        }
    }

    async fn browse(&self, input: BrowseImages, attempt: Attempt<'_>) -> Result<Photos, Failure> {
        let mut found = Photos::of(Vec::new(), Vec::new());
        let mut failed = None;
        let asked = self.asked(input.provider);
        if asked.is_empty() {
            return Err(no_key(BROWSE, REMEDY));
        }
        for provider in asked {
            match self.search(provider, &input, attempt).await {
                Ok(photos) => {
                    found.items.extend(photos.items);
                    found.notes.extend(photos.notes);
                }
                Err(failure) => {
                    let message = &failure.error.message;
                    found
                        .notes
                        .push(format!("Without {}: {message}", provider.name()));
                    failed = Some(failure);
                }
            }
        }
        match failed {
            Some(failure) if found.items.is_empty() => Err(failure),
            Some(_) | None => Ok(Photos::of(found.items, found.notes)),
        }
    }

    async fn import(
        &self,
        input: ImportImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SavedImage>, Failure> {
        let id = input.photo_id.text()?;
        if self.access(input.provider).key.is_none() {
            return Err(no_key(IMPORT, REMEDY));
        }
        let photo = match input.provider {
            PhotoProvider::Pexels => pexels::photo(self, &id, attempt).await?,
            PhotoProvider::Unsplash => unsplash::photo(self, &id, attempt).await?,
        };
        let bytes = download(&self.egress, IMPORT, &photo.file_url, attempt.timeout).await?;
        if let Some(report) = &photo.report_url {
            unsplash::report(self, report, attempt).await?;
        }
        let picture = NewPicture {
            bytes,
            name: format!("{} {id}", input.provider.name()),
            alt: photo.alt.clone(),
            credit: Some(photo.credit()),
        };
        let site = SiteId::from(attempt.context.site_id.clone());
        let asset = self.library.add(&site, picture, attempt.by).await;
        let asset = asset.map_err(|error| nothing_stored(refusal(&error)))?;
        let mut receipt = Receipt::default();
        receipt.created.push(touched(&asset));
        Ok(ToolOutput {
            receipt: Some(receipt),
            taint: Taint::Untrusted,
            ..ToolOutput::from(SavedImage::from(&asset))
        })
    }
}

impl PhotoProvider {
    fn name(self) -> &'static str {
        match self {
            Self::Pexels => "Pexels",
            Self::Unsplash => "Unsplash",
        }
    }
}

impl Photo {
    /// Whom to name beside it, as both providers ask for.
    fn credit(&self) -> Value {
        json!({
            "author": self.photographer,
            "authorUrl": self.photographer_url,
            "provider": self.provider.name(),
            "sourceUrl": self.source_url,
            "text": format!("Photo by {} on {}", self.photographer, self.provider.name()),
        })
    }
}

impl Photos {
    fn of(items: Vec<Photo>, notes: Vec<String>) -> Self {
        Self {
            success: true,
            count: items.len(),
            items,
            notes,
        }
    }
}

/// The text at a place of an answer, unless it is empty.
fn text<'v>(value: &'v Value, place: &str) -> Option<&'v str> {
    let found = value.pointer(place).and_then(Value::as_str);
    found.filter(|text| !text.is_empty())
}

/// An address of the web, and no other.
fn web_address(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

fn bad_answer(tool: &str, what: &str) -> Failure {
    failure::of_answer(tool, ErrorCode::InvalidOutput, what)
}

fn untrusted<T>(data: T) -> ToolOutput<T> {
    ToolOutput {
        taint: Taint::Untrusted,
        ..ToolOutput::from(data)
    }
}

impl Outside for BrowseTool {
    type Input = BrowseImages;
    type Data = Photos;

    async fn run(
        &self,
        input: BrowseImages,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<Photos>, Failure> {
        self.0.browse(input, attempt).await.map(untrusted)
    }
}

impl Outside for ImportTool {
    type Input = ImportImage;
    type Data = SavedImage;

    async fn run(
        &self,
        input: ImportImage,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SavedImage>, Failure> {
        self.0.import(input, attempt).await
    }
}
