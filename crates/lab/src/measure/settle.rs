//! Before the first launch: open and prove every cell, choose for panels that want the fastest,
//! count iterations, keep the cells.

use std::collections::{BTreeMap, BTreeSet};

use super::costs::Costs;
use super::ledger::Task;
use super::reserve::Reserve;
use super::workers::{Refusal, Unproved, Workers};
use super::{MeasureError, SAMPLE_NS, SAMPLE_NS_MAX, SAMPLE_NS_MIN, Sitting, key_bytes};
use crate::cell::{Cell, Regime};
use crate::plan::{Planned, is_floor, shown_by};
use crate::record::{CellRecord, EventKind, Run};
use crate::schedule;
use crate::worker::client::Timing;

/// Where more candidates than this meet at one length, those that take so many times as long as the
/// fastest have a count of their own, and take no longer a sample than it: launches are worth more.
const CROWD: usize = 64;
const CROWD_TIMES: f64 = 1.5;

/// Candidates of one mac up to so many times apart make as many calls in a sample.
const ALIKE_TIMES: f64 = 1.5;

/// A first call that takes too long for a sample is made so many times again, unless it takes
/// longer than an interruption does.
const FIRST_CALLS: u32 = 3;
const INTERRUPTED_NS_MAX: f64 = 50e6;

/// Cells by the reason for which they are not measured.
type Refusals = BTreeMap<Refusal, Vec<String>>;

/// Cells named where many are refused for one reason.
const REFUSALS_NAMED_MAX: usize = 3;

