//! Numbers that were checked once and need no second look: [`Sample`], one series sorted, and
//! [`Differences`], paired differences in block order. Order statistics need the first, signed
//! ranks and autocorrelation the second; neither can be built from NaN.

use crate::error::{StatsError, check_count, check_finite, check_positive};

/// Most decimal places looked for: no power of ten beyond 10²² is exact in an `f64`.
const PLACES_MAX: usize = 22;

/// Most units of the last place: numbers of up to 15 digits stay apart as `f64`, and a column that
/// is not made of such numbers is hardly ever taken for one that is.
const UNITS_MAX: f64 = 1e15;

/// A sorted series of at least one finite number.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
}

impl Sample {
    /// Checks and sorts.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] when empty, [`StatsError::NotFinite`], [`StatsError::TooLarge`].
    pub fn new(values: Vec<f64>) -> Result<Self, StatsError> {
        check_count("values", values.len(), 1)?;
        check_finite(&values)?;
        Ok(Self::of_checked(values))
    }

    /// Sorts values already known to be finite and not none.
    pub(crate) fn of_checked(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Sample { sorted: values }
    }

    /// The values, ascending.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many values; at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a sample is never empty")]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest value.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest value.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// Whether all values are equal. Asked of the values themselves: the mean of equal numbers
    /// may be rounded, so their standard deviation need not come out as 0.
    pub fn is_constant(&self) -> bool {
        self.min() == self.max()
    }

    /// Arithmetic mean.
    pub fn mean(&self) -> f64 {
        mean(&self.sorted)
    }

    /// Standard deviation with n − 1, in two passes; `None` for a single value.
    pub fn sd(&self) -> Option<f64> {
        let n = self.sorted.len();
        if n < 2 {
            return None;
        }
        let mean = self.mean();
        let squares: f64 = self.sorted.iter().map(|x| (x - mean).powi(2)).sum();
        Some((squares / (n - 1) as f64).sqrt())
    }
}

/// Paired differences in block order: at least one, all finite. Zeros stay in; the methods that
/// drop them say so and count them.
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    values: Vec<f64>,
}

impl Differences {
    /// `a − b`, block by block: what the paper's Wilcoxon tests are about. Where every value of
    /// both is a decimal of up to 15 digits, they are subtracted as decimals: 0.3 − 0.2 and
    /// 0.4 − 0.3 are one difference. The binary fractions next to them differ in their last bits,
    /// which would rank what is tied.
    ///
    /// # Errors
    /// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] when empty,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`].
    pub fn between(a: &[f64], b: &[f64]) -> Result<Self, StatsError> {
        check_lengths(a, b)?;
        check_finite(a)?;
        check_finite(b)?;
        check_count("differences", a.len(), 1)?;
        Ok(Self::of_checked(a, b))
    }

    /// `ln b − ln a`, block by block: the logarithm of how many times longer `b` takes than `a`.
    /// Never `ln(b / a)`, which is not exactly antisymmetric in floating point: the quotient
    /// rounds, tied ranks split by sign, and false positives of an A/A Wilcoxon test rose from
    /// 5 % to 14–20 % (`measurement.md` §0.4).
    ///
    /// # Errors
    /// As [`between`](Self::between), and [`StatsError::NotPositive`].
    pub fn of_logs(a: &[f64], b: &[f64]) -> Result<Self, StatsError> {
        check_lengths(a, b)?;
        check_positive(a)?;
        check_positive(b)?;
        check_count("differences", a.len(), 1)?;
        Ok(Self::of_checked_logs(a, b))
    }

    /// [`between`](Self::between) for columns of a table.
    pub(crate) fn of_checked(a: &[f64], b: &[f64]) -> Self {
        let Some(scale) = decimal_scale(a, b) else { return Self::of_binary(a, b) };
        // Whole numbers below 2⁵³ and an exact power of ten: the quotient is the number next to the
        // decimal difference, and so depends on that alone.
        let one = |(a, b): (&f64, &f64)| (units(*a, scale) - units(*b, scale)) / scale;
        Differences { values: a.iter().zip(b).map(one).collect() }
    }

    /// `a − b` of the binary fractions as they are: right for logarithms, which are no decimals.
    pub(crate) fn of_binary(a: &[f64], b: &[f64]) -> Self {
        Differences { values: a.iter().zip(b).map(|(a, b)| a - b).collect() }
    }

