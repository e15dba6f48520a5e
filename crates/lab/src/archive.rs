//! The archive: runs kept in one SQLite file. Samples are durable as they come: one transaction a
//! block, in a write-ahead log; a killed run loses no acknowledged sample.
//!
//! Conditions are kept as JSON of the types in `record`; samples, which are many, have columns.
//! Summaries are never stored: they are recomputed from the samples.

mod beside;
mod check;
mod doubled;
mod durable;
mod error;
mod lines;
mod log;
mod moving;
mod names;
mod opening;
mod outline;
mod records;
mod schema;
mod seal;
mod sizes;
mod writer;

pub use check::Checked;

pub use error::ArchiveError;
pub use lines::RunLine;
pub use moving::Imported;
pub use outline::Outline;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::record::{
    CellRecord, Chosen, Event, Run, RunState, Sample, SessionsRecord, SingleCalls,
};
use error::explain;
use seal::row;

/// What was read of every run: of those that are sound, and why the others are not.
#[derive(Debug)]
pub struct Kept<T> {
    /// One a sound run, newest first.
    pub sound: Vec<T>,
    /// One a damaged run, newest first.
    pub damaged: Vec<ArchiveError>,
}

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    store: Connection,
    /// Which file it was when it was opened, by device and number.
    file: Option<(u64, u64)>,
    /// What whoever opened it is to be told.
    told: Vec<String>,
    /// What was wrong with its log when it was opened.
    trouble: Option<log::Trouble>,
    /// By which runs are claimed: random, once for each time that the file is opened.
    token: String,
    has_claims: Cell<bool>,
    /// When a block was last synchronised with the disk.
    synchronised: Option<Instant>,
}

impl Drop for Archive {
    fn drop(&mut self) {
        self.release();
        self.clean_up();
    }
}

