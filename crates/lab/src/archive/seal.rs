//! Checksums of what is kept: for each run one over its rows of every table, and one over the
//! samples of every block. They show what a disk has changed or lost. They do not protect against
//! somebody who can write the archive, and with it the checksums.
//!
//! A checksum is the sum of the rows' digests, so that rows are added without reading the others;
//! a row that is gone, changed, there twice or in another place makes another sum.

use std::collections::BTreeMap;

use rusqlite::types::{Value, ValueRef};

use super::store::{Result, Row, Store};

/// A row's values, as they are written and sealed.
macro_rules! row {
    ($($value:expr),* $(,)?) => { Vec::from([$(rusqlite::types::Value::from($value)),*]) };
}
pub(super) use row;

/// A table of which each run has rows.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// All columns but the run.
    columns: &'static str,
    /// What its rows are to whoever reads a message.
    what: &'static str,
    /// Whether rows are read in the order they came, and not by their first column.
    is_in_order: bool,
}

impl Table {
    /// Its columns, one by one.
    pub(super) fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.split(", ")
    }
}

macro_rules! tables {
    ($($id:ident = $name:literal ($columns:literal): $what:literal, $is_in_order:literal;)*) => {
        $(pub(super) const $id: &Table = &Table {
            name: $name, columns: $columns, what: $what, is_in_order: $is_in_order,
        };)*
        pub(super) const TABLES: &[&Table] = &[$($id),*];
    };
}

tables! {
    CELLS = "cell" ("id, path, record"): "cells", false;
    SAMPLES = "sample"
        ("cell, launch, block, position, iterations, elapsed_ns, ticks, core_hz, unix_s"):
        "samples", true;
    SINGLE_CALLS = "single_calls" ("cell, counts, ticks"): "single calls", false;
    EVENTS = "event" ("unix_s, kind, text"): "events", true;
    SCHEMES = "scheme" ("record"): "schemes", true;
    LOADS = "load" ("record"): "loads", true;
    SESSIONS = "sessions" ("record"): "sessions", true;
    PROCESSOR = "processor" ("record"): "times of processors", true;
    LAUNCHES = "launch" ("record"): "launches", true;
}

/// Columns of the run itself that are written together.
pub(super) const RECORD: &str = "record";
pub(super) const CHOSEN: &str = "chosen";
pub(super) const STATE: &str = "state, spent_s";

/// The seal over the text that a database keeps beside a run.
const BESIDE: &str = "bundle";

/// The seal over the names of all runs; no run has an empty name.
const ALL_RUNS: (&str, &str) = ("", "run");

/// How many rows there are, and the sum of their digests.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sum {
    rows: i64,
    digests: u128,
}

impl Sum {
    fn add(&mut self, digest: u128) {
        self.rows += 1;
        self.digests = self.digests.wrapping_add(digest);
    }

    fn remove(&mut self, digest: u128) {
        self.rows -= 1;
        self.digests = self.digests.wrapping_sub(digest);
    }

    fn join(&mut self, other: Self) {
        self.rows += other.rows;
        self.digests = self.digests.wrapping_add(other.digests);
    }
}

/// The sum over all rows, and those of blocks, by launch and block.
#[derive(Default)]
struct Sums {
    all: Sum,
    blocks: BTreeMap<(i64, i64), Sum>,
}

impl Sums {
    /// Adds a row; `before` it there were so many.
    fn add(&mut self, table: &Table, before: i64, row: &[ValueRef<'_>]) {
        let place = if table.is_in_order { before + self.all.rows } else { 0 };
        let digest = digest(place, row);
        self.all.add(digest);
        if table.name == SAMPLES.name
            && let [_, ValueRef::Integer(launch), ValueRef::Integer(block), ..] = *row
        {
            self.blocks.entry((launch, block)).or_default().add(digest);
        }
    }

    /// The rows of a run as they are there now, which `see` is shown; a column that an older
    /// archive lacks is empty.
    fn read(store: &dyn Store, run: &str, table: &Table, see: &mut See<'_>) -> Result<Self> {
        let mut sums = Self::default();
        let Table { name, columns, .. } = table;
        if !is_there(store, table)? {
            return Ok(sums);
        }
        let sql = format!("SELECT {columns} FROM {name} WHERE run = ?1 ORDER BY rowid");
        store.each(&sql, &row![run.to_owned()], &mut |row| {
            sums.add(table, 0, row.0);
            see(table, row);
            Ok(())
        })?;
        Ok(sums)
    }
}

/// Whoever is shown rows when they are read for their seals.
type See<'a> = dyn FnMut(&Table, &Row<'_>) + 'a;

