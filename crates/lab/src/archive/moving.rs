//! Whole runs: out of an archive, into a file of their own, and out of such a file.

use std::fs::{self, File};
use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::seal::{self, TABLES, Table, row};
use super::store::{Access, Result as Done, Store, Within};
use super::{Archive, ArchiveError, Held, StoreError, names, schema, writer};
use crate::record::Run;

/// Rows that are copied at a time: a long run has some million.
const ROWS_AT_ONCE: usize = 10_000;

/// What became of a run that was to be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// It is in the archive now.
    Added(String),
    /// It was there already, and is the same.
    Known(String),
}

/// What became of the room of runs that were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The file system has it.
    Freed,
    /// Another process is measuring into the archive and would have to wait: later runs use it.
    InUse,
    /// The server sees to that.
    OfServer,
}

impl Archive {
    /// Claims a run by its whole name, so that it can be removed.
    ///
    /// # Errors
    /// When there is none of this name, or another process writes it; as [`claim`](Self::claim).
    pub fn claim_to_remove(&mut self, run: &str, take_over: bool) -> Result<(), ArchiveError> {
        names::check(&self.place, run)?;
        let sql = "SELECT 1 FROM run WHERE id = ?1";
        let found = self.store().is_there(sql, &row![run.to_owned()]);
        if !found.map_err(|error| self.explain(&error))? {
            return Err(ArchiveError::NoRun { place: self.place.clone(), id: run.to_owned() });
        }
        self.claim(run, take_over)
    }

    /// Removes a run that was claimed, with everything that is kept of it: how many rows of what.
    ///
    /// # Errors
    /// When it cannot be removed; likewise below.
    pub fn remove(&mut self, run: &str) -> Result<Vec<(&'static str, u64)>, ArchiveError> {
        let mut removed = Vec::new();
        self.transaction_on(run, |store| {
            removed = seal::remove(store, run)?;
            Ok(())
        })?;
        Ok(removed)
    }

    /// Gives the room of what was removed back to the file system.
    #[expect(clippy::missing_errors_doc, reason = "as `remove`")]
    pub fn shrink(&mut self) -> Result<Room, ArchiveError> {
        let Held::File(file) = &self.held else { return Ok(Room::OfServer) };
        let others = writer::is_another_living(&file.store, &self.token);
        if others.map_err(|it| self.explain(&it))? {
            return Ok(Room::InUse);
        }
        let shrunk = file.store.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        shrunk.map(|()| Room::Freed).map_err(|error| self.explain(&error.into()))
    }

    /// Keeps a text beside a run of a database: what a bundle tells of its machine.
    #[expect(clippy::missing_errors_doc, reason = "as `remove`")]
    pub fn keep_beside(&self, run: &str, text: &str) -> Result<(), ArchiveError> {
        match &self.held {
            Held::Server(server) => self.transaction(|store| {
                server.keep_beside(run, text)?;
                seal::beside(store, run)
            }),
            Held::File(_) => {
                let error = StoreError::IsFile;
                Err(ArchiveError::Store { place: self.place.clone(), error })
            }
        }
    }

    /// What is kept beside a run; nothing in a file.
    ///
    /// # Errors
    /// When it is not what was kept, or the archive cannot be read.
    pub fn beside(&self, run: &str) -> Result<Option<String>, ArchiveError> {
        let Held::Server(server) = &self.held else { return Ok(None) };
        let _snapshot = self.snapshot()?;
        self.check_bounds(run)?;
        if let Some(wrong) = self.wrong_beside(run)? {
            return Err(self.damaged(&format!("run {run}"), wrong));
        }
        server.beside(run).map_err(|error| self.explain(&error))
    }

