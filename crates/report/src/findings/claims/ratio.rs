//! One mac takes so many times as long as another: between the two ends that were claimed.

use std::collections::{BTreeMap, BTreeSet};

use lab::study::ClaimedRatio;

use super::{Check, Evidence, Judge, Outcome, Scope, pairs};

pub(super) fn gather(
    judge: &Judge<'_>,
    claimed: &ClaimedRatio,
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let star = |pattern: &str, at: usize| -> Option<&str> {
        ClaimedRatio::star(pattern, &judge.cells[at].cell.candidate.mac)
    };
    let mut by_len: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    for size in &scope.sizes {
        by_len.entry(size.len_bytes).or_default().extend(judge.places(size, |_| true));
    }
    let one_for_all = !claimed.faster.contains('*');
    for all in by_len.into_values() {
        let mut by_star: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for &slower in &all {
            let Some(own) = star(&claimed.slower, slower) else { continue };
            let is_meant = |&&it: &&usize| {
                star(&claimed.faster, it).is_some_and(|other| one_for_all || other == own)
            };
            let fasters = all.iter().filter(is_meant);
            by_star.entry(own).or_default().extend(fasters.map(|&faster| (slower, faster)));
        }
        for pairs in by_star.into_values() {
            let pairs = judge.alike(pairs, scope.choose).into_iter();
            let pairs = pairs.filter(|(slower, faster)| slower != faster);
            let checks = pairs.filter_map(|(slow, fast)| check(judge, claimed, slow, fast));
            evidence.checks.extend(checks);
        }
    }
}

fn check(judge: &Judge<'_>, claimed: &ClaimedRatio, slow: usize, fast: usize) -> Option<Check> {
    let comparison = judge.compare(slow, fast)?;
    let (least, most) = (claimed.least.ln(), claimed.most.ln());
    let outcome = match &comparison.ratio.interval {
        Some(it) if it.log_low >= least && it.log_high <= most => Outcome::Holds,
        Some(it) if it.log_high < least || it.log_low > most => Outcome::Contradicted,
        _ => Outcome::Open,
    };
    let to_ends = [comparison.ratio.log_ratio - least, most - comparison.ratio.log_ratio];
    // Inside, the nearer end; outside, the one that was passed.
    let size = to_ends[0].min(to_ends[1]).abs();
    let bounds = vec![claimed.least, claimed.most];
    Some(Check { size, bounds, ..pairs::check(slow, fast, &comparison, outcome, true) })
}
