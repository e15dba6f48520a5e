//! One launch: fresh workers, fresh keys, an untimed pass, blocks until its share of the budget is
//! spent, proof again.

use std::time::Instant;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::costs::calls;
use super::ledger::Task;
use super::turns::{SETTLED_S, Turn};
use super::workers::{Refusal, Unproved, Workers};
use super::{MeasureError, ROUND_TRIP_S, Sitting, key_bytes, sessions};
use crate::archive::no_time;
use crate::plan::is_own_floor;
use crate::race;
use crate::record::{
    CellRecord, EventKind, Exclusion, LaunchKind, LaunchRecord, Run, Sample, SessionsRecord, unix_s,
};
use crate::regimes::Way;
use crate::schedule::{self, Group};
use crate::worker::client::{Actions, Launch, Timing};

impl Sitting<'_> {
    /// Fresh workers under this launch's keys, with the cells open that it measures: a worker that
    /// has none is not started. While single calls are still to be made, all cells are opened, also
    /// those that blocks do not measure any more.
    pub(super) fn assemble(
        &mut self,
        launch: u32,
        groups: &[Group],
        turn: &Turn,
    ) -> Result<Workers, MeasureError> {
        let mut cells: Vec<CellRecord> = if turn.is_whole() {
            self.cells_of(groups, &vec![true; groups.len()])
        } else if self.owes_single_calls() {
            // Groups may be narrowed by now: in a run that goes on, claims that are open did so.
            let units = groups.iter().flat_map(|group| &group.units);
            units.map(|unit| self.run.cells[unit[0]].clone()).collect()
        } else {
            self.cells_of(groups, &turn.takes_part)
        };
        if turn.is_whole() {
            // Tags of first calls are held against those of a warm worker.
            let is_cold = |record: &&CellRecord| !record.cell.regime.is_in_blocks();
            cells.extend(self.run.cells.iter().filter(is_cold).cloned());
        }
        cells.retain(|record| record.excluded.is_none());
        let is_kept = |launch: &&Launch| {
            let mut of = cells.iter().map(|record| &record.cell.candidate.provider);
            of.any(|name| *name == launch.name) && !self.dropped.contains(&launch.name)
        };
        let launches: Vec<Launch> = self.bench.launches.iter().filter(is_kept).cloned().collect();
        let mut workers = Workers::launch(&launches, self.bench.cpu, &self.pool);
        let keys = self.keys(launch);
        for record in &cells {
            let keys = key_bytes(&keys, record.cell.key_len_bytes);
            // A cell that cannot be opened fails again in its first block, where it is told.
            let part = &self.run.study.parts[record.part as usize];
            let _ = workers.open(record.id, part, &record.cell, keys);
        }
        self.hear(&mut workers)?;
        Ok(workers)
    }

    /// Keys of a launch: the first bytes serve for every key length.
    pub(super) fn keys(&self, launch: u32) -> Vec<u8> {
        let mut keys = vec![0; self.keys_len];
        let seed = self.run.seed ^ (u64::from(launch) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        StdRng::seed_from_u64(seed).fill_bytes(&mut keys);
        keys
    }

    /// One untimed turn of every cell, so that no process meets its code or pages for the first
    /// time inside a sample; it also brings the core to its working clock, and tells what a block
    /// of each group costs.
    pub(super) fn settling_pass(&mut self, workers: &mut Workers, groups: &mut [Group]) {
        self.show("warming up");
        self.steady(workers);
        for group in groups {
            if group.cost_s > SETTLED_S {
                continue;
            }
            let is_open = |unit: &Vec<usize>| workers.has_open(self.run.cells[unit[0]].id);
            // What this launch does not measure costs what it did.
            if !group.measured().any(is_open) {
                continue;
            }
            for unit in group.measured() {
                let record = &self.run.cells[unit[0]];
                if record.excluded.is_some() || self.bench.observer.stop() {
                    continue;
                }
                // Sessions warm up before their window.
                if let Some(window_s) = self.window_s(record) {
                    self.costs.saw_sample(record, window_s);
                    continue;
                }
                if self.costs.is_long(record) {
                    continue;
                }
                let count = (record.iterations / 4).max(1);
                let began = Instant::now();
                if let Ok(timing) = workers.run(record, count) {
                    // A transaction is also compared, and its files removed.
                    let took_s = match record.cell.regime.is_of_schemes() {
                        true => began.elapsed().as_secs_f64(),
                        false => timing.elapsed_ns * 1e-9,
                    };
                    let sample_s = took_s / count as f64 * calls(record) + ROUND_TRIP_S;
                    self.costs.saw_sample(record, sample_s);
                }
            }
            group.cost_s = self.costs.block_s(group, &self.run.cells);
        }
    }

    /// Runs the floor until the core clock stands still: three windows of 10 ms within 0.5 %, at
    /// least 50 ms, at most 0.5 s. What a gate compares lies in the same blocks, whatever the clock
    /// does, and its launches are to be short.
    fn steady(&mut self, workers: &mut Workers) {
        let is_null =
            |it: &&CellRecord| is_own_floor(&it.cell.candidate) && workers.has_open(it.id);
        let null = self.run.cells.iter().find(is_null);
        let Some(null) = null else { return };
        let mut last_ns: Vec<f64> = Vec::new();
        let began = Instant::now();
        // Its sample takes 20 µs, so this is a window of 10 ms.
        let count = null.iterations * 500;
        let most_s = if self.run.study.gate.is_some() { 0.1 } else { 0.5 };
        while began.elapsed().as_secs_f64() < most_s {
            let Ok(timing) = workers.run(null, count) else { return };
            last_ns.push(timing.elapsed_ns);
            let recent = &last_ns[last_ns.len().saturating_sub(3)..];
            let least = recent.iter().copied().fold(f64::INFINITY, f64::min);
            let most = recent.iter().copied().fold(0.0, f64::max);
            let steady = recent.len() == 3 && most <= least * 1.005;
            if steady && began.elapsed().as_secs_f64() >= 0.05 {
                return;
            }
        }
    }

    pub(super) fn launch(
        &mut self,
        workers: &mut Workers,
        groups: &mut [Group],
        launch: u32,
        turn: &Turn,
        share_s: f64,
    ) -> Result<(), MeasureError> {
        let record = LaunchRecord { launch, kind: turn.kind };
        self.bench.archive.keep_launch(&self.run.id, record)?;
        self.run.launch_records.push(record);
        let ends_s = self.spent_s() + share_s;
        let mut owed = owed(groups, launch, turn);
        if self.is_first_look(launch, turn) {
            owed.iter_mut().for_each(|owed| *owed = owed.or(Some(race::LOOK_BLOCKS)));
        }
        let mut taken = vec![0; groups.len()];
        let mut random = StdRng::seed_from_u64(self.run.seed.rotate_left(32) ^ u64::from(launch));
        let narrow = self.run.study.half_width;
        loop {
            for (owed, group) in owed.iter_mut().zip(groups.iter()) {
                // Nobody is left to measure: blocks of nothing would fill the budget.
                if !self.has_candidates(group) {
                    *owed = Some(0);
                }
            }
            // The first block may take whatever it takes, since one is the least that can be told
            // about, and the first round of what claims need twice the budget.
            let whole_s = match launch {
                0 if self.run.samples.is_empty() => f64::INFINITY,
                0 if self.bench.open.is_some() => 2.0 * self.run.budget_s - self.spent_s(),
                _ => self.left_s(),
            };
            let left_s = ends_s - self.spent_s();
            let next = schedule::next(groups, &owed, &taken, narrow, whole_s, left_s);
            let Some(place) = next.filter(|_| !self.bench.observer.stop()) else { break };
            self.show_block(&groups[place], launch, turn);
            self.ledger.turn_to(Task::Blocks(groups[place].part));
            let blocks = groups[place].blocks;
            self.block(workers, &mut groups[place], launch, &mut random)?;
            // A block that was given up is made again, without the cell or the provider that it
            // failed by, or the user has stopped: so this ends.
            taken[place] += groups[place].blocks - blocks;
        }
        let logs = schedule::launch_logs(&self.run.samples);
        for (group, taken) in groups.iter_mut().zip(taken) {
            group.launches += u32::from(taken > 0);
            group.update_width(&self.run.cells, &logs);
        }
        Ok(())
    }

    /// One pass over a group's cells; kept whole or not at all.
    fn block(
        &mut self,
        workers: &mut Workers,
        group: &mut Group,
        launch: u32,
        random: &mut StdRng,
    ) -> Result<(), MeasureError> {
        let order = group.williams.next(random);
        let fresh = group.fresh_keys.then(|| {
            let mut keys = vec![0; self.keys_len];
            random.fill_bytes(&mut keys);
            keys
        });
        let mut samples: Vec<Sample> = Vec::with_capacity(group.cells.len());
        let mut windows = Vec::new();
        let began = Instant::now();
        for (position, &place) in order.iter().enumerate() {
            let unit = group.unit(place);
            let record = &self.run.cells[unit[0]];
            if record.excluded.is_some() || self.is_dropped(record) {
                continue;
            }
            if self.bench.observer.stop() {
                return Ok(());
            }
            let (unix_s, since) = (Some(unix_s()), Instant::now());
            match self.sample(workers, record, fresh.as_deref()) {
                Ok(None) => return Ok(()),
                Ok(Some(timings)) => {
                    self.costs.saw_sample(record, since.elapsed().as_secs_f64());
                    let known = samples.len();
                    samples.extend(unit.iter().map(|&place| {
                        let record = &self.run.cells[place];
                        let (timing, iterations) = timings.of(record);
                        Sample {
                            cell: record.id,
                            launch,
                            block: group.blocks,
                            position: position as u32,
                            iterations,
                            elapsed_ns: timing.elapsed_ns,
                            ticks: timing.ticks,
                            core_hz: timing.core_hz,
                            unix_s,
                        }
                    }));
                    // The archive would refuse the whole run for it.
                    if let Some(wrong) = samples[known..].iter().find_map(no_time) {
                        return self.exclude(workers, unit[0], Exclusion::Failed(wrong));
                    }
                    if let Timings::Window(window) = timings {
                        windows.push(SessionsRecord { launch, block: group.blocks, ..*window });
                    }
                }
                // The block is not complete without it: it is dropped, and so is its cause.
                Err(refusal) => return self.exclude(workers, unit[0], Exclusion::Failed(refusal)),
            }
        }
        group.cost_s = began.elapsed().as_secs_f64();
        let task = self.ledger.turn_to(Task::Keeping);
        self.bench.archive.append(&self.run.id, &samples, &windows, self.spent_s())?;
        self.ledger.turn_to(task);
        self.run.samples.extend(samples);
        self.run.sessions.extend(windows);
        group.blocks += 1;
        Ok(())
    }

    /// Whether there is still anything to measure in a group.
    pub(super) fn has_candidates(&self, group: &Group) -> bool {
        let mut cells = group.measured().flatten().map(|&place| &self.run.cells[place]);
        cells.any(|record| record.excluded.is_none() && !self.is_dropped(record))
    }

    pub(super) fn is_dropped(&self, record: &CellRecord) -> bool {
        self.dropped.contains(&record.cell.candidate.provider)
    }

    /// A provider that failed whole is dropped with all its cells; a cell that was refused, alone.
    pub(super) fn exclude(
        &mut self,
        workers: &mut Workers,
        place: usize,
        reason: Exclusion,
    ) -> Result<(), MeasureError> {
        self.hear(workers)?;
        let first = self.run.cells[place].clone();
        if self.is_dropped(&first) {
            return Ok(());
        }
        let unit = (first.part, first.cell.measured_as());
        let Run { id, cells, .. } = &mut *self.run;
        let mut changed = Vec::new();
        for record in cells.iter_mut().filter(|it| (it.part, it.cell.measured_as()) == unit) {
            record.excluded = Some(reason.clone());
            changed.push(record.clone());
        }
        self.bench.archive.change_cells(id, &changed)?;
        self.tell(EventKind::Excluded, format!("{}: {reason}", first.cell))
    }

    /// Tags are checked again after timing: a message of each cell, the dear ones only at the end.
    /// Transactions were all compared when they were made.
    pub(super) fn prove_again(
        &mut self,
        workers: &mut Workers,
        launch: u32,
        last: bool,
    ) -> Result<(), MeasureError> {
        let due = |record: &&CellRecord| {
            let is_compared = record.cell.regime.is_of_schemes();
            let cheap = record.cell.len_bytes <= 4096;
            let is_there = workers.has_open(record.id) && !self.is_dropped(record);
            record.excluded.is_none() && is_there && !is_compared && (last || cheap)
        };
        let leaders = schedule::leaders(&self.run.cells).into_iter();
        let records: Vec<CellRecord> = leaders.filter(due).cloned().collect();
        let keys = self.keys(launch);
        let mut wrong = Vec::new();
        let mut proved = Vec::with_capacity(records.len());
        for record in &records {
            let own = key_bytes(&keys, record.cell.key_len_bytes);
            // Blocks give the cells of such a part keys of their own: of each group others, and
            // after a block that was given up, of each cell. Tags are compared under common ones.
            let is_rekeyed = self.run.study.parts[record.part as usize].fresh_keys;
            let provider = &record.cell.candidate.provider;
            let rekeyed = match is_rekeyed {
                true => workers.ask(provider, |worker| worker.rekey(record.id, own)),
                false => Ok(()),
            };
            match rekeyed {
                Ok(()) => proved.push(record),
                Err(refusal) => wrong.push((record.id, Unproved::Refused(refusal))),
            }
        }
        wrong.extend(workers.prove(&proved, |_| 1, &self.rank(), |_| false));
        for (id, why) in wrong {
            let place = self.run.cells.iter().position(|record| record.id == id);
            let Some(place) = place else { continue };
            let told = |refusal| format!("after timing, {}: {refusal}", self.run.cells[place].cell);
            let reason = match why {
                Unproved::NotReached => continue,
                Unproved::Refused(refusal) => Exclusion::Failed(told(refusal)),
                Unproved::Differs(refusal) => Exclusion::WrongTags(told(refusal)),
            };
            self.exclude(workers, place, reason)?;
        }
        Ok(())
    }
}

