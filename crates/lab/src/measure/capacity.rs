//! How many sessions of a rate are carried at a tail: sought by trials, anew for every sample.

use super::Sitting;
use super::workers::{Refusal, Workers};
use crate::record::sessions::{Load, Measured};
use crate::record::{Bound, CellRecord, SessionsRecord, Trial};
use crate::regimes::sessions::Serving;

/// Numbers tried for one sample at most, and how many trials it usually takes: what is too many is
/// tried twice.
const TRIALS_MAX: usize = 9;
pub(super) const TRIALS_USUAL: f64 = 10.0;

/// The search ends where what is carried and what is not are closer than this, relative.
const CLOSE: f64 = 1.04;

/// First steps: far from a guess, near to what the last block found.
const STEP_FAR: f64 = 1.6;
const STEP_NEAR: f64 = 1.1;

/// Share of the messages due that may be left at the end, beside those that may still be in time.
const LEFT_MAX: f64 = 0.005;

/// Sessions, settling and window of the closed loop that the first guess is made of.
const CLOSED_COUNT: u32 = 64;
const CLOSED_MS: [f64; 2] = [20.0, 120.0];

/// Share of the closed loop's messages that a first guess is: to wait for each takes time too.
const GUESS: f64 = 0.4;

/// Time of a processor that it takes to let a session's own thread sleep and wake it up, roughly.
const WAKE_NS: f64 = 4_000.0;

/// The tail that must be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tail {
    /// The share of messages that must not take longer than `ns`.
    pub(super) quantile: f64,
    /// The longest that these may take.
    pub(super) ns: f64,
}

/// What a trial says.
pub(super) fn judge(load: &Load, measured: &Measured, tail: Tail) -> Trial {
    let due = measured.messages + measured.behind;
    let tail_ns = quantile(&measured.times, tail.quantile);
    // What was due within the last of the window may still be done in time.
    let rate_per_ns = f64::from(load.count) * load.rate_per_s.unwrap_or(0.0) * 1e-9;
    let in_time = rate_per_ns * tail.ns.min(measured.window_ns / 10.0);
    let may_be_left = due as f64 * LEFT_MAX + in_time;
    let done = if due == 0 { 0.0 } else { measured.messages as f64 / due as f64 };
    let carried =
        measured.messages > 0 && tail_ns as f64 <= tail.ns && measured.behind as f64 <= may_be_left;
    Trial { count: load.count, tail_ns, done, carried }
}

/// The least time that this share of all messages did not exceed; 0 where there are none.
fn quantile(times: &[(u64, u64)], share: f64) -> u64 {
    let count: u64 = times.iter().map(|(_, count)| count).sum();
    let wanted = (share * count as f64).ceil() as u64;
    let mut seen = 0;
    for (ns, count) in times {
        seen += count;
        if seen >= wanted {
            return *ns;
        }
    }
    0
}

/// Where a search begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Start {
    /// The number tried first.
    pub(super) count: u32,
    /// Whether an earlier block found it.
    pub(super) is_known: bool,
    /// Most sessions that may be tried.
    pub(super) most: u32,
}

/// Seeks the largest number that is carried: steps that grow until one is and one is not, then
/// their geometric middle. Returns it, 0 where none is, and what was tried. `None` of `try_one`
/// ends it without an answer.
pub(super) fn search<E>(
    start: Start,
    mut try_one: impl FnMut(u32) -> Result<Option<Trial>, E>,
) -> Result<Option<(u32, Vec<Trial>)>, E> {
    let (mut carried, mut too_many) = (0, None::<u32>);
    let mut step = if start.is_known { STEP_NEAR } else { STEP_FAR };
    let mut count = start.count.clamp(1, start.most);
    let mut trials = Vec::new();
    while trials.len() < TRIALS_MAX {
        let Some(trial) = try_one(count)? else { return Ok(None) };
        trials.push(trial);
        if trial.carried {
            carried = carried.max(count);
        } else {
            too_many = Some(too_many.map_or(count, |least| least.min(count)));
        }
        let between = |low: u32, high: u32| (f64::from(low) * f64::from(high)).sqrt() as u32;
        count = match (carried, too_many) {
            (0, Some(least)) => ((f64::from(least) / step) as u32).min(least - 1),
            (low, Some(high)) => {
                if f64::from(high) <= f64::from(low) * CLOSE || high - low <= 1 {
                    break;
                }
                between(low, high).clamp(low + 1, high - 1)
            }
            (low, None) if low >= start.most => break,
            (low, None) => ((f64::from(low) * step).ceil() as u32).clamp(low + 1, start.most),
        };
        if count == 0 {
            break;
        }
        if carried == 0 || too_many.is_none() {
            step *= step;
        }
    }
    Ok(Some((carried, trials)))
}

