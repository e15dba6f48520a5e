//! The archive: runs kept in one SQLite file. Samples are durable as they come: one transaction a
//! block, in a write-ahead log; a killed run loses no acknowledged sample.
//!
//! Conditions are kept as JSON of the types in `record`; samples, which are many, have columns.
//! Summaries are never stored: they are recomputed from the samples.

mod doubled;
mod durable;
mod error;
mod names;
mod outline;
mod records;
mod schema;
mod writer;

pub use error::ArchiveError;
pub use outline::Outline;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::record::{
    CellRecord, Chosen, Event, Run, RunState, Sample, SessionsRecord, SingleCalls,
};
use error::explain;
use schema::APPLICATION_ID;

/// One line of `list runs`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLine {
    /// The run's name.
    pub id: String,
    /// Name of its study.
    pub study: String,
    /// Whether it ended, and how.
    pub state: RunState,
    /// Samples kept.
    pub samples: u64,
    /// Measuring time spent, in seconds.
    pub spent_s: f64,
}

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    store: Connection,
    /// By which runs are claimed: random, once for each time that the file is opened.
    token: String,
    has_claims: Cell<bool>,
    /// When a block was last synchronised with the disk.
    synchronised: Option<Instant>,
}

impl Drop for Archive {
    fn drop(&mut self) {
        self.release();
    }
}

