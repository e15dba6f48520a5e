//! Who has the processor while the blocks of a launch are measured, by the system's accounts.

use std::collections::BTreeMap;
use std::time::Instant;

use super::workers::Workers;
use super::{MeasureError, Sitting};
use crate::machine;
use crate::record::ProcessorTime;
use crate::schedule::Group;
use crate::sessions::account::{Spent, process_cpu_ns, spent};

/// From the beginning of a launch's blocks to their end.
pub(super) struct Watch {
    cpus: Vec<u32>,
    began: Instant,
    spent: Spent,
    own_ns: f64,
    workers_ns: BTreeMap<String, f64>,
}

impl Watch {
    /// Begins to watch the processor that workers are held to, or all that they may use; absent
    /// where the system does not tell.
    pub(super) fn begin(cpu: Option<u32>, workers: &Workers) -> Option<Self> {
        let all = || machine::processors().iter().map(|it| it.cpu).collect();
        let cpus: Vec<u32> = cpu.map_or_else(all, |cpu| vec![cpu]);
        let (began, spent) = (Instant::now(), spent(&cpus)?);
        let (own_ns, workers_ns) = (process_cpu_ns(), workers.cpu_ns()?);
        Some(Self { cpus, began, spent, own_ns, workers_ns })
    }

    /// What was seen; absent where a worker has ended since, for its time cannot be read any more.
    pub(super) fn end(self, workers: &Workers, launch: u32) -> Option<ProcessorTime> {
        let available_ns = self.began.elapsed().as_nanos() as f64 * self.cpus.len() as f64;
        let (now, workers_ns) = (spent(&self.cpus)?, workers.cpu_ns()?);
        let is_same = workers_ns.keys().eq(self.workers_ns.keys());
        let sum = |times: &BTreeMap<String, f64>| times.values().sum::<f64>();
        let own_ns = process_cpu_ns() - self.own_ns + sum(&workers_ns) - sum(&self.workers_ns);
        // The system counts busy time in steps, and ours as it is.
        let others_ns = (now.busy_ns - self.spent.busy_ns - own_ns).max(0.0);
        let stolen = now.steal_ns.zip(self.spent.steal_ns);
        is_same.then(|| ProcessorTime {
            launch,
            available_s: seconds(available_ns),
            own_s: seconds(own_ns),
            others_s: seconds(others_ns),
            stolen_s: stolen.map(|(now, before)| seconds(now - before)),
        })
    }
}

/// In whole microseconds, which are finer than the accounts.
fn seconds(ns: f64) -> f64 {
    (ns / 1e3).round() / 1e6
}

impl Sitting<'_> {
    /// Whether accounts of the workers' processor say anything of this launch: sessions take all
    /// processors, and have accounts of their own.
    pub(super) fn is_on_one_processor(&self, groups: &[Group], takes_part: &[bool]) -> bool {
        let mut taking_part = groups.iter().zip(takes_part).filter(|it| *it.1).map(|it| it.0);
        let has_windows = |group: &Group| {
            let mut regimes = group.cells.iter().map(|&at| self.run.cells[at].cell.regime);
            regimes.any(|regime| regime.is_of_windows())
        };
        !taking_part.any(has_windows)
    }

    pub(super) fn keep_processor_time(
        &mut self,
        time: Option<ProcessorTime>,
    ) -> Result<(), MeasureError> {
        let Some(time) = time else { return Ok(()) };
        self.bench.archive.keep_processor_time(&self.run.id, &time)?;
        self.run.processor_times.push(time);
        Ok(())
    }
}
