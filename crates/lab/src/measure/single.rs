//! After the last whole launch, calls timed one by one. Where a part says how many, its cells of
//! one length are called in turn, under the same keys and with the same messages; the others one
//! cell after another.

use std::collections::BTreeMap;

use super::workers::Workers;
use super::{MeasureError, PASS_CALLS_MAX, SINGLE_SHARE, Sitting};
use crate::record::{CellRecord, SingleCalls};
use crate::schedule;
use crate::worker::client::Alternated;

/// Repetitions in a row of the cells of one worker, before those of the next worker have theirs.
/// With fewer of them, what a call takes would be that of a process just woken up.
const STRETCH: u64 = 16;

/// What a repetition takes beside its calls, for each cell: a key and a message drawn, the clock.
const DRAWN_NS: f64 = 1_000.0;

impl Sitting<'_> {
    /// Whether single calls are to be made and none are kept.
    pub(super) fn owes_single_calls(&self) -> bool {
        self.run.single_calls.is_empty() && self.run.cells.iter().any(|it| self.is_timed_singly(it))
    }

    /// Cells that are only drawn as lines are not, unless their part asks for so many calls, nor
    /// those of a gate or a workload.
    fn is_timed_singly(&self, record: &CellRecord) -> bool {
        let part = &self.run.study.parts[record.part as usize];
        let lines_only = part.lines_only && part.single_calls.is_none();
        let regime = record.cell.regime;
        let is_one = regime.batch().is_none() && regime.is_of_calls();
        let study = &self.run.study;
        let is_wanted = !lines_only && is_one && study.gate.is_none() && study.workload.is_none();
        is_wanted && record.excluded.is_none() && !self.is_dropped(record)
    }

    /// A pass of calls timed one by one. Launches for claims that are open make it no second time.
    pub(super) fn single_calls(&mut self, workers: &mut Workers) -> Result<(), MeasureError> {
        let has_left = |id: u32| self.left.as_ref().is_some_and(|left| left.contains(&id));
        let due = |record: &&CellRecord| {
            self.is_timed_singly(record) && workers.has_open(record.id) && !has_left(record.id)
        };
        let records: Vec<CellRecord> = self.run.cells.iter().filter(due).cloned().collect();
        if records.is_empty() || (self.looked_at.is_some() && !self.owes_single_calls()) {
            return Ok(());
        }
        let allowed_s = self.until_report_s().min(self.run.budget_s * SINGLE_SHARE);
        let ends_s = self.spent_s() + allowed_s;
        let mut left = records.len();
        self.show("timing single calls");
        let mut in_turn: BTreeMap<(u32, u64), Vec<(CellRecord, f64)>> = BTreeMap::new();
        let logs = schedule::launch_logs(&self.run.samples);
        for record in records {
            // Asking, answering and keeping take of it too, so it is shared out anew each time.
            let each_ns = (ends_s - self.spent_s()).max(0.0) * 1e9 / left as f64;
            left -= 1;
            let Some(log_ns) = logs.get(&record.id).and_then(|launches| launches.values().next())
            else {
                continue;
            };
            let call_ns = log_ns.exp();
            match self.run.study.parts[record.part as usize].single_calls {
                Some(count) => {
                    let group = in_turn.entry((count, record.cell.len_bytes)).or_default();
                    group.push((record, call_ns));
                }
                None => self.one_after_another(workers, &record, call_ns, each_ns)?,
            }
        }
        for ((count, _), group) in in_turn {
            self.in_turn(workers, count, &group)?;
        }
        Ok(())
    }

    /// As many calls of one cell as its share of the budget allows.
    fn one_after_another(
        &mut self,
        workers: &mut Workers,
        record: &CellRecord,
        call_ns: f64,
        each_ns: f64,
    ) -> Result<(), MeasureError> {
        // A bracket and the histogram cost some 60 ns beside the call.
        let count = (each_ns / (call_ns + 60.0)).min(PASS_CALLS_MAX);
        if count < 1.0 || self.bench.observer.stop() {
            return Ok(());
        }
        let provider = &record.cell.candidate.provider;
        match workers.ask(provider, |worker| worker.single(record.id, count as u64)) {
            Ok(counts) => self.keep(SingleCalls { cell: record.id, counts, ticks: vec![] }),
            Err(_) => Ok(()),
        }
    }

    /// `asked` repetitions of these cells, or as many as are left of the whole budget. Workers take
    /// turns after every [`STRETCH`] of them, and have the same keys and messages.
    fn in_turn(
        &mut self,
        workers: &mut Workers,
        asked: u32,
        group: &[(CellRecord, f64)],
    ) -> Result<(), MeasureError> {
        let cost_ns: f64 = group.iter().map(|(_, call_ns)| call_ns + DRAWN_NS).sum();
        let left_ns = self.until_report_s().max(0.0) * 1e9;
        let count = f64::from(asked).min(odd(left_ns / cost_ns)) as u64;
        let mut providers: Vec<(&str, Vec<u32>)> = Vec::new();
        for (record, _) in group {
            let provider = record.cell.candidate.provider.as_str();
            match providers.iter_mut().find(|(name, _)| *name == provider) {
                Some((_, ids)) => ids.push(record.id),
                None => providers.push((provider, vec![record.id])),
            }
        }
        let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
        let mut alone = Vec::new();
        for begin in (0..count).step_by(STRETCH as usize) {
            if self.bench.observer.stop() {
                return Ok(());
            }
            let stretch = STRETCH.min(count - begin);
            let seed = self.run.seed.rotate_left(16).wrapping_add(begin);
            providers.retain(|(provider, ids)| {
                let calls = workers.ask(provider, |worker| worker.alternate(ids, stretch, seed));
                let Ok(calls) = calls else {
                    // A worker in another language may not know the request.
                    ids.iter().for_each(|id| drop(seen.remove(id)));
                    alone.extend(ids.iter().map(|&id| ((*provider).to_owned(), id)));
                    return false;
                };
                calls.iter().for_each(|(id, calls)| seen.entry(*id).or_default().add(calls));
                true
            });
        }
        for (cell, seen) in seen {
            let pairs = |counts: BTreeMap<u64, u64>| counts.into_iter().collect();
            self.keep(SingleCalls { cell, counts: pairs(seen.ns), ticks: pairs(seen.ticks) })?;
        }
        for (provider, cell) in alone {
            if let Ok(counts) = workers.ask(&provider, |worker| worker.single(cell, count)) {
                self.keep(SingleCalls { cell, counts, ticks: vec![] })?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, calls: SingleCalls) -> Result<(), MeasureError> {
        self.bench.archive.keep_single_calls(&self.run.id, &calls)?;
        self.run.single_calls.push(calls);
        Ok(())
    }
}

/// Calls of a cell: values and how often.
#[derive(Default)]
struct Seen {
    ns: BTreeMap<u64, u64>,
    ticks: BTreeMap<u64, u64>,
}

impl Seen {
    fn add(&mut self, calls: &Alternated) {
        for (known, added) in [(&mut self.ns, &calls.ns), (&mut self.ticks, &calls.ticks)] {
            added.iter().for_each(|&(value, count)| *known.entry(value).or_default() += count);
        }
    }
}

/// The largest odd number that is not above `count`, or none: 0.
fn odd(count: f64) -> f64 {
    if count < 1.0 { 0.0 } else { 2.0 * ((count - 1.0) / 2.0).floor() + 1.0 }
}
