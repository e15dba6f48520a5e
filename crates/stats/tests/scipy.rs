//! Against SciPy, NumPy and statsmodels: `fixtures/scipy.json`, made by `fixtures/make_scipy.py`,
//! which names the versions. Statistics agree to 1e-9 relative, p values to 1e-9 absolute.

use std::num::NonZeroUsize;

use serde_json::Value;
use stats::{
    Alpha, Autocorrelation, Bimodality, Confidence, Differences, Friedman, Histogram, Kendall,
    KruskalWallis, MannWhitney, Margin, Normality, OverUnits, Ratio, Sample, Shift, Table, Unit,
    Wilcoxon, acceptance_band, benjamini_yekutieli, correlation, fisher_p, holm, mad, median,
    median_interval, mid_ranks, quantile, share_interval,
};

const ALPHA: Alpha = Alpha::FIVE_PERCENT;

/// The cases of one section; a section that went missing is a failure.
fn cases(section: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(include_str!("fixtures/scipy.json")).unwrap();
    let cases = document[section].as_array().unwrap().clone();
    assert!(cases.len() >= 6, "{section}");
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn sample(values: &Value) -> Sample {
    Sample::new(numbers(values)).unwrap()
}

/// 1e-9 relative; absolute below 1.
#[track_caller]
fn close(ours: f64, theirs: &Value, case: &Value) {
    let theirs = number(theirs);
    let off = (ours - theirs).abs();
    assert!(off <= 1e-9 * theirs.abs().max(1.0), "{ours} against {theirs}: {}", case["name"]);
}

/// As [`close`], where either side may say that there is no such number.
#[track_caller]
fn close_or_absent(ours: Option<f64>, theirs: &Value, case: &Value) {
    match ours {
        Some(ours) => close(ours, theirs, case),
        None => assert!(theirs.is_null(), "absent against {theirs}: {}", case["name"]),
    }
}

#[test]
fn friedman() {
    for case in cases("friedman") {
        let columns = case["columns"].as_array().unwrap().iter().enumerate();
        let columns = columns.map(|(i, column)| (i.to_string(), numbers(column))).collect();
        let tested = Friedman::of(&Table::new(columns).unwrap(), ALPHA);
        assert_eq!(tested.rank_sums, numbers(&case["rank_sums"]), "{}", case["name"]);
        close(tested.statistic, &case["statistic"], &case);
        close(tested.p, &case["p"], &case);
        close(tested.critical, &case["critical"], &case);
        close_or_absent(tested.statistic_tie_corrected, &case["corrected"], &case);
        close_or_absent(tested.p_tie_corrected, &case["p_corrected"], &case);
        // Perfect agreement: infinite here, left out there.
        let f = tested.iman_davenport.filter(|found| found.f.is_finite());
        close_or_absent(f.as_ref().map(|found| found.f), &case["f"], &case);
        close_or_absent(f.map(|found| found.p), &case["p_f"], &case);
    }
}

#[test]
fn kruskal() {
    for case in cases("kruskal") {
        let groups: Vec<Sample> = case["groups"].as_array().unwrap().iter().map(sample).collect();
        let tested = KruskalWallis::of(&groups).unwrap();
        close(tested.statistic, &case["statistic"], &case);
        close(tested.p, &case["p"], &case);
    }
    let equal = Sample::new(vec![3.0; 6]).unwrap();
    assert_eq!(KruskalWallis::of(&[equal.clone(), equal.clone()]), None, "all values equal");
    assert_eq!(KruskalWallis::of(std::slice::from_ref(&equal)), None, "one sample");
    let four = Sample::new(vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(KruskalWallis::of(&[equal, four]), None, "too few values");
}

#[test]
fn mann_whitney() {
    let (mut exact_untied, mut exact_tied) = (0, 0);
    for case in cases("mann_whitney") {
        let (a, b) = (sample(&case["a"]), sample(&case["b"]));
        let tested = MannWhitney::of(&a, &b, 0.0);
        close(tested.u, &case["u"], &case);
        close(tested.p_greater, &case["p_greater"], &case);
        close(tested.p_less, &case["p_less"], &case);
        assert_eq!(tested.is_exact, case["exact"].as_bool().unwrap(), "{}", case["name"]);
        if tested.is_exact {
            let all = [a.sorted(), b.sorted()].concat();
            let tied = !mid_ranks(&all).ties.is_empty();
            if tied { exact_tied += 1 } else { exact_untied += 1 }
        }
        if let Some(shift) = Shift::between(&a, &b, Confidence::NINETY_FIVE_PERCENT) {
            close(shift.estimate, &case["shift"], &case);
            assert!(shift.low <= shift.estimate && shift.estimate <= shift.high);
            assert!(shift.confidence_achieved >= 0.95);
            // The interval inverts the test: moved by its ends, the samples do not yet differ.
            for (end, beyond) in [(shift.low, -1e-9), (shift.high, 1e-9)] {
                let moved = MannWhitney::of(&a, &b, end + beyond);
                let p = 2.0 * moved.p_greater.min(moved.p_less);
                assert!(!tested.is_exact || p <= 0.05, "{}: {p}", case["name"]);
            }
        }
    }
    assert!(exact_untied >= 9 && exact_tied >= 7, "{exact_untied} and {exact_tied}");
}

#[test]
fn wilcoxon() {
    let (mut exact_untied, mut exact_tied) = (0, 0);
    for case in cases("wilcoxon") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let tested = Wilcoxon::of(&Differences::between(&a, &b).unwrap());
        assert_eq!(tested.n, count(&case["n"]), "{}", case["name"]);
        assert_eq!(tested.zeros, Some(count(&case["zeros"])), "{}", case["name"]);
        assert_eq!(tested.t_plus, number(&case["t_plus"]), "{}", case["name"]);
        close_or_absent(tested.z, &case["z"], &case);
        close(tested.p_one_tailed, &case["p_one"], &case);
        close(tested.p_two_tailed, &case["p"], &case);
        close_or_absent(tested.z_tie_corrected, &case["z_corrected"], &case);
        close(tested.p_two_tailed_tie_corrected.unwrap(), &case["p_corrected"], &case);
        // SciPy has no exact p for larger tied samples, and none for no differences.
        if case["p_exact"].is_number() {
            close(tested.p_exact.unwrap(), &case["p_exact"], &case);
            let tied = tested.z != tested.z_tie_corrected;
            if tied { exact_tied += 1 } else { exact_untied += 1 }
        }
        assert_eq!(tested.p_exact.is_some(), tested.n <= 50, "{}", case["name"]);
    }
    assert!(exact_untied >= 10 && exact_tied >= 10, "{exact_untied} and {exact_tied}");
}

#[test]
fn kendall_and_pearson() {
    for case in cases("kendall") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let tested = Kendall::between(&a, &b).unwrap();
        assert_eq!(tested.concordant, count(&case["concordant"]), "{}", case["name"]);
        assert_eq!(tested.discordant, count(&case["discordant"]), "{}", case["name"]);
        close(tested.tau, &case["tau"], &case);
        close(tested.p_two_tailed, &case["p"], &case);
        close(correlation(&a, &b).unwrap(), &case["r"], &case);
    }
}

