//! From a clone to a running site in one command.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::arguments::Profile;
use crate::paths::Paths;
use crate::progress::{Progress, say};
use crate::{browser_bundle, release};

pub(crate) fn run(
    paths: &Paths,
    progress: &Progress,
    profile: Profile,
    arguments: &[String],
) -> Result<ExitCode> {
    say("Preparing (the first time takes minutes, later starts take seconds)");
    browser_bundle::build(paths, progress)?;
    let program = release::server(paths, progress, profile)?;
    let mut server = Command::new(&program);
    server.current_dir(&paths.root).arg("serve");
    if !arguments
        .iter()
        .any(|argument| argument == "--data" || argument.starts_with("--data="))
    {
        server.args(["--data", "./data"]);
    }
    server.args(arguments);
    say("");
    // The server replaces this process, so that signals and the exit code are its own.
    let error = server.exec();
    Err(error).with_context(|| format!("{} does not start", program.display()))
}
