//! Why something cannot be built here, or a program not be had that runs it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::Unavailable;
use crate::limited::Unanswered;

/// Why something cannot be built here, or a program not be had that runs it.
#[derive(Debug, Error)]
pub enum NotBuilt {
    /// A file or a folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The user has no folder to keep it in.
    #[error("this user has no cache folder to build in")]
    NoCache,
    /// Somebody else could put another folder in the place of the one that it is kept in.
    #[error(
        "{}: {doubt}, and its contents are executed: set XDG_CACHE_HOME to a folder of your own",
        folder.display()
    )]
    Replaceable {
        /// The folder that things are built in.
        folder: PathBuf,
        /// Who could, and where.
        doubt: String,
    },
    /// Somebody else has made the folder.
    #[error(
        "{}: belongs to user {owner}, and its contents would be executed: remove it, or set \
         XDG_CACHE_HOME to another folder",
        folder.display()
    )]
    OfAnother {
        /// The folder that things are built in.
        folder: PathBuf,
        /// Number of the user.
        owner: u32,
    },
    /// In the place of the folder there is something else.
    #[error("{}: not a folder: remove it", .0.display())]
    NotAFolder(PathBuf),
    /// Others could have put something into the folder.
    #[error(
        "{}: others can write to it (mode {:04o}), and its contents would be executed: remove it",
        folder.display(),
        mode & 0o7777
    )]
    Writable {
        /// The folder that things are built in.
        folder: PathBuf,
        /// Its permissions, as the system has them.
        mode: u32,
    },
    /// A compiler failed.
    #[error("{program} failed: {said}")]
    Failed {
        /// Name of the compiler.
        program: String,
        /// Its first error.
        said: String,
    },
    /// A program could not be started, or did not answer.
    #[error(transparent)]
    NotRun(Unanswered),
    /// A program is too old.
    #[error("{program}: {needed} or later is needed, not {version}")]
    TooOld {
        /// Where it is.
        program: String,
        /// Which version is needed.
        needed: String,
        /// The version that it has.
        version: String,
    },
    /// A program does not tell its version.
    #[error("{program} {said}")]
    NoVersion {
        /// Where it is.
        program: String,
        /// What it does instead.
        said: String,
    },
    /// What a Java tells as its version is none.
    #[error("{program}: no version of Java: {version:?}")]
    NotJava {
        /// Where it is.
        program: String,
        /// What it tells.
        version: String,
    },
    /// A path is no word of a command line.
    #[error("{0:?}: not a UTF-8 path")]
    NotText(OsString),
    /// Go's `go.mod` cannot name a folder.
    #[error("modules in a folder whose name go.mod cannot have")]
    NotInGoMod,
}

impl NotBuilt {
    /// What is wrong with a file or a folder.
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

impl From<NotBuilt> for Unavailable {
    fn from(not_built: NotBuilt) -> Self {
        not_built.to_string().into()
    }
}