#[test]
fn chi_squared_normality() {
    for case in cases("normality") {
        let tested = Normality::of(&sample(&case["values"]), ALPHA).unwrap();
        let observed: Vec<f64> = tested.observed.iter().map(|&o| o as f64).collect();
        assert_eq!(observed, numbers(&case["observed"]), "{}", case["name"]);
        close(tested.mean.unwrap(), &case["mean"], &case);
        close(tested.sd.unwrap(), &case["sd"], &case);
        close(tested.statistic, &case["statistic"], &case);
        close(tested.p, &case["p"], &case);
    }
}

#[test]
fn one_sample() {
    for case in cases("samples") {
        let sample = sample(&case["values"]);
        close(median(&sample), &case["median"], &case);
        close(mad(&sample), &case["mad"], &case);
        let quantiles = case["quantiles"].as_array().unwrap();
        for (share, theirs) in numbers(&case["shares"]).into_iter().zip(quantiles) {
            close(quantile(&sample, share).unwrap(), theirs, &case);
        }
        let shape = Bimodality::of(&sample).unwrap();
        close(shape.skewness, &case["skewness"], &case);
        close(shape.kurtosis_excess, &case["kurtosis"], &case);
        close(shape.coefficient, &case["sarle"], &case);
        let in_order = Differences::from_values(numbers(&case["values"])).unwrap();
        close(Autocorrelation::of(&in_order).unwrap().r1, &case["r1"], &case);
        let histogram = Histogram::of(&sample, NonZeroUsize::new(1000).unwrap());
        let counts: Vec<f64> = histogram.counts.iter().map(|&c| c as f64).collect();
        assert_eq!(counts, numbers(&case["counts"]), "{}", case["name"]);
        for (ours, theirs) in histogram.edges.iter().zip(case["edges"].as_array().unwrap()) {
            close(*ours, theirs, &case);
        }
    }
}