/// Whether the archive has the table: one of before it was added, which is read as it is, has not.
fn is_there(store: &dyn Store, table: &Table) -> Result<bool> {
    store.has(table.name, "run")
}

/// Of the values as SQLite gives them back: no number is no value, and zero has no sign. At once:
/// of many short pieces a hasher takes several times as long.
fn digest(place: i64, row: &[ValueRef<'_>]) -> u128 {
    let mut all = Vec::with_capacity(256);
    all.extend(place.to_le_bytes());
    let mut text = |kind: u8, bytes: &[u8]| {
        all.push(kind);
        all.extend((bytes.len() as u64).to_le_bytes());
        all.extend(bytes);
    };
    for value in row {
        match *value {
            ValueRef::Real(number) if number.is_nan() => text(b'n', b""),
            ValueRef::Null => text(b'n', b""),
            ValueRef::Integer(number) => text(b'i', &number.to_le_bytes()),
            ValueRef::Real(number) => text(b'r', &(number + 0.0).to_le_bytes()),
            ValueRef::Text(bytes) => text(b't', bytes),
            ValueRef::Blob(bytes) => text(b'b', bytes),
        }
    }
    let mut first = [0; 16];
    first.copy_from_slice(&blake3::hash(&all).as_bytes()[..16]);
    u128::from_le_bytes(first)
}

/// Adds rows to a table, and to its seals.
pub(super) fn insert(
    store: &dyn Store,
    run: &str,
    table: &Table,
    rows: &[Vec<Value>],
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sums = Sums::default();
    let before = kept(store, run, table.name)?.unwrap_or_default().rows;
    store.insert(table.name, table.columns, run, rows)?;
    for row in rows {
        sums.add(table, before, &row.iter().map(ValueRef::from).collect::<Vec<_>>());
    }
    change(store, (run, table.name), |sum| sum.join(sums.all))?;
    for (block, added) in sums.blocks {
        change(store, (run, &of_block(block)), |sum| sum.join(added))?;
    }
    Ok(())
}

/// Writes a row over the one that has its first column, if there is one.
pub(super) fn replace(store: &dyn Store, run: &str, table: &Table, row: &[Value]) -> Result<()> {
    let Table { name, columns, .. } = table;
    let key = columns.split(", ").next().unwrap_or_default();
    let of_row = [Value::from(run.to_owned()), row.first().cloned().unwrap_or(Value::Null)];
    let sql = format!("SELECT {columns} FROM {name} WHERE run = ?1 AND {key} = ?2");
    let before = store.row(&sql, &of_row, |row| Ok(digest(0, row.0)))?;
    let sql = format!("DELETE FROM {name} WHERE run = ?1 AND {key} = ?2");
    store.execute(&sql, &of_row)?;
    store.insert(name, columns, run, &[row.to_vec()])?;
    let now = digest(0, &row.iter().map(ValueRef::from).collect::<Vec<_>>());
    change(store, (run, name), |sum| {
        before.into_iter().for_each(|digest| sum.remove(digest));
        sum.add(now);
    })
}

/// Seals a table of a run as it is now.
pub(super) fn again(store: &dyn Store, run: &str, table: &Table) -> Result<()> {
    let sums = Sums::read(store, run, table, &mut |_, _| ())?;
    change(store, (run, table.name), |sum| *sum = sums.all)?;
    for (block, now) in sums.blocks {
        change(store, (run, &of_block(block)), |sum| *sum = now)?;
    }
    Ok(())
}

/// Seals columns of the run itself as they are now.
pub(super) fn column(store: &dyn Store, run: &str, columns: &str) -> Result<()> {
    let now = of_columns(store, run, columns)?;
    change(store, (run, columns), |sum| *sum = now)
}

fn of_columns(store: &dyn Store, run: &str, columns: &str) -> Result<Sum> {
    sum_of(store, &format!("SELECT {columns} FROM run WHERE id = ?1"), &row![run.to_owned()])
}

/// The sum over rows in any order.
fn sum_of(store: &dyn Store, sql: &str, values: &[Value]) -> Result<Sum> {
    let mut sum = Sum::default();
    store.each(sql, values, &mut |row| {
        sum.add(digest(0, row.0));
        Ok(())
    })?;
    Ok(sum)
}

/// Seals the text beside a run of a database as it is now.
pub(super) fn beside(store: &dyn Store, run: &str) -> Result<()> {
    let now = of_beside(store, run)?;
    change(store, (run, BESIDE), |sum| *sum = now)
}

fn of_beside(store: &dyn Store, run: &str) -> Result<Sum> {
    sum_of(store, "SELECT record FROM bundle WHERE run = ?1", &row![run.to_owned()])
}

/// What is wrong with the text beside a run of a database.
pub(super) fn wrong_beside(store: &dyn Store, run: &str) -> Result<Option<String>> {
    let what = "what is kept beside it for its bundle";
    Ok(match (kept(store, run, BESIDE)?, of_beside(store, run)?) {
        (None, Sum { rows: 0, .. }) => None,
        (None, _) => Some(format!("the checksum of {what} is missing")),
        (Some(then), now) if then == now => None,
        (Some(_), Sum { rows: 0, .. }) => Some(format!("{what} is missing")),
        (Some(_), _) => Some(format!("{what} changed")),
    })
}

/// Seals a run that was added.
pub(super) fn run_begins(store: &dyn Store, run: &str) -> Result<()> {
    [RECORD, CHOSEN, STATE].iter().try_for_each(|columns| column(store, run, columns))?;
    store.hold_list_of_runs()?;
    change(store, ALL_RUNS, |sum| sum.add(digest(0, &[ValueRef::Text(run.as_bytes())])))
}

/// Seals all that an older archive holds, as it was found.
pub(super) fn all(store: &dyn Store) -> Result<()> {
    let ids: Vec<String> = store.rows("SELECT id FROM run", &[], |row| row.get(0))?;
    for run in &ids {
        run_begins(store, run)?;
        TABLES.iter().try_for_each(|table| again(store, run, table))?;
    }
    Ok(())
}

/// Removes all of a run, and how many rows of what that was.
pub(super) fn remove(store: &dyn Store, run: &str) -> Result<Vec<(&'static str, u64)>> {
    let (mut removed, id) = (Vec::new(), row![run.to_owned()]);
    for table in TABLES {
        if is_there(store, table)? {
            let sql = format!("DELETE FROM {} WHERE run = ?1", table.name);
            removed.push((table.what, store.execute(&sql, &id)?));
        }
    }
    store.execute("DELETE FROM writer WHERE run = ?1", &id)?;
    store.execute("DELETE FROM seal WHERE run = ?1", &id)?;
    store.execute("DELETE FROM run WHERE id = ?1", &id)?;
    store.hold_list_of_runs()?;
    change(store, ALL_RUNS, |sum| sum.remove(digest(0, &[ValueRef::Text(run.as_bytes())])))?;
    Ok(removed)
}

/// All of a run as it is there now, in few numbers: of two runs that are alike the same.
pub(super) fn content(store: &dyn Store, run: &str) -> Result<Vec<impl PartialEq>> {
    let columns = [RECORD, CHOSEN, STATE].into_iter().map(|it| of_columns(store, run, it));
    let tables =
        TABLES.iter().map(|table| Sums::read(store, run, table, &mut |_, _| ()).map(|it| it.all));
    columns.chain(tables).collect()
}

fn change(store: &dyn Store, (run, of): (&str, &str), change: impl FnOnce(&mut Sum)) -> Result<()> {
    let mut sum = kept(store, run, of)?.unwrap_or_default();
    change(&mut sum);
    let sql = "INSERT INTO seal (run, of, rows, sum) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (run, of) DO UPDATE SET rows = excluded.rows, sum = excluded.sum";
    let digests = sum.digests.to_le_bytes().to_vec();
    let values = row![run.to_owned(), of.to_owned(), sum.rows, digests];
    store.execute(sql, &values).map(|_| ())
}

fn kept(store: &dyn Store, run: &str, of: &str) -> Result<Option<Sum>> {
    let sql = "SELECT rows, sum FROM seal WHERE run = ?1 AND of = ?2";
    let read = |row: &Row<'_>| Ok(Sum { rows: row.get(0)?, digests: number(row.at(1)) });
    store.row(sql, &row![run.to_owned(), of.to_owned()], read)
}

/// Of other lengths than were written: no digest.
fn number(value: ValueRef<'_>) -> u128 {
    let bytes = value.as_blob().unwrap_or_default();
    bytes.try_into().map_or(0, u128::from_le_bytes)
}

/// What the seal of a block is called.
fn of_block((launch, block): (i64, i64)) -> String {
    format!("sample {launch} {block}")
}

/// Parts of a run itself that are not what was kept. Quick, and it says nothing of the rows.
pub(super) fn wrong_in_run(store: &dyn Store, run: &str) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (columns, what) in [(RECORD, "record"), (CHOSEN, "choices"), (STATE, "state")] {
        match kept(store, run, columns)? {
            None => wrong.push(format!("the checksum of its {what} is missing")),
            Some(sum) if sum != of_columns(store, run, columns)? => {
                wrong.push(format!("its {what} changed"));
            }
            Some(_) => {}
        }
    }
    Ok(wrong)
}

