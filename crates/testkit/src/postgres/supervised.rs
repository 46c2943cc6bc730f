//! A server process that cannot outlive us.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Binaries;
use tempfile::TempDir;

/// Postgres refuses to run as root, so root hands over to this user, which its packages create.
const UNPRIVILEGED_USER: &str = "postgres";
const START_LIMIT: Duration = Duration::from_secs(60);
/// Another process may take the free port between our asking and Postgres listening.
const START_ATTEMPTS: usize = 5;

/// `$1` is the folder, `$2` the program, the rest its arguments. Ends the server and removes the folder when standard input
/// closes; when the server ends by itself, keeps the folder for its log and exits.
const SUPERVISOR: &str = r#"
folder=$1; shift
exec 3<&0
"$@" >>"$folder/log" 2>&1 3<&- &
server=$!
{ cat <&3; : >"$folder/stopping"; kill -QUIT $server; } >/dev/null &
watcher=$!
wait $server
if [ -e "$folder/stopping" ]; then rm -rf "$folder"; else kill $watcher; exit 1; fi
"#;

/// Small, because tests share two cores; nothing here weakens what a commit promises.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "max_connections=300",
    "shared_buffers=64MB",
    "wal_level=minimal",
    "max_wal_senders=0",
    "checkpoint_timeout=30min",
    "autovacuum=off",
    "jit=off",
    "timezone=UTC",
];

#[derive(Debug)]
pub(super) struct Supervised {
    port: u16,
    shell: Child,
    /// Removed last, after the server has let go of it.
    _folder: TempDir,
}

impl Supervised {
    pub(super) fn start(binaries: &Binaries) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("sitewright-postgres-")
            .tempdir()
            .expect("a temporary folder");
        let as_root = fs::metadata(folder.path()).expect("our own folder").uid() == 0;
        if as_root {
            hand_over(folder.path());
        }
        create_data_folder(binaries, folder.path(), as_root);
        for attempt in 1.. {
            let port = free_port();
            let mut shell = spawn(binaries, folder.path(), port, as_root);
            match wait_until_ready(folder.path(), &mut shell) {
                Ok(()) => {
                    return Self {
                        port,
                        shell,
                        _folder: folder,
                    };
                }
                Err(_) if attempt < START_ATTEMPTS => {}
                Err(log) => panic!("Postgres did not start:\n{log}"),
            }
        }
        unreachable!("the last attempt returns or panics");
    }

    pub(super) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Closes the pipe, as the end of our process does, and waits until the shell has cleaned up alone.
    #[cfg(test)]
    pub(super) fn outlive(&mut self) -> std::io::Result<std::process::ExitStatus> {
        drop(self.shell.stdin.take());
        self.shell.wait()
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // Nothing is left to do when waiting fails: the shell is not ours any more.
        self.shell.wait().ok();
    }
}

fn hand_over(folder: &Path) {
    let status = Command::new("chown")
        .arg(UNPRIVILEGED_USER)
        .arg(folder)
        .status()
        .expect("chown runs");
    assert!(
        status.success(),
        "the user {UNPRIVILEGED_USER} does not exist; Postgres does not run as root"
    );
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("our own folder");
}

/// Root steps down to the unprivileged user; anybody else stays who they are.
fn unprivileged(program: &Path, as_root: bool) -> Command {
    if !as_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", UNPRIVILEGED_USER, "--"]).arg(program);
    command
}

fn create_data_folder(binaries: &Binaries, folder: &Path, as_root: bool) {
    let output = unprivileged(&binaries.initdb, as_root)
        .current_dir(folder)
        // `--no-sync` is about creating the folder only; the running server syncs.
        .args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--pgdata",
        ])
        .arg(folder.join("data"))
        .output()
        .expect("initdb runs");
    assert!(
        output.status.success(),
        "initdb failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn spawn(binaries: &Binaries, folder: &Path, port: u16, as_root: bool) -> Child {
    let mut command = unprivileged(Path::new("/bin/sh"), as_root);
    command
        .args(["-c", SUPERVISOR, "supervisor"])
        .arg(folder)
        .arg(&binaries.postgres);
    command
        .arg("-D")
        .arg(folder.join("data"))
        .arg("-k")
        .arg(folder)
        .arg("-p")
        .arg(port.to_string());
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C in a terminal reaches us; the shell then sees our end close and still gets to clean up.
        .process_group(0)
        .spawn()
        .expect("a shell runs")
}

/// The server writes `ready` into its pid file once it accepts connections.
fn wait_until_ready(folder: &Path, shell: &mut Child) -> Result<(), String> {
    let started = Instant::now();
    while started.elapsed() < START_LIMIT {
        let pid_file = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
        if pid_file.lines().any(|line| line.trim() == "ready") {
            return Ok(());
        }
        if shell.try_wait().expect("our own child").is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(fs::read_to_string(folder.join("log")).unwrap_or_default())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("it is bound").port()
}
