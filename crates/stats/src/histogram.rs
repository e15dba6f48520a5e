//! Bins for charts: width 2·IQR·n^(−1/3) (D. Freedman, P. Diaconis, *Z. Wahrsch. verw. Geb.* 57
//! (1981) 453–476), or where the quartiles coincide (24√π/n)^(1/3)·sd (D. W. Scott, *Biometrika*
//! 66 (1979) 605–610). The number of bins is bounded: one far outlier would ask for millions.

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::median::interpolated;
use crate::sample::Sample;

/// Equal bins from the smallest value to the largest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// Ends of the bins, ascending: one more than counts. A bin holds its lower end and not its
    /// upper, the last one both.
    pub edges: Vec<f64>,
    /// Values per bin; they add up to the size of the sample.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Of a sample, in at most `bins_max` bins. A constant sample is one bin of width 0.
    pub fn of(sample: &Sample, bins_max: NonZeroUsize) -> Self {
        let bins = bins(sample).min(bins_max.get() as f64) as usize;
        let (low, high) = (sample.min(), sample.max());
        let edge = |i: usize| {
            let share = i as f64 / bins as f64;
            // Exact at both ends, unlike low + i · width.
            low * (1.0 - share) + high * share
        };
        let edges: Vec<f64> = (0..=bins).map(edge).collect();
        let mut counts = vec![0; bins];
        for value in sample.sorted() {
            counts[edges[1..bins].partition_point(|edge| edge <= value)] += 1;
        }
        Histogram { edges, counts }
    }
}

/// How many bins the width asks for: a whole number from 1, or infinity.
fn bins(sample: &Sample) -> f64 {
    let range = sample.max() - sample.min();
    let n = sample.len() as f64;
    let quartiles = interpolated(sample, 0.75) - interpolated(sample, 0.25);
    let mut width = 2.0 * quartiles / n.cbrt();
    if width <= 0.0 {
        let scott = (24.0 * std::f64::consts::PI.sqrt() / n).cbrt();
        width = scott * sample.sd().unwrap_or(0.0);
    }
    // Equal values may have a rounded standard deviation above 0.
    if range > 0.0 && width > 0.0 { (range / width).ceil().max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: Vec<f64>, bins_max: usize) -> Histogram {
        Histogram::of(&Sample::new(values).unwrap(), NonZeroUsize::new(bins_max).unwrap())
    }

    #[test]
    fn freedman_diaconis() {
        // IQR 4 and n 9: width 8 / 9^(1/3) = 3.85, so 3 bins over a range of 8.
        let found = histogram((0..9).map(f64::from).collect(), 100);
        assert_eq!(found.edges.len(), 4);
        assert_eq!((found.edges[0], found.edges[3]), (0.0, 8.0));
        assert_eq!(found.counts, [3, 3, 3]);
    }

    #[test]
    fn a_bin_holds_its_lower_end() {
        let found = histogram(vec![0.0, 1.0, 2.0, 3.0, 4.0], 2);
        assert_eq!((found.edges, found.counts), (vec![0.0, 2.0, 4.0], vec![2, 3]));
    }

    #[test]
    fn coinciding_quartiles_fall_back_to_scott() {
        let mut values = vec![5.0; 98];
        values.extend([4.0, 6.0]);
        // sd 0.1421, n 100: width 0.752^… = 0.1069, so 19 bins over a range of 2.
        assert_eq!(histogram(values, 100).counts.len(), 19);
    }

    #[test]
    fn an_outlier_does_not_ask_for_millions_of_bins() {
        let mut values: Vec<f64> = (0..99).map(f64::from).collect();
        values.push(1e50);
        let found = histogram(values, 50);
        assert_eq!((found.counts.len(), found.counts[0], found.counts[49]), (50, 99, 1));
    }

    #[test]
    fn a_constant_sample_is_one_bin() {
        let found = histogram(vec![0.1; 10], 50);
        assert_eq!((found.edges, found.counts), (vec![0.1, 0.1], vec![10]));
    }
}
