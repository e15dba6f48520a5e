//! Sessions whose messages come at a rate: each at its own times without pattern, whether the last
//! one is done or not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU64;
use std::time::Duration;

use super::error::SessionsError;
use super::share::Share;
use super::watch::Watch;

/// A thread of many sessions does not sleep for less than this: to be woken takes as long.
const NAP_LEAST_NS: u64 = 60_000;

/// Where a thread has nothing to do until long after the window, it looks so often for its end.
const LOOK_NS: u64 = 1_000_000;

/// The times at which the messages of a session are due: a Poisson process, the same in each run.
struct Dues {
    state: u64,
    mean_gap_ns: f64,
    next_ns: f64,
}

impl Dues {
    fn new(session: u32, rate_per_s: f64) -> Self {
        // Any two sessions are far apart in the sequence of the generator.
        let state = u64::from(session).wrapping_mul(0xd134_2543_de82_ef95);
        let mut dues = Self { state, mean_gap_ns: 1e9 / rate_per_s, next_ns: 0.0 };
        dues.advance();
        dues
    }

    fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    fn advance(&mut self) {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        let above_0 = ((word >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        self.next_ns -= self.mean_gap_ns * above_0.ln();
    }
}

/// Whose message is due next.
struct Queue {
    /// Of each session, by its place in the thread's share.
    dues: Vec<Dues>,
    order: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Queue {
    /// Of sessions with these numbers.
    fn new(sessions: impl Iterator<Item = u32>, rate_per_s: f64) -> Self {
        let dues: Vec<Dues> = sessions.map(|number| Dues::new(number, rate_per_s)).collect();
        let each = dues.iter().enumerate();
        let order = each.map(|(at, dues)| Reverse((dues.next_ns(), at))).collect();
        Self { dues, order }
    }

    /// When the first message is due, and of which session it is.
    fn first(&self) -> Option<(u64, usize)> {
        self.order.peek().map(|&Reverse(first)| first)
    }

    /// The messages of these sessions are done.
    fn advance(&mut self, finished: impl Iterator<Item = usize>) {
        finished.for_each(|at| self.dues[at].advance());
        // They stand in the queue under times that are over; they come up first, and get their next
        // ones.
        while let Some(mut first) = self.order.peek_mut() {
            let Reverse((known_ns, at)) = *first;
            if known_ns == self.dues[at].next_ns() {
                break;
            }
            *first = Reverse((self.dues[at].next_ns(), at));
        }
    }

    /// Messages that are due from t1 to t2 and still to be done.
    fn behind(&mut self, from_ns: u64, to_ns: u64) -> u64 {
        self.dues.iter_mut().map(|dues| behind(dues, from_ns, to_ns)).sum()
    }
}

/// Works until it is over; how many messages were due in the window and not done at its end.
pub(super) fn run(
    share: &mut Share<'_>,
    watch: &mut Watch<'_>,
    rate_per_s: f64,
) -> Result<u64, SessionsError> {
    // The system would add up to 50 µs to each sleep otherwise.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let numbers = share.sessions.iter().map(|session| session.number);
    let mut queue = Queue::new(numbers, rate_per_s);
    let planned_end_ns = (share.load().to_ms * 1e6) as u64;
    let is_alone = share.sessions.len() == 1;
    let mut finished: Vec<(u64, usize)> = Vec::new();
    while watch.look(share) {
        let now_ns = watch.stage.now_ns();
        let Some((due_ns, at)) = queue.first() else { break };
        if due_ns > now_ns {
            let end_ns = planned_end_ns.max(now_ns + LOOK_NS);
            let left_ns = due_ns.min(end_ns) - now_ns;
            if is_alone || left_ns > NAP_LEAST_NS {
                std::thread::sleep(Duration::from_nanos(left_ns));
            } else {
                std::hint::spin_loop();
            }
            continue;
        }
        take(share, &queue.dues, at, now_ns, &mut finished)?;
        let done_ns = watch.stage.now_ns();
        for (due_ns, _) in &finished {
            watch.keep(done_ns.saturating_sub(*due_ns) as f64);
        }
        queue.advance(finished.drain(..).map(|(_, at)| at));
        share.check_last()?;
    }
    let Some([from_ns, to_ns]) = watch.stage.window().edges_ns() else { return Ok(0) };
    Ok(queue.behind(from_ns, to_ns))
}

/// Serves the session that has waited longest; in a batch with the others of its group that are
/// due, where these are half of it at least. The other half of the batch would be for nothing.
fn take(
    share: &mut Share<'_>,
    dues: &[Dues],
    at: usize,
    now_ns: u64,
    finished: &mut Vec<(u64, usize)>,
) -> Result<(), SessionsError> {
    let is_due = |at: usize| dues[at].next_ns() <= now_ns;
    if let Some((group, members)) = share.group_of(at) {
        let due = members.clone().filter(|&at| is_due(at)).count();
        if due > 1 && due * 2 >= members.len() {
            share.serve_group(group, is_due)?;
            finished.extend(members.filter(|&at| is_due(at)).map(|at| (dues[at].next_ns(), at)));
            return Ok(());
        }
    }
    share.serve(at)?;
    finished.push((dues[at].next_ns(), at));
    Ok(())
}

/// Messages of a session that are due from t1 to t2 and still to be done.
fn behind(dues: &mut Dues, from_ns: u64, to_ns: u64) -> u64 {
    let mut count = 0;
    while dues.next_ns() < to_ns {
        count += u64::from(dues.next_ns() >= from_ns);
        dues.advance();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::share::tests::{load, with_share_of};
    use super::*;
    use crate::record::sessions::Load;
    use crate::regimes::sessions::Serving;

    #[test]
    fn messages_come_at_the_rate_and_not_in_step() {
        let gaps = |session| {
            let mut dues = Dues::new(session, 1000.0);
            let mut gap_ns = || {
                let before = dues.next_ns;
                dues.advance();
                dues.next_ns - before
            };
            (0..10_000).map(|_| gap_ns()).collect::<Vec<f64>>()
        };
        let (one, other) = (gaps(0), gaps(1));
        for gaps in [&one, &other] {
            let mean = gaps.iter().sum::<f64>() / 1e4;
            let squares = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / 1e4;
            assert!((0.95e6..1.05e6).contains(&mean), "{mean}");
            // That of an exponential distribution is its mean.
            assert!((0.9..1.1).contains(&(squares.sqrt() / mean)));
        }
        assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() > 1e-3));
    }

    /// Sessions whose messages take a microsecond each, up to a moment in a time that passes only
    /// when something is done or waited for: messages done, and behind at its end, and how late the
    /// latest was done.
    fn simulated(sessions: u32, rate_per_s: f64, end_ns: u64) -> (u64, u64, u64) {
        let mut queue = Queue::new(0..sessions, rate_per_s);
        let (mut now_ns, mut done, mut latest_ns) = (0_u64, 0_u64, 0_u64);
        while now_ns < end_ns {
            let (due_ns, at) = queue.first().unwrap();
            if due_ns > now_ns {
                now_ns = due_ns;
                continue;
            }
            now_ns += 1_000;
            done += 1;
            latest_ns = latest_ns.max(now_ns - due_ns);
            queue.advance(std::iter::once(at));
        }
        (done, queue.behind(0, end_ns), latest_ns)
    }

    #[test]
    fn at_a_low_rate_nothing_is_behind() {
        let (done, behind, latest_ns) = simulated(20, 100.0, 500_000_000);
        // 20 sessions × 100 a second × 0.5 s, as a Poisson process has it.
        assert!((850..1150).contains(&done), "{done}");
        assert_eq!(behind, 0);
        assert!(latest_ns < 10_000, "{latest_ns}");
    }

    #[test]
    fn at_a_rate_above_what_can_be_done_messages_fall_behind() {
        // 100 sessions × 100,000 a second × 1 µs: ten processors' work for one.
        let (done, behind, latest_ns) = simulated(100, 1e5, 10_000_000);
        assert_eq!(done, 10_000);
        assert!((85_000..95_000).contains(&behind), "{behind}");
        assert!(latest_ns > 5_000_000, "{latest_ns}");
    }

    /// Sessions of a batch that are served at this time, by their places.
    fn taken(next_ns: [f64; 3], now_ns: u64) -> Vec<usize> {
        let mut finished = Vec::new();
        let load = Load { rate_per_s: Some(1.0), ..load(Serving::Batched, 3) };
        let dues = next_ns.map(|next_ns| Dues { next_ns, ..Dues::new(0, 1.0) });
        with_share_of(&load, |share| {
            take(share, &dues, 1, now_ns, &mut finished).unwrap();
            let served = share.sessions.iter().map(|session| session.messages);
            assert_eq!(served.sum::<u64>(), finished.len() as u64);
        });
        assert!(finished.iter().all(|&(due_ns, at)| due_ns == next_ns[at] as u64));
        finished.into_iter().map(|(_, at)| at).collect()
    }

    #[test]
    fn a_batch_is_of_those_that_are_due_where_these_are_half_of_it() {
        assert_eq!(taken([9e9, 10.0, 9e9], 20), [1]);
        assert_eq!(taken([9e9, 10.0, 20.0], 20), [1, 2]);
        assert_eq!(taken([5.0, 4.0, 20.0], 20), [0, 1, 2]);
    }

    #[test]
    fn what_is_behind_was_due_in_the_window() {
        let behind_of = |from_ns, to_ns| behind(&mut Dues::new(3, 1000.0), from_ns, to_ns);
        let all = behind_of(0, 1_000_000_000);
        assert!((850..1150).contains(&all), "{all}");
        assert_eq!(behind_of(0, 500_000_000) + behind_of(500_000_000, 1_000_000_000), all);
    }
}
