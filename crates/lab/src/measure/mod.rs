//! Measures a run: launches of the workers, blocks of samples, each block durable before the next.
//!
//! The order of things, each for a reason told in `docs/method.md`: open and prove every cell;
//! pilot (choose, count iterations); then launch after launch, each with fresh workers, fresh keys
//! and an untimed pass, blocks in Williams-balanced order; proof again; at the end single calls.

mod capacity;
mod cold;
mod faults;
mod launch;
mod pilot;
mod sessions;
mod settle;
mod single;
mod workflow;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use thiserror::Error;

use sessions::Places;
pub use sessions::needs;

use crate::archive::{Archive, ArchiveError};
use crate::crew::Crew;
use crate::machine;
use crate::plan::Planned;
use crate::record::{CellRecord, Event, Run, RunState};
use crate::schedule::{self, Group};
use crate::worker::client::Launch;
use crate::worker::{keys_len_bytes, pool_len_bytes};

/// What a sample should last: short enough that most are undisturbed, far above the clock's step.
const SAMPLE_NS: f64 = 100e3;

/// A candidate much slower than the fastest of its size gets fewer iterations, to stay below this.
const SAMPLE_NS_MAX: f64 = 300e3;

/// The floor gets more iterations, to stay above this.
const SAMPLE_NS_MIN: f64 = 20e3;

/// Share of the budget kept for the pass of single calls, and most calls of a cell in it.
const SINGLE_SHARE: f64 = 0.08;
const SINGLE_CALLS_MAX: f64 = 2000.0;

/// Even a tiny budget allows this much for proving and counting.
const LATE_S_MIN: f64 = 5.0;

/// The fewest launches over which an interval can be given at all.
const LAUNCHES_MIN: u32 = 6;

/// How a cell's calls are counted on in the schedule beyond their own time: request and reply.
const ROUND_TRIP_S: f64 = 60e-6;

/// What ends a run before its time.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// Samples can no longer be kept.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Nothing is left to measure.
    #[error("{0}")]
    Nothing(String),
}

/// How far a run is; shown between blocks only.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub doing: String,
    /// Seconds spent, over all sittings of the run.
    pub spent_s: f64,
    /// Seconds allowed.
    pub budget_s: f64,
    /// Samples that are durable.
    pub samples: u64,
}

/// Who watches a run and may end it.
pub trait Observer {
    /// Called between blocks.
    fn show(&mut self, progress: &Progress);
    /// Called when something happened.
    fn tell(&mut self, event: &Event);
    /// Whether the user wants to stop.
    fn stop(&self) -> bool;
}

/// What a run is measured with.
pub struct Bench<'a> {
    /// Where samples are kept.
    pub archive: &'a mut Archive,
    /// Workers to start in every launch, the most trusted first.
    pub launches: &'a [Launch],
    /// The processor they are pinned to.
    pub cpu: Option<u32>,
    /// Who watches.
    pub observer: &'a mut dyn Observer,
}

/// Measures `run` until its plan is fulfilled, its budget spent or the user stops it. A run whose
/// cells are not settled begins with `cells`; one that has samples goes on with the next launch.
/// Returns how it ended.
///
/// # Errors
/// When samples cannot be kept, or every cell failed.
pub fn measure<'a>(
    bench: Bench<'a>,
    run: &'a mut Run,
    cells: Vec<Planned>,
) -> Result<RunState, MeasureError> {
    let all = || run.cells.iter().map(|record| &record.cell).chain(cells.iter().map(|p| &p.cell));
    let longest = all().map(|cell| cell.len_bytes).max();
    let longest = longest.max(sessions::longest_of_mixes(&run.study));
    let longest_key = all().map(|cell| cell.key_len_bytes).max();
    let (Some(longest), Some(longest_key)) = (longest, longest_key) else {
        return Err(MeasureError::Nothing("there is no cell to measure".into()));
    };
    let mut pool = vec![0; pool_len_bytes(longest)];
    StdRng::seed_from_u64(run.seed).fill_bytes(&mut pool);
    // Older archives do not tell the processors.
    let places = match &run.machine.processors[..] {
        [] => Places::new(&machine::processors()),
        processors => Places::new(processors),
    };
    bench.archive.claim(&run.id, false)?;
    let began = Instant::now();
    let spent_before_s = run.spent_s;
    let mut sitting = Sitting {
        bench,
        run,
        began,
        spent_before_s,
        pool,
        places,
        keys_len: keys_len_bytes(longest_key),
        dropped: BTreeSet::new(),
        repeated_s: Cell::new(0.0),
        overhead_s: None,
        cold_s: 0.0,
    };
    let outcome = sitting.whole(cells);
    let state = *outcome.as_ref().unwrap_or(&RunState::Interrupted);
    sitting.run.state = state;
    sitting.run.spent_s = sitting.spent_s();
    let kept = sitting.bench.archive.set_state(&sitting.run.id, state);
    // What ended the run says more than that its end could not be kept.
    outcome.and_then(|state| Ok(kept.map(|()| state)?))
}

