//! A run's samples by cell, in block order, with each launch's median: what pairs and intervals
//! are made of. The launch is the unit of replication, since code and data lie differently in
//! memory from one process to the next and blocks of one process share that.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{KeyLife, Regime};
use lab::race;
use lab::record::{CellRecord, LaunchKind, Run, Sample};
use stats::{Confidence, Differences, Ratio, RatioInterval};

use super::Unit;

/// With fewer launches no interval of 95 % exists (2 · 2⁻⁵ > 5 %); blocks must do.
pub(crate) const LAUNCHES_MIN: usize = lab::study::LAUNCHES_MIN as usize;

/// One cell's samples.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Series {
    /// Time of a call by block.
    pub(crate) blocks: BTreeMap<u32, f64>,
    /// Median time of a call by launch.
    pub(crate) launches: BTreeMap<u32, f64>,
    /// Estimated core cycles of a call by block, for samples with a core clock.
    pub(crate) cycles: BTreeMap<u32, f64>,
    /// The launch of each block.
    launch_of: BTreeMap<u32, u32>,
    /// Seen in the first look only, after which it left the race.
    pub(crate) has_left: bool,
    /// Launches for open claims in which not all that it is compared with were measured: tables do
    /// without them.
    pub(crate) further: BTreeSet<u32>,
    /// Launches for open claims, in which less ran beside it than in the others.
    apart: BTreeSet<u32>,
}

impl Series {
    /// `core_hz` tells the core clock of a sample's block, for samples that have none of their own.
    fn of(samples: &[&Sample], core_hz: impl Fn(&Sample) -> Option<f64>) -> Self {
        let mut by_launch: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        let mut series = Series::default();
        let sound = |sample: &&&Sample| sample.iterations > 0 && sample.call_ns() > 0.0;
        for sample in samples.iter().filter(sound) {
            series.blocks.insert(sample.block, sample.call_ns());
            by_launch.entry(sample.launch).or_default().push(sample.call_ns());
            series.launch_of.insert(sample.block, sample.launch);
            let hz = sample.core_hz.or_else(|| core_hz(sample));
            series.cycles.extend(hz.map(|hz| (sample.block, sample.call_ns() * hz / 1e9)));
        }
        let medians = by_launch.into_iter().filter_map(|(at, all)| Some((at, median(all)?)));
        series.launches = medians.collect();
        series
    }

    /// What can be paired and counted: launches where there are enough, else blocks.
    pub(crate) fn values(&self, unit: Unit) -> &BTreeMap<u32, f64> {
        match unit {
            Unit::Launch => &self.launches,
            Unit::Block => &self.blocks,
        }
    }

    /// What of it was measured beside all that it is compared with.
    pub(crate) fn beside_all(&self) -> Cow<'_, Self> {
        if self.further.is_empty() {
            return Cow::Borrowed(self);
        }
        let is_in =
            |block: &u32| !self.launch_of.get(block).is_some_and(|it| self.further.contains(it));
        let kept = |values: &BTreeMap<u32, f64>| {
            values.iter().filter(|(block, _)| is_in(block)).map(|(&at, &it)| (at, it)).collect()
        };
        let launches = self.launches.iter().filter(|(at, _)| !self.further.contains(at));
        Cow::Owned(Series {
            blocks: kept(&self.blocks),
            launches: launches.map(|(&at, &it)| (at, it)).collect(),
            cycles: kept(&self.cycles),
            ..self.clone()
        })
    }

    /// Whether launches for open claims are among its own.
    pub(crate) fn has_launches_apart(&self) -> bool {
        !self.apart.is_empty()
    }

    /// The unit that this series allows.
    pub(crate) fn unit(&self) -> Unit {
        if self.launches.len() >= LAUNCHES_MIN { Unit::Launch } else { Unit::Block }
    }
}

