//! Debian packages, for root on Debian: a container, a CI machine.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::Once;

use anyhow::{Result, bail};

use crate::progress::Progress;

/// Whether xtask may install packages: only as root, because it never asks for a password.
pub(crate) fn may_install() -> bool {
    let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    root && Path::new("/usr/bin/apt-get").exists()
}

pub(crate) fn install(progress: &Progress, what: &str, packages: &[&str]) -> Result<()> {
    static LISTS: Once = Once::new();
    LISTS.call_once(|| {
        // Old package lists may still work, so a failure here is reported only if installing fails too.
        progress
            .program("package lists", apt_get().arg("update"))
            .ok();
    });
    let name = format!("install {what}");
    let mut command = apt_get();
    command
        .args(["install", "--yes", "--no-install-recommends"])
        .args(packages);
    if progress.program(&name, &mut command).is_err() {
        bail!(
            "`apt-get install {}` failed; its output is above.",
            packages.join(" ")
        );
    }
    Ok(())
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // Waits for another installation on the same machine.
    command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["-o", "DPkg::Lock::Timeout=300"]);
    command
}
