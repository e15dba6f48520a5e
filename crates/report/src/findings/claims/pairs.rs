//! Two cells of one size and what is claimed of their speeds: orderings, and who is faster than
//! whom.

use lab::study::fits_any;

use super::super::SizeFinding;
use super::check::Claimed;
use super::{Evidence, Judge, Scope};
use crate::format;

/// `a < b = c` is about speeds: a is slower than b, and b as fast as c.
pub(super) fn ordering(judge: &Judge<'_>, text: &str, scope: &Scope<'_>, evidence: &mut Evidence) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let margin = judge.levels.margin;
    for size in &scope.sizes {
        let of = |mac: &str| judge.places(size, |own| own == mac);
        for mac in words.iter().step_by(2).filter(|mac| of(mac).is_empty()) {
            evidence.lacks(format!("{mac} at {}", format::bytes(size.len_bytes)));
        }
        for step in words.windows(3).step_by(2) {
            let claimed =
                if step[1] == "=" { Claimed::equal(margin) } else { Claimed::longer(margin) };
            for slow in of(step[0]) {
                let checks = of(step[2]).into_iter();
                evidence.checks.extend(checks.map(|fast| judge.compare(slow, fast, claimed)));
            }
        }
    }
}

/// Every one of the first is faster than every other of the second.
pub(super) fn faster(
    judge: &Judge<'_>,
    faster: &[String],
    than: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let claimed = Claimed::longer(judge.levels.margin);
    for size in &scope.sizes {
        let fasts = places_of(judge, size, faster);
        for slow in places_of(judge, size, than) {
            let others = fasts.iter().filter(|&&fast| fast != slow);
            evidence.checks.extend(others.map(|&fast| judge.compare(slow, fast, claimed)));
        }
    }
}

fn places_of(judge: &Judge<'_>, size: &SizeFinding, macs: &[String]) -> Vec<usize> {
    judge.places(size, |mac| fits_any(macs, mac))
}