    /// Whether it is on a server that cannot be asked any more.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match &self.held {
            Held::Server(server) => server.is_lost(),
            Held::File(_) => false,
        }
    }

    /// Writes a run into a new file, an archive of this run alone; the run.
    ///
    /// # Errors
    /// When the run is not sound or being measured, there is such a file, or it cannot be written.
    pub fn export(&self, name: &str, file: &Path) -> Result<Run, ArchiveError> {
        let _snapshot = self.snapshot()?;
        let run = self.load(name)?;
        let of_run = |error: StoreError| ArchiveError::Store { place: self.place.clone(), error };
        if let Some(owner) =
            writer::living(self.store(), &run.id).map_err(|it| self.explain(&it))?
        {
            let (run, pid) = (run.id, owner.pid);
            return Err(of_run(StoreError::BeingMeasured { run, pid }));
        }
        let doubled = "SELECT 1 FROM sample WHERE run = ?1
                       GROUP BY cell, launch, block HAVING count(*) > 1";
        let doubled = self.store().is_there(doubled, &row![run.id.clone()]);
        if doubled.map_err(|error| self.explain(&error))? {
            return Err(of_run(StoreError::Doubled { run: run.id }));
        }
        let failed = |error: std::io::Error| ArchiveError::Store {
            place: file.into(),
            error: match error.kind() {
                std::io::ErrorKind::AlreadyExists => StoreError::NameTaken,
                _ => StoreError::NotMade(error),
            },
        };
        // Nobody else gets the name, and nobody sees half a file under it.
        File::create_new(file).map_err(failed)?;
        let part = file.with_extension(format!("part-{:016x}", rand::random::<u64>()));
        let written = self.write_alone(&run, &part).and_then(|()| {
            File::open(&part).and_then(|part| part.sync_all()).map_err(failed)?;
            fs::rename(&part, file).map_err(failed)
        });
        if let Err(error) = written {
            // Both were made above.
            let _ = (fs::remove_file(&part), fs::remove_file(file));
            return Err(error);
        }
        Ok(run)
    }

    fn write_alone(&self, run: &Run, part: &Path) -> Result<(), ArchiveError> {
        let write = || -> Done<()> {
            let mut store = Connection::open(part)?;
            schema::make_or_upgrade(&mut store)?;
            let transaction = Within::begin(&store, Access::Write)?;
            copy(self.store(), &store, &run.id)?;
            transaction.commit()
        };
        write().map_err(|error| super::explain(&part.into(), &error))?;
        match Self::open(part)?.load(&run.id)? == *run {
            true => Ok(()),
            false => Err(ArchiveError::Store { place: part.into(), error: StoreError::ReadBack }),
        }
    }

    /// Takes in the one run of another archive, behind those that are there. None is replaced.
    ///
    /// # Errors
    /// When the other is not sound, holds several runs or none, or there is another run of that
    /// name.
    pub fn import(&mut self, from: &Self) -> Result<Imported, ArchiveError> {
        let _snapshot = from.snapshot()?;
        let ids = from.ids()?;
        let [id] = &ids[..] else {
            let error = StoreError::NotOneToImport { count: ids.len() };
            return Err(ArchiveError::Store { place: from.place.clone(), error });
        };
        if !from.is_sealed()? {
            let error = StoreError::NoChecksums;
            return Err(ArchiveError::Store { place: from.place.clone(), error });
        }
        from.load(id)?;
        let mut is_same = None;
        self.transaction(|store| {
            let sql = "SELECT 1 FROM run WHERE id = ?1";
            if !store.is_there(sql, &row![id.clone()])? {
                return copy(from.store(), store, id);
            }
            is_same = Some(seal::content(store, id)? == seal::content(from.store(), id)?);
            Ok(())
        })?;
        match is_same {
            None => Ok(Imported::Added(id.clone())),
            Some(true) => Ok(Imported::Known(id.clone())),
            Some(false) => {
                let error = StoreError::OtherRun { run: id.clone(), from: from.place.clone() };
                Err(ArchiveError::Store { place: self.place.clone(), error })
            }
        }
    }
}

/// Copies a run with its checksums made anew; what an older archive lacks is empty. It stands
/// before all that are there, as the oldest: the newest stays the one that was measured last here.
fn copy(from: &dyn Store, to: &dyn Store, run: &str) -> Done<()> {
    let sql = "SELECT record, chosen, state, spent_s FROM run WHERE id = ?1";
    let mut values = row![run.to_owned()];
    let own: [Value; 4] =
        from.one(sql, &values, |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    values.extend(own);
    let sql = "INSERT INTO run (rowid, id, record, chosen, state, spent_s)
               VALUES ((SELECT coalesce(min(rowid), 2) - 1 FROM run), ?1, ?2, ?3, ?4, ?5)";
    to.execute(sql, &values)?;
    TABLES.iter().try_for_each(|table| copy_rows(from, to, run, table))?;
    seal::run_begins(to, run)
}

fn copy_rows(from: &dyn Store, to: &dyn Store, run: &str, table: &Table) -> Done<()> {
    let mut columns = Vec::new();
    for column in table.columns() {
        let is_there = from.has(table.name, column)?;
        columns.push(if is_there { column } else { "NULL" });
    }
    if columns.iter().all(|column| *column == "NULL") {
        return Ok(());
    }
    let (columns, width) = (columns.join(", "), columns.len());
    let sql = format!("SELECT {columns} FROM {} WHERE run = ?1 ORDER BY rowid", table.name);
    let mut some = Vec::new();
    from.each(&sql, &row![run.to_owned()], &mut |row| {
        let values: Done<Vec<Value>> = (0..width).map(|at| row.get(at)).collect();
        some.push(values?);
        if some.len() < ROWS_AT_ONCE {
            return Ok(());
        }
        seal::insert(to, run, table, &std::mem::take(&mut some))
    })?;
    seal::insert(to, run, table, &some)
}