impl Sitting<'_> {
    /// Seeks the capacity of a cell; `closed` has its window, and the most sessions to be tried.
    pub(super) fn capacity(
        &self,
        workers: &mut Workers,
        record: &CellRecord,
        closed: &Load,
    ) -> Result<Option<SessionsRecord>, Refusal> {
        let asked = &self.run.study.parts[record.part as usize].sessions;
        let tail = Tail { quantile: asked.tail_quantile, ns: asked.tail_ms * 1e6 };
        let rate_per_s = asked.rate_per_s;
        let most = closed.count;
        let last = self.run.sessions.iter().rev().find(|it| it.cell == record.id);
        let count = match last {
            Some(last) => last.load.count,
            None => self.guess(workers, record, closed, rate_per_s)?,
        };
        let start = Start { count, is_known: last.is_some(), most };
        let mut best: Option<(Load, Measured)> = None;
        let mut once = |count| {
            if self.bench.observer.stop() {
                return Ok(None);
            }
            let load = Load { count, rate_per_s: Some(rate_per_s), ..closed.clone() };
            let try_once = |workers: &mut Workers| {
                let measured = workers.sessions(record, &load)?;
                Ok::<_, Refusal>((judge(&load, &measured, tail), measured))
            };
            let (mut trial, mut measured) = try_once(workers)?;
            // A moment in which others had the processor must not end the search.
            if !trial.carried {
                (trial, measured) = try_once(workers)?;
            }
            if trial.carried && best.as_ref().is_none_or(|(best, _)| best.count < count) {
                best = Some((load, measured));
            }
            Ok::<_, Refusal>(Some(trial))
        };
        let mut found = search(start, &mut once)?;
        // Others that had the processor all the while must not take the cell out of the run.
        if matches!(found, Some((0, _))) {
            found = search(start, &mut once)?;
        }
        let Some((_, trials)) = found else { return Ok(None) };
        let Some((load, measured)) = best else {
            let (share, tail_ms) = ((tail.quantile * 1e6).round() / 1e4, asked.tail_ms);
            return Err(format!(
                "in two searches not even one session of {rate_per_s} messages per second was \
                 sustained with {share} % of them within {tail_ms} ms"
            ));
        };
        let cell = record.id;
        let is_carried = trials.iter().all(|trial| trial.carried);
        let bound = is_carried.then(|| self.bound_of(record, load.count, most));
        Ok(Some(SessionsRecord {
            cell,
            launch: 0,
            block: 0,
            load,
            measured,
            trials,
            bound,
            thrown_away: 0,
        }))
    }

    /// What ended a search in which `count` is the greatest number tried, and carried.
    fn bound_of(&self, record: &CellRecord, count: u32, most: u32) -> Bound {
        let part = &self.run.study.parts[record.part as usize];
        match record.cell.regime.sessions().filter(|_| count >= most) {
            Some(sessions) => self.processors.bound(part, sessions, record.cell.len_bytes, most),
            None => Bound::Search,
        }
    }

    /// A share of what a closed loop does in a second, over the rate of a session.
    fn guess(
        &self,
        workers: &mut Workers,
        record: &CellRecord,
        closed: &Load,
        rate_per_s: f64,
    ) -> Result<u32, Refusal> {
        let [from_ms, to_ms] = CLOSED_MS;
        let count = closed.count.min(CLOSED_COUNT);
        let measured =
            workers.sessions(record, &Load { count, from_ms, to_ms, ..closed.clone() })?;
        Ok((first_guess(closed, &measured) / rate_per_s).clamp(1.0, f64::from(closed.count)) as u32)
    }
}

