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
        Self::between((sample.min(), sample.max()), bins, sample)
    }

    /// Of several samples with the same bins, from the least value of all to the greatest, as many
    /// as the narrowest sample asks for: their shapes and spreads can be held against each other.
    pub fn with_common_bins(samples: &[Sample], bins_max: NonZeroUsize) -> Vec<Self> {
        let low = samples.iter().map(Sample::min).fold(f64::INFINITY, f64::min);
        let high = samples.iter().map(Sample::max).fold(f64::NEG_INFINITY, f64::max);
        let asked = |sample: &Sample| {
            let own = bins(sample);
            if own > 1.0 { own * (high - low) / (sample.max() - sample.min()) } else { 1.0 }
        };
        let most = samples.iter().map(asked).fold(1.0, f64::max).ceil();
        let bins = most.min(bins_max.get() as f64) as usize;
        samples.iter().map(|sample| Self::between((low, high), bins, sample)).collect()
    }

    fn between((low, high): (f64, f64), bins: usize, sample: &Sample) -> Self {
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

    #[test]
    fn common_bins_hold_all_of_each_sample() {
        let sample = |values: &[f64]| Sample::new(values.to_vec()).unwrap();
        let narrow: Vec<f64> = (0..100).map(|n| 10.0 + f64::from(n) / 100.0).collect();
        let samples = [sample(&narrow), sample(&[2.0, 40.0, 42.0]), sample(&[5.0, 5.0])];
        let all = Histogram::with_common_bins(&samples, NonZeroUsize::new(60).unwrap());
        assert!(all.windows(2).all(|pair| pair[0].edges == pair[1].edges));
        assert_eq!((all[0].edges[0], all[0].edges[60]), (2.0, 42.0));
        let counted = all.iter().map(|it| it.counts.iter().sum::<u64>()).collect::<Vec<_>>();
        assert_eq!(counted, [100, 3, 2]);
        // 0.99 of 40 is less than two of sixty bins: the narrow one fills three at most.
        assert!(all[0].counts.iter().filter(|count| **count > 0).count() <= 3);
        assert!(Histogram::with_common_bins(&[], NonZeroUsize::MIN).is_empty());
        let constant = Histogram::with_common_bins(&samples[2..], NonZeroUsize::MIN);
        assert_eq!(constant[0].counts, [2]);
    }

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
