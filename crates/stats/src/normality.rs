//! Chi-squared test of normality as in the paper *Comparing the Speeds of HMAC and CMAC* (it
//! seems to follow G. Keller, *Statistics for Management and Economics*): standardise by the
//! sample's own mean and standard deviation, count five classes, compare with the normal shares,
//! 5 − 1 − 2 degrees of freedom. It rejects almost anything at large n; it is here because the
//! paper is re-run.

use serde::Serialize;

use crate::error::{StatsError, check_count};
use crate::level::Alpha;
use crate::sample::Sample;
use crate::tails::{chi_squared_critical, chi_squared_upper};

/// Upper ends of the first four classes in z; each class holds its upper end, the fifth is open.
pub const CLASS_ENDS: [f64; 4] = [-1.5, -0.5, 0.5, 1.5];

/// Shares of the five classes under the normal distribution, with the paper's digits.
pub const CLASS_PROBABILITIES: [f64; 5] = [0.066807, 0.24173, 0.382925, 0.24173, 0.066807];

/// Below this number of values an outer class expects fewer than five, the usual limit of the
/// chi-squared approximation: 5 / 0.066807 = 74.8.
pub const VALUES_MIN: usize = 75;

/// Five classes, less one, less the two estimated parameters.
const DF: usize = 2;

/// Outcome of the chi-squared test of normality.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Normality {
    /// How many values.
    pub n: u64,
    /// Mean, in the unit of the values; absent when only counts were given.
    pub mean: Option<f64>,
    /// Standard deviation (n − 1), in the unit of the values; absent when only counts were given.
    pub sd: Option<f64>,
    /// Values per class, from low z to high.
    pub observed: [u64; 5],
    /// Values per class expected of a normal distribution.
    pub expected: [f64; 5],
    /// Σ (observed − expected)² / expected.
    pub statistic: f64,
    /// Degrees of freedom: 2.
    pub df: usize,
    /// P(χ² > statistic).
    pub p: f64,
    /// The statistic beyond which normality is rejected at the level asked for.
    pub critical: f64,
}

impl Normality {
    /// Whether there are as many values as the chi-squared approximation needs.
    #[must_use]
    pub fn is_large_enough(&self) -> bool {
        self.n >= VALUES_MIN as u64
    }

    /// Tests a sample of at least two values that are not all equal.
    ///
    /// # Errors
    /// [`StatsError::TooFew`]; [`StatsError::Constant`] where there is no spread to divide by.
    pub fn of(sample: &Sample, alpha: Alpha) -> Result<Self, StatsError> {
        check_count("values", sample.len(), 2)?;
        let mean = sample.mean();
        // A spread too small for its own square counts as none.
        let sd = sample.sd().filter(|sd| *sd > 0.0 && !sample.is_constant());
        let sd = sd.ok_or(StatsError::Constant)?;
        let mut observed = [0; 5];
        for value in sample.sorted() {
            observed[class((value - mean) / sd)] += 1;
        }
        let tested = Self::from_counts(observed, alpha)?;
        Ok(Normality { mean: Some(mean), sd: Some(sd), ..tested })
    }

    /// Tests printed class counts, from low z to high.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] when the counts sum to less than two.
    pub fn from_counts(observed: [u64; 5], alpha: Alpha) -> Result<Self, StatsError> {
        let n: u64 = observed.iter().sum();
        check_count("values", n as usize, 2)?;
        let expected = CLASS_PROBABILITIES.map(|share| share * n as f64);
        let statistic =
            observed.iter().zip(expected).map(|(&o, e)| (o as f64 - e).powi(2) / e).sum();
        Ok(Normality {
            n,
            mean: None,
            sd: None,
            observed,
            expected,
            statistic,
            df: DF,
            p: chi_squared_upper(statistic, DF),
            critical: chi_squared_critical(alpha.value(), DF),
        })
    }
}

/// The class of a standardised value: how many class ends lie below it.
fn class(z: f64) -> usize {
    CLASS_ENDS.iter().filter(|end| z > **end).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_its_upper_end() {
        let z = [-9.0, -1.5, -1.4, -0.5, -0.4, 0.5, 0.6, 1.5, 1.6];
        assert_eq!(z.map(class), [0, 0, 1, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn no_spread_is_an_error_and_not_nan() {
        // The mean of 0.1, a hundred times, is not 0.1.
        let constant = Sample::new(vec![0.1; 100]).unwrap();
        let tested = Normality::of(&constant, Alpha::FIVE_PERCENT);
        assert_eq!(tested, Err(StatsError::Constant));
        let single = Sample::new(vec![1.0]).unwrap();
        let tested = Normality::of(&single, Alpha::FIVE_PERCENT);
        assert!(matches!(tested, Err(StatsError::TooFew { have: 1, need: 2, .. })));
    }
}