/// Tables of which a run has another number of rows than were kept.
pub(super) fn wrong_counts(store: &dyn Store, run: &str) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for table in TABLES {
        let Table { name, what, .. } = table;
        let sql = format!("SELECT count(*) FROM {name} WHERE run = ?1");
        let now: i64 = match is_there(store, table)? {
            true => store.one(&sql, &row![run.to_owned()], |row| row.get(0))?,
            false => 0,
        };
        let then = kept(store, run, name)?.unwrap_or_default().rows;
        if now != then {
            wrong.push(format!("{now} {what} are there, but {then} were stored"));
        }
    }
    Ok(wrong)
}

/// All of a run that is not what was kept; `see` is shown its rows on the way.
pub(super) fn wrong(store: &dyn Store, run: &str, see: &mut See<'_>) -> Result<Vec<String>> {
    let mut wrong = wrong_in_run(store, run)?;
    for table in TABLES {
        let (now, what) = (Sums::read(store, run, table, see)?, table.what);
        let then = kept(store, run, table.name)?.unwrap_or_default();
        if now.all.rows != then.rows {
            let now = now.all.rows;
            wrong.push(format!("{now} {what} are there, but {} were stored", then.rows));
        } else if now.all != then {
            wrong.push(format!("its {what} changed"));
        }
        for (block, sum) in now.blocks {
            if kept(store, run, &of_block(block))? != Some(sum) {
                wrong.push(format!("{what} of block {} of launch {} changed", block.1, block.0));
            }
        }
    }
    Ok(wrong)
}

/// How many runs there are and how many were kept, where that is not the same.
pub(super) fn lost_runs(store: &dyn Store) -> Result<Option<(i64, i64)>> {
    // In their order: by the index alone a row would be seen that lists do not have.
    let now = sum_of(store, "SELECT id FROM run ORDER BY rowid", &[])?;
    let then = kept(store, ALL_RUNS.0, ALL_RUNS.1)?.unwrap_or_default();
    Ok((now != then).then_some((now.rows, then.rows)))
}
