//! The archive: runs kept in one SQLite file, or in a database of PostgreSQL that a team shares.
//! Samples are durable as they come: one transaction a block; a killed run loses no acknowledged
//! sample, and a killed server none either.
//!
//! Conditions are kept as JSON of the types in `record`; samples, which are many, have columns.
//! Summaries are never stored: they are recomputed from the samples.

mod beside;
mod changes;
mod check;
mod doubled_blocks;
mod durable;
mod error;
mod lines;
mod log;
mod lost;
mod moving;
mod names;
mod opening;
mod outline;
mod place;
mod records;
mod schema;
mod seal;
mod server;
mod sizes;
mod sqlite;
mod sqlite_words;
mod store;
mod store_error;
mod unsent;
mod writer;

pub use check::Checked;

pub use error::{ArchiveError, UnsentError};
pub use lines::RunLine;
pub use moving::{Imported, Room};
pub use outline::Outline;
pub use place::Place;
pub use server::address::{Address, AddressError, UrlMistake};
pub use server::password::PasswordError;
pub use store_error::StoreError;

use std::cell::Cell;

use rusqlite::types::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::record::{CellRecord, Chosen, Event, Invocation, Run, RunState, Sample, SingleCalls};
use changes::Change;
use error::explain;
use opening::OfFile;
use seal::row;
use server::OnServer;
use store::{Access, Fault, Result as Done, Row, Store, Within};

/// What was read of every run: of those that are sound, and why the others are not.
#[derive(Debug)]
pub struct Kept<T> {
    /// One a sound run, newest first.
    pub sound: Vec<T>,
    /// What is wrong with the list of runs, if anything; then one a damaged run, newest first.
    pub damaged: Vec<ArchiveError>,
}

/// An open archive.
#[derive(Debug)]
pub struct Archive {
    place: Place,
    held: Held,
    /// What whoever opened it is to be told.
    told: Vec<String>,
    /// By which runs are claimed: random, once for each time that the archive is opened.
    token: String,
    has_claims: Cell<bool>,
    /// How often the runs claimed were written to.
    steps: Cell<i64>,
    /// What could not be sent to the server.
    unsent: Option<unsent::Unsent>,
    /// Whom trouble is told while measuring goes on.
    say: fn(&str),
}

#[derive(Debug)]
enum Held {
    File(Box<OfFile>),
    Server(Box<OnServer>),
}

impl Drop for Archive {
    fn drop(&mut self) {
        self.release();
        if let Held::File(file) = &self.held {
            file.clean_up();
        }
    }
}

impl Archive {
    fn of(held: Held, told: Vec<String>) -> Self {
        let place = match &held {
            Held::File(file) => file.path().into(),
            Held::Server(server) => Place::Server(Box::new(server.address().clone())),
        };
        let (token, has_claims, steps) = (writer::token(), Cell::new(false), Cell::new(0));
        Self { place, held, told, token, has_claims, steps, unsent: None, say: |_| () }
    }

    /// Where the archive is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What is to be told of it, a line each.
    #[must_use]
    pub fn told(&self) -> &[String] {
        &self.told
    }

    /// Tells trouble that does not end a run while it is measured.
    pub fn say_trouble_by(&mut self, say: fn(&str)) {
        self.say = say;
    }

    fn store(&self) -> &dyn Store {
        match &self.held {
            Held::File(file) => &file.store,
            Held::Server(server) => &**server,
        }
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
        names::check(&self.place, &run.id)?;
        let (none, open) = ("[]".to_owned(), "open".to_owned());
        let values = row![run.id.clone(), json(&record), none, open, run.spent_s];
        self.transaction(|store| {
            let sql = "INSERT INTO run (id, record, chosen, state, spent_s)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            store.execute(sql, &values)?;
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
        let row = |cell: &CellRecord| row![cell.id, cell.cell.to_string(), json(cell)];
        let cells = Change::add(seal::CELLS, cells.iter().map(row));
        self.keep(run, vec![Change::Chosen(json(&chosen)), cells])
    }

    /// Keeps what became of cells: that their samples must not be used, or who left.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn change_cells(&mut self, run: &str, cells: &[CellRecord]) -> Result<(), ArchiveError> {
        let cells = cells.iter().map(|cell| (cell.id, json(cell)));
        self.keep(run, vec![Change::Cells(cells.collect())])
    }

    /// Keeps a histogram of single calls.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn keep_single_calls(
        &mut self,
        run: &str,
        calls: &SingleCalls,
    ) -> Result<(), ArchiveError> {
        let row = row![calls.cell, json(&calls.counts), json(&calls.ticks)];
        self.keep(run, vec![Change::Replace(seal::SINGLE_CALLS.name.into(), vec![row])])
    }

