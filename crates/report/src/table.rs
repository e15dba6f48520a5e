//! Tables of any cells of a run, for tests beyond those of the report: columns are cells, rows are
//! what they share, values are speeds in calls a second, as in the report.

use std::collections::{BTreeMap, BTreeSet};

use lab::record::Run;
use lab::study::fits_any;
use thiserror::Error;

use crate::findings::Unit;
use crate::findings::series::{self, Series};

/// Columns of the same rows.
#[derive(Debug)]
pub struct Fitting {
    /// Values by the paths of the cells.
    pub columns: Vec<(String, Vec<f64>)>,
    /// How many cells of those asked for are not among them and why, in sentences.
    pub left_out: Vec<String>,
}

/// Why cells make no table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TableError {
    /// Fewer than two cells are asked for.
    #[error("{count} cells of run {run} fit: at least 2 are needed")]
    Few {
        /// How many there are.
        count: usize,
        /// Name of the run.
        run: String,
    },
    /// Cells that are never in one block.
    #[error("the cells are of {groups} parts and message lengths, which share no blocks")]
    Apart {
        /// How many parts and lengths they are of.
        groups: usize,
    },
    /// Fewer than two cells have values.
    #[error(
        "{} left, and at least 2 are needed: {}",
        words::counted(*.count, "cell"),
        .left_out.join("; ")
    )]
    FewLeft {
        /// How many there are.
        count: usize,
        /// Which others there are and why they have none, in sentences.
        left_out: Vec<String>,
    },
    /// There is nothing that all of them have.
    #[error(
        "no {} is shared by all {count} cells: {apart} shares least with the others",
        row_of(*.rows)
    )]
    NoSharedRow {
        /// What the rows would be.
        rows: Unit,
        /// How many cells there are.
        count: usize,
        /// The cell that has least in common with the others.
        apart: String,
    },
}

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

    /// Columns, by their path, of the cells that fit one of the patterns, without those that share
    /// no rows with the others.
    ///
    /// # Errors
    /// When these cells make no table.
    pub fn fitting(&self, patterns: &[String], unit: Unit) -> Result<Fitting, TableError> {
        let run = self.run;
        let fits = |place: &usize| {
            let record = &run.cells[*place];
            record.excluded.is_none() && fits_any(patterns, &record.cell.to_string())
        };
        let places: Vec<usize> = (0..run.cells.len()).filter(fits).collect();
        if places.len() < 2 {
            return Err(TableError::Few { count: places.len(), run: run.id.clone() });
        }
        let groups: BTreeSet<(u32, u64)> =
            places.iter().map(|&at| (run.cells[at].part, run.cells[at].cell.len_bytes)).collect();
        if unit == Unit::Block && groups.len() > 1 {
            return Err(TableError::Apart { groups: groups.len() });
        }
        let (places, left_out) = self.measured_on(&places, unit);
        if places.len() < 2 {
            return Err(TableError::FewLeft { count: places.len(), left_out });
        }
        let speeds = self.speeds(&places, unit);
        if speeds.iter().all(Vec::is_empty) {
            let (count, apart) = (places.len(), self.furthest_apart(&places, unit));
            return Err(TableError::NoSharedRow { rows: unit, count, apart });
        }
        let names = places.iter().map(|&at| run.cells[at].cell.to_string());
        Ok(Fitting { columns: names.zip(speeds).collect(), left_out })
    }

    /// The places without those of cells that left the race or have no values, and sentences about
    /// these.
    fn measured_on(&self, places: &[usize], unit: Unit) -> (Vec<usize>, Vec<String>) {
        let (left, stayed): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&at| self.series[at].has_left);
        let (empty, whole): (Vec<usize>, Vec<usize>) =
            stayed.iter().partition(|&&at| self.series[at].values(unit).is_empty());
        let sentence = |out: &[usize], why: &str| {
            let (count, all) = (out.len(), places.len());
            (count > 0).then(|| format!("{count} of {all} cells left out: {why}"))
        };
        let sentences =
            [sentence(&left, "measured in the first look only"), sentence(&empty, "not measured")];
        (whole, sentences.into_iter().flatten().collect())
    }

    /// The path of the cell whose rows the fewest of the others have.
    fn furthest_apart(&self, places: &[usize], unit: Unit) -> String {
        let mut cells: BTreeMap<u32, usize> = BTreeMap::new();
        for row in places.iter().flat_map(|&at| self.series[at].values(unit).keys()) {
            *cells.entry(*row).or_default() += 1;
        }
        let shared = |at: &&usize| -> usize {
            self.series[**at].values(unit).keys().map(|row| cells[row] - 1).sum()
        };
        let apart = places.iter().min_by_key(shared);
        apart.map_or(String::new(), |&at| self.run.cells[at].cell.to_string())
    }
}

fn row_of(unit: Unit) -> &'static str {
    match unit {
        Unit::Block => "block",
        Unit::Launch => "launch",
    }
}

#[cfg(test)]
mod tests {
    use lab::record::Sample;

    use super::*;

    const ONE: &str = "poly1305/openssl/avx2/single/prepared/64";

    fn table(patterns: &[&str], unit: Unit) -> Result<Vec<(String, Vec<f64>)>, TableError> {
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        Columns::of(&synthetic::survey()).fitting(&patterns, unit).map(|it| it.columns)
    }

    /// All cells for messages of 64 bytes, of [`ONE`] and of others only the samples that are kept.
    fn with_one(
        is_kept: impl Fn(bool, &Sample) -> bool,
        has_left: bool,
    ) -> Result<Fitting, TableError> {
        let mut run = synthetic::survey();
        let one = run.cells.iter_mut().find(|it| it.cell.to_string() == ONE).unwrap();
        one.has_left = has_left;
        let id = one.id;
        run.samples.retain(|it| is_kept(it.cell == id, it));
        Columns::of(&run).fitting(&["*/prepared/64".to_owned()], Unit::Block)
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
    fn cells_that_left_the_race_are_left_out() {
        let whole = with_one(|_, _| true, false).unwrap();
        assert!(whole.left_out.is_empty());
        let all = whole.columns.len();
        for (has_left, why) in [(true, "measured in the first look only"), (false, "not measured")]
        {
            let is_kept = |is_one: bool, it: &Sample| !is_one || has_left && it.launch == 0;
            let fitting = with_one(is_kept, has_left).unwrap();
            assert_eq!(fitting.left_out, [format!("1 of {all} cells left out: {why}")]);
            assert_eq!(fitting.columns.len(), all - 1);
            assert!(fitting.columns.iter().all(|(name, own)| name != ONE && own.len() >= 33));
        }
    }

    #[test]
    fn what_makes_no_table_is_said() {
        let said = |patterns: &[&str]| table(patterns, Unit::Block).unwrap_err().to_string();
        assert!(said(&["nothing"]).contains("0 cells"));
        assert!(said(&["poly1305/*"]).contains("share no blocks"));
        let error = with_one(|is_one, it| is_one == (it.launch == 0), false).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("no block is shared by all "), "{error}");
        assert!(error.ends_with(&format!("{ONE} shares least with the others")), "{error}");
    }
}