struct Sitting<'a> {
    bench: Bench<'a>,
    run: &'a mut Run,
    began: Instant,
    spent_before_s: f64,
    pool: Vec<u8>,
    /// Processors that sessions are given.
    places: Places,
    /// Bytes of keys that serve every cell.
    keys_len: usize,
    /// Providers that failed: they are not started again.
    dropped: BTreeSet<String>,
    /// Seconds of windows that were measured again, since others disturbed them.
    repeated_s: Cell<f64>,
    /// What a launch took beside its blocks, when the last one did.
    overhead_s: Option<f64>,
    /// What the cold starts of the last launch took.
    cold_s: f64,
}

impl Sitting<'_> {
    fn whole(&mut self, cells: Vec<Planned>) -> Result<RunState, MeasureError> {
        let mut crew = None;
        if self.run.cells.is_empty() {
            crew = self.settle(cells)?;
            if crew.is_none() {
                return Ok(RunState::Interrupted);
            }
        }
        let mut groups = schedule::groups(&self.run.study, &self.run.cells, &self.run.samples);
        let first = self.run.samples.iter().map(|sample| sample.launch + 1).max().unwrap_or(0);
        let launches = self.run.study.launches.max(first + 1);
        let mut launch = first;
        let mut over = self.over(&groups, launch, launches);
        while !over {
            let begins_s = self.spent_s();
            let settled = crew.take();
            let fresh = settled.is_none();
            let mut crew = settled.map_or_else(|| self.assemble(launch), Ok)?;
            self.settling_pass(&mut crew, &mut groups);
            self.overhead_s = fresh.then(|| self.spent_s() - begins_s).or(self.overhead_s);
            let launches = launches.min(launch + self.launches_left(&groups, launch));
            self.cold_starts(&mut crew, launch)?;
            let share_s = self.share_s(launch, launches);
            self.launch(&mut crew, &mut groups, launch, launches, share_s)?;
            launch += 1;
            over = self.over(&groups, launch, launches);
            self.prove_again(&mut crew, over)?;
            if over && !self.bench.observer.stop() {
                self.single_calls(&mut crew)?;
            }
            self.hear(&mut crew)?;
        }
        let stopped = self.bench.observer.stop();
        Ok(if stopped { RunState::Interrupted } else { RunState::Complete })
    }

    fn spent_s(&self) -> f64 {
        self.spent_before_s + self.began.elapsed().as_secs_f64()
    }

    fn left_s(&self) -> f64 {
        self.run.budget_s * (1.0 - SINGLE_SHARE) - self.spent_s()
    }

    /// After a whole launch: is all done, or is there nothing left to do it with?
    fn over(&self, groups: &[Group], launch: u32, launches: u32) -> bool {
        let wanted = || {
            let mut left = groups.iter().filter(|group| self.has_candidates(group));
            let open = left.clone().any(|group| group.target.is_none());
            let more = left.any(|group| group.wants_more(self.run.study.half_width));
            let cold = launch < launches && self.has_cold_starts();
            let too_few = open && launch < launches.min(LAUNCHES_MIN);
            more && (launch < launches || !open) || too_few || cold
        };
        self.bench.observer.stop()
            || (launch > 0 && self.left_s() < self.launches_s(groups, 1))
            || !wanted()
    }

    /// Launches that the time left allows, this one included, if each measures every group once
    /// that is owed blocks: a small budget gets fewer launches rather than launches with holes.
    /// Where it allows too few for intervals over launches, blocks are worth more than starts: then
    /// this is the last one.
    fn launches_left(&self, groups: &[Group], launch: u32) -> u32 {
        let wanted = self.run.study.launches;
        let fits = |count: &u32| self.launches_s(groups, *count) <= self.left_s();
        let left = (1..=wanted.saturating_sub(launch)).rev().find(fits).unwrap_or(1);
        let too_few = launch + left < LAUNCHES_MIN && wanted >= LAUNCHES_MIN;
        if too_few { 1 } else { left }
    }

    /// Seconds of so many launches.
    fn launches_s(&self, groups: &[Group], count: u32) -> f64 {
        // Until it was seen: starting and opening, and an untimed turn of a quarter of the calls.
        let costs_s = groups.iter().map(|group| group.cost_s);
        let turned_s: f64 = costs_s.filter(|&cost_s| cost_s <= launch::SETTLED_S).sum();
        let overhead_s = self.overhead_s.unwrap_or(0.25 + 0.5 * turned_s);
        let blocks = |group: &Group| {
            let owed = group.target.map(|target| target.saturating_sub(group.blocks));
            owed.map_or(count, |owed| owed.min(count))
        };
        let costs_s = groups.iter().map(|group| f64::from(blocks(group)) * group.cost_s);
        f64::from(count) * (overhead_s + self.cold_s) + 1.1 * costs_s.sum::<f64>()
    }

    /// Whether proving and counting must come to an end: the budget is spent, or the user stops.
    fn late(&self) -> bool {
        self.spent_s() > self.run.budget_s.max(LATE_S_MIN) || self.bench.observer.stop()
    }

    /// The seconds that the blocks of this launch may take, so that there is time to start the
    /// workers of those that follow.
    fn share_s(&self, launch: u32, launches: u32) -> f64 {
        let left = f64::from(launches.saturating_sub(launch).max(1));
        let to_start_s = (left - 1.0) * (self.overhead_s.unwrap_or(0.0) + self.cold_s);
        ((self.left_s() - to_start_s) / left).max(0.0)
    }

    /// Tells who was dropped since the last time.
    fn hear(&mut self, crew: &mut Crew) -> Result<(), MeasureError> {
        for (provider, reason) in std::mem::take(&mut crew.dropped) {
            self.dropped.insert(provider.clone());
            self.tell("excluded", format!("{provider} is dropped from the run: {reason}"))?;
        }
        Ok(())
    }

    fn tell(&mut self, kind: &str, text: String) -> Result<(), MeasureError> {
        let event = Event { unix_s: unix_s(), kind: kind.into(), text };
        self.bench.archive.tell(&self.run.id, &event)?;
        self.bench.observer.tell(&event);
        self.run.events.push(event);
        Ok(())
    }

    fn show(&mut self, doing: &str) {
        let samples = self.run.samples.len() as u64;
        let (spent_s, budget_s) = (self.spent_s(), self.run.budget_s);
        let progress = Progress { doing: doing.into(), spent_s, budget_s, samples };
        self.bench.observer.show(&progress);
    }

    fn show_block(&mut self, group: &Group, launch: u32, launches: u32) {
        let Some(record) = group.cells.first().map(|&place| &self.run.cells[place]) else { return };
        let part = &self.run.study.parts[record.part as usize].name;
        let (len, cells, block) = (record.cell.len_bytes, group.cells.len(), group.blocks + 1);
        let launch = launch + 1;
        let doing =
            format!("launch {launch}/{launches}, {part}, {len} B: block {block} of {cells} cells");
        self.show(&doing);
    }
}

/// Seconds since the Unix epoch.
fn unix_s() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

fn planned(record: &CellRecord) -> Planned {
    Planned { part: record.part, cell: record.cell.clone() }
}

fn key_bytes(keys: &[u8], key_len_bytes: u32) -> &[u8] {
    &keys[..keys_len_bytes(key_len_bytes)]
}
