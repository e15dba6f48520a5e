//! How many pairs show a difference: the power of the order-statistic interval of a median, that
//! is of the sign test (W. J. Dixon, *Power functions of the sign test and power efficiency for
//! normal alternatives*, Annals of Mathematical Statistics 24, 1953). Pairs are taken to be normal.

use crate::level::Confidence;
use crate::tails::{binomial_lower, normal_tail};

/// More pairs than this are no answer.
const PAIRS_MAX: u32 = 10_000;

/// The chance that the interval of so many pairs lies wholly on the right side of a bound, where
/// their mean is `distance` beyond it and their standard deviation is `spread`.
#[must_use]
pub fn power(pairs: u32, distance: f64, spread: f64, confidence: Confidence) -> f64 {
    let n = u64::from(pairs);
    let outside = |rank: u64| 2.0 * binomial_lower(rank - 1, n, 0.5);
    let rank = (1..=n / 2).take_while(|&rank| outside(rank) <= 1.0 - confidence.value()).last();
    let Some(rank) = rank else { return 0.0 };
    let wrong_side = if spread > 0.0 { normal_tail(distance / spread) } else { 0.0 };
    binomial_lower(rank - 1, n, wrong_side)
}

/// The fewest pairs of which so many and all more show the difference with the power wanted; `None`
/// where that is more than 10,000, or there is no difference to show.
#[must_use]
pub fn pairs_for(distance: f64, spread: f64, wanted: f64, confidence: Confidence) -> Option<u32> {
    if distance.is_nan() || distance <= 0.0 || spread.is_nan() {
        return None;
    }
    let is_enough = |pairs: u32| power(pairs, distance, spread, confidence) >= wanted;
    // One more pair may show less, for ranks are whole: a step of ten looks beyond that.
    let (mut low, mut high) = (0, 1);
    while !(0..10).all(|more| is_enough(high + more)) {
        low = high;
        high *= 2;
        if high > PAIRS_MAX {
            return None;
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if (0..10).all(|more| is_enough(middle + more)) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pairs_show_nothing_and_six_need_all_on_one_side() {
        let confidence = Confidence::default();
        assert_eq!(power(5, 9.0, 1.0, confidence), 0.0);
        // Each of six on the right side by Φ(1) = 0.8413.
        assert!((power(6, 1.0, 1.0, confidence) - 0.841_344_75_f64.powi(6)).abs() < 1e-6);
        assert!((power(6, 1.0, 0.0, confidence) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_for_a_power_are_enough_and_fewer_are_not_always() {
        let confidence = Confidence::default();
        for (distance, spread) in [(0.02, 0.01), (0.02, 0.02), (0.02, 0.05), (0.005, 0.05)] {
            let pairs = pairs_for(distance, spread, 0.8, confidence).unwrap();
            assert!((pairs..pairs + 10).all(|n| power(n, distance, spread, confidence) >= 0.8));
            assert!(power(pairs - 1, distance, spread, confidence) < 0.8, "{distance} {spread}");
        }
        assert_eq!(pairs_for(0.02, 0.0, 0.8, confidence), Some(6));
        assert_eq!(pairs_for(0.0, 0.1, 0.8, confidence), None);
        assert_eq!(pairs_for(1e-6, 1.0, 0.8, confidence), None);
    }
}
