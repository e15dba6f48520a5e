//! The window from t1 to t2 and the slices it is cut into.

use super::account::{self, Spent};
use crate::record::sessions::{Load, Slice};

/// Before t1. Phases ascend in their order.
pub(super) const BEFORE: u32 = 0;
/// From t1 to t2.
pub(super) const WITHIN: u32 = 1;
/// After t2, or never mind.
pub(super) const OVER: u32 = 2;

/// Least slices of a window, and most: where it is long enough, one in 10 ms.
const SLICES: [f64; 2] = [8.0, 50.0];

/// What is seen of the window from outside of its sessions. t1 and t2 are when somebody was really
/// there; if t1 came late, t2 is as much later. Times are nanoseconds since all began.
#[derive(Default)]
pub(super) struct Window {
    pub(super) cpus: Vec<u32>,
    planned_from_ns: f64,
    slice_ns: f64,
    slice_count: usize,
    from_ns: Option<u64>,
    to_ns: Option<u64>,
    /// Time of processors that all threads had had at t1 and at t2.
    cpu_ns: [Option<f64>; 2],
    /// When the last slice ended, and bytes until then.
    last: (u64, u64),
    slices: Vec<Slice>,
    /// The first may come from the moment when all began.
    at_first: Reading,
    /// The first that was made after t2.
    at_last: Option<Reading>,
}

/// The system's accounts at some moment.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading {
    /// When, in nanoseconds since all began, and how long that took.
    at_ns: u64,
    took_ns: u64,
    process_cpu_ns: f64,
    spent: Option<Spent>,
}

impl Reading {
    pub(super) fn now(cpus: &[u32], now_ns: impl Fn() -> u64) -> Self {
        let begin_ns = now_ns();
        let process_cpu_ns = account::process_cpu_ns();
        let at_ns = now_ns();
        let spent = account::spent(cpus);
        Self { at_ns, took_ns: at_ns - begin_ns, process_cpu_ns, spent }
    }
}

/// A reading that took longer was interrupted: nobody knows of when it is.
const READING_MOST_NS: u64 = 4_000_000;

impl Window {
    pub(super) fn of(load: &Load, cpus: &[u32]) -> Self {
        let count = (load.window_ns() / 1e7).clamp(SLICES[0], SLICES[1]).floor();
        Self {
            cpus: cpus.to_vec(),
            planned_from_ns: load.from_ms * 1e6,
            slice_ns: load.window_ns() / count,
            slice_count: count as usize,
            slices: Vec::with_capacity(count as usize),
            ..Self::default()
        }
    }

    pub(super) fn phase(&self) -> u32 {
        match (self.from_ns, self.to_ns) {
            (None, _) => BEFORE,
            (_, None) => WITHIN,
            _ => OVER,
        }
    }

    /// When the next is due.
    pub(super) fn next_ns(&self) -> u64 {
        match (self.from_ns, self.to_ns) {
            (None, _) => self.planned_from_ns as u64,
            (Some(from_ns), None) => from_ns + (self.slice_ns * self.due_slice() as f64) as u64,
            _ => u64::MAX,
        }
    }

    /// The slice that ends next, counted from 1. Of slices that nobody saw the end of, several are
    /// one.
    fn due_slice(&self) -> usize {
        let from_ns = self.from_ns.unwrap_or_default();
        let passed = ((self.last.0 - from_ns) as f64 / self.slice_ns + 1e-6) as usize;
        (passed + 1).min(self.slice_count)
    }

    /// Whether what has come at this time is t1 or t2, and not only the end of a slice.
    pub(super) fn is_edge(&self, now_ns: u64) -> bool {
        let whole_ns = self.slice_ns * self.slice_count as f64;
        self.from_ns.is_none_or(|from_ns| (now_ns - from_ns) as f64 + 1.0 >= whole_ns)
    }

    /// What is due has come; at t1 and t2 with the time of processors that all threads have had.
    pub(super) fn advance(&mut self, now_ns: u64, bytes: u64, cpu_ns: Option<f64>) {
        let is_edge = self.is_edge(now_ns);
        if self.from_ns.is_none() {
            (self.from_ns, self.cpu_ns[0]) = (Some(now_ns), cpu_ns);
        } else {
            let ns = (now_ns - self.last.0) as f64;
            self.slices.push(Slice { ns, bytes: bytes - self.last.1 });
            if is_edge {
                (self.to_ns, self.cpu_ns[1]) = (Some(now_ns), cpu_ns);
            }
        }
        self.last = (now_ns, bytes);
    }

    /// Time of processors that all threads had from t1 to t2.
    pub(super) fn threads_cpu_ns(&self) -> Option<f64> {
        Some((self.cpu_ns[1]? - self.cpu_ns[0]?).max(0.0))
    }

    /// Whether the system's accounts are to be read now: at both edges, and after the first until
    /// it was done without an interruption.
    pub(super) fn wants_reading(&self) -> bool {
        match self.phase() {
            BEFORE => false,
            WITHIN => self.from_ns.is_some_and(|from_ns| self.at_first.at_ns < from_ns),
            _ => true,
        }
    }