impl Archive {
    /// Opens an archive for measuring, and makes it where there is none.
    ///
    /// # Errors
    /// When the place cannot be written or holds something else.
    pub fn create(path: &Path) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| ArchiveError::Store {
                path: folder.to_owned(),
                error: error.to_string(),
            })?;
        }
        let mut archive = Self::connect(path, OpenFlags::default())?;
        archive.check_or_make().map_err(|error| archive.explain(&error))?;
        if archive.application_id()? != APPLICATION_ID {
            return Err(ArchiveError::Foreign(path.to_owned()));
        }
        Ok(archive)
    }

    /// Opens an archive that must be there. One that may not be written is read as it lies.
    ///
    /// # Errors
    /// When there is none, it may not be read, or the file is something else.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(ArchiveError::Absent(path.to_owned())),
            Err(error) => {
                return Err(ArchiveError::Store { path: path.into(), error: error.to_string() });
            }
        }
        let writable = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let archive = match writable.and_then(|it| it.application_id().map(|id| (it, id))) {
            Ok((mut archive, id)) if id == APPLICATION_ID => {
                // Where it cannot be done now, what is missing is read as absent.
                let _ = schema::make_or_upgrade(&mut archive.store);
                return Ok(archive);
            }
            Err(ArchiveError::Store { .. }) if !has_log(path) => Self::connect_read_only(path)?,
            Ok(_) => return Err(ArchiveError::Foreign(path.to_owned())),
            Err(error) => return Err(error),
        };
        if archive.application_id()? != APPLICATION_ID {
            return Err(ArchiveError::Foreign(path.to_owned()));
        }
        Ok(archive)
    }

    /// A write-ahead log needs files beside it even for reading, unless the file is said not to
    /// change; which is so where we may not write and no log is there.
    fn connect_read_only(path: &Path) -> Result<Self, ArchiveError> {
        let name = path.to_string_lossy();
        let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let uri = format!("file:{name}?immutable=1");
        let store = Connection::open_with_flags(uri, flags).map_err(|e| explain(path, &e))?;
        Ok(Self::of(path, store))
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, ArchiveError> {
        let explain = |error: rusqlite::Error| explain(path, &error);
        if path.is_dir() {
            return Err(ArchiveError::Foreign(path.to_owned()));
        }
        let store = Connection::open_with_flags(path, flags).map_err(explain)?;
        store.busy_timeout(Duration::from_secs(10)).map_err(explain)?;
        Ok(Self::of(path, store))
    }

    fn of(path: &Path, store: Connection) -> Self {
        let (path, token) = (path.to_owned(), writer::token());
        Self { path, store, token, has_claims: Cell::new(false), synchronised: None }
    }

    fn application_id(&self) -> Result<i32, ArchiveError> {
        let id = self.store.pragma_query_value(None, "application_id", |row| row.get(0));
        id.map_err(|error| self.explain(&error))
    }

    /// An empty file becomes an archive in one transaction; a filled one is left as it is.
    fn check_or_make(&mut self) -> rusqlite::Result<()> {
        let tables: u32 =
            self.store.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        let id: i32 = self.store.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if id != APPLICATION_ID && (tables > 0 || id != 0) {
            return Ok(());
        }
        schema::make_or_upgrade(&mut self.store)?;
        self.store.pragma_update(None, "journal_mode", "WAL")?;
        self.store.pragma_update(None, "synchronous", "FULL")
    }

    /// Where the archive is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a run that begins: its conditions, before its cells are settled.
    ///
    /// # Errors
    /// When it cannot be kept; likewise below.
    pub fn begin(&self, run: &Run) -> Result<(), ArchiveError> {
        let record = Run {
            chosen: vec![],
            cells: vec![],
            samples: vec![],
            single_calls: vec![],
            events: vec![],
            schemes: vec![],
            loads: vec![],
            sessions: vec![],
            ..run.clone()
        };
        names::check(&self.path, &run.id)?;
        let values = params![run.id, json(&record), "[]", "open", run.spent_s];
        self.write("INSERT INTO run VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        self.keep_claim(&run.id)
    }

    /// Keeps what the pilot settled: the cells and the choices.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn settle(
        &mut self,
        run: &str,
        cells: &[CellRecord],
        chosen: &[Chosen],
    ) -> Result<(), ArchiveError> {
        self.transaction_on(run, |store| {
            store
                .execute("UPDATE run SET chosen = ?2 WHERE id = ?1", params![run, json(&chosen)])?;
            let mut insert = store.prepare("INSERT INTO cell VALUES (?1, ?2, ?3, ?4)")?;
            for cell in cells {
                insert.execute(params![run, cell.id, cell.cell.to_string(), json(cell)])?;
            }
            Ok(())
        })
    }

    /// Marks a cell whose samples must not be used.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn exclude(&self, run: &str, cell: &CellRecord) -> Result<(), ArchiveError> {
        let values = params![run, cell.id, json(cell)];
        self.write("UPDATE cell SET record = ?3 WHERE run = ?1 AND id = ?2", values)
    }

    fn append_block(
        &mut self,
        run: &str,
        samples: &[Sample],
        sessions: &[SessionsRecord],
        spent_s: f64,
    ) -> Result<(), ArchiveError> {
        self.transaction_on(run, |store| {
            records::insert(store, records::SESSIONS, run, sessions)?;
            let sql = "INSERT INTO sample VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            let mut insert = store.prepare_cached(sql)?;
            for sample in samples {
                let Sample { cell, launch, block, position, iterations, .. } = *sample;
                let Sample { elapsed_ns, ticks, core_hz, unix_s, .. } = *sample;
                let unix_s = unix_s.map(|second| second as i64);
                let (iterations, ticks) = (iterations as i64, ticks.map(|ticks| ticks as i64));
                insert.execute(params![
                    run, cell, launch, block, position, iterations, elapsed_ns, ticks, core_hz,
                    unix_s
                ])?;
            }
            let mut update = store.prepare_cached("UPDATE run SET spent_s = ?2 WHERE id = ?1")?;
            update.execute(params![run, spent_s]).map(|_| ())
        })
    }

    /// Keeps a histogram of single calls.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn keep_single_calls(&self, run: &str, calls: &SingleCalls) -> Result<(), ArchiveError> {
        let values = params![run, calls.cell, json(&calls.counts), json(&calls.ticks)];
        self.write("INSERT OR REPLACE INTO single_calls VALUES (?1, ?2, ?3, ?4)", values)
    }

    /// Keeps what happened.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn tell(&self, run: &str, event: &Event) -> Result<(), ArchiveError> {
        let values = params![run, event.unix_s as i64, event.kind, event.text];
        self.write("INSERT INTO event VALUES (?1, ?2, ?3, ?4)", values)
    }

    /// Keeps how the run stands, and the seconds spent on it.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn set_state(&self, run: &str, state: RunState, spent_s: f64) -> Result<(), ArchiveError> {
        let word = json(&state);
        let values = params![run, word.trim_matches('"'), spent_s];
        self.write("UPDATE run SET state = ?2, spent_s = ?3 WHERE id = ?1", values)
    }

    /// Every run, newest first.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn runs(&self) -> Result<Vec<RunLine>, ArchiveError> {
        let sql = "SELECT id, record ->> '$.study.name', state, spent_s,
                   (SELECT count(*) FROM sample WHERE run = run.id) FROM run ORDER BY rowid DESC";
        let rows = self.rows(sql, [], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, f64>(3)?,
                row.get::<_, i64>(4)?,
            ))
        })?;
        let line = |(id, study, state, spent_s, samples): (String, String, String, f64, i64)| {
            names::check(&self.path, &id)?;
            let state = self.parse(&format!("\"{state}\""), &id)?;
            Ok(RunLine { id, study, state, samples: samples as u64, spent_s })
        };
        rows.into_iter().map(line).collect()
    }

    /// A run whole. `last` is the newest; the beginning of a name will do where only one fits.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn load(&self, name: &str) -> Result<Run, ArchiveError> {
        let id = self.find(name)?;
        names::check(&self.path, &id)?;
        let sql = "SELECT record, chosen, state, spent_s FROM run WHERE id = ?1";
        let (record, chosen, state, spent_s) = self
            .store
            .query_row(sql, [&id], |row| {
                let text = |at| row.get::<_, String>(at);
                Ok((text(0)?, text(1)?, text(2)?, row.get::<_, f64>(3)?))
            })
            .map_err(|error| self.explain(&error))?;
        let mut run: Run = self.parse(&record, &id)?;
        if run.id != id {
            let error = format!("its record is that of {:?}", run.id);
            let (path, what) = (self.path.clone(), format!("run {id}"));
            return Err(ArchiveError::Damaged { path, what, error });
        }
        run.chosen = self.parse(&chosen, &id)?;
        run.state = self.parse(&format!("\"{state}\""), &id)?;
        run.spent_s = spent_s;
        let cells = "SELECT record FROM cell WHERE run = ?1 ORDER BY id";
        let cells = self.rows(cells, [&id], |row| row.get::<_, String>(0))?;
        run.cells = cells.iter().map(|text| self.parse(text, &id)).collect::<Result<_, _>>()?;
        run.samples = self.samples(&id)?;
        run.single_calls = self.single_calls(&id)?;
        run.schemes = self.records(records::SCHEMES, &id)?;
        run.loads = self.records(records::LOADS, &id)?;
        run.sessions = self.records(records::SESSIONS, &id)?;
        let events = "SELECT unix_s, kind, text FROM event WHERE run = ?1 ORDER BY rowid";
        run.events = self.rows(events, [&id], |row| {
            let unix_s = row.get::<_, i64>(0)? as u64;
            Ok(Event { unix_s, kind: row.get(1)?, text: row.get(2)? })
        })?;
        doubled::take_out(&mut run);
        Ok(run)
    }

    fn find(&self, name: &str) -> Result<String, ArchiveError> {
        let absent = || ArchiveError::NoRun { path: self.path.clone(), id: name.to_owned() };
        if name == "last" {
            let newest = "SELECT id FROM run ORDER BY rowid DESC LIMIT 1";
            let id = self.store.query_row(newest, [], |row| row.get(0)).optional();
            return id.map_err(|error| self.explain(&error))?.ok_or_else(absent);
        }
        let sql = "SELECT id FROM run WHERE substr(id, 1, length(?1)) = ?1 ORDER BY length(id)";
        let mut ids: Vec<String> = self.rows(sql, [name], |row| row.get(0))?;
        if name.is_empty() || ids.is_empty() {
            return Err(absent());
        }
        if ids.len() > 1 && ids[0] != name {
            let (path, id, count) = (self.path.clone(), name.to_owned(), ids.len());
            return Err(ArchiveError::SeveralRuns { path, id, count });
        }
        Ok(ids.swap_remove(0))
    }

    fn samples(&self, id: &str) -> Result<Vec<Sample>, ArchiveError> {
        let is_timed = schema::has(&self.store, "sample", "unix_s");
        let unix_s =
            if is_timed.map_err(|error| self.explain(&error))? { "unix_s" } else { "NULL" };
        let sql = format!(
            "SELECT cell, launch, block, position, iterations, elapsed_ns, ticks, core_hz, {unix_s}
             FROM sample WHERE run = ?1 ORDER BY rowid"
        );
        self.rows(&sql, [id], |row| {
            Ok(Sample {
                cell: row.get(0)?,
                launch: row.get(1)?,
                block: row.get(2)?,
                position: row.get(3)?,
                iterations: row.get::<_, i64>(4)? as u64,
                elapsed_ns: row.get(5)?,
                ticks: row.get::<_, Option<i64>>(6)?.map(|ticks| ticks as u64),
                core_hz: row.get(7)?,
                unix_s: row.get::<_, Option<i64>>(8)?.map(|second| second as u64),
            })
        })
    }

    fn single_calls(&self, id: &str) -> Result<Vec<SingleCalls>, ArchiveError> {
        let in_turn = schema::has(&self.store, "single_calls", "ticks");
        let ticks = if in_turn.map_err(|error| self.explain(&error))? { "ticks" } else { "NULL" };
        let sql = format!(
            "SELECT cell, counts, coalesce({ticks}, '[]') FROM single_calls WHERE run = ?1
             ORDER BY cell"
        );
        let rows = self.rows(&sql, [id], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let calls = |(cell, counts, ticks): (u32, String, String)| {
            let (counts, ticks) = (self.parse(&counts, id)?, self.parse(&ticks, id)?);
            Ok(SingleCalls { cell, counts, ticks })
        };
        rows.into_iter().map(calls).collect()
    }

    fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, ArchiveError> {
        let rows = || self.store.prepare(sql)?.query_map(values, read)?.collect();
        let rows: rusqlite::Result<_> = rows();
        rows.map_err(|error| self.explain(&error))
    }

    fn write(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), ArchiveError> {
        self.store.execute(sql, values).map(|_| ()).map_err(|error| self.explain(&error))
    }

    /// The same of one that only the run's writer may do.
    fn transaction_on(
        &mut self,
        run: &str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), ArchiveError> {
        let token = self.token.clone();
        let mut is_own = true;
        self.transaction(|store| {
            is_own = writer::is_own(store, run, &token)?;
            if is_own { work(store) } else { Ok(()) }
        })?;
        if is_own {
            return Ok(());
        }
        let error = format!("run {run} was taken over by another process: nothing was written");
        Err(ArchiveError::Store { path: self.path.clone(), error })
    }

    fn transaction(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), ArchiveError> {
        let whole = || {
            let transaction = self.store.transaction()?;
            work(&transaction)?;
            transaction.commit()
        };
        let outcome: rusqlite::Result<()> = whole();
        outcome.map_err(|error| self.explain(&error))
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, what: &str) -> Result<T, ArchiveError> {
        serde_json::from_str(text).map_err(|error| ArchiveError::Damaged {
            path: self.path.clone(),
            what: format!("run {what}"),
            error: error.to_string(),
        })
    }

    fn explain(&self, error: &rusqlite::Error) -> ArchiveError {
        explain(&self.path, error)
    }
}

