//! The parameters of a decision: [`Alpha`], the error allowed; [`Confidence`], the coverage asked
//! of an interval; [`Margin`], the difference that does not matter. Three types, because three
//! bare `f64` side by side are swapped sooner or later.

use serde::Serialize;

use crate::error::StatsError;

/// Significance level of a test, in (0, 1).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Alpha(f64);

impl Alpha {
    /// 0.05, the level of the paper and the default everywhere.
    pub const FIVE_PERCENT: Alpha = Alpha(0.05);

    /// A level in (0, 1).
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] for anything else.
    pub fn new(alpha: f64) -> Result<Self, StatsError> {
        open_unit("alpha", alpha).map(Alpha)
    }

    /// The level as a number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Default for Alpha {
    fn default() -> Self {
        Alpha::FIVE_PERCENT
    }
}

/// Coverage asked of an interval, in (0, 1).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// 0.95, the default everywhere.
    pub const NINETY_FIVE_PERCENT: Confidence = Confidence(0.95);

    /// A confidence in (0, 1).
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] for anything else.
    pub fn new(confidence: f64) -> Result<Self, StatsError> {
        open_unit("confidence", confidence).map(Confidence)
    }

    /// The confidence as a number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The confidence each of `intervals` needs so that all hold at once with this one
    /// (Bonferroni: the error allowed is shared out equally). Zero counts as one.
    pub fn shared_among(self, intervals: usize) -> Self {
        Confidence(1.0 - (1.0 - self.0) / intervals.max(1) as f64)
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Confidence::NINETY_FIVE_PERCENT
    }
}

/// Relative difference below which two times are one for practical purposes: 0.01 is 1 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Margin(f64);

impl Margin {
    /// 1 %, the default (`measurement.md` §2.6): it must stay above what an A/A test shows.
    pub const ONE_PERCENT: Margin = Margin(0.01);

    /// None: whatever an interval excludes counts.
    pub const ZERO: Margin = Margin(0.0);

    /// A margin in [0, 1]. With zero only an interval that is the single point 1 is equivalent.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] for anything else.
    pub fn new(margin: f64) -> Result<Self, StatsError> {
        if (0.0..=1.0).contains(&margin) {
            Ok(Margin(margin))
        } else {
            Err(StatsError::OutOfRange { what: "margin", value: margin, range: "[0, 1]" })
        }
    }

    /// The margin as a number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// ln(1 + margin): on the logarithmic scale the margin is the same in both directions.
    pub fn log(self) -> f64 {
        self.0.ln_1p()
    }
}

impl Default for Margin {
    fn default() -> Self {
        Margin::ONE_PERCENT
    }
}

fn open_unit(what: &'static str, value: f64) -> Result<f64, StatsError> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(StatsError::OutOfRange { what, value, range: "(0, 1)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bonferroni_shares_the_error_out() {
        let shared = Confidence::NINETY_FIVE_PERCENT.shared_among(10);
        assert!((shared.value() - 0.995).abs() < 1e-15);
        let (none, one) = (Confidence::default().shared_among(0), Confidence::default());
        assert!((none.value() - one.value()).abs() < 1e-15);
    }

    #[test]
    fn the_margin_is_symmetric_on_the_logarithmic_scale() {
        let margin = Margin::new(0.25).unwrap();
        assert!((margin.log() - 1.25f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for value in [0.0, 1.0, -0.1, 5.0, f64::NAN] {
            assert!(Alpha::new(value).is_err() && Confidence::new(value).is_err());
        }
        assert!(Margin::new(0.0).is_ok() && Margin::new(1.0).is_ok());
        assert!(Margin::new(1.01).is_err() && Margin::new(f64::NAN).is_err());
    }
}
