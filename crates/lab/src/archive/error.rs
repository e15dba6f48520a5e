//! What can be wrong with an archive.

use std::fmt;
use std::io;

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

use super::store::Fault;
use super::{Place, StoreError};

/// What can be wrong with an archive; each says where, before what.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The file is something else.
    Foreign(Place),
    /// It was made by a newer macrometer.
    Newer {
        /// The archive.
        place: Place,
        /// The generation of its tables.
        version: i32,
    },
    /// There is no file to read.
    Absent(Place),
    /// The file is empty: nothing was stored yet, or another process is about to.
    Empty(Place),
    /// No such run in it.
    NoRun {
        /// The archive.
        place: Place,
        /// What was asked for.
        id: String,
    },
    /// Several runs begin so.
    SeveralRuns {
        /// The archive.
        place: Place,
        /// What was asked for.
        id: String,
        /// How many there are.
        count: usize,
    },
    /// A run's name is none.
    Name {
        /// The archive.
        place: Place,
        /// The name, or how it begins.
        id: String,
    },
    /// Another process writes the run.
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
    Damaged {
        /// The archive.
        place: Place,
        /// Which record.
        what: String,
        /// What the parser said.
        error: String,
    },
    /// The file may not be written, nor what SQLite needs beside it.
    NotOpened {
        /// The archive.
        place: Place,
        /// What SQLite said.
        error: String,
        /// What can be done, where it is known.
        way_out: Option<&'static str>,
    },
    /// What waits to be handed over to a server cannot be.
    Unsent {
        /// The file that it waits in.
        place: Place,
        /// What is wrong.
        error: UnsentError,
    },
    /// The database or the file system refused.
    Store {
        /// The archive.
        place: Place,
        /// Why.
        error: StoreError,
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

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.without_place())
    }
}

impl ArchiveError {
    /// The archive.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            Self::Foreign(place)
            | Self::Newer { place, .. }
            | Self::Absent(place)
            | Self::Empty(place)
            | Self::NoRun { place, .. }
            | Self::SeveralRuns { place, .. }
            | Self::Name { place, .. }
            | Self::Taken { place, .. }
            | Self::Damaged { place, .. }
            | Self::NotOpened { place, .. }
            | Self::Unsent { place, .. }
            | Self::Store { place, .. } => place,
        }
    }

    /// What is wrong, for a line that names the place itself.
    #[must_use]
    pub fn without_place(&self) -> String {
        match self {
            Self::Foreign(_) => {
                let takes = "--archive takes an archive, or the name of a new one";
                format!("not a macrometer archive ({takes})")
            }
            Self::Newer { version, .. } => format!(
                "its schema has version {version}, made by a newer macrometer; this one knows \
                 versions up to {}",
                super::schema::VERSION
            ),
            Self::Absent(_) => "no archive here yet; `macrometer run` creates one".into(),
            Self::Empty(_) => "an empty file; `macrometer run` makes an archive of it".into(),
            Self::NoRun { id, .. } => {
                format!("no run {id:?}; `macrometer list runs` lists the runs")
            }
            Self::SeveralRuns { id, count, .. } => {
                format!("{count} runs begin with {id:?}; `macrometer list runs` lists them")
            }
            Self::Name { id, .. } => format!(
                "run name {id:?}: must be 1 to 64 letters, digits, '-', '_' and '.', a letter or \
                 digit first"
            ),
            Self::Taken { run, pid, host, way_out, .. } => {
                format!("run {run} is being measured by process {pid} on {host}: {way_out}")
            }
            Self::Damaged { what, error, .. } => format!("{what} is damaged: {error}"),
            Self::NotOpened { error, way_out, .. } => {
                format!("cannot be opened for writing ({error}){}", clause(*way_out))
            }
            Self::Unsent { error, .. } => error.to_string(),
            Self::Store { error, .. } => error.to_string(),
        }
    }

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
            let error = StoreError::Said(place.blanked(other.to_string()));
            return ArchiveError::Store { place, error };
        }
    };
    let code = match error.sqlite_extended_error_code() {
        Some(ffi::SQLITE_IOERR_NOMEM) => Some(ErrorCode::OutOfMemory),
        _ => error.sqlite_error_code(),
    };
    match code {
        Some(ErrorCode::NotADatabase) => ArchiveError::Foreign(place),
        Some(ErrorCode::DiskFull) => ArchiveError::Store { place, error: StoreError::DiskFull },
        Some(ErrorCode::OutOfMemory) => ArchiveError::Store { place, error: StoreError::Memory },
        Some(ErrorCode::ReadOnly)
            if error.sqlite_extended_error_code() == Some(ffi::SQLITE_READONLY_ROLLBACK) =>
        {
            ArchiveError::Store { place, error: StoreError::HalfMade }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            ArchiveError::NotOpened { place, error: error.to_string(), way_out: None }
        }
        Some(ErrorCode::ConstraintViolation) => {
            let error = StoreError::IsThere { said: error.to_string() };
            ArchiveError::Store { place, error }
        }
        _ => ArchiveError::Store { place, error: StoreError::Said(error.to_string()) },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_error_is_told_with_its_place_or_without() {
        let place = || Place::from(Path::new("a: b.db"));
        let (what, error) = ("run x".to_owned(), "a: b.db: too short".to_owned());
        let damaged = ArchiveError::Damaged { place: place(), what, error };
        for (error, told) in [
            (damaged, "run x is damaged: a: b.db: too short"),
            (ArchiveError::Absent(place()), "no archive here yet; `macrometer run` creates one"),
        ] {
            assert_eq!(error.without_place(), told);
            assert_eq!(error.to_string(), format!("a: b.db: {told}"));
        }
    }
}
