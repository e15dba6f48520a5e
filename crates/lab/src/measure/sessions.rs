//! Windows of sessions: what is put on for a cell, what samples are made of it, and what all of a
//! plan need before anything starts.

use std::time::Instant;

use thiserror::Error;

use super::load::{Frame, Processors, is_of};
use super::workers::{Refusal, Workers};
use super::workflow::Refused;
use super::{MeasureError, Sitting, workflow};
use crate::cell::Regime;
use crate::plan::Planned;
use crate::record::sessions::{Load, Measured};
use crate::record::{CellRecord, EventKind, Processor, SessionsRecord};
use crate::regimes::sessions::{Quantity, Serving, Sessions};
use crate::sessions::needs::{Needs, NotEnough};
use crate::study::{Part, Study};
use crate::worker::client::Timing;

/// A part of a plan that this machine has too little for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("part {part:?}: {regime}: {lacking}")]
pub struct PartNeedsMore {
    /// The part's name.
    pub part: String,
    /// The regime of sessions or keys that needs more.
    pub regime: Regime,
    /// What is not enough.
    pub lacking: NotEnough,
}

/// What the sessions and the many keys of a plan need at most, of one worker; `None` where it has
/// neither. `processors` are those of the run.
///
/// # Errors
/// The part and the regime where this machine does not have as much, and the
/// study leaves no room for fewer.
pub fn needs(
    study: &Study,
    cells: &[Planned],
    processors: &[Processor],
) -> Result<Option<Needs>, PartNeedsMore> {
    let own = Processors::new(processors);
    let mut most: Option<Needs> = None;
    let mut known = std::collections::BTreeSet::new();
    for Planned { part, cell } in cells {
        if !known.insert((*part, cell.regime, cell.len_bytes)) {
            continue;
        }
        let part = &study.parts[*part as usize];
        let (needs, is_fixed) = match cell.regime {
            Regime::Sessions(sessions) => {
                let frame = match sessions.quantity {
                    Quantity::Capacity => {
                        let count = own.sessions_max(part, sessions, cell.len_bytes);
                        Frame { count, from_ms: 0.0, to_ms: 1.0 }
                    }
                    _ => workflow::usual(part, sessions, &own, 0.0),
                };
                let load = own.load(part, sessions, cell.len_bytes, frame);
                (own.needs(&load), sessions.count.is_some())
            }
            regime => match regime.keys_in_turn() {
                Some(count) => (Needs::of_keys(count.get()), true),
                None => continue,
            },
        };
        if is_fixed {
            let (part, regime) = (part.name.clone(), cell.regime);
            needs.check().map_err(|lacking| PartNeedsMore { part, regime, lacking })?;
        }
        let so_far = most.unwrap_or(needs);
        most = Some(Needs {
            threads: so_far.threads.max(needs.threads),
            memory_bytes: so_far.memory_bytes.max(needs.memory_bytes),
        });
    }
    Ok(most)
}

/// Seconds that a sample of sessions takes before their window is settled.
pub(crate) fn usual_window_s(part: &Part, regime: Regime, processors: &[Processor]) -> Option<f64> {
    let frame = workflow::usual(part, regime.sessions()?, &Processors::new(processors), 0.0);
    let windows = if regime.gives_times() { 1.0 } else { super::capacity::TRIALS_USUAL };
    Some(windows * frame.to_ms * 1e-3)
}

/// The sample of one quantity of a window: what it divides by how many messages.
pub(super) fn timing(record: &SessionsRecord, regime: Regime) -> (Timing, u64) {
    let SessionsRecord { load, measured, .. } = record;
    let core_hz = measured.core_hz;
    let of = |elapsed_ns, iterations| (Timing { elapsed_ns, ticks: None, core_hz }, iterations);
    match regime.sessions().map(|it| it.quantity) {
        Some(Quantity::Absolute) => of(measured.cpu_ns, measured.messages),
        Some(Quantity::Capacity) => {
            let a_second = f64::from(load.count) * load.rate_per_s.unwrap_or(1.0);
            of(1e9, a_second.round().max(1.0) as u64)
        }
        _ => of(measured.whole_window_ns(), measured.messages),
    }
}

/// A window that others disturbed is measured again: so often at most, and all of them within this
/// share of the budget.
const REPEATS_MAX: u32 = 2;
const REPEATS_SHARE: f64 = 0.15;

/// The window in which the sessions received most of the processors, and how many others there
/// were: it is measured `again` while they received too little, or more than there is, which says
/// when that must end.
fn least_disturbed(
    first: Measured,
    load: &Load,
    mut again: impl FnMut() -> Option<Result<Measured, Refusal>>,
) -> Result<(Measured, u32), Refusal> {
    let is_off = |it: &Measured| it.shortfall(load).is_some() || it.excess().is_some();
    // One whose accounts are wrong is the worst.
    let worth = |it: &Measured| it.share().filter(|_| it.excess().is_none());
    let (mut best, mut others) = (first, 0);
    while others < REPEATS_MAX && is_off(&best) {
        let Some(next) = again().transpose()? else { break };
        others += 1;
        if worth(&next) > worth(&best) {
            best = next;
        }
    }
    Ok((best, others))
}

