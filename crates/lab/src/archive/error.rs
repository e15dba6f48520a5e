//! What can be wrong with an archive.

use std::io;

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

use super::Place;
use super::store::Fault;

/// What can be wrong with an archive; each says where.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file is something else.
    #[error("{0}: not a macrometer archive (--archive takes an archive, or the name of a new one)")]
    Foreign(Place),
    /// It was made by a newer macrometer.
    #[error(
        "{place}: its schema has version {version}, made by a newer macrometer; this one knows \
         versions up to {known}",
        known = super::schema::VERSION
    )]
    Newer {
        /// The archive.
        place: Place,
        /// The generation of its tables.
        version: i32,
    },
    /// There is no file to read.
    #[error("{0}: no archive here yet; `macrometer run` creates one")]
    Absent(Place),
    /// The file is empty: nothing was stored yet, or another process is about to.
    #[error("{0}: an empty file; `macrometer run` makes an archive of it")]
    Empty(Place),
    /// No such run in it.
    #[error("{place}: no run {id:?}; `macrometer list runs` lists the runs")]
    NoRun {
        /// The archive.
        place: Place,
        /// What was asked for.
        id: String,
    },
    /// Several runs begin so.
    #[error("{place}: {count} runs begin with {id:?}; `macrometer list runs` lists them")]
    SeveralRuns {
        /// The archive.
        place: Place,
        /// What was asked for.
        id: String,
        /// How many there are.
        count: usize,
    },
    /// A run's name is none.
    #[error(
        "{place}: run name {id:?}: must be 1 to 64 letters, digits, '-', '_' and '.', a letter or \
         digit first"
    )]
    Name {
        /// The archive.
        place: Place,
        /// The name, or how it begins.
        id: String,
    },
    /// Another process writes the run.
    #[error("{place}: run {run} is being measured by process {pid} on {host}: {way_out}")]
    Taken {
        /// The archive.
        place: Place,
        /// The run.
        run: String,
        /// Number of the process.
        pid: u32,
        /// The machine's name.
        host: String,
        /// What can be done.
        way_out: &'static str,
    },
    /// What it holds cannot be understood.
    #[error("{place}: {what} is damaged: {error}")]
    Damaged {
        /// The archive.
        place: Place,
        /// Which record.
        what: String,
        /// What the parser said.
        error: String,
    },
    /// The file may not be written, nor what SQLite needs beside it.
    #[error("{place}: cannot be opened for writing ({error}){}", clause(*.way_out))]
    NotOpened {
        /// The archive.
        place: Place,
        /// What SQLite said.
        error: String,
        /// What can be done, where it is known.
        way_out: Option<&'static str>,
    },
    /// What waits to be handed over to a server cannot be.
    #[error("{place}: {error}")]
    Unsent {
        /// The file that it waits in.
        place: Place,
        /// What is wrong.
        error: UnsentError,
    },
    /// The database or the file system refused.
    #[error("{place}: {error}")]
    Store {
        /// The archive.
        place: Place,
        /// What it said.
        error: String,
    },
}

/// Why what waits in a file cannot be handed over.
#[derive(Debug, Error)]
pub enum UnsentError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It has no whole line.
    #[error("is empty")]
    Empty,
    /// A line is not what was written.
    #[error("line {line} is damaged")]
    Damaged {
        /// The line, from 1 on.
        line: usize,
    },
    /// Its first line cannot be understood.
    #[error("{0}")]
    Head(serde_json::Error),
    /// A newer program wrote it.
    #[error("was written by a newer macrometer")]
    Newer,
    /// It has the name of another run.
    #[error("is of another run than its name")]
    OtherRun,
    /// The run is no longer as it was left.
    #[error(
        "run {run} was continued or removed by another process since: what is in this file can be \
         handed over no more (remove it, and the run goes on without)"
    )]
    Overtaken {
        /// The run.
        run: String,
    },
    /// It was handed over, and is still there.
    #[error("{0}")]
    NotRemoved(io::Error),
}

impl ArchiveError {
    /// Whether it is about the database as a whole and not about what it holds: whatever else it is
    /// asked for will fail alike.
    pub(super) fn is_of_store(&self) -> bool {
        matches!(self, Self::Store { .. } | Self::NotOpened { .. })
    }
}

/// What can be done, behind what is wrong.
fn clause(way_out: Option<&str>) -> String {
    way_out.map_or(String::new(), |it| format!("; {it}"))
}

/// What the database said, as one of these.
pub(super) fn explain(place: &Place, error: &Fault) -> ArchiveError {
    let place = place.clone();
    let error = match error {
        Fault::File(error) => error,
        other => {
            let error = place.blanked(other.to_string());
            return ArchiveError::Store { place, error };
        }
    };
    let code = match error.sqlite_extended_error_code() {
        Some(ffi::SQLITE_IOERR_NOMEM) => Some(ErrorCode::OutOfMemory),
        _ => error.sqlite_error_code(),
    };
    match code {
        Some(ErrorCode::NotADatabase) => ArchiveError::Foreign(place),
        Some(ErrorCode::DiskFull) => {
            ArchiveError::Store { place, error: "the disk is full; stored data is intact".into() }
        }
        Some(ErrorCode::OutOfMemory) => {
            let error = "this process has too little memory to read it (is it limited, as by \
                         `ulimit -d`?)";
            ArchiveError::Store { place, error: error.into() }
        }
        Some(ErrorCode::ReadOnly)
            if error.sqlite_extended_error_code() == Some(ffi::SQLITE_READONLY_ROLLBACK) =>
        {
            let error = "a process ended while it was creating this archive: `macrometer run` \
                         creates it again";
            ArchiveError::Store { place, error: error.into() }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            ArchiveError::NotOpened { place, error: error.to_string(), way_out: None }
        }
        Some(ErrorCode::ConstraintViolation) => {
            let error = format!("that already exists: another process wrote it ({error})");
            ArchiveError::Store { place, error }
        }
        _ => ArchiveError::Store { place, error: error.to_string() },
    }
}
