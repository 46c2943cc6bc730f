//! The software bill of materials, in CycloneDX 1.6: every crate and npm package that is in the release binary, with version, licence and
//! checksum. It is made from `cargo metadata` and the two lock files. It has no date and no random number, so the same sources give the
//! same bytes.
//!
//! A generator from the registry was not used: it would know either Cargo's packages or npm's, and the shell is part of the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use serde_json::{Value, json};

use crate::paths::Paths;
use crate::progress::say;

/// What is in the binary: the program, and the core that the embedded shell loads.
const ROOTS: [&str; 2] = ["sitewright-cli", "sitewright-site-wasm"];
/// Packages whose files are copied into the shell though npm sees them as tools of the build.
const COPIED: &str = "@fontsource";

/// Writes the file and prints where it is.
pub(crate) fn write(paths: &Paths) -> Result<PathBuf> {
    let bom = make(paths)?;
    let file = paths.target.join("sitewright.cdx.json");
    std::fs::create_dir_all(&paths.target)?;
    std::fs::write(&file, format!("{bom:#}\n"))
        .with_context(|| format!("{} cannot be written", file.display()))?;
    say(&format!("{}", file.display()));
    Ok(file)
}

fn make(paths: &Paths) -> Result<Value> {
    let output = Command::new("cargo")
        .current_dir(&paths.root)
        .args(["metadata", "--format-version=1", "--locked"])
        .output()
        .context("cargo does not run")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let cargo_lock = std::fs::read_to_string(paths.root.join("Cargo.lock"))?;
    let npm_lock = std::fs::read_to_string(paths.web.join("package-lock.json"))?;
    bill(&metadata, &cargo_lock, &serde_json::from_str(&npm_lock)?)
}

fn bill(metadata: &Value, cargo_lock: &str, npm_lock: &Value) -> Result<Value> {
    let graph = Graph::read(metadata)?;
    let shipped = graph.shipped()?;
    let checksums = checksums(cargo_lock)?;
    let mut components = Vec::new();
    let mut dependencies = Vec::new();
    for id in &shipped {
        let package = graph.packages.get(id).context("a package is listed")?;
        components.push(crate_component(package, &checksums));
        let needs = graph.needs.get(id).into_iter().flatten();
        let needs: BTreeSet<String> = needs
            .filter_map(|id| graph.packages.get(id))
            .map(|package| crate_url(package))
            .collect();
        dependencies.push(json!({ "ref": crate_url(package), "dependsOn": needs }));
    }
    components.extend(npm_components(npm_lock)?);
    components.sort_by(|one, other| one["bom-ref"].as_str().cmp(&other["bom-ref"].as_str()));
    dependencies.sort_by(|one, other| one["ref"].as_str().cmp(&other["ref"].as_str()));
    let program = graph.root(ROOTS[0])?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": "sitewright", "name": "sitewright",
            "version": program["version"], "licenses": licences(program),
        } },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// The packages of the workspace and what each needs in a release.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    needs: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn read(metadata: &'a Value) -> Result<Self> {
        let list = |value: &'a Value| value.as_array().context("cargo metadata has a list");
        let id = |value: &'a Value| value.as_str().context("a package has an id");
        let mut packages = BTreeMap::new();
        for package in list(&metadata["packages"])? {
            packages.insert(id(&package["id"])?, package);
        }
        let mut needs = BTreeMap::new();
        for node in list(&metadata["resolve"]["nodes"])? {
            let mut needed = Vec::new();
            for dependency in list(&node["deps"])? {
                let kinds = list(&dependency["dep_kinds"])?;
                if kinds.iter().any(|kind| kind["kind"] != "dev") {
                    needed.push(id(&dependency["pkg"])?);
                }
            }
            needs.insert(id(&node["id"])?, needed);
        }
        Ok(Self { packages, needs })
    }

    fn root(&self, name: &str) -> Result<&'a Value> {
        let mut packages = self.packages.values();
        let found = packages.find(|package| package["name"] == name);
        found
            .copied()
            .with_context(|| format!("there is no package `{name}`"))
    }

    /// What the roots need, directly or through others.
    fn shipped(&self) -> Result<BTreeSet<&'a str>> {
        let mut open = Vec::new();
        for name in ROOTS {
            open.push(self.root(name)?["id"].as_str().context("an id")?);
        }
        let mut shipped = BTreeSet::new();
        while let Some(id) = open.pop() {
            if shipped.insert(id) {
                open.extend(self.needs.get(id).into_iter().flatten());
            }
        }
        Ok(shipped)
    }
}