    /// [`of_logs`](Self::of_logs) for columns of a table of times.
    pub(crate) fn of_checked_logs(a: &[f64], b: &[f64]) -> Self {
        Differences { values: a.iter().zip(b).map(|(a, b)| b.ln() - a.ln()).collect() }
    }

    /// Differences made elsewhere, in block order.
    ///
    /// # Errors
    /// [`StatsError::TooFew`] when empty, [`StatsError::NotFinite`], [`StatsError::TooLarge`].
    pub fn from_values(values: Vec<f64>) -> Result<Self, StatsError> {
        check_count("differences", values.len(), 1)?;
        check_finite(&values)?;
        Ok(Differences { values })
    }

    /// The differences in block order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The differences with their order given up for sorting.
    pub fn to_sample(&self) -> Sample {
        Sample::of_checked(self.values.clone())
    }
}

/// Arithmetic mean of a series that is not empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The power of ten that makes all values whole: none unless each is a decimal of few digits.
fn decimal_scale(a: &[f64], b: &[f64]) -> Option<f64> {
    let is_decimal = |value: f64, scale: f64| {
        let units = units(value, scale);
        units.abs() <= UNITS_MAX && units / scale == value
    };
    let scales = std::iter::successors(Some(1.0_f64), |scale| Some(scale * 10.0));
    scales
        .take(PLACES_MAX + 1)
        .find(|scale| a.iter().chain(b).all(|value| is_decimal(*value, *scale)))
}

/// How many of the last decimal place.
fn units(value: f64, scale: f64) -> f64 {
    (value * scale).round()
}

fn check_lengths(a: &[f64], b: &[f64]) -> Result<(), StatsError> {
    if a.len() == b.len() {
        Ok(())
    } else {
        Err(StatsError::UnequalLengths { left: a.len(), right: b.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &[f64], b: &[f64]) -> Vec<f64> {
        Differences::between(a, b).unwrap().values().to_vec()
    }

    #[test]
    fn decimals_are_subtracted_as_decimals() {
        let a = [0.3, 0.4, 0.5, 0.7, 0.2, 0.9, 1.1, 1.2];
        let b = [0.2, 0.3, 0.4, 0.6, 0.3, 0.8, 1.0, 1.1];
        assert_eq!(between(&a, &b), [0.1, 0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 0.1]);
        assert_ne!(0.3 - 0.2, 0.4 - 0.3);
        // Places are those of the longest: 1.5 − 0.001.
        assert_eq!(between(&[1.5, 2e-3], &[0.001, 0.0]), [1.499, 0.002]);
        assert_eq!(between(&[3e-7, -8.1e-7], &[2e-7, -8e-7]), [1e-7, -1e-8]);
        assert_eq!(between(&[123_456_789.123_456], &[123_456_789.123_455]), [1e-6]);
        for (a, b) in [(7, 3), (1_000_001, 1_000_000), (12_345, 99_999), (-5, 5), (4, 4)] {
            for places in 0..10 {
                let of = |units: i32| format!("{units}e-{places}").parse::<f64>().unwrap();
                assert_eq!(between(&[of(a)], &[of(b)]), [of(a - b)], "{a}, {b}, {places}");
            }
        }
    }

    #[test]
    fn what_is_no_decimal_is_subtracted_as_it_is() {
        let thirds: [f64; 4] = [1.0 / 3.0, 2.0 / 3.0, 1e40, 1e-40];
        let others: [f64; 4] = [0.1, 1.0 / 7.0, 3.0, 1e-41];
        let expected: Vec<f64> = thirds.iter().zip(others).map(|(a, b)| a - b).collect();
        assert_eq!(between(&thirds, &others), expected);
        // Whole numbers of more digits, and binary fractions, are exact as they are.
        let ticks = [9_007_199_254_740_991.0, 3.0 + 2f64.powi(-40)];
        assert_eq!(between(&ticks, &[9_007_199_254_740_990.0, 3.0]), [1.0, 2f64.powi(-40)]);
    }

    #[test]
    fn only_what_is_equal_has_no_difference() {
        let next = 0.3 + 2f64.powi(-54);
        assert!(next > 0.3);
        assert!(between(&[next, 0.3], &[0.3, 0.3])[0] > 0.0);
        let all = between(&[0.1 + 0.2, 0.0, 5.0], &[0.3, -0.0, 5.0]);
        assert!(all[0] > 0.0 && all[1..] == [0.0, 0.0], "{all:?}");
    }
}
