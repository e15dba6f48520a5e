//! The median of so few calls is not settled: of medians of so many of the calls that were timed
//! one by one, 95 in 100 spread by more than the margin. Where these lie follows from the calls
//! themselves, by the order statistics between which a median falls.

use lab::study::ClaimedUnsettled;

use super::super::single_calls;
use super::check::Outcome;
use super::direct::Found;
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
) -> Vec<Found> {
    let cells = judge.cells_of(&it.macs, claim, own).into_iter();
    cells.map(|at| of(judge, at, it.calls)).collect()
}

fn of(judge: &Judge<'_>, at: usize, calls: u32) -> Found {
    let words = |what: String| format!("{}: {what}", judge.sample_words(at));
    let id = judge.cells[at].id;
    let counts = judge.run.single_calls.iter().find(|own| own.cell == id);
    // Ticks are what the clock counts; nanoseconds are made of them.
    let counts = counts.map(|own| if own.ticks.is_empty() { &own.counts } else { &own.ticks });
    let timed: u64 = counts.map_or(0, |own| own.iter().map(|(_, count)| count).sum());
    let half = WITHIN / 2.0 / f64::from(calls).sqrt();
    let at = |share: f64| Some(single_calls::quantile(counts?, share)? as f64);
    let ends = (at(0.5 - half), at(0.5), at(0.5 + half));
    let (Some(low), Some(middle), Some(high)) = ends else {
        let words = words("no call of it was timed by itself".into());
        return Found { outcome: Outcome::Open, size: 0.0, words };
    };
    let spread = (high - low) / 2.0 / middle;
    let steps = counts.into_iter().flat_map(|own| own.windows(2)).map(|two| two[1].0 - two[0].0);
    let grain = match steps.min() {
        Some(step) if high - low <= step as f64 => ", no more than one step of the clock",
        _ => "",
    };
    let outcome = match () {
        () if timed < TIMES_MIN * u64::from(calls) => Outcome::Open,
        () if spread > judge.levels.margin.value() => Outcome::Holds,
        () => Outcome::Contradicted,
    };
    let few = match timed < TIMES_MIN * u64::from(calls) {
        true => format!("; {} calls are needed to decide it", TIMES_MIN * u64::from(calls)),
        false => String::new(),
    };
    Found {
        outcome,
        size: spread,
        words: words(format!(
            "by {timed} calls, if these were independent, 95 of 100 medians of {calls} would lie \
             within ±{}{grain}{few}",
            format::percent(spread)
        )),
    }
}
