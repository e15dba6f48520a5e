//! Whether runs are what was kept. All of a run is checked whenever it is read; here all are at
//! once, and nothing else is done.

use rusqlite::{ErrorCode, ffi};
use serde::Serialize;

use super::log::Trouble;
use super::store::{Access, Fault, Result as Done, Within};
use super::{Archive, ArchiveError, Held, names, sample, seal};
use crate::record::Sample;

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// The run's name.
    pub id: String,
    /// What is not as it was kept; nothing in a sound run.
    pub wrong: Vec<String>,
}

/// What is said to be damaged where runs are missing.
const LIST: &str = "its list of runs";

/// Most things that one line tells of a run.
const TOLD_MAX: usize = 3;

impl Archive {
    /// Whether there are checksums: archives of before 0.1.0 get them when a run is measured.
    ///
    /// # Errors
    /// When the archive cannot be read; likewise below.
    pub fn is_sealed(&self) -> Result<bool, ArchiveError> {
        match &self.held {
            Held::File(file) => file.is_sealed(),
            Held::Server(_) => Ok(true),
        }
    }

    /// While it lives all that is read is of one moment, though another process may be writing;
    /// absent within another one.
    pub(super) fn snapshot(&self) -> Result<Option<Within<'_>>, ArchiveError> {
        if self.store().is_within() {
            return Ok(None);
        }
        let begun = Within::begin(self.store(), Access::Read);
        begun.map(Some).map_err(|error| self.explain(&error))
    }

    /// Every run, newest first: `quick` counts rows and checks what is not measured, else
    /// everything is read.
    #[expect(clippy::missing_errors_doc, reason = "as `is_sealed`")]
    pub fn check(&self, quick: bool) -> Result<Vec<Checked>, ArchiveError> {
        let is_sealed = self.is_sealed()?;
        let check = |id: String| {
            let _snapshot = self.snapshot()?;
            let mut wrong = match names::check(&self.place, &id) {
                Ok(()) => vec![],
                Err(_) => vec!["its name is not a valid run name".to_owned()],
            };
            match self.check_bounds(&id) {
                Err(ArchiveError::Damaged { error, .. }) => {
                    wrong.push(error);
                    return Ok(Checked { id, wrong });
                }
                bounds => bounds?,
            }
            wrong.extend(
                match (is_sealed, quick) {
                    (false, _) => Ok(vec![]),
                    (true, true) => seal::wrong_in_run(self.store(), &id).and_then(|mut wrong| {
                        wrong.extend(seal::wrong_counts(self.store(), &id)?);
                        Ok(wrong)
                    }),
                    (true, false) => seal::wrong(self.store(), &id, &mut |_, _| ()),
                }
                .or_else(|error| match self.explain_run(&id, &error) {
                    ArchiveError::Damaged { error, .. } => Ok(vec![error]),
                    other => Err(other),
                })?,
            );
            wrong.extend(self.wrong_beside(&id)?);
            // What is sealed may still be a record that this version does not understand.
            if wrong.is_empty() && !quick {
                match self.load(&id) {
                    Ok(_) => {}
                    Err(error) if error.is_of_store() => return Err(error),
                    Err(error) => wrong.push(error.to_string()),
                }
            }
            Ok(Checked { id, wrong })
        };
        self.ids()?.into_iter().map(check).collect()
    }

    /// What is wrong with the file as a whole, in lines.
    #[expect(clippy::missing_errors_doc, reason = "as `is_sealed`")]
    pub fn check_file(&self, quick: bool) -> Result<Vec<String>, ArchiveError> {
        let mut wrong: Vec<String> = self.lost_runs()?.into_iter().collect();
        let Held::File(file) = &self.held else { return Ok(wrong) };
        wrong.extend(file.trouble.map(Trouble::told));
        if !quick {
            let lines = self.rows("PRAGMA integrity_check(10)", &[], |row| row.get::<String>(0))?;
            let lines = lines.iter().flat_map(|text| text.lines());
            wrong.extend(lines.filter(|line| *line != "ok").map(str::to_owned));
        }
        Ok(wrong)
    }

    fn lost_runs(&self) -> Result<Option<String>, ArchiveError> {
        let _snapshot = self.snapshot()?;
        if !self.is_sealed()? {
            return Ok(None);
        }
        let lost = seal::lost_runs(self.store());
        let lost = lost.map_err(|error| self.explain_part(LIST, &error))?;
        Ok(lost.map(|(now, then)| match now == then {
            true => "the names of its runs changed".into(),
            false => format!(
                "{} {} there, but {then} were stored",
                words::counted(now, "run"),
                words::is_are(now)
            ),
        }))
    }

    /// So that no run is taken for the newest only because that one is lost: `so` says what follows
    /// where any is.
    pub(super) fn check_that_all_runs_are_there(&self, so: &str) -> Result<(), ArchiveError> {
        let Some(lost) = self.lost_runs()? else { return Ok(()) };
        Err(self.damaged(LIST, format!("{lost}: {so}")))
    }

    /// Refuses a run that would take more memory than any run that was measured.
    pub(super) fn check_bounds(&self, id: &str) -> Result<(), ArchiveError> {
        let Held::Server(server) = &self.held else { return Ok(()) };
        match server.excess(id).map_err(|error| self.explain_run(id, &error))? {
            Some(what) => Err(self.damaged(&format!("run {id}"), what)),
            None => Ok(()),
        }
    }

    /// Refuses a run that is not what was kept; otherwise its samples, which are many and were read
    /// on the way. Absent where the archive is older than seals.
    pub(super) fn check_seals(&self, id: &str) -> Result<Option<Vec<Sample>>, ArchiveError> {
        self.check_bounds(id)?;
        if !self.is_sealed()? {
            return Ok(None);
        }
        let mut samples = Ok(Vec::new());
        let wrong = seal::wrong(self.store(), id, &mut |table, row| {
            if table.name == seal::SAMPLES.name
                && let Ok(all) = &mut samples
            {
                match sample(row) {
                    Ok(sample) => all.push(sample),
                    Err(fault) => samples = Err(fault),
                }
            }
        });
        self.refuse(id, wrong)?;
        samples.map(Some).map_err(|error| self.explain(&error))
    }

    /// As [`check_seals`](Self::check_seals), but for what is measured: its rows are counted.
    pub(super) fn check_outline(&self, id: &str) -> Result<(), ArchiveError> {
        names::check(&self.place, id)?;
        self.check_bounds(id)?;
        if !self.is_sealed()? {
            return Ok(());
        }
        self.refuse(id, seal::wrong_in_run(self.store(), id))?;
        self.refuse(id, seal::wrong_counts(self.store(), id))
    }

    /// What is wrong with what is kept beside a run of a database.
    pub(super) fn wrong_beside(&self, id: &str) -> Result<Option<String>, ArchiveError> {
        match &self.held {
            Held::File(_) => Ok(None),
            Held::Server(_) => {
                let wrong = seal::wrong_beside(self.store(), id);
                wrong.map_err(|error| self.explain_run(id, &error))
            }
        }
    }

    fn refuse(&self, id: &str, wrong: Done<Vec<String>>) -> Result<(), ArchiveError> {
        let wrong = wrong.map_err(|error| self.explain_run(id, &error))?;
        if wrong.is_empty() {
            return Ok(());
        }
        let more = match wrong.len().saturating_sub(TOLD_MAX) {
            0 => String::new(),
            more => format!(", and {more} more that `macrometer runs check` lists"),
        };
        let told = wrong[..wrong.len().min(TOLD_MAX)].join(", ");
        Err(self.damaged(&format!("run {id}"), format!("{told}{more}")))
    }

    /// What the database said when it read a run: that the run is damaged, or that this process
    /// lacks what reading takes.
    pub(super) fn explain_run(&self, id: &str, error: &Fault) -> ArchiveError {
        self.explain_part(&format!("run {id}"), error)
    }

    fn explain_part(&self, what: &str, error: &Fault) -> ArchiveError {
        if is_damage(error) {
            return self.damaged(what, self.place.blanked(error.to_string()));
        }
        self.explain(error)
    }

    pub(super) fn damaged(&self, what: &str, error: String) -> ArchiveError {
        ArchiveError::Damaged { place: self.place.clone(), what: what.to_owned(), error }
    }
}

