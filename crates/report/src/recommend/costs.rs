//! What calls took, candidate by candidate and launch by launch: the launch is the unit, and each
//! has a value for all lengths, so a mix of lengths that share no block is paired all the same.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Candidate, KeyLife, Regime};
use lab::plan::is_floor;
use lab::race;
use lab::record::{Run, Sample as Timing};
use stats::{Sample, median};

/// Nanoseconds of each call of one launch, by the length of the message.
pub(super) type Calls = BTreeMap<(u64, KeyLife), f64>;

/// One value a launch.
pub(super) type Series = BTreeMap<u32, f64>;

/// A candidate, one message at a time or in batches, with what its calls took in each launch.
#[derive(Debug)]
pub(super) struct Timed<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) regime: Regime,
    launches: BTreeMap<u32, Calls>,
}

impl Timed<'_> {
    /// A value made of the calls of each launch; launches that lack one of them have none.
    pub(super) fn series(&self, value: impl Fn(&Calls) -> Option<f64>) -> Series {
        let values =
            self.launches.iter().filter_map(|(&launch, calls)| Some((launch, value(calls)?)));
        values.collect()
    }
}

/// Everybody who was measured on, by the launches that a run is told by: who left after the first
/// look is not among them, and neither is the look then.
pub(super) fn timed(run: &Run) -> Vec<Timed<'_>> {
    let left = race::left(run);
    let told = run.cells.iter().filter(|it| it.excluded.is_none() && !left.contains(&it.id));
    let ids: BTreeSet<u32> = told.map(|it| it.id).collect();
    let mut blocks: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    // Where no launch came after the look there is nothing else, and nothing is decided.
    let samples: Vec<&Timing> = match run.launches() {
        launches if launches > race::LOOK + 1 => race::told(run, &left).collect(),
        _ => run.samples.iter().collect(),
    };
    let samples = samples.into_iter().filter(|it| it.iterations > 0 && it.elapsed_ns > 0.0);
    for sample in samples.filter(|it| ids.contains(&it.cell)) {
        blocks.entry((sample.cell, sample.launch)).or_default().push(sample.call_ns());
    }
    let mut all: BTreeMap<(&Candidate, Regime), BTreeMap<u32, Calls>> = BTreeMap::new();
    for record in run.cells.iter().filter(|it| !is_floor(&it.cell.candidate.mac)) {
        let own = blocks.range((record.id, 0)..=(record.id, u32::MAX));
        for (&(_, launch), values) in own {
            let Ok(values) = Sample::new(values.clone()) else { continue };
            let way = (&record.cell.candidate, record.cell.regime);
            let calls = all.entry(way).or_default().entry(launch).or_default();
            calls.insert((record.cell.len_bytes, record.cell.key_life), median(&values));
        }
    }
    let timed = |((candidate, regime), launches)| Timed { candidate, regime, launches };
    all.into_iter().map(timed).collect()
}
