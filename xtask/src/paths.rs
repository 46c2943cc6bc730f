//! The folders that the commands use.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders every command works in.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) root: PathBuf,
    /// Where Cargo builds to; outside the checkout under CI.
    pub(crate) target: PathBuf,
    pub(crate) web: PathBuf,
}

impl Paths {
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("xtask lives in the workspace")?;
        // A binary from a shared build folder was compiled in another checkout; Cargo's environment names the current one.
        let root = match std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) {
            Some(package) => package
                .parent()
                .map_or_else(|| root.to_owned(), Path::to_owned),
            None => root.to_owned(),
        };
        let target = match std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty())
        {
            Some(folder) => std::path::absolute(folder)?,
            None => root.join("target"),
        };
        Ok(Self {
            web: root.join("web"),
            target,
            root,
        })
    }

    /// The generated bindings of the wasm core.
    pub(crate) fn core(&self) -> PathBuf {
        self.web.join("src/core")
    }

    /// The built shell, which the server embeds.
    pub(crate) fn dist(&self) -> PathBuf {
        self.web.join("dist")
    }

    /// Logs of steps, and nothing that a later run depends on.
    pub(crate) fn logs(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// The program, in the named profile's build folder.
    pub(crate) fn program(&self, profile_folder: &str) -> PathBuf {
        self.target.join(profile_folder).join("sitewright")
    }
}