impl Sitting<'_> {
    /// Opens and proves everything, chooses for the panels that want the fastest, counts
    /// iterations, and keeps the cells. `None` where the user stops before that is done: nothing is
    /// kept then, or a resumed run would go on with a part of its cells.
    pub(super) fn settle(&mut self, cells: Vec<Planned>) -> Result<Option<Workers>, MeasureError> {
        self.show("starting the workers");
        let begins_s = self.spent_s();
        self.ledger.turn_to(Task::Starting);
        let mut workers = Workers::launch(self.bench.launches, self.bench.cpu, &self.pool);
        self.started_s = self.spent_s() - begins_s;
        self.reserve.begins_s = begins_s;
        let asked = cells.len();
        self.ledger.turn_to(Task::Choosing);
        let cells = self.choose(&mut workers, cells)?;
        let macs = cells.iter().map(|planned| planned.cell.candidate.mac.as_str());
        let in_use =
            macs.filter(|mac| !is_floor(mac)).min_by_key(|mac| self.run.study.place_in_use(mac));
        let first = in_use.map(Into::into);
        self.reserve = Reserve { begins_s, first, ..Reserve::default() };
        // The pilot's cells have other numbers.
        self.costs = Costs::default();
        self.ledger.turn_to(Task::Proving);
        self.show("verifying that all tags agree");
        let mut records = self.open_and_prove(&mut workers, cells)?;
        self.refuse_wrong_tags(&mut workers)?;
        self.plant_faults(&mut workers, &mut records)?;
        self.ledger.turn_to(Task::Settling);
        self.show("counting iterations");
        self.reserve.is_counting = true;
        let timed = self.time_calls(&mut workers, &records)?;
        let mut times_ns = timed.iter();
        records.retain(|_| times_ns.next().is_some_and(Option::is_some));
        let mut times_ns: Vec<f64> = timed.into_iter().flatten().collect();
        self.count_alike(&records, &mut times_ns);
        count_iterations(&mut records, &times_ns);
        self.count_as_asked(&mut records);
        if !self.bench.observer.stop() {
            self.settle_loads(&mut workers, &mut records)?;
        }
        if self.bench.observer.stop() {
            return Ok(None);
        }
        if records.iter().all(|record| is_floor(&record.cell.candidate.mac)) {
            self.hear(&mut workers)?;
            let reason = if self.late() {
                "the budget was spent before any tag was verified: use a larger one, fewer MACs or \
                 shorter messages"
            } else {
                "every candidate failed; see the lines above"
            };
            return Err(MeasureError::Nothing(reason.into()));
        }
        self.tell_unreached(asked)?;
        self.run.cells = records;
        let Run { id, cells, chosen, .. } = &*self.run;
        self.bench.archive.settle(id, cells, chosen)?;
        self.hear(&mut workers)?;
        let cells = &self.run.cells;
        workers.keep_only(|name| cells.iter().any(|it| it.cell.candidate.provider == name));
        Ok(Some(workers))
    }

    /// Candidates of one mac, key life and length that take about as long make as many calls in a
    /// sample, by the quickest of them. Reading the clock is a part of each sample, and its step is
    /// another: with a few calls more or less, identical candidates differ by a ten-thousandth, in
    /// every launch. All versions of a gate make as many calls, however long they take.
    fn count_alike(&self, records: &[CellRecord], times_ns: &mut [f64]) {
        let alike_times = self.run.study.gate.as_ref().map_or(ALIKE_TIMES, |_| f64::INFINITY);
        let mut groups = BTreeMap::<_, Vec<usize>>::new();
        for (at, record) in records.iter().enumerate() {
            let Cell { candidate, regime, key_life, len_bytes, .. } = &record.cell;
            let key = (record.part, &candidate.mac, *regime, *key_life, *len_bytes);
            groups.entry(key).or_default().push(at);
        }
        for group in groups.values_mut() {
            group.sort_by(|&a, &b| times_ns[a].total_cmp(&times_ns[b]));
            let mut least_ns = times_ns[group[0]];
            for &at in &*group {
                if times_ns[at] > alike_times * least_ns {
                    least_ns = times_ns[at];
                }
                times_ns[at] = least_ns;
            }
        }
    }

    /// Opens cells and proves them; those that fail are told and left out.
    pub(super) fn open_and_prove(
        &mut self,
        workers: &mut Workers,
        cells: Vec<Planned>,
    ) -> Result<Vec<CellRecord>, MeasureError> {
        let mut opened = Vec::new();
        let mut refusals = Refusals::new();
        let begins_s = self.spent_s();
        for (number, cells) in self.by_turns(cells).into_iter().enumerate() {
            if number > 0 && self.late() {
                cells.iter().for_each(|(_, planned)| self.reserve.unreached(&planned.cell));
                continue;
            }
            opened.extend(self.open_some(workers, cells, &mut refusals));
            self.reserve.proved = opened.len();
            self.reserve.proving_s = self.spent_s() - begins_s;
        }
        opened.sort_by_key(|record| record.id);
        if self.bench.observer.stop() {
            return Ok(opened);
        }
        for (refusal, cells) in &refusals {
            self.tell(EventKind::Excluded, told_once(refusal, cells))?;
        }
        Ok(opened)
    }

    /// The cells with their numbers; those of the macs that the study names, which are in wide use,
    /// come first and mac by mac, in case there is no time for all.
    fn by_turns(&self, cells: Vec<Planned>) -> Vec<Vec<(u32, Planned)>> {
        let numbered = (0..).zip(cells);
        if self.run.study.named.is_empty() {
            return vec![numbered.collect()];
        }
        let mut turns: BTreeMap<(usize, String), Vec<(u32, Planned)>> = BTreeMap::new();
        for (id, planned) in numbered {
            let mac = &planned.cell.candidate.mac;
            let turn = (self.run.study.place_in_use(mac), mac.clone());
            turns.entry(turn).or_default().push((id, planned));
        }
        turns.into_values().collect()
    }

    /// Opens and proves some of the cells.
    fn open_some(
        &mut self,
        workers: &mut Workers,
        cells: Vec<(u32, Planned)>,
        refusals: &mut Refusals,
    ) -> Vec<CellRecord> {
        let keys = self.keys(0);
        let mut opened = Vec::new();
        let mut units = BTreeMap::new();
        for (id, Planned { part, cell }) in cells {
            // The first cell of a unit is opened for all of them.
            let unit = (part, cell.measured_as());
            if let Some(&is_open) = units.get(&unit) {
                if is_open {
                    opened.push(CellRecord::new(id, part, cell));
                }
                continue;
            }
            let own = &self.run.study.parts[part as usize];
            let outcome = workers.open(id, own, &cell, key_bytes(&keys, cell.key_len_bytes));
            units.insert(unit, outcome.is_ok());
            match outcome {
                Ok(()) => opened.push(CellRecord::new(id, part, cell)),
                // A provider that failed whole is told once, not for each of its cells.
                Err(_) if workers.has_dropped(&cell.candidate.provider) => {}
                Err(refusal) => refusals.entry(refusal).or_default().push(cell.to_string()),
            }
        }
        let rank = self.rank();
        let records = schedule::leaders(&opened);
        let wrong =
            workers.prove(&records, proof_messages, &rank, |cell| self.has_no_time_for(cell));
        for (id, why) in &wrong {
            let Some(record) = opened.iter().find(|record| record.id == *id) else { continue };
            match why {
                Unproved::NotReached => self.reserve.unreached(&record.cell),
                Unproved::Refused(refusal) | Unproved::Differs(refusal) => {
                    refusals.entry(refusal.clone()).or_default().push(record.cell.to_string());
                }
            }
        }
        let wrong: BTreeSet<(u32, Cell)> = opened
            .iter()
            .filter(|record| wrong.iter().any(|(id, _)| *id == record.id))
            .map(|record| (record.part, record.cell.measured_as()))
            .collect();
        opened.retain(|record| !wrong.contains(&(record.part, record.cell.measured_as())));
        opened
    }

    /// What was left out since there was no time for it.
    fn tell_unreached(&mut self, asked: usize) -> Result<(), MeasureError> {
        let unreached = std::mem::take(&mut self.reserve.unreached);
        let cells: usize = unreached.values().sum();
        if cells == 0 {
            return Ok(());
        }
        let mut macs: Vec<&String> = unreached.keys().collect();
        macs.sort_by_key(|mac| self.run.study.place_in_use(mac));
        let names = macs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let text = format!("{cells} of {asked} cells are left out for lack of time, of {names}");
        self.tell(EventKind::Budget, text)
    }

    /// Samples of so many calls as the panels want that show a cell.
    fn count_as_asked(&self, records: &mut [CellRecord]) {
        let Run { study, chosen, .. } = &*self.run;
        for record in records.iter_mut().filter(|it| it.cell.regime == Regime::USUAL) {
            let panels = shown_by(study, chosen, record.part, &record.cell);
            let asked: Option<Vec<_>> = panels.map(|panel| panel.sample_calls).collect();
            if let Some(calls) = asked.into_iter().flatten().max() {
                record.iterations = u64::from(calls.get());
                record.own_count = false;
            }
        }
    }

    pub(super) fn rank(&self) -> Vec<String> {
        self.bench.launches.iter().map(|launch| launch.name.clone()).collect()
    }

    /// Nanoseconds a call of each cell, the least of three samples of at least 20 µs. Those that
    /// fail are told; those that are not reached before the budget is spent are left out.
    pub(super) fn time_calls(
        &mut self,
        workers: &mut Workers,
        records: &[CellRecord],
    ) -> Result<Vec<Option<f64>>, MeasureError> {
        let mut refusals = Refusals::new();
        let mut units = BTreeMap::new();
        let mut turns: Vec<usize> = (0..records.len()).collect();
        turns.sort_by_key(|&at| self.run.study.place_in_use(&records[at].cell.candidate.mac));
        let mut times = vec![None; records.len()];
        for at in turns {
            let record = &records[at];
            let is_rare = self.run.study.is_rare(&record.cell.candidate.mac);
            if is_rare && self.reserve.is_counting {
                self.look_at_counted(records, &times);
            }
            let unit = (record.part, record.cell.measured_as());
            times[at] = *units.entry(unit).or_insert_with(|| {
                if self.has_no_time_for(&record.cell) {
                    self.reserve.unreached(&record.cell);
                    return None;
                }
                let cell = &record.cell;
                if !cell.regime.is_counted() {
                    return Some(0.0);
                }
                if let Some(ns) = workers.proof_ns.get(&record.id) {
                    self.costs.saw_proof(record, ns * 1e-9);
                }
                if self.costs.is_long(record) {
                    return self.costs.transaction_s(record).map(|it| it * 1e9);
                }
                let timed = call_ns(workers, record);
                if let Ok(ns) = timed {
                    self.costs.saw_transaction(record, ns * 1e-9);
                }
                let is_told = workers.has_dropped(&cell.candidate.provider);
                if let Err(refusal) = &timed
                    && !is_told
                {
                    refusals.entry(refusal.clone()).or_default().push(cell.to_string());
                }
                timed.ok()
            });
        }
        for (refusal, cells) in &refusals {
            self.tell(EventKind::Excluded, told_once(refusal, cells))?;
        }
        if self.reserve.is_counting {
            self.look_at_counted(records, &times);
        }
        Ok(times)
    }
}

