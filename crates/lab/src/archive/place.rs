//! Where an archive is: a file, or a database on a server.

use std::fmt;
use std::path::{Path, PathBuf};

use super::server::address::Address;

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
    /// In one line, without the password, when it is no URL of a database that can be reached.
    pub fn named(name: &Path, folder: &Path) -> Result<Self, String> {
        match name.to_str().filter(|name| Address::is_meant(name)) {
            Some(url) => Ok(Self::Server(Box::new(Address::parse(url, folder)?))),
            None => Ok(Self::File(name.to_owned())),
        }
    }

    /// Whether a name is that of a server.
    #[must_use]
    pub fn is_server(name: &Path) -> bool {
        name.to_str().is_some_and(Address::is_meant)
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
