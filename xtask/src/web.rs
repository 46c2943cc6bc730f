//! The shell's own tooling: dependencies from the lock file, and the scripts of `web/package.json`.

use std::process::Command;

use anyhow::{Result, bail};

use crate::compress;
use crate::paths::Paths;
use crate::prepare;
use crate::progress::Progress;
use crate::stamp::{self, Inputs};

/// Folders of `web` that contain outputs.
const OUTPUTS: &[&str] = &["node_modules", "dist", "artifacts"];

/// Installs what the lock file names, if it has changed.
pub(crate) fn install(paths: &Paths, progress: &Progress) -> Result<()> {
    prepare::node()?;
    let modules = paths.web.join("node_modules");
    let stamp = Inputs::new()
        .file(&paths.web.join("package-lock.json"))?
        .stamp();
    let stamp_file = modules.join(".sitewright-lock");
    if stamp::is_current(&stamp_file, &stamp, &modules) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.current_dir(&paths.web)
        .args(["ci", "--no-audit", "--no-fund"]);
    let name = "web dependencies";
    progress.step(name, || {
        let ended = progress.run(name, &mut npm)?;
        if ended.status.success() {
            return Ok(());
        }
        progress.show(&ended)?;
        bail!(remedy(
            &std::fs::read_to_string(&ended.log).unwrap_or_default()
        ))
    })?;
    stamp::remember(&stamp_file, &stamp)
}

/// How to fix a failed installation. npm prints its own message about an outdated lock file above pages of usage, where it is
/// easily missed.
fn remedy(log: &str) -> &'static str {
    if log.contains("code EUSAGE") {
        return "web/package-lock.json does not fit web/package.json (npm says above what is missing): bring the lock file up \
                to date with `npm install` in web, and commit it.";
    }
    "The shell's dependencies could not be installed: check that npm's registry can be reached (`npm ping`), then try again."
}

/// Builds the shell into `web/dist` with compressed copies, if any of its inputs has changed.
pub(crate) fn build(paths: &Paths, progress: &Progress) -> Result<()> {
    let dist = paths.dist();
    // Next to the modules and not in `dist`, because everything in there is served.
    let stamp_file = paths.web.join("node_modules/.sitewright-dist");
    let stamp = || {
        Ok::<_, anyhow::Error>(
            Inputs::new()
                .folder(&paths.web, OUTPUTS)?
                .text(compress::FORM)
                .stamp(),
        )
    };
    if stamp::is_current(&stamp_file, &stamp()?, &dist.join("index.html")) {
        return Ok(());
    }
    progress.program("shell", &mut script(paths, "build"))?;
    progress.step("compressed copies", || compress::folder(&dist))?;
    // Computed again, because the build itself writes generated types among its inputs.
    stamp::remember(&stamp_file, &stamp()?)
}

/// Runs one of the scripts in `web/package.json`.
pub(crate) fn script(paths: &Paths, name: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(&paths.web).args(["run", "--silent", name]);
    npm
}
