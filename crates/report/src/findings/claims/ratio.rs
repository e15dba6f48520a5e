//! One mac takes so many times as long as another: between the two ends that were claimed.

use std::collections::{BTreeMap, BTreeSet};

use lab::study::ClaimedRatio;
use stats::Margin;

use super::check::Claimed;
use super::{Evidence, Judge, Scope};

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
    // The two ends are what counts as so many times; a margin beside them would be a second one.
    let exact = Margin::ZERO;
    let wanted = match claimed.most {
        Some(most) => Claimed::within(claimed.least, most, exact),
        None => Claimed::beyond(claimed.least, exact),
    };
    let one_for_all = !claimed.faster.contains('*');
    let key_len = |at: usize| judge.cells[at].cell.key_len_bytes;
    let has_like = |all: &BTreeSet<usize>, it: usize, other: usize| {
        let mac = |at: usize| &judge.cells[at].cell.candidate.mac;
        all.iter().any(|&at| mac(at) == mac(it) && key_len(at) == key_len(other))
    };
    for all in by_len.into_values() {
        let mut by_star: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for &slower in &all {
            let Some(own) = star(&claimed.slower, slower) else { continue };
            let is_meant = |&&it: &&usize| {
                star(&claimed.faster, it).is_some_and(|other| match one_for_all {
                    // A mac may be there with keys of several lengths: then with that of the other.
                    true => key_len(it) == key_len(slower) || !has_like(&all, it, slower),
                    false => other == own,
                })
            };
            let fasters = all.iter().filter(is_meant);
            by_star.entry(own).or_default().extend(fasters.map(|&faster| (slower, faster)));
        }
        for pairs in by_star.into_values() {
            let pairs = judge.alike(pairs, scope.choose).into_iter();
            let pairs = pairs.filter(|(slower, faster)| slower != faster);
            let checks = pairs.map(|(slow, fast)| judge.compare(slow, fast, wanted));
            evidence.checks.extend(checks);
        }
    }
}
