//! One regime takes so many times as long as another: each candidate against itself, both in the
//! same blocks. With one end a direction is claimed, and the margin is what counts as no
//! difference, as where one mac is said to be faster; with two ends a range, which the margin
//! widens.

use lab::cell::Regime;
use lab::study::{ClaimedContrast, fits_any};

use super::check::{Claimed, Span};
use super::{Evidence, Judge, Scope};

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
    let demanded = demanded(judge, claimed);
    for own in of(claimed.regime) {
        let is_same = |other: &usize| {
            let (own, other) = (cell(own), cell(*other));
            (&own.candidate, own.len_bytes, own.key_len_bytes)
                == (&other.candidate, other.len_bytes, other.key_len_bytes)
        };
        let other = of(claimed.to).find(is_same);
        evidence.checks.extend(other.map(|other| judge.compare(own, other, demanded)));
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
            Claimed { shown: all, possible: all, strict: true }
        }
    }
}
