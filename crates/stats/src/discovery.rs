//! Many tests of which many may be positive: adjusted p values that bound the expected share of
//! wrong ones among those called (Y. Benjamini, D. Yekutieli, *Ann. Statist.* 29 (2001) 1165–1188,
//! theorem 1.3: whatever the tests have to do with each other). [`holm`](crate::holm()) bounds the
//! chance of any wrong one, for which few replicates and many tests leave no room.

use crate::error::StatsError;

/// Adjusted p values in the order of `p`: the i-th smallest of m times m/i · (1 + 1/2 + … + 1/m),
/// not above the one after it, at most 1. Calling those up to α leaves α of wrong ones among them.
///
/// # Errors
/// [`StatsError::OutOfRange`] for a p outside [0, 1].
pub fn benjamini_yekutieli(p: &[f64]) -> Result<Vec<f64>, StatsError> {
    if let Some(&value) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(StatsError::OutOfRange { what: "p", value, range: "[0, 1]" });
    }
    let count = p.len();
    let harmonic: f64 = (1..=count).map(|i| 1.0 / i as f64).sum();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut adjusted = vec![0.0; count];
    let mut after = 1.0_f64;
    for (rank, &i) in order.iter().enumerate().rev() {
        after = after.min(p[i] * harmonic * count as f64 / (rank + 1) as f64);
        adjusted[i] = after;
    }
    Ok(adjusted)
}

/// The fewest replicates with which two-tailed sign tests, all as sure as they can be, are called
/// at level `alpha` among so many: the smallest p of n replicates is 2^(1−n).
#[must_use]
pub fn replicates_min(tests: usize, alpha: f64) -> usize {
    let harmonic: f64 = (1..=tests.max(1)).map(|i| 1.0 / i as f64).sum();
    (1..).find(|n| 2_f64.powi(1 - *n) * harmonic <= alpha).map_or(usize::MAX, |n| n as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three() {
        // 1 + 1/2 + 1/3 = 11/6; 0.01 · 3/1 · 11/6, 0.02 · 3/2 · 11/6, 0.5 · 11/6.
        let adjusted = benjamini_yekutieli(&[0.02, 0.5, 0.01]).unwrap();
        for (ours, theirs) in adjusted.iter().zip([0.055, 0.5 * 11.0 / 6.0, 0.055]) {
            assert!((ours - theirs).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(benjamini_yekutieli(&[]).unwrap(), [0.0; 0]);
        assert!(benjamini_yekutieli(&[-0.1]).is_err());
    }

    #[test]
    fn more_tests_need_hardly_more_replicates() {
        assert_eq!([1, 24, 1000].map(|tests| replicates_min(tests, 0.05)), [6, 8, 9]);
    }
}
