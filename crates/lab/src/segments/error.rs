//! Why a transaction was not done.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;
use words::Refused;

/// Why a transaction was not done.
#[derive(Debug, Error)]
pub enum SegmentsError {
    /// Files are to be written, and nobody said where.
    #[error("no folder was given for the segments")]
    NoFolder,
    /// A folder that was not made for segments, or by a process that is no more.
    #[error("{}: not a segments folder of a running macrometer", .0.display())]
    NotOurs(PathBuf),
    /// There is no room left. One reason for whatever file it was, so that it is told once.
    #[error("the disk is full: no room for the segments (--segments-dir names another folder)")]
    DiskFull,
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Something else arrived than was sent.
    #[error("the file received is not the one sent")]
    Different,
    /// What was sent is not genuine to the receiver.
    #[error("the receiver rejected what the sender had sealed")]
    Rejected,
    /// The provider does not do it.
    #[error(transparent)]
    Refused(#[from] Refused),
}

impl SegmentsError {
    /// What is wrong with a file.
    pub(super) fn file(path: &Path, error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::File { path: path.to_owned(), error },
        }
    }
}

/// What a call says that is timed.
impl From<&'static str> for SegmentsError {
    fn from(words: &'static str) -> Self {
        Self::Refused(words.into())
    }
}