/// Nanoseconds a call of one cell.
fn call_ns(workers: &mut Workers, record: &CellRecord) -> Result<f64, Refusal> {
    let mut calls_ns = |count: u64| -> Result<f64, Refusal> {
        let Timing { elapsed_ns, .. } = workers.run(record, count)?;
        Ok((elapsed_ns / count as f64).max(0.05))
    };
    let mut first_ns = calls_ns(1)?;
    // A short call that was interrupted is not a long one: it would be counted alone.
    for _ in 0..FIRST_CALLS {
        if (SAMPLE_NS_MAX..INTERRUPTED_NS_MAX).contains(&first_ns) {
            first_ns = first_ns.min(calls_ns(1)?);
        }
    }
    if first_ns > SAMPLE_NS_MAX {
        return Ok(first_ns);
    }
    let rough_ns = calls_ns(((SAMPLE_NS_MIN / 10.0 / first_ns) as u64).max(1))?;
    let count = ((SAMPLE_NS_MIN / rough_ns.min(first_ns)).ceil() as u64).max(1);
    let mut least_ns = first_ns;
    for _ in 0..3 {
        least_ns = least_ns.min(calls_ns(count)?);
    }
    Ok(least_ns)
}

/// Cells that are refused for one reason are told in one line; it names the first of them.
fn told_once(refusal: &Refusal, cells: &[String]) -> String {
    let named = cells.iter().take(REFUSALS_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
    match cells.len().saturating_sub(REFUSALS_NAMED_MAX) {
        0 => format!("{named}: {refusal}"),
        more => format!("{named} and {more} more: {refusal}"),
    }
}

/// Messages to prove at one length: all of them where that is quick.
fn proof_messages(len_bytes: u64) -> usize {
    match len_bytes {
        0..=1024 => 16,
        1025..=16384 => 4,
        _ => 2,
    }
}

/// The same count for every candidate of a part and size, such that the fastest takes 100 µs;
/// bounded for those that are far slower, raised for floors, and flagged where it differs.
fn count_iterations(records: &mut [CellRecord], times_ns: &[f64]) {
    let group = |record: &CellRecord| (record.part, record.cell.len_bytes);
    let is_counted = |record: &CellRecord| record.cell.regime.is_counted();
    let mut fastest_ns = BTreeMap::new();
    let mut rivals: BTreeMap<(u32, u64), usize> = BTreeMap::new();
    for (record, &ns) in records.iter().zip(times_ns) {
        if !is_floor(&record.cell.candidate.mac) && is_counted(record) {
            let least = fastest_ns.entry(group(record)).or_insert(f64::INFINITY);
            *least = least.min(ns);
            *rivals.entry(group(record)).or_default() += 1;
        }
    }
    for (record, &ns) in records.iter_mut().zip(times_ns) {
        if !is_counted(record) {
            continue;
        }
        let fastest_ns = fastest_ns.get(&group(record)).copied().unwrap_or(ns);
        // Transactions take long, and are counted alike for all: a slow one says by itself how slow
        // it is.
        let is_transaction = record.cell.regime.is_of_schemes();
        let wanted_ns = if is_transaction { SAMPLE_NS_MIN } else { SAMPLE_NS };
        let common = (wanted_ns / fastest_ns).ceil().max(1.0);
        let is_crowd = rivals.get(&group(record)).is_some_and(|&rivals| rivals > CROWD);
        let is_crowd = is_crowd && ns > CROWD_TIMES * fastest_ns;
        let most_ns = if is_crowd { SAMPLE_NS } else { SAMPLE_NS_MAX };
        let bounded = common.min((most_ns / ns).floor().max(1.0));
        let count = if is_transaction { common } else { bounded.max((SAMPLE_NS_MIN / ns).ceil()) };
        // Whole batches.
        let step = record.cell.regime.batch().unwrap_or(1) as u64;
        record.iterations = (count as u64).next_multiple_of(step);
        record.own_count = record.iterations != (common as u64).next_multiple_of(step);
    }
}
