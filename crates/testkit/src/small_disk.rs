//! A disk of a few megabytes, for tests of what happens when it is full.
//!
//! A tmpfs in a mount namespace of its own: a small process keeps the namespace for as long as its standard input is open, so the disk
//! is gone when the value is dropped and also when the test process is killed. Nobody outside the namespace sees the mount, so tests
//! at the same time do not meet, and none needs root where the system lets users make namespaces.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A small disk that is mounted over a folder, for those commands that it starts.
#[derive(Debug)]
pub struct SmallDisk {
    keeper: Child,
    folder: PathBuf,
    namespaces: &'static [&'static str],
}

/// The flags of `unshare` and of `nsenter`: as root, and as anybody else.
const WAYS: [(&[&str], &[&str]); 2] = [
    (&["--mount"], &["--mount"]),
    (
        &["--user", "--map-root-user", "--mount"],
        &["--user", "--mount", "--preserve-credentials"],
    ),
];

impl SmallDisk {
    /// Mounts a disk of this many megabytes over a folder that exists.
    ///
    /// # Panics
    /// When the system mounts none: a test that needs a full disk has then shown nothing.
    #[must_use]
    pub fn mount(folder: &Path, megabytes: u32) -> Self {
        let folder = folder.canonicalize().expect("the folder to mount over");
        let mut reasons = String::new();
        for (unshare, nsenter) in WAYS {
            match keep(&folder, megabytes, unshare) {
                Ok(keeper) => {
                    return Self {
                        keeper,
                        folder,
                        namespaces: nsenter,
                    };
                }
                Err(reason) => reasons += &reason,
            }
        }
        panic!(
            "no small disk can be mounted; the test needs root, or a system that lets users make namespaces: {reasons}"
        );
    }

    /// A command that sees the disk in place of the folder.
    #[must_use]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--target={}", self.keeper.id()))
            .args(self.namespaces)
            .arg("--")
            .arg(program);
        command
    }

    /// The disk's own folder as the rest of the system reaches it.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.keeper.id()));
        root.join(self.folder.strip_prefix("/").unwrap_or(&self.folder))
    }

    /// Fills the disk to its last byte.
    ///
    /// # Panics
    /// When the disk takes no more for another reason than that it is full.
    pub fn fill(&self) {
        let mut filler = File::create(self.filler()).expect("a file that fills the disk");
        // The last page goes byte by byte, so that nothing fits any more.
        for size in [64 * 1024, 4096, 1] {
            let bytes = vec![0; size];
            loop {
                match filler.write(&bytes) {
                    Ok(written) if written > 0 => {}
                    Ok(_) => break,
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("the disk cannot be filled: {error}"),
                }
            }
        }
    }

    /// Gives the space back that [`SmallDisk::fill`] took.
    ///
    /// # Panics
    /// When the disk was not filled.
    pub fn free(&self) {
        std::fs::remove_file(self.filler()).expect("the file that fills the disk");
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // It ends with its input in any case.
        self.keeper.kill().ok();
        self.keeper.wait().ok();
    }
}

/// Starts the process that keeps the namespace, and waits until it has mounted the disk.
fn keep(folder: &Path, megabytes: u32, flags: &[&str]) -> Result<Child, String> {
    let script = "mount -t tmpfs -o size=\"$1\"m,mode=700 tmpfs \"$0\" && echo mounted && exec cat";
    let mut keeper = Command::new("unshare")
        .args(flags)
        .args(["--", "sh", "-c", script])
        .arg(folder)
        .arg(megabytes.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("unshare cannot be started: {error}; "))?;
    let mut line = String::new();
    let read = keeper.stdout.take().map(BufReader::new);
    let read = read.map(|mut stdout| stdout.read_line(&mut line));
    if matches!(read, Some(Ok(_))) && line == "mounted\n" {
        return Ok(keeper);
    }
    let output = keeper
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    Err(format!(
        "unshare {flags:?}: {}; ",
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::SmallDisk;
    use std::io::ErrorKind;

    #[test]
    fn a_small_disk_is_full_and_free_for_its_commands_and_for_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let disk = SmallDisk::mount(folder.path(), 1);
        let write = |name: &str| {
            let file = folder.path().join(name);
            let mut command = disk.command("sh");
            let written = command.args(["-c", "printf x > \"$0\""]).arg(file).output();
            written.unwrap().status.success()
        };
        assert!(write("before"));
        disk.fill();
        assert!(!write("full"));
        let refused = std::fs::write(disk.path().join("other"), "x").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::StorageFull);
        disk.free();
        assert!(write("after"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