impl Sitting<'_> {
    /// One window of the sessions of a cell, or the search of a capacity; `None` where the user
    /// stops it.
    pub(super) fn window(
        &self,
        workers: &mut Workers,
        record: &CellRecord,
    ) -> Result<Option<SessionsRecord>, Refusal> {
        let part = &self.run.study.parts[record.part as usize];
        let sessions = record.cell.regime.sessions().ok_or("no sessions")?;
        let len_bytes = record.cell.len_bytes;
        let frame = self.frame(record, sessions);
        let load = self.processors.load(part, sessions, len_bytes, frame);
        if sessions.quantity == Quantity::Capacity {
            return self.capacity(workers, record, &load);
        }
        let mut once = || {
            let measured = workers.sessions(record, &load)?;
            if measured.messages == 0 || measured.cpu_ns <= 0.0 {
                let window_ms = load.to_ms - load.from_ms;
                return Err(format!("no message was completed in a window of {window_ms:.0} ms"));
            }
            Ok(measured)
        };
        let first = once()?;
        let provider = &record.cell.candidate.provider;
        let offloads = self.run.providers.iter().any(|it| it.name == *provider && it.offloads);
        let (measured, thrown_away) = if offloads {
            (first, 0)
        } else {
            least_disturbed(first, &load, || self.may_repeat().then(|| self.repeat(&mut once)))?
        };
        let (cell, trials) = (record.id, vec![]);
        Ok(Some(SessionsRecord {
            cell,
            launch: 0,
            block: 0,
            load,
            measured,
            trials,
            bound: None,
            thrown_away,
        }))
    }

    /// Whether there is budget for a window again.
    fn may_repeat(&self) -> bool {
        let is_cheap = self.repeated_s.get() < REPEATS_SHARE * self.run.budget_s;
        is_cheap && self.left_s() > 0.0 && !self.bench.observer.stop()
    }

    fn repeat<T>(&self, once: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let outcome = once();
        self.repeated_s.set(self.repeated_s.get() + began.elapsed().as_secs_f64());
        outcome
    }

    /// What was settled for a cell; what would be begun with, where an older run settled nothing.
    fn frame(&self, record: &CellRecord, sessions: Sessions) -> Frame {
        let part = &self.run.study.parts[record.part as usize];
        let settled = self.run.loads.iter().find(|load| is_of(load, record.part, &record.cell));
        settled.map_or_else(
            || workflow::usual(part, sessions, &self.processors, 0.0),
            |it| Frame { count: it.count, from_ms: it.from_ms, to_ms: it.to_ms },
        )
    }

    /// Seconds that a sample of a cell will take, where it is one of sessions.
    pub(super) fn window_s(&self, record: &CellRecord) -> Option<f64> {
        let sessions = record.cell.regime.sessions()?;
        let frame = self.frame(record, sessions);
        let windows = match sessions.quantity {
            Quantity::Capacity => super::capacity::TRIALS_USUAL,
            _ => 1.0,
        };
        // Beginning and ending a thread takes some 50 µs.
        let threads = match sessions.serving {
            Serving::Threads => f64::from(frame.count),
            Serving::Pooled | Serving::Batched => 0.0,
        };
        let to_start_s = if windows > 1.0 { 0.0 } else { threads * 50e-6 };
        Some(windows * (frame.to_ms * 1e-3 + to_start_s + 2e-3))
    }
}

/// Bytes of the longest message of a study and its cells: those of a mix are longer than its mean.
pub(super) fn longest_of_mixes(study: &Study) -> Option<u64> {
    let mixes = study.parts.iter().filter_map(|part| part.sessions.mix.as_ref());
    let lengths = mixes.flat_map(|mix| mix.lengths());
    lengths.map(|(len, _)| u64::from(len)).max()
}

