//! All comparisons of a claim as one family. The claim says that every one of them holds. It is
//! confirmed where each is shown by its own interval, which needs no correction (R. L. Berger,
//! *Technometrics* 24 (1982) 295–300: a union of errors is no larger than the largest). It is
//! refuted where one is contradicted, and of many true ones some would be by chance: so there the
//! interval must lie outside, and the joint test of all of them must say the same.

use std::collections::BTreeSet;

use stats::{Confidence, joint_p};

use super::super::Unit;
use super::check::{self, Check, Outcome, Times};

/// Decides every comparison that is not settled already.
pub(super) fn decide(checks: &mut [Check], confidence: Confidence) {
    let alpha = 1.0 - confidence.value();
    let unpaired = checks.iter().filter(|check| matches!(check.times, Times::Unpaired(_))).count();
    let units = [Unit::Launch, Unit::Block];
    let has = |unit: Unit| {
        checks.iter().any(|check| matches!(&check.times, Times::Paired(own, _) if *own == unit))
    };
    // Each kind of evidence is a family of its own, and they share the error that is allowed.
    let kinds = units.iter().filter(|unit| has(**unit)).count() + usize::from(unpaired > 0);
    let of_units = units.map(|unit| contradiction_p(checks, unit));
    let each = confidence.shared_among(unpaired * kinds);
    for (at, check) in checks.iter_mut().enumerate().filter(|(_, check)| !check.settled) {
        let demanded = check.demanded();
        let is_far = match &check.times {
            Times::Missing => false,
            Times::Paired(unit, _) => {
                let p = if *unit == Unit::Launch { of_units[0][at] } else { of_units[1][at] };
                p * kinds as f64 <= alpha
            }
            Times::Unpaired(samples) => {
                let interval = check::unpaired(samples, each);
                interval.is_some_and(|it| demanded.possible.excludes(&it))
            }
        };
        check.outcome = match &check.interval {
            Some(it) if demanded.possible.excludes(it) => match is_far {
                true => Outcome::Contradicted,
                false => Outcome::Open,
            },
            Some(it) if demanded.shown.holds(it) => Outcome::Holds,
            _ => Outcome::Open,
        };
    }
}

/// For each comparison made over `unit`, how likely it is contradicted so strongly by chance, be it
/// the one or another of them; 1 for all others.
fn contradiction_p(checks: &[Check], unit: Unit) -> Vec<f64> {
    let is_own = |check: &&Check| matches!(&check.times, Times::Paired(own, _) if *own == unit);
    let all = checks.iter().filter(is_own);
    let places: BTreeSet<u32> = all
        .flat_map(|check| match &check.times {
            Times::Paired(_, logs) => logs.keys().copied().collect(),
            _ => vec![],
        })
        .collect();
    let mut owners = Vec::new();
    let mut hypotheses = Vec::new();
    for (at, check) in checks.iter().enumerate() {
        let Times::Paired(own, logs) = &check.times else { continue };
        if *own != unit || check.settled {
            continue;
        }
        let span = check.demanded().possible;
        let mut ask = |beyond: &dyn Fn(f64) -> f64| {
            owners.push(at);
            hypotheses.push(places.iter().map(|at| logs.get(at).map(|x| beyond(*x))).collect());
        };
        if span.low.is_finite() {
            ask(&|x| span.low - x);
        }
        if span.high.is_finite() {
            ask(&|x| x - span.high);
        }
    }
    let mut p = vec![1.0_f64; checks.len()];
    for (own, at) in joint_p(&hypotheses).into_iter().zip(owners) {
        p[at] = p[at].min(own);
    }
    p
}
