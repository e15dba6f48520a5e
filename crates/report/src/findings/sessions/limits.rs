//! What keeps a machine from carrying more sessions, and how messages fare at what it carries.

use std::collections::BTreeMap;

use lab::record::{Bound, SessionsRecord};
use lab::regimes::sessions::Serving;
use serde::Serialize;

use crate::findings::SingleQuantiles;
use crate::findings::series::median;
use crate::findings::single_calls::quantiles;

/// Processors that were busy for this share of the time have nothing left: a search ends within 4 %
/// of what is too much, and the system counts their time roughly.
const BUSY: f64 = 0.85;

/// Where so many messages found others before them, a queue with times without pattern has a server
/// that is busy for some 85 % of the time.
const QUEUED: f64 = 0.5;

/// Others that had this share of the processors' time are told.
const OTHERS: f64 = 0.1;

/// What keeps a machine from carrying more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// More would need more memory than a search may take.
    Memory,
    /// Others than the sessions had a share of the processors.
    Others,
    /// The processors were busy with the sessions.
    Processor,
    /// No more were tried.
    Search,
    /// The machine allows no more threads; or sessions with a thread each kept the tail no longer,
    /// though the processors had time left.
    Threads,
    /// The tail was kept no longer, though the processors had time left.
    Waiting,
}

impl Limit {
    /// The words for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Others => "processor, shared",
            Self::Processor => "processor",
            Self::Search => "the search’s end",
            Self::Threads => "threads",
            Self::Waiting => "waiting",
        }
    }

    /// What the words mean.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Memory => "more would need more memory than a search may take here",
            Self::Others => "other programs or the hypervisor had a tenth of them or more",
            Self::Processor => "messages queued for it",
            Self::Search => "no greater number was tried",
            Self::Threads => "the machine allows no more threads, or wakes them too late",
            Self::Waiting => "a few waited too long though the processors had time left",
        }
    }
}

/// What was seen at the greatest number of sessions that was carried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct AtCapacity {
    /// What kept it from more; absent where that was not recorded.
    pub limited_by: Option<Limit>,
    /// Share of the messages that found others before them: those that took more than twice the
    /// mean time between two messages of a processor.
    pub queued: Option<f64>,
    /// Share of the processors' time that others than the sessions' process had, the hypervisor
    /// included.
    pub others: Option<f64>,
    /// Times of messages from when each was due, of all blocks together.
    pub times: Option<SingleQuantiles>,
    /// Messages per second for each processor that the sessions could use.
    pub messages_per_s_per_processor: Option<f64>,
}

impl AtCapacity {
    /// Of the windows at the greatest number carried, one a block.
    pub(super) fn of(records: &[&SessionsRecord]) -> Self {
        let taken = |it: &SessionsRecord| {
            let others_ns = it.measured.received?.others_ns?;
            Some(share(it, others_ns + it.measured.steal_ns.unwrap_or(0.0)))
        };
        let (queued, others) = (middle(records, queued), middle(records, taken));
        let mut times: BTreeMap<u64, u64> = BTreeMap::new();
        for &(ns, count) in records.iter().flat_map(|it| &it.measured.times) {
            *times.entry(ns).or_default() += count;
        }
        let times: Vec<(u64, u64)> = times.into_iter().filter(|it| it.1 > 0).collect();
        let per_processor = |it: &SessionsRecord| {
            Some(it.measured.messages as f64 * 1e9 / it.measured.window_ns / processors(it))
        };
        Self {
            limited_by: limit(records, queued, others),
            queued,
            others,
            times: quantiles(&times),
            messages_per_s_per_processor: middle(records, per_processor),
        }
    }
}

