//! The order changes with the length of messages: some pair is shown in one order at one length and
//! in the opposite order at another. One pair is enough, so all of them are one comparison; that
//! none changes places is shown only where every pair is told apart, or equivalent, at every
//! length.

use std::collections::BTreeMap;

use lab::study::fits_any;
use stats::Verdict;

use super::{Check, Evidence, Judge, Outcome, Scope, pairs};

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
    let lengths = pairs.iter().map(Vec::len).max().unwrap_or(0);
    let shown = |check: &&Check| matches!(check.verdict, Verdict::Faster | Verdict::Slower);
    let total = pairs.len();
    let changing = pairs.iter().filter(|pair| changes(pair).is_some()).count();
    let told = pairs.iter().flatten().any(|check| shown(&check));
    let open = pairs
        .iter()
        .flatten()
        .find(|check| matches!(check.verdict, Verdict::Undecided | Verdict::CannotConclude));
    let strongest = pairs.iter().filter_map(|pair| changes(pair)).max_by(|x, y| {
        let weaker = |it: &(&Check, &Check)| it.0.size.min(it.1.size);
        weaker(x).total_cmp(&weaker(y))
    });
    let none = |what: [&str; 2], does: &str| match total {
        1 => format!("the pair {} {does}", what[0]),
        _ => format!("none of {total} pairs {} {does}", what[1]),
    };
    let telling = match (strongest, open) {
        (Some((short, long)), _) => {
            let verb = if changing == 1 { "changes" } else { "change" };
            let opposite = judge.words(long);
            let plural = if total == 1 { "pair" } else { "pairs" };
            let count = format!("{changing} of {total} {plural} {verb} places");
            Some((short, Outcome::Holds, format!("but {opposite}; {count}")))
        }
        (None, Some(open)) => {
            let does = format!("shown to change places over {lengths} lengths");
            let aside = none(["is not", "is"], &does);
            Some((open, Outcome::Open, aside))
        }
        (None, None) if told => {
            // The pair that comes nearest to a change of places.
            let narrowest = pairs.iter().flatten().filter(shown);
            let narrowest = narrowest.min_by(|x, y| x.size.total_cmp(&y.size));
            let does = format!("places over {lengths} lengths");
            let aside = none(["does not change", "changes"], &does);
            narrowest.map(|check| (check, Outcome::Contradicted, aside))
        }
        (None, None) => pairs.iter().flatten().next().map(|check| {
            let aside = none(["is not", "is"], "told apart");
            (check, Outcome::Open, aside)
        }),
    };
    if let Some((check, outcome, aside)) = telling {
        evidence.checks.push(Check { outcome, aside: Some(aside), ..check.clone() });
    }
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
                let Some(comparison) = judge.compare(first, second) else { continue };
                let check = pairs::check(first, second, &comparison, Outcome::Open, true);
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
    let strongest = |wanted: Verdict| {
        let own = pair.iter().enumerate().filter(|(_, check)| check.verdict == wanted);
        own.max_by(|x, y| x.1.size.total_cmp(&y.1.size))
    };
    let (one, other) = (strongest(Verdict::Faster)?, strongest(Verdict::Slower)?);
    Some(if one.0 < other.0 { (one.1, other.1) } else { (other.1, one.1) })
}
