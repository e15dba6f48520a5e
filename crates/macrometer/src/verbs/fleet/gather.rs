//! `fleet gather`: a store as a database, by the program `duckdb` where there is one, else as CSV.
//! The program and not its library: what it does wrong stays in its process, and no version of its
//! interface has to be kept up with.

mod place;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use fleet::bundle::PACKAGE;
use fleet::gather::{self, Gathered, tables::TABLES};
use providers::programs::{command_of, on_path};
use report::findings::Unranked;
use serde_json::{Value, json};

use super::{Said, said_by, told_by};
use crate::stores::Store;
use crate::verbs::{Format, with_background};
use crate::{members, output};
use place::{MARK, Place};

/// The database among what is written.
const DATABASE: &str = "fleet.duckdb";

/// The oldest generation of DuckDB whose files later ones read.
const DUCKDB_MIN: u32 = 1;

/// What it is told to do, while it does that.
const SCRIPT: &str = "load.sql";

/// Thousands of machines take minutes.
const LOADS_WITHIN: Duration = Duration::from_secs(3600);

/// Where DuckDB comes from.
const DUCKDB_FROM: &str = "the program duckdb: `pip install duckdb-cli`, `brew install duckdb`";

/// Build a database from a store: every machine, run, cell, sample and claim (docs/fleet.md).
///
/// With DuckDB it writes fleet.duckdb, with views, and a Parquet file for each table; without, CSV
/// files with the same columns. Invalid bundles are named and left out, and the exit code is then
/// 1; it is 2 if nothing was written. Output is written completely or not at all, and replaces that
/// of an earlier `fleet gather`.
#[derive(Debug, Args)]
pub struct Gather {
    /// Store of bundles: a folder, or a team's database as postgres://USER@HOST/DATABASE
    store: PathBuf,
    /// Folder to write, or the database alone where the name ends in .duckdb
    #[arg(short, long, value_name = "DIR|FILE", default_value = "gathered")]
    output: PathBuf,
    /// Write CSV files, whether DuckDB is there or not
    #[arg(long, conflicts_with = "duckdb")]
    csv: bool,
    /// The program duckdb, where it is not on the PATH
    #[arg(long, value_name = "PROGRAM")]
    duckdb: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Gather {
    pub fn run(self) -> Result<u8> {
        let place = Place::new(&self.output)?;
        let store = Store::named(&self.store)?;
        place.check_is_outside(store.path())?;
        let engine = self.engine(&place)?;
        let made = place.begin()?;
        let gathered = gathered(&store, made.path())?;
        if let Some(engine) = &engine {
            engine.load(made.path(), &gathered, !place.is_file())?;
        }
        let told = told(&gathered, engine.as_ref());
        if place.is_file() {
            place.keep_file(&made, DATABASE)?;
        } else {
            describe(made.path(), &told, &gathered, engine.is_some())?;
            place.keep_folder(made)?;
        }
        // Beside an error it would be a second line.
        if engine.is_none() && !self.csv {
            say_no_duckdb();
        }
        match self.format {
            Format::Json => output::print(&report::document(&told)?)?,
            Format::Text => output::print_text(&sentence(&gathered, &self.output))?,
        }
        Ok(u8::from(!gathered.refused.is_empty()))
    }

    /// DuckDB; absent where CSV files are wanted, or must do.
    fn engine(&self, place: &Place) -> Result<Option<Engine>> {
        if self.csv {
            if place.is_file() {
                bail!("--csv writes a folder: `-o` may not end in .duckdb");
            }
            return Ok(None);
        }
        if let Some(program) = &self.duckdb {
            let program = std::path::absolute(program)?;
            return Engine::of(program).map(Some);
        }
        match on_path(&["duckdb"]) {
            Some(program) => Engine::of(program).map(Some),
            None if place.is_file() => bail!("no DuckDB is on the PATH ({DUCKDB_FROM})"),
            None => Ok(None),
        }
    }
}

fn say_no_duckdb() {
    output::say(&format!(
        "macrometer: no DuckDB is on the PATH ({DUCKDB_FROM}): CSV files are written"
    ));
}

/// The tables of a store, as CSV files in a folder.
fn gathered(store: &Store, folder: &Path) -> Result<Gathered> {
    let tell =
        |run: &lab::record::Run| with_background(run, |background| Unranked::of(run, background));
    let mut gathered = gather::gather(store.path(), folder, &tell)?;
    gathered.refused.extend(store.refused.iter().cloned());
    members::tell(&gathered.refused);
    if gathered.bundles == 0 {
        bail!("{store}: no valid bundle, so nothing is written");
    }
    Ok(gathered)
}

/// Writes what tells of the tables beside them.
fn describe(folder: &Path, told: &Value, gathered: &Gathered, has_parquet: bool) -> Result<()> {
    fs::write(folder.join(MARK), report::document(told)?)?;
    let package = gather::package(gathered, has_parquet, env!("CARGO_PKG_VERSION"));
    fs::write(folder.join(PACKAGE), report::json(&package)?)?;
    Ok(())
}

fn told(gathered: &Gathered, engine: Option<&Engine>) -> Value {
    let rows =
        TABLES.iter().zip(gathered.rows).map(|(table, rows)| (table.name.into(), rows.into()));
    let refusal = |it: &fleet::Refused| json!({ "place": it.place, "what": it.what });
    json!({
        "macrometer_version": env!("CARGO_PKG_VERSION"),
        "duckdb_version": engine.map(|it| &it.version),
        "bundles": gathered.bundles,
        "rows": rows.collect::<serde_json::Map<String, Value>>(),
        "refused": gathered.refused.iter().map(refusal).collect::<Vec<_>>(),
    })
}

fn sentence(gathered: &Gathered, output: &Path) -> String {
    let [machines, runs, _, cells, samples, _] = gathered.rows;
    let output = output.display();
    format!("{output}: runs {runs}, hosts {machines}, cells {cells}, samples {samples}\n")
}

/// The program.
struct Engine {
    program: PathBuf,
    version: String,
}

impl Engine {
    fn of(program: PathBuf) -> Result<Self> {
        let name = program.display().to_string();
        let mut asked = command_of(&program);
        asked.arg("--version");
        let said = told_by(asked, &name)?;
        let version = said.split_whitespace().next().unwrap_or_default();
        let generation = version.strip_prefix('v').and_then(|it| it.split('.').next());
        match generation.and_then(|it| it.parse::<u32>().ok()) {
            Some(generation) if generation >= DUCKDB_MIN => {
                Ok(Self { program, version: version.to_owned() })
            }
            Some(_) => bail!("{name} is DuckDB {version}: {DUCKDB_MIN}.0 or newer is needed"),
            None => bail!("{name} is not DuckDB: it says {version:?} when it is asked its version"),
        }
    }

