//! The share of a population that has a property, from how many of a sample have it: the exact
//! interval of C. J. Clopper, E. S. Pearson, *Biometrika* 26 (1934) 404–413.

use crate::level::Confidence;
use crate::tails::binomial_lower;

/// Halvings until the ends are known to the last digit of interest.
const HALVINGS: usize = 60;

/// Both ends of the interval of the share, where `count` of `trials` have it; each end is missed by
/// at most half of what the confidence leaves. Without trials it is all from 0 to 1.
#[must_use]
pub fn share_interval(count: u64, trials: u64, confidence: Confidence) -> [f64; 2] {
    let cut = (1.0 - confidence.value()) / 2.0;
    // The share at which as few, or as many, are only so likely.
    let low = match count {
        0 => 0.0,
        _ => crossing(|share| 1.0 - binomial_lower(count - 1, trials, share) < cut),
    };
    let high = match trials - count.min(trials) {
        0 => 1.0,
        _ => crossing(|share| binomial_lower(count, trials, share) > cut),
    };
    [low, high]
}

/// Where `is_below`, true of small shares, begins to be false.
fn crossing(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if is_below(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_twelve_are_at_least_three_quarters() {
        let [low, high] = share_interval(12, 12, Confidence::NINETY_FIVE_PERCENT);
        assert!((low - 0.025_f64.powf(1.0 / 12.0)).abs() < 1e-12, "{low}");
        assert_eq!(high, 1.0);
        assert_eq!(share_interval(0, 0, Confidence::NINETY_FIVE_PERCENT), [0.0, 1.0]);
    }
}
