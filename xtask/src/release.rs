//! The program as it is shipped: optimised, with the shell inside.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::arguments::Profile;
use crate::browser_bundle;
use crate::paths::Paths;
use crate::progress::{Progress, say};
use crate::sbom;

pub(crate) fn build(paths: &Paths, progress: &Progress) -> Result<PathBuf> {
    browser_bundle::build(paths, progress)?;
    let program = server(paths, progress, Profile::Release)?;
    say(&format!("\n{}", program.display()));
    sbom::write(paths)?;
    Ok(program)
}

/// Builds the program. A release embeds the shell as it is in `web/dist`; a dev build reads it from there at run time.
pub(crate) fn server(paths: &Paths, progress: &Progress, profile: Profile) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(&paths.root)
        .args(["build", "--locked", "--package", "sitewright-cli"]);
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
    };
    progress.program("server", &mut cargo)?;
    Ok(paths.program(folder))
}
