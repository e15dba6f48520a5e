//! Properties that hold for any data, and naive oracles: each method once more, slow and straight
//! from its definition.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use stats::{
    Alpha, BoxPlot, Confidence, Differences, Friedman, Histogram, Margin, Normality, Ranking,
    Ratio, Sample, Table, Times, Verdict, Wilcoxon, analyze, mad, median, mid_ranks,
};

const ALPHA: Alpha = Alpha::FIVE_PERCENT;
const CONFIDENCE: Confidence = Confidence::NINETY_FIVE_PERCENT;

/// Few distinct values, so that ties are the rule.
fn tied(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-4i32..=4).prop_map(|i| f64::from(i) / 2.0), len)
}

/// Paired times over many orders of magnitude; some pairs are exactly equal.
fn paired_times() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let time = || (-20.0..20.0f64).prop_map(f64::exp);
    let pair = move |tie: i32| {
        (time(), time(), 0..4).prop_map(move |(a, b, i)| (a, if i < tie { a } else { b }))
    };
    // None, one or three of four pairs equal.
    let pairs = prop_oneof![Just(0), Just(1), Just(3)]
        .prop_flat_map(move |tie| prop::collection::vec(pair(tie), 1..60));
    let log_bias = -10.0..10.0f64;
    (pairs, log_bias, any::<bool>()).prop_map(|(pairs, bias, biased)| {
        let scale = if biased { bias.exp() } else { 1.0 };
        pairs.into_iter().map(|(a, b)| (a, if a == b { b } else { b * scale })).unzip()
    })
}

/// Two to five columns of equal length with ties.
fn columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2usize..6, 1usize..30).prop_flat_map(|(k, n)| prop::collection::vec(tied(n..n + 1), k))
}

fn table(columns: &[Vec<f64>]) -> Table {
    let named = columns.iter().enumerate().map(|(i, column)| (format!("c{i}"), column.clone()));
    Table::new(named.collect()).unwrap()
}

