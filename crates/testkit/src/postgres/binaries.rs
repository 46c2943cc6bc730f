//! Finds the Postgres programs: on the path, or where Debian keeps them off it.

use std::path::{Path, PathBuf};

use crate::{Missing, Prerequisite};

/// Where Debian puts one folder per major version.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";

/// The programs a temporary server needs.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// Creates a data folder.
    pub initdb: PathBuf,
    /// The server.
    pub postgres: PathBuf,
    /// The client, to create and drop databases without a driver.
    pub psql: PathBuf,
}

impl Binaries {
    /// # Errors
    /// When any of the programs is not there, with the remedy.
    pub fn find() -> Result<Self, Missing> {
        let folders = folders();
        let program = |name: &str| {
            folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()).ok_or_else(|| {
                Missing::absent(Prerequisite::Postgres, format!(
                    "Postgres is not installed ({name} is neither on PATH nor under {DEBIAN_VERSIONS}/*/bin): \
                     install it, on Debian with `apt-get install postgresql`."
                ))
            })
        };
        Ok(Self {
            initdb: program("initdb")?,
            postgres: program("postgres")?,
            psql: program("psql")?,
        })
    }
}

/// The folders to look in: the newest of Debian's first, because what is on the path may be a wrapper for an older one.
fn folders() -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = Path::new(DEBIAN_VERSIONS)
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    versions
        .into_iter()
        .rev()
        .map(|(_, folder)| folder)
        .chain(std::env::split_paths(&path))
        .collect()
}
