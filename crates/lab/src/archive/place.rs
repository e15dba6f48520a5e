//! Where an archive is: a file, or a database on a server.

use std::fmt;
use std::path::{Path, PathBuf};

use super::server::address::{Address, AddressError};

/// Where an archive is.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Server(Box<Address>),
}

impl Place {
    /// What a user has named: a file, or a server by its URL. For a server, what must lie on this
    /// machine is below `folder`.
    ///
    /// # Errors
    /// When it is no URL of a database that can be reached; the password is never told.
    pub fn named(name: &Path, folder: &Path) -> Result<Self, AddressError> {
        if !Self::is_server(name) {
            return Ok(Self::File(name.to_owned()));
        }
        let url = name.to_str().ok_or(AddressError::NotUtf8)?;
        Ok(Self::Server(Box::new(Address::parse(url, folder)?)))
    }

    /// Whether a name is meant to be that of a server: [`named`](Self::named) takes it or refuses
    /// it, but it is none of a file.
    #[must_use]
    pub fn is_server(name: &Path) -> bool {
        Address::is_meant(&name.to_string_lossy())
    }

    /// A text without the password by which the server is asked.
    pub(super) fn blanked(&self, text: String) -> String {
        match self {
            Self::File(_) => text,
            Self::Server(address) => address.blanked(&text),
        }
    }

    /// The file; absent on a server.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// The folder of this machine in which what belongs to the archive lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self {
            Self::File(path) => path.parent().unwrap_or(Path::new("")),
            Self::Server(address) => address.folder(),
        }
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// As a user would name it; never with a password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(address) => address.fmt(f),
        }
    }
}
