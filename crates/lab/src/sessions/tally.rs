//! What the threads saw, put together.

use std::collections::BTreeMap;

use super::watch::Done;
use crate::record::sessions::Spread;

/// Over all threads and sessions.
pub(super) struct Tally {
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) cpu_ns: f64,
    pub(super) served: u32,
    pub(super) messages_of_session: Spread,
    pub(super) cpu_ns_of_session: Spread,
    pub(super) fairness: f64,
    pub(super) switches: [u64; 2],
    pub(super) migrations: u64,
    pub(super) times: Vec<(u64, u64)>,
    pub(super) core_hz: Option<f64>,
    pub(super) behind: u64,
    /// Mean of the threads that were asked.
    pub(super) wait_ns: Option<f64>,
}

impl Tally {
    pub(super) fn of<'a>(threads: impl Iterator<Item = &'a Done> + Clone) -> Self {
        let sum = |of: fn(&Done) -> u64| threads.clone().map(of).sum::<u64>();
        let mut messages: Vec<f64> = Vec::new();
        let mut cpu_ns: Vec<f64> = Vec::new();
        let mut times: BTreeMap<u64, u64> = BTreeMap::new();
        let mut core_hz: Vec<f64> = Vec::new();
        for done in threads.clone() {
            let of_thread: u64 = done.messages.iter().sum();
            messages.extend(done.messages.iter().map(|&count| count as f64));
            // Of a thread's time each of its messages has the same part.
            let served = done.messages.iter().filter(|&&count| count > 0);
            cpu_ns.extend(served.map(|_| done.cpu_ns / of_thread as f64));
            for &(ns, count) in &done.times {
                *times.entry(ns).or_default() += count;
            }
            core_hz.extend(&done.core_hz);
        }
        core_hz.sort_by(f64::total_cmp);
        let waits: Vec<f64> = threads.clone().filter_map(|it| it.wait_ns).collect();
        Self {
            messages: messages.iter().sum::<f64>() as u64,
            bytes: sum(|it| it.bytes),
            cpu_ns: threads.clone().map(|it| it.cpu_ns).sum(),
            served: cpu_ns.len() as u32,
            fairness: fairness(&messages),
            messages_of_session: spread(messages),
            cpu_ns_of_session: spread(cpu_ns),
            switches: [sum(|it| it.switches[0]), sum(|it| it.switches[1])],
            migrations: sum(|it| it.migrations),
            times: times.into_iter().collect(),
            core_hz: core_hz.get(core_hz.len() / 2).copied(),
            behind: sum(|it| it.behind),
            wait_ns: (!waits.is_empty()).then(|| waits.iter().sum::<f64>() / waits.len() as f64),
        }
    }
}

/// Jain's index; of nothing at all 0.
fn fairness(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    if squares == 0.0 {
        return 0.0;
    }
    values.iter().sum::<f64>().powi(2) / (values.len() as f64 * squares)
}

/// Quartiles lie between two values in proportion.
fn spread(mut values: Vec<f64>) -> Spread {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let Some(last) = values.len().checked_sub(1) else { return 0.0 };
        let place = share * last as f64;
        let (below, above) = (values[place as usize], values[(place.ceil() as usize).min(last)]);
        below + (above - below) * place.fract()
    };
    Spread {
        least: at(0.0),
        lower_quartile: at(0.25),
        median: at(0.5),
        upper_quartile: at(0.75),
        most: at(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_one_where_all_have_as_many_and_a_share_where_one_has_all() {
        assert_eq!(fairness(&[7.0; 5]), 1.0);
        assert_eq!(fairness(&[9.0, 0.0, 0.0, 0.0]), 0.25);
        assert_eq!(fairness(&[0.0, 0.0]), 0.0);
    }

    #[test]
    fn threads_are_put_together_by_sessions() {
        let one = Done {
            cpu_ns: 100.0,
            messages: vec![4, 0, 6],
            times: vec![(5, 2), (9, 1)],
            wait_ns: Some(40.0),
            ..Done::default()
        };
        let other =
            Done { cpu_ns: 30.0, messages: vec![1], times: vec![(5, 1)], ..Done::default() };
        let tally = Tally::of([one, other, Done { wait_ns: Some(60.0), ..Done::default() }].iter());
        assert_eq!(tally.wait_ns, Some(50.0));
        assert_eq!((tally.messages, tally.served, tally.cpu_ns), (11, 3, 130.0));
        assert_eq!(tally.times, [(5, 3), (9, 1)]);
        assert_eq!((tally.cpu_ns_of_session.least, tally.cpu_ns_of_session.most), (10.0, 30.0));
        assert_eq!(tally.messages_of_session.median, 2.5);
    }
}
