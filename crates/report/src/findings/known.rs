//! What is known beside a run.

use lab::cell::Cell;

use super::Work;

/// What is known beside a run. None of it is measured, and it may have changed since the run: so it
/// is asked when the run is told.
pub struct Known<'a> {
    /// What speaks against choosing a mac by speed alone, in a word.
    pub caution: &'a dyn Fn(&str) -> Option<String>,
    /// Core cycles a byte that the mac of a cell takes at least, by the instructions of the run's
    /// machine.
    pub bound: &'a dyn Fn(&Cell) -> Option<f64>,
    /// What the mac of a cell computes.
    pub work: &'a dyn Fn(&Cell) -> Option<Work>,
}

impl Default for Known<'_> {
    /// Nothing is known.
    fn default() -> Self {
        Self { caution: &|_| None, bound: &|_| None, work: &|_| None }
    }
}
