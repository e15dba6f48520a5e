//! What was seen in the windows of a cell, over all launches and blocks.

use std::collections::BTreeMap;

use lab::cell::Cell;
use lab::record::sessions::Spread;
use lab::record::{CellRecord, Run, SessionsRecord};
use lab::regimes::sessions::Serving;

use super::{Between, TURNS_MIN, Windows, WindowsFinding, received};
use crate::findings::CellFinding;
use crate::findings::cells::note;
use crate::findings::series::{Series, median};
use crate::findings::single_calls::quantiles;

/// The windows of each cell, by its number: one window is that of all quantities of a cell. Those
/// of an excluded cell are of something else.
pub(crate) fn by_cell(run: &Run) -> Windows<'_> {
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

/// A number of each window of a cell: by block, and of each launch the median.
pub(crate) fn observed(
    windows: &Windows<'_>,
    cell: u32,
    of: impl Fn(&SessionsRecord) -> Option<f64>,
) -> Series {
    let mut by_launch: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut series = Series::default();
    for record in windows.get(&cell).into_iter().flatten() {
        let Some(value) = of(record).filter(|it| it.is_finite() && *it > 0.0) else { continue };
        series.blocks.insert(record.block, value);
        by_launch.entry(record.launch).or_default().push(value);
    }
    let medians = by_launch.into_iter().filter_map(|(at, all)| Some((at, median(all)?)));
    series.launches = medians.collect();
    series
}

/// How often in a second of its processor time a thread was put aside for another.
pub(crate) fn preemptions_per_cpu_s(it: &SessionsRecord) -> Option<f64> {
    Some(it.measured.switches_involuntary as f64 / it.measured.cpu_ns * 1e9)
}

/// Apparent processing of the session that is scheduled least over that of the one scheduled most:
/// the inverse of their messages.
pub(crate) fn least_to_most(it: &SessionsRecord) -> Option<f64> {
    let each = it.measured.messages_of_session;
    Some(each.most / each.least)
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

const DISTURBED: &str = "disturbed: in some of its windows, others had processors that its \
                         sessions were ready to use";

const OVERCHARGED: &str = "in some of its windows, its sessions are charged with more processor \
                           time than was available";

/// Tells each cell of its windows that others disturbed, in a footnote too.
pub(crate) fn mark_disturbed(run: &Run, cells: &mut [CellFinding], notes: &mut Vec<String>) {
    if run.sessions.is_empty() {
        return;
    }
    for at in received::mark(run, &by_cell(run), cells) {
        let is_short = cells[at].disturbed.is_some_and(|it| it.windows > 0);
        let place = note(notes, if is_short { DISTURBED } else { OVERCHARGED }.into());
        cells[at].notes.push(place);
    }
}

/// All windows of a cell in one. Whether it `offloads` its work decides what its share says.
pub(super) fn of(records: &[&SessionsRecord], offloads: bool) -> Option<WindowsFinding> {
    let bytes_per_message = bytes_per_message(records)?;
    let sum = |of: fn(&SessionsRecord) -> f64| records.iter().map(|it| of(it)).sum::<f64>();
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
    let cpu_s = sum(|it| it.measured.cpu_ns) / 1e9;
    let rate = |count: f64| if cpu_s > 0.0 { count / cpu_s } else { 0.0 };
    let turns = turns(records);
    let has_turns = turns.is_none_or(|it| it >= TURNS_MIN);
    Some(WindowsFinding {
        windows: records.len(),
        bytes_per_message,
        tail: quantiles(&times),
        fairness: middle(|it| it.measured.fairness).filter(|_| has_turns),
        served: records.iter().map(served).fold(1.0, f64::min),
        threads: records.iter().map(|it| it.measured.threads).max()?,
        turns,
        waits_per_cpu_s: rate(sum(|it| it.measured.switches_voluntary as f64)),
        preemptions_per_cpu_s: rate(sum(|it| it.measured.switches_involuntary as f64)),
        migrations_per_cpu_s: rate(sum(|it| it.measured.migrations as f64)),
        slice_error: middle(|it| it.measured.slice_error().unwrap_or(f64::NAN)),
        steal: steal(records),
        apparent_between: apparent_between(records).filter(|_| has_turns),
        absolute_between: absolute_between(records),
        received: received::of(records, offloads),
        cpu_to_process: median(
            records.iter().filter_map(|it| it.measured.cpu_to_process()).collect(),
        ),
        memory_bytes: records.iter().filter_map(|it| it.measured.memory_bytes).max(),
    })
}

/// How often a thread had its turn, where several share a processor. Of sessions that a pool serves
/// each message is a turn.
fn turns(records: &[&SessionsRecord]) -> Option<f64> {
    let of = |it: &&SessionsRecord| {
        let threads = it.measured.threads;
        let processors = it.load.cpus.len();
        let shared = it.load.serving == Serving::Threads && threads as usize > processors.max(1);
        shared.then(|| it.measured.switches_involuntary as f64 / f64::from(threads))
    };
    median(records.iter().filter_map(of).collect())
}

/// A session's apparent processing is the window over its messages: the inverse of their spread.
fn apparent_between(records: &[&SessionsRecord]) -> Option<Between> {
    let inverse = |it: &&SessionsRecord| {
        let own = it.measured.messages_of_session;
        (own.least > 0.0).then(|| Spread {
            least: 1.0 / own.most,
            lower_quartile: 1.0 / own.upper_quartile,
            median: 1.0 / own.median,
            upper_quartile: 1.0 / own.lower_quartile,
            most: 1.0 / own.least,
        })
    };
    between(&records.iter().map(inverse).collect::<Option<Vec<_>>>()?)
}

/// Of the sessions that were done with a message at all.
fn absolute_between(records: &[&SessionsRecord]) -> Option<Between> {
    let each = records.iter().map(|it| it.measured.cpu_ns_of_session);
    between(&each.filter(|it| it.median > 0.0).collect::<Vec<_>>())
}

/// Five numbers over the middle one: medians of the windows.
fn between(each: &[Spread]) -> Option<Between> {
    let middle =
        |of: fn(&Spread) -> f64| median(each.iter().map(|it| of(it) / it.median).collect());
    Some(Between {
        least: middle(|it| it.least)?,
        lower_quartile: middle(|it| it.lower_quartile)?,
        upper_quartile: middle(|it| it.upper_quartile)?,
        most: middle(|it| it.most)?,
    })
}

/// Of the time of all processors used.
fn steal(records: &[&SessionsRecord]) -> Option<f64> {
    received::share_of(records.iter().copied(), |it| it.measured.steal_ns)
}
