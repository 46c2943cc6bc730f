//! Prepares a fresh machine: uses what is there, installs what is missing where it may, and otherwise reports what is missing.

mod apt;
mod packages;
mod sdks;
mod wasm_target;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use sitewright_testkit::postgres::Binaries;
use sitewright_testkit::{Missing, browser};

use crate::progress::Progress;
pub(crate) use packages::{openapi_documents, schema_suite, templates, vectors};
pub(crate) use sdks::sdks;
pub(crate) use wasm_target::{Compiler, TARGET, wasm_compiler};

/// The oldest Node version that the shell's build tools support.
const NODE_MINIMUM: (u32, u32) = (20, 19);

/// Node is the only prerequisite besides Rust that has to be installed already.
pub(crate) fn node() -> Result<()> {
    let remedy = format!(
        "install Node {}.{} or newer with npm (nodejs.org)",
        NODE_MINIMUM.0, NODE_MINIMUM.1
    );
    let output = Command::new("node").arg("--version").output();
    let output = output.with_context(|| format!("Node is not installed: {remedy}."))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if parse_version(&version).is_none_or(|found| found < NODE_MINIMUM) {
        bail!("Node {version} is too old: {remedy}.");
    }
    Ok(())
}

/// Finds or installs the browser for browser tests.
pub(crate) fn chromium(progress: &Progress) -> Result<PathBuf, Missing> {
    browser::locate().or_else(|missing| {
        install(progress, "chromium", &["chromium"], missing)?;
        browser::locate()
    })
}

/// Finds or installs the programs the temporary Postgres needs.
pub(crate) fn postgres(progress: &Progress) -> Result<Binaries, Missing> {
    Binaries::find().or_else(|missing| {
        install(progress, "postgres", &["postgresql"], missing)?;
        Binaries::find()
    })
}

fn install(
    progress: &Progress,
    what: &str,
    packages: &[&str],
    missing: Missing,
) -> Result<(), Missing> {
    if matches!(missing, Missing::LeftOut(_)) || !apt::may_install() {
        return Err(missing);
    }
    apt::install(progress, what, packages).map_err(|error| match missing {
        Missing::LeftOut(what) => Missing::LeftOut(what),
        Missing::Absent { what, remedy } => {
            Missing::absent(what, format!("{remedy} Installing it failed: {error:#}."))
        }
    })
}

fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version
        .trim_start_matches('v')
        .split('.')
        .map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_are_read_as_numbers() {
        let check = |text, expected| assert_eq!(super::parse_version(text), expected);
        check("v20.20.2", Some((20, 20)));
        check("v9.1.0", Some((9, 1)));
        check("", None);
        check("nightly", None);
    }
}
