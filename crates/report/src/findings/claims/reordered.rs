//! The order changes with the length of messages: some pair is in one order at one length and in
//! the opposite order at another. One pair is enough, so all of them are one comparison. The joint
//! test of all pairs at all lengths may show one; of few launches it cannot, for it allows for all
//! that could have been chosen. So the first launch also chooses a pair and two lengths, and the
//! others test these alone, each length by a one-sided sign test: both must show it. That none
//! changes places is shown only where every pair is told apart, or equal, at every length, by the
//! joint test, and none of them in both orders.

use std::collections::BTreeMap;

use lab::study::fits_any;
use stats::{Differences, SignTest};

use super::super::Unit;
use super::check::{Check, Claimed, Outcome, Times};
use super::{Evidence, Judge, Scope};

/// Two candidates of different macs, at each length.
type Pair = Vec<Check>;

pub(super) fn gather(
    judge: &Judge<'_>,
    macs: &[String],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let mut pairs = by_length(judge, macs, scope);
    pairs.retain(|pair| pair.len() > 1);
    let mut all: Vec<Check> = pairs.iter().flatten().cloned().collect();
    judge.decide(&mut all);
    let mut decided = all.into_iter();
    for pair in &mut pairs {
        pair.iter_mut().zip(&mut decided).for_each(|(own, it)| *own = it);
    }
    evidence.checks.extend(one_of(judge, &pairs));
}

/// Told apart: each was claimed to be equal.
fn is_told_apart(check: &&Check) -> bool {
    check.outcome == Outcome::Contradicted
}

/// The comparison that stands for all.
fn one_of(judge: &Judge<'_>, pairs: &[Pair]) -> Option<Check> {
    let total = pairs.len();
    let lengths = pairs.iter().map(Vec::len).max().unwrap_or(0);
    let none = |what: [&str; 2], does: &str| match total {
        1 => format!("the pair {} {does}", what[0]),
        _ => format!("none of {total} pairs {} {does}", what[1]),
    };
    let settled = |check: &Check, outcome: Outcome, aside: String| {
        let depends = check.aside.as_ref().filter(|_| check.depends);
        let aside = depends.map_or(aside.clone(), |why| format!("{aside}; {why}"));
        Some(Check { outcome, aside: Some(aside), settled: true, ..check.clone() })
    };
    let weaker = |it: &(&Check, &Check)| it.0.size().min(it.1.size());
    let changing: Vec<(&Check, &Check)> = pairs.iter().filter_map(changes).collect();
    let strongest = changing.iter().max_by(|x, y| weaker(x).total_cmp(&weaker(y)));
    if let Some((short, long)) = strongest {
        let verb = if changing.len() == 1 { "changes" } else { "change" };
        let pairs = words::counted(total, "pair");
        let count = format!("{} of {pairs} {verb} places", changing.len());
        let aside = format!("but {}; {count}", judge.words(long));
        return settled(short, Outcome::Holds, aside);
    }
    let (margin, alpha) = (judge.levels.margin.log(), 1.0 - judge.levels.confidence.value());
    let seen = chosen(judge, pairs, margin);
    if let Some(seen) = seen.filter(|it| it.is_shown(margin, alpha)) {
        let others = seen.first.launches() - 1;
        let of = if total == 1 { String::new() } else { format!(" of {total} pairs") };
        let aside = format!(
            "but {}; chosen{of} by the first launch, and shown by the {others} others",
            judge.words(seen.other)
        );
        return settled(seen.first, Outcome::Holds, aside);
    }
    let open = pairs.iter().flatten().find(|check| check.outcome == Outcome::Open);
    if let Some(open) = open {
        let does = format!("shown to change places over {lengths} lengths");
        return settled(open, Outcome::Open, none(["is not", "is"], &does));
    }
    // The pair that comes nearest to a change of places.
    let apart = pairs.iter().flatten().filter(is_told_apart);
    if let Some(narrowest) = apart.min_by(|x, y| x.size().total_cmp(&y.size())) {
        let does = format!("places over {lengths} lengths");
        let aside = none(["does not change", "changes"], &does);
        return settled(narrowest, Outcome::Contradicted, aside);
    }
    let first = pairs.iter().flatten().next()?;
    settled(first, Outcome::Open, none(["is not", "is"], "told apart"))
}