/// What most blocks ended at.
fn limit(records: &[&SessionsRecord], queued: Option<f64>, others: Option<f64>) -> Option<Limit> {
    let mut bounds: Vec<Bound> = records.iter().filter_map(|it| it.bound).collect();
    bounds.sort_unstable();
    if 2 * bounds.len() > records.len() {
        return Some(match bounds[bounds.len() / 2] {
            Bound::Memory => Limit::Memory,
            Bound::Search => Limit::Search,
            Bound::Threads => Limit::Threads,
        });
    }
    if others? >= OTHERS {
        return Some(Limit::Others);
    }
    if records.iter().any(|it| it.load.serving == Serving::Threads) {
        let busy = middle(records, |it| Some(1.0 - share(it, it.measured.received?.idle_ns?)));
        return Some(if busy? >= BUSY { Limit::Processor } else { Limit::Threads });
    }
    // A pool waits for its next message without sleep: that its processors are busy tells nothing.
    Some(if queued? >= QUEUED { Limit::Processor } else { Limit::Waiting })
}

/// Share of the messages that found others before them.
fn queued(it: &SessionsRecord) -> Option<f64> {
    let between_ns = processors(it) * 1e9 / (f64::from(it.load.count) * it.load.rate_per_s?);
    let all: u64 = it.measured.times.iter().map(|(_, count)| count).sum();
    let late = it.measured.times.iter().filter(|(ns, _)| *ns as f64 > 2.0 * between_ns);
    let late: u64 = late.map(|(_, count)| count).sum();
    (all > 0).then(|| late as f64 / all as f64)
}

fn middle(records: &[&SessionsRecord], of: impl Fn(&SessionsRecord) -> Option<f64>) -> Option<f64> {
    median(records.iter().filter_map(|it| of(it)).filter(|it| it.is_finite()).collect())
}

/// Processors that the sessions could use.
fn processors(it: &SessionsRecord) -> f64 {
    let bound = u32::try_from(it.load.cpus.len()).ok().filter(|&count| count > 0);
    let seen = it.measured.received.map(|it| it.processors);
    f64::from(bound.or(seen).unwrap_or(it.measured.threads).max(1))
}

/// A time over that of all processors in the window.
fn share(it: &SessionsRecord, ns: f64) -> f64 {
    (ns / it.measured.window_ns / processors(it)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of a planted capacity.
    fn windows(change: impl Fn(&mut SessionsRecord)) -> AtCapacity {
        let mut run = synthetic::apparent_processing();
        let is_one =
            |it: &SessionsRecord| !it.trials.is_empty() && it.load.serving == Serving::Pooled;
        let cell = run.sessions.iter().find(|it| is_one(it)).unwrap().cell;
        run.sessions.retain(|it| it.cell == cell);
        run.sessions.iter_mut().for_each(change);
        AtCapacity::of(&run.sessions.iter().collect::<Vec<_>>())
    }

    /// One time for all messages.
    fn all_took(it: &mut SessionsRecord, ns: u64) {
        it.measured.times = vec![(ns, it.measured.messages)];
    }

    #[test]
    fn what_limits_is_told_by_what_was_seen() {
        let by = |change: fn(&mut SessionsRecord)| windows(change).limited_by;
        assert_eq!(by(|it| all_took(it, 9_000_000)), Some(Limit::Processor));
        assert_eq!(by(|it| all_took(it, 1)), Some(Limit::Waiting));
        assert_eq!(by(|it| it.bound = Some(Bound::Memory)), Some(Limit::Memory));
        assert_eq!(by(|it| it.measured.received = None), None);
        let taken = by(|it| it.measured.steal_ns = Some(it.measured.window_ns * 1e3));
        assert_eq!(taken, Some(Limit::Others));
        let threads = by(|it| {
            it.load.serving = Serving::Threads;
            let idle_ns = Some(it.measured.window_ns * processors(it) / 2.0);
            it.measured.received.as_mut().unwrap().idle_ns = idle_ns;
        });
        assert_eq!(threads, Some(Limit::Threads));
    }

    #[test]
    fn rates_are_those_of_a_processor() {
        let seen = windows(|it| all_took(it, 5_000));
        assert_eq!(seen.times.map(|it| (it.p50_ns, it.p99_ns)), Some((5_000, 5_000)));
        assert!(seen.messages_per_s_per_processor.unwrap() > 1000.0, "{seen:?}");
    }
}
