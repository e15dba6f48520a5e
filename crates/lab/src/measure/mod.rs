//! Measures a run: launches of the workers, blocks of samples, each block durable before the next.
//!
//! The order of things, each for a reason told in `docs/method.md`: open and prove every cell;
//! pilot (choose, count iterations); then launch after launch, each with fresh workers, fresh keys
//! and an untimed pass, blocks in Williams-balanced order; proof again; at the end single calls.

mod capacity;
mod cold;
mod costs;
mod faults;
mod gate;
mod launch;
mod ledger;
mod load;
mod look;
mod pilot;
mod processor;
mod reserve;
mod sessions;
mod settle;
mod single;
mod turns;
mod workers;
mod workflow;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use thiserror::Error;

use costs::Costs;
use ledger::{Ledger, Task};
use load::Processors;
pub use look::Look;
use processor::Watch;
use reserve::Reserve;
pub(crate) use reserve::{REPORT_CELL_S, REPORT_S};
pub(crate) use sessions::usual_window_s;
pub use sessions::{PartNeedsMore, needs};
use turns::Turn;
use workers::Workers;

use crate::archive::{Archive, ArchiveError};
use crate::machine;
use crate::plan::Planned;
use crate::race;
use crate::record::{CellRecord, Event, EventKind, Run, RunState, unix_s};
pub use crate::schedule::Open;
use crate::schedule::{self, Group, Place};
use crate::worker::client::Launch;
use crate::worker::{keys_len_bytes, pool_len_bytes};

/// What a sample should last: short enough that most are undisturbed, far above the clock's step.
const SAMPLE_NS: f64 = 100e3;

/// A candidate much slower than the fastest of its size gets fewer iterations, to stay below this.
const SAMPLE_NS_MAX: f64 = 300e3;

/// The floor gets more iterations, to stay above this.
const SAMPLE_NS_MIN: f64 = 20e3;

/// Share of the budget kept for the pass of single calls, and most calls of a cell in it.
pub(crate) const SINGLE_SHARE: f64 = 0.08;
const PASS_CALLS_MAX: f64 = 2000.0;

/// Share of the time left that the blocks of a first look may take.
const LOOK_SHARE: f64 = 0.3;

/// How a cell's calls are counted on in the schedule beyond their own time: request and reply.
const ROUND_TRIP_S: f64 = 60e-6;

/// What ends a run before its time.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// Samples can no longer be kept.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A gate's candidates compute different tags: the run has an event for each cell.
    #[error("tags differ")]
    WrongTags,
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
    /// Seconds that the user allows for measuring.
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
    /// Called with what is known so far, now and then.
    fn look(&mut self, look: &Look<'_>);
    /// Whether the user wants to stop.
    fn stop(&self) -> bool;
}

/// Tells which comparisons of a run do not decide their claims yet.
pub type WhatIsOpen<'a> = &'a dyn Fn(&Run) -> Vec<Open>;

