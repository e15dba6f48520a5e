//! Units that are replicates of each other, each with repeats of its own: machines that measured a
//! ratio, each over launches. What they have in common is the median over units with its sign
//! interval; one unit is one value, however often it was repeated. Whether some of them differ in
//! direction is asked of their repeats: each unit has a sign test of its own, and so many small p
//! as there are do not come by chance (B. Wilkinson, *Psychol. Bull.* 48 (1951) 156–158), or the
//! smallest is too small for that (Bonferroni).

use serde::Serialize;

use crate::binomial::at_least;
use crate::level::{Alpha, Confidence, Margin};
use crate::median::median;
use crate::ratio::{RatioInterval, estimate, exp_even};
use crate::sample::{Differences, Sample};

/// What the repeats of one unit say.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unit {
    /// Median of its log ratios.
    pub log_ratio: f64,
    /// Repeats that the unit has.
    pub repeats: usize,
    /// Chance of so many repeats above the margin were it not above: one-sided sign test.
    pub p_above: f64,
    /// The same below.
    pub p_below: f64,
}

impl Unit {
    /// Of log ratios, one a repeat.
    #[must_use]
    pub fn of(log_ratios: &Differences, margin: Margin) -> Self {
        let values = log_ratios.values();
        let above = values.iter().filter(|log| **log > margin.log()).count();
        let below = values.iter().filter(|log| **log < -margin.log()).count();
        Unit {
            log_ratio: median(&log_ratios.to_sample()),
            repeats: values.len(),
            p_above: at_least(above as u64, values.len() as u64, 0.5),
            p_below: at_least(below as u64, values.len() as u64, 0.5),
        }
    }

    /// Several runs of one unit: one value, the middle of theirs, and the weakest evidence.
    #[must_use]
    pub fn joined(runs: &[Unit]) -> Option<Self> {
        let logs = Sample::new(runs.iter().map(|it| it.log_ratio).collect()).ok()?;
        let weakest = |p: fn(&Unit) -> f64| runs.iter().map(p).fold(0.0, f64::max);
        Some(Unit {
            log_ratio: median(&logs),
            repeats: runs.iter().map(|it| it.repeats).sum(),
            p_above: weakest(|it| it.p_above),
            p_below: weakest(|it| it.p_below),
        })
    }

    /// 1 where its own repeats show it above the margin at level α, −1 below, 0 neither.
    #[must_use]
    pub fn side(&self, alpha: Alpha) -> i8 {
        i8::from(self.p_above <= alpha.value()) - i8::from(self.p_below <= alpha.value())
    }
}

/// What units have in common, and whether they differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OverUnits {
    /// Units that were compared.
    pub n: usize,
    /// Median over units, as a ratio.
    pub ratio: f64,
    /// Its interval; absent where there are too few units.
    pub interval: Option<RatioInterval>,
    /// Between which ratios the next unit is, and with which chance.
    pub next: Option<NextUnit>,
    /// Chance of so many units beyond the margin on the side where more are, were the median over
    /// units within it; of both sides.
    pub p: f64,
    /// Whether more units are above.
    pub is_above: bool,
    /// Units that their own repeats show above the margin.
    pub above: usize,
    /// Those they show below.
    pub below: usize,
    /// Chance of such repeats were no unit above the margin, or none below it; the larger of both.
    pub p_opposed: f64,
}

/// Where one more unit would be, if it is drawn as the others were.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NextUnit {
    /// Lower end, as a ratio.
    pub low: f64,
    /// Upper end, as a ratio.
    pub high: f64,
    /// Chance that it lies between: (n + 1 − 2r)/(n + 1) for the r-th order statistics.
    pub chance: f64,
}

impl OverUnits {
    /// Of units; `None` without any.
    #[must_use]
    pub fn of(units: &[Unit], confidence: Confidence, margin: Margin) -> Option<Self> {
        let logs: Vec<f64> = units.iter().map(|it| it.log_ratio).collect();
        let sample = Sample::new(logs.clone()).ok()?;
        let (log_ratio, interval) = estimate(&Differences::from_values(logs).ok()?, confidence);
        let n = units.len();
        let beyond = |is: &dyn Fn(f64) -> bool| units.iter().filter(|it| is(it.log_ratio)).count();
        let above = beyond(&|log| log > margin.log());
        let below = beyond(&|log| log < -margin.log());
        let tails = [above, below].map(|count| at_least(count as u64, n as u64, 0.5));
        let side =
            |wanted| units.iter().filter(|it| it.side(Alpha::FIVE_PERCENT) == wanted).count();
        let opposed = [some(units, |it| it.p_above), some(units, |it| it.p_below)];
        Some(OverUnits {
            n,
            ratio: exp_even(log_ratio),
            interval,
            next: next(&sample, confidence),
            p: (2.0 * tails[0].min(tails[1])).min(1.0),
            is_above: above >= below,
            above: side(1),
            below: side(-1),
            p_opposed: opposed[0].max(opposed[1]),
        })
    }
}

