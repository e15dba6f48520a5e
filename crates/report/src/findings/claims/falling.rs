//! The time of a byte falls as messages grow: each length against the next longer one must not be
//! shown to rise, and the shortest must cost more a byte than the longest. A curve may so become
//! flat, as what is paid once for a message counts ever less.

use super::check::{Claimed, Rated};
use super::{Evidence, Judge, Quantity, Scope};

pub(super) fn gather(
    judge: &Judge<'_>,
    macs: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let margin = judge.levels.margin;
    for row in judge.by_candidate(macs, scope) {
        // An empty message has no time of a byte.
        let rated = row.iter().filter_map(|&cell| {
            let units = judge.cells[cell].cell.mean_len_bytes();
            (units > 0.0).then(|| Rated::new(cell, units))
        });
        let rated: Vec<Rated> = rated.collect();
        let check = |shorter: Rated, longer: Rated, claimed: Claimed| {
            judge.compare_rates((shorter, longer), Quantity::TimePerByte, claimed)
        };
        let steps = rated.windows(2).filter(|_| rated.len() > 2);
        let steps = steps.map(|pair| check(pair[0], pair[1], Claimed::not_shorter(margin)));
        evidence.checks.extend(steps);
        if let [shortest, .., longest] = rated[..] {
            evidence.checks.push(check(shortest, longest, Claimed::longer(margin)));
        }
    }
}
