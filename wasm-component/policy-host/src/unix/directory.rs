//! Where sockets lie.

use std::env;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::protocol::random_hex;

/// A new directory that only this user can enter; it goes, with what is in it, when this is dropped.
#[derive(Debug)]
pub struct PrivateDirectory {
    path: PathBuf,
}

impl PrivateDirectory {
    /// In the directory that the system has for sockets of this user, or else in the one for temporary files.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> io::Result<Self> {
        let base = env::var_os("XDG_RUNTIME_DIR").map_or_else(env::temp_dir, PathBuf::from);
        Self::within(base).or_else(|_| Self::within(env::temp_dir()))
    }

    /// In a directory of the caller's choice. The path of a socket has at most about a hundred bytes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn within(base: impl AsRef<Path>) -> io::Result<Self> {
        let path = base.as_ref().join(format!("pi-sandbox-{}", random_hex::<8>()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // What is left behind is closed to others.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A socket's file, which goes with its server, unless somebody has put another one in its place.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    /// Listens in a directory that must be closed to other users: who could exchange the socket would be shown the
    /// capability.
    pub(super) fn listen(path: &Path) -> io::Result<(UnixListener, Self)> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let around = fs::metadata(directory)?;
        if around.mode() & 0o077 != 0 {
            let directory = directory.display();
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("other users can enter {directory}: give the socket a directory of mode 700"),
            ));
        }
        let listener = UnixListener::bind(path)?;
        let made = fs::symlink_metadata(path)?;
        let file = Self { path: path.to_owned(), identity: identity(&made) };
        if made.uid() != around.uid() {
            let directory = directory.display();
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{directory} belongs to another user: give the socket a directory of this user"),
            ));
        }
        Ok((listener, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|now| identity(&now) == self.identity) {
            // A file that cannot be removed leads nowhere.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}
