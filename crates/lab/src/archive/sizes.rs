//! How much room runs take.

use std::collections::BTreeMap;

use super::seal::{SAMPLES, TABLES};
use super::store::Store;
use super::{Archive, ArchiveError, Held};

impl Archive {
    /// Bytes of the archive that each run takes: of every table, with its indices, the share that
    /// its rows have of it.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn sizes(&self) -> Result<BTreeMap<String, u64>, ArchiveError> {
        let _snapshot = self.snapshot()?;
        let pages = self.store().table_sizes().map_err(|error| self.explain(&error))?;
        let mut sizes: BTreeMap<String, f64> = BTreeMap::new();
        for (table, bytes) in pages {
            let weights: Vec<(String, f64)> = match weights(&table) {
                Some(sql) => self.rows(&sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?,
                None => continue,
            };
            let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
            for (run, weight) in weights {
                *sizes.entry(run).or_default() += bytes as f64 * weight / all.max(1.0);
            }
        }
        Ok(sizes.into_iter().map(|(run, bytes)| (run, bytes as u64)).collect())
    }

    /// Bytes of the archive, with its log; 0 where they cannot be asked.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        match &self.held {
            Held::File(file) => file.len_bytes(),
            Held::Server(server) => {
                let sizes = server.table_sizes().unwrap_or_default();
                sizes.iter().map(|(_, bytes)| *bytes as u64).sum()
            }
        }
    }
}

/// What reads each run's weight in a table. Samples are all of a size.
fn weights(table: &str) -> Option<String> {
    // A number that both databases give alike.
    let real = |number: &str| format!("CAST({number} AS DOUBLE PRECISION)");
    let by_run = |weight: &str| format!("SELECT run, {} FROM {table} GROUP BY run", real(weight));
    match table {
        "run" => Some(format!("SELECT id, {} FROM run", real("length(record) + length(chosen)"))),
        "seal" => Some(by_run("count(*)") + " HAVING run <> ''"),
        _ => {
            let table = TABLES.iter().find(|it| it.name == table)?;
            if table.name == SAMPLES.name {
                return Some(by_run("count(*)"));
            }
            let lengths = table.columns().map(|column| {
                // Of numbers too.
                format!("coalesce(length(CAST({column} AS TEXT)), 0)")
            });
            let lengths = lengths.collect::<Vec<_>>().join(" + ");
            Some(by_run(&format!("sum(8 + {lengths})")))
        }
    }
}
