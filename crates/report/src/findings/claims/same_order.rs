//! The order is the same in several regimes, by Kendall's rank correlation: of each pair it is
//! asked in each regime which takes longer, or whether both take the same. A pair counts for the
//! correlation where it has the same answer in both regimes, against it where it has opposite ones,
//! and not at all where it is equal in one only. Pairs that are not told apart may be either: the
//! claim is decided where that does not matter.

use lab::cell::Regime;
use lab::study::fits_any;
use stats::Kendall;

use super::check::{self, Check, Claimed, Outcome};
use super::{Evidence, Judge, Scope};
use crate::format;
use crate::regimes::contrasted;

/// Two macs at one length, in one regime and the other.
struct Pair {
    checks: [Check; 2],
}

/// What a pair says.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    Same,
    Opposite,
    EqualInOne,
    Open,
}

pub(super) fn gather(
    judge: &Judge<'_>,
    (macs, least): (&[String], f64),
    regimes: &[Regime],
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    let cell = |at: usize| &judge.cells[at].cell;
    let mut lengths: Vec<u64> = scope.sizes.iter().map(|size| size.len_bytes).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for len in lengths {
        let sizes = scope.sizes.iter().filter(|size| size.len_bytes == len);
        let all: Vec<usize> =
            sizes.flat_map(|size| judge.places(size, |mac| fits_any(macs, mac))).collect();
        let of = |regime: Regime| -> Vec<usize> {
            let mut own: Vec<usize> =
                all.iter().copied().filter(|&at| cell(at).regime == regime).collect();
            own.sort_by_key(|&at| &cell(at).candidate);
            own
        };
        // A machine has not all that the claim names.
        let mut there = regimes.iter().map(|regime| of(*regime)).filter(|own| own.len() > 1);
        let Some(first) = there.next() else { continue };
        for other in there {
            evidence.checks.extend(one(judge, least, len, (&first, &other), scope));
        }
    }
}

/// The order in one regime against that in another.
fn one(
    judge: &Judge<'_>,
    least: f64,
    len: u64,
    (first, other): (&[usize], &[usize]),
    scope: &Scope<'_>,
) -> Option<Check> {
    let candidate = |at: usize| &judge.cells[at].cell.candidate;
    let both: Vec<(usize, usize)> = first
        .iter()
        .filter_map(|&own| Some((own, *other.iter().find(|&&at| candidate(at) == candidate(own))?)))
        .collect();
    let pairs = compared(judge, &both, scope);
    let count = |said: Said| pairs.iter().filter(|pair| pair.says() == said).count();
    let [same, opposite, open] = [Said::Same, Said::Opposite, Said::Open].map(count);
    let total = pairs.len() as f64;
    let share = |open: f64| (same as f64 - opposite as f64 + open) / total;
    let outcome = match () {
        () if share(-(open as f64)) >= least => Outcome::Holds,
        () if share(open as f64) < least => Outcome::Contradicted,
        () => Outcome::Open,
    };
    let telling = telling(&pairs)?;
    let times = |which: fn(&(usize, usize)) -> usize| -> Option<Vec<f64>> {
        both.iter().map(|it| judge.cells[which(it)].median_ns).collect()
    };
    let tau = Kendall::between(&times(|it| it.0)?, &times(|it| it.1)?).ok()?.tau;
    let regime = |own: &[usize]| judge.cells[own[0]].cell.regime;
    let [one, two] = contrasted(regime(first), regime(other)).own;
    let in_brief = format!(
        "at {} Kendall's tau between the orders of {} MACs {one} and {two} is {tau:.2}",
        format::bytes(len),
        both.len(),
    );
    let rest = format!(
        "({least} or more is claimed): of {} pairs {same} are in the same order or equal in both, \
         {opposite} in opposite orders, {open} not told apart",
        pairs.len(),
    );
    let said = check::Said { in_brief, rest };
    Some(Check { outcome, settled: true, said: Some(said), ..telling.clone() })
}

/// Each pair of macs of these, which are cells of one regime and of the other.
fn compared(judge: &Judge<'_>, both: &[(usize, usize)], scope: &Scope<'_>) -> Vec<Pair> {
    let mac = |it: &(usize, usize)| &judge.cells[it.0].cell.candidate.mac;
    let mut pairs = Vec::new();
    for (number, one) in both.iter().enumerate() {
        for two in both[number + 1..].iter().filter(|it| mac(it) != mac(one)) {
            pairs.push((*one, *two));
        }
    }
    let kept = judge.alike(pairs.iter().map(|(one, two)| (one.0, two.0)).collect(), scope.choose);
    pairs.retain(|(one, two)| kept.contains(&(one.0, two.0)));
    let equal = Claimed::equal(judge.levels.margin);
    let mut checks: Vec<Check> = pairs
        .iter()
        .flat_map(|(one, two)| [(one.0, two.0), (one.1, two.1)])
        .map(|(one, two)| judge.compare(one, two, equal))
        .collect();
    judge.decide(&mut checks);
    let pair = |own: &[Check]| Pair { checks: [own[0].clone(), own[1].clone()] };
    checks.chunks_exact(2).map(pair).collect()
}

impl Pair {
    fn says(&self) -> Said {
        let [one, other] = &self.checks;
        let is = |outcome: Outcome| [one, other].map(|it| it.outcome == outcome);
        let is_longer = |it: &Check| it.log_ratio > Some(0.0);
        match (is(Outcome::Contradicted), is(Outcome::Holds)) {
            ([true, true], _) if is_longer(one) == is_longer(other) => Said::Same,
            ([true, true], _) => Said::Opposite,
            (_, [true, true]) => Said::Same,
            ([true, _], [_, true]) | ([_, true], [true, _]) => Said::EqualInOne,
            _ => Said::Open,
        }
    }
}

/// The comparison that stands for all: of a pair in opposite orders, else of one that is open, else
/// the narrowest.
fn telling(pairs: &[Pair]) -> Option<&Check> {
    let of = |said: Said| {
        pairs.iter().filter(move |pair| pair.says() == said).flat_map(|pair| &pair.checks)
    };
    let opposite = of(Said::Opposite).max_by(|x, y| x.size().total_cmp(&y.size()));
    let open = || {
        let own = of(Said::Open).filter(|check| check.outcome == Outcome::Open);
        own.max_by(|x, y| x.shrink().total_cmp(&y.shrink()))
    };
    let narrowest = || {
        let all = pairs.iter().flat_map(|pair| &pair.checks);
        all.min_by(|x, y| x.size().total_cmp(&y.size()))
    };
    opposite.or_else(open).or_else(narrowest)
}
