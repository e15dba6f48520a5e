//! Sarle's bimodality coefficient in the finite-sample form of the SAS/STAT manual: (g² + 1) /
//! (κ + 3(n−1)²/((n−2)(n−3))), g the adjusted skewness, κ the adjusted excess kurtosis. A hint
//! only: 5/9 is the uniform distribution, and strong skew alone exceeds it too.

use serde::Serialize;

use crate::error::{StatsError, check_count};
use crate::sample::Sample;

/// The coefficient of the uniform distribution.
pub const UNIFORM: f64 = 5.0 / 9.0;

/// Sarle's coefficient of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bimodality {
    /// How many values.
    pub n: usize,
    /// Adjusted Fisher–Pearson skewness.
    pub skewness: f64,
    /// Adjusted excess kurtosis; 0 for the normal distribution.
    pub kurtosis_excess: f64,
    /// In 0 to 1; 1 for two points.
    pub coefficient: f64,
    /// coefficient > 5/9: look at the histogram.
    pub hint: bool,
}

impl Bimodality {
    /// Of at least four values that are not all equal.
    ///
    /// # Errors
    /// [`StatsError::TooFew`], [`StatsError::Constant`].
    pub fn of(sample: &Sample) -> Result<Self, StatsError> {
        check_count("values", sample.len(), 4)?;
        let mean = sample.mean();
        let n = sample.len() as f64;
        let moment =
            |power| sample.sorted().iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let m2 = moment(2);
        if sample.is_constant() || m2 * m2 == 0.0 {
            return Err(StatsError::Constant);
        }
        let skewness = moment(3) / m2.powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0);
        let kurtosis_excess =
            (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * (moment(4) / (m2 * m2) - 3.0) + 6.0);
        let scale = 3.0 * (n - 1.0).powi(2) / ((n - 2.0) * (n - 3.0));
        let coefficient = (skewness * skewness + 1.0) / (kurtosis_excess + scale);
        let hint = coefficient > UNIFORM;
        Ok(Bimodality { n: sample.len(), skewness, kurtosis_excess, coefficient, hint })
    }
}
