//! The pilot: all rivals for a panel that wants the fastest, timed in turns before anything else.

use super::workers::Workers;
use super::{MeasureError, Sitting, planned};
use crate::plan::{self, Planned};
use crate::record::{CellRecord, EventKind};

/// How often each is timed, one after the other, so that what disturbs a moment disturbs one time
/// of many; the least counts.
const TURNS: u32 = 6;

/// What a time should last, and the share of the budget that turns after the first may take.
const TURN_NS: f64 = 50e3;
const SHARE: f64 = 0.08;

impl Sitting<'_> {
    /// Chooses for the panels that want the fastest. Returns the cells that remain.
    pub(super) fn choose(
        &mut self,
        workers: &mut Workers,
        cells: Vec<Planned>,
    ) -> Result<Vec<Planned>, MeasureError> {
        let pilot = plan::pilot_cells(&self.run.study, &cells);
        if pilot.is_empty() {
            return Ok(cells);
        }
        self.show("finding the fastest implementation of each MAC");
        let opened = self.open_and_prove(workers, pilot)?;
        let mut times_ns = self.time_calls(workers, &opened)?;
        if times_ns.contains(&None) && self.late() && !self.bench.observer.stop() {
            let text = "the budget was spent before the pilot had timed every implementation: the \
                        fastest of those timed is shown";
            self.tell(EventKind::Warning, text.into())?;
        }
        self.turns(workers, &opened, &mut times_ns);
        let timed = opened.iter().map(planned).zip(times_ns);
        let timed: Vec<(Planned, f64)> =
            timed.filter_map(|(planned, ns)| Some((planned, ns?))).collect();
        self.run.chosen = plan::choose(&self.run.study, &timed);
        Ok(plan::keep_chosen(&self.run.study, cells, &self.run.chosen))
    }

    /// Times all of them again in turns, and keeps the least of each.
    fn turns(&self, workers: &mut Workers, records: &[CellRecord], times_ns: &mut [Option<f64>]) {
        let ends_s = self.spent_s() + SHARE * self.run.budget_s;
        for _ in 1..TURNS {
            for (record, least_ns) in records.iter().zip(&mut *times_ns) {
                let is_over = self.spent_s() > ends_s || self.late();
                let Some(known_ns) = least_ns.filter(|_| !is_over) else { continue };
                let count = ((TURN_NS / known_ns).ceil() as u64).max(1);
                // One that fails now fails again in its first block, where it is told.
                if let Ok(timing) = workers.run(record, count) {
                    *least_ns = Some(known_ns.min(timing.elapsed_ns / count as f64));
                }
            }
        }
    }
}
