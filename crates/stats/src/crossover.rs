//! Where two candidates change places as messages grow: d(s) = ln t_A − ln t_B over the length s,
//! with an interval at each size. A change counts when the intervals on both sides exclude 0, in
//! opposite directions; *every* such change is listed, since blocks and padding steps make several
//! (`measurement.md` §2.6). Between sizes d is taken to be linear in s, as times nearly are.

use std::num::NonZeroU64;

use serde::Serialize;

use crate::error::{StatsError, check_count, check_finite};
use crate::level::Confidence;
use crate::ratio::estimate;
use crate::sample::Differences;

/// Which of two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Side {
    /// The first of the two, t_A.
    A,
    /// The second of the two, t_B.
    B,
}

/// ln t_A − ln t_B at one size; below 0, A is faster.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SizePoint {
    /// Message length; an empty message has no logarithm.
    pub len_bytes: NonZeroU64,
    /// The point estimate.
    pub log_difference: f64,
    /// Its interval (low, high); absent where there are too few blocks.
    pub interval: Option<(f64, f64)>,
}

impl SizePoint {
    /// From the times of A and B in the same blocks, in any one unit: median and sign interval.
    ///
    /// # Errors
    /// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] when empty,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`], [`StatsError::NotPositive`].
    pub fn of_times(
        len_bytes: NonZeroU64,
        a: &[f64],
        b: &[f64],
        confidence: Confidence,
    ) -> Result<Self, StatsError> {
        // ln a − ln b is the log ratio of the pair (b, a).
        let (log_difference, interval) = estimate(&Differences::of_logs(b, a)?, confidence);
        let interval = interval.map(|i| (i.log_low, i.log_high));
        Ok(SizePoint { len_bytes, log_difference, interval })
    }

    /// Who is shown to be faster here, if anyone is.
    pub fn faster(&self) -> Option<Side> {
        match self.interval {
            Some((_, high)) if high < 0.0 => Some(Side::A),
            Some((low, _)) if low > 0.0 => Some(Side::B),
            _ => None,
        }
    }

    fn size(&self) -> f64 {
        self.len_bytes.get() as f64
    }
}

/// Differences over strictly increasing sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Curve(Vec<SizePoint>);

/// One supported change of places.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossover {
    /// Where d is 0 by linear interpolation in s: a length, but not a whole one. Where the
    /// estimate changes sign several times inside the bracket, the middle change.
    pub len_bytes: f64,
    /// Largest measured size below at which one is shown faster.
    pub bracket_low_bytes: u64,
    /// Smallest measured size above at which the other is.
    pub bracket_high_bytes: u64,
    /// Measured sizes between these two: the tie zone, where nobody is shown to be faster.
    pub tie_zone_bytes: Vec<u64>,
    /// Who is faster below; the other is above.
    pub faster_below: Side,
}

