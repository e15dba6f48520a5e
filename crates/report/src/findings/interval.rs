//! Intervals, and ratios with theirs.

use serde::Serialize;

use crate::format::Figure;

/// Two ends, and how much of what is possible they cover.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Exact coverage, at least what was asked.
    pub confidence: f64,
}

/// A ratio of two times with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioFinding {
    /// The ratio.
    pub value: f64,
    /// Its interval; absent where there is too little.
    pub interval: Option<Interval>,
}

impl RatioFinding {
    /// It and its interval for print, beside 1 and the margin within which it counts as 1.
    #[must_use]
    pub fn figure(&self, margin: f64) -> Figure {
        Figure::ratio(self.value, self.interval.map(Interval::ends), margin)
    }
}

impl Interval {
    /// Both ends.
    #[must_use]
    pub fn ends(self) -> (f64, f64) {
        (self.low, self.high)
    }
}
