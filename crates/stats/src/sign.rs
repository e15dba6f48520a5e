//! The sign test of paired differences: is a positive difference as likely as a negative one?
//! It asks no symmetry of them, unlike the signed ranks. Exact binomial p, zeros dropped and
//! counted (Hollander & Wolfe §3.4).

use serde::Serialize;

use crate::sample::Differences;
use crate::tails::binomial_lower;

/// Outcome of the sign test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SignTest {
    /// Differences above zero.
    pub positive: usize,
    /// Differences below zero.
    pub negative: usize,
    /// Differences of zero, dropped.
    pub zeros: usize,
    /// Exact two-tailed p; 1 when all differences are zero.
    pub p: f64,
}

impl SignTest {
    /// Counts signs.
    pub fn of(differences: &Differences) -> Self {
        let values = differences.values();
        let positive = values.iter().filter(|d| **d > 0.0).count();
        let negative = values.iter().filter(|d| **d < 0.0).count();
        let counted = (positive + negative) as u64;
        let tail = binomial_lower(positive.min(negative) as u64, counted, 0.5);
        let p = (2.0 * tail).min(1.0);
        SignTest { positive, negative, zeros: values.len() - positive - negative, p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_counted_and_zeros_dropped() {
        let of = |values: &[f64]| SignTest::of(&Differences::from_values(values.into()).unwrap());
        let tested = of(&[1.0, 2.0, 0.0, 3.0, -1.0, 5.0, -0.0]);
        assert_eq!((tested.positive, tested.negative, tested.zeros), (4, 1, 2));
        // Two tails of (1 + 5) / 32.
        assert!((tested.p - 0.375).abs() < 1e-14);
        assert_eq!(of(&[0.0]).p, 1.0);
        assert_eq!(of(&[1.0, -1.0]).p, 1.0);
    }
}
