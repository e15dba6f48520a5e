//! A store as tables: every sound bundle of it, row by row, in CSV files that any database reads,
//! and a script that makes a database of DuckDB of them. Bundles are read side by side and written
//! in the store's order, one after the other, so that memory does not grow with the store.

mod package;
mod rows;
mod script;
pub mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use lab::record::Run;
use report::findings::Unranked;
use serde::Serialize;
use thiserror::Error;

use crate::bundle::Bundle;
use crate::store::{self, Refused};
pub use package::package;
use rows::{CellRow, ClaimRow, Machine, ProviderRow, RunRow, SampleRow};
pub use script::{SPILT, VIEWS, parquet, script};
use tables::TABLES;

/// Bundles that a reader may be ahead of the writer.
const AHEAD: usize = 2;

/// More readers than this wait for the disk, and for the one writer.
const READERS_MAX: usize = 16;

/// What became of a store.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Bundles that were taken.
    pub bundles: u64,
    /// Rows of each table, in the order of [`TABLES`].
    pub rows: [u64; TABLES.len()],
    /// Licences of the bundles that were taken.
    pub licences: BTreeSet<String>,
    /// What was not taken, one a line.
    pub refused: Vec<Refused>,
}

/// Why a store could not be gathered.
#[derive(Debug, Error)]
pub enum GatherError {
    /// The store itself cannot be read.
    #[error(transparent)]
    Store(#[from] Refused),
    /// The tables cannot be written.
    #[error("{0}: {1}")]
    Write(String, io::Error),
    /// No thread can be started that reads it.
    #[error("cannot start a thread to read the bundles: {0}")]
    Thread(io::Error),
}

/// The name of a table's file.
#[must_use]
pub fn file(table: &str) -> String {
    format!("{table}.csv")
}

/// Writes the tables of a store into a folder that is there. `tell` works out what a run tells.
///
/// # Errors
/// When the store cannot be read or a table not be written; bundles that are not sound are told in
/// what is returned, and the others taken.
pub fn gather(
    store: &Path,
    folder: &Path,
    tell: &(dyn Fn(&Run) -> Unranked + Sync),
) -> Result<Gathered, GatherError> {
    let mut gathered = Gathered::default();
    let places = store::bundles(store, &mut gathered.refused)?;
    let mut out = Out::new(folder)?;
    thread::scope(|scope| {
        let readers = readers(scope, &places, tell)?;
        for at in 0..places.len() {
            // A reader ends early only by a panic, which the scope passes on.
            let Ok(read) = readers[at % readers.len()].recv() else { break };
            match read {
                Ok(rows) => out.take(&rows, &mut gathered)?,
                Err(refused) => gathered.refused.push(refused),
            }
        }
        Ok::<(), GatherError>(())
    })?;
    out.end(&mut gathered)?;
    Ok(gathered)
}

/// The rows of one bundle: of each table but `machines` as CSV, and how many.
struct Rows {
    machine: Machine,
    begun_unix_s: u64,
    licences: Vec<String>,
    tables: [(Vec<u8>, u64); TABLES.len() - 1],
}

impl Rows {
    fn read(
        place: &Path,
        key: u64,
        tell: &(dyn Fn(&Run) -> Unranked + Sync),
    ) -> Result<Self, Refused> {
        let bundle = Bundle::read(place)?;
        let run = bundle.run().map_err(|error| Refused::new(place, error.to_string()))?;
        let findings = tell(&run);
        let table = |error: io::Error| Refused::new(place, error.to_string());
        let tables = tables_of(key, &bundle, &run, &findings).map_err(table)?;
        let (machine, begun_unix_s) = (Machine::of(&bundle, &run), run.created_unix_s);
        Ok(Self { machine, begun_unix_s, licences: bundle.licences, tables })
    }
}

/// Threads that read bundles ahead of who takes them: each those of its own remainder.
fn readers<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    places: &'env [PathBuf],
    tell: &'env (dyn Fn(&Run) -> Unranked + Sync),
) -> Result<Vec<Receiver<Result<Rows, Refused>>>, GatherError> {
    let readers = thread::available_parallelism().map_or(1, usize::from).min(READERS_MAX);
    let start = |reader: usize| {
        let (send, receive) = sync_channel(AHEAD);
        let read = move || {
            for at in (reader..places.len()).step_by(readers) {
                let read = Rows::read(&places[at], at as u64 + 1, tell);
                if send.send(read).is_err() {
                    break;
                }
            }
        };
        let started = thread::Builder::new().spawn_scoped(scope, read);
        started.map(|_| receive).map_err(GatherError::Thread)
    };
    (0..readers).map(start).collect()
}

