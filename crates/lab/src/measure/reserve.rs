//! What is kept of the budget for what comes after the blocks: tags compared again, single calls,
//! the report. And when proving and counting must end, so that there is time to measure what was
//! proved.

use std::collections::BTreeMap;
use std::time::Instant;

use super::ledger::Task;
use super::{SINGLE_SHARE, Sitting};
use crate::cell::Cell;
use crate::plan::is_floor;

/// Share of the budget kept for comparing tags at the end, where no single calls are to be made.
const LAST_PROOF_SHARE: f64 = 0.02;

/// Even a tiny budget allows this much for proving and counting.
const LATE_S_MIN: f64 = 5.0;

/// What a report takes until one was tried: without cells, and for each cell.
pub(crate) const REPORT_S: f64 = 0.1;
pub(crate) const REPORT_CELL_S: f64 = 150e-6;

/// A report is expected to take so many times as long as the one that was tried: intervals come.
const REPORT_SPARE: f64 = 1.2;

/// What of a report is for each sample, and not for each cell.
const SAMPLES_SHARE: f64 = 0.5;

/// What counting the calls of a cell takes, in times of what opening and proving it took; and the
/// least that is done with it then: an untimed turn, a sample, one more proof.
const COUNTING: f64 = 1.8;
const LOOK: f64 = 1.2;

/// Opening and proving a cell and comparing one more tag: the first has 16 messages.
const LAST_PROOF: f64 = 0.3;

/// In a race a first look at everything is worth little without launches after it: so much of the
/// budget at most goes to proving and counting.
const RACE_SHARE: f64 = 0.6;

/// What is known of what comes later.
#[derive(Debug, Default)]
pub(super) struct Reserve {
    /// When proving began, in seconds of the run.
    pub(super) begins_s: f64,
    /// The mac that is measured however late it is: a run without a figure is of no use.
    pub(super) first: Option<String>,
    /// Cells that are open and proved, and the seconds that took.
    pub(super) proved: usize,
    pub(super) proving_s: f64,
    /// Whether they are counted, too, so far as there is time.
    pub(super) is_counting: bool,
    /// Seconds in which all tags were compared again, when the last launch ended.
    pub(super) last_proof_s: Option<f64>,
    /// Cells that there was no time for, by mac.
    pub(super) unreached: BTreeMap<String, usize>,
    /// Samples that a report was tried with, and the seconds it took.
    pub(super) tried: Option<(usize, f64)>,
}

impl Reserve {
    /// There is no time for this one.
    pub(super) fn unreached(&mut self, cell: &Cell) {
        if !is_floor(&cell.candidate.mac) {
            *self.unreached.entry(cell.candidate.mac.clone()).or_default() += 1;
        }
    }

    /// Seconds of opening and proving one cell.
    fn each_s(&self) -> f64 {
        self.proving_s / self.proved.max(1) as f64
    }
}

impl Sitting<'_> {
    /// Seconds that the report of the run is expected to take.
    fn report_s(&self) -> f64 {
        if self.bench.report.is_none() {
            return 0.0;
        }
        let cells = self.run.cells.len().max(self.reserve.proved) as f64;
        let Some((samples, took_s)) = self.reserve.tried else {
            return REPORT_S + REPORT_CELL_S * cells;
        };
        let growth = self.run.samples.len() as f64 / samples.max(1) as f64;
        REPORT_SPARE * took_s * (1.0 - SAMPLES_SHARE + SAMPLES_SHARE * growth)
    }

    /// After the first launch the report is made once, to see how long that takes.
    pub(super) fn try_report(&mut self) {
        let Some(report) = self.bench.report.filter(|_| self.reserve.tried.is_none()) else {
            return;
        };
        let task = self.ledger.turn_to(Task::Reporting);
        let began = Instant::now();
        report(self.run);
        self.reserve.tried = Some((self.run.samples.len(), began.elapsed().as_secs_f64()));
        self.ledger.turn_to(task);
    }

    /// Seconds until measuring must have ended, so that the report is there when the budget ends.
    pub(super) fn until_report_s(&self) -> f64 {
        self.run.budget_s - self.report_s() - self.spent_s()
    }

    /// Seconds left for launches.
    pub(super) fn left_s(&self) -> f64 {
        let share = if self.owes_single_calls() { SINGLE_SHARE } else { LAST_PROOF_SHARE };
        self.until_report_s() - (share * self.run.budget_s).max(self.proof_s())
    }

    /// Seconds in which all tags are compared again.
    pub(super) fn proof_s(&self) -> f64 {
        self.reserve.last_proof_s.unwrap_or(LAST_PROOF * self.reserve.proving_s)
    }

    /// Whether a cell is not proved or counted any more.
    pub(super) fn has_no_time_for(&self, cell: &Cell) -> bool {
        let is_first = self.reserve.first.as_ref() == Some(&cell.candidate.mac);
        self.bench.observer.stop() || !is_first && self.late()
    }

    /// Whether proving and counting must come to an end: there is no time to measure more than
    /// what was proved so far, or the user stops.
    pub(super) fn late(&self) -> bool {
        let Reserve { proved, is_counting, .. } = self.reserve;
        let each = if is_counting { LOOK } else { LOOK + COUNTING };
        let look_s = proved as f64 * self.reserve.each_s() * each;
        let budget_s = self.run.budget_s;
        let mut ends_s = budget_s - self.report_s() - look_s;
        if self.run.study.race.is_some() {
            let counting_s = if is_counting { 0.0 } else { look_s * COUNTING / each };
            ends_s = ends_s.min(RACE_SHARE * budget_s - counting_s);
        }
        self.spent_s() > ends_s.max(self.reserve.begins_s + LATE_S_MIN)
            || self.bench.observer.stop()
    }
}
