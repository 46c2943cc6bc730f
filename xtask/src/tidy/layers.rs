//! The direction of dependencies between our crates, as DESIGN §2 draws it.

use std::collections::BTreeSet;

use super::Broken;
use super::metadata::{Kind, Metadata, short_name};

/// Each crate with the crates it builds on; their dependencies are allowed too. A crate that is missing here has no layer and is
/// reported.
const LAYERS: &[(&str, &[&str])] = &[
    ("tool", &[]),
    ("markup", &["tool"]),
    ("site", &["markup", "tool"]),
    ("site-wasm", &["site"]),
    ("design", &["markup", "site", "tool"]),
    ("egress", &[]),
    ("store", &["site", "tool"]),
    ("media", &["store"]),
    ("runtime", &["tool", "site", "store"]),
    ("llm", &["tool", "egress"]),
    ("content", &["design", "runtime", "site", "store", "media"]),
    ("connect", &["runtime", "egress", "store", "media"]),
    ("publish", &["runtime", "site", "store"]),
    ("commands", &["design", "llm", "markup", "site"]),
    ("agent", &["commands", "runtime", "llm", "site", "store"]),
    ("breadcrumbs", &["agent", "runtime", "store"]),
    ("server", &["content", "connect", "publish", "breadcrumbs"]),
    ("cli", &["server"]),
    ("testkit", &[]),
    ("xtask", &["testkit"]),
];

/// Crates whose tests depend on more than the crates do: the built-in commands are tested by their results on a real site, and
/// publishing with every tool that changes one. The contract of the content scope is tested where all its tools can be registered.
const TESTED_ON: &[(&str, &[&str])] = &[
    ("commands", &["runtime", "store"]),
    ("publish", &["content"]),
    ("connect", &["content"]),
];

/// Simulators and temporary servers must not ship.
const TESTS_ONLY: &str = "testkit";

pub(super) fn check(metadata: &Metadata) -> Vec<Broken> {
    let mut broken = Vec::new();
    for package in metadata.ours() {
        let name = package.short_name();
        let Some(below) = everything_below(name) else {
            broken.push(Broken::new(
                &package.name,
                "has no place in the layers: add it to DESIGN §2 and to xtask's table",
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(other) = short_name(&dependency.name) else {
                continue;
            };
            let is_for_tests = other == TESTS_ONLY
                || TESTED_ON
                    .iter()
                    .any(|(crate_name, others)| *crate_name == name && others.contains(&other));
            if is_for_tests && dependency.kind == Kind::TestsOnly {
                continue;
            }
            if !below.contains(other) {
                let reason = if other == TESTS_ONLY {
                    "is for tests only"
                } else {
                    "is not below it"
                };
                broken.push(Broken::new(
                    &package.name,
                    format!("must not depend on {}, which {reason}", dependency.name),
                ));
            }
        }
    }
    broken
}

/// All crates that may be used, directly or indirectly; `None` for an unknown crate.
fn everything_below(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, direct) = LAYERS.iter().find(|(layer, _)| *layer == name)?;
    let mut below = BTreeSet::new();
    let mut pending: Vec<&'static str> = direct.to_vec();
    while let Some(next) = pending.pop() {
        if below.insert(next) {
            let (_, more) = LAYERS.iter().find(|(layer, _)| *layer == next)?;
            pending.extend(*more);
        }
    }
    Some(below)
}

#[cfg(test)]
mod tests {
    use super::super::metadata::tests::workspace;
    use super::{LAYERS, check, everything_below};

    fn check_layers(lines: &[&str], expected: &[&str]) {
        let broken: Vec<String> = check(&workspace(lines))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(broken, expected);
    }

    #[test]
    fn arrows_point_down_also_over_several_layers() {
        check_layers(
            &[
                "sitewright-tool: serde",
                "sitewright-store: sitewright-tool, sqlx; dev sitewright-testkit",
                "sitewright-server: sitewright-store, sitewright-egress, sitewright-agent",
                "sitewright-cli: sitewright-server, sitewright-tool",
                "sitewright-commands: sitewright-llm; dev sitewright-store",
                "xtask: sitewright-testkit",
            ],
            &[],
        );
    }

    #[test]
    fn an_arrow_up_sideways_or_into_tests_is_refused() {
        check_layers(
            &["sitewright-store: sitewright-server"],
            &["sitewright-store: must not depend on sitewright-server, which is not below it"],
        );
        check_layers(
            &["sitewright-content: sitewright-egress"],
            &["sitewright-content: must not depend on sitewright-egress, which is not below it"],
        );
        check_layers(
            &["sitewright-tool: dev sitewright-store"],
            &["sitewright-tool: must not depend on sitewright-store, which is not below it"],
        );
        check_layers(
            &["sitewright-commands: sitewright-store"],
            &["sitewright-commands: must not depend on sitewright-store, which is not below it"],
        );
        check_layers(
            &["sitewright-cli: sitewright-testkit"],
            &["sitewright-cli: must not depend on sitewright-testkit, which is for tests only"],
        );
        check_layers(
            &["sitewright-extras: serde"],
            &[
                "sitewright-extras: has no place in the layers: add it to DESIGN §2 and to xtask's table",
            ],
        );
    }

    #[test]
    fn the_table_names_only_its_own_crates_and_has_no_cycle() {
        for (name, _) in LAYERS {
            let below = everything_below(name).expect("every name in the table is in the table");
            assert!(!below.contains(name), "{name} is below itself");
        }
    }
}
