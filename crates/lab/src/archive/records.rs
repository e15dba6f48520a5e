//! Records that are kept whole, as JSON, in the order they came: a table a kind.

use rusqlite::{Connection, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Archive, ArchiveError, json, schema};
use crate::record::{SchemeRecord, SettledLoad};

/// What schemes were seen to detect.
pub(super) const SCHEMES: &str = "scheme";

/// Sessions and windows that were settled.
pub(super) const LOADS: &str = "load";

/// Windows of sessions.
pub(super) const SESSIONS: &str = "sessions";

/// Adds records behind those that are there.
pub(super) fn insert<T: Serialize>(
    store: &Connection,
    table: &str,
    run: &str,
    records: &[T],
) -> rusqlite::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut insert = store.prepare_cached(&format!("INSERT INTO {table} VALUES (?1, ?2)"))?;
    records.iter().try_for_each(|it| insert.execute(params![run, json(it)]).map(|_| ()))
}

impl Archive {
    /// Keeps what schemes were seen to detect.
    ///
    /// # Errors
    /// When it cannot be kept; likewise below.
    pub fn keep_schemes(
        &mut self,
        run: &str,
        schemes: &[SchemeRecord],
    ) -> Result<(), ArchiveError> {
        self.transaction(|store| insert(store, SCHEMES, run, schemes))
    }

    /// Keeps which sessions and windows were settled.
    #[expect(clippy::missing_errors_doc, reason = "as `keep_schemes`")]
    pub fn keep_loads(&mut self, run: &str, loads: &[SettledLoad]) -> Result<(), ArchiveError> {
        self.transaction(|store| insert(store, LOADS, run, loads))
    }

    /// The records of a table; none where an older archive has no such table.
    pub(super) fn records<T: DeserializeOwned>(
        &self,
        table: &str,
        run: &str,
    ) -> Result<Vec<T>, ArchiveError> {
        if !schema::has(&self.store, table, "record").map_err(|error| self.explain(&error))? {
            return Ok(vec![]);
        }
        let sql = format!("SELECT record FROM {table} WHERE run = ?1 ORDER BY rowid");
        let rows = self.rows(&sql, [run], |row| row.get::<_, String>(0))?;
        rows.iter().map(|text| self.parse(text, run)).collect()
    }
}