/// Every pair of offers of two macs that fit, those of one provider where it has both.
fn by_length(judge: &Judge<'_>, macs: &[String], scope: &Scope<'_>) -> Vec<Pair> {
    let candidate = |at: usize| &judge.cells[at].cell.candidate;
    let mut known = BTreeMap::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for size in &scope.sizes {
        let mut places = judge.places(size, |mac| fits_any(macs, mac));
        places.sort_by_key(|&at| candidate(at));
        let mut of_macs: BTreeMap<(&str, &str), Vec<(usize, usize)>> = BTreeMap::new();
        for (number, &first) in places.iter().enumerate() {
            for &second in &places[number + 1..] {
                let macs = (candidate(first).mac.as_str(), candidate(second).mac.as_str());
                if macs.0 != macs.1 {
                    of_macs.entry(macs).or_default().push((first, second));
                }
            }
        }
        for own in of_macs.into_values() {
            for (first, second) in judge.alike(own, scope.choose) {
                let claimed = Claimed::equal(judge.levels.margin);
                let check = judge.compare(first, second, claimed);
                let names = (candidate(first), candidate(second));
                let at = *known.entry(names).or_insert(pairs.len());
                if at == pairs.len() {
                    pairs.push(vec![]);
                }
                pairs[at].push(check);
            }
        }
    }
    pairs
}

/// The strongest sights of a pair in either order, the shorter length first.
fn changes(pair: &Pair) -> Option<(&Check, &Check)> {
    let strongest = |first_is_slower: bool| {
        let own = pair.iter().enumerate().filter(|(_, check)| is_told_apart(check));
        let own = own.filter(|(_, check)| (check.log_ratio > Some(0.0)) == first_is_slower);
        own.max_by(|x, y| x.1.size().total_cmp(&y.1.size()))
    };
    let (one, other) = (strongest(true)?, strongest(false)?);
    Some(if one.0 < other.0 { (one.1, other.1) } else { (other.1, one.1) })
}

/// A pair at two lengths, the shorter one first, as the first launch chose them.
struct Chosen<'a> {
    first: &'a Check,
    other: &'a Check,
    launch: u32,
}

/// What the first launch shows to change places most.
fn chosen<'a>(judge: &Judge<'_>, pairs: &'a [Pair], margin: f64) -> Option<Chosen<'a>> {
    let launch = *pairs.iter().flatten().filter_map(logs).flat_map(BTreeMap::keys).min()?;
    let in_first = |check: &Check| logs(check)?.get(&launch).copied();
    let mut most: Option<(f64, Chosen<'_>)> = None;
    for pair in pairs {
        let seen = pair.iter().filter_map(|check| Some((check, in_first(check)?)));
        let is_one = |check: &Check| !check.depends && judge.disturbance(check).is_none();
        let seen: Vec<(&Check, f64)> = seen.filter(|it| is_one(it.0)).collect();
        for (at, &(first, one)) in seen.iter().enumerate() {
            for &(other, two) in &seen[at + 1..] {
                let by = one.abs().min(two.abs());
                let is_more = most.as_ref().is_none_or(|it| by > it.0);
                if one * two < 0.0 && by > margin && is_more {
                    most = Some((by, Chosen { first, other, launch }));
                }
            }
        }
    }
    most.map(|it| it.1)
}

/// Logarithms of the ratio by launch.
fn logs(check: &Check) -> Option<&BTreeMap<u32, f64>> {
    match &check.times {
        Times::Paired(Unit::Launch, logs) => Some(logs),
        _ => None,
    }
}

impl Chosen<'_> {
    /// Whether the launches after the one that chose show both lengths to differ as they did then.
    fn is_shown(&self, margin: f64, alpha: f64) -> bool {
        [self.first, self.other].iter().all(|check| {
            let Some(logs) = logs(check) else { return false };
            let Some(&seen) = logs.get(&self.launch) else { return false };
            let later = logs.iter().filter(|it| *it.0 != self.launch);
            let beyond = later.map(|it| it.1 * seen.signum() - margin).collect();
            let Ok(beyond) = Differences::from_values(beyond) else { return false };
            let test = SignTest::of(&beyond);
            test.positive > test.negative && test.p / 2.0 <= alpha
        })
    }
}
