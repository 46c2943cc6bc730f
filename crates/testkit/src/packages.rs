//! Packages of npm and PyPI that tests read as data: real templates and the like, which no repository should hold.
//!
//! A lock file names each by version and hash. `cargo xtask test` fetches them into a cache and checks the hash; here they are
//! only found.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Missing, Prerequisite, unless_left_out};

/// The variable that names the cache.
pub const CACHE_VARIABLE: &str = "SITEWRIGHT_PACKAGES";
/// The file in a package's folder that holds the hash it was checked against; written last.
pub const CHECKED: &str = ".checked";

/// A package that a lock file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name in the registry.
    pub name: String,
    /// Its exact version.
    pub version: String,
    /// The hash of its archive, as npm writes it (`sha512-` and base64) or as pip does (`sha256:` and hex).
    pub integrity: String,
}

impl Package {
    /// The packages of a lock file, in its order.
    ///
    /// # Panics
    /// When the lock file cannot be read, or an entry lacks its name, version or hash.
    pub fn locked(lock: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(lock)
            .unwrap_or_else(|error| panic!("could not read {}: {error}", lock.display()));
        let lock: Value = serde_json::from_str(&text).expect("the lock file is JSON");
        let packages = lock["packages"].as_array().expect("`packages` is a list");
        let packages = packages.iter().map(|package| {
            let field = |name: &str| {
                let value = package[name].as_str();
                let value = value.unwrap_or_else(|| panic!("{package} has no {name}"));
                value.to_owned()
            };
            Self {
                name: field("name"),
                version: field("version"),
                integrity: field("integrity"),
            }
        });
        packages.collect()
    }

    /// Where it is, or will be.
    pub fn folder(&self) -> PathBuf {
        let name = self.name.replace('/', "+");
        cache().join(format!("{name}@{}", self.version))
    }

    /// Where it is.
    ///
    /// # Errors
    /// When it was not fetched yet, or fetched with another hash, or packages are left out.
    pub fn locate(&self) -> Result<PathBuf, Missing> {
        unless_left_out(Prerequisite::Packages)?;
        let folder = self.folder();
        let checked = std::fs::read_to_string(folder.join(CHECKED));
        if checked.is_ok_and(|checked| checked == self.integrity) {
            return Ok(folder);
        }
        Err(Missing::absent(
            Prerequisite::Packages,
            format!(
                "{} {} was not fetched: `cargo xtask test rust` fetches it, which needs its registry.",
                self.name, self.version
            ),
        ))
    }
}

/// The folder all packages are in.
pub fn cache() -> PathBuf {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    if let Some(cache) = named(CACHE_VARIABLE) {
        return PathBuf::from(cache);
    }
    let cache = named("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || PathBuf::from(named("HOME").unwrap_or_else(|| ".".into())).join(".cache");
    cache.unwrap_or_else(home).join("sitewright/packages")
}
