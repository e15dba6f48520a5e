//! What a call takes, taken apart: the measurement alone (the floor), the frame (the same mac
//! without its compression function, less the floor), and the compressions (the mac less its
//! frame). Each share is the median of differences paired by launch, so that what launches have in
//! common cancels out.

use lab::cell::KeyLife;
use lab::plan::is_floor;
use lab::record::Run;
use lab::study::View;
use serde::Serialize;
use stats::Sample;
use words::ProviderName;

use super::series::{Series, paired};
use super::{CellFinding, Findings, Group, Interval, Levels, Unit};

/// The provider whose frames are measured: they are made of its code and fit no other's.
const FRAMED: &str = "macs";

/// One call taken apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TakenApart {
    /// Message length.
    pub len_bytes: u64,
    /// Its cell, by place in [`Findings::cells`].
    pub cell: usize,
    /// What the differences are paired by.
    pub unit: Unit,
    /// What a call takes that computes nothing.
    pub measurement: Share,
    /// Padding, constants, conversions.
    pub frame: Share,
    /// The compression function.
    pub compressions: Share,
    /// The same for one compression; absent where their number is not known.
    pub compression_each: Option<Share>,
    /// Estimated core cycles a nanosecond, by which each share becomes cycles.
    pub cycles_per_ns_estimated: Option<f64>,
}

/// A share of a call's time. A difference of two measured times: it may lie below 0 where it is
/// smaller than the noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// Median in nanoseconds.
    pub ns: f64,
    /// Interval of that median.
    pub interval_ns: Option<Interval>,
}

/// A share as it is shown: never below 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shown {
    pub(crate) value: f64,
    pub(crate) ends: Option<(f64, f64)>,
    /// Whether something of it came out below 0 and is shown as 0.
    pub(crate) raised: bool,
}

impl Share {
    fn of(values: Vec<f64>, levels: Levels) -> Option<Self> {
        let sample = Sample::new(values).ok()?;
        let interval = stats::median_interval(&sample, levels.confidence);
        let interval_ns = interval.map(|it| Interval {
            low: it.low,
            high: it.high,
            confidence: it.confidence_achieved,
        });
        Some(Self { ns: stats::median(&sample), interval_ns })
    }

    fn over(self, count: u64) -> Self {
        let count = count as f64;
        let over = |it: Interval| Interval { low: it.low / count, high: it.high / count, ..it };
        Self { ns: self.ns / count, interval_ns: self.interval_ns.map(over) }
    }

    /// In a unit of which a nanosecond has `factor`.
    pub(crate) fn shown(&self, factor: f64) -> Shown {
        let raise = |ns: f64| factor * ns.max(0.0);
        let ends = self.interval_ns.map(|it| (raise(it.low), raise(it.high)));
        let raised = self.ns < 0.0 || self.interval_ns.is_some_and(|it| it.low < 0.0);
        Shown { value: raise(self.ns), ends, raised }
    }
}

impl TakenApart {
    /// The shares in the order in which they are stacked.
    #[must_use]
    pub fn shares(&self) -> [&Share; 3] {
        [&self.measurement, &self.frame, &self.compressions]
    }

    /// What a nanosecond is in the unit in which it is shown.
    pub(crate) fn factor(&self, in_cycles: bool) -> f64 {
        if in_cycles { self.cycles_per_ns_estimated.unwrap_or(f64::NAN) } else { 1.0 }
    }
}

