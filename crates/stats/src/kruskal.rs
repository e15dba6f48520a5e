//! The Kruskal-Wallis test: do several independent samples come from one distribution, by mid-ranks
//! over all of them (W. H. Kruskal, W. A. Wallis, *J. Am. Stat. Assoc.* 47 (1952) 583–621), with
//! their correction for ties (= `scipy.stats.kruskal`).

use serde::Serialize;

use crate::rank::mid_ranks;
use crate::sample::Sample;
use crate::tails::chi_squared_upper;

/// Fewest values of a sample with which H is near enough to its χ² distribution.
pub const VALUES_MIN: usize = 5;

/// Outcome of the test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KruskalWallis {
    /// 12 / (N (N+1)) · Σ R²/n − 3 (N+1), divided by 1 − Σ(t³−t) / (N³−N).
    pub statistic: f64,
    /// Degrees of freedom: samples less one.
    pub df: usize,
    /// P(χ² > statistic).
    pub p: f64,
}

impl KruskalWallis {
    /// Tests whether `samples` differ in location; absent for fewer than two samples, for one of
    /// fewer than [`VALUES_MIN`] values, and where all values are equal.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let is_small = |sample: &Sample| sample.sorted().len() < VALUES_MIN;
        if samples.len() < 2 || samples.iter().any(is_small) {
            return None;
        }
        let all: Vec<f64> = samples.iter().flat_map(Sample::sorted).copied().collect();
        let ranked = mid_ranks(&all);
        let mut rest = ranked.ranks.as_slice();
        let mut squares = 0.0;
        for sample in samples {
            let (own, others) = rest.split_at(sample.sorted().len());
            squares += own.iter().sum::<f64>().powi(2) / own.len() as f64;
            rest = others;
        }
        let n = all.len() as f64;
        let untied = 1.0 - ranked.tie_sum() / (n * (n * n - 1.0));
        let statistic = (12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0)).max(0.0) / untied;
        let df = samples.len() - 1;
        statistic.is_finite().then(|| Self { statistic, df, p: chi_squared_upper(statistic, df) })
    }
}