/// Chance of these p values of independent units were all of them by chance: of as many up to 5 %
/// as there are, or of one as small as the smallest.
fn some(units: &[Unit], p: fn(&Unit) -> f64) -> f64 {
    let alpha = Alpha::FIVE_PERCENT.value();
    let small = units.iter().filter(|it| p(it) <= alpha).count();
    let smallest = units.iter().map(p).fold(1.0, f64::min);
    let by_count = at_least(small as u64, units.len() as u64, alpha);
    (2.0 * by_count.min(units.len() as f64 * smallest)).min(1.0)
}

/// The innermost order statistics between which one more value lies with this chance or more, or
/// the outermost (S. S. Wilks, *Ann. Math. Statist.* 12 (1941) 91–96).
fn next(sample: &Sample, confidence: Confidence) -> Option<NextUnit> {
    let n = sample.len();
    let cut = (1.0 - confidence.value()) / 2.0;
    // Of n + 1 places as likely as each other, so many are cut off at each end.
    let rank = ((cut * (n + 1) as f64 + 1e-9).floor() as usize).max(1);
    let (low, high) = (sample.sorted()[rank - 1], sample.sorted()[n - rank]);
    let chance = (n + 1 - 2 * rank.min(n.div_ceil(2))) as f64 / (n + 1) as f64;
    (n > 1).then(|| NextUnit { low: exp_even(low), high: exp_even(high), chance })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(log_ratio: f64, repeats: usize) -> Unit {
        let values = Differences::from_values(vec![log_ratio; repeats]).unwrap();
        Unit::of(&values, Margin::ONE_PERCENT)
    }

    fn over(logs: &[f64]) -> OverUnits {
        let units: Vec<Unit> = logs.iter().map(|log| unit(*log, 12)).collect();
        let confidence = Confidence::NINETY_FIVE_PERCENT;
        OverUnits::of(&units, confidence, Margin::ONE_PERCENT).unwrap()
    }

    #[test]
    fn one_unit_is_one_value_however_often_it_was_repeated() {
        let five = over(&[0.1; 5]);
        assert_eq!((five.n, five.interval), (5, None));
        let six = over(&[0.1, 0.11, 0.12, 0.13, 0.14, 0.15]);
        assert!((six.p - 2.0 / 64.0).abs() < 1e-12);
        let interval = six.interval.unwrap();
        assert_eq!((interval.log_low, interval.log_high), (0.1, 0.15));
        assert_eq!(six.next.unwrap().chance, 5.0 / 7.0);
        assert!(six.p_opposed > 0.99);
    }

    #[test]
    fn one_that_differs_for_sure_is_found_and_one_that_may_differ_is_not() {
        let mut logs = vec![0.1; 11];
        logs.push(-0.1);
        let eleven = over(&logs);
        assert_eq!((eleven.above, eleven.below), (11, 1));
        // Its twelve launches, among twelve machines, twice since it is asked in two ways.
        assert!((eleven.p_opposed - 24.0 / 4096.0).abs() < 1e-12);
        let mut units: Vec<Unit> = vec![unit(0.1, 12); 11];
        units.push(unit(-0.1, 4));
        let of = OverUnits::of(&units, Confidence::NINETY_FIVE_PERCENT, Margin::ONE_PERCENT);
        assert!(of.unwrap().p_opposed > 0.3);
    }

    #[test]
    fn runs_of_one_unit_are_one_value() {
        let joined = Unit::joined(&[unit(0.1, 12), unit(0.3, 12), unit(0.0, 12)]).unwrap();
        assert_eq!((joined.log_ratio, joined.repeats, joined.p_above), (0.1, 36, 1.0));
        assert_eq!(Unit::joined(&[]), None);
    }
}
