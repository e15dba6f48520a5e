//! Records that are kept whole, as JSON, in the order they came: a table a kind.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::changes::Change;
use super::seal::{self, Table, row};
use super::{Archive, ArchiveError, json};
use crate::record::{LaunchRecord, ProcessorTime, SchemeRecord, SettledLoad};

/// Records behind those that are there.
pub(super) fn behind<T: Serialize>(table: &Table, records: &[T]) -> Change {
    Change::add(table, records.iter().map(|record| row![json(record)]))
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
        self.keep(run, vec![behind(seal::SCHEMES, schemes)])
    }

    /// Keeps which sessions and windows were settled.
    #[expect(clippy::missing_errors_doc, reason = "as `keep_schemes`")]
    pub fn keep_loads(&mut self, run: &str, loads: &[SettledLoad]) -> Result<(), ArchiveError> {
        self.keep(run, vec![behind(seal::LOADS, loads)])
    }

    /// Keeps who had the processor in a launch.
    #[expect(clippy::missing_errors_doc, reason = "as `keep_schemes`")]
    pub fn keep_processor_time(
        &mut self,
        run: &str,
        time: &ProcessorTime,
    ) -> Result<(), ArchiveError> {
        self.keep(run, vec![behind(seal::PROCESSOR, &[time])])
    }

    /// Keeps what a launch that begins is for.
    #[expect(clippy::missing_errors_doc, reason = "as `keep_schemes`")]
    pub fn keep_launch(&mut self, run: &str, launch: LaunchRecord) -> Result<(), ArchiveError> {
        self.keep(run, vec![behind(seal::LAUNCHES, &[launch])])
    }

    /// The records of a table; none where an older archive has no such table.
    pub(super) fn records<T: DeserializeOwned>(
        &self,
        table: &str,
        run: &str,
    ) -> Result<Vec<T>, ArchiveError> {
        let is_there = self.store().has(table, "record");
        if !is_there.map_err(|error| self.explain(&error))? {
            return Ok(vec![]);
        }
        let sql = format!("SELECT record FROM {table} WHERE run = ?1 ORDER BY rowid");
        let rows = self.rows(&sql, &row![run.to_owned()], |row| row.get::<String>(0))?;
        rows.iter().map(|text| self.parse(text, run)).collect()
    }
}
