//! What was seen in the windows of a cell, over all launches and blocks.

use std::collections::BTreeMap;

use lab::cell::Cell;
use lab::record::{CellRecord, Run, SessionsRecord};

use super::WindowsFinding;
use crate::findings::CellFinding;
use crate::findings::series::median;
use crate::findings::single_calls::quantiles;

/// The windows of each cell, by its number: one window is that of all quantities of a cell. Those
/// of an excluded cell are of something else.
pub(super) fn by_cell(run: &Run) -> BTreeMap<u32, Vec<&SessionsRecord>> {
    let unit = |it: &CellRecord| (it.part, it.cell.measured_as());
    let mut units: BTreeMap<(u32, Cell), Vec<u32>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|it| it.cell.regime.sessions().is_some()) {
        units.entry(unit(cell)).or_default().push(cell.id);
    }
    let sound: BTreeMap<u32, &CellRecord> =
        run.cells.iter().filter(|it| it.excluded.is_none()).map(|it| (it.id, it)).collect();
    let mut all: BTreeMap<u32, Vec<&SessionsRecord>> = BTreeMap::new();
    let is_whole = |it: &&SessionsRecord| it.measured.messages > 0 && it.measured.window_ns > 0.0;
    for record in run.sessions.iter().filter(is_whole) {
        let Some(cell) = sound.get(&record.cell) else { continue };
        for &id in units.get(&unit(cell)).into_iter().flatten() {
            all.entry(id).or_default().push(record);
        }
    }
    all
}

/// Bytes a message, as counted in all windows together.
fn bytes_per_message(records: &[&SessionsRecord]) -> Option<f64> {
    let bytes: u64 = records.iter().map(|it| it.measured.bytes).sum();
    let messages: u64 = records.iter().map(|it| it.measured.messages).sum();
    (messages > 0).then(|| bytes as f64 / messages as f64)
}

/// Costs of a byte by the bytes that were counted: of a mix, the length of a cell is its mean to
/// the next whole byte only.
pub(crate) fn by_measured_bytes(run: &Run, cells: &mut [CellFinding]) {
    if run.sessions.is_empty() {
        return;
    }
    let windows = by_cell(run);
    for finding in cells.iter_mut() {
        let records = windows.get(&finding.id);
        let len = records.and_then(|it| bytes_per_message(it)).filter(|len| *len > 0.0);
        if let Some(len) = len {
            finding.cycles_per_byte_estimated = finding.cycles_estimated.map(|it| it / len);
            finding.mib_per_s = finding.median_ns.map(|ns| len / 1_048_576.0 / (ns / 1e9));
        }
    }
}

/// All windows of a cell in one.
pub(super) fn of(records: &[&SessionsRecord]) -> Option<WindowsFinding> {
    let bytes_per_message = bytes_per_message(records)?;
    let sum = |of: fn(&SessionsRecord) -> f64| records.iter().map(|it| of(it)).sum::<f64>();
    let seconds = sum(|it| it.measured.window_ns) / 1e9;
    let middle = |of: fn(&SessionsRecord) -> f64| {
        let values = records.iter().map(|it| of(it));
        median(values.filter(|it| it.is_finite()).collect())
    };
    let served =
        |it: &&SessionsRecord| f64::from(it.measured.served) / f64::from(it.load.count.max(1));
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for &(ns, count) in records.iter().flat_map(|it| &it.measured.times) {
        *times.entry(ns).or_default() += count;
    }
    let times: Vec<(u64, u64)> = times.into_iter().filter(|it| it.1 > 0).collect();
    let switches =
        sum(|it| (it.measured.switches_voluntary + it.measured.switches_involuntary) as f64);
    Some(WindowsFinding {
        windows: records.len(),
        bytes_per_message,
        tail: quantiles(&times),
        fairness: middle(|it| it.measured.fairness),
        served: records.iter().map(served).fold(1.0, f64::min),
        threads: records.iter().map(|it| it.measured.threads).max()?,
        switches_per_s: switches / seconds,
        migrations_per_s: sum(|it| it.measured.migrations as f64) / seconds,
        steal: steal(records),
        cpu_to_process: median(
            records.iter().filter_map(|it| it.measured.cpu_to_process()).collect(),
        ),
        memory_bytes: records.iter().filter_map(|it| it.measured.memory_bytes).max(),
    })
}

/// Of the time of all processors used; where sessions are not bound, how many they used is not
/// known.
fn steal(records: &[&SessionsRecord]) -> Option<f64> {
    let told = records.iter().filter_map(|it| {
        let processors = it.load.cpus.len();
        let all = it.measured.window_ns * processors as f64;
        Some((it.measured.steal_ns.filter(|_| processors > 0)?, all))
    });
    let (taken, all) = told.fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    (all > 0.0).then(|| taken / all)
}