fn crate_url(package: &Value) -> String {
    let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

fn crate_component(package: &Value, checksums: &BTreeMap<String, String>) -> Value {
    let url = crate_url(package);
    let mut component = json!({
        "type": "library", "bom-ref": url, "purl": url, "scope": "required",
        "name": package["name"], "version": package["version"], "licenses": licences(package),
    });
    if let Some(checksum) = checksums.get(&url) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// Old manifests write `MIT/Apache-2.0` for `OR`.
fn licences(package: &Value) -> Value {
    match package["license"].as_str() {
        Some(licence) => json!([{ "expression": licence.replace('/', " OR ") }]),
        None => json!([]),
    }
}

/// The checksums of the registry's crates, by their address.
fn checksums(cargo_lock: &str) -> Result<BTreeMap<String, String>> {
    let lock: toml::Table = cargo_lock.parse().context("Cargo.lock is not TOML")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let mut checksums = BTreeMap::new();
    for package in packages.context("Cargo.lock lists packages")? {
        let text = |field: &str| package.get(field).and_then(toml::Value::as_str);
        if let (Some(name), Some(version), Some(checksum)) =
            (text("name"), text("version"), text("checksum"))
        {
            checksums.insert(format!("pkg:cargo/{name}@{version}"), checksum.to_owned());
        }
    }
    Ok(checksums)
}

/// The npm packages that are in the shell. Tools of the build are left out.
fn npm_components(npm_lock: &Value) -> Result<Vec<Value>> {
    let packages = npm_lock["packages"].as_object();
    let mut components = Vec::new();
    for (path, package) in packages.context("package-lock.json lists packages")? {
        let Some((_, name)) = path.rsplit_once("node_modules/") else {
            continue;
        };
        if package["dev"] == true && !name.starts_with(COPIED) {
            continue;
        }
        let version = package["version"].as_str().unwrap_or_default();
        let url = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
        let mut component = json!({
            "type": "library", "bom-ref": url, "purl": url, "scope": "required",
            "name": name, "version": version, "licenses": licences(package),
        });
        let integrity = package["integrity"].as_str().unwrap_or_default();
        if let Some(digest) = integrity.strip_prefix("sha512-") {
            let bytes = base64::engine::general_purpose::STANDARD.decode(digest)?;
            let content: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            component["hashes"] = json!([{ "alg": "SHA-512", "content": content }]);
        }
        components.push(component);
    }
    Ok(components)
}

#[cfg(test)]
mod tests {
    use super::make;
    use crate::paths::Paths;

    #[test]
    fn the_bill_names_what_ships_and_nothing_else() {
        let paths = Paths::find().expect("a checkout");
        let bom = make(&paths).expect("a bill");
        assert_eq!(
            make(&paths).expect("a bill"),
            bom,
            "the same sources, the same bytes"
        );
        let components = bom["components"].as_array().expect("components");
        let named = |name: &str| {
            components
                .iter()
                .find(|component| component["name"] == name)
        };
        for (name, algorithm) in [("hyper", "SHA-256"), ("react", "SHA-512")] {
            let found = named(name).unwrap_or_else(|| panic!("{name} ships"));
            assert_eq!(found["hashes"][0]["alg"], algorithm);
            assert_ne!(found["licenses"][0]["expression"], serde_json::Value::Null);
        }
        assert!(named("@fontsource-variable/hanken-grotesk").is_some());
        for name in ["sitewright-testkit", "s3s", "vitest", "playwright-core"] {
            assert!(named(name).is_none(), "{name} is for tests");
        }
        for component in components {
            let (url, version) = (&component["purl"], &component["version"]);
            assert!(
                version.as_str().is_some_and(|version| !version.is_empty()),
                "{url}"
            );
            let is_ours = component["name"]
                .as_str()
                .is_some_and(|name| name.starts_with("sitewright") || name == "web_atoms");
            assert!(
                is_ours || component["hashes"][0]["content"].is_string(),
                "{url}"
            );
        }
        let known = |url: &serde_json::Value| components.iter().any(|one| one["bom-ref"] == *url);
        for dependency in bom["dependencies"].as_array().expect("dependencies") {
            assert!(known(&dependency["ref"]), "{dependency}");
            let needs = dependency["dependsOn"].as_array().expect("a list");
            assert!(needs.iter().all(known), "{dependency}");
        }
    }
}
