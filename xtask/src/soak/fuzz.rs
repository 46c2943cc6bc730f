//! Runs libFuzzer on the targets of `crates/site/fuzz`.
//!
//! Coverage comes from LLVM's own pass, which the pinned compiler has, so neither a nightly toolchain nor cargo-fuzz is needed;
//! libFuzzer itself is C++ and needs a C++ compiler. Without one, the tests of `crates/markup` and `crates/site` still check as
//! many mutations as `SITEWRIGHT_FUZZ_INPUTS` says.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use sitewright_testkit::{Missing, Prerequisite};

use crate::paths::Paths;
use crate::progress::{Progress, say};

/// How long each target runs.
const SECONDS: u32 = 600;
/// The longest input in bytes: long enough to reach everything the parsers do, short enough to try many inputs.
const BYTES_MAX: u32 = 2_048;
/// The time limit for one input. It is wall-clock time, so it allows for a machine that is busy with other work.
const INPUT_SECONDS_MAX: u32 = 60;
const MEMORY_MB_MAX: u32 = 1_024;

const COVERAGE: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

/// The built targets and their folders.
pub(super) struct Fuzz {
    programs: PathBuf,
    /// The crates, whose tests hold the committed corpora.
    crates: PathBuf,
    /// Inputs that earlier runs found interesting, and inputs that failed.
    kept: PathBuf,
}

impl Fuzz {
    /// Checks the prerequisites for building the targets.
    pub(super) fn compiler() -> Result<(), Missing> {
        if runs("c++") {
            return Ok(());
        }
        Err(Missing::absent(
            Prerequisite::Fuzzer,
            "libFuzzer needs a C++ compiler: install one that is called c++, such as Debian's g++.",
        ))
    }

    pub(super) fn build(paths: &Paths, progress: &Progress) -> Result<Self> {
        let host = host()?;
        let kept = paths.target.join("fuzz");
        let mut cargo = Command::new("cargo");
        // With an explicit target, build scripts and macros are built without coverage. Not `--locked`: dependencies that `site`
        // has gained are added to the lock file, and existing entries stay as they are.
        cargo
            .current_dir(paths.root.join("crates/site/fuzz"))
            .args(["build", "--release", "--target", &host])
            .env("CARGO_TARGET_DIR", &kept)
            .env("RUSTFLAGS", COVERAGE.join(" "));
        progress.program("fuzz targets", &mut cargo)?;
        Ok(Self {
            programs: kept.join(host).join("release"),
            crates: paths.root.join("crates"),
            kept,
        })
    }

    /// Runs one target and reports the result.
    pub(super) fn run(&self, progress: &Progress, title: &str, target: &str) -> Result<()> {
        let corpus = self.kept.join("corpus").join(target);
        let finds = self.kept.join("finds");
        let owner = owner_of(target);
        let seeds = self.crates.join(owner).join("tests/corpus");
        for folder in [&corpus, &finds] {
            fs::create_dir_all(folder)
                .with_context(|| format!("could not create {}", folder.display()))?;
        }
        let mut command = Command::new(self.programs.join(target));
        command
            .arg(format!("-max_total_time={SECONDS}"))
            .arg(format!("-max_len={BYTES_MAX}"))
            .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
            .arg(format!("-rss_limit_mb={MEMORY_MB_MAX}"))
            .arg(format!(
                "-dict={}",
                seeds.join(format!("{target}.dict")).display()
            ))
            .arg(format!("-artifact_prefix={}/{target}-", finds.display()))
            .arg("-print_final_stats=1")
            .arg(&corpus)
            .arg(seeds.join(target))
            .env("RUST_BACKTRACE", "0");
        let ended = progress.step(title, || progress.run(title, &mut command))?;
        let log = String::from_utf8_lossy(&fs::read(&ended.log)?).into_owned();
        if ended.status.success() {
            let done = log.lines().rfind(|line| line.starts_with("Done "));
            say(&format!("   {title}: {}", done.unwrap_or("done")));
            return Ok(());
        }
        progress.show(&ended)?;
        if found_something(&log) {
            bail!(
                "an input broke {target}; it is in {}. Put it into crates/{owner}/tests/corpus/{target} and mend the code.",
                finds.display()
            );
        }
        bail!(
            "{target} was stopped before its time ({}); no input broke it until then.",
            ended.status
        );
    }
}

/// The crate whose tests define a target.
fn owner_of(target: &str) -> &'static str {
    match target {
        "ops" | "code" => "site",
        _ => "markup",
    }
}

/// Whether libFuzzer saved a failing input, which it does not do when it is interrupted.
fn found_something(log: &str) -> bool {
    log.lines()
        .any(|line| line.contains("Test unit written to "))
}

fn runs(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The target triple of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not say what machine this is")?;
    Ok(host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::found_something;

    #[test]
    fn an_interruption_is_no_find() {
        let interrupted = "#2048 pulse\n==7== libFuzzer: run interrupted; exiting\n";
        assert!(!found_something(interrupted));
        let broken = "==7== ERROR: libFuzzer: deadly signal\nartifact_prefix='finds/ops-'; Test unit written to finds/ops-crash-1\n";
        assert!(found_something(broken));
    }
}