/// The series of every cell, in the run's order of cells. An excluded cell has none: its tag was
/// wrong, so its times are those of something else.
pub(crate) fn all(run: &Run) -> Vec<Series> {
    let left = race::left(run);
    let places: BTreeMap<u32, usize> =
        run.cells.iter().enumerate().map(|(place, record)| (record.id, place)).collect();
    let mut samples: Vec<Vec<&Sample>> = vec![Vec::new(); run.cells.len()];
    for sample in race::told(run, &left) {
        let place = places.get(&sample.cell).filter(|&&at| run.cells[at].excluded.is_none());
        if let Some(&place) = place {
            samples[place].push(sample);
        }
    }
    let clocks = block_clocks(run, &places);
    let of = |(own, record): (&Vec<&Sample>, &CellRecord)| {
        let group = (record.part, record.cell.len_bytes);
        let series = Series::of(own, |sample| clocks.get(&(group, sample.block)).copied());
        Series { has_left: left.contains(&record.id), ..series }
    };
    let mut all: Vec<Series> = samples.iter().zip(&run.cells).map(of).collect();
    // Without claims nothing is measured on; a race keeps its first look apart by itself.
    if !run.study.claims.is_empty() {
        mark_further(run, &mut all);
    }
    all
}

/// The same, each cell in the launches that all it is compared with share: some are measured on
/// while a claim about them is open, and a table in which one row is the median of 300 launches
/// and the next of 12 compares the machine's hours, not its rows.
pub(crate) fn told(all: &[Series]) -> Cow<'_, [Series]> {
    match all.iter().all(|own| own.further.is_empty()) {
        true => Cow::Borrowed(all),
        false => all.iter().map(|own| own.beside_all().into_owned()).collect(),
    }
}

/// Marks the launches of each cell that were for open claims, and those of them that not all it is
/// compared with share. One that is missing in a launch of everything failed in it, or ended
/// before: the others keep that launch. Of older runs it is not known what a launch was for; there
/// those are taken to be for open claims that not all share.
fn mark_further(run: &Run, all: &mut [Series]) {
    let kinds = run.launch_kinds();
    let is_open = |launch: &u32| kinds.get(launch).is_none_or(|it| *it == LaunchKind::Open);
    let mut peers: BTreeMap<(u32, KeyLife, Regime, u64), Vec<usize>> = BTreeMap::new();
    for (place, CellRecord { part, cell, .. }) in run.cells.iter().enumerate() {
        let met = (*part, cell.key_life, cell.regime, cell.len_bytes);
        peers.entry(met).or_default().push(place);
    }
    for places in peers.values() {
        let (whole, _) = whole(places, all);
        let launches = |at: &usize| {
            let own = all[*at].launches.keys().copied();
            own.filter(|launch| is_open(launch)).collect::<BTreeSet<u32>>()
        };
        let own: Vec<BTreeSet<u32>> = whole.iter().map(launches).collect();
        let shared = own.iter().cloned().reduce(|a, b| &a & &b).unwrap_or_default();
        for (at, own) in whole.into_iter().zip(own) {
            let further = &own - &shared;
            let known = own.iter().filter(|it| kinds.contains_key(it));
            all[at].apart = known.copied().chain(further.iter().copied()).collect();
            if all[at].launches.len() - further.len() >= LAUNCHES_MIN {
                all[at].further = further;
            }
        }
    }
}

/// The intervals of a pair beside all that it is compared with, and by itself in later launches,
/// where both kinds have one of 99 % and these exclude each other, which those of one distribution
/// do less than once in a thousand pairs: what runs beside the pair, or when, changes what it
/// takes, and no number of launches of one kind tells of the other.
pub(crate) fn by_company(
    logs: &BTreeMap<u32, f64>,
    [first, second]: [&Series; 2],
) -> Option<[RatioInterval; 2]> {
    let apart = &first.apart | &second.apart;
    if apart.is_empty() {
        return None;
    }
    let confidence = Confidence::new(0.99).ok()?;
    let of = |wanted: bool| {
        let own = logs.iter().filter(|(at, _)| apart.contains(at) == wanted);
        let own: Vec<f64> = own.map(|(_, log)| *log).collect();
        let enough = own.len() >= LAUNCHES_MIN;
        let own = Differences::from_values(own).ok().filter(|_| enough)?;
        Ratio::of(&own, confidence).interval
    };
    let both = [of(false)?, of(true)?];
    let [beside, alone] = &both;
    let excludes = beside.log_high < alone.log_low || alone.log_high < beside.log_low;
    excludes.then_some(both)
}

/// Which of the cells at `places` can be compared, and which cannot. One whose worker failed early
/// must not leave all others with its few blocks. One with launches enough is no such cell, though
/// others were measured on for an open claim.
pub(crate) fn whole(places: &[usize], series: &[Series]) -> (Vec<usize>, Vec<usize>) {
    let stayed = places.iter().map(|&at| &series[at]).filter(|own| !own.has_left);
    let most = stayed.map(|own| own.blocks.len()).max().unwrap_or(0);
    let is_whole = |own: &Series| {
        let has_most = most > 0 && own.blocks.len() * 2 >= most;
        !own.has_left && (own.launches.len() >= LAUNCHES_MIN || has_most)
    };
    places.iter().partition(|&&at| is_whole(&series[at]))
}

