//! Records what an output was built from, so that nothing is built twice.
//!
//! A stamp is the hash of the inputs' contents, stored next to the output. Modification times are not used: they mean nothing
//! after a clone, and a build folder may be shared between checkouts.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The state of a set of inputs.
pub(crate) struct Inputs {
    hasher: DefaultHasher,
}

impl Inputs {
    pub(crate) fn new() -> Self {
        Self {
            hasher: DefaultHasher::new(),
        }
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        text.hash(&mut self.hasher);
        self
    }

    pub(crate) fn file(mut self, path: &Path) -> Result<Self> {
        fs::read(path)
            .with_context(|| format!("could not read {}", path.display()))?
            .hash(&mut self.hasher);
        Ok(self)
    }

    /// Adds every file below a folder, by name and content; folders named in `except` are skipped at any depth.
    pub(crate) fn folder(mut self, folder: &Path, except: &[&str]) -> Result<Self> {
        let mut files = Vec::new();
        collect(folder, except, &mut files)?;
        files.sort();
        for path in files {
            path.strip_prefix(folder)
                .unwrap_or(&path)
                .hash(&mut self.hasher);
            self = self.file(&path)?;
        }
        Ok(self)
    }

    pub(crate) fn stamp(self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

/// Whether the output exists and was built from these inputs.
pub(crate) fn is_current(stamp_file: &Path, stamp: &str, output: &Path) -> bool {
    output.exists() && fs::read_to_string(stamp_file).is_ok_and(|found| found == stamp)
}

/// Records the inputs. Call it after the output is complete, so that an interrupted build is repeated.
pub(crate) fn remember(stamp_file: &Path, stamp: &str) -> Result<()> {
    fs::write(stamp_file, stamp)
        .with_context(|| format!("could not write {}", stamp_file.display()))
}

fn collect(folder: &Path, except: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        if except.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), except, files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Inputs, is_current, remember};
    use std::fs;

    #[test]
    fn an_output_is_current_until_an_input_changes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (input, output, stamp_file) = (
            folder.path().join("in"),
            folder.path().join("out"),
            folder.path().join("stamp"),
        );
        fs::create_dir_all(input.join("deep/skipped")).expect("our own folder");
        fs::write(input.join("deep/a"), "1").expect("our own folder");
        let stamp = || {
            Inputs::new()
                .text("v1")
                .folder(&input, &["skipped"])
                .expect("readable")
                .stamp()
        };

        let first = stamp();
        remember(&stamp_file, &first).expect("our own folder");
        assert!(
            !is_current(&stamp_file, &first, &output),
            "there is no output yet"
        );
        fs::write(&output, "made").expect("our own folder");
        assert!(is_current(&stamp_file, &stamp(), &output));

        fs::write(input.join("deep/skipped/b"), "ignored").expect("our own folder");
        assert_eq!(stamp(), first);
        fs::write(input.join("deep/a"), "2").expect("our own folder");
        assert!(!is_current(&stamp_file, &stamp(), &output));
        fs::write(input.join("deep/a"), "1").expect("our own folder");
        fs::rename(input.join("deep/a"), input.join("deep/b")).expect("our own folder");
        assert_ne!(stamp(), first);
    }
}
