//! The order changes with the length of messages: some pair is shown in one order at one length and
//! in the opposite order at another, by the joint test of all pairs at all lengths. One pair is
//! enough, so all of them are one comparison; that none changes places is shown only where every
//! pair is told apart, or equal, at every length.

use std::collections::BTreeMap;

use lab::study::fits_any;

use super::check::{Check, Claimed, Outcome};
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
    let weaker = |it: &(&Check, &Check)| it.0.size().min(it.1.size());
    let changing: Vec<(&Check, &Check)> = pairs.iter().filter_map(changes).collect();
    let strongest = changing.iter().max_by(|x, y| weaker(x).total_cmp(&weaker(y)));
    let settled = |check: &Check, outcome: Outcome, aside: String| {
        let aside = Some(aside);
        Some(Check { outcome, aside, settled: true, ..check.clone() })
    };
    if let Some((short, long)) = strongest {
        let verb = if changing.len() == 1 { "changes" } else { "change" };
        let plural = if total == 1 { "pair" } else { "pairs" };
        let count = format!("{} of {total} {plural} {verb} places", changing.len());
        let aside = format!("but {}; {count}", judge.words(long));
        return settled(short, Outcome::Holds, aside);
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
