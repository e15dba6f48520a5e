//! Cells of two runs, each pair with its ratio, interval and verdict.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::Cell;
use lab::plan::is_floor;
use lab::record::Run;
use stats::{
    Alpha, Confidence, MannWhitney, Margin, RatioInterval, Sample, Shift, TwoSamples, Verdict,
    exp_even, joint_two_sample_p,
};

use super::ComparedCell;
use crate::findings::{Interval, Unit, series};

/// With more launches in a run than these, Holm's correction reaches any number of pairs.
const FEW: usize = 32;

/// What a cell's times are made of.
pub(super) type Values = Vec<(Cell, Times)>;

/// Times by the number of what is repeated: of a launch, or of a repetition in a file.
pub(super) type Repeated = BTreeMap<u32, f64>;

/// Times of a call, a value for each launch; for each block where launches are too few.
#[derive(Debug, Clone)]
pub(super) struct Times {
    ns: Repeated,
    unit: Unit,
}

/// Two samples of times held against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Later over earlier.
    pub ratio: f64,
    /// Its interval; absent where there are too few values.
    pub interval: Option<Interval>,
    /// Chance of a difference so far beyond the margin on the side where it lies if there were
    /// none; of both sides, and not adjusted for others.
    p: f64,
    is_slower: bool,
}

impl Judged {
    /// `after` against `before`, positive times in one unit.
    #[must_use]
    pub fn of(before: &[f64], after: &[f64], margin: Margin) -> Option<Self> {
        let logs = |times: &[f64]| Sample::new(times.iter().map(|it| it.ln()).collect()).ok();
        let (old, new) = (logs(before)?, logs(after)?);
        let shift = Shift::between(&old, &new, Confidence::default());
        let log_ratio =
            shift.map_or_else(|| stats::median(&new) - stats::median(&old), |it| it.estimate);
        let slower = MannWhitney::of(&old, &new, margin.log()).p_greater;
        let faster = MannWhitney::of(&old, &new, -margin.log()).p_less;
        Some(Judged {
            ratio: exp_even(log_ratio),
            interval: shift.map(|it| Interval {
                low: exp_even(it.low),
                high: exp_even(it.high),
                confidence: it.confidence_achieved,
            }),
            p: (2.0 * slower.min(faster)).min(1.0),
            is_slower: slower < faster,
        })
    }

    /// What it amounts to if `p_adjusted` is the chance that belongs to it.
    fn verdict(&self, p_adjusted: f64, margin: Margin) -> Verdict {
        if p_adjusted <= Alpha::FIVE_PERCENT.value() {
            return if self.is_slower { Verdict::Slower } else { Verdict::Faster };
        }
        let interval = self.interval.map(|it| RatioInterval {
            low: it.low,
            high: it.high,
            log_low: it.low.ln(),
            log_high: it.high.ln(),
            confidence_achieved: it.confidence,
        });
        // One cell's own interval does not show a difference among many cells.
        match Verdict::of(interval.as_ref(), margin) {
            Verdict::Faster | Verdict::Slower => Verdict::Undecided,
            other => other,
        }
    }
}

/// Pairs judged, earlier and later, each with its p adjusted for all of them and its verdict;
/// `None` stays so.
///
/// Two tests share the error, half of it each, where launches are few. Holm's correction of each
/// pair's own test is not misled by a disturbed launch, but needs more launches for more pairs:
/// with six in each run it shows nothing among more than 11. The joint test needs no more, but a
/// disturbed launch widens it.
pub(super) fn judged(
    pairs: &[Option<[&Repeated; 2]>],
    margin: Margin,
) -> Vec<Option<(Judged, f64, Verdict)>> {
    let alone = |[before, after]: &[&Repeated; 2]| {
        let [before, after] = [before, after].map(|it| it.values().copied().collect::<Vec<_>>());
        Judged::of(&before, &after, margin)
    };
    let all: Vec<Option<Judged>> = pairs.iter().map(|pair| alone(pair.as_ref()?)).collect();
    let judged: Vec<&[&Repeated; 2]> =
        pairs.iter().zip(&all).filter(|it| it.1.is_some()).filter_map(|it| it.0.as_ref()).collect();
    let chances: Vec<f64> = all.iter().flatten().map(|it| it.p).collect();
    let by_holm = stats::holm(&chances).unwrap_or_default();
    // Those in which nothing was timed, such as a first look, are no launches here.
    let launches: [BTreeSet<u32>; 2] =
        [0, 1].map(|side| judged.iter().flat_map(|pair| pair[side].keys().copied()).collect());
    if launches.iter().any(|it| it.len() > FEW) {
        let mut adjusted = by_holm.into_iter();
        return with_verdicts(all, || adjusted.next(), margin);
    }
    let side = |sign: f64| {
        let hypotheses: Vec<TwoSamples> =
            judged.iter().map(|pair| beyond(pair, &launches, sign, margin)).collect();
        joint_two_sample_p(&hypotheses)
    };
    let [slower, faster] = [1.0, -1.0].map(side);
    let mut adjusted = by_holm
        .into_iter()
        .zip(slower.into_iter().zip(faster))
        // Of both sides, and of both tests.
        .map(|(holm, (slower, faster))| (2.0 * holm.min(2.0 * slower.min(faster))).min(1.0));
    with_verdicts(all, || adjusted.next(), margin)
}

