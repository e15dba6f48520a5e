//! Order statistics of one sample: median, quantiles (type 7 of R. J. Hyndman, Y. Fan, *Amer.
//! Statist.* 50 (1996) 361–365, the default of R and NumPy), the distribution-free interval of
//! the median (H. A. David, H. N. Nagaraja, *Order Statistics*, §7.1), MAD, and Tukey's box.

use serde::Serialize;

use crate::error::StatsError;
use crate::level::Confidence;
use crate::sample::Sample;
use crate::tails::binomial_lower;

/// Makes the MAD of a normal sample estimate its standard deviation: 1 / Φ⁻¹(3/4).
pub const MAD_TO_SD: f64 = 1.482_602_218_505_602;

/// The middle value, or the midpoint of the two. Negating the values negates it exactly.
pub fn median(sample: &Sample) -> f64 {
    let (sorted, n) = (sample.sorted(), sample.len());
    f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2])
}

/// The `share`-quantile: linear between the order statistics at position (n − 1) · share from 0.
///
/// # Errors
/// [`StatsError::OutOfRange`] for a share outside [0, 1].
pub fn quantile(sample: &Sample, share: f64) -> Result<f64, StatsError> {
    if (0.0..=1.0).contains(&share) {
        Ok(interpolated(sample, share))
    } else {
        Err(StatsError::OutOfRange { what: "share", value: share, range: "[0, 1]" })
    }
}

/// Median absolute deviation from the median, unscaled; times [`MAD_TO_SD`] it is comparable to
/// a standard deviation.
pub fn mad(sample: &Sample) -> f64 {
    let middle = median(sample);
    let mut deviations: Vec<f64> = sample.sorted().iter().map(|x| (x - middle).abs()).collect();
    deviations.sort_by(f64::total_cmp);
    let n = deviations.len();
    f64::midpoint(deviations[(n - 1) / 2], deviations[n / 2])
}

/// Interval of the median between two order statistics.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MedianInterval {
    /// Lower end, the `rank`-th smallest value.
    pub low: f64,
    /// Upper end, the `rank`-th largest value.
    pub high: f64,
    /// Which order statistic the ends are, counted from 1 from either side.
    pub rank: usize,
    /// Exact coverage for any continuous distribution (more where values tie): at least the
    /// confidence asked for, as order statistics come in steps.
    pub confidence_achieved: f64,
}

/// The shortest symmetric order-statistic interval of at least this confidence; `None` where even
/// the extremes cover less (below 6 values at 95 %). Inverts the sign test, so it excludes 0
/// exactly when that test, without zeros, rejects.
pub fn median_interval(sample: &Sample, confidence: Confidence) -> Option<MedianInterval> {
    let n = sample.len();
    // Outside [x_(r), x_(n+1−r)] lie the cases of fewer than r values below the median, or above.
    let outside = |rank: usize| 2.0 * binomial_lower(rank as u64 - 1, n as u64, 0.5);
    let (mut fits, mut fails) = (0, n / 2 + 1);
    while fails - fits > 1 {
        let rank = fits + (fails - fits) / 2;
        if outside(rank) <= 1.0 - confidence.value() {
            fits = rank;
        } else {
            fails = rank;
        }
    }
    (fits > 0).then(|| MedianInterval {
        low: sample.sorted()[fits - 1],
        high: sample.sorted()[n - fits],
        rank: fits,
        confidence_achieved: 1.0 - outside(fits),
    })
}

/// The five numbers of a box plot, and what lies outside (J. W. Tukey, *Exploratory Data
/// Analysis*, ch. 2): whiskers reach the outermost values within 1.5 interquartile ranges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoxPlot {
    /// Smallest value not below q1 − 1.5 (q3 − q1); never above q1.
    pub whisker_low: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Largest value not above q3 + 1.5 (q3 − q1); never below q3.
    pub whisker_high: f64,
    /// Values beyond the whiskers, ascending.
    pub outliers: Vec<f64>,
}

impl BoxPlot {
    /// Of a sample.
    pub fn of(sample: &Sample) -> Self {
        let (q1, q3) = (interpolated(sample, 0.25), interpolated(sample, 0.75));
        let reach = 1.5 * (q3 - q1);
        let inside = |x: &f64| *x >= q1 - reach && *x <= q3 + reach;
        let sorted = sample.sorted();
        let low = sorted.iter().copied().find(inside).unwrap_or(q1);
        let high = sorted.iter().copied().rfind(inside).unwrap_or(q3);
        BoxPlot {
            // Type-7 quartiles lie between values; in tiny samples the nearest one inside the
            // fence may lie within the box.
            whisker_low: low.min(q1),
            q1,
            median: median(sample),
            q3,
            whisker_high: high.max(q3),
            outliers: sorted.iter().copied().filter(|x| !inside(x)).collect(),
        }
    }
}

pub(crate) fn interpolated(sample: &Sample, share: f64) -> f64 {
    let position = (sample.len() - 1) as f64 * share;
    let below = position.floor() as usize;
    let above = (below + 1).min(sample.len() - 1);
    let (low, high) = (sample.sorted()[below], sample.sorted()[above]);
    low + (high - low) * (position - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn six_values_are_the_fewest_at_95_percent() {
        let five = sample(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(median_interval(&five, Confidence::NINETY_FIVE_PERCENT), None);
        let six = sample(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        let interval = median_interval(&six, Confidence::NINETY_FIVE_PERCENT).unwrap();
        assert_eq!((interval.low, interval.high, interval.rank), (1.0, 6.0, 1));
        assert!((interval.confidence_achieved - (1.0 - 2f64.powi(-5))).abs() < 1e-12);
    }

    #[test]
    fn the_mad_is_a_median_of_sorted_deviations() {
        // rebar took the middle of the deviations unsorted: 0 for an odd number of values.
        assert_eq!(mad(&sample(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0])), 1.0);
        assert_eq!(mad(&sample(&[1.0, 2.0, 3.0, 50.0])), 1.0);
    }

    #[test]
    fn a_box_keeps_its_outliers_apart() {
        let plot = BoxPlot::of(&sample(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0]));
        assert_eq!((plot.q1, plot.median, plot.q3), (3.0, 5.0, 7.0));
        assert_eq!((plot.whisker_low, plot.whisker_high), (1.0, 8.0));
        assert_eq!(plot.outliers, [100.0]);
    }

    #[test]
    fn whiskers_never_end_inside_the_box() {
        // The first quartile lies between the outlier and the rest.
        let plot = BoxPlot::of(&sample(&[-100.0, 10.0, 10.0, 10.0]));
        assert_eq!((plot.whisker_low, plot.q1, plot.outliers), (-17.5, -17.5, vec![-100.0]));
        let plot = BoxPlot::of(&sample(&[10.0, 10.0, 10.0, 120.0]));
        assert_eq!((plot.whisker_high, plot.q3, plot.outliers), (37.5, 37.5, vec![120.0]));
    }

    #[test]
    fn a_share_outside_zero_to_one_is_refused() {
        assert!(quantile(&sample(&[1.0]), 1.1).is_err());
        assert!(quantile(&sample(&[1.0]), f64::NAN).is_err());
        assert_eq!(quantile(&sample(&[1.0, 3.0]), 1.0), Ok(3.0));
    }
}