impl Sitting<'_> {
    /// Windows and numbers that are not settled yet, of these cells; those that cannot be put on
    /// are left out.
    pub(super) fn settle_loads(
        &mut self,
        workers: &mut Workers,
        records: &mut Vec<CellRecord>,
    ) -> Result<(), MeasureError> {
        let known = self.run.loads.len();
        let refused = workflow::settle(self, workers, records);
        for Refused { part, regime, len_bytes, reason } in refused {
            let name = self.run.study.parts[part as usize].name.clone();
            let is_its = |it: &CellRecord| {
                let of = (it.part, it.cell.measured_as().regime, it.cell.len_bytes);
                of == (part, regime, len_bytes)
            };
            records.retain(|record| !is_its(record));
            let told = format!("part {name:?}: {regime}, {len_bytes} B: {reason}");
            self.tell(EventKind::Excluded, told)?;
        }
        if !self.bench.observer.stop() {
            self.bench.archive.keep_loads(&self.run.id, &self.run.loads[known..])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sessions::Received;

    fn load() -> Load {
        Load {
            serving: Serving::Threads,
            count: 100,
            cpus: vec![0, 1],
            pinned: false,
            lengths: vec![(64, 1)],
            verify: false,
            rekey_every: 0,
            rate_per_s: None,
            from_ms: 20.0,
            to_ms: 120.0,
        }
    }

    /// A window of 100 ms on two processors; the sessions had this share of both, and waited for a
    /// processor so long.
    fn window(share: f64, wait_ns: Option<f64>) -> Measured {
        let received = Some(Received { processors: 2, wait_ns, ..Received::default() });
        let cpu_ns = share * 200e6;
        Measured { messages: 1000, cpu_ns, received, ..Measured::planted() }
    }

    #[test]
    fn less_than_the_processors_is_a_shortfall_where_sessions_were_ready_for_more() {
        let queued = Some(9e9);
        assert_eq!(window(0.96, queued).shortfall(&load()), None);
        assert_eq!(window(0.53, queued).shortfall(&load()), Some(0.53));
        assert_eq!(window(0.53, None).shortfall(&load()), Some(0.53), "no account of waiting");
        // One lock for all: a thread at work, the others asleep until it is free.
        assert_eq!(window(0.53, Some(5e6)).shortfall(&load()), None);
        let paced = Load { rate_per_s: Some(100.0), ..load() };
        assert_eq!(window(0.53, queued).shortfall(&paced), None);
        let old = Measured { received: None, ..window(0.53, queued) };
        assert_eq!((old.share(), old.shortfall(&load())), (None, None));
    }

    #[test]
    fn what_was_cut_at_the_edges_is_in_no_window() {
        // Of 430 ms that the messages took, 400 lay between t1 and t2.
        let cut = Measured { window_cpu_ns: Some(200e6), cpu_ns: 215e6, ..window(1.0, None) };
        assert_eq!((cut.share(), cut.excess()), (Some(1.0), None));
        assert!((cut.apparent_ns() - 107.5e3).abs() < 1e-6 && cut.absolute_ns() == 215e3);
        let regime = "sessions-100-on-all-apparent".parse().unwrap();
        let record = SessionsRecord {
            cell: 0,
            launch: 0,
            block: 0,
            load: load(),
            measured: cut.clone(),
            trials: vec![],
            bound: None,
            thrown_away: 0,
        };
        let (timing, messages) = timing(&record, regime);
        assert_eq!((timing.elapsed_ns / messages as f64, messages), (cut.apparent_ns(), 1000));
        // Older records do not tell.
        let old = Measured { window_cpu_ns: None, ..cut };
        assert_eq!((old.share(), old.excess()), (Some(1.075), Some(1.075)));
        assert_eq!(old.apparent_ns(), 100e3);
    }

    /// What is kept of these windows, and how many of them were measured.
    fn kept(shares: &[f64], allowed: usize) -> (f64, u32, usize) {
        let mut next = shares.iter().map(|&share| window(share, Some(9e9)));
        let first = next.next().unwrap();
        let mut used = 1;
        let again = || {
            let more = next.next().filter(|_| used < allowed)?;
            used += 1;
            Some(Ok(more))
        };
        let (best, others) = least_disturbed(first, &load(), again).unwrap();
        (best.share().unwrap(), others, used)
    }

    #[test]
    fn a_disturbed_window_is_measured_again_and_the_least_disturbed_is_kept() {
        assert_eq!(kept(&[0.99, 0.5, 0.5], 9), (0.99, 0, 1));
        assert_eq!(kept(&[0.53, 0.97, 0.5], 9), (0.97, 1, 2));
        assert_eq!(kept(&[0.53, 0.8, 0.6, 0.99], 9), (0.8, 2, 3), "only so often");
        assert_eq!(kept(&[0.9, 0.8, 0.6, 0.99], 9), (0.9, 2, 3));
        assert_eq!(kept(&[0.53, 0.97], 1), (0.53, 0, 1), "no budget for another");
        assert_eq!(kept(&[1.06, 0.97], 9), (0.97, 1, 2), "nobody has more than there is");
        assert_eq!(kept(&[0.9, 1.06, 0.93], 9), (0.93, 2, 3));
        let failed = least_disturbed(window(0.5, None), &load(), || Some(Err("died".into())));
        assert_eq!(failed, Err("died".into()));
    }
}
