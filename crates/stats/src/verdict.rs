//! What a ratio means to a reader: faster, slower, equivalent, undecided, or too little data.
//! The interval decides, as in interval-inclusion equivalence tests (D. J. Schuirmann, *J.
//! Pharmacokin. Biopharm.* 15 (1987) 657–680); a 95 % interval makes each side of it 2.5 %,
//! stricter than the usual two one-sided tests at 5 %.

use std::fmt;

use serde::Serialize;

use crate::error::StatsError;
use crate::level::{Confidence, Margin};
use crate::ratio::{Ratio, RatioInterval};

/// The five possible answers to "is a faster than b?".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Too few blocks for an interval.
    CannotConclude,
    /// The interval lies within the margin on both sides of 1.
    Equivalent,
    /// The interval lies above 1: a takes less time.
    Faster,
    /// The interval lies below 1: a takes more time.
    Slower,
    /// The interval holds 1 and reaches beyond the margin.
    Undecided,
}

impl Verdict {
    /// Judges an interval of time b over time a. The margin comes first: an interval that excludes
    /// 1 but stays inside [1/(1+m), 1+m] is `Equivalent`. The question is how much, not only
    /// whether: with enough blocks any two programs differ by some parts in a million.
    /// Judged on logarithms, so that exchanging a and b exactly exchanges faster and slower.
    pub fn of(interval: Option<&RatioInterval>, margin: Margin) -> Self {
        match interval {
            None => Verdict::CannotConclude,
            Some(i) if i.log_low >= -margin.log() && i.log_high <= margin.log() => {
                Verdict::Equivalent
            }
            Some(i) if i.log_low > 0.0 => Verdict::Faster,
            Some(i) if i.log_high < 0.0 => Verdict::Slower,
            Some(_) => Verdict::Undecided,
        }
    }

    /// The name in files, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::CannotConclude => "cannot-conclude",
            Verdict::Equivalent => "equivalent",
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Undecided => "undecided",
        }
    }

    /// The verdict with a and b exchanged.
    pub fn reversed(self) -> Self {
        match self {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            same => same,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::CannotConclude => "cannot conclude",
            said => said.name(),
        })
    }
}

/// A ratio with its verdict: the subject a against the reference b.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Time of b over time of a, with interval and tests.
    pub ratio: Ratio,
    /// The margin judged by.
    pub margin: Margin,
    /// What it amounts to, said of a.
    pub verdict: Verdict,
}

impl Comparison {
    /// Compares the times of a and b in the same blocks, in any one unit.
    ///
    /// # Errors
    /// As [`Ratio::between`].
    pub fn between(
        a: &[f64],
        b: &[f64],
        confidence: Confidence,
        margin: Margin,
    ) -> Result<Self, StatsError> {
        Ok(Self::of(Ratio::between(a, b, confidence)?, margin))
    }

    /// Judges a ratio.
    pub fn of(ratio: Ratio, margin: Margin) -> Self {
        let verdict = Verdict::of(ratio.interval.as_ref(), margin);
        Comparison { ratio, margin, verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times whose log differences run evenly from `low` to `high` over 11 blocks.
    fn comparison(low: f64, high: f64, blocks: usize) -> Comparison {
        let step = (high - low) / 10.0;
        let b: Vec<f64> = (0..blocks).map(|i| (low + step * i as f64).exp()).collect();
        let (confidence, margin) = (Confidence::NINETY_FIVE_PERCENT, Margin::ONE_PERCENT);
        Comparison::between(&vec![1.0; blocks], &b, confidence, margin).unwrap()
    }

    #[test]
    fn names_are_those_of_json() {
        for verdict in [
            Verdict::CannotConclude,
            Verdict::Equivalent,
            Verdict::Faster,
            Verdict::Slower,
            Verdict::Undecided,
        ] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
    }

    #[test]
    fn the_interval_decides() {
        let verdict = |low, high| comparison(low, high, 11).verdict;
        assert_eq!(verdict(0.02, 0.03), Verdict::Faster);
        assert_eq!(verdict(-0.03, -0.02), Verdict::Slower);
        assert_eq!(verdict(-0.02, 0.02), Verdict::Undecided);
        // Excludes 1 and is equivalent all the same; just reaching beyond the margin it is not.
        assert_eq!(verdict(0.002, 0.008), Verdict::Equivalent);
        assert_eq!(verdict(0.002, 0.02), Verdict::Faster);
        assert_eq!(comparison(0.5, 0.6, 5).verdict, Verdict::CannotConclude);
    }
}
