//! One mac overtakes another as messages grow: up to one length the first is faster, from another
//! on the second. Between them nothing is claimed.

use lab::study::{ClaimedCrossover, fits};
use stats::Verdict;

use super::{Check, Evidence, Judge, Outcome, Scope, pairs};
use crate::format;

/// Two candidates, by their first cells, and what was found on both sides.
struct Rivals {
    cells: (usize, usize),
    sides: [Vec<Check>; 2],
}

pub(super) fn gather(
    judge: &Judge<'_>,
    claimed: &ClaimedCrossover,
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let mut rivals: Vec<Rivals> = Vec::new();
    for size in &scope.sizes {
        let side = match size.len_bytes {
            len if len <= claimed.from => 0,
            len if len >= claimed.to => 1,
            _ => continue,
        };
        let of = |pattern: &str| judge.places(size, |mac| fits(pattern, mac));
        let aboves = of(&claimed.above);
        let pairs = of(&claimed.below).into_iter();
        let pairs = pairs.flat_map(|below| aboves.iter().map(move |&above| (below, above)));
        let pairs = pairs.filter(|(below, above)| below != above).collect();
        for (below, above) in judge.alike(pairs, scope.choose) {
            let (fast, slow) = if side == 0 { (below, above) } else { (above, below) };
            let Some(check) = check(judge, slow, fast) else { continue };
            let candidate = |at: usize| &judge.cells[at].cell.candidate;
            let known = rivals.iter_mut().find(|it| {
                candidate(it.cells.0) == candidate(below)
                    && candidate(it.cells.1) == candidate(above)
            });
            match known {
                Some(known) => known.sides[side].push(check),
                None => {
                    let mut sides = [vec![], vec![]];
                    sides[side].push(check);
                    rivals.push(Rivals { cells: (below, above), sides });
                }
            }
        }
    }
    for Rivals { sides, .. } in rivals {
        let [from, to] = [claimed.from, claimed.to].map(format::bytes);
        let sought = [format!("{from} and less"), format!("{to} and more")];
        for (mut checks, lengths) in sides.into_iter().zip(sought) {
            if checks.is_empty() {
                let ClaimedCrossover { below, above, .. } = claimed;
                evidence.lacks(format!("{below} and {above} at {lengths}"));
            }
            ask_for_one_faster(&mut checks);
            evidence.checks.append(&mut checks);
        }
    }
}

/// `fast` must be faster than `slow`, or at least not slower by more than the margin.
fn check(judge: &Judge<'_>, slow: usize, fast: usize) -> Option<Check> {
    let comparison = judge.compare(slow, fast)?;
    let interval = comparison.ratio.interval.as_ref();
    let not_slower = interval.is_some_and(|it| it.log_low >= -judge.levels.margin.log());
    let outcome = match comparison.verdict {
        Verdict::Slower => Outcome::Contradicted,
        _ if not_slower => Outcome::Holds,
        _ => Outcome::Open,
    };
    let strict = comparison.verdict == Verdict::Faster;
    Some(pairs::check(slow, fast, &comparison, outcome, strict))
}

/// A side on which nobody is shown faster confirms no change of places.
fn ask_for_one_faster(checks: &mut [Check]) {
    let all_hold = checks.iter().all(|check| check.outcome == Outcome::Holds);
    if all_hold && !checks.iter().any(|check| check.strict) {
        let widest = checks.iter_mut().max_by(|x, y| x.size.total_cmp(&y.size));
        if let Some(widest) = widest {
            widest.outcome = Outcome::Open;
        }
    }
}
