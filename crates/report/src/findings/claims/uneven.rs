//! Sessions are scheduled unevenly: the apparent processing of the one that is scheduled least is
//! so many times that of the one scheduled most.

use lab::study::{ClaimedUneven, fits_any};

use super::super::sessions::{by_cell, least_to_most};
use super::check::Claimed;
use super::{Evidence, Judge, Quantity, Scope};

pub(super) fn gather(
    judge: &Judge<'_>,
    claimed: &ClaimedUneven,
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let windows = by_cell(judge.run);
    let demanded = Claimed::beyond(claimed.least, judge.levels.margin);
    for size in &scope.sizes {
        for own in judge.places(size, |mac| fits_any(&claimed.macs, mac)) {
            let seen = (Quantity::BetweenSessions, least_to_most as fn(&_) -> _);
            evidence.checks.push(judge.compare_windows(&windows, (own, own), seen, demanded));
        }
    }
}
