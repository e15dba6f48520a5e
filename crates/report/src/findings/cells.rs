//! Each cell on its own: median with interval, cycles, throughput, shape, single calls, doubts.

use std::num::NonZeroUsize;

use lab::record::{CellRecord, Run};
use stats::{Bimodality, BoxPlot, Histogram, Sample};

use super::series::{LAUNCHES_MIN, Series, median};
use super::{CellFinding, Interval, Levels, Unit, own_name, single_calls, wide};

/// More bins than this cannot be told apart in a chart as small as ours.
const BINS_MAX: NonZeroUsize = NonZeroUsize::new(24).unwrap();

/// One finding a cell, in the run's order.
pub(super) fn all(
    run: &Run,
    series: &[Series],
    levels: Levels,
    notes: &mut Vec<String>,
) -> Vec<CellFinding> {
    let singles = single_calls::all(run);
    run.cells
        .iter()
        .zip(series)
        .map(|(record, series)| {
            let called = own_name(&run.study.names, &record.cell.candidate.mac);
            let mut finding = CellFinding { called, ..one(record, series, levels) };
            let single = singles.get(&record.id).filter(|_| record.excluded.is_none());
            finding.single = single.copied();
            finding.notes = doubts(record, series).into_iter().map(|it| note(notes, it)).collect();
            finding
        })
        .collect()
}

fn one(record: &CellRecord, series: &Series, levels: Levels) -> CellFinding {
    let unit = series.unit();
    let sample = Sample::new(series.values(unit).values().copied().collect()).ok();
    let blocks = Sample::new(series.blocks.values().copied().collect()).ok();
    let median_ns = sample.as_ref().map(stats::median);
    let interval = sample.as_ref().and_then(|it| stats::median_interval(it, levels.confidence));
    let cycles_estimated = median(series.cycles.values().copied().collect());
    let len = record.cell.mean_len_bytes();
    CellFinding {
        id: record.id,
        path: record.cell.to_string(),
        part: record.part as usize,
        cell: record.cell.clone(),
        called: String::new(),
        caution: None,
        samples: series.blocks.len(),
        launches: series.launches.len(),
        further_launches: series.further.len(),
        unit,
        mean_ns: None,
        median_ns,
        interval_ns: interval.map(|it| Interval {
            low: it.low,
            high: it.high,
            confidence: it.confidence_achieved,
        }),
        cycles_estimated,
        cycles_per_byte_estimated: cycles_estimated.filter(|_| len > 0.0).map(|it| it / len),
        cycles_per_byte_nominal: None,
        bound_cycles_per_byte: None,
        work: None,
        mib_per_s: median_ns.filter(|_| len > 0.0).map(|ns| len / 1_048_576.0 / (ns / 1e9)),
        capacity: None,
        box_plot: blocks.as_ref().map(BoxPlot::of),
        histogram: blocks.as_ref().map(|it| Histogram::of(it, BINS_MAX)),
        single: None,
        why_wide: interval.and_then(|it| wide::why(series, &it)),
        has_left: series.has_left,
        disturbed: None,
        notes: vec![],
    }
}

impl CellFinding {
    /// Whether it has an interval over launches, without which nothing is called the fastest.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.unit == Unit::Launch && self.interval_ns.is_some()
    }

    /// What stands where its interval would.
    #[must_use]
    pub fn without_interval(&self) -> String {
        match self.samples {
            _ if self.has_left => "seen once".into(),
            1 => "measured once".into(),
            _ => format!("{}: too few for an interval", self.repetitions()),
        }
    }

    /// `3 repetitions in 2 launches`.
    #[must_use]
    pub fn repetitions(&self) -> String {
        let repetitions = words::counted(self.samples, "repetition");
        format!("{repetitions} in {}", words::counted(self.launches, "launch"))
    }
}

fn doubts(record: &CellRecord, series: &Series) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(why) = &record.excluded {
        doubts.push(format!("excluded: {why}"));
        return doubts;
    }
    if series.blocks.is_empty() {
        doubts.push("no samples: the run ended before this cell, or its worker failed".into());
        return doubts;
    }
    match series.unit() {
        Unit::Launch => {}
        Unit::Block if series.has_left => doubts.push(
            "measured in the first look only, where it was far behind another offer of its MAC"
                .into(),
        ),
        Unit::Block if series.blocks.len() < LAUNCHES_MIN => {
            doubts.push("too few repetitions for an interval".into());
        }
        Unit::Block => doubts.push(format!(
            "fewer than {LAUNCHES_MIN} launches: the interval is over blocks and does not include \
             how launches differ"
        )),
    }
    let blocks = Sample::new(series.blocks.values().copied().collect());
    if blocks.and_then(|it| Bimodality::of(&it)).is_ok_and(|it| it.hint && two_heaps(&it)) {
        doubts.push("times may be bimodal: see the histogram".into());
    }
    if record.own_count {
        doubts.push("timed with fewer calls than the others, to limit the sample's time".into());
    }
    doubts
}

/// Strong skew alone exceeds the coefficient of the uniform distribution; a heap of two is flat.
fn two_heaps(found: &Bimodality) -> bool {
    found.kurtosis_excess < 0.0
}

/// The place of a note, which is kept once however many cells have it.
pub(super) fn note(notes: &mut Vec<String>, text: String) -> usize {
    notes.iter().position(|known| *known == text).unwrap_or_else(|| {
        notes.push(text);
        notes.len() - 1
    })
}
