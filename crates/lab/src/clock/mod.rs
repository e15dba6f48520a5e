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
    /// The same in nanoseconds, by the clock's calibration.
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
        self.elapsed(self.raw(work))
    }

    /// Times one piece of work and waits for its stores too, as the program CRPRF does.
    #[inline]
    pub fn time_with_stores(&self, work: impl FnOnce()) -> Elapsed {
        let begin = self.source.after_stores();
        work();
        self.elapsed(self.source.after_stores().saturating_sub(begin))
    }

    /// What a bracket of so many ticks measured.
    #[inline]
    fn elapsed(&self, raw: u64) -> Elapsed {
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
        Some(self.hz_of(quickest_ns))
    }

    /// The core clock with which the chain takes so long.
    fn hz_of(&self, chain_ns: f64) -> f64 {
        CHAIN_ADDITIONS as f64 / (chain_ns - self.bracket_ns).max(1.0) * 1e9
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
    let first = simultaneous(source);
    std::thread::sleep(FIT);
    rate_between(first, simultaneous(source))
}

/// Nanoseconds a tick, from a tick and an instant at each end.
fn rate_between((first_tick, first): (u64, Instant), (last_tick, last): (u64, Instant)) -> f64 {
    (last - first).as_nanos() as f64 / last_tick.saturating_sub(first_tick).max(1) as f64
}

/// A tick and an instant that belong together.
fn simultaneous(source: counter::Source) -> (u64, Instant) {
    let reading = || {
        let before = source.begin();
        let now = Instant::now();
        (source.end().saturating_sub(before), before, now)
    };
    closest(reading(), (1..100).map(|_| reading()))
}

/// Ticks from before an instant until after it, the tick before, and the instant.
type Reading = (u64, u64, Instant);

/// Of many readings the one with the least between the tick before and the tick after it, since an
/// interruption there would falsify the rate.
fn closest(first: Reading, others: impl Iterator<Item = Reading>) -> (u64, Instant) {
    let (gap, before, now) =
        others.fold(first, |least, it| if it.0 < least.0 { it } else { least });
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

    /// A counter of 2.5 GHz, if there is one here, whose brackets take 10 ns.
    fn planted() -> Clock {
        let source = counter::Source::best();
        Clock { source, ns_per_tick: 0.4, bracket_ns: 10.0, resolution_ns: 0.4 }
    }

    #[test]
    fn a_rate_is_told_by_a_tick_and_an_instant_at_each_end() {
        let begin = Instant::now();
        let after = |ns| begin + Duration::from_nanos(ns);
        let rate = rate_between((1_000_000, begin), (76_000_000, after(30_000_000)));
        assert_eq!(rate, 0.4);
        // Nothing is divided by 0, be it that the counter stands or goes back.
        assert_eq!(rate_between((9, begin), (9, after(30))), 30.0);
        assert_eq!(rate_between((9, begin), (8, after(30))), 30.0);
    }

    #[test]
    fn an_instant_belongs_to_the_middle_of_the_reading_that_was_not_interrupted() {
        let begin = Instant::now();
        let after = |ns| begin + Duration::from_nanos(ns);
        let others =
            [(26, 2_000, after(800)), (26, 3_000, after(1_200)), (500, 4_000, after(1_600))];
        let told = closest((9_000, 100, after(3_000)), others.into_iter());
        assert_eq!(told, (2_013, after(800)));
        assert_eq!(closest((7, 100, begin), std::iter::empty()), (103, begin));
    }

    #[test]
    fn ticks_are_time_at_the_rate_of_the_counter() {
        let clock = planted();
        let Elapsed { ticks, ns } = clock.elapsed(50_000_000);
        assert_eq!(ns, 20e6);
        assert_eq!(ticks, clock.source.is_counter().then_some(50_000_000));
    }

    #[test]
    fn a_calibrated_clock_goes_on() {
        let clock = Clock::calibrate();
        let elapsed = clock.time(|| std::thread::sleep(Duration::from_millis(1)));
        assert!(elapsed.ns > 0.0 && elapsed.ticks.is_none_or(|ticks| ticks > 0), "{elapsed:?}");
        assert!(clock.ns_per_tick > 0.0 && clock.resolution_ns > 0.0 && clock.bracket_ns >= 0.0);
    }

    #[test]
    fn the_core_clock_is_that_of_a_chain_of_additions() {
        assert_eq!(planted().hz_of(5_010.0), 4e9);
        assert!(Clock::calibrate().core_hz(3).is_none_or(|hz| hz > 0.0));
    }

    #[test]
    fn cycles_are_counted_in_additions() {
        let clock = planted();
        let passes = [(10_510.0, 5_010.0), (10_010.0, 7_010.0)];
        let least = passes.map(|(work_ns, chain_ns)| Least { work_ns, chain_ns });
        let least = least.into_iter().fold(Least::NONE, Least::and);
        assert_eq!(clock.cycles_of(least), 2.0 * CHAIN_ADDITIONS as f64);
        let twice = || (0..2).for_each(|_| assert!(counter::additions(CHAIN_ADDITIONS)));
        assert!(clock.cycles(50, twice).is_none_or(|cycles| cycles > 0.0));
        assert_eq!(clock.cycles(0, || ()), None);
    }
}
