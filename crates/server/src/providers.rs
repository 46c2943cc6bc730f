//! Tools of our own whose work is not on the site: those that a provider does with the keys of the settings, and publishing.

use std::sync::Arc;

use sitewright_connect::{ImageGenerator, ImageModel, ImageProviders, Provider, Unsplash};
use sitewright_egress::Egress;
use sitewright_media::Library;
use sitewright_publish::{Publisher, publishing_tools};
use sitewright_runtime::{NameTaken, Registry, Source, history_tools};
use sitewright_store::Store;

use crate::Settings;

/// Why a tool of ours cannot be there; a defect, which the first start of a test shows.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadBuiltIn {
    #[error("a built-in tool has a manifest that cannot be read: {0}")]
    Manifest(#[from] serde_json::Error),
    #[error(transparent)]
    Name(#[from] NameTaken),
}

/// Adds the tools; those without a key are listed and off.
pub(crate) fn register(
    settings: &Settings,
    tools: &Registry,
    egress: &Egress,
    library: &Library,
) -> Result<(), BadBuiltIn> {
    let provider = |base_url: &str, key: &Option<secrecy::SecretString>| Provider {
        base_url: base_url.to_owned(),
        key: key.clone(),
    };
    let photographs = provider(&settings.unsplash_url, &settings.unsplash_access_key);
    let unsplash = Unsplash::new(egress.clone(), photographs, &settings.unsplash_app);
    for tool in unsplash.tools()? {
        tools.register(Source::BuiltIn, Arc::new(tool))?;
    }
    let providers = ImageProviders {
        openai: ImageModel {
            provider: provider(&settings.openai_url, &settings.openai_api_key),
            model: settings.openai_image_model.clone(),
        },
        gemini: ImageModel {
            provider: provider(&settings.gemini_url, &settings.gemini_api_key),
            model: settings.gemini_image_model.clone(),
        },
    };
    let images = ImageGenerator::new(egress.clone(), providers, library.clone())?;
    tools.register(Source::BuiltIn, Arc::new(images))?;
    Ok(())
}

/// Adds the tools that take changes back.
pub(crate) fn register_history(tools: &Registry, store: &Store) -> Result<(), BadBuiltIn> {
    for tool in history_tools(store)? {
        tools.register(Source::BuiltIn, tool)?;
    }
    Ok(())
}

/// Adds the tools of publishing.
pub(crate) fn register_publishing(
    tools: &Registry,
    publisher: &Publisher,
) -> Result<(), BadBuiltIn> {
    for tool in publishing_tools(publisher)? {
        tools.register(Source::BuiltIn, tool)?;
    }
    Ok(())
}
