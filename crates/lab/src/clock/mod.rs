//! The clock: a fenced time-stamp counter where it is invariant, the monotonic raw clock elsewhere.
//!
//! Ticks are time, not work: on a cloud processor the core was seen to run at 1.42 times the
//! counter's rate. Core cycles are therefore *estimated*, by timing a chain of dependent additions
//! of known length beside each sample, and labelled so wherever they are shown.

mod counter;
pub mod instructions;

use std::time::{Duration, Instant};

use crate::record::ClockRecord;

/// Empty brackets measured at calibration.
const BRACKETS: usize = 10_000;

/// How long the counter's rate is fitted against the operating system's clock. Both ends are read
/// within some 100 ns, so that the rate is right to a few millionths; every launch of a worker pays
/// this time.
const FIT: Duration = Duration::from_millis(30);

/// Dependent additions in one core-clock estimate: about 6 µs, so that the counter's 10 ns step is
/// below 0.2 % of it.
const CHAIN_ADDITIONS: u64 = 20_000;

/// Passes of that beside a sample: in the 6 µs after multiplications in 512-bit registers an Intel
/// core runs at three quarters of its clock, which a single pass would take for the clock.
pub(crate) const PASSES: u32 = 3;

/// A calibrated clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    source: counter::Source,
    ns_per_tick: f64,
    bracket_ns: f64,
    resolution_ns: f64,
}

/// What a bracket measured.
#[derive(Debug, Clone, Copy, Default)]
pub struct Elapsed {
    /// Ticks of the time-stamp counter; absent where the operating system's clock was read.
    pub ticks: Option<u64>,
    /// Nanoseconds.
    pub ns: f64,
}

/// Least times of some work and of a chain of additions beside it.
#[derive(Debug, Clone, Copy)]
struct Least {
    work_ns: f64,
    chain_ns: f64,
}

impl Least {
    const NONE: Self = Self { work_ns: f64::INFINITY, chain_ns: f64::INFINITY };

    fn and(self, other: Self) -> Self {
        let work_ns = self.work_ns.min(other.work_ns);
        Self { work_ns, chain_ns: self.chain_ns.min(other.chain_ns) }
    }
}

impl Clock {
    /// Finds the best source on this machine and measures its rate, cost and resolution.
    #[must_use]
    pub fn calibrate() -> Self {
        let source = counter::Source::best();
        let ns_per_tick = if source.is_counter() { fit_ns_per_tick(source) } else { 1.0 };
        let mut clock = Self { source, ns_per_tick, bracket_ns: 0.0, resolution_ns: 0.0 };
        let mut empty: Vec<u64> = (0..BRACKETS).map(|_| clock.raw(|| ())).collect();
        empty.sort_unstable();
        clock.bracket_ns = empty[BRACKETS / 2] as f64 * ns_per_tick;
        clock.resolution_ns = step(&empty) as f64 * ns_per_tick;
        clock
    }

    /// Times one piece of work.
    #[inline]
    pub fn time(&self, work: impl FnOnce()) -> Elapsed {
        let raw = self.raw(work);
        let ticks = self.source.is_counter().then_some(raw);
        Elapsed { ticks, ns: raw as f64 * self.ns_per_tick }
    }

    /// Times one piece of work and waits for its stores too, as the program CRPRF does.
    #[inline]
    pub fn time_with_stores(&self, work: impl FnOnce()) -> Elapsed {
        let begin = self.source.after_stores();
        work();
        let raw = self.source.after_stores().saturating_sub(begin);
        let ticks = self.source.is_counter().then_some(raw);
        Elapsed { ticks, ns: raw as f64 * self.ns_per_tick }
    }

    /// Median cost of an empty bracket of that kind in nanoseconds, measured now.
    #[must_use]
    pub fn bracket_with_stores_ns(&self) -> f64 {
        let mut empty: Vec<f64> = (0..BRACKETS).map(|_| self.time_with_stores(|| ()).ns).collect();
        empty.sort_unstable_by(f64::total_cmp);
        empty[BRACKETS / 2]
    }

    #[inline]
    fn raw(&self, work: impl FnOnce()) -> u64 {
        let begin = self.source.begin();
        work();
        self.source.end().saturating_sub(begin)
    }

    /// Median cost of an empty bracket in nanoseconds.
    #[must_use]
    pub fn bracket_ns(&self) -> f64 {
        self.bracket_ns
    }

    /// Core clock in hertz, estimated now: a chain of additions that takes one cycle each, timed
    /// `passes` times; the quickest is the one least disturbed. `None` where no chain is known.
    #[must_use]
    pub fn core_hz(&self, passes: u32) -> Option<f64> {
        let pass = || {
            let mut known = false;
            let elapsed = self.time(|| known = counter::additions(CHAIN_ADDITIONS));
            known.then_some(elapsed.ns)
        };
        let quickest_ns = (0..passes)
            .map(|_| pass())
            .try_fold(f64::INFINITY, |least, ns| Some(least.min(ns?)))?;
        Some(CHAIN_ADDITIONS as f64 / (quickest_ns - self.bracket_ns).max(1.0) * 1e9)
    }