    /// Keeps what happened.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn tell(&mut self, run: &str, event: &Event) -> Result<(), ArchiveError> {
        let (kind, text) = event.kept();
        let row = row![event.unix_s as i64, kind.to_owned(), text];
        self.keep(run, vec![Change::add(seal::EVENTS, [row])])
    }

    /// Keeps how the run stands, and the seconds spent on it.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn set_state(
        &mut self,
        run: &str,
        state: RunState,
        spent_s: f64,
    ) -> Result<(), ArchiveError> {
        let word = json(&state).trim_matches('"').to_owned();
        self.keep(run, vec![Change::spent(spent_s), Change::State(word)])?;
        match &self.held {
            Held::File(file) => file.check_is_there(),
            Held::Server(_) => Ok(()),
        }
    }

    /// A run whole. `last` is the newest; the beginning of a name will do where only one fits.
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn load(&self, name: &str) -> Result<Run, ArchiveError> {
        let _snapshot = self.snapshot()?;
        let id = self.find(name)?;
        names::check(&self.place, &id)?;
        let samples = self.check_seals(&id)?;
        let sql = "SELECT record, chosen, state, spent_s FROM run WHERE id = ?1";
        let of_run = row![id.clone()];
        let (record, chosen, state, spent_s) = self
            .store()
            .one(sql, &of_run, |row| {
                let text = |at| row.get::<String>(at);
                Ok((text(0)?, text(1)?, text(2)?, row.get::<f64>(3)?))
            })
            .map_err(|error| self.explain(&error))?;
        let mut run: Run = self.parse(&record, &id)?;
        if run.id != id {
            let error = format!("its record is that of {:?}", run.id);
            return Err(self.damaged(&format!("run {id}"), error));
        }
        run.invocation = Invocation::kept(run.invocation, &run.command);
        run.chosen = self.parse(&chosen, &id)?;
        run.state = self.state(state, &id)?;
        run.spent_s = spent_s;
        let cells = "SELECT record FROM cell WHERE run = ?1 ORDER BY id";
        let cells = self.rows(cells, &of_run, |row| row.get::<String>(0))?;
        run.cells = cells.iter().map(|text| self.parse(text, &id)).collect::<Result<_, _>>()?;
        run.samples = match samples {
            Some(samples) => samples,
            None => self.samples(&id)?,
        };
        if let Some(what) = run.samples.iter().find_map(no_time) {
            return Err(self.damaged(&format!("run {id}"), what));
        }
        run.single_calls = self.single_calls(&id)?;
        run.schemes = self.records(seal::SCHEMES.name, &id)?;
        run.loads = self.records(seal::LOADS.name, &id)?;
        run.sessions = self.records(seal::SESSIONS.name, &id)?;
        run.launch_records = self.records(seal::LAUNCHES.name, &id)?;
        run.processor_times = self.records(seal::PROCESSOR.name, &id)?;
        let events = "SELECT unix_s, kind, text FROM event WHERE run = ?1 ORDER BY rowid";
        let events: Vec<(i64, String, String)> =
            self.rows(events, &of_run, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let event = |(unix_s, kind, text): (i64, String, String)| {
            let event = Event::of_kept(unix_s as u64, &kind, text);
            event.map_err(|error| self.damaged(&format!("run {id}"), error.to_string()))
        };
        run.events = events.into_iter().map(event).collect::<Result<_, ArchiveError>>()?;
        doubled_blocks::take_out(&mut run);
        Ok(run)
    }

    /// The whole name of a run; `last` and the beginning of a name as for [`load`](Self::load).
    #[expect(clippy::missing_errors_doc, reason = "as `begin`")]
    pub fn find(&self, name: &str) -> Result<String, ArchiveError> {
        let absent = || ArchiveError::NoRun { place: self.place.clone(), id: name.to_owned() };
        if name == "last" {
            self.check_that_all_runs_are_there("which run is the last is unknown; give its name")?;
            let newest = "SELECT id FROM run ORDER BY rowid DESC LIMIT 1";
            let id = self.store().row(newest, &[], |row| row.get(0));
            return id.map_err(|error| self.explain(&error))?.ok_or_else(absent);
        }
        let sql = "SELECT id FROM run WHERE substr(id, 1, length(?1)) = ?1 ORDER BY length(id)";
        let mut ids: Vec<String> = self.rows(sql, &row![name.to_owned()], |row| row.get(0))?;
        if name.is_empty() || ids.is_empty() {
            return Err(absent());
        }
        if ids.len() > 1 && ids[0] != name {
            let (place, id, count) = (self.place.clone(), name.to_owned(), ids.len());
            return Err(ArchiveError::SeveralRuns { place, id, count });
        }
        Ok(ids.swap_remove(0))
    }

    fn samples(&self, id: &str) -> Result<Vec<Sample>, ArchiveError> {
        let is_timed = self.store().has("sample", "unix_s");
        let unix_s =
            if is_timed.map_err(|error| self.explain(&error))? { "unix_s" } else { "NULL" };
        let sql = format!(
            "SELECT cell, launch, block, position, iterations, elapsed_ns, ticks, core_hz, {unix_s}
             FROM sample WHERE run = ?1 ORDER BY rowid"
        );
        self.rows(&sql, &row![id.to_owned()], sample)
    }

    fn single_calls(&self, id: &str) -> Result<Vec<SingleCalls>, ArchiveError> {
        let in_turn = self.store().has("single_calls", "ticks");
        let ticks = if in_turn.map_err(|error| self.explain(&error))? { "ticks" } else { "NULL" };
        let sql = format!(
            "SELECT cell, counts, coalesce({ticks}, '[]') FROM single_calls WHERE run = ?1
             ORDER BY cell"
        );
        let rows = self.rows(&sql, &row![id.to_owned()], |row| {
            Ok((row.get(0)?, row.get::<String>(1)?, row.get::<String>(2)?))
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
        values: &[Value],
        read: impl FnMut(&Row<'_>) -> Done<T>,
    ) -> Result<Vec<T>, ArchiveError> {
        self.store().rows(sql, values, read).map_err(|error| self.explain(&error))
    }

    /// Keeps what only the run's writer may change: all of a run that is there.
    fn keep(&mut self, run: &str, changes: Vec<Change>) -> Result<(), ArchiveError> {
        if self.unsent.is_none() {
            let kept = self.writing(run, |store| {
                changes.iter().try_for_each(|change| change.write(store, run))
            });
            match (kept, &self.held) {
                (Err(fault), Held::Server(_)) if fault.is_of_server() => {
                    self.go_on_without(run, &fault)?;
                }
                (kept, _) => return self.was_own(run, kept),
            }
        }
        self.keep_here(run, changes)
    }

    fn transaction_on(
        &self,
        run: &str,
        work: impl FnOnce(&dyn Store) -> Done<()>,
    ) -> Result<(), ArchiveError> {
        self.was_own(run, self.writing(run, work))
    }

    /// Does what only the run's writer may do; `false` and nothing where that is somebody else.
    /// What fails may still have been kept: it is tried again by the same number.
    fn writing(&self, run: &str, work: impl FnOnce(&dyn Store) -> Done<()>) -> Done<bool> {
        let (store, step) = (self.store(), self.steps.get() + 1);
        let transaction = Within::begin(store, Access::Write)?;
        if !store.is_writer(run, &self.token, step)? {
            return Ok(false);
        }
        work(store)?;
        transaction.commit()?;
        self.steps.set(step);
        Ok(true)
    }

    fn was_own(&self, run: &str, written: Done<bool>) -> Result<(), ArchiveError> {
        if written.map_err(|error| self.explain(&error))? {
            return Ok(());
        }
        let error = StoreError::TakenOver { run: run.to_owned() };
        Err(ArchiveError::Store { place: self.place.clone(), error })
    }

    fn transaction(&self, work: impl FnOnce(&dyn Store) -> Done<()>) -> Result<(), ArchiveError> {
        let whole = || {
            let transaction = Within::begin(self.store(), Access::Write)?;
            work(self.store())?;
            transaction.commit()
        };
        whole().map_err(|error| self.explain(&error))
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, what: &str) -> Result<T, ArchiveError> {
        let damaged =
            |error: serde_json::Error| self.damaged(&format!("run {what}"), error.to_string());
        serde_json::from_str(text).map_err(damaged)
    }

    /// How the run of this name ended, as its row has it.
    fn state(&self, word: String, id: &str) -> Result<RunState, ArchiveError> {
        let state = serde_json::from_value(word.into());
        state.map_err(|error| self.damaged(&format!("run {id}"), error.to_string()))
    }

    fn explain(&self, error: &Fault) -> ArchiveError {
        explain(&self.place, error)
    }
}

/// A sample, of a row with its columns in the order of its table.
fn sample(row: &Row<'_>) -> Done<Sample> {
    Ok(Sample {
        cell: row.get(0)?,
        launch: row.get(1)?,
        block: row.get(2)?,
        position: row.get(3)?,
        iterations: row.get::<i64>(4)? as u64,
        elapsed_ns: row.get(5)?,
        ticks: row.get::<Option<i64>>(6)?.map(|ticks| ticks as u64),
        core_hz: row.get(7)?,
        unix_s: row.get::<Option<i64>>(8)?.map(|second| second as u64),
    })
}

/// What is wrong with a sample that has no time a call: macrometer keeps none, and what is computed
/// from the others would be of fewer samples than the run says it has.
pub(crate) fn no_time(sample: &Sample) -> Option<String> {
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
