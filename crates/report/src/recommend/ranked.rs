//! Who is fastest of several: by their values in the same launches. What is called slower is shown
//! by a test that all pairs take together (`stats::joint`), whoever turned out to be the first;
//! what is called as fast is so within the margin, by an interval; all else is too close to call.

use std::collections::BTreeSet;

use lab::record::Run;
use serde::Serialize;
use stats::{
    Alpha, Confidence, Differences, Margin, Ranking, Ratio, Sample, Table, Times, joint_p, median,
    median_interval,
};

use super::costs::Series;
use crate::findings::Interval;
use crate::format::Figure;

/// A value over launches with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Value {
    /// The median over launches.
    pub value: f64,
    /// Its 95 % interval; absent where there are too few launches.
    pub interval: Option<Interval>,
}

impl Value {
    /// Of one value a launch.
    pub(super) fn of(series: &Series) -> Option<Self> {
        let sample = Sample::new(series.values().copied().collect()).ok()?;
        let interval = median_interval(&sample, Confidence::default()).map(|it| Interval {
            low: it.low,
            high: it.high,
            confidence: it.confidence_achieved,
        });
        Some(Self { value: median(&sample), interval })
    }

    /// The same as another run on this machine would give it: one run may keep a clock frequency
    /// that the next does not have, so each end is moved outwards by the margin (docs/method.md).
    pub(super) fn of_any_run(self, margin: Margin) -> Self {
        let by = 1.0 + margin.value();
        let wider = |it: Interval| Interval { low: it.low / by, high: it.high * by, ..it };
        Self { interval: self.interval.map(wider), ..self }
    }

    /// One over it.
    pub(super) fn inverse(self) -> Self {
        let turned = |it: Interval| Interval { low: 1.0 / it.high, high: 1.0 / it.low, ..it };
        Self { value: 1.0 / self.value, interval: self.interval.map(turned) }
    }

    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        self.interval.map(|it| (it.low, it.high))
    }

    /// As a time, with its interval.
    #[must_use]
    pub fn time(&self) -> Figure {
        Figure::time(self.value, self.ends())
    }

    /// As a ratio, told beside the margin within which it counts as 1.
    #[must_use]
    pub fn ratio(&self, margin: f64) -> Figure {
        Figure::ratio(self.value, self.ends(), margin)
    }
}

/// How far one is behind another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behind {
    /// It takes longer.
    Slower,
    /// It takes less time: of two that are compared by themselves.
    Faster,
    /// It takes as long, within the margin.
    AsFast,
    /// Neither is shown.
    TooClose,
    /// There are too few launches to say anything.
    CannotSay,
}

/// Which test a p is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Of all pairs of a class at once, since the first was chosen by the same values.
    AllPairs,
    /// Of this pair alone, in both directions.
    OnePair,
}

/// One against another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Against {
    /// Its time over that of the other.
    pub ratio: Value,
    /// The p of the test that it takes longer, or less time where the verdict says so.
    pub p_adjusted: f64,
    /// Which test that is.
    pub test: Test,
    /// What it comes to.
    pub verdict: Behind,
}

/// One in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed {
    /// Its number among those that were given.
    pub(super) at: usize,
    /// Against the first; absent for the first.
    pub(super) to_first: Option<Against>,
}

/// The margin of a run.
pub(super) fn margin(run: &Run) -> Margin {
    Margin::new(run.study.margin).unwrap_or_default()
}

/// Those that have as many launches as any, by their numbers; none where nothing was measured.
fn whole(all: &[Series]) -> Vec<usize> {
    let most = all.iter().map(Series::len).max().unwrap_or(0);
    (0..all.len()).filter(|&at| most > 0 && all[at].len() == most).collect()
}

/// Several of equally many launches in the launches that they share, and their columns from the
/// fastest on.
fn ordered(all: &[Series], whole: &[usize], margin: Margin) -> Option<(Times, Vec<usize>)> {
    let shared = whole.iter().map(|&at| all[at].keys().copied().collect::<BTreeSet<u32>>());
    let shared = shared.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap_or_default();
    let values = |at: usize| shared.iter().map(|launch| all[at][launch]).collect::<Vec<f64>>();
    let columns = whole.iter().map(|&at| (at.to_string(), values(at))).collect();
    let times = Table::new(columns).and_then(Times::new).ok()?;
    let ranking = Ranking::of(&times, Confidence::default(), margin);
    let order = ranking.ranked.iter().map(|it| it.column).collect();
    Some((times, order))
}

/// The number of the fastest.
pub(super) fn first(all: &[Series], margin: Margin) -> Option<usize> {
    let whole = whole(all);
    if let [only] = whole[..] {
        return Some(only);
    }
    let (_, order) = ordered(all, &whole, margin)?;
    order.first().map(|&column| whole[column])
}

