//! The text files that belong to the project, according to git.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Larger files are data.
const LARGEST: u64 = 2 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_script(&self) -> bool {
        [".ts", ".tsx", ".mts", ".mjs", ".js"]
            .iter()
            .any(|end| self.path.ends_with(end))
    }

    /// The crate whose `src` this is in: `store` for `crates/store/src/lib.rs`.
    pub(crate) fn shipped_by(&self) -> Option<&str> {
        let (package, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        rest.starts_with("src/").then_some(package)
    }
}

/// Every text file that is committed or about to be.
pub(crate) fn tracked(root: &Path) -> Result<Vec<SourceFile>> {
    let output = Command::new("git")
        .current_dir(root)
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .output()
        .context("git does not run; tidy asks it which files are ours")?;
    ensure!(
        output.status.success(),
        "git ls-files failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let listed = String::from_utf8_lossy(&output.stdout);
    let files = listed
        .split('\0')
        .filter(|path| !path.is_empty())
        .filter_map(|path| {
            let file = root.join(path);
            // Deleted but not committed yet, a link, or not text: nothing to check.
            let data = file
                .symlink_metadata()
                .ok()
                .filter(|data| data.is_file() && data.len() <= LARGEST);
            let text = data.and_then(|_| std::fs::read_to_string(&file).ok())?;
            Some(SourceFile {
                path: path.to_owned(),
                text,
            })
        });
    Ok(files.collect())
}
