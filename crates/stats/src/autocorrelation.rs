//! Lag-1 autocorrelation of a series in block order. Signed-rank and sign tests take blocks to be
//! independent; where neighbours resemble each other their p values are too small. Source:
//! G. E. P. Box, G. M. Jenkins, *Time Series Analysis*, ch. 2; the limit 2/√n is twice Bartlett's
//! standard error of r₁ in white noise, so about 1 series in 20 exceeds it by chance.

use serde::Serialize;

use crate::error::{StatsError, check_count};
use crate::sample::{Differences, mean};

/// Lag-1 autocorrelation and whether it is cause for doubt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Autocorrelation {
    /// Length of the series.
    pub n: usize,
    /// Σ (x_t − x̄)(x_{t+1} − x̄) / Σ (x_t − x̄)², in −1 to 1.
    pub r1: f64,
    /// 2 / √n.
    pub threshold: f64,
    /// |r1| > threshold: the blocks do not look independent.
    pub doubtful: bool,
}

impl Autocorrelation {
    /// Of paired differences in block order, at least three.
    ///
    /// # Errors
    /// [`StatsError::TooFew`]; [`StatsError::Constant`] where there is nothing to correlate.
    pub fn of(differences: &Differences) -> Result<Self, StatsError> {
        let values = differences.values();
        check_count("values", values.len(), 3)?;
        if values.iter().all(|value| *value == values[0]) {
            return Err(StatsError::Constant);
        }
        let mean = mean(values);
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        if squares == 0.0 {
            return Err(StatsError::Constant);
        }
        let products: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
        let (n, r1) = (values.len(), products / squares);
        let threshold = 2.0 / (n as f64).sqrt();
        Ok(Autocorrelation { n, r1, threshold, doubtful: r1.abs() > threshold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Result<Autocorrelation, StatsError> {
        Autocorrelation::of(&Differences::from_values(values.to_vec()).unwrap())
    }

    #[test]
    fn a_see_saw_and_a_ramp_are_doubtful_and_a_short_series_is_not() {
        // ±1 alternating, 8 values: −7/8 against 2/√8 = 0.707.
        let saw = of(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]).unwrap();
        assert_eq!((saw.r1, saw.doubtful), (-7.0 / 8.0, true));
        assert_eq!(saw.threshold, 2.0 / 8f64.sqrt());
        // 1 to 9 about 5: products 12+6+2+0+0+2+6+12 over squares 60.
        let ramp: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(of(&ramp).unwrap().r1, 40.0 / 60.0);
        assert!(!of(&[1.0, 2.0, 3.0, 4.0]).unwrap().doubtful);
    }

    #[test]
    fn without_spread_there_is_no_correlation() {
        assert_eq!(of(&[0.1, 0.1, 0.1]), Err(StatsError::Constant));
        assert!(matches!(of(&[1.0, 2.0]), Err(StatsError::TooFew { have: 2, need: 3, .. })));
    }
}
