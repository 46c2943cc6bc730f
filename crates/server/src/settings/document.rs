//! The settings as a page of the documentation, generated from the struct so that it cannot get out of date.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use serde_json::Value;

use super::Settings;

/// The text of `docs/settings.md`.
pub fn settings_document() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         Settings are read from `sitewright.toml` in the data folder (or the file named with `--config`), then from the\n\
         environment, then from the command line (`--set name=value`; `--data` and `--listen` are shortcuts). Later values\n\
         override earlier ones. An unknown name in the file or on the command line, or an invalid value, stops the server at\n\
         startup with a message that says which. Other environment variables are ignored.\n\n\
         This page is generated from the code by a test of `sitewright-server`.\n\n\
         | setting | environment | default | meaning |\n| --- | --- | --- | --- |\n",
    );
    for (name, description) in properties() {
        let variable = variable_of(&name);
        let description = description.replace('\n', " ");
        page.push_str(&format!(
            "| `{name}` | `{variable}` | {} | {description} |\n",
            default_of(&name)
        ));
    }
    page
}

/// The environment variable of a setting. Two use the names that other software gives them.
pub(super) fn variable_of(name: &str) -> String {
    match name {
        "database_url" => "DATABASE_URL".to_owned(),
        "tool_manifest_path" => "ORCHESTRATOR_TOOL_MANIFEST_PATH".to_owned(),
        _ => format!("SITEWRIGHT_{}", name.to_ascii_uppercase()),
    }
}

/// The names of all settings.
pub(super) fn names() -> BTreeSet<String> {
    properties().into_iter().map(|(name, _)| name).collect()
}

fn properties() -> Vec<(String, String)> {
    let schema = SchemaGenerator::default().into_root_schema_for::<Settings>();
    let properties = schema.get("properties").and_then(Value::as_object);
    let described = properties.into_iter().flatten().map(|(name, property)| {
        let description = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        (name.clone(), description.to_owned())
    });
    described.collect()
}

fn default_of(name: &str) -> String {
    let defaults = Settings::default();
    let shown = match name {
        "data" => defaults.data.display().to_string(),
        "listen" => defaults.listen.to_string(),
        "log" => defaults.log,
        "log_format" => "text".to_owned(),
        "first_site" => "example".to_owned(),
        "body_limit_bytes" => defaults.body_limit_bytes.to_string(),
        "history_days" => defaults.history_days.to_string(),
        "history_bytes" => defaults.history_bytes.to_string(),
        "request_timeout_seconds" => defaults.request_timeout_seconds.to_string(),
        "shutdown_grace_seconds" => defaults.shutdown_grace_seconds.to_string(),
        "s3_region" => defaults.s3_region,
        "unsplash_app" => defaults.unsplash_app,
        "unsplash_url" => defaults.unsplash_url,
        "pexels_url" => defaults.pexels_url,
        "embedding_model" => defaults.embedding_model,
        "web_search_provider" => "tavily".to_owned(),
        "openai_url" => defaults.openai_url,
        "openai_image_model" => defaults.openai_image_model,
        "gemini_url" => defaults.gemini_url,
        "gemini_image_model" => defaults.gemini_image_model,
        "google_fonts_url" => defaults.google_fonts_url,
        "model_prices_url" => defaults.model_prices_url,
        _ => return String::new(),
    };
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_documentation_lists_the_settings_as_they_are() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/settings.md");
        sitewright_testkit::check_generated(path, &super::settings_document());
    }
}
