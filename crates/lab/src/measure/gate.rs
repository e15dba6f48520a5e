//! What is different where a run is a gate: tags are equal or nothing is timed, looks are fixed in
//! advance, and launches are short, since more of them are worth more than more blocks.

use super::workers::Workers;
use super::{MeasureError, Sitting};
use crate::record::{Event, EventKind, unix_s};
use crate::schedule::{self, Group};

/// Blocks of each set of cells in a launch, at least; more where starting takes longer than these.
const BLOCKS_MIN: f64 = 5.0;

/// What a budget is asked to have beyond what is expected.
const SPARE: f64 = 1.2;

impl Sitting<'_> {
    /// A gate measures nothing where tags differ.
    pub(super) fn refuse_wrong_tags(&mut self, workers: &mut Workers) -> Result<(), MeasureError> {
        if self.run.study.gate.is_none() || workers.dissenting.is_empty() {
            return Ok(());
        }
        self.hear(workers)?;
        for text in std::mem::take(&mut workers.dissenting) {
            self.keep_event(Event { unix_s: unix_s(), kind: EventKind::WrongTags, text })?;
        }
        Err(MeasureError::WrongTags)
    }

    /// Whether it is asked after so many launches what is open.
    pub(super) fn is_look(&self, launch: u32) -> bool {
        match &self.run.study.gate {
            Some(gate) => gate.looks.contains(&launch),
            None => schedule::is_look(launch, self.looked_at),
        }
    }

    /// Seconds that the blocks of a launch of a gate take: as long as starting it, and a few blocks
    /// of each set of cells at least.
    pub(super) fn gate_share_s(&self, groups: &[Group], takes_part: &[bool]) -> Option<f64> {
        self.run.study.gate.as_ref()?;
        let round_s = schedule::round_s(groups, takes_part);
        Some(self.overhead_s.unwrap_or(0.0).max(BLOCKS_MIN * round_s))
    }

    /// Whether the next look of a gate cannot be reached any more: launches that no look sees would
    /// decide nothing.
    pub(super) fn is_beyond_reach(
        &self,
        groups: &[Group],
        takes_part: &[bool],
        launch: u32,
    ) -> bool {
        let Some(gate) = &self.run.study.gate else { return false };
        let Some(look) = gate.look_after(launch) else { return true };
        let each_s = self.overhead_s.unwrap_or(0.0) + schedule::round_s(groups, takes_part);
        f64::from(look - launch) * each_s > self.left_s()
    }

    /// After its first launch a gate knows whether its first look fits the budget.
    pub(super) fn tell_whether_a_look_fits(
        &mut self,
        groups: &[Group],
    ) -> Result<(), MeasureError> {
        let Some(first) = self.run.study.gate.as_ref().and_then(|gate| gate.look_after(0)) else {
            return Ok(());
        };
        let round_s = schedule::round_s(groups, &vec![true; groups.len()]);
        let each_s = self.overhead_s.unwrap_or(0.0) + round_s;
        let missing_s = f64::from(first - 1) * each_s - self.left_s();
        if missing_s <= 0.0 {
            return Ok(());
        }
        let budget_s = self.run.budget_s;
        let enough_s = ((budget_s + missing_s) * SPARE / 10.0).ceil() * 10.0;
        let text = format!(
            "the first look comes after {first} launches, for which {budget_s:.0} s are too short: \
             nothing will be decided. --budget {enough_s:.0} would be enough"
        );
        self.tell(EventKind::Budget, text)
    }
}
