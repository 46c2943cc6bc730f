//! One database on a shared server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often a refusal that time cures is retried.
const ATTEMPTS: u32 = 20;

/// An empty database, dropped (connections included) with the value.
#[derive(Debug)]
pub struct TempDatabase {
    /// Where to connect.
    pub url: String,
    name: String,
    server_url: String,
    psql: PathBuf,
}

impl TempDatabase {
    pub(super) fn create(psql: &Path, server_url: &str) -> Self {
        let name = unique_name();
        let database = Self {
            url: with_database(server_url, &name),
            name,
            server_url: server_url.to_owned(),
            psql: psql.to_owned(),
        };
        // Nobody can connect to template0, so copying it never meets "source database is being accessed by other users".
        let create = format!("CREATE DATABASE {} TEMPLATE template0", database.name);
        for attempt in 1.. {
            match database.execute(&create) {
                Ok(()) => break,
                Err(refusal) if attempt < ATTEMPTS && is_temporary(&refusal) => {
                    std::thread::sleep(Duration::from_millis(50) * attempt);
                }
                Err(refusal) => panic!("could not create a test database: {refusal}"),
            }
        }
        database
    }

    fn execute(&self, statement: &str) -> Result<(), String> {
        let output = Command::new(&self.psql)
            .args([
                "--no-psqlrc",
                "--quiet",
                "--set=ON_ERROR_STOP=1",
                "--command",
                statement,
                "--dbname",
            ])
            .arg(&self.server_url)
            .output()
            .map_err(|error| format!("psql does not run: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

impl Drop for TempDatabase {
    fn drop(&mut self) {
        // The server may be gone already, and with it the database.
        self.execute(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ))
        .ok();
    }
}

fn is_temporary(refusal: &str) -> bool {
    [
        "being accessed by other users",
        "too many clients",
        "starting up",
        "remaining connection slots",
    ]
    .iter()
    .any(|sign| refusal.contains(sign))
}

/// Different in every process of this machine, also when a process id comes back.
fn unique_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    format!(
        "sitewright_{}_{nanos}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// The same server, another database: replaces the path and keeps the query.
pub(super) fn with_database(server_url: &str, name: &str) -> String {
    let (address, query) = match server_url.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (server_url, String::new()),
    };
    let (scheme, rest) = address
        .split_once("://")
        .expect("a Postgres URL starts with postgres://");
    let host = rest.split('/').next().unwrap_or_default();
    format!("{scheme}://{host}/{name}{query}")
}