/// A part and a message length, and a block of them.
type Block = ((u32, u64), u32);

/// The core clock of each block: the median of its samples' estimates. Workers in other languages
/// cannot estimate it, but they run on the same core in the same moment.
fn block_clocks(run: &Run, places: &BTreeMap<u32, usize>) -> BTreeMap<Block, f64> {
    let mut clocks: BTreeMap<Block, Vec<f64>> = BTreeMap::new();
    for sample in &run.samples {
        if let (Some(hz), Some(&place)) = (sample.core_hz, places.get(&sample.cell)) {
            let CellRecord { part, cell, .. } = &run.cells[place];
            clocks.entry(((*part, cell.len_bytes), sample.block)).or_default().push(hz);
        }
    }
    clocks.into_iter().filter_map(|(block, all)| Some((block, median(all)?))).collect()
}

/// Logarithms of the ratios of two series, by launch or block.
pub(crate) fn log_ratios(first: &Series, second: &Series) -> (Unit, BTreeMap<u32, f64>) {
    let (unit, _) = paired(&[first, second]);
    let over = second.values(unit);
    let log = |(at, time): (&u32, &f64)| Some((*at, time.ln() - over.get(at)?.ln()));
    (unit, first.values(unit).iter().filter_map(log).collect())
}

/// The unit and the values of a pair at the places that both have. Where it takes otherwise beside
/// all that it is compared with than by itself, those of the first kind: a table is of these.
pub(crate) fn pair(both: [&Series; 2]) -> (Unit, Vec<Vec<f64>>) {
    let (unit, mut logs) = log_ratios(both[0], both[1]);
    if unit == Unit::Launch && by_company(&logs, both).is_some() {
        logs.retain(|at, _| both.iter().all(|own| !own.apart.contains(at)));
    }
    let column = |own: &Series| logs.keys().map(|at| own.values(unit)[at]).collect();
    (unit, both.map(column).to_vec())
}

/// The unit and the values of several series at the places that all of them have.
pub(crate) fn paired(series: &[&Series]) -> (Unit, Vec<Vec<f64>>) {
    let shared = |unit: Unit| -> Vec<u32> {
        let Some((first, others)) = series.split_first() else { return vec![] };
        let in_all = |at: &&u32| others.iter().all(|other| other.values(unit).contains_key(at));
        first.values(unit).keys().filter(in_all).copied().collect()
    };
    let launches = shared(Unit::Launch);
    let (unit, places) = if launches.len() >= LAUNCHES_MIN {
        (Unit::Launch, launches)
    } else {
        (Unit::Block, shared(Unit::Block))
    };
    let column = |own: &&Series| places.iter().map(|at| own.values(unit)[at]).collect();
    (unit, series.iter().map(column).collect())
}

/// Median of values that may be none.
pub(crate) fn median(values: Vec<f64>) -> Option<f64> {
    stats::Sample::new(values).ok().map(|sample| stats::median(&sample))
}

#[cfg(test)]
mod unit {
    use super::*;
    use synthetic::Noise;

    /// The logarithms of a pair in twelve launches of everything and in thirty of its own, 1 %
    /// apart from one launch to the next, with those of its own so much higher.
    fn logs(noise: &mut Noise, shift: f64) -> BTreeMap<u32, f64> {
        let value = |at: u32| 0.01 * noise.normal() + if at < 12 { 0.0 } else { shift };
        (0..42).zip((0..42).map(value)).collect()
    }

    #[test]
    fn kinds_of_launches_are_told_apart_where_they_differ_and_hardly_ever_else() {
        let (own, mut noise) = (Series::default(), Noise(7));
        let first = Series { apart: (12..42).collect(), ..Series::default() };
        let mut apart = |shift: f64| {
            let all = (0..2000).map(|_| logs(&mut noise, shift));
            all.filter(|logs| by_company(logs, [&first, &own]).is_some()).count()
        };
        assert!(apart(0.0) <= 4, "of 2000 pairs whose launches are of one kind");
        assert!(apart(0.03) >= 1900, "of 2000 pairs that take 3 % more by themselves");
    }
}