/// Whether the file is to blame: what it holds, and not the memory, the time or the files that this
/// process may have.
fn is_damage(error: &Fault) -> bool {
    let error = match error {
        Fault::File(error) => error,
        Fault::Value(_) => return true,
        Fault::Server(_) | Fault::Lost(_) => return false,
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => matches!(
            error.sqlite_extended_error_code(),
            Some(
                ffi::SQLITE_IOERR_READ | ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS
            )
        ),
        Some(code) => !matches!(
            code,
            ErrorCode::OutOfMemory
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::DiskFull
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::OperationInterrupted
        ),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_lacks_memory_damages_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::create(&folder.path().join("a.db")).unwrap();
        let told = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            archive.explain_run("x", &error.into())
        };
        let of_process = [
            ffi::SQLITE_NOMEM,
            ffi::SQLITE_IOERR_NOMEM,
            ffi::SQLITE_BUSY,
            ffi::SQLITE_LOCKED,
            // Many at once that begin to read a log: none of them gets its lock.
            ffi::SQLITE_PROTOCOL,
        ];
        for code in of_process {
            assert!(matches!(told(code), ArchiveError::Store { .. }), "{}", told(code));
        }
        assert!(told(ffi::SQLITE_NOMEM).to_string().contains("too little memory"));
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_IOERR_READ, ffi::SQLITE_ERROR] {
            assert!(matches!(told(code), ArchiveError::Damaged { .. }), "{}", told(code));
        }
    }
}
