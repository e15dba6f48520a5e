//! What a sample of each unit takes: known in one place, from whoever saw it last.

use std::collections::BTreeMap;

use super::ROUND_TRIP_S;
use crate::cell::{Flow, Regime, Scheme};
use crate::record::{CellRecord, Run};
use crate::schedule::Group;
use crate::worker::{PROVED_IN_PLACE_BYTES, lead_in};

/// A transaction that takes longer is not made untimed: the start of a process counts for nothing
/// beside it, and one of them makes a sample whatever its exact time is.
const LONG_S: f64 = 10e-3;

/// Costs by the number of a unit's first cell.
#[derive(Debug, Default)]
pub(super) struct Costs {
    /// Seconds of a sample, request and reply included.
    samples_s: BTreeMap<u32, f64>,
    /// Seconds of one transaction, of those of which no sample was taken yet.
    transactions_s: BTreeMap<u32, f64>,
    /// Of each regime and flow the lengths of files that were sent, and the seconds that one took.
    sent: BTreeMap<(Regime, Flow), BTreeMap<u64, f64>>,
}

impl Costs {
    /// What the transactions of a run that goes on took last.
    pub(super) fn seen_in(run: &Run, groups: &[Group]) -> Self {
        let last_ns: BTreeMap<u32, f64> =
            run.samples.iter().map(|sample| (sample.cell, sample.elapsed_ns)).collect();
        let mut costs = Self::default();
        for unit in groups.iter().flat_map(Group::measured) {
            let mut own = unit.iter().map(|&place| &run.cells[place]);
            let whole = own.find(|it| kind(it).is_some() && it.cell == it.cell.measured_as());
            if let Some(ns) = whole.and_then(|it| last_ns.get(&it.id)) {
                costs.saw_sample(&run.cells[unit[0]], ns * 1e-9);
            }
        }
        costs
    }

    /// A sample took so long.
    pub(super) fn saw_sample(&mut self, record: &CellRecord, sample_s: f64) {
        self.samples_s.insert(record.id, sample_s);
        self.saw_transaction(record, sample_s / record.iterations.max(1) as f64);
    }

    /// One transaction took so long; nothing else has any.
    pub(super) fn saw_transaction(&mut self, record: &CellRecord, transaction_s: f64) {
        if let Some(kind) = kind(record) {
            self.transactions_s.insert(record.id, transaction_s);
            self.sent.entry(kind).or_default().insert(record.cell.len_bytes, transaction_s);
        }
    }

    /// A proof took so long: it made a transaction, in memory where the file is long.
    pub(super) fn saw_proof(&mut self, record: &CellRecord, proof_s: f64) {
        let is_short = record.cell.len_bytes <= PROVED_IN_PLACE_BYTES as u64;
        if is_short || record.cell.regime.without_files().is_none() {
            self.saw_transaction(record, proof_s);
        }
    }

    /// What a transaction is expected to take: what it took, or what the same flow took in the same
    /// medium with a file of about that length, in proportion. `None` where nothing tells.
    pub(super) fn transaction_s(&self, record: &CellRecord) -> Option<f64> {
        if let Some(seen_s) = self.transactions_s.get(&record.id) {
            return Some(*seen_s);
        }
        let len_bytes = record.cell.len_bytes;
        let of_kind = self.sent.get(&kind(record)?)?;
        let (&other, &seen_s) = of_kind.iter().min_by_key(|(len, _)| len.abs_diff(len_bytes))?;
        Some(seen_s * len_bytes.max(1) as f64 / other.max(1) as f64)
    }

    /// Whether it is a transaction that is expected to take long.
    pub(super) fn is_long(&self, record: &CellRecord) -> bool {
        self.transaction_s(record).is_some_and(|it| it > LONG_S)
    }

    /// Seconds of a sample, as far as can be told.
    pub(super) fn sample_s(&self, record: &CellRecord) -> f64 {
        let expected = || self.transaction_s(record).map(|it| it * calls(record) + ROUND_TRIP_S);
        self.samples_s.get(&record.id).copied().or_else(expected).unwrap_or(0.0)
    }

    /// Seconds of a block of the units that a group measures.
    pub(super) fn block_s(&self, group: &Group, cells: &[CellRecord]) -> f64 {
        let leaders = group.measured().map(|unit| &cells[unit[0]]);
        leaders.filter(|it| it.excluded.is_none()).map(|it| self.sample_s(it)).sum()
    }
}

/// Calls of a sample, those before it included.
pub(super) fn calls(record: &CellRecord) -> f64 {
    let before = match record.cell.regime.is_of_schemes() {
        true => record.iterations / 16,
        false => lead_in(record.iterations),
    };
    (record.iterations + before) as f64
}

/// Regime and flow of a transaction.
fn kind(record: &CellRecord) -> Option<(Regime, Flow)> {
    let regime = record.cell.regime.measured_as();
    Some((regime, Scheme::of(&record.cell.candidate.mac)?.flow)).filter(|_| regime.is_of_schemes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Candidate, Cell, KeyLife};
    use crate::regimes::segments::{Action, Medium, Segments};

    fn record(id: u32, mac: &str, medium: Medium, len_bytes: u64) -> CellRecord {
        let candidate = Candidate { mac: mac.into(), provider: "p".into(), kernel: "soft".into() };
        let regime = Segments { medium, action: Action::Splitting }.into();
        let (key_life, key_len_bytes) = (KeyLife::Prepared, 16);
        let cell = Cell { candidate, regime, key_life, len_bytes, key_len_bytes, usual_key: true };
        CellRecord::new(id, 0, cell)
    }

    #[test]
    fn a_long_file_is_expected_to_take_in_proportion_to_a_shorter_one_of_its_flow_and_medium() {
        let mut costs = Costs::default();
        let of = |id, len| record(id, "eax-aes-128-se", Medium::Disk, len);
        assert_eq!((costs.transaction_s(&of(0, 1024)), costs.is_long(&of(0, 1024))), (None, false));
        costs.saw_transaction(&of(0, 1024), 9e-3);
        assert!(!costs.is_long(&of(0, 1024)) && costs.is_long(&of(1, 10_240)));
        assert_eq!(costs.transaction_s(&of(2, 1 << 20)), Some(9e-3 * 1024.0));
        costs.saw_sample(&of(2, 1 << 20), 4.0);
        assert_eq!(costs.transaction_s(&of(2, 1 << 20)), Some(4.0));
        for other in ["eax-aes-128-es", "eax-aes-128-se"] {
            let other = record(9, other, Medium::Memory, 1 << 20);
            assert!(!costs.is_long(&other) && costs.sample_s(&other) == 0.0);
        }
    }

    #[test]
    fn a_proof_in_memory_tells_nothing_of_the_disk() {
        let mut costs = Costs::default();
        let (disk, memory) = (Medium::Disk, Medium::Memory);
        for (id, medium, len, is_told) in
            [(0, disk, 1 << 20, false), (1, memory, 1 << 20, true), (2, disk, 1024, true)]
        {
            let record = record(id, "eax-aes-128-es", medium, len);
            costs.saw_proof(&record, 0.5);
            assert_eq!(costs.transactions_s.contains_key(&id), is_told, "{record:?}");
        }
    }
}
