//! Logs to standard error, so that standard output contains only what the command prints.

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use sitewright_server::{LogFormat, Settings};
use tracing_subscriber::EnvFilter;

/// Starts logging as the settings say.
pub(crate) fn begin(settings: &Settings) -> Result<()> {
    let filter = EnvFilter::try_new(&settings.log)
        .with_context(|| format!("the setting `log` is not a filter: {}", settings.log))?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        // Colours are for terminals, not for files and journals.
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let begun = match settings.log_format {
        LogFormat::Text => subscriber.with_target(false).try_init(),
        LogFormat::Json => subscriber.json().flatten_event(true).try_init(),
    };
    begun.map_err(|error| anyhow::anyhow!("logging could not be started: {error}"))
}