/// Every cell of a filled group that has a floor and a frame, by length, then as the case lists its
/// macs.
pub(super) fn of(
    run: &Run,
    group: &Group,
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<TakenApart> {
    if !group.views.contains(&View::Stacked) {
        return vec![];
    }
    let case = run.study.parts[group.part].cases.iter().find(|case| case.name == group.case);
    let macs: &[String] = case.map_or(&[], |case| &case.macs);
    let listed = |it: &TakenApart| {
        let candidate = &cells[it.cell].cell.candidate;
        let place = macs.iter().position(|mac| *mac == candidate.mac).unwrap_or(macs.len());
        (it.len_bytes, place, candidate.clone())
    };
    let mut all = Vec::new();
    for size in &group.sizes {
        let own = size.ranking.iter().map(|row| row.cell);
        let own = own.filter(|&at| is_framed(&cells[at]));
        all.extend(own.filter_map(|at| one(at, size.floor?, cells, series, levels)));
    }
    all.sort_by_cached_key(listed);
    all
}

fn is_framed(cell: &CellFinding) -> bool {
    ProviderName::of(&cell.cell.candidate.provider).library == FRAMED
}

fn one(
    at: usize,
    floor: usize,
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Option<TakenApart> {
    let frame = frame_of(at, cells)?;
    // As in every table: what is beside each other was measured beside each other.
    let [own, frame, floor] = [at, frame, floor].map(|at| series[at].beside_all());
    let (unit, columns) = paired(&[&own, &frame, &floor]);
    let [whole, frame, floor] = columns.try_into().ok()?;
    let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let compressions = Share::of(less(&whole, &frame), levels)?;
    let cell = &cells[at];
    let calls = cell.work.map(|work| work.calls).filter(|&calls| calls > 0);
    let clock = cell.cycles_estimated.zip(cell.median_ns).map(|(cycles, ns)| cycles / ns);
    Some(TakenApart {
        len_bytes: cell.cell.len_bytes,
        cell: at,
        unit,
        frame: Share::of(less(&frame, &floor), levels)?,
        measurement: Share::of(floor, levels)?,
        compressions,
        compression_each: calls.map(|calls| compressions.over(calls)),
        cycles_per_ns_estimated: clock,
    })
}

/// The place of the cell that is the same without its compression function: on the same code path
/// where there are several.
pub(crate) fn frame_of(at: usize, cells: &[CellFinding]) -> Option<usize> {
    let whole = &cells[at];
    let (own, candidate) = (&whole.cell, &whole.cell.candidate);
    let name = format!("null-{}", candidate.mac);
    let is_frame = |it: &CellFinding| {
        let conditions = (it.cell.regime, it.cell.key_life, it.cell.len_bytes);
        it.part == whole.part
            && it.cell.candidate.mac == name
            && conditions == (own.regime, own.key_life, own.len_bytes)
    };
    let frames: Vec<usize> = (0..cells.len()).filter(|&it| is_frame(&cells[it])).collect();
    let same = |it: &&usize| cells[**it].cell.candidate.kernel == candidate.kernel;
    frames.iter().find(same).or(frames.first()).copied()
}

/// The macs of a group that are taken apart as others compute them, one list a candidate and key
/// life, ascending by length: what stands beside the stacks.
pub(crate) fn beside<'a>(findings: &'a Findings, group: &Group) -> Vec<Vec<&'a CellFinding>> {
    let macs: Vec<&String> = group.taken_apart.iter().map(|it| mac_of(findings, it)).collect();
    let mut lists: Vec<Vec<&CellFinding>> = Vec::new();
    for cell in &findings.cells {
        let candidate = &cell.cell.candidate;
        let other = !is_floor(&candidate.mac) && !is_framed(cell) && cell.median_ns.is_some();
        if !(other && macs.contains(&&candidate.mac) && cell.cell.regime == group.regime) {
            continue;
        }
        let conditions = |it: &CellFinding| (it.part, it.cell.candidate.clone(), it.cell.key_life);
        match lists.iter_mut().find(|list| conditions(list[0]) == conditions(cell)) {
            Some(list) => list.push(cell),
            None => lists.push(vec![cell]),
        }
    }
    lists.iter_mut().for_each(|list| list.sort_by_key(|cell| cell.cell.len_bytes));
    let slow_first = |list: &Vec<&CellFinding>| list[0].cell.key_life != KeyLife::OneShot;
    lists.sort_by_key(slow_first);
    lists
}

fn mac_of<'a>(findings: &'a Findings, it: &TakenApart) -> &'a String {
    &findings.cells[it.cell].cell.candidate.mac
}

impl Group {
    /// Whether what is taken apart can be told in estimated core cycles: all of it, or none.
    pub(crate) fn apart_in_cycles(&self) -> bool {
        self.taken_apart.iter().all(|it| it.cycles_per_ns_estimated.is_some())
    }
}