#[test]
fn two_modes_are_hinted_at_and_a_normal_sample_is_not() {
    let cases = cases("samples");
    let hint = |name: &str| {
        let case = cases.iter().find(|case| case["name"] == name).unwrap();
        Bimodality::of(&sample(&case["values"])).unwrap().hint
    };
    assert!(hint("two modes"));
    assert!(!hint("normal n=200"));
}

#[test]
fn holm_step_down() {
    for case in cases("holm") {
        let adjusted = holm(&numbers(&case["p"])).unwrap();
        let theirs = case["adjusted"].as_array().unwrap();
        assert_eq!(adjusted.len(), theirs.len());
        for (ours, theirs) in adjusted.into_iter().zip(theirs) {
            close(ours, theirs, &case);
        }
    }
}

#[test]
fn order_statistic_intervals() {
    for case in cases("intervals") {
        let n = count(&case["n"]);
        // The i-th smallest value is i.
        let sample = Sample::new((1..=n).map(|i| i as f64).collect()).unwrap();
        let confidence = Confidence::new(number(&case["confidence"])).unwrap();
        let found = median_interval(&sample, confidence);
        close_or_absent(found.map(|i| i.confidence_achieved), &case["achieved"], &case);
        assert_eq!(found.map_or(0, |i| i.rank), count(&case["rank"]), "{case}");
        if let Some(interval) = found {
            assert_eq!(interval.low, interval.rank as f64);
            assert_eq!(interval.high, (n + 1 - interval.rank) as f64);
        }
    }
}

#[test]
fn acceptance_bands() {
    for case in cases("bands") {
        let alpha = Alpha::new(number(&case["alpha"])).unwrap();
        let confidence = Confidence::new(number(&case["confidence"])).unwrap();
        let band = acceptance_band(count(&case["trials"]) as u64, alpha, confidence);
        let ends = [*band.start() as f64, *band.end() as f64];
        assert_eq!(ends.as_slice(), numbers(&case["band"]), "{case}");
    }
}

#[test]
fn ratios() {
    for case in cases("ratios") {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let ratio = Ratio::between(&a, &b, Confidence::NINETY_FIVE_PERCENT).unwrap();
        close(ratio.log_ratio, &case["log"], &case);
        close(ratio.ratio, &case["ratio"], &case);
        close(ratio.sign.p, &case["p_sign"], &case);
        close_or_absent(ratio.interval.map(|i| i.log_low), &case["log_ends"][0], &case);
        close_or_absent(ratio.interval.map(|i| i.log_high), &case["log_ends"][1], &case);
    }
}

#[test]
fn false_discoveries() {
    for case in cases("discovery") {
        let adjusted = benjamini_yekutieli(&numbers(&case["p"])).unwrap();
        let theirs = case["adjusted"].as_array().unwrap();
        assert_eq!(adjusted.len(), theirs.len());
        for (ours, theirs) in adjusted.into_iter().zip(theirs) {
            close(ours, theirs, &case);
        }
    }
}

#[test]
fn tables_of_two_by_two() {
    for case in cases("fisher") {
        let at = |row: usize, column: usize| count(&case["table"][row][column]) as u64;
        let p = fisher_p([[at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]]);
        close(p, &case["p"], &case);
    }
}

#[test]
fn intervals_of_shares() {
    for case in cases("shares") {
        let confidence = Confidence::new(number(&case["confidence"])).unwrap();
        let (hits, trials) = (count(&case["count"]) as u64, count(&case["trials"]) as u64);
        let [low, high] = share_interval(hits, trials, confidence);
        close(low, &case["interval"][0], &case);
        close(high, &case["interval"][1], &case);
    }
}

/// Units whose repeats all lie on one side, the last `low` of them on the other.
fn units(n: usize, low: usize, repeats: usize) -> OverUnits {
    let of = |at: usize| {
        let log = if at < n - low { 0.1 } else { -0.1 } * (1.0 + at as f64 / 1e4);
        Unit::of(&Differences::from_values(vec![log; repeats]).unwrap(), Margin::ZERO)
    };
    let all: Vec<Unit> = (0..n).map(of).collect();
    OverUnits::of(&all, Confidence::NINETY_FIVE_PERCENT, Margin::ZERO).unwrap()
}

#[test]
fn units_and_their_repeats() {
    for case in cases("units") {
        let (n, low) = (count(&case["n"]), count(&case["low"]));
        let over = units(n, low, count(&case["repeats"]));
        close(over.p_opposed, &case["opposed"], &case);
        close(over.p, &case["sign"], &case);
    }
}

#[test]
fn where_one_more_unit_is() {
    for case in cases("following") {
        let n = count(&case["n"]);
        close(units(n, 0, 12).next.unwrap().chance, &case["chance"], &case);
    }
}
