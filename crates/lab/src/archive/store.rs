//! What keeps an archive's tables: SQLite in a file, or PostgreSQL on a server. The statements are
//! the same for both, and so are the checksums; what differs is behind [`Store`].

use std::fmt;

use rusqlite::types::{FromSql, Value, ValueRef};

use super::lost::{self, Lost};

/// A database with the tables of an archive.
pub(super) trait Store: fmt::Debug {
    /// Does what a statement says: how many rows it changed. Its values are `?1`, `?2` ….
    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64>;

    /// Hands every row that is found to `read`.
    fn each(
        &self,
        sql: &str,
        values: &[Value],
        read: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()>;

    /// Adds rows of a run to a table.
    fn insert(&self, table: &str, columns: &str, run: &str, rows: &[Vec<Value>]) -> Result<()>;

    /// Begins a transaction: one that writes is the only one that writes what it reads.
    fn begin(&self, what: Access) -> Result<()>;

    /// Keeps all that was written since.
    fn commit(&self) -> Result<()>;

    /// Forgets it; there is nobody to tell where that fails.
    fn roll_back(&self);

    /// Whether a transaction was begun.
    fn is_within(&self) -> bool;

    /// Whether there is such a column in such a table: older archives lack some.
    fn has(&self, table: &str, column: &str) -> Result<bool>;

    /// Until the transaction ends, nobody else adds runs or removes any.
    fn hold_list_of_runs(&self) -> Result<()>;

    /// Until the transaction ends, nobody else becomes or is the writer of the run.
    fn hold_writer(&self, run: &str) -> Result<()>;

    /// Makes the holder of a token the writer of a run, described by a record.
    fn keep_writer(&self, run: &str, token: &str, record: String) -> Result<()>;

    /// Whether the holder of this token writes the run, who does so the `step`th time.
    fn is_writer(&self, run: &str, token: &str, step: i64) -> Result<bool>;

    /// Bytes of every table with its indices.
    fn table_sizes(&self) -> Result<Vec<(String, i64)>>;
}

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Reading all of one moment.
    Read,
    /// Writing.
    Write,
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// Why a store did not do what it was to do.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite refused.
    File(rusqlite::Error),
    /// The server refused.
    Server(postgres::Error),
    /// The server cannot be asked any more.
    Lost(Lost),
    /// What it holds is not what a column of that name has.
    Value(String),
}

impl Fault {
    /// Whether the server is to blame, and not what it was asked: another time it may do it.
    pub(super) fn is_of_server(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            // Wrong values, and rows that may not be.
            Self::Server(_) => !matches!(self.class(), Some("22" | "23")),
            Self::File(_) | Self::Value(_) => false,
        }
    }

    /// The class of what a server said, by SQLSTATE; `None` where it said nothing.
    pub(super) fn class(&self) -> Option<&str> {
        match self {
            Self::Server(error) => error.code()?.code().get(..2),
            _ => None,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Server(error) => lost::said(error).fmt(f),
            Self::Lost(lost) => lost.fmt(f),
            Self::Value(what) => what.fmt(f),
        }
    }
}

/// A row's values.
#[derive(Debug)]
pub(super) struct Row<'a>(pub(super) &'a [ValueRef<'a>]);

impl<'a> Row<'a> {
    /// The value of a column.
    pub(super) fn get<T: FromSql>(&self, at: usize) -> Result<T> {
        let value = self.at(at);
        T::column_result(value).map_err(|_| {
            Fault::Value(format!("column {} of a row cannot be {}", at + 1, value.data_type()))
        })
    }

    /// The same as it is; nothing where there is no such column.
    pub(super) fn at(&self, at: usize) -> ValueRef<'a> {
        self.0.get(at).copied().unwrap_or(ValueRef::Null)
    }
}

impl dyn Store + '_ {
    /// What is read of the first row, if there is any.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        values: &[Value],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.each(sql, values, &mut |row| {
            if first.is_none() {
                first = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// What is read of the only row that there must be.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: &[Value],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        let found = self.row(sql, values, read)?;
        found.ok_or_else(|| Fault::from(rusqlite::Error::QueryReturnedNoRows))
    }

    /// Whether there is such a row.
    pub(super) fn is_there(&self, sql: &str, values: &[Value]) -> Result<bool> {
        self.row(sql, values, |_| Ok(())).map(|found| found.is_some())
    }

    /// What is read of every row.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: &[Value],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.each(sql, values, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }
}

/// All that is done while it lives is kept at its end, or nothing of it.
#[derive(Debug)]
pub(super) struct Within<'a> {
    store: &'a dyn Store,
    has_ended: bool,
}

impl<'a> Within<'a> {
    pub(super) fn begin(store: &'a dyn Store, what: Access) -> Result<Self> {
        store.begin(what)?;
        Ok(Self { store, has_ended: false })
    }

    /// Keeps it.
    pub(super) fn commit(mut self) -> Result<()> {
        self.store.commit()?;
        self.has_ended = true;
        Ok(())
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.store.roll_back();
        }
    }
}