/// Whether a write-ahead log with content lies beside the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// These types hold no map with other keys than strings and no failing field.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_archive_is_read_and_gets_what_it_lacks_when_it_is_opened_for_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let older = "ALTER TABLE sample DROP COLUMN unix_s; DROP TABLE scheme; DROP TABLE load;
                     DROP TABLE sessions; DROP TABLE writer; DROP INDEX sample_once;
                     PRAGMA wal_checkpoint(TRUNCATE);";
        Archive::create(&path).unwrap().store.execute_batch(older).unwrap();
        let read = Archive::connect_read_only(&path).unwrap();
        let schemes: Vec<crate::record::SchemeRecord> = read.records("scheme", "x").unwrap();
        assert!(read.samples("x").unwrap().is_empty() && schemes.is_empty());
        for archive in [Archive::open(&path).unwrap(), Archive::create(&path).unwrap()] {
            assert!(schema::has(&archive.store, "sample", "unix_s").unwrap());
            for table in ["scheme", "load", "sessions", "writer"] {
                assert!(schema::has(&archive.store, table, "record").unwrap(), "{table}");
            }
        }
    }

    #[test]
    fn an_archive_that_may_not_be_written_is_read_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a#b?c%20.db");
        drop(Archive::create(&path).unwrap());
        let archive = Archive::connect_read_only(&path).unwrap();
        assert_eq!(archive.application_id().unwrap(), APPLICATION_ID);
        assert!(archive.runs().unwrap().is_empty());
        assert!(archive.set_state("x", RunState::Complete, 1.0).is_err());
    }
}
