//! The data folder and its lock file. A process that uses the folder holds a lock on it; a server also writes the path of its local
//! socket there, so that the command line can go through the server and open tabs see the result.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The longest path that a Unix socket can have on every supported system, including the final zero.
const SOCKET_PATH_MAX: usize = 104;

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process holds the lock without announcing a socket: a command that will be done soon, or a server that is starting.
    #[error("the data folder {0} is in use by another process; try again in a moment")]
    Busy(String),
    /// The system does not give access to it.
    #[error("the data folder {path} cannot be used: {source}")]
    Unusable {
        /// The folder or the file in it.
        path: String,
        #[source]
        source: io::Error,
    },
}

/// The state in which a data folder was found.
#[derive(Debug)]
pub enum Folder {
    /// No other process uses it; it is locked until the value is dropped.
    Ours(FolderLock),
    /// A server uses it and listens on this socket.
    Served(PathBuf),
}

/// An exclusive lock on a data folder.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    folder: PathBuf,
}

impl Folder {
    /// Locks the folder, creating it if missing, or finds the server that uses it.
    pub fn take(path: &Path) -> Result<Self, FolderError> {
        let unusable = |source| FolderError::Unusable {
            path: path.display().to_string(),
            source,
        };
        // Drafts, sessions and keys must not be readable by others on a shared machine.
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(unusable)?;
        let folder = path.canonicalize().map_err(unusable)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(folder.join("sitewright.lock"))
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0).map_err(unusable)?;
                Ok(Self::Ours(FolderLock { file, folder }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut socket = String::new();
                file.read_to_string(&mut socket).map_err(unusable)?;
                match socket.trim() {
                    "" => Err(FolderError::Busy(path.display().to_string())),
                    socket => Ok(Self::Served(PathBuf::from(socket))),
                }
            }
            Err(TryLockError::Error(source)) => Err(unusable(source)),
        }
    }
}

impl FolderLock {
    /// The path for the socket: in the folder, or in a private temporary folder when the data folder's path is too long.
    pub(crate) fn socket_path(&self) -> io::Result<PathBuf> {
        let here = self.folder.join("sitewright.sock");
        let path = if here.as_os_str().len() < SOCKET_PATH_MAX {
            here
        } else {
            let name =
                hex::encode(&Sha256::digest(self.folder.as_os_str().as_encoded_bytes())[..8]);
            let private = std::env::temp_dir().join(format!("sitewright-{name}"));
            self.make_private(&private)?;
            private.join("sitewright.sock")
        };
        match fs::remove_file(&path) {
            // Left over from an earlier process: we hold the lock, so no one listens there.
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path),
            Err(error) => Err(error),
        }
    }

    /// Creates a folder that no one else can put a socket into. The temporary folder is writable by everyone, so an existing one is
    /// accepted only if it has our owner and permissions.
    fn make_private(&self, private: &Path) -> io::Result<()> {
        match fs::DirBuilder::new().mode(0o700).create(private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
        }
        let found = fs::symlink_metadata(private)?;
        let owner = self.file.metadata()?.uid();
        if found.is_dir() && found.uid() == owner && found.mode() & 0o077 == 0 {
            return Ok(());
        }
        let place = private.display();
        Err(io::Error::other(format!(
            "{place} is open to others; remove it, or choose a data folder with a shorter path"
        )))
    }

    /// Writes the socket's path into the lock file, for other processes.
    pub(crate) fn announce(&mut self, socket: &Path) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(socket.as_os_str().as_encoded_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, FolderError};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    #[test]
    fn a_folder_has_one_holder_and_tells_where_its_server_listens() {
        let folder = tempfile::tempdir().unwrap();
        let Folder::Ours(mut lock) = Folder::take(folder.path()).unwrap() else {
            panic!("nobody else has it")
        };
        assert!(matches!(
            Folder::take(folder.path()),
            Err(FolderError::Busy(_))
        ));
        lock.announce(&PathBuf::from("/somewhere.sock")).unwrap();
        let found = Folder::take(folder.path()).unwrap();
        assert!(
            matches!(&found, Folder::Served(socket) if socket.to_str() == Some("/somewhere.sock")),
            "{found:?}"
        );
        drop(lock);
        assert!(matches!(Folder::take(folder.path()), Ok(Folder::Ours(_))));
    }

    #[test]
    fn a_long_path_gets_its_socket_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(120));
        let Folder::Ours(lock) = Folder::take(&deep).unwrap() else {
            panic!("nobody else has it")
        };
        let socket = lock.socket_path().unwrap();
        assert!(
            socket.as_os_str().len() < super::SOCKET_PATH_MAX && !socket.starts_with(&deep),
            "{socket:?}"
        );
        let private = socket.parent().unwrap();
        assert_eq!(lock.socket_path().unwrap(), socket);
        std::fs::set_permissions(private, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(
            lock.socket_path().unwrap_err().to_string(),
            format!(
                "{} is open to others; remove it, or choose a data folder with a shorter path",
                private.display()
            )
        );
        std::fs::remove_dir(private).unwrap();
    }
}
