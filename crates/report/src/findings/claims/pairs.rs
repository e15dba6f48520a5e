//! Two cells of one size and what is claimed of their speeds: orderings, and who is faster than
//! whom.

use lab::study::fits_any;
use stats::{Comparison, Relation, Verdict};

use super::super::series::paired;
use super::super::{PaperTests, SizeFinding};
use super::{Check, Evidence, Judge, Outcome, Quantity, Scope, effect, finding};
use crate::format;

/// `a < b = c` is about speeds: a is slower than b, and b as fast as c.
pub(super) fn ordering(judge: &Judge<'_>, text: &str, scope: &Scope<'_>, evidence: &mut Evidence) {
    let words: Vec<&str> = text.split_whitespace().collect();
    for size in &scope.sizes {
        let tests = size.tests.as_ref().or(scope.group.tests.as_ref());
        let of = |mac: &str| judge.places(size, |own| own == mac);
        for mac in words.iter().step_by(2).filter(|mac| of(mac).is_empty()) {
            evidence.lacks(format!("{mac} at {}", format::bytes(size.len_bytes)));
        }
        for step in words.windows(3).step_by(2) {
            let wanted = if step[1] == "=" { Relation::Equal } else { Relation::Less };
            for slow in of(step[0]) {
                let checks = of(step[2]).into_iter();
                let checks = checks.filter_map(|fast| judge.pair(slow, fast, wanted, tests));
                evidence.checks.extend(checks);
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
    for size in &scope.sizes {
        let fasts = places_of(judge, size, faster);
        for slow in places_of(judge, size, than) {
            let others = fasts.iter().filter(|&&fast| fast != slow);
            let checks = others.filter_map(|&fast| judge.pair(slow, fast, Relation::Less, None));
            evidence.checks.extend(checks);
        }
    }
}

fn places_of(judge: &Judge<'_>, size: &SizeFinding, macs: &[String]) -> Vec<usize> {
    judge.places(size, |mac| fits_any(macs, mac))
}

impl Judge<'_> {
    /// How many times faster `fast` is than `slow`.
    pub(super) fn compare(&self, slow: usize, fast: usize) -> Option<Comparison> {
        let (_, pair) = paired(&[&self.series[fast], &self.series[slow]]);
        let (confidence, margin) = (self.levels.confidence, self.levels.margin);
        Comparison::between(&pair[0], &pair[1], confidence, margin).ok()
    }

    /// `slow` is said to take longer than `fast`, or just as long.
    fn pair(
        &self,
        slow: usize,
        fast: usize,
        wanted: Relation,
        tests: Option<&PaperTests>,
    ) -> Option<Check> {
        let comparison = self.compare(slow, fast)?;
        let outcome = match (wanted, comparison.verdict) {
            (Relation::Less, Verdict::Faster) | (Relation::Equal, Verdict::Equivalent) => {
                Outcome::Holds
            }
            (_, Verdict::Slower) | (Relation::Equal, Verdict::Faster) => Outcome::Contradicted,
            (Relation::Equal, _) if self.paper_shows_none(tests, slow, fast) => {
                Outcome::HoldsByPaper
            }
            _ => Outcome::Open,
        };
        Some(check(slow, fast, &comparison, outcome, wanted == Relation::Less))
    }

    /// Whether the paper's one-tailed signed-rank test leaves the two equal.
    fn paper_shows_none(&self, tests: Option<&PaperTests>, slow: usize, fast: usize) -> bool {
        let Some(tests) = tests else { return false };
        let candidate = |at: usize| &self.cells[at].cell.candidate;
        let name = |at: usize| {
            let mut columns = tests.columns.iter();
            columns.find(|(_, own)| candidate(*own) == candidate(at)).map(|(name, _)| name)
        };
        let (Some(slow), Some(fast)) = (name(slow), name(fast)) else { return false };
        let pair =
            tests.analysis.wilcoxon.iter().find(|pair| {
                (&pair.a, &pair.b) == (slow, fast) || (&pair.a, &pair.b) == (fast, slow)
            });
        pair.is_some_and(|pair| pair.test.p_one_tailed >= self.levels.alpha.value())
    }
}

/// The comparison of two cells of one size, whose ratio is of the time of `slow` over `fast`'s.
pub(super) fn check(
    slow: usize,
    fast: usize,
    comparison: &Comparison,
    outcome: Outcome,
    strict: bool,
) -> Check {
    let over = finding(comparison.ratio.ratio, comparison.ratio.interval.as_ref());
    Check {
        effect: effect(slow, fast, over, Quantity::Time),
        verdict: comparison.verdict,
        outcome,
        strict,
        size: comparison.ratio.log_ratio.abs(),
        unpaired: false,
        inverted: false,
        bounds: vec![],
        aside: None,
    }
}
