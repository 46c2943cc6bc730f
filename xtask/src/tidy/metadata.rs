//! The part of `cargo metadata` that the rules use.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) origin: Origin,
    /// The SPDX expression of its manifest.
    pub(crate) licence: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Workspace,
    Outside,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Part of what ships: normal and build dependencies.
    Shipped,
    TestsOnly,
}

impl Metadata {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let output = Command::new("cargo")
            .current_dir(root)
            .args(["metadata", "--format-version=1", "--locked"])
            .output()
            .context("cargo does not run")?;
        ensure!(
            output.status.success(),
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Self::parse(&serde_json::from_slice(&output.stdout)?)
    }

    pub(crate) fn parse(metadata: &Value) -> Result<Self> {
        let packages = metadata["packages"]
            .as_array()
            .context("cargo metadata lists packages")?;
        let members = metadata["workspace_members"]
            .as_array()
            .context("cargo metadata lists the members of the workspace")?;
        let read = |value| package(value, members);
        Ok(Self {
            packages: packages.iter().map(read).collect(),
        })
    }

    pub(crate) fn ours(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| package.origin == Origin::Workspace)
    }
}

impl Package {
    /// The name as the layout uses it: `store` for `sitewright-store`.
    pub(crate) fn short_name(&self) -> &str {
        short_name(&self.name).unwrap_or(&self.name)
    }
}

/// The name without our prefix; `None` when the package is not ours.
pub(crate) fn short_name(package: &str) -> Option<&str> {
    if package == "xtask" {
        Some(package)
    } else {
        package.strip_prefix("sitewright-")
    }
}

fn package(value: &Value, members: &[Value]) -> Package {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let dependency = |value: &Value| Dependency {
        name: value["name"].as_str().unwrap_or_default().to_owned(),
        kind: if value["kind"] == "dev" {
            Kind::TestsOnly
        } else {
            Kind::Shipped
        },
    };
    Package {
        name: text("name"),
        version: text("version"),
        // Being in a folder of the checkout does not make it ours: a replacement for a third-party package is in one, too.
        origin: if members.contains(&value["id"]) {
            Origin::Workspace
        } else {
            Origin::Outside
        },
        licence: value["license"].as_str().map(str::to_owned),
        dependencies: value["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(dependency)
            .collect(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Dependency, Kind, Metadata, Origin, Package};

    /// A workspace with one line per package: `store: tool, sqlx; dev testkit`.
    pub(crate) fn workspace(lines: &[&str]) -> Metadata {
        let packages = lines.iter().map(|line| {
            let (name, dependencies) = line.split_once(':').expect("name: dependencies");
            let dependencies = dependencies
                .split([',', ';'])
                .map(str::trim)
                .filter(|name| !name.is_empty());
            Package {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                origin: if super::short_name(name).is_some() {
                    Origin::Workspace
                } else {
                    Origin::Outside
                },
                licence: None,
                dependencies: dependencies.map(dependency).collect(),
            }
        });
        Metadata {
            packages: packages.collect(),
        }
    }

    fn dependency(text: &str) -> Dependency {
        match text.strip_prefix("dev ") {
            Some(name) => Dependency {
                name: name.to_owned(),
                kind: Kind::TestsOnly,
            },
            None => Dependency {
                name: text.to_owned(),
                kind: Kind::Shipped,
            },
        }
    }
}
