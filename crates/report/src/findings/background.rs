//! What is known beside a run.

use std::collections::BTreeMap;

use lab::cell::Cell;
use lab::record::Run;

use super::{CellFinding, Work};

/// What is known beside a run. None of it is measured, and it may have changed since the run: so it
/// is asked when the run is told.
pub struct Background<'a> {
    /// What speaks against choosing a mac by speed alone, in a word.
    pub caution: &'a dyn Fn(&str) -> Option<String>,
    /// Core cycles per byte that the mac of a cell takes at least, by the instructions of the run's
    /// machine.
    pub bound: &'a dyn Fn(&Cell) -> Option<f64>,
    /// The language whose programs call a provider, by its name.
    pub language: &'a dyn Fn(&str) -> Option<&'static str>,
    /// What the mac of a cell computes.
    pub work: &'a dyn Fn(&Cell) -> Option<Work>,
}

impl Default for Background<'_> {
    /// Nothing is known.
    fn default() -> Self {
        Self { caution: &|_| None, bound: &|_| None, language: &|_| None, work: &|_| None }
    }
}

impl Background<'_> {
    /// Adds what is known of each cell.
    pub(super) fn fill(&self, cells: &mut [CellFinding]) {
        for finding in cells {
            finding.caution = (self.caution)(&finding.cell.candidate.mac);
            finding.bound_cycles_per_byte = (self.bound)(&finding.cell);
            finding.work = (self.work)(&finding.cell);
        }
    }

    /// The language whose programs call each provider of a run, where it is known.
    pub(super) fn languages(&self, run: &Run) -> BTreeMap<String, &'static str> {
        let of = |name: &String| Some((name.clone(), (self.language)(name)?));
        run.providers.iter().filter_map(|it| of(&it.name)).collect()
    }
}
