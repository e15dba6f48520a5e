//! What is known of a run before its end: told when the calls are counted, and after launches,
//! each time that the run has lasted twice as long.

use std::collections::BTreeMap;

use stats::median::median;

use super::Sitting;
use crate::plan::is_floor;
use crate::record::{CellRecord, Sample};
use crate::study::Study;

/// A first look comes in this time, and none is worth a line when the report comes as soon.
const FIRST_S: f64 = 15.0;

/// Times of cells that will change: of one try, or medians without an interval.
#[derive(Debug, Clone)]
pub struct Look<'a> {
    /// What is measured.
    pub study: &'a Study,
    /// Launches behind this; before the first, each cell was timed once.
    pub launches: u32,
    /// Cells with the nanoseconds that a message takes.
    pub times_ns: Vec<(&'a CellRecord, f64)>,
}

impl Sitting<'_> {
    /// Tells what was counted of these cells, once.
    pub(super) fn look_at_counted(&mut self, records: &[CellRecord], times_ns: &[Option<f64>]) {
        if self.look_due_s > 0.0 || !self.is_worth_a_look() {
            return;
        }
        let timed = records.iter().zip(times_ns);
        let timed = timed.filter_map(|(record, ns)| Some((record, (*ns)?)));
        let timed: Vec<_> = timed.filter(|(record, ns)| is_told(record) && *ns > 0.0).collect();
        if timed.is_empty() {
            return;
        }
        let look = Look { study: &self.run.study, launches: 0, times_ns: timed };
        self.bench.observer.look(&look);
        self.look_due_s = FIRST_S;
    }

    /// Tells medians of all launches so far, where a look is due.
    pub(super) fn look_at_launches(&mut self) {
        let spent_s = self.spent_s();
        if spent_s < self.look_due_s || !self.is_worth_a_look() {
            return;
        }
        let mut of_cell: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for sample in &self.run.samples {
            of_cell.entry(sample.cell).or_default().push(Sample::call_ns(sample));
        }
        let told = self.run.cells.iter().filter(|it| is_told(it) && it.excluded.is_none());
        let times_ns = told.filter_map(|record| {
            let times_ns = stats::Sample::new(of_cell.remove(&record.id)?).ok()?;
            Some((record, median(&times_ns)))
        });
        let times_ns = times_ns.collect();
        let look = Look { study: &self.run.study, launches: self.run.launches(), times_ns };
        self.bench.observer.look(&look);
        self.look_due_s = 2.0 * spent_s.max(FIRST_S);
    }

    /// What a gate compares is told by its rule alone.
    fn is_worth_a_look(&self) -> bool {
        self.run.study.gate.is_none() && self.run.budget_s - self.spent_s() > FIRST_S
    }
}

/// Whether what is kept of a cell is the time of a message.
fn is_told(record: &CellRecord) -> bool {
    !is_floor(&record.cell.candidate.mac) && record.cell.regime.gives_times()
}