/// All that have as many launches as any, from the fastest on. One alone is the first of one:
/// there is nothing to compare it with.
pub(super) fn ranked(all: &[Series], margin: Margin) -> Vec<Placed> {
    let whole = whole(all);
    if let [at] = whole[..] {
        return vec![Placed { at, to_first: None }];
    }
    let Some((times, order)) = ordered(all, &whole, margin) else { return vec![] };
    let p = pairs_p(&order, |a, b| times.log_differences(a, b));
    let placed = |(place, &column): (usize, &usize)| {
        let against = || {
            let ratio = Ratio::of(&times.log_differences(order[0], column), Confidence::default());
            against(&ratio, Test::AllPairs, [p[place], 1.0], margin)
        };
        Placed { at: whole[column], to_first: (place > 0).then(against) }
    };
    order.iter().enumerate().map(placed).collect()
}

/// For each place the p that it takes longer than the first, among the pairs of all in both
/// directions: the first was chosen by the same values.
fn pairs_p(order: &[usize], logs: impl Fn(usize, usize) -> Differences) -> Vec<f64> {
    let mut pairs: Vec<Vec<Option<f64>>> = Vec::new();
    for &a in order {
        let others = order.iter().filter(|&&b| a != b);
        let values = |&b: &usize| logs(a, b).values().iter().copied().map(Some).collect();
        pairs.extend(others.map(values));
    }
    let p = joint_p(&pairs);
    // Those of the first come first.
    std::iter::once(1.0).chain(p.into_iter().take(order.len().saturating_sub(1))).collect()
}

/// By the p that it takes longer, and that it takes less time.
fn against(ratio: &Ratio, test: Test, [slower, faster]: [f64; 2], margin: Margin) -> Against {
    let interval = ratio.interval.map(|it| Interval {
        low: it.low,
        high: it.high,
        confidence: it.confidence_achieved,
    });
    let verdict = match &ratio.interval {
        None => Behind::CannotSay,
        Some(it) if it.log_low >= -margin.log() && it.log_high <= margin.log() => Behind::AsFast,
        Some(_) if slower < Alpha::default().value() && ratio.log_ratio > 0.0 => Behind::Slower,
        Some(_) if faster < Alpha::default().value() && ratio.log_ratio < 0.0 => Behind::Faster,
        Some(_) => Behind::TooClose,
    };
    let p_adjusted = if verdict == Behind::Faster { faster } else { slower };
    Against { ratio: Value { value: ratio.ratio, interval }, p_adjusted, test, verdict }
}

/// One against another alone, in the launches that both have; `None` where there is none.
pub(super) fn one_against(one: &Series, other: &Series, margin: Margin) -> Option<Against> {
    let both = one.iter().filter_map(|(launch, ns)| Some((*ns, *other.get(launch)?)));
    let (own, others): (Vec<f64>, Vec<f64>) = both.unzip();
    let differences = Differences::of_logs(&others, &own).ok()?;
    let both_ways: Vec<Vec<Option<f64>>> = [1.0, -1.0]
        .map(|sign| differences.values().iter().map(|it| Some(sign * it)).collect())
        .to_vec();
    let p = joint_p(&both_ways);
    let ratio = Ratio::of(&differences, Confidence::default());
    Some(against(&ratio, Test::OnePair, [p[0], p[1]], margin))
}

/// Whether a ratio lies above 1 by more than the margin, by its interval.
pub(super) fn is_beyond(against: &Against, margin: f64) -> bool {
    let beyond = |it: Interval| it.low > 1.0 + margin;
    against.ratio.interval.is_some_and(beyond)
}

/// Whether a ratio lies below 1 by more than the margin, by its interval.
pub(super) fn is_below(against: &Against, margin: f64) -> bool {
    let below = |it: Interval| it.high * (1.0 + margin) < 1.0;
    against.ratio.interval.is_some_and(below)
}

#[cfg(test)]
mod unit {
    use super::*;

    fn series(launches: u32, ns: f64) -> Series {
        (0..launches).map(|launch| (launch, ns + f64::from(launch))).collect()
    }

    /// One pair has one verdict, whichever of the two is asked about.
    #[test]
    fn a_pair_is_told_alike_from_both_sides() {
        let (short, long) = (series(12, 100.0), series(12, 150.0));
        let [one, other] = [(&long, &short), (&short, &long)]
            .map(|(one, other)| one_against(one, other, Margin::default()).unwrap());
        assert_eq!((one.verdict, other.verdict), (Behind::Slower, Behind::Faster));
        assert!((one.ratio.value * other.ratio.value - 1.0).abs() < 1e-9);
        assert!((one.p_adjusted - other.p_adjusted).abs() < 1e-12, "{one:?} {other:?}");
        assert!(is_beyond(&one, 0.03) && is_below(&other, 0.03) && !is_below(&one, 0.03));
    }

    #[test]
    fn one_that_was_measured_alone_is_the_first() {
        let margin = Margin::default();
        let only = Placed { at: 0, to_first: None };
        assert_eq!(ranked(&[series(12, 100.0)], margin), [only]);
        assert_eq!(first(&[series(12, 100.0)], margin), Some(0));
        // One that lacks launches is not compared with one that has all.
        let whole = Placed { at: 1, ..only };
        assert_eq!(ranked(&[series(3, 50.0), series(12, 100.0)], margin), [whole]);
        assert_eq!(ranked(&[], margin), []);
        assert_eq!(ranked(&[series(0, 1.0)], margin), []);
        assert_eq!(first(&[series(0, 1.0)], margin), None);
    }
}
