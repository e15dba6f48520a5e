//! The correlation of two series, how near their points lie to a rising line (K. Pearson, *Phil.
//! Trans. R. Soc. A* 187 (1896) 253–318). Sums are taken about the means, which keeps their
//! digits.

use crate::error::{StatsError, check_count, check_finite};
use crate::sample::mean;

/// 1 where one series rises with the other along a line, −1 where it falls so.
///
/// # Errors
/// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] below two points,
/// [`StatsError::NotFinite`], [`StatsError::TooLarge`], [`StatsError::Constant`] where all values
/// of a series are equal.
pub fn correlation(x: &[f64], y: &[f64]) -> Result<f64, StatsError> {
    if x.len() != y.len() {
        return Err(StatsError::UnequalLengths { left: x.len(), right: y.len() });
    }
    check_count("points", x.len(), 2)?;
    check_finite(x)?;
    check_finite(y)?;
    let about = |values: &[f64]| -> Vec<f64> {
        let middle = mean(values);
        values.iter().map(|value| value - middle).collect()
    };
    let (x, y) = (about(x), about(y));
    let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
    let spread = squares(&x).sqrt() * squares(&y).sqrt();
    if spread == 0.0 {
        return Err(StatsError::Constant);
    }
    let products: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
    Ok((products / spread).clamp(-1.0, 1.0))
}
