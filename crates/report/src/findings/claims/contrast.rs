//! One regime takes so many times as long as another, or has its threads put aside so many times as
//! often: each candidate against itself, both in the same blocks, or in those of two parts, which
//! only launches pair. With one end a direction is claimed, and the margin is what counts as no
//! difference, as where one mac is said to be faster; with two ends a range, which the margin
//! widens.

use lab::study::{ClaimedContrast, Contrasted, fits_any};

use super::super::sessions::{by_cell, preemptions_per_cpu_s};
use super::check::{Claimed, Rated, Sense, Span};
use super::{Evidence, Judge, Quantity, Scope};

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
    // The two parts of a contrast may have cases that share a mac.
    places.sort_unstable();
    places.dedup();
    let finding = |at: usize| &judge.cells[at];
    let part_of = |at: usize| &judge.run.study.parts[finding(at).part].name;
    let is_other = |at: &usize| {
        let to_part = claimed.to_part.as_ref();
        finding(*at).cell.regime == claimed.to && to_part.is_none_or(|to| part_of(*at) == to)
    };
    let is_own = |at: &usize| finding(*at).cell.regime == claimed.regime && !is_other(at);
    let demanded = demanded(judge, claimed);
    let windows = by_cell(judge.run);
    for own in places.iter().copied().filter(is_own) {
        let is_same = |other: &usize| {
            let (own, other) = (&finding(own).cell, &finding(*other).cell);
            (&own.candidate, own.len_bytes, own.key_len_bytes)
                == (&other.candidate, other.len_bytes, other.key_len_bytes)
        };
        let Some(other) = places.iter().copied().filter(is_other).find(is_same) else { continue };
        evidence.checks.push(match (claimed.of, finding(own).part == finding(other).part) {
            (Contrasted::Preemptions, _) => {
                let seen = (Quantity::Preemptions, preemptions_per_cpu_s as fn(&_) -> _);
                judge.compare_windows(&windows, (own, other), seen, demanded)
            }
            (Contrasted::Time, true) => judge.compare(own, other, demanded),
            (Contrasted::Time, false) => {
                let rated = (Rated::new(own, 1.0), Rated::new(other, 1.0));
                judge.compare_rates(rated, Quantity::Time, demanded)
            }
        });
    }
}

fn demanded(judge: &Judge<'_>, claimed: &ClaimedContrast) -> Claimed {
    let margin = judge.levels.margin;
    match (claimed.least, claimed.most) {
        (Some(least), Some(most)) => Claimed::within(least, most, margin),
        (Some(least), None) => Claimed::beyond(least, margin),
        (None, Some(most)) => Claimed::below(most, margin),
        (None, None) => {
            let all = Span { low: f64::NEG_INFINITY, high: f64::INFINITY };
            Claimed { shown: all, possible: all, sense: Sense::Between }
        }
    }
}
