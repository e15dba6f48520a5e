//! Do two independent samples differ by more than a margin? Welch's t (B. L. Welch, *Biometrika* 34
//! (1947) 28–35, degrees of freedom after F. E. Satterthwaite, *Biometrics Bull.* 2 (1946) 110–114)
//! of the excess over the margin, one-sided. For logarithms of times, a margin is a factor.

use serde::Serialize;

use crate::sample::Sample;
use crate::tails::t_upper;

/// Two samples held against each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Welch {
    /// Mean of b less mean of a.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Chance of a difference so far beyond the margin if the true one were at the margin.
    pub p: f64,
}

impl Welch {
    /// `b` against `a`, beyond `margin` ≥ 0 on either side. `None` where a sample has fewer than
    /// two values, for then nothing is known of its spread.
    pub fn beyond(a: &Sample, b: &Sample, margin: f64) -> Option<Self> {
        let share = |sample: &Sample| Some(sample.sd()?.powi(2) / sample.len() as f64);
        let (of_a, of_b) = (share(a)?, share(b)?);
        let free = |own: f64, sample: &Sample| own.powi(2) / (sample.len() as f64 - 1.0);
        let (difference, variance) = (b.mean() - a.mean(), of_a + of_b);
        let excess = difference.abs() - margin;
        let (df, p) = if variance > 0.0 {
            let df = variance.powi(2) / (free(of_a, a) + free(of_b, b));
            (df, t_upper(excess / variance.sqrt(), df))
        } else {
            (f64::from(u32::MAX), if excess > 0.0 { 0.0 } else { 1.0 })
        };
        Some(Self { difference, standard_error: variance.sqrt(), df, p })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn the_tail_is_that_of_the_tables() {
        assert!((t_upper(2.228_138_85, 10.0) - 0.025).abs() < 1e-8);
        assert!((t_upper(-2.015_048_37, 5.0) - 0.95).abs() < 1e-8);
        assert_eq!(t_upper(0.0, 3.0), 0.5);
    }

    #[test]
    fn a_difference_counts_from_the_margin_on() {
        let (a, b) = (sample(&[1.0, 2.0, 3.0, 4.0, 5.0]), sample(&[5.0, 6.0, 7.0, 8.0, 9.0]));
        // Standard error 1, eight degrees of freedom, difference 4.
        let found = Welch::beyond(&a, &b, 0.0).unwrap();
        assert_eq!((found.difference, found.standard_error, found.df), (4.0, 1.0, 8.0));
        assert!((found.p - t_upper(4.0, 8.0)).abs() < 1e-15);
        assert_eq!(Welch::beyond(&b, &a, 4.0).unwrap().p, 0.5);
        assert!(Welch::beyond(&a, &b, 8.0).unwrap().p > 0.99);
        assert_eq!(Welch::beyond(&sample(&[1.0]), &b, 0.0), None);
        let same = sample(&[1.0, 1.0]);
        assert_eq!(Welch::beyond(&same, &same, 0.0).unwrap().p, 1.0);
        assert_eq!(Welch::beyond(&same, &sample(&[2.0, 2.0]), 0.5).unwrap().p, 0.0);
    }
}