/// Blocks that groups are owed in a launch, where a number is set; those that do not take part are
/// owed none. For claims that are open there is no number, and what lacks launches is owed a block.
fn owed(groups: &[Group], launch: u32, turn: &Turn) -> Vec<Option<u32>> {
    let of = |(group, takes_part): (&Group, &bool)| match turn.kind {
        _ if !takes_part => Some(0),
        LaunchKind::Whole => group.owed(launch, turn.launches),
        LaunchKind::Lacking => Some(1),
        LaunchKind::Open => None,
    };
    groups.iter().zip(&turn.takes_part).map(of).collect()
}

/// What one sample says: of one cell, of all actions of a transaction, or of all quantities of a
/// window of sessions.
enum Timings {
    One(Timing),
    Actions(Actions),
    Window(Box<SessionsRecord>),
}

impl Timings {
    /// The time of one cell of the unit, and of how many calls.
    fn of(&self, record: &CellRecord) -> (Timing, u64) {
        let regime = record.cell.regime;
        match self {
            Self::One(timing) => (*timing, record.iterations),
            Self::Window(window) => sessions::timing(window, regime),
            Self::Actions(actions) => (actions.of(regime), record.iterations),
        }
    }
}

impl Sitting<'_> {
    /// One sample; `None` where the user stopped it.
    fn sample(
        &self,
        workers: &mut Workers,
        record: &CellRecord,
        keys: Option<&[u8]>,
    ) -> Result<Option<Timings>, Refusal> {
        if let Some(keys) = keys {
            let keys = key_bytes(keys, record.cell.key_len_bytes);
            let provider = &record.cell.candidate.provider;
            workers.ask(provider, |worker| worker.rekey(record.id, keys))?;
        }
        let (timings, is_seen) = match record.cell.regime.way() {
            Way::Windows => {
                let Some(window) = self.window(workers, record)? else { return Ok(None) };
                (Timings::Window(Box::new(window)), true)
            }
            Way::Transactions => {
                let actions = workers.transact(record, record.iterations)?;
                let is_seen = actions.actions.values().all(|time| time.elapsed_ns > 0.0);
                (Timings::Actions(actions), is_seen)
            }
            // First calls come in no block.
            Way::Calls | Way::FirstCalls => {
                let timing = workers.run(record, record.iterations)?;
                (Timings::One(timing), timing.elapsed_ns > 0.0)
            }
        };
        if is_seen {
            return Ok(Some(timings));
        }
        Err(format!("{} calls took less time than the clock can resolve", record.iterations))
    }
}
