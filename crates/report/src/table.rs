//! Tables of any cells of a run, for tests beyond those of the report: columns are cells, rows are
//! what they share, values are speeds in calls a second, as in the report.

use std::collections::BTreeSet;

use lab::record::Run;
use lab::study::fits_any;

use crate::findings::Unit;
use crate::findings::series::{self, Series};

/// The cells of a run as columns of values.
pub struct Columns<'a> {
    run: &'a Run,
    series: Vec<Series>,
}

impl<'a> Columns<'a> {
    /// Of a whole run, in its order of cells.
    #[must_use]
    pub fn of(run: &'a Run) -> Self {
        Self { run, series: series::all(run) }
    }

    /// Columns of the cells at `places` over the rows that all of them share.
    #[must_use]
    pub fn speeds(&self, places: &[usize], unit: Unit) -> Vec<Vec<f64>> {
        let values = |at: &usize| self.series[*at].values(unit);
        let Some((first, others)) = places.split_first() else { return vec![] };
        let in_all = |row: &&u32| others.iter().all(|at| values(at).contains_key(row));
        let shared: Vec<u32> = values(first).keys().filter(in_all).copied().collect();
        let column = |at| shared.iter().map(|row| 1e9 / values(at)[row]).collect();
        places.iter().map(column).collect()
    }

    /// Columns, by their path, of the cells that fit one of the patterns.
    ///
    /// # Errors
    /// One line saying why these cells make no table.
    pub fn fitting(
        &self,
        patterns: &[String],
        unit: Unit,
    ) -> Result<Vec<(String, Vec<f64>)>, String> {
        let run = self.run;
        let fits = |place: &usize| {
            let record = &run.cells[*place];
            record.excluded.is_none() && fits_any(patterns, &record.cell.to_string())
        };
        let places: Vec<usize> = (0..run.cells.len()).filter(fits).collect();
        if places.len() < 2 {
            let (count, id) = (places.len(), &run.id);
            return Err(format!("{count} cells of run {id} fit: at least 2 are needed"));
        }
        let groups: BTreeSet<(u32, u64)> =
            places.iter().map(|&at| (run.cells[at].part, run.cells[at].cell.len_bytes)).collect();
        if unit == Unit::Block && groups.len() > 1 {
            let count = groups.len();
            return Err(format!(
                "the cells are of {count} parts and message lengths, which share no blocks"
            ));
        }
        let names = places.iter().map(|&at| run.cells[at].cell.to_string());
        Ok(names.zip(self.speeds(&places, unit)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(patterns: &[&str], unit: Unit) -> Result<Vec<(String, Vec<f64>)>, String> {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        Columns::of(&synthetic::survey()).fitting(&patterns, unit)
    }

    #[test]
    fn columns_are_cells_and_rows_are_what_they_share() {
        let columns = table(&["poly1305/*/prepared/64"], Unit::Block).unwrap();
        assert_eq!(columns.len(), 2);
        assert_eq!(columns[0].0, "poly1305/macs/avx2/single/prepared/64");
        assert_eq!((columns[0].1.len(), columns[1].1.len()), (36, 36));
        // 30 + 0.3 · 64 ns a call.
        let middle = columns[0].1[18];
        assert!((middle * 49.2e-9 - 1.0).abs() < 0.05, "{middle}");
        assert_eq!(table(&["poly1305/*"], Unit::Launch).unwrap()[0].1.len(), 12);
    }

    #[test]
    fn what_makes_no_table_is_said() {
        assert!(table(&["nothing"], Unit::Block).unwrap_err().contains("0 cells"));
        assert!(table(&["poly1305/*"], Unit::Block).unwrap_err().contains("share no blocks"));
    }
}