    /// Runs a script in a folder.
    fn run(&self, folder: &Path, script: &Path) -> Result<Said> {
        let mut command = command_of(&self.program);
        // Nothing that this user has set up for sessions of his own.
        command
            .args(["-init", "/dev/null", "-batch", "-bail", "-csv", "-noheader", DATABASE])
            .current_dir(folder)
            .stdin(fs::File::open(script)?);
        said_by(command, LOADS_WITHIN).with_context(|| self.program.display().to_string())
    }

    /// Makes a database of the CSV files in a folder, and takes them away.
    fn load(&self, folder: &Path, gathered: &Gathered, has_parquet: bool) -> Result<()> {
        let script = folder.join(SCRIPT);
        fs::write(&script, gather::script(has_parquet))?;
        let Said { status, output, errors } = self.run(folder, &script)?;
        if !status.success() {
            let first = errors.lines().find(|line| !line.trim().is_empty());
            let first = first.map_or_else(|| status.to_string(), |it| it.trim().to_owned());
            bail!("DuckDB failed, so nothing is written (`--csv` does without it): {first}");
        }
        let counts: Vec<String> = gathered.rows.iter().map(ToString::to_string).collect();
        if output.lines().map(str::trim).collect::<Vec<_>>() != counts {
            bail!("DuckDB did not take all rows, so nothing is written: {output:?}");
        }
        fs::remove_file(script)?;
        // Where memory was enough, there is none.
        let _ = fs::remove_dir_all(folder.join(gather::SPILT));
        for table in &TABLES {
            fs::remove_file(folder.join(gather::file(table.name)))?;
        }
        Ok(())
    }
}