/// Messages a second that may be carried, by what a closed loop did.
fn first_guess(closed: &Load, measured: &Measured) -> f64 {
    let wake_ns = match closed.serving {
        Serving::Threads => WAKE_NS / closed.cpus.len().max(1) as f64,
        Serving::Pooled | Serving::Batched => 0.0,
    };
    GUESS * 1e9 / (measured.apparent_ns() + wake_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: Tail = Tail { quantile: 0.99, ns: 10e6 };

    /// Searches where so many are carried and no more.
    fn found(carried: u32, count: u32, is_known: bool, most: u32) -> (u32, Vec<Trial>) {
        let start = Start { count, is_known, most };
        let try_one = |count| {
            let trial = Trial { count, tail_ns: 1, done: 1.0, carried: count <= carried };
            Ok::<_, ()>(Some(trial))
        };
        search(start, try_one).unwrap().unwrap()
    }

    #[test]
    fn a_search_ends_near_the_number_wherever_it_begins() {
        for (carried, count) in [(5000, 4000), (5000, 9000), (5000, 700), (37, 100), (300, 299)] {
            let (answer, trials) = found(carried, count, false, 1_000_000);
            let near = f64::from(answer) > 0.9 * f64::from(carried) && answer <= carried;
            assert!(near && trials.len() <= TRIALS_MAX, "{carried} from {count}: {trials:?}");
        }
        assert_eq!(found(1, 1, false, 1000).0, 1);
        assert_eq!(found(0, 8, false, 1000).0, 0, "none is carried, and it ends");
    }

    #[test]
    fn a_later_block_needs_fewer_trials_and_follows_a_change() {
        let (first, later) =
            (found(5000, 900, false, 1_000_000), found(5000, 4900, true, 1_000_000));
        assert!(later.1.len() < first.1.len() && later.1.len() <= 4, "{:?}", later.1);
        let (answer, _) = found(2500, 5000, true, 1_000_000);
        assert!((2300..=2500).contains(&answer), "{answer}");
    }

    #[test]
    fn what_the_machine_bounds_ends_with_a_trial_that_is_carried() {
        let (answer, trials) = found(u32::MAX, 700, false, 20_000);
        assert_eq!(answer, 20_000);
        assert!(trials.iter().all(|trial| trial.carried), "{trials:?}");
        assert_eq!(trials.last().map(|trial| trial.count), Some(20_000));
    }

    #[test]
    fn a_search_that_is_stopped_has_no_answer() {
        let start = Start { count: 5, is_known: false, most: 9 };
        assert_eq!(search(start, |_| Ok::<_, ()>(None)), Ok(None));
        assert_eq!(search(start, |_| Err::<Option<Trial>, _>("refused")), Err("refused"));
    }

    #[test]
    fn a_thread_of_its_own_must_be_woken_for_each_message() {
        let guess = |serving, messages| {
            let (load, measured) = window(vec![], messages, 0);
            first_guess(&Load { serving, cpus: vec![0, 1], ..load }, &measured)
        };
        // 200 ms over 1,000,000 messages.
        assert!((guess(Serving::Pooled, 1_000_000) / (GUESS * 5e6) - 1.0).abs() < 1e-9);
        let woken = GUESS * 1e9 / (200.0 + WAKE_NS / 2.0);
        assert!((guess(Serving::Threads, 1_000_000) / woken - 1.0).abs() < 1e-9);
        assert!(guess(Serving::Threads, 100) > 0.9 * guess(Serving::Pooled, 100));
    }

    fn judged(times: Vec<(u64, u64)>, messages: u64, behind: u64) -> Trial {
        let (load, measured) = window(times, messages, behind);
        judge(&load, &measured, TAIL)
    }

    /// 1000 sessions of 100 messages a second in a window of 200 ms: 20,000 messages are due.
    fn window(times: Vec<(u64, u64)>, messages: u64, behind: u64) -> (Load, Measured) {
        let load = Load {
            serving: Serving::Pooled,
            count: 1000,
            cpus: vec![],
            pinned: false,
            lengths: vec![(64, 1)],
            verify: false,
            rekey_every: 0,
            rate_per_s: Some(100.0),
            from_ms: 50.0,
            to_ms: 250.0,
        };
        let window_ns = 200e6;
        let measured = Measured { window_ns, messages, times, behind, ..Measured::planted() };
        (load, measured)
    }

    #[test]
    fn carried_is_a_tail_that_is_kept_and_nothing_left_behind() {
        let quick = || vec![(1_000, 19_900), (9_000_000, 100)];
        assert!(judged(quick(), 20_000, 0).carried);
        let slow = judged(vec![(1_000, 19_700), (11_000_000, 300)], 20_000, 0);
        assert_eq!((slow.carried, slow.tail_ns), (false, 11_000_000));
        // In 10 ms 1,000 messages come, and those may still be in time; 0.5 % more may be left.
        assert!(judged(quick(), 18_950, 1_050).carried);
        let left = judged(quick(), 18_000, 2_000);
        assert!(!left.carried && (left.done - 0.9).abs() < 1e-9);
        assert!(!judged(vec![], 0, 0).carried);
    }
}
