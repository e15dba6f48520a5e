//! What was seen in the windows of a cell, over all launches and blocks.

use std::collections::BTreeMap;

use lab::cell::Cell;
use lab::record::{CellRecord, Run, SessionsRecord};
use lab::sessions::Spread;

use super::{Uneven, WindowsFinding, received};
use crate::findings::CellFinding;
use crate::findings::cells::note;
use crate::findings::series::median;
use crate::findings::single_calls::quantiles;

/// Windows by the number of their cell.
pub(super) type Windows<'a> = BTreeMap<u32, Vec<&'a SessionsRecord>>;

/// The windows of each cell, by its number: one window is that of all quantities of a cell. Those
/// of an excluded cell are of something else.
pub(super) fn by_cell(run: &Run) -> Windows<'_> {
    let unit = |it: &CellRecord| (it.part, it.cell.measured_as());
    let mut units: BTreeMap<(u32, Cell), Vec<u32>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|it| it.cell.regime.sessions().is_some()) {
        units.entry(unit(cell)).or_default().push(cell.id);
    }
    let sound: BTreeMap<u32, &CellRecord> =
        run.cells.iter().filter(|it| it.excluded.is_none()).map(|it| (it.id, it)).collect();
    let mut all = Windows::new();
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

const DISTURBED: &str = "disturbed: in some of its windows others had processors that its sessions \
    were ready to use";

/// Tells each cell of its windows that others disturbed, in a footnote too.
pub(crate) fn mark_disturbed(run: &Run, cells: &mut [CellFinding], notes: &mut Vec<String>) {
    if run.sessions.is_empty() {
        return;
    }
    for at in received::mark(run, &by_cell(run), cells) {
        let place = note(notes, DISTURBED.into());
        cells[at].notes.push(place);
    }
}

/// All windows of a cell in one. Whether it `offloads` its work decides what its share says.
pub(super) fn of(records: &[&SessionsRecord], offloads: bool) -> Option<WindowsFinding> {
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
        preemptions_per_s: sum(|it| it.measured.switches_involuntary as f64) / seconds,
        migrations_per_s: sum(|it| it.measured.migrations as f64) / seconds,
        steal: steal(records),
        uneven: uneven(records),
        received: received::of(records, offloads),
        cpu_to_process: median(
            records.iter().filter_map(|it| it.measured.cpu_to_process()).collect(),
        ),
        memory_bytes: records.iter().filter_map(|it| it.measured.memory_bytes).max(),
    })
}

/// A session's apparent processing is the window over its messages: the inverse of their spread.
fn uneven(records: &[&SessionsRecord]) -> Option<Uneven> {
    let each = records.iter().map(|it| it.measured.messages_of_session);
    let each: Vec<Spread> = each.collect();
    if each.iter().any(|it| it.least <= 0.0) {
        return None;
    }
    let middle =
        |of: fn(&Spread) -> f64| median(each.iter().map(|it| it.median / of(it)).collect());
    Some(Uneven {
        least: middle(|it| it.most)?,
        lower_quartile: middle(|it| it.upper_quartile)?,
        upper_quartile: middle(|it| it.lower_quartile)?,
        most: middle(|it| it.least)?,
    })
}

/// Of the time of all processors used.
fn steal(records: &[&SessionsRecord]) -> Option<f64> {
    received::share_of(records.iter().copied(), |it| it.measured.steal_ns)
}