/// What a run is measured with.
pub struct Bench<'a> {
    /// Where samples are kept.
    pub archive: &'a mut Archive,
    /// Workers to start in every launch, the most trusted first.
    pub launches: &'a [Launch],
    /// The processor they are pinned to.
    pub cpu: Option<u32>,
    /// Who is shown how it goes on, and may stop it.
    pub observer: &'a mut dyn Observer,
    /// Which comparisons do not decide their claims yet; absent: there are no claims.
    pub open: Option<WhatIsOpen<'a>>,
    /// When the sitting began: looking for libraries is part of it.
    pub began: Instant,
    /// Reports what there is so far; absent: nothing is reported when the run ends.
    pub report: Option<&'a dyn Fn(&Run)>,
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
        return Err(MeasureError::Nothing("nothing to measure".into()));
    };
    let mut pool = vec![0; pool_len_bytes(longest)];
    StdRng::seed_from_u64(run.seed).fill_bytes(&mut pool);
    // Older archives do not tell the processors.
    let processors = match &run.machine.processors[..] {
        [] => Processors::new(&machine::processors()),
        known => Processors::new(known),
    };
    bench.archive.claim(&run.id, false)?;
    let began = bench.began;
    let spent_before_s = run.spent_s;
    let mut sitting = Sitting {
        bench,
        run,
        began,
        spent_before_s,
        pool,
        processors,
        keys_len: keys_len_bytes(longest_key),
        dropped: BTreeSet::new(),
        repeated_s: Cell::new(0.0),
        overhead_s: None,
        started_s: 0.0,
        cold_s: 0.0,
        costs: Costs::default(),
        ledger: Ledger::since(began),
        reserve: Reserve::default(),
        looked_at: None,
        look_due_s: 0.0,
        going_on: BTreeMap::new(),
        left: None,
    };
    let outcome = sitting.whole(cells);
    let outcome = outcome.and_then(|state| sitting.tell_spent().map(|()| state));
    let state = *outcome.as_ref().unwrap_or(&RunState::Interrupted);
    sitting.run.state = state;
    sitting.run.spent_s = sitting.spent_s();
    let kept = sitting.bench.archive.set_state(&sitting.run.id, state, sitting.run.spent_s);
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
    processors: Processors,
    /// Bytes of keys that serve every cell.
    keys_len: usize,
    /// Providers that failed: they are not started again.
    dropped: BTreeSet<String>,
    /// Seconds of windows that were measured again, since others disturbed them.
    repeated_s: Cell<f64>,
    /// What a launch took beside its blocks, when the last one did.
    overhead_s: Option<f64>,
    /// What starting the workers took before the first launch, until it is in that.
    started_s: f64,
    /// What the cold starts of the last launch took.
    cold_s: f64,
    /// What samples take.
    costs: Costs,
    /// What the time of this sitting goes to.
    ledger: Ledger,
    /// What is kept for the end, and for what has still to be done with each cell.
    reserve: Reserve,
    /// When the next look is told; 0 before the first.
    look_due_s: f64,
    /// Launches when it was last asked what is open, and what is measured on since then, for how
    /// many launches.
    looked_at: Option<u32>,
    going_on: BTreeMap<Place, u32>,
    /// Cells that left after the first look; absent until that is decided.
    left: Option<BTreeSet<u32>>,
}

