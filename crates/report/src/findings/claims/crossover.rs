//! One mac overtakes another as messages grow: up to one length the first is faster, from another
//! on the second. Between them nothing is claimed. At the shortest and at the longest length, and
//! at the two that are named, the faster one must be shown to be so; at others it must only not be
//! slower.

use lab::study::{ClaimedCrossover, fits};

use super::check::Claimed;
use super::{Evidence, Judge, Scope};
use crate::format;

/// Two candidates, by the cells of one length, as many as there are lengths on a side.
struct Rivals {
    sides: [Vec<(usize, usize)>; 2],
}

pub(super) fn gather(
    judge: &Judge<'_>,
    claimed: &ClaimedCrossover,
    scope: &Scope<'_>,
    evidence: &mut Evidence,
) {
    for Rivals { sides } in rivals(judge, claimed, scope) {
        let [from, to] = [claimed.from, claimed.to].map(format::bytes);
        let sought = [format!("{from} and less"), format!("{to} and more")];
        for (side, (mut pairs, lengths)) in sides.into_iter().zip(sought).enumerate() {
            if pairs.is_empty() {
                let ClaimedCrossover { below, above, .. } = claimed;
                evidence.lacks(format!("{below} and {above} at {lengths}"));
            }
            // Lengths ascend: the outermost is first below, and last above.
            if side == 1 {
                pairs.reverse();
            }
            let margin = judge.levels.margin;
            let checks = pairs.into_iter().enumerate().map(|(at, (slow, fast))| {
                let len = judge.cells[slow].cell.len_bytes;
                let is_named = [claimed.from, claimed.to].contains(&len);
                let claimed = match at == 0 || is_named {
                    true => Claimed::longer(margin),
                    false => Claimed::not_shorter(margin),
                };
                judge.compare(slow, fast, claimed)
            });
            evidence.checks.extend(checks);
        }
    }
}

fn rivals(judge: &Judge<'_>, claimed: &ClaimedCrossover, scope: &Scope<'_>) -> Vec<Rivals> {
    let candidate = |at: usize| &judge.cells[at].cell.candidate;
    let mut rivals: Vec<((usize, usize), Rivals)> = Vec::new();
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
            let is_known = |((own_below, own_above), _): &&mut ((usize, usize), Rivals)| {
                candidate(*own_below) == candidate(below)
                    && candidate(*own_above) == candidate(above)
            };
            let pair = if side == 0 { (above, below) } else { (below, above) };
            match rivals.iter_mut().find(is_known) {
                Some((_, known)) => known.sides[side].push(pair),
                None => {
                    let mut sides = [vec![], vec![]];
                    sides[side].push(pair);
                    rivals.push(((below, above), Rivals { sides }));
                }
            }
        }
    }
    rivals.into_iter().map(|(_, rivals)| rivals).collect()
}
