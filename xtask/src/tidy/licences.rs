//! Checks that every dependency's licence is one that `deny.toml` allows.
//!
//! cargo-deny checks the same list and more, but takes minutes to build; this needs no build.

use anyhow::{Context, Result};
use spdx::{Expression, Licensee, ParseMode};

use super::Broken;
use super::metadata::{Metadata, Origin};

pub(super) fn check(metadata: &Metadata, deny_toml: &str) -> Result<Vec<Broken>> {
    let allowed = allowed(deny_toml)?;
    let broken = metadata
        .packages
        .iter()
        .filter(|package| package.origin == Origin::Outside)
        .filter_map(|package| {
            let problem = match &package.licence {
                None => "states no licence".to_owned(),
                Some(licence) if is_allowed(licence, &allowed) => return None,
                Some(licence) => format!("is under {licence}, which deny.toml does not allow"),
            };
            Some(Broken::new(
                format!("{} {}", package.name, package.version),
                problem,
            ))
        });
    Ok(broken.collect())
}

fn allowed(deny_toml: &str) -> Result<Vec<Licensee>> {
    let configuration: toml::Table = deny_toml.parse().context("deny.toml is not TOML")?;
    let allow = configuration
        .get("licenses")
        .and_then(|licences| licences.get("allow")?.as_array())
        .context("deny.toml has no list `licenses.allow`")?;
    allow
        .iter()
        .map(|entry| {
            let name = entry
                .as_str()
                .context("an entry of `licenses.allow` is not a text")?;
            Licensee::parse(name)
                .with_context(|| format!("`{name}` in `licenses.allow` is not an SPDX licence"))
        })
        .collect()
}

/// Old manifests write `MIT/Apache-2.0` for `OR`.
fn is_allowed(licence: &str, allowed: &[Licensee]) -> bool {
    Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|required| allowed.iter().any(|ours| ours.satisfies(required)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::metadata::tests::workspace;
    use super::check;

    fn check_licence(licence: Option<&str>, expected: &[&str]) {
        let mut metadata = workspace(&["sitewright-tool: a", "a: "]);
        metadata.packages[1].licence = licence.map(str::to_owned);
        let allow = "[licenses]\nallow = [\"MIT\", \"ISC\", \"Apache-2.0\", \"Apache-2.0 WITH LLVM-exception\"]";
        let broken = check(&metadata, allow).expect("the list is well-formed");
        assert_eq!(
            broken.iter().map(ToString::to_string).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn one_side_of_an_or_and_both_of_an_and_must_be_allowed() {
        check_licence(Some("MIT"), &[]);
        check_licence(Some("GPL-3.0-only OR MIT"), &[]);
        check_licence(Some("MIT/Apache-2.0"), &[]);
        check_licence(Some("Apache-2.0 WITH LLVM-exception OR GPL-2.0-only"), &[]);
        check_licence(Some("(MIT OR AGPL-3.0-only) AND ISC"), &[]);
        check_licence(
            Some("MIT AND AGPL-3.0-only"),
            &["a 1.0.0: is under MIT AND AGPL-3.0-only, which deny.toml does not allow"],
        );
        check_licence(
            Some("Unheard-Of"),
            &["a 1.0.0: is under Unheard-Of, which deny.toml does not allow"],
        );
        check_licence(None, &["a 1.0.0: states no licence"]);
    }

    #[test]
    fn a_list_that_is_not_there_is_an_error() {
        let error = check(&workspace(&[]), "[bans]").expect_err("there is no list");
        assert_eq!(error.to_string(), "deny.toml has no list `licenses.allow`");
    }
}
