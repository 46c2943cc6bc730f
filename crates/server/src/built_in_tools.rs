//! The built-in tools that need settings or other parts of the server. Those that work on the site's document are in every registry.

use sitewright_agent::{ToolVisibility, default_tools};
use sitewright_connect::{
    Embedder, Guidance, ImageLibrary, ImageModel, ImageProviders, PhotoProviders, ProviderAccess,
    Unsplash, WebAccess, WebSearchKind, browser_tool, image_tool,
};
use sitewright_content::{content_tools, guidance_of, old_calls};
use sitewright_egress::Egress;
use sitewright_media::Library;
use sitewright_publish::{Publisher, publishing_tools};
use sitewright_runtime::{NameTaken, Registry, Tool, ToolSource, history_tools};
use sitewright_store::Store;

use crate::Settings;
use crate::settings::WebSearchProvider;

/// The parts of the server that tools use.
pub(crate) struct ToolParts<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) registry: &'a Registry,
    pub(crate) visible: ToolVisibility,
    pub(crate) store: &'a Store,
    pub(crate) publisher: &'a Publisher,
    pub(crate) egress: &'a Egress,
    pub(crate) library: &'a Library,
}

/// Registers the built-in tools, and what they were called before.
pub(crate) fn register_built_in(parts: ToolParts<'_>) -> Result<(), NameTaken> {
    let registry = parts.registry;
    for tool in built_in_tools(parts) {
        registry.register(ToolSource::BuiltIn, tool)?;
    }
    registry.set_old_calls(old_calls());
    Ok(())
}

/// Every built-in tool that is not a function of the site's document. Tools whose provider has no key are listed as disabled.
fn built_in_tools(parts: ToolParts<'_>) -> Vec<Tool> {
    let photos = photos(&parts);
    let mut tools = default_tools(parts.registry, parts.visible);
    tools.extend(content_tools().into_iter().map(Tool::from));
    tools.extend(history_tools(parts.store));
    tools.extend(publishing_tools(parts.publisher));
    let guidance = Guidance(&guidance_of);
    let library = ImageLibrary {
        store: parts.store.clone(),
        library: parts.library.clone(),
        egress: parts.egress.clone(),
        embedder: embedder(parts.settings, parts.egress),
    };
    tools.extend(library.tools(guidance));
    tools.extend(photos.tools(guidance));
    tools.extend(web(parts.settings, parts.egress).tools(guidance));
    tools.extend(unsplash(parts.settings, parts.egress).tools());
    tools.push(browser_tool(
        parts.egress.clone(),
        parts.library.clone(),
        None,
    ));
    tools.push(image_tool(
        parts.egress.clone(),
        image_providers(parts.settings),
        parts.library.clone(),
    ));
    tools
}

fn unsplash(settings: &Settings, egress: &Egress) -> Unsplash {
    let provider = ProviderAccess {
        base_url: settings.unsplash_url.clone(),
        key: settings.unsplash_access_key.clone(),
    };
    Unsplash::new(egress.clone(), provider, &settings.unsplash_app)
}

fn photos(parts: &ToolParts<'_>) -> PhotoProviders {
    let settings = parts.settings;
    PhotoProviders {
        egress: parts.egress.clone(),
        pexels: ProviderAccess {
            base_url: settings.pexels_url.clone(),
            key: settings.pexels_api_key.clone(),
        },
        unsplash: ProviderAccess {
            base_url: settings.unsplash_url.clone(),
            key: settings.unsplash_access_key.clone(),
        },
        unsplash_app: settings.unsplash_app.clone(),
        library: parts.library.clone(),
    }
}

fn web(settings: &Settings, egress: &Egress) -> WebAccess {
    let (search_kind, usual) = match settings.web_search_provider {
        WebSearchProvider::Tavily => (WebSearchKind::Tavily, "https://api.tavily.com"),
        WebSearchProvider::Searxng => (WebSearchKind::Searxng, ""),
    };
    WebAccess {
        egress: egress.clone(),
        search: ProviderAccess {
            base_url: settings
                .web_search_url
                .clone()
                .unwrap_or_else(|| usual.to_owned()),
            key: settings.web_search_key.clone(),
        },
        search_kind,
    }
}

/// The service for embeddings, if one is configured.
pub(crate) fn embedder(settings: &Settings, egress: &Egress) -> Option<Embedder> {
    Some(Embedder {
        egress: egress.clone(),
        service: ProviderAccess {
            base_url: settings.embedding_url.clone()?,
            key: settings.embedding_key.clone(),
        },
        model: settings.embedding_model.clone(),
    })
}

fn image_providers(settings: &Settings) -> ImageProviders {
    ImageProviders {
        openai: ImageModel {
            provider: ProviderAccess {
                base_url: settings.openai_url.clone(),
                key: settings.openai_api_key.clone(),
            },
            model: settings.openai_image_model.clone(),
        },
        gemini: ImageModel {
            provider: ProviderAccess {
                base_url: settings.gemini_url.clone(),
                key: settings.gemini_api_key.clone(),
            },
            model: settings.gemini_image_model.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;
    use sitewright_tool::ToolCapability;

    use crate::{App, Settings};

    /// The shell describes calls with these texts, and highlights the node that a call is about.
    #[tokio::test]
    async fn the_words_the_shell_has_for_tools_are_those_of_their_definitions() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            data: folder.path().to_owned(),
            model_prices_url: "off".to_owned(),
            google_fonts_url: "off".to_owned(),
            ..Settings::default()
        };
        let app = App::open(settings).await.unwrap();
        let mut tools = BTreeMap::new();
        for tool in app.tools().list(None) {
            let definition = tool.definition;
            let name = definition.name().to_owned();
            let words = definition.words;
            let words = words.unwrap_or_else(|| panic!("{name} has no words"));
            let mut entry = json!({ "doing": words.doing, "done": words.done });
            if let Some(subject) = definition.subject {
                entry["subject"] = json!(subject);
            }
            let is_read = definition.manifest.capability == ToolCapability::Read;
            if is_read && !definition.role.ends_turn() {
                entry["readsOnly"] = json!(true);
            }
            tools.insert(name, entry);
        }
        app.close().await.unwrap();
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../web/src/generated/tools.json"
        );
        let document = serde_json::to_string_pretty(&tools).unwrap() + "\n";
        sitewright_testkit::check_generated(path, &document);
    }
}
