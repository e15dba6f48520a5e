//! The median of so few calls is not settled: of medians of so many of the calls that were timed
//! one by one, 95 in 100 spread by more than the margin. Where these lie follows from the calls
//! themselves, by the order statistics between which a median falls, if they are independent. Calls
//! of one process are not quite: so launches, whose medians are of many calls, must not differ by
//! more either.

use lab::study::ClaimedUnsettled;
use stats::{Alpha, Confidence, acceptance_band};

use super::super::series::{LAUNCHES_MIN, median};
use super::super::single_calls;
use super::check::Outcome;
use super::sample::Shown;
use super::{Claim, Group, Judge};
use crate::format;

/// So many times as many calls must have been timed as the medians are of: fewer are of a moment.
pub(super) const TIMES_MIN: u64 = 10;

/// Standard deviations of a normal distribution that hold 95 % of it.
const WITHIN: f64 = 1.96;

pub(super) fn found(
    judge: &Judge<'_>,
    it: &ClaimedUnsettled,
    claim: &Claim,
    own: &[&Group],
) -> Vec<Shown> {
    let cells = judge.cells_of(&it.macs, claim, own).into_iter();
    cells.map(|at| of(judge, at, it.calls)).collect()
}

fn of(judge: &Judge<'_>, at: usize, calls: u32) -> Shown {
    let words = |what: String| format!("{}: {what}", judge.sample_words(at));
    let (id, launches) = (judge.cells[at].id, &judge.series[at].launches);
    let counts = judge.run.single_calls.iter().find(|own| own.cell == id);
    // Ticks are what the clock counts; nanoseconds are made of them.
    let counts = counts.map(|own| if own.ticks.is_empty() { &own.counts } else { &own.ticks });
    let timed: u64 = counts.map_or(0, |own| own.iter().map(|(_, count)| count).sum());
    let half = WITHIN / 2.0 / f64::from(calls).sqrt();
    let at = |share: f64| Some(single_calls::quantile(counts?, share)? as f64);
    let ends = (at(0.5 - half), at(0.5), at(0.5 + half));
    let (Some(low), Some(middle), Some(high)) = ends else {
        let words = words("none of its calls was timed individually".into());
        return Shown { outcome: Outcome::Open, size: 0.0, words };
    };
    let spread = (high - low) / 2.0 / middle;
    let steps = counts.into_iter().flat_map(|own| own.windows(2)).map(|two| two[1].0 - two[0].0);
    let grain = match steps.min() {
        Some(step) if high - low <= step as f64 => ", no more than one step of the clock",
        _ => "",
    };
    let margin = judge.levels.margin.value();
    let apart = apart(launches.values().copied().collect(), margin);
    let outcome = match apart {
        _ if timed < TIMES_MIN * u64::from(calls) => Outcome::Open,
        _ if spread > margin => Outcome::Holds,
        Apart { count: 0, .. } => Outcome::Contradicted,
        Apart { is_many: true, .. } => Outcome::Holds,
        _ => Outcome::Open,
    };
    let few = match timed < TIMES_MIN * u64::from(calls) {
        true => format!("; {} calls are needed to decide it", TIMES_MIN * u64::from(calls)),
        false => String::new(),
    };
    Shown {
        outcome,
        size: spread,
        words: words(format!(
            "by {timed} calls, if these were independent, 95 of 100 medians of {calls} would lie \
             within ±{}{grain}{few}; {} of {} launches lie further than {} from the middle one",
            format::percent(spread),
            apart.count,
            launches.len(),
            format::percent(margin)
        )),
    }
}

/// Launches that lie further than the margin from the median of all.
#[derive(Debug, Clone, Copy)]
struct Apart {
    count: u64,
    /// Whether these are more than one in twenty would be by chance.
    is_many: bool,
}

fn apart(launches: Vec<f64>, margin: f64) -> Apart {
    let (all, middle) = (launches.len(), median(launches.clone()).unwrap_or(0.0));
    let count = launches.iter().filter(|it| (*it / middle - 1.0).abs() > margin).count() as u64;
    let usual = acceptance_band(all as u64, Alpha::default(), Confidence::default());
    Apart { count, is_many: all >= LAUNCHES_MIN && count > *usual.end() }
}
