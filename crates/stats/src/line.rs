//! A straight line through points by least squares (A.-M. Legendre, *Nouvelles méthodes pour la
//! détermination des orbites des comètes*, 1805, appendix): what a unit of work costs, and what is
//! paid apart from it. Sums are taken about the means, which keeps their digits.

use serde::Serialize;

use crate::error::{StatsError, check_count, check_finite};
use crate::sample::mean;

/// y = intercept + slope · x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Line {
    /// y where x is 0.
    pub intercept: f64,
    /// Growth of y with x.
    pub slope: f64,
}

impl Line {
    /// The line with the least sum of squared distances in y.
    ///
    /// # Errors
    /// [`StatsError::UnequalLengths`], [`StatsError::TooFew`] below two points,
    /// [`StatsError::NotFinite`], [`StatsError::TooLarge`], [`StatsError::Constant`] where all x
    /// are equal.
    pub fn through(x: &[f64], y: &[f64]) -> Result<Self, StatsError> {
        if x.len() != y.len() {
            return Err(StatsError::UnequalLengths { left: x.len(), right: y.len() });
        }
        check_count("points", x.len(), 2)?;
        check_finite(x)?;
        check_finite(y)?;
        let (mean_x, mean_y) = (mean(x), mean(y));
        let squares: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
        if squares == 0.0 {
            return Err(StatsError::Constant);
        }
        let products = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y));
        let slope = products.sum::<f64>() / squares;
        Ok(Line { intercept: mean_y - slope * mean_x, slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST's Statistical Reference Datasets, linear regression, `Norris` (y, x), with its
    /// certified values.
    const NORRIS: [(f64, f64); 36] = [
        (0.1, 0.2),
        (338.8, 337.4),
        (118.1, 118.2),
        (888.0, 884.6),
        (9.2, 10.1),
        (228.1, 226.5),
        (668.5, 666.3),
        (998.5, 996.3),
        (449.1, 448.6),
        (778.9, 777.0),
        (559.2, 558.2),
        (0.3, 0.4),
        (0.1, 0.6),
        (778.1, 775.5),
        (668.8, 666.9),
        (339.3, 338.0),
        (448.9, 447.5),
        (10.8, 11.6),
        (557.7, 556.0),
        (228.3, 228.1),
        (998.0, 995.8),
        (888.8, 887.6),
        (119.6, 120.2),
        (0.3, 0.3),
        (0.6, 0.3),
        (557.6, 556.8),
        (339.3, 339.1),
        (888.0, 887.2),
        (998.5, 999.0),
        (778.9, 779.0),
        (10.2, 11.1),
        (117.6, 118.3),
        (228.9, 229.2),
        (668.4, 669.1),
        (449.2, 448.9),
        (0.2, 0.5),
    ];

    #[test]
    fn the_certified_line_is_found() {
        let (y, x): (Vec<f64>, Vec<f64>) = NORRIS.into_iter().unzip();
        let line = Line::through(&x, &y).unwrap();
        assert!((line.intercept / -0.262_323_073_774_029 - 1.0).abs() < 1e-10, "{line:?}");
        assert!((line.slope / 1.002_116_818_020_45 - 1.0).abs() < 1e-13, "{line:?}");
    }

    #[test]
    fn what_has_no_line_is_refused() {
        assert_eq!(Line::through(&[2.0, 2.0], &[1.0, 3.0]), Err(StatsError::Constant));
        assert!(matches!(Line::through(&[1.0], &[1.0]), Err(StatsError::TooFew { .. })));
        assert!(Line::through(&[1.0, 2.0], &[1.0]).is_err());
        assert!(Line::through(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
    }
}
