//! How much room runs take.

use std::collections::BTreeMap;

use super::seal::{SAMPLES, TABLES};
use super::{Archive, ArchiveError};

impl Archive {
    /// Bytes of the archive that each run takes: of every table, with its indices, the share that
    /// its rows have of it.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn sizes(&self) -> Result<BTreeMap<String, u64>, ArchiveError> {
        let _snapshot = self.snapshot()?;
        let pages = "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_master USING (name)
                     WHERE aggregate = TRUE GROUP BY tbl_name";
        let pages: Vec<(String, i64)> =
            self.rows(pages, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut sizes: BTreeMap<String, f64> = BTreeMap::new();
        for (table, bytes) in pages {
            let weights: Vec<(String, f64)> = match weights(&table) {
                Some(sql) => self.rows(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?,
                None => continue,
            };
            let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
            for (run, weight) in weights {
                *sizes.entry(run).or_default() += bytes as f64 * weight / all.max(1.0);
            }
        }
        Ok(sizes.into_iter().map(|(run, bytes)| (run, bytes as u64)).collect())
    }

    /// Bytes of the archive, with its log.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        let len = |ending: &str| {
            let own = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            std::fs::metadata(super::beside::beside(&own, ending)).map_or(0, |it| it.len())
        };
        len("") + len(super::beside::WAL)
    }
}

/// What reads each run's weight in a table. Samples are all of a size.
fn weights(table: &str) -> Option<String> {
    let by_run = |weight: &str| format!("SELECT run, {weight} FROM {table} GROUP BY run");
    match table {
        "run" => Some("SELECT id, 1.0 * (length(record) + length(chosen)) FROM run".into()),
        "seal" => Some(by_run("1.0 * count(*)") + " HAVING run <> ''"),
        _ => {
            let table = TABLES.iter().find(|it| it.name == table)?;
            if table.name == SAMPLES.name {
                return Some(by_run("1.0 * count(*)"));
            }
            let lengths = table.columns().map(|column| format!("coalesce(length({column}), 0)"));
            let lengths = lengths.collect::<Vec<_>>().join(" + ");
            Some(by_run(&format!("sum(8.0 + {lengths})")))
        }
    }
}