/// Each with the next of the adjusted p-values.
fn with_verdicts(
    all: Vec<Option<Judged>>,
    mut adjusted: impl FnMut() -> Option<f64>,
    margin: Margin,
) -> Vec<Option<(Judged, f64, Verdict)>> {
    let mut one = |own: Option<Judged>| {
        let (own, p) = (own?, adjusted()?);
        Some((own, p, own.verdict(p, margin)))
    };
    all.into_iter().map(&mut one).collect()
}

/// By how much a pair lies beyond the margin on one side: 1 where it is slower, -1 where it is
/// faster.
fn beyond(
    [before, after]: &[&Repeated; 2],
    launches: &[BTreeSet<u32>; 2],
    sign: f64,
    margin: Margin,
) -> TwoSamples {
    let logs = |of: &Repeated, launches: &BTreeSet<u32>, less: f64| {
        launches.iter().map(|at| of.get(at).map(|ns| sign * ns.ln() - less)).collect()
    };
    let [old, new] = launches;
    TwoSamples { a: logs(before, old, 0.0), b: logs(after, new, margin.log()) }
}

/// The times of every cell that has any; what an empty call takes is no MAC's.
pub(super) fn values(run: &Run) -> Values {
    let all = series::all(run);
    // As in tables: launches for open claims are of another kind.
    let all = series::told(&all);
    let named = run.cells.iter().zip(all.iter()).map(|(record, series)| {
        let unit = series.unit();
        let ns = series.values(unit).clone();
        (record.cell.clone(), Times { ns, unit })
    });
    let is_told =
        |(cell, own): &(Cell, Times)| !own.ns.is_empty() && !is_floor(&cell.candidate.mac);
    named.filter(is_told).collect()
}

/// Every cell that both runs have, the largest change first. A cell whose code path is another one
/// in the later run is the same cell, if there is no doubt which.
pub(super) fn rows<'a>(old: &'a Values, new: &'a Values, margin: Margin) -> Vec<ComparedCell> {
    let pairs = pairs(old, new);
    let of_launches = |(_, before, after): &(&'a Cell, &'a (Cell, Times), &'a Times)| {
        let is_launch = before.1.unit == Unit::Launch && after.unit == Unit::Launch;
        is_launch.then_some([&before.1.ns, &after.ns])
    };
    let repeated: Vec<Option<[&Repeated; 2]>> = pairs.iter().map(of_launches).collect();
    let judged = judged(&repeated, margin);
    let row = |(pair, judged)| compared(pair, judged);
    let mut rows: Vec<ComparedCell> = pairs.into_iter().zip(judged).filter_map(row).collect();
    let change = |row: &ComparedCell| row.ratio.ln().abs();
    rows.sort_by(|x, y| change(y).total_cmp(&change(x)));
    rows
}

fn compared(
    (cell, before, after): (&Cell, &(Cell, Times), &Times),
    judged: Option<(Judged, f64, Verdict)>,
) -> Option<ComparedCell> {
    let median = |times: &Times| {
        let values = times.ns.values().copied().collect();
        Sample::new(values).ok().map(|it| stats::median(&it))
    };
    let (before_ns, after_ns) = (median(&before.1)?, median(after)?);
    let (was, is) = (&before.0.candidate.kernel, &cell.candidate.kernel);
    Some(ComparedCell {
        cell: cell.clone(),
        before_ns,
        after_ns,
        ratio: judged.map_or(after_ns / before_ns, |it| it.0.ratio),
        interval: judged.and_then(|it| it.0.interval),
        p_adjusted: judged.map(|it| it.1),
        verdict: judged.map_or(Verdict::CannotConclude, |it| it.2),
        kernel_before: (was != is).then(|| was.clone()),
    })
}

/// Cells of the later run with their counterparts.
fn pairs<'a>(old: &'a Values, new: &'a Values) -> Vec<(&'a Cell, &'a (Cell, Times), &'a Times)> {
    let by_cell: BTreeMap<&Cell, &(Cell, Times)> = old.iter().map(|it| (&it.0, it)).collect();
    let is_new: BTreeSet<&Cell> = new.iter().map(|it| &it.0).collect();
    let mut gone: BTreeMap<Cell, Vec<&(Cell, Times)>> = BTreeMap::new();
    for it in old.iter().filter(|it| !is_new.contains(&it.0)) {
        gone.entry(on_any_path(&it.0)).or_default().push(it);
    }
    let mut come: BTreeMap<Cell, usize> = BTreeMap::new();
    for (cell, _) in new.iter().filter(|it| !by_cell.contains_key(&it.0)) {
        *come.entry(on_any_path(cell)).or_default() += 1;
    }
    let other = |cell: &Cell| {
        let key = on_any_path(cell);
        match gone.get(&key).map(Vec::as_slice) {
            Some([one]) if come.get(&key) == Some(&1) => Some(*one),
            _ => None,
        }
    };
    let found = new.iter().filter_map(|(cell, times)| {
        let before = by_cell.get(cell).copied().or_else(|| other(cell))?;
        Some((cell, before, times))
    });
    found.collect()
}