impl Archive {
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
            launch_records: vec![],
            processor_times: vec![],
            ..run.clone()
        };
        names::check(&self.path, &run.id)?;
        let values = params![run.id, json(&record), "[]", "open", run.spent_s];
        self.transaction(|store| {
            store.execute("INSERT INTO run VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
            seal::run_begins(store, &run.id)?;
            writer::keep(store, &run.id, &self.token)
        })?;
        self.has_claims.set(true);
        Ok(())
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
            seal::column(store, run, seal::CHOSEN)?;
            let row = |cell: &CellRecord| row![cell.id, cell.cell.to_string(), json(cell)];
            seal::insert(store, run, seal::CELLS, cells.iter().map(row))
        })
    }

    /// Keeps what became of cells: that their samples must not be used, or who left.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn change_cells(&self, run: &str, cells: &[CellRecord]) -> Result<(), ArchiveError> {
        self.transaction_on(run, |store| {
            for cell in cells {
                let values = params![run, cell.id, json(cell)];
                store.execute("UPDATE cell SET record = ?3 WHERE run = ?1 AND id = ?2", values)?;
            }
            seal::again(store, run, seal::CELLS)
        })
    }

    fn append_block(
        &mut self,
        run: &str,
        samples: &[Sample],
        sessions: &[SessionsRecord],
        spent_s: f64,
    ) -> Result<(), ArchiveError> {
        self.transaction_on(run, |store| {
            records::insert(store, seal::SESSIONS, run, sessions)?;
            seal::insert(store, run, seal::SAMPLES, samples.iter().map(sample_row))?;
            let mut update = store.prepare_cached("UPDATE run SET spent_s = ?2 WHERE id = ?1")?;
            update.execute(params![run, spent_s])?;
            seal::column(store, run, seal::STATE)
        })
    }

    /// Keeps a histogram of single calls.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn keep_single_calls(&self, run: &str, calls: &SingleCalls) -> Result<(), ArchiveError> {
        let row = row![calls.cell, json(&calls.counts), json(&calls.ticks)];
        self.transaction_on(run, |store| seal::replace(store, run, seal::SINGLE_CALLS, row))
    }

    /// Keeps what happened.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn tell(&self, run: &str, event: &Event) -> Result<(), ArchiveError> {
        let row = row![event.unix_s as i64, event.kind.name().to_owned(), event.text.clone()];
        self.transaction_on(run, |store| seal::insert(store, run, seal::EVENTS, [row]))
    }

    /// Keeps how the run stands, and the seconds spent on it.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn set_state(&self, run: &str, state: RunState, spent_s: f64) -> Result<(), ArchiveError> {
        let word = json(&state);
        self.transaction_on(run, |store| {
            let sql = "UPDATE run SET state = ?2, spent_s = ?3 WHERE id = ?1";
            store.execute(sql, params![run, word.trim_matches('"'), spent_s])?;
            seal::column(store, run, seal::STATE)
        })?;
        self.check_is_there()
    }

    /// A run whole. `last` is the newest; the beginning of a name will do where only one fits.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn load(&self, name: &str) -> Result<Run, ArchiveError> {
        let _snapshot = self.snapshot()?;
        let id = self.find(name)?;
        names::check(&self.path, &id)?;
        self.check_seals(&id)?;
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
        run.schemes = self.records(seal::SCHEMES.name, &id)?;
        run.loads = self.records(seal::LOADS.name, &id)?;
        run.sessions = self.records(seal::SESSIONS.name, &id)?;
        run.launch_records = self.records(seal::LAUNCHES.name, &id)?;
        run.processor_times = self.records(seal::PROCESSOR.name, &id)?;
        let events = "SELECT unix_s, kind, text FROM event WHERE run = ?1 ORDER BY rowid";
        let events: Vec<(i64, String, String)> =
            self.rows(events, [&id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let event = |(unix_s, kind, text)| {
            let kind = self.parse(&format!("\"{kind}\""), &id)?;
            Ok(Event { unix_s: unix_s as u64, kind, text })
        };
        run.events = events.into_iter().map(event).collect::<Result<_, ArchiveError>>()?;
        doubled::take_out(&mut run);
        Ok(run)
    }

    fn find(&self, name: &str) -> Result<String, ArchiveError> {
        let absent = || ArchiveError::NoRun { path: self.path.clone(), id: name.to_owned() };
        if name == "last" {
            self.check_that_all_runs_are_there()?;
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
        let samples = self.rows(&sql, [id], |row| {
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
        })?;
        match samples.iter().find_map(no_time) {
            Some(what) => Err(self.damaged(&format!("run {id}"), what)),
            None => Ok(samples),
        }
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

    /// The same of one that only the run's writer may do: of all that is written of a run that is
    /// there.
    fn transaction_on(
        &self,
        run: &str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), ArchiveError> {
        let mut is_own = true;
        self.transaction(|store| {
            is_own = writer::is_own(store, run, &self.token)?;
            if is_own { work(store) } else { Ok(()) }
        })?;
        if is_own {
            return Ok(());
        }
        let error = format!("run {run} was taken over by another process: nothing was written");
        Err(ArchiveError::Store { path: self.path.clone(), error })
    }

    fn transaction(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), ArchiveError> {
        let whole = || {
            // What is sealed is read before it is written: nobody may write in between.
            let behavior = TransactionBehavior::Immediate;
            let transaction = Transaction::new_unchecked(&self.store, behavior)?;
            work(&transaction)?;
            transaction.commit()
        };
        let outcome: rusqlite::Result<()> = whole();
        outcome.map_err(|error| self.explain(&error))
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, what: &str) -> Result<T, ArchiveError> {
        let damaged =
            |error: serde_json::Error| self.damaged(&format!("run {what}"), error.to_string());
        serde_json::from_str(text).map_err(damaged)
    }

    fn explain(&self, error: &rusqlite::Error) -> ArchiveError {
        explain(&self.path, error)
    }
}

/// What is wrong with a sample that has no time a call: macrometer keeps none, and what is computed
/// from the others would be of fewer samples than the run says it has.
fn no_time(sample: &Sample) -> Option<String> {
    let Sample { cell, launch, block, iterations, elapsed_ns, .. } = *sample;
    // A number below 0 is above all counts of calls when it is read without its sign.
    let is_count = (1..=i64::MAX as u64).contains(&iterations);
    let is_time = elapsed_ns.is_finite() && elapsed_ns > 0.0;
    (!is_count || !is_time).then(|| {
        let calls = iterations as i64;
        format!(
            "the sample of cell {cell} in block {block} of launch {launch} has {calls} calls in \
             {elapsed_ns} ns"
        )
    })
}

/// The columns of a sample, as they stand in [`seal::SAMPLES`].
fn sample_row(sample: &Sample) -> Vec<Value> {
    let Sample { cell, launch, block, position, iterations, .. } = *sample;
    let Sample { elapsed_ns, ticks, core_hz, unix_s, .. } = *sample;
    let unix_s = unix_s.map(|second| second as i64);
    let (iterations, ticks) = (iterations as i64, ticks.map(|ticks| ticks as i64));
    row![cell, launch, block, position, iterations, elapsed_ns, ticks, core_hz, unix_s]
}

/// These types hold no map with other keys than strings and no failing field.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
