//! One regime takes so many times as long as another: each candidate against itself, both in the
//! same blocks. With one end a direction is claimed, and the margin is what counts as no
//! difference, as where one mac is said to be faster; with two ends a range, which the margin
//! widens.

use lab::cell::Regime;
use lab::study::{ClaimedContrast, fits_any};
use stats::{Margin, RatioInterval, Verdict};

use super::{Check, Evidence, Judge, Outcome, Scope, pairs};

pub(super) fn gather(
    judge: &Judge<'_>,
    claimed: &ClaimedContrast,
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let mut places: Vec<usize> = Vec::new();
    for size in &scope.sizes {
        places.extend(judge.places(size, |mac| fits_any(&claimed.macs, mac)));
    }
    let cell = |at: usize| &judge.cells[at].cell;
    let of = |regime: Regime| places.iter().copied().filter(move |&at| cell(at).regime == regime);
    for own in of(claimed.regime) {
        let is_same = |other: &usize| {
            let (own, other) = (cell(own), cell(*other));
            (&own.candidate, own.len_bytes, own.key_len_bytes)
                == (&other.candidate, other.len_bytes, other.key_len_bytes)
        };
        let other = of(claimed.to).find(is_same);
        evidence.checks.extend(other.and_then(|other| check(judge, claimed, own, other)));
    }
}

fn check(judge: &Judge<'_>, claimed: &ClaimedContrast, own: usize, other: usize) -> Option<Check> {
    let comparison = judge.compare(own, other)?;
    let interval = comparison.ratio.interval.as_ref();
    let outcome = interval.map_or(Outcome::Open, |it| decide(it, claimed, judge.levels.margin));
    let log_ratio = comparison.ratio.log_ratio;
    let to_least = claimed.least.map(|least| log_ratio - least.ln());
    let to_most = claimed.most.map(|most| most.ln() - log_ratio);
    // The end that is nearer, or that was passed.
    let size = [to_least, to_most].into_iter().flatten().fold(f64::INFINITY, f64::min).abs();
    let check = pairs::check(own, other, &comparison, outcome, true);
    let bounds = [claimed.least, claimed.most].into_iter().flatten().collect();
    Some(Check { size, inverted: log_ratio < 0.0, bounds, ..check })
}

fn decide(interval: &RatioInterval, claimed: &ClaimedContrast, margin: Margin) -> Outcome {
    let direction = |end: f64, wanted: Verdict| {
        let verdict = Verdict::of(Some(&from(interval, end)), margin);
        match verdict {
            it if it == wanted => Outcome::Holds,
            it if it == wanted.reversed() => Outcome::Contradicted,
            _ => Outcome::Open,
        }
    };
    match (claimed.least, claimed.most) {
        // Longer than the end is what `stats` calls faster of the other.
        (Some(least), None) => direction(least, Verdict::Faster),
        (None, Some(most)) => direction(most, Verdict::Slower),
        (Some(least), Some(most)) => {
            let (low, high) = (least.ln() - margin.log(), most.ln() + margin.log());
            match interval {
                it if it.log_low >= low && it.log_high <= high => Outcome::Holds,
                it if it.log_high < low || it.log_low > high => Outcome::Contradicted,
                _ => Outcome::Open,
            }
        }
        (None, None) => Outcome::Open,
    }
}

/// An interval as a share of `end`.
fn from(interval: &RatioInterval, end: f64) -> RatioInterval {
    RatioInterval {
        low: interval.low / end,
        high: interval.high / end,
        log_low: interval.log_low - end.ln(),
        log_high: interval.log_high - end.ln(),
        confidence_achieved: interval.confidence_achieved,
    }
}
