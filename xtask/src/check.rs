//! The fast loop: everything that can be checked without running tests.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::paths::Paths;
use crate::progress::Progress;
use crate::test::Summary;
use crate::{tidy, wasm, web};

pub(crate) fn check(paths: &Paths, progress: &Progress) -> Result<ExitCode> {
    let mut summary = Summary::new(progress);
    rust(paths, &mut summary);
    let ready = summary.step("web dependencies", || web::install(paths, progress))
        && summary.step("wasm", || wasm::build(paths, progress));
    if ready {
        self::web(paths, &mut summary);
    }
    Ok(summary.finish())
}

/// Format, house rules, lints, documentation: the cheapest first.
pub(crate) fn rust(paths: &Paths, summary: &mut Summary<'_>) {
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&paths.root).args(arguments);
        cargo
    };
    summary.program("format", &mut cargo(&["fmt", "--all", "--check"]));
    summary.step("tidy", || {
        let broken = tidy::broken_rules(paths)?;
        tidy::print(&broken);
        if broken.is_empty() {
            Ok(())
        } else {
            bail!("{} house rules are broken", broken.len())
        }
    });
    let clippy = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    summary.program("clippy", &mut cargo(&clippy));
    let mut documentation = cargo(&["doc", "--no-deps", "--workspace", "--locked"]);
    summary.program(
        "documentation",
        documentation.env("RUSTDOCFLAGS", "-D warnings"),
    );
}

/// TypeScript and its lints.
pub(crate) fn web(paths: &Paths, summary: &mut Summary<'_>) {
    summary.program("web lints and types", &mut web::script(paths, "check"));
}
