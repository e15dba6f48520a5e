//! How many times faster: exp(median of ln b − ln a) of paired times, with the exact interval of
//! the sign test (`measurement.md` §2.6). Everything is worked out on the logarithmic scale, where
//! exchanging the two is a change of sign and so exact; `exp` comes last, in [`exp_even`].

use serde::Serialize;

use crate::error::StatsError;
use crate::level::Confidence;
use crate::median::{median, median_interval};
use crate::sample::Differences;
use crate::sign::SignTest;
use crate::wilcoxon::Wilcoxon;

/// The ratio of two candidates' times, and the tests that it is 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ratio {
    /// Number of blocks.
    pub n: usize,
    /// Time of b over time of a: above 1, a is that many times faster.
    pub ratio: f64,
    /// Its natural logarithm: what is exactly negated when the two are exchanged.
    pub log_ratio: f64,
    /// Its interval; absent where there are too few blocks for the confidence asked.
    pub interval: Option<RatioInterval>,
    /// Confidence asked for.
    pub confidence: Confidence,
    /// Sign test of the log differences, which the interval inverts.
    pub sign: SignTest,
    /// Signed ranks of the log differences: sharper, but takes them to be symmetric.
    pub wilcoxon: Wilcoxon,
}

/// Interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioInterval {
    /// Lower end, as a ratio.
    pub low: f64,
    /// Upper end, as a ratio.
    pub high: f64,
    /// Natural logarithm of the lower end.
    pub log_low: f64,
    /// Natural logarithm of the upper end.
    pub log_high: f64,
    /// Exact coverage, at least what was asked.
    pub confidence_achieved: f64,
}

impl Ratio {
    /// Of the times of a and b in the same blocks, in any one unit.
    ///
    /// # Errors
    /// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] when empty,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`], [`StatsError::NotPositive`].
    pub fn between(a: &[f64], b: &[f64], confidence: Confidence) -> Result<Self, StatsError> {
        Ok(Self::of(&Differences::of_logs(a, b)?, confidence))
    }

    /// Of log differences ln b − ln a.
    pub fn of(log_differences: &Differences, confidence: Confidence) -> Self {
        let (log_ratio, interval) = estimate(log_differences, confidence);
        Ratio {
            n: log_differences.values().len(),
            ratio: exp_even(log_ratio),
            log_ratio,
            interval,
            confidence,
            sign: SignTest::of(log_differences),
            wilcoxon: Wilcoxon::of(log_differences),
        }
    }
}

impl RatioInterval {
    fn from_logs(log_low: f64, log_high: f64, confidence_achieved: f64) -> Self {
        let (low, high) = (exp_even(log_low), exp_even(log_high));
        RatioInterval { low, high, log_low, log_high, confidence_achieved }
    }
}

/// Median and interval alone: what is needed where many pairs are compared.
pub(crate) fn estimate(
    log_differences: &Differences,
    confidence: Confidence,
) -> (f64, Option<RatioInterval>) {
    let sample = log_differences.to_sample();
    let interval = median_interval(&sample, confidence)
        .map(|i| RatioInterval::from_logs(i.low, i.high, i.confidence_achieved));
    (median(&sample), interval)
}

/// e^x such that `exp_even(-x)` is `1.0 / exp_even(x)` bit for bit for x ≥ 0: `exp` itself keeps
/// e^−x = 1/e^x only to rounding.
pub fn exp_even(x: f64) -> f64 {
    let grown = x.abs().exp();
    if x < 0.0 { 1.0 / grown } else { grown }
}
