//! Kendall's τ-b, the rank correlation of two series: do they put the same things in the same
//! order? Source: M. G. Kendall, *Rank Correlation Methods*, 4th ed., chapters 1 (τ), 3 (ties),
//! 4 and 5 (its distribution where the two have nothing to do with each other).

use serde::Serialize;

use crate::error::{StatsError, check_count, check_finite};
use crate::tails::normal_tail;

/// Most values for which p is exact where nothing is tied; the normal distribution serves well
/// beyond ten already.
const EXACT_MAX: usize = 100;

/// Two orders of the same things compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kendall {
    /// Number of things.
    pub n: usize,
    /// Pairs of them that both series put in the same order.
    pub concordant: usize,
    /// Pairs in opposite orders.
    pub discordant: usize,
    /// τ-b: 1 for the same order, −1 for the reverse, near 0 for orders that have nothing to do
    /// with each other.
    pub tau: f64,
    /// How likely a τ so far from 0 is where they have not: exact up to 100 values without ties,
    /// else by the normal distribution with the variance corrected for ties.
    pub p_two_tailed: f64,
}

impl Kendall {
    /// Compares the orders of two series of the same things.
    ///
    /// # Errors
    /// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] below two values,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`], [`StatsError::Constant`] where all
    /// values of a series are equal: it has no order.
    pub fn between(a: &[f64], b: &[f64]) -> Result<Self, StatsError> {
        if a.len() != b.len() {
            return Err(StatsError::UnequalLengths { left: a.len(), right: b.len() });
        }
        let n = a.len();
        check_count("values", n, 2)?;
        check_finite(a)?;
        check_finite(b)?;
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let (mut concordant, mut discordant) = (0, 0);
        let [mut untied_a, mut untied_b] = [0usize; 2];
        for (i, j) in pairs {
            let [in_a, in_b] = [sign(a[i], a[j]), sign(b[i], b[j])];
            untied_a += usize::from(in_a != 0);
            untied_b += usize::from(in_b != 0);
            concordant += usize::from(in_a * in_b > 0);
            discordant += usize::from(in_a * in_b < 0);
        }
        if untied_a == 0 || untied_b == 0 {
            return Err(StatsError::Constant);
        }
        let score = concordant as f64 - discordant as f64;
        let tau = score / (untied_a as f64 * untied_b as f64).sqrt();
        let all = n * (n - 1) / 2;
        let has_ties = untied_a < all || untied_b < all;
        let p_two_tailed = if has_ties || n > EXACT_MAX {
            approximate(score, a, b)
        } else {
            exact(n, concordant.min(discordant))
        };
        let tau = tau.clamp(-1.0, 1.0);
        Ok(Kendall { n, concordant, discordant, tau, p_two_tailed })
    }
}

/// Which of two comes first; −0.0 and 0.0 are one value.
fn sign(first: f64, second: f64) -> i8 {
    i8::from(second > first) - i8::from(second < first)
}

/// Of all n! orders the share with at most `few` inversions, doubled. Each further element adds 0
/// to k inversions, all equally likely, which keeps shares instead of counts that would overflow.
fn exact(n: usize, few: usize) -> f64 {
    let mut shares = vec![0.0; few + 1];
    shares[0] = 1.0;
    for k in 1..n {
        let mut window = 0.0;
        let before = shares.clone();
        for at in 0..=few {
            window += before[at];
            if at > k {
                window -= before[at - k - 1];
            }
            shares[at] = window / (k + 1) as f64;
        }
    }
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

fn approximate(score: f64, a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let [ties_a, ties_b] = [ties(a), ties(b)];
    let sum = |ties: &[f64], term: fn(f64) -> f64| ties.iter().map(|&t| term(t)).sum::<f64>();
    let both = |term: fn(f64) -> f64| sum(&ties_a, term) * sum(&ties_b, term);
    let spread = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
    let mut variance = (spread(n) - sum(&ties_a, spread) - sum(&ties_b, spread)) / 18.0;
    variance += both(|t| t * (t - 1.0)) / (2.0 * n * (n - 1.0));
    if n > 2.0 {
        variance += both(|t| t * (t - 1.0) * (t - 2.0)) / (9.0 * n * (n - 1.0) * (n - 2.0));
    }
    (2.0 * normal_tail(score / variance.sqrt())).min(1.0)
}

/// Sizes of the groups of equal values.
fn ties(values: &[f64]) -> Vec<f64> {
    crate::rank::mid_ranks(values).ties.into_iter().map(|size| size as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_five_the_same_order_comes_by_chance_once_in_120() {
        let up = [1.0, 2.0, 3.0, 4.0, 5.0];
        let same = Kendall::between(&up, &up).unwrap();
        assert_eq!((same.tau, same.concordant), (1.0, 10));
        assert!((same.p_two_tailed - 2.0 / 120.0).abs() < 1e-15);
        let down: Vec<f64> = up.iter().map(|it| -it).collect();
        let reverse = Kendall::between(&up, &down).unwrap();
        assert_eq!((reverse.tau, reverse.p_two_tailed), (-1.0, same.p_two_tailed));
        // One exchange of neighbours: 4 such orders and the same one.
        let one = Kendall::between(&up, &[1.0, 2.0, 3.0, 5.0, 4.0]).unwrap();
        assert_eq!(one.tau, 0.8);
        assert!((one.p_two_tailed - 10.0 / 120.0).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_order_is_refused() {
        let refused = |a: &[f64], b: &[f64]| Kendall::between(a, b).unwrap_err();
        assert_eq!(refused(&[1.0, 1.0], &[1.0, 2.0]), StatsError::Constant);
        assert_eq!(refused(&[1.0, 2.0], &[-0.0, 0.0]), StatsError::Constant);
        assert!(matches!(refused(&[1.0], &[1.0]), StatsError::TooFew { .. }));
        assert!(matches!(refused(&[1.0], &[]), StatsError::UnequalLengths { .. }));
        assert!(matches!(refused(&[1.0, f64::NAN], &[1.0, 2.0]), StatsError::NotFinite { .. }));
    }
}