/// 1 + how many are smaller + half of how many others are equal.
fn naive_ranks(values: &[f64]) -> Vec<f64> {
    let rank = |x: &f64| {
        let smaller = values.iter().filter(|y| *y < x).count() as f64;
        let equal = values.iter().filter(|y| *y == x).count() as f64;
        smaller + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Every sign pattern in turn: the share of those at least as far from the middle.
fn enumerated_p(differences: &[f64]) -> f64 {
    let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let ranks = naive_ranks(&kept.iter().map(|d| d.abs()).collect::<Vec<_>>());
    let seen: f64 = kept.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
    let middle = ranks.iter().sum::<f64>() / 2.0;
    let sum = |signs: u32| -> f64 {
        (0..ranks.len()).filter(|i| signs >> i & 1 == 1).map(|i| ranks[i]).sum()
    };
    let all = 1u32 << ranks.len();
    let far = (0..all).filter(|s| (sum(*s) - middle).abs() >= (seen - middle).abs()).count();
    far as f64 / f64::from(all)
}

/// Uncorrected and tie-corrected statistic, the latter by Conover's variance of the ranks.
fn naive_friedman(columns: &[Vec<f64>]) -> (f64, f64) {
    let (n, k) = (columns[0].len(), columns.len());
    let mut sums = vec![0.0; k];
    let mut squares = 0.0;
    for row in 0..n {
        let ranks = naive_ranks(&columns.iter().map(|column| column[row]).collect::<Vec<_>>());
        for i in 0..k {
            sums[i] += ranks[i];
            squares += ranks[i] * ranks[i];
        }
    }
    let (n, k) = (n as f64, k as f64);
    let sum_squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let plain = 12.0 / (n * k * (k + 1.0)) * sum_squares - 3.0 * n * (k + 1.0);
    let middle = n * (k + 1.0) / 2.0;
    let between: f64 = sums.iter().map(|sum| (sum - middle) * (sum - middle)).sum();
    (plain, (k - 1.0) * between / (squares - n * k * (k + 1.0) * (k + 1.0) / 4.0))
}

fn naive_classes(values: &[f64], mean: f64, sd: f64) -> [u64; 5] {
    let mut counts = [0; 5];
    for value in values {
        let z = (value - mean) / sd;
        if z <= -1.5 {
            counts[0] += 1;
        } else if -1.5 < z && z <= -0.5 {
            counts[1] += 1;
        } else if -0.5 < z && z <= 0.5 {
            counts[2] += 1;
        } else if 0.5 < z && z <= 1.5 {
            counts[3] += 1;
        } else {
            counts[4] += 1;
        }
    }
    counts
}

/// The middle of a list by taking the extremes away in pairs.
fn naive_median(values: &[f64]) -> f64 {
    let mut left = values.to_vec();
    while left.len() > 2 {
        for pick in [f64::min, f64::max] {
            let extreme = left.iter().copied().reduce(pick).unwrap();
            let at = left.iter().position(|x| *x == extreme).unwrap();
            left.remove(at);
        }
    }
    left.iter().sum::<f64>() / left.len() as f64
}

/// The larger of two reciprocal ratios is exact, the smaller is 1 over it.
fn reciprocal(x: f64, y: f64) -> bool {
    let (small, large) = (x.min(y), x.max(y));
    large >= 1.0 && small.to_bits() == (1.0 / large).to_bits()
}

proptest! {
    #[test]
    fn mid_ranks_are_the_naive_ones(values in tied(0..40)) {
        prop_assert_eq!(mid_ranks(&values).ranks, naive_ranks(&values));
    }

    #[test]
    fn medians_are_the_naive_ones(values in prop::collection::vec(-1e6..1e6f64, 1..40)) {
        let sample = Sample::new(values.clone()).unwrap();
        let middle = naive_median(&values);
        prop_assert_eq!(median(&sample), middle);
        let deviations: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
        prop_assert_eq!(mad(&sample), naive_median(&deviations));
    }

    #[test]
    fn exact_p_is_the_enumerated_one(values in tied(1..13)) {
        let tested = Wilcoxon::of(&Differences::from_values(values.clone()).unwrap());
        prop_assert!((tested.p_exact.unwrap() - enumerated_p(&values)).abs() < 1e-12);
    }

    #[test]
    fn friedman_is_the_naive_one(columns in columns()) {
        let tested = Friedman::of(&table(&columns), ALPHA);
        let (plain, corrected) = naive_friedman(&columns);
        prop_assert!((tested.statistic - plain).abs() < 1e-9);
        match tested.statistic_tie_corrected {
            Some(ours) => prop_assert!((ours - corrected).abs() < 1e-9),
            None => prop_assert!(corrected.is_nan()),
        }
    }

    #[test]
    fn classes_are_the_naive_ones(values in prop::collection::vec(-5.0..5.0f64, 2..80)) {
        let tested = Normality::of(&Sample::new(values.clone()).unwrap(), ALPHA).unwrap();
        let expected = naive_classes(&values, tested.mean.unwrap(), tested.sd.unwrap());
        prop_assert_eq!(tested.observed, expected);
    }

    #[test]
    fn exchanging_labels_inverts_the_ratio_and_keeps_p((a, b) in paired_times()) {
        let there = Ratio::between(&a, &b, CONFIDENCE).unwrap();
        let back = Ratio::between(&b, &a, CONFIDENCE).unwrap();
        prop_assert_eq!(back.log_ratio, -there.log_ratio);
        prop_assert!(reciprocal(there.ratio, back.ratio), "{} {}", there.ratio, back.ratio);
        prop_assert_eq!(there.interval.is_some(), back.interval.is_some());
        if let (Some(there), Some(back)) = (there.interval, back.interval) {
            prop_assert_eq!((back.log_low, back.log_high), (-there.log_high, -there.log_low));
            prop_assert!(reciprocal(there.low, back.high) && reciprocal(there.high, back.low));
        }
        prop_assert_eq!(back.sign.p, there.sign.p);
        prop_assert_eq!(&back.wilcoxon, &there.wilcoxon.swapped());
        prop_assert_eq!(back.wilcoxon.best_p_two_tailed(), there.wilcoxon.best_p_two_tailed());
        let margin = Margin::ONE_PERCENT;
        let verdict = |ratio: &Ratio| Verdict::of(ratio.interval.as_ref(), margin);
        prop_assert_eq!(verdict(&back), verdict(&there).reversed());
    }

    /// The interval excludes a ratio of 1 exactly when the sign test rejects it.
    #[test]
    fn interval_and_sign_test_agree((a, b) in paired_times()) {
        let ratio = Ratio::between(&a, &b, CONFIDENCE).unwrap();
        let Some(interval) = ratio.interval else { return Ok(()) };
        prop_assert!(interval.confidence_achieved >= 0.95);
        if ratio.sign.zeros == 0 {
            let excludes = interval.log_low > 0.0 || interval.log_high < 0.0;
            prop_assert_eq!(excludes, ratio.sign.p <= 1.0 - CONFIDENCE.value());
        }
    }

    /// Doubling is exact in floating point, so nothing that is about order may move at all.
    #[test]
    fn the_unit_of_the_values_does_not_matter(columns in columns()) {
        let doubled: Vec<Vec<f64>> =
            columns.iter().map(|column| column.iter().map(|x| 2.0 * x).collect()).collect();
        let (here, there) = (analyze(&table(&columns), ALPHA), analyze(&table(&doubled), ALPHA));
        prop_assert_eq!(here.friedman, there.friedman);
        prop_assert_eq!(here.wilcoxon, there.wilcoxon);
        prop_assert_eq!(here.ordering, there.ordering);
        prop_assert_eq!(here.warnings, there.warnings);
    }

    #[test]
    fn scaling_both_candidates_keeps_the_ratio((a, b) in paired_times(), log in -5.0..5.0f64) {
        let scaled = |xs: &[f64]| xs.iter().map(|x| x * log.exp()).collect::<Vec<_>>();
        let here = Ratio::between(&a, &b, CONFIDENCE).unwrap();
        let there = Ratio::between(&scaled(&a), &scaled(&b), CONFIDENCE).unwrap();
        prop_assert!((here.log_ratio - there.log_ratio).abs() < 1e-12);
    }

    #[test]
    fn every_value_is_in_one_bin_and_inside_it(
        values in prop::collection::vec(-1e3..1e3f64, 1..80),
        bins_max in 1usize..20,
    ) {
        let sample = Sample::new(values).unwrap();
        let histogram = Histogram::of(&sample, NonZeroUsize::new(bins_max).unwrap());
        let bins = histogram.counts.len();
        prop_assert!(bins <= bins_max && histogram.edges.len() == bins + 1);
        for (i, edges) in histogram.edges.windows(2).enumerate() {
            let inside = |x: &&f64| **x >= edges[0] && (**x < edges[1] || i + 1 == bins);
            let expected = sample.sorted().iter().filter(inside).count() as u64;
            prop_assert_eq!(histogram.counts[i], expected);
        }
    }

    #[test]
    fn a_box_loses_no_value(values in tied(1..40)) {
        let sample = Sample::new(values).unwrap();
        let plot = BoxPlot::of(&sample);
        let inside = |x: &&f64| **x >= plot.whisker_low && **x <= plot.whisker_high;
        let kept = sample.sorted().iter().filter(inside).count();
        prop_assert_eq!(kept + plot.outliers.len(), sample.len());
        prop_assert!(plot.whisker_low <= plot.q1 && plot.q3 <= plot.whisker_high);
        prop_assert!(plot.q1 <= plot.median && plot.median <= plot.q3);
    }

    #[test]
    fn tiers_follow_their_rule(
        (a, b) in paired_times(),
        scales in prop::collection::vec(0.9..1.2f64, 2..6),
    ) {
        let column = |i: usize, scale: f64| -> Vec<f64> {
            let noise = |(a, b): (&f64, &f64)| (a * (i as f64 + 1.0) + b).sin();
            a.iter().zip(&b).map(|pair| scale * (1.0 + 0.01 * noise(pair))).collect()
        };
        let columns: Vec<_> =
            scales.iter().enumerate().map(|(i, scale)| column(i, *scale)).collect();
        let times = Times::new(table(&columns)).unwrap();
        let ranking = Ranking::of(&times, CONFIDENCE, Margin::ONE_PERCENT);
        let slower = |i: usize, j: usize| {
            let ratio = Ratio::between(&columns[i], &columns[j], CONFIDENCE).unwrap();
            Verdict::of(ratio.interval.as_ref(), Margin::ONE_PERCENT) == Verdict::Slower
        };
        // Whose pairs go round in a circle is placed by its level alone.
        let order: Vec<usize> = ranking.ranked.iter().map(|ranked| ranked.column).collect();
        let mut head = ranking.ranked[0].column;
        let is_told = a.len() >= 6;
        prop_assert!(ranking.ranked.iter().all(|ranked| ranked.tie_group.is_some() == is_told));
        for (at, pair) in ranking.ranked.windows(2).enumerate() {
            let rest = &order[at..];
            let in_circle = rest.iter().all(|&i| rest.iter().any(|&j| slower(i, j)));
            prop_assert!(!slower(pair[0].column, pair[1].column) || in_circle);
            let starts = slower(pair[1].column, head);
            let above = pair[0].tie_group.map(|it| it + usize::from(starts));
            prop_assert_eq!(pair[1].tie_group, above);
            if starts {
                head = pair[1].column;
            }
        }
        for ranked in &ranking.ranked {
            let i = ranked.column;
            let above = (0..columns.len()).filter(|&j| j != i && slower(i, j)).count();
            let below = (0..columns.len()).filter(|&j| j != i && slower(j, i)).count();
            prop_assert_eq!(ranked.rank_best, 1 + above);
            prop_assert_eq!(ranked.rank_worst, columns.len() - below);
            let best = ranking.ranked[0].column;
            prop_assert_eq!(ranked.tied_with_best, i == best || is_told && !slower(i, best));
        }
    }
}