fn tables_of(
    key: u64,
    bundle: &Bundle,
    run: &Run,
    findings: &Unranked,
) -> io::Result<[(Vec<u8>, u64); TABLES.len() - 1]> {
    let tested = |name: &str| bundle.selftest.providers.iter().find(|it| it.name == name);
    let providers = run.providers.iter().map(|it| ProviderRow::of(key, it, tested(&it.name)));
    let cells = run.cells.iter().zip(&findings.cells);
    let rates: BTreeMap<u32, f64> = cells
        .clone()
        .filter_map(|(record, it)| Some((record.id, it.capacity?.rate_per_s)))
        .collect();
    let samples = run
        .samples
        .iter()
        .map(|sample| SampleRow::of(key, sample, rates.get(&sample.cell).copied()));
    let claims = findings.claims.iter().flat_map(|claim| {
        claim.panels.iter().map(move |panel| ClaimRow::of(key, run, claim, panel))
    });
    Ok([
        csv([RunRow::of(key, bundle, run)].into_iter())?,
        csv(providers)?,
        csv(cells.map(|(record, it)| CellRow::of(key, run, record, (it, findings))))?,
        csv(samples)?,
        csv(claims)?,
    ])
}

/// Rows without a head.
fn csv(rows: impl Iterator<Item = impl Serialize>) -> io::Result<(Vec<u8>, u64)> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let mut count = 0;
    for row in rows {
        writer.serialize(row)?;
        count += 1;
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    Ok((bytes, count))
}

/// The files, in the order of [`TABLES`].
struct Out {
    files: Vec<(String, BufWriter<File>)>,
    machines: BTreeMap<(String, String), (u64, Machine)>,
}

impl Out {
    fn new(folder: &Path) -> Result<Self, GatherError> {
        let file = |table: &tables::Table| {
            let path = folder.join(file(table.name));
            let name = path.display().to_string();
            let head: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            let begun = File::create_new(&path).and_then(|file| {
                let mut file = BufWriter::new(file);
                writeln!(file, "{}", head.join(","))?;
                Ok(file)
            });
            begun.map(|file| (name.clone(), file)).map_err(|it| GatherError::Write(name, it))
        };
        let files = TABLES.iter().map(file).collect::<Result<_, _>>()?;
        Ok(Self { files, machines: BTreeMap::new() })
    }

    fn write(&mut self, at: usize, bytes: &[u8]) -> Result<(), GatherError> {
        let (name, file) = &mut self.files[at];
        file.write_all(bytes).map_err(|error| GatherError::Write(name.clone(), error))
    }

    fn take(&mut self, rows: &Rows, gathered: &mut Gathered) -> Result<(), GatherError> {
        for (at, (bytes, count)) in (1..).zip(&rows.tables) {
            self.write(at, bytes)?;
            gathered.rows[at] += count;
        }
        gathered.bundles += 1;
        gathered.licences.extend(rows.licences.iter().cloned());
        let newest = self.machines.entry(rows.machine.key());
        let own = (rows.begun_unix_s, rows.machine.clone());
        newest
            .and_modify(|it| {
                if it.0 <= own.0 {
                    *it = own.clone()
                }
            })
            .or_insert(own);
        Ok(())
    }

    fn end(mut self, gathered: &mut Gathered) -> Result<(), GatherError> {
        let machines = std::mem::take(&mut self.machines).into_values().map(|(_, machine)| machine);
        let (bytes, count) =
            csv(machines).map_err(|error| GatherError::Write(self.files[0].0.clone(), error))?;
        gathered.rows[0] = count;
        self.write(0, &bytes)?;
        for (name, file) in &mut self.files {
            let whole = file.flush().and_then(|()| file.get_ref().sync_all());
            whole.map_err(|error| GatherError::Write(name.clone(), error))?;
        }
        Ok(())
    }
}