    pub(super) fn keep_reading(&mut self, reading: Reading) {
        if reading.took_ns >= READING_MOST_NS {
            return;
        }
        match self.to_ns {
            None => self.at_first = reading,
            // One that was begun before t2 and kept after it is neither.
            Some(to_ns) if reading.at_ns >= to_ns => _ = self.at_last.get_or_insert(reading),
            Some(_) => {}
        }
    }

    /// t1 and t2, once both were.
    pub(super) fn edges_ns(&self) -> Option<[u64; 2]> {
        Some([self.from_ns?, self.to_ns?])
    }

    pub(super) fn ns(&self) -> f64 {
        self.edges_ns().map_or(0.0, |[from_ns, to_ns]| (to_ns - from_ns) as f64)
    }

    /// Between both readings, made as long as the window: they may come a little after its edges.
    pub(super) fn process_cpu_ns(&self) -> Option<f64> {
        let last = self.at_last?;
        Some((last.process_cpu_ns - self.at_first.process_cpu_ns) * self.scale(&last)?)
    }

    pub(super) fn steal_ns(&self) -> Option<f64> {
        self.spent(|from, to| Some(to.steal_ns? - from.steal_ns?))
    }

    pub(super) fn idle_ns(&self) -> Option<f64> {
        self.spent(|from, to| Some(to.idle_ns - from.idle_ns))
    }

    /// Time of the processors that others than this process had.
    pub(super) fn others_ns(&self) -> Option<f64> {
        let own_ns = self.process_cpu_ns()?;
        Some((self.spent(|from, to| Some(to.busy_ns - from.busy_ns))? - own_ns).max(0.0))
    }

    /// What became of the processors' time between both readings, made as long as the window. The
    /// system's counts of idle time are known to go back a little.
    fn spent(&self, between: impl Fn(Spent, Spent) -> Option<f64>) -> Option<f64> {
        let last = self.at_last?;
        let ns = between(self.at_first.spent?, last.spent?)?;
        Some(ns.max(0.0) * self.scale(&last)?)
    }

    /// The window over the time between both readings; absent where that is another time: less than
    /// three quarters of the window, or more than five.
    fn scale(&self, last: &Reading) -> Option<f64> {
        let between_ns = last.at_ns.saturating_sub(self.at_first.at_ns) as f64;
        let share = between_ns / self.ns();
        (0.75..=1.25).contains(&share).then_some(1.0 / share)
    }

    pub(super) fn slices(&self) -> Vec<Slice> {
        self.slices.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regimes::sessions::Serving;

    #[test]
    fn a_window_is_as_long_as_asked_however_late_it_began() {
        let load = Load {
            serving: Serving::Threads,
            count: 1,
            cpus: vec![],
            pinned: false,
            lengths: vec![(1, 1)],
            verify: false,
            rekey_every: 0,
            rate_per_s: None,
            from_ms: 10.0,
            to_ms: 90.0,
        };
        let mut window = Window::of(&load, &[]);
        assert_eq!((window.phase(), window.next_ns()), (BEFORE, 10_000_000));
        assert!(window.is_edge(15_000_000));
        window.advance(15_000_000, 100, Some(7e6));
        assert_eq!((window.phase(), window.next_ns()), (WITHIN, 25_000_000));
        assert!(!window.is_edge(26_000_000));
        window.advance(26_000_000, 200, None);
        assert_eq!(window.next_ns(), 35_000_000);
        // Nobody was there for two slices.
        window.advance(60_000_000, 500, None);
        assert_eq!((window.phase(), window.next_ns()), (WITHIN, 65_000_000));
        assert_eq!(window.threads_cpu_ns(), None);
        window.advance(95_000_000, 800, Some(90e6));
        assert_eq!((window.phase(), window.next_ns()), (OVER, u64::MAX));
        let slices: Vec<_> = window.slices().iter().map(|it| (it.ns / 1e6, it.bytes)).collect();
        assert_eq!(slices, [(11.0, 100), (34.0, 300), (35.0, 300)]);
        assert_eq!((window.ns(), window.edges_ns()), (80e6, Some([15_000_000, 95_000_000])));
        assert_eq!(window.threads_cpu_ns(), Some(83e6));
    }

    #[test]
    fn what_others_had_is_what_the_processors_did_beside_this_process() {
        let reading = |at_ns, process_cpu_ns, busy_ns, idle_ns| Reading {
            at_ns,
            took_ns: 1,
            process_cpu_ns,
            spent: Some(Spent { busy_ns, idle_ns, steal_ns: None }),
        };
        let mut window = Window { from_ns: Some(0), to_ns: Some(100_000_000), ..Window::default() };
        window.at_first = reading(0, 5e6, 1e9, 7e9);
        // Between both readings lies a tenth more than the window.
        window.keep_reading(reading(110_000_000, 115e6, 1.187e9, 7.033e9));
        let near = |value: Option<f64>, wanted: f64| (value.unwrap() / wanted - 1.0).abs() < 1e-9;
        assert!(near(window.process_cpu_ns(), 100e6) && near(window.others_ns(), 70e6));
        assert!(near(window.idle_ns(), 30e6) && window.steal_ns().is_none());
        let mut own = window;
        own.at_first.process_cpu_ns = -200e6;
        assert_eq!(own.others_ns(), Some(0.0), "ticks are coarse: never less than nothing");
    }
}
