//! What the binomial distribution says about a count of rejections: the band an A/A test must
//! fall into. Central exact band: each end cuts off at most half of 1 − confidence, as
//! `scipy.stats.binom.interval` has it.

use std::ops::RangeInclusive;

use crate::level::{Alpha, Confidence};
use crate::tails::binomial_lower;

/// How many rejections at level `alpha` a sound test may show in `trials` A/A trials, at the
/// given confidence; both ends count as accepted. 400 trials at 5 %: 12 to 29.
pub fn acceptance_band(trials: u64, alpha: Alpha, confidence: Confidence) -> RangeInclusive<u64> {
    let cut = (1.0 - confidence.value()) / 2.0;
    quantile(trials, alpha.value(), cut)..=quantile(trials, alpha.value(), 1.0 - cut)
}

/// P(X ≥ `count`) of a binomial number; `chance` is in [0, 1].
#[must_use]
pub fn at_least(count: u64, trials: u64, chance: f64) -> f64 {
    match count {
        0 => 1.0,
        _ if count > trials => 0.0,
        // By the other tail, which is small: 1 − … would lose it.
        _ => binomial_lower(trials - count, trials, 1.0 - chance),
    }
}

/// The smallest count k with P(X ≤ k) ≥ `share`.
fn quantile(trials: u64, p: f64, share: f64) -> u64 {
    let (mut low, mut high) = (0, trials);
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial_lower(middle, trials, p) >= share {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_trials_at_five_percent() {
        let (alpha, confidence) = (Alpha::FIVE_PERCENT, Confidence::NINETY_FIVE_PERCENT);
        assert_eq!(acceptance_band(400, alpha, confidence), 12..=29);
        assert_eq!(acceptance_band(0, alpha, confidence), 0..=0);
        assert_eq!(acceptance_band(1, alpha, confidence), 0..=1);
    }
}
