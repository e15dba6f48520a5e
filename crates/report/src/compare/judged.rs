//! Cells of two runs, each pair with its ratio, interval and verdict.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::Cell;
use lab::plan::is_floor;
use lab::record::Run;
use stats::{
    Alpha, Confidence, MannWhitney, Margin, RatioInterval, Sample, Shift, Verdict, exp_even,
};

use super::ComparedCell;
use crate::findings::{Interval, Unit, series};

/// What a cell's times are made of.
pub(super) type Values = Vec<(Cell, Times)>;

/// Times of a call, a value for each launch; for each block where launches are too few.
#[derive(Debug, Clone)]
pub(super) struct Times {
    ns: Vec<f64>,
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

/// Verdicts of all that could be judged, corrected for their number (Holm); `None` stays so.
pub(crate) fn verdicts(all: &[Option<Judged>], margin: Margin) -> Vec<Option<(f64, Verdict)>> {
    let chances: Vec<f64> = all.iter().flatten().map(|it| it.p).collect();
    let mut adjusted = stats::holm(&chances).unwrap_or_default().into_iter();
    let one = |own: &Option<Judged>| {
        let (own, p) = (own.as_ref()?, adjusted.next()?);
        Some((p, own.verdict(p, margin)))
    };
    all.iter().map(one).collect()
}

/// The times of every cell that has any; what an empty call takes is no MAC's.
pub(super) fn values(run: &Run) -> Values {
    let all = series::all(run);
    let named = run.cells.iter().zip(&all).map(|(record, series)| {
        let unit = series.unit();
        let ns = series.values(unit).values().copied().collect();
        (record.cell.clone(), Times { ns, unit })
    });
    let is_told =
        |(cell, own): &(Cell, Times)| !own.ns.is_empty() && !is_floor(&cell.candidate.mac);
    named.filter(is_told).collect()
}

/// Every cell that both runs have, the largest change first. A cell whose code path is another one
/// in the later run is the same cell, if there is no doubt which.
pub(super) fn rows(old: &Values, new: &Values, margin: Margin) -> Vec<ComparedCell> {
    let pairs = pairs(old, new);
    let judged = |(_, before, after): &(&Cell, &(Cell, Times), &Times)| {
        let is_launch = before.1.unit == Unit::Launch && after.unit == Unit::Launch;
        is_launch.then(|| Judged::of(&before.1.ns, &after.ns, margin)).flatten()
    };
    let all: Vec<Option<Judged>> = pairs.iter().map(judged).collect();
    let verdicts = verdicts(&all, margin);
    let row = |((pair, judged), verdict)| compared(pair, judged, verdict);
    let mut rows: Vec<ComparedCell> =
        pairs.into_iter().zip(all).zip(verdicts).filter_map(row).collect();
    let change = |row: &ComparedCell| row.ratio.ln().abs();
    rows.sort_by(|x, y| change(y).total_cmp(&change(x)));
    rows
}

fn compared(
    (cell, before, after): (&Cell, &(Cell, Times), &Times),
    judged: Option<Judged>,
    verdict: Option<(f64, Verdict)>,
) -> Option<ComparedCell> {
    let median = |times: &Times| Sample::new(times.ns.clone()).ok().map(|it| stats::median(&it));
    let (before_ns, after_ns) = (median(&before.1)?, median(after)?);
    let (was, is) = (&before.0.candidate.kernel, &cell.candidate.kernel);
    Some(ComparedCell {
        cell: cell.clone(),
        before_ns,
        after_ns,
        ratio: judged.map_or(after_ns / before_ns, |it| it.ratio),
        interval: judged.and_then(|it| it.interval),
        p_adjusted: verdict.map(|it| it.0),
        verdict: verdict.map_or(Verdict::CannotConclude, |it| it.1),
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
    fn launches(ns: f64, state: &mut u64) -> Vec<f64> {
        let mut one = |_| {
            let spread: f64 = (0..4).map(|_| random(state) - 0.5).sum::<f64>() * 0.01;
            let disturbed = if random(state) < 0.1 { 0.2 * random(state) } else { 0.0 };
            ns * (spread + disturbed).exp()
        };
        (0..12).map(&mut one).collect()
    }

    fn judged(ratios: &[f64], state: &mut u64) -> Vec<Verdict> {
        let margin = Margin::new(0.02).unwrap();
        let mut one = |ratio: &f64| {
            Judged::of(&launches(100.0, state), &launches(100.0 * ratio, state), margin)
        };
        let all: Vec<Option<Judged>> = ratios.iter().map(&mut one).collect();
        verdicts(&all, margin).into_iter().map(|it| it.unwrap().1).collect()
    }

    #[test]
    fn nothing_is_found_where_nothing_is_and_what_is_there_is_found() {
        let mut state = 0x2545_f491_4f6c_dd1d;
        let is_found = |it: &Verdict| matches!(it, Verdict::Slower | Verdict::Faster);
        // At the margin itself, where most is found by chance: 5 % of 400 families are 20.
        let alarms =
            (0..400).filter(|_| judged(&[1.02; 20], &mut state).iter().any(is_found)).count();
        assert!(alarms <= 29, "{alarms} of 400");
        let mut ratios = [1.0; 20];
        (ratios[3], ratios[7]) = (1.25, 0.8);
        let found = (0..100).filter(|_| {
            let verdicts = judged(&ratios, &mut state);
            verdicts[3] == Verdict::Slower && verdicts[7] == Verdict::Faster
        });
        assert!(found.count() >= 95);
    }

    #[test]
    fn intervals_hold_the_ratio() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let margin = Margin::new(0.02).unwrap();
        let mut held = 0;
        for _ in 0..400 {
            let (before, after) = (launches(50.0, &mut state), launches(60.0, &mut state));
            let interval = Judged::of(&before, &after, margin).unwrap().interval.unwrap();
            held += usize::from(interval.low <= 1.2 && 1.2 <= interval.high);
        }
        assert!((372..=395).contains(&held), "{held} of 400");
    }
}
