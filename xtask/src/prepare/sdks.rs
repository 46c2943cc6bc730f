//! The providers' Python SDKs, which read the simulated streams. They are for tests only and are installed in a virtual
//! environment of their own, in a cache outside the checkout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use sitewright_testkit::{Missing, Prerequisite, packages};

use super::apt;
use crate::paths::Paths;
use crate::progress::Progress;
use crate::stamp::Inputs;

/// Written last; without it the environment is incomplete.
const COMPLETE: &str = ".complete";

/// The Python that has the SDKs at the versions of the lock file.
pub(crate) fn sdks(paths: &Paths, progress: &Progress) -> Result<PathBuf, Missing> {
    let locked = paths.root.join("crates/testkit/python/requirements.txt");
    prepare(&locked, progress).map_err(|error| {
        Missing::absent(
            Prerequisite::Sdks,
            format!(
                "The providers' Python SDKs are not there: install Python 3 with venv and pip, and let pip reach its index ({error:#})."
            ),
        )
    })
}

fn prepare(locked: &Path, progress: &Progress) -> Result<PathBuf> {
    let stamp = Inputs::new().file(locked)?.stamp();
    let folder = packages::cache().join(format!("python-{stamp}"));
    let python = folder.join("bin/python");
    if folder.join(COMPLETE).is_file() && runs(&python) {
        return Ok(python);
    }
    if !has_venv() && apt::may_install() {
        apt::install(progress, "python", &["python3", "python3-venv"])?;
    }
    ensure!(has_venv(), "`python3 -m venv` does not run");
    progress.program(
        "python environment",
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&folder),
    )?;
    progress.program(
        "python SDKs",
        Command::new(&python)
            .args(["-m", "pip", "install", "--disable-pip-version-check", "-r"])
            .arg(locked),
    )?;
    fs::write(folder.join(COMPLETE), "")?;
    Ok(python)
}

fn has_venv() -> bool {
    let output = Command::new("python3")
        .args(["-c", "import venv, ensurepip"])
        .output();
    output.is_ok_and(|output| output.status.success())
}

/// Checks that it still runs: the Python that an environment was created from may have been removed.
fn runs(python: &Path) -> bool {
    let output = Command::new(python).arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}