    /// Core cycles that `work` takes: the least of `passes` times, over the least time of a chain
    /// of additions run before each. `None` where no chain is known, and without a pass.
    #[must_use]
    pub fn cycles(&self, passes: u32, work: impl FnMut()) -> Option<f64> {
        Some(self.cycles_of(self.beside_chain(passes, work)?))
    }

    /// The least times of the work and of a chain of additions, turn by turn.
    fn beside_chain(&self, passes: u32, mut work: impl FnMut()) -> Option<Least> {
        let mut least = Least::NONE;
        for _ in 0..passes {
            let mut known = false;
            let chain = self.time(|| known = counter::additions(CHAIN_ADDITIONS));
            if !known {
                return None;
            }
            least = least.and(Least { work_ns: self.time(&mut work).ns, chain_ns: chain.ns });
        }
        (passes > 0).then_some(least)
    }

    fn cycles_of(&self, least: Least) -> f64 {
        let net_ns = |ns: f64| (ns - self.bracket_ns).max(f64::MIN_POSITIVE);
        net_ns(least.work_ns) / net_ns(least.chain_ns) * CHAIN_ADDITIONS as f64
    }

    /// What the archive keeps of the clock.
    #[must_use]
    pub fn record(&self) -> ClockRecord {
        let counter = self.source.is_counter();
        ClockRecord {
            source: if counter { "time-stamp counter" } else { "monotonic clock" }.into(),
            ticks_hz: 1e9 / self.ns_per_tick,
            bracket_ns: self.bracket_ns,
            resolution_ns: self.resolution_ns,
            core_hz: self.core_hz(100),
            nominal_hz: counter.then_some(1e9 / self.ns_per_tick),
        }
    }
}

/// The counter's rate against the operating system's clock, from both ends of a window.
fn fit_ns_per_tick(source: counter::Source) -> f64 {
    let (first_tick, first) = simultaneous(source);
    std::thread::sleep(FIT);
    let (last_tick, last) = simultaneous(source);
    (last - first).as_nanos() as f64 / last_tick.saturating_sub(first_tick).max(1) as f64
}

/// A tick and an instant that belong together: of many readings the one with the least between
/// the tick before and the tick after it, since an interruption there would falsify the rate.
fn simultaneous(source: counter::Source) -> (u64, Instant) {
    let reading = || {
        let before = source.begin();
        let now = Instant::now();
        (source.end().saturating_sub(before), before, now)
    };
    let (gap, before, now) =
        (0..100).map(|_| reading()).min_by_key(|&(gap, ..)| gap).unwrap_or_else(reading);
    (before + gap / 2, now)
}

/// The smallest step between neighbouring values that is seen often (1 % of the brackets): rare
/// values are interruptions, and a greatest common divisor would be 1 through any of them.
fn step(sorted: &[u64]) -> u64 {
    let mut values: Vec<(u64, usize)> = Vec::new();
    for &value in sorted {
        match values.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => values.push((value, 1)),
        }
    }
    values.retain(|&(_, count)| count * 100 >= sorted.len());
    let steps = values.windows(2).map(|pair| pair[1].0 - pair[0].0);
    steps.min().or(values.first().map(|&(value, _)| value)).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_values_do_not_make_the_step() {
        let mut sorted = vec![26; 500];
        sorted.extend(vec![52; 490]);
        sorted.extend([53, 60, 1000]);
        assert_eq!(step(&sorted), 26);
    }

    #[test]
    fn a_calibrated_clock_agrees_with_the_operating_system() {
        let clock = Clock::calibrate();
        let began = Instant::now();
        let elapsed = clock.time(|| std::thread::sleep(Duration::from_millis(20)));
        let outside_ns = began.elapsed().as_nanos() as f64;
        assert!(elapsed.ns >= 19.9e6 && elapsed.ns <= outside_ns * 1.001);
        assert!(clock.resolution_ns > 0.0 && clock.bracket_ns >= 0.0);
    }

    #[test]
    fn the_core_clock_is_a_clock_rate() {
        if let Some(hz) = Clock::calibrate().core_hz(3) {
            assert!((1e8..1e10).contains(&hz), "{hz}");
        }
    }

    #[test]
    fn cycles_are_counted_in_additions() {
        let clock = Clock::calibrate();
        let twice = || (0..2).for_each(|_| assert!(counter::additions(CHAIN_ADDITIONS)));
        if let Some(cycles) = clock.cycles(50, twice) {
            assert!((1e4..1e6).contains(&cycles), "{cycles}");
        }
        assert_eq!(clock.cycles(0, || ()), None);
    }
}
