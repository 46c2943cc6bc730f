//! House rules that a compiler does not check: layers, which crates may use SQL and HTTP, sizes, names, licences, credentials, and
//! that the tests that `docs/coverage.md` names exist.
//!
//! It reads `cargo metadata` and the sources and builds nothing. There is no list of exemptions for single files: a rule that
//! does not fit is changed here, for every file, with its reason.

mod coverage;
mod credentials;
mod dependencies;
mod files;
mod layers;
mod left_behind;
mod licences;
mod machine_traces;
mod metadata;
mod names;
mod rust_text;
mod sizes;
mod sources;
mod test_names;
mod vocabulary;

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;

use crate::paths::Paths;
use crate::progress::say;
use files::SourceFile;
use metadata::Metadata;

/// A place where a rule is broken, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Broken {
    /// A file, with the line if there is one, or a package.
    pub(crate) place: String,
    pub(crate) rule: String,
}

impl Broken {
    fn new(place: impl Into<String>, rule: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            rule: rule.into(),
        }
    }

    fn at(file: &SourceFile, line: usize, rule: impl Into<String>) -> Self {
        Self::new(format!("{}:{line}", file.path), rule)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.rule)
    }
}

pub(crate) fn tidy(paths: &Paths) -> Result<ExitCode> {
    let broken = broken_rules(paths)?;
    print(&broken);
    if broken.is_empty() {
        say("tidy: every rule is kept");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

pub(crate) fn print(broken: &[Broken]) {
    for broken in broken {
        say(&format!("   {broken}"));
    }
}

/// Returns all broken rules, sorted by place.
pub(crate) fn broken_rules(paths: &Paths) -> Result<Vec<Broken>> {
    let metadata = Metadata::read(&paths.root)?;
    let files = files::tracked(&paths.root)?;
    let mut broken = architecture(&metadata, &files);
    broken.extend(licences::check(
        &metadata,
        &std::fs::read_to_string(paths.root.join("deny.toml"))?,
    )?);
    broken.extend(coverage::check(&files));
    broken.extend(vocabulary::check(&files));
    for file in &files {
        broken.extend(sizes::check(file));
        broken.extend(names::check(file));
        broken.extend(left_behind::check(file));
        broken.extend(machine_traces::check(file));
        broken.extend(credentials::check(file));
    }
    broken.sort();
    Ok(broken)
}

/// Checks who may depend on whom, who may use SQL, who may open connections, and that no provider's SDK is in the tree.
fn architecture(metadata: &Metadata, files: &[SourceFile]) -> Vec<Broken> {
    let mut broken = layers::check(metadata);
    broken.extend(dependencies::check(metadata));
    for file in files {
        broken.extend(sources::check(file));
        broken.extend(dependencies::check_web(file));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::{Metadata, architecture, files};
    use crate::paths::Paths;

    #[test]
    fn the_workspace_keeps_its_architecture() {
        let paths = Paths::find().expect("tests run in the workspace");
        let metadata = Metadata::read(&paths.root).expect("cargo knows the workspace");
        let files = files::tracked(&paths.root).expect("git knows the files");
        let broken: Vec<String> = architecture(&metadata, &files)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}