fn on_any_path(cell: &Cell) -> Cell {
    super::on(cell, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even numbers from 0 to 1 (G. Marsaglia's xorshift), the same in every run.
    fn random(state: &mut u64) -> f64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Launches around `ns` that differ by about 0.6 %, with one in ten that was disturbed.
    fn launches(number: u32, ns: f64, state: &mut u64) -> Repeated {
        let mut one = |at| {
            let spread: f64 = (0..4).map(|_| random(state) - 0.5).sum::<f64>() * 0.01;
            let disturbed = if random(state) < 0.1 { 0.2 * random(state) } else { 0.0 };
            (at, ns * (spread + disturbed).exp())
        };
        (0..number).map(&mut one).collect()
    }

    fn verdicts(number: u32, ratios: &[f64], state: &mut u64) -> Vec<Verdict> {
        let mut one =
            |ratio: &f64| [1.0, *ratio].map(|times| launches(number, 100.0 * times, state));
        let all: Vec<[Repeated; 2]> = ratios.iter().map(&mut one).collect();
        let pairs: Vec<Option<[&Repeated; 2]>> =
            all.iter().map(|pair| Some(pair.each_ref())).collect();
        let judged = judged(&pairs, Margin::new(0.02).unwrap());
        judged.into_iter().map(|it| it.unwrap().2).collect()
    }

    #[test]
    fn nothing_is_found_where_nothing_is_and_what_is_there_is_found() {
        let mut state = 0x2545_f491_4f6c_dd1d;
        let is_found = |it: &Verdict| matches!(it, Verdict::Slower | Verdict::Faster);
        // At the margin itself, where most is found by chance: 5 % of 400 families are 20.
        let alarms =
            (0..400).filter(|_| verdicts(12, &[1.02; 20], &mut state).iter().any(is_found)).count();
        assert!(alarms <= 29, "{alarms} of 400");
        let mut ratios = [1.0; 20];
        (ratios[3], ratios[7]) = (1.25, 0.8);
        let found = (0..100).filter(|_| {
            let verdicts = verdicts(12, &ratios, &mut state);
            verdicts[3] == Verdict::Slower && verdicts[7] == Verdict::Faster
        });
        assert!(found.count() >= 95);
    }

    /// Two default surveys.
    #[test]
    fn a_difference_is_found_among_any_number_of_cells() {
        let mut state = 0x1405_7b7e_f767_814f;
        let is_found = |it: &Verdict| matches!(it, Verdict::Slower | Verdict::Faster);
        let mut ratios = vec![1.0; 3000];
        assert!(!verdicts(7, &ratios, &mut state).iter().any(is_found));
        (ratios[3], ratios[7]) = (2.0, 0.5);
        let one = verdicts(7, &ratios, &mut state);
        assert_eq!((one[3], one[7]), (Verdict::Slower, Verdict::Faster));
        assert_eq!(one.iter().filter(|it| is_found(it)).count(), 2);
        let all = verdicts(7, &[2.0; 3000], &mut state);
        assert!(all.iter().all(|it| *it == Verdict::Slower));
    }

    /// At the margin itself, of families too large for Holm's correction.
    #[test]
    fn large_families_alarm_in_at_most_one_of_twenty() {
        let mut state = 0x5851_f42d_4c95_7f2d;
        let is_found = |it: &Verdict| matches!(it, Verdict::Slower | Verdict::Faster);
        let alarms =
            (0..200).filter(|_| verdicts(6, &[1.02; 100], &mut state).iter().any(is_found)).count();
        // 5 % of 200 are 10; 17 has a chance of 1 in 100.
        assert!(alarms <= 17, "{alarms} of 200");
    }

    #[test]
    fn intervals_hold_the_ratio() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let margin = Margin::new(0.02).unwrap();
        let mut held = 0;
        for _ in 0..400 {
            let times = [50.0, 60.0].map(|ns| launches(12, ns, &mut state));
            let [before, after] = times.map(|it| it.into_values().collect::<Vec<_>>());
            let interval = Judged::of(&before, &after, margin).unwrap().interval.unwrap();
            held += usize::from(interval.low <= 1.2 && 1.2 <= interval.high);
        }
        assert!((372..=395).contains(&held), "{held} of 400");
    }
}
