//! Builds the site core for the browser: compiles it, then generates its JavaScript bindings in `web/src/core`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::compress;
use crate::paths::Paths;
use crate::prepare::{self, Compiler, TARGET};
use crate::progress::{Progress, say};
use crate::stamp::{self, Inputs};

const PACKAGE: &str = "sitewright-site-wasm";
const PROFILE: &str = "release-wasm";
/// Part of the stamp, because another form of the same module is another output.
const FACE: &str = "web, no names, wasm-bindgen 0.2.130";

/// The maximum size of the core that a browser fetches, compressed, in bytes.
const COMPRESSED_MAX: usize = 700_000;

pub(crate) fn build(paths: &Paths, progress: &Progress) -> Result<()> {
    let compiler = prepare::wasm_compiler(paths, progress)?;
    progress.program("wasm core", &mut compile(paths, &compiler))?;
    let module = paths
        .target
        .join("wasm")
        .join(TARGET)
        .join(PROFILE)
        .join("sitewright_site_wasm.wasm");
    let stamp = Inputs::new().text(FACE).file(&module)?.stamp();
    let core = paths.core();
    let stamp_file = core.join(".stamp");
    if stamp::is_current(&stamp_file, &stamp, &core.join("core_bg.wasm")) {
        return Ok(());
    }
    progress.step("wasm bindings", || bind(&module, &core))?;
    weigh(&core)?;
    stamp::remember(&stamp_file, &stamp)
}

/// Always runs Cargo, which knows best whether anything changed. Another compiler and other flags would invalidate every native
/// build, so wasm has a build folder of its own.
fn compile(paths: &Paths, compiler: &Compiler) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(&paths.root).args([
        "build",
        "--locked",
        "--profile",
        PROFILE,
        "--package",
        PACKAGE,
    ]);
    command
        .args(["--target", TARGET])
        .arg("--target-dir")
        .arg(paths.target.join("wasm"));
    command
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags());
    match compiler {
        Compiler::Active => {}
        Compiler::Debian { rustc, linker } => {
            // `-Z build-std` is an unstable flag that RUSTC_BOOTSTRAP enables: the packages contain no compiled standard library.
            command
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTC", rustc);
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
    }
    command
}

/// Panic messages name source files; without remapping, the module would contain the builder's home folder. Our own files already
/// have relative names, and naming the checkout here would make the first build of every clone start from nothing.
fn rust_flags() -> String {
    let mut flags = vec![
        "--cfg".to_owned(),
        "getrandom_backend=\"wasm_js\"".to_owned(),
    ];
    if let Some(cargo_home) = cargo_home() {
        flags.push(format!(
            "--remap-path-prefix={}=cargo",
            cargo_home.display()
        ));
    }
    flags.join("\u{1f}")
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

fn weigh(core: &Path) -> Result<()> {
    let bytes = fs::read(core.join("core_bg.wasm"))?;
    let compressed = compress::gzip(&bytes)?.len();
    say(&format!(
        "   wasm core: {} KB, {} KB compressed",
        bytes.len() / 1000,
        compressed / 1000
    ));
    ensure!(
        compressed <= COMPRESSED_MAX,
        "The core has {compressed} bytes compressed, more than {COMPRESSED_MAX}: look for types that are read from several kinds of \
         sources, and for dependencies that bring tables."
    );
    Ok(())
}

fn bind(module: &Path, core: &Path) -> Result<()> {
    fs::create_dir_all(core).with_context(|| format!("could not create {}", core.display()))?;
    Bindgen::new()
        .input_path(module)
        .out_name("core")
        .web(true)?
        // By default the library leaves `init()` without a default address, and Vite then emits no module.
        .omit_default_module_path(false)
        .typescript(true)
        .remove_producers_section(true)
        .remove_name_section(true)
        .generate(core)
        .context("wasm-bindgen could not write the bindings")
}