impl Curve {
    /// Points by ascending size.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] when empty, [`StatsError::NotIncreasing`],
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`].
    pub fn new(points: Vec<SizePoint>) -> Result<Self, StatsError> {
        check_count("sizes", points.len(), 1)?;
        check_finite(&points.iter().map(|p| p.log_difference).collect::<Vec<_>>())?;
        match points.windows(2).position(|pair| pair[0].len_bytes >= pair[1].len_bytes) {
            Some(before) => Err(StatsError::NotIncreasing { index: before + 1 }),
            None => Ok(Curve(points)),
        }
    }

    /// The points by ascending size.
    pub fn points(&self) -> &[SizePoint] {
        &self.0
    }

    /// Every supported change of places, by ascending size; empty where there is none in range.
    pub fn crossovers(&self) -> Vec<Crossover> {
        let shown: Vec<(usize, Side)> =
            self.0.iter().enumerate().filter_map(|(i, p)| Some((i, p.faster()?))).collect();
        let changes = shown.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        changes.map(|pair| crossover(&self.0[pair[0].0..=pair[1].0], pair[0].1)).collect()
    }
}

/// The change within `bracket`, whose first and last points lie on opposite sides of 0.
fn crossover(bracket: &[SizePoint], faster_below: Side) -> Crossover {
    let size = |index: usize| bracket[index].len_bytes.get();
    let last = bracket.len() - 1;
    Crossover {
        len_bytes: root(bracket),
        bracket_low_bytes: size(0),
        bracket_high_bytes: size(last),
        tie_zone_bytes: (1..last).map(size).collect(),
        faster_below,
    }
}

/// The size at which the estimate changes sign; of several changes (an odd number) the
/// middle one. A stretch of exact zeros is crossed in its middle.
fn root(bracket: &[SizePoint]) -> f64 {
    let off_zero: Vec<usize> =
        (0..bracket.len()).filter(|&i| bracket[i].log_difference != 0.0).collect();
    let below = |i: usize| bracket[i].log_difference < 0.0;
    let changes: Vec<(usize, usize)> = off_zero
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|&(i, j)| below(i) != below(j))
        .collect();
    // An estimate may lie outside its own interval only if a caller made it so.
    let Some(&(i, j)) = changes.get(changes.len() / 2) else {
        return f64::midpoint(bracket[0].size(), bracket[bracket.len() - 1].size());
    };
    if j - i > 1 {
        return f64::midpoint(bracket[i + 1].size(), bracket[j - 1].size());
    }
    let (low, high) = (&bracket[i], &bracket[j]);
    let share = low.log_difference / (low.log_difference - high.log_difference);
    low.size() + share * (high.size() - low.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, f64, f64)]) -> Curve {
        let point = |&(len, d, half): &(u64, f64, f64)| SizePoint {
            len_bytes: NonZeroU64::new(len).unwrap(),
            log_difference: d,
            interval: Some((d - half, d + half)),
        };
        Curve::new(points.iter().map(point).collect()).unwrap()
    }

    #[test]
    fn every_supported_change_is_listed() {
        let found = curve(&[(16, -0.3, 0.1), (64, 0.1, 0.05), (256, 0.2, 0.1), (1024, -0.2, 0.1)])
            .crossovers();
        assert_eq!(found.len(), 2);
        // 16 to 64, three quarters of the way; 256 to 1024, half way.
        assert!((found[0].len_bytes - 52.0).abs() < 1e-9);
        assert!((found[1].len_bytes - 640.0).abs() < 1e-9);
        assert_eq!((found[0].bracket_low_bytes, found[0].bracket_high_bytes), (16, 64));
        assert_eq!((found[0].faster_below, found[1].faster_below), (Side::A, Side::B));
        assert!(found[0].tie_zone_bytes.is_empty());
    }

    #[test]
    fn undecided_sizes_between_are_the_tie_zone() {
        let found = curve(&[(16, -0.3, 0.1), (32, -0.02, 0.1), (64, 0.06, 0.1), (128, 0.3, 0.1)])
            .crossovers();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].bracket_low_bytes, found[0].bracket_high_bytes), (16, 128));
        assert_eq!(found[0].tie_zone_bytes, [32, 64]);
        assert!((found[0].len_bytes - 40.0).abs() < 1e-9);
        // Of three changes of the estimate in one bracket the middle one, 32 to 64 half way.
        let wavering = [(16, -0.3, 0.1), (32, 0.02, 0.1), (64, -0.02, 0.1), (128, 0.3, 0.1)];
        let found = curve(&wavering).crossovers();
        assert!((found[0].len_bytes - 48.0).abs() < 1e-9);
        let through_zero = curve(&[(16, 0.3, 0.1), (32, 0.0, 0.1), (64, -0.1, 0.05)]).crossovers();
        assert!((through_zero[0].len_bytes - 32.0).abs() < 1e-9);
    }

    #[test]
    fn a_change_of_the_estimate_alone_is_not_one() {
        assert!(curve(&[(16, -0.3, 0.1), (32, 0.1, 0.2)]).crossovers().is_empty());
        let there_and_back = curve(&[(16, -0.3, 0.1), (32, 0.1, 0.2), (64, -0.3, 0.1)]);
        assert!(there_and_back.crossovers().is_empty());
    }

    #[test]
    fn sizes_must_increase() {
        let point = curve(&[(16, 0.0, 0.1)]).points()[0];
        assert_eq!(Curve::new(vec![point, point]), Err(StatsError::NotIncreasing { index: 1 }));
    }

    #[test]
    fn times_give_the_difference_its_sign() {
        let (a, b) = ([1.0; 8], [2.0; 8]);
        let len_bytes = NonZeroU64::new(16).unwrap();
        let point = SizePoint::of_times(len_bytes, &a, &b, Confidence::NINETY_FIVE_PERCENT);
        assert_eq!(point.as_ref().unwrap().faster(), Some(Side::A));
        assert_eq!(point.unwrap().log_difference, -std::f64::consts::LN_2);
    }
}
