//! Starts the server, and stops it gracefully.

use std::pin::pin;

use anyhow::{Context as _, Result};
use sitewright_server::{App, Folder, Server};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::api::{settings, take_folder};
use crate::arguments::Target;
use crate::{log, output};

pub(crate) async fn run(target: &Target, listen: Option<&str>) -> Result<()> {
    let settings = settings(target, listen)?;
    log::begin(&settings)?;
    let lock = match take_folder(&settings.data).await? {
        Folder::Ours(lock) => lock,
        Folder::Served(_) => {
            let folder = settings.data.display();
            anyhow::bail!(
                "another Sitewright is already using the data folder {folder}; stop it first, or choose another folder with --data"
            )
        }
    };
    let server = Server::bind(App::open(settings).await?, lock).await?;
    let mut terminate = signal(SignalKind::terminate()).context("signals cannot be received")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("signals cannot be received")?;
    output::line(&format!("Sitewright is ready at {}", server.address()))?;
    if let Some(link) = server.setup_link().await? {
        let line = format!("To set it up, open this link (it works once): {link}");
        if output::line(&line).is_err() {
            // The parent process may read only the address and close the pipe; that is not a reason to stop.
            tracing::warn!(
                "no one is reading standard output; `sitewright setup --link` prints the link"
            );
        }
    }
    let stop = CancellationToken::new();
    let mut serving = pin!(server.run(stop.clone()));
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        // A server that ends by itself must not leave a process that waits for a signal.
        ended = &mut serving => return Ok(ended?),
    }
    tracing::info!("stopping");
    stop.cancel();
    Ok(serving.await?)
}
