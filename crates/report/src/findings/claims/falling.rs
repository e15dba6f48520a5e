//! The time of a byte falls as messages grow: each length against the next longer one.

use stats::Verdict;

use super::rates::Rated;
use super::{Check, Evidence, Judge, Outcome, Quantity, Scope, effect, finding};

pub(super) fn gather(
    judge: &Judge<'_>,
    macs: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    for row in judge.by_candidate(macs, scope) {
        // An empty message has no time of a byte.
        let rated = row.iter().filter_map(|&cell| {
            let units = judge.cells[cell].cell.mean_len_bytes();
            (units > 0.0).then_some(Rated { cell, units })
        });
        let rated: Vec<Rated> = rated.collect();
        let checks = rated.windows(2).filter_map(|pair| check(judge, pair[0], pair[1]));
        evidence.checks.extend(checks);
    }
}

fn check(judge: &Judge<'_>, shorter: Rated, longer: Rated) -> Option<Check> {
    let ratio = judge.rate_ratio(shorter, longer)?;
    let verdict = Verdict::of(ratio.interval.as_ref(), judge.levels.margin);
    let outcome = match verdict {
        Verdict::Faster => Outcome::Holds,
        Verdict::Slower => Outcome::Contradicted,
        _ => Outcome::Open,
    };
    let over = finding(ratio.log_ratio.exp(), ratio.interval.as_ref());
    Some(Check {
        effect: effect(shorter.cell, longer.cell, over, Quantity::TimePerByte),
        verdict,
        outcome,
        strict: true,
        size: ratio.log_ratio.abs(),
        unpaired: ratio.unpaired,
        inverted: false,
        bounds: vec![],
        aside: None,
    })
}
