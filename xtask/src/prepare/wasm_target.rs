//! Finds a compiler for wasm: the active toolchain's own target, else rustup's, else Debian's compiler with the standard library
//! built from source.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};

use super::apt;
use crate::paths::Paths;
use crate::progress::{Progress, say};

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_PACKAGES: &[&str] = &["rustc-web", "rust-web-src", "lld-19"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-19";

/// What compiles the core for the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// The toolchain that builds everything else has the target.
    Active,
    /// Debian's compiler, which has the standard library only as source.
    Debian { rustc: PathBuf, linker: PathBuf },
}

pub(crate) fn wasm_compiler(paths: &Paths, progress: &Progress) -> Result<Compiler> {
    if active_toolchain_has_target(paths) {
        return Ok(Compiler::Active);
    }
    // Before rustup, because a machine that needed Debian's compiler once cannot reach rustup's servers the next time either.
    if let Some(compiler) = debian() {
        return Ok(compiler);
    }
    if rustup_adds_target(paths, progress) && active_toolchain_has_target(paths) {
        return Ok(Compiler::Active);
    }
    if apt::may_install() {
        apt::install(progress, "a wasm compiler", DEBIAN_PACKAGES)?;
        if let Some(compiler) = debian() {
            return Ok(compiler);
        }
    }
    bail!(
        "There is no compiler for the browser: run `rustup target add {TARGET}`, or as root on Debian `apt-get install {}`.",
        DEBIAN_PACKAGES.join(" ")
    )
}

fn active_toolchain_has_target(paths: &Paths) -> bool {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(&paths.root)
        .output();
    output.is_ok_and(|output| {
        output.status.success()
            && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
    })
}

fn rustup_adds_target(paths: &Paths, progress: &Progress) -> bool {
    let mut command = Command::new("rustup");
    // If its servers cannot be reached, rustup should give up at once, because there is an alternative.
    command
        .args(["target", "add", TARGET])
        .env("RUSTUP_MAX_RETRIES", "0")
        .current_dir(&paths.root);
    let name = "wasm target from rustup";
    let added = progress.step(name, || {
        ensure!(
            progress.run(name, &mut command)?.status.success(),
            "rustup cannot provide the wasm target"
        );
        Ok(())
    });
    if let Err(reason) = &added {
        say(&format!("   {reason:#}; trying Debian's compiler"));
    }
    added.is_ok()
}

fn debian() -> Option<Compiler> {
    let (rustc, linker) = (PathBuf::from(DEBIAN_RUSTC), PathBuf::from(DEBIAN_LINKER));
    if !rustc.is_file() || !linker.is_file() {
        return None;
    }
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let source = sysroot.join("lib/rustlib/src/rust/library/Cargo.toml");
    source
        .is_file()
        .then_some(Compiler::Debian { rustc, linker })
}