impl Sitting<'_> {
    fn whole(&mut self, cells: Vec<Planned>) -> Result<RunState, MeasureError> {
        let mut workers = None;
        if self.run.cells.is_empty() {
            workers = self.settle(cells)?;
            if workers.is_none() {
                return Ok(RunState::Interrupted);
            }
        }
        let mut groups = schedule::groups(&self.run.study, &self.run.cells, &self.run.samples);
        if workers.is_none() {
            self.costs = Costs::seen_in(self.run, &groups);
        }
        self.estimate(&mut groups);
        let first = self.run.launches();
        // A run that goes on goes on with what is open, where it has claims.
        let goes_on = self.bench.open.is_some() && !self.run.study.exact;
        let least = if goes_on { 0 } else { first + 1 };
        let launches = self.run.study.launches.max(least);
        let mut launch = first;
        let mut next = self.turn(&mut groups, launch, launches)?;
        while let Some(turn) = next {
            let begins_s = self.spent_s();
            self.ledger.turn_to(Task::Starting);
            let fresh = workers.is_none();
            let mut own = match workers.take() {
                Some(settled) => settled,
                None => self.assemble(launch, &groups, &turn)?,
            };
            self.ledger.turn_to(Task::WarmingUp);
            // On the processor of the workers, which never idles then: one that was just woken is
            // disturbed by the hypervisor twice as often, and takes longer to be woken.
            let cpu = self.bench.cpu;
            machine::pinned(cpu, || self.settling_pass(&mut own, &mut groups));
            // The workers of the first launch were started, and their cells opened, before.
            if fresh || self.overhead_s.is_none() {
                self.overhead_s = Some(self.spent_s() - begins_s + self.started_s);
                self.started_s = 0.0;
            }
            // What things cost is known better now.
            let turn = if turn.is_whole() {
                self.whole_begun(&groups, launch, launches).unwrap_or(turn)
            } else {
                turn
            };
            if turn.is_whole() {
                self.ledger.turn_to(Task::ColdStarts);
                self.cold_starts(&mut own, launch)?;
            }
            let share_s = if self.is_first_look(launch, &turn) {
                self.left_s() * LOOK_SHARE
            } else {
                self.share_s(&turn, &groups, launch)
            };
            let watch = self.is_on_one_processor(&groups, &turn.takes_part);
            let watch = watch.then(|| Watch::begin(cpu, &own)).flatten();
            machine::pinned(cpu, || self.launch(&mut own, &mut groups, launch, &turn, share_s))?;
            let time = watch.and_then(|watch| watch.end(&own, launch));
            self.keep_processor_time(time)?;
            self.try_report();
            self.look_at_launches();
            launch += 1;
            next = self.turn(&mut groups, launch, launches)?;
            self.end(&mut own, launch - 1, next.as_ref())?;
        }
        let stopped = self.bench.observer.stop();
        if !stopped {
            self.tell_why_it_ends(&groups)?;
        }
        Ok(if stopped { RunState::Interrupted } else { RunState::Complete })
    }

    /// What a block of each group is expected to take. What windows of sessions take was settled;
    /// what else takes is seen in the first launch.
    fn estimate(&mut self, groups: &mut [Group]) {
        for record in &self.run.cells {
            if let Some(window_s) = self.window_s(record) {
                self.costs.saw_sample(record, window_s);
            }
        }
        for group in groups {
            group.cost_s = self.costs.block_s(group, &self.run.cells);
        }
    }

    /// Whether this launch is the look after which candidates may leave: others come after it.
    fn is_first_look(&self, launch: u32, turn: &Turn) -> bool {
        self.run.study.race.is_some() && launch == race::LOOK && turn.launches > 1
    }

    fn spent_s(&self) -> f64 {
        self.spent_before_s + self.began.elapsed().as_secs_f64()
    }

    /// Tells who was dropped since the last time.
    fn hear(&mut self, workers: &mut Workers) -> Result<(), MeasureError> {
        for (provider, reason) in std::mem::take(&mut workers.dropped) {
            self.dropped.insert(provider.clone());
            self.tell_event(Event::dropped(unix_s(), &provider, &reason))?;
        }
        Ok(())
    }

    fn tell(&mut self, kind: EventKind, text: String) -> Result<(), MeasureError> {
        self.tell_event(Event { unix_s: unix_s(), kind, text })
    }

    fn tell_event(&mut self, event: Event) -> Result<(), MeasureError> {
        self.keep_event(event.clone())?;
        self.bench.observer.tell(&event);
        Ok(())
    }

    /// Without a word to who watches, who was told already.
    fn keep_event(&mut self, event: Event) -> Result<(), MeasureError> {
        self.bench.archive.tell(&self.run.id, &event)?;
        self.run.events.push(event);
        Ok(())
    }

    /// Tells what this sitting's time went to, where it measured anything.
    fn tell_spent(&mut self) -> Result<(), MeasureError> {
        if self.run.samples.is_empty() {
            return Ok(());
        }
        let parts = self.run.study.parts.iter().map(|part| part.name.clone());
        let text = self.ledger.sentence(&parts.collect::<Vec<_>>());
        self.tell(EventKind::Time, text)
    }

    fn show(&mut self, doing: &str) {
        let samples = self.run.samples.len() as u64;
        let (spent_s, budget_s) = (self.spent_s(), self.run.budget_s);
        let progress = Progress { doing: doing.into(), spent_s, budget_s, samples };
        self.bench.observer.show(&progress);
    }

    fn show_block(&mut self, group: &Group, launch: u32, turn: &Turn) {
        let Some(record) = group.cells.first().map(|&place| &self.run.cells[place]) else { return };
        let part = &self.run.study.parts[record.part as usize].name;
        let cells: usize = group.measured().map(Vec::len).sum();
        let (len, block) = (record.cell.len_bytes, group.blocks + 1);
        let launch = turn.words(launch, self.run.study.launches);
        let doing = format!("{launch}, {part}, {len} B: {cells} cells, block {block}");
        self.show(&doing);
    }
}

fn planned(record: &CellRecord) -> Planned {
    Planned { part: record.part, cell: record.cell.clone() }
}

fn key_bytes(keys: &[u8], key_len_bytes: u32) -> &[u8] {
    &keys[..keys_len_bytes(key_len_bytes)]
}
