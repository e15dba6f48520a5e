//! What a unit costs one candidate at two lengths: a byte, or a call of its primitive. Different
//! lengths are in different blocks, so only launches pair them.

use std::collections::BTreeMap;

use stats::{Ratio, RatioInterval, Sample, median, median_interval};

use super::super::series::LAUNCHES_MIN;
use super::Judge;

/// A cell, and how many units its message has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rated {
    pub(super) cell: usize,
    pub(super) units: f64,
}

/// Time of a unit at one length over that at another.
pub(super) struct RateRatio {
    pub(super) log_ratio: f64,
    pub(super) interval: Option<RatioInterval>,
    /// Whether it was made without pairs, for want of launches.
    pub(super) unpaired: bool,
}

impl Judge<'_> {
    /// The time of a unit in `first` over that in `second`.
    pub(super) fn rate_ratio(&self, first: Rated, second: Rated) -> Option<RateRatio> {
        let launches = [first, second].map(|it| &self.series[it.cell].launches);
        let shared = launches[0].keys().filter(|at| launches[1].contains_key(at));
        let shared: Vec<&u32> = shared.collect();
        if shared.len() < LAUNCHES_MIN {
            return self.unpaired(first, second);
        }
        let rates = |own: &BTreeMap<u32, f64>, units: f64| -> Vec<f64> {
            shared.iter().map(|at| own[at] / units).collect()
        };
        let [of_first, of_second] =
            [rates(launches[0], first.units), rates(launches[1], second.units)];
        // The ratio is of the second series over the first.
        let ratio = Ratio::between(&of_second, &of_first, self.levels.confidence).ok()?;
        Some(RateRatio { log_ratio: ratio.log_ratio, interval: ratio.interval, unpaired: false })
    }

    /// From an interval of each median over blocks, each with half the error allowed: together they
    /// bound the ratio at the confidence asked (Bonferroni).
    fn unpaired(&self, first: Rated, second: Rated) -> Option<RateRatio> {
        let sample = |it: Rated| {
            let blocks = self.series[it.cell].blocks.values();
            Sample::new(blocks.map(|time| (time / it.units).ln()).collect()).ok()
        };
        let samples = [sample(first)?, sample(second)?];
        let each = self.levels.confidence.shared_among(2);
        let [a, b] = samples.each_ref().map(|own| median_interval(own, each));
        let interval = a.zip(b).map(|(a, b)| {
            let (log_low, log_high) = (a.low - b.high, a.high - b.low);
            let confidence_achieved = a.confidence_achieved + b.confidence_achieved - 1.0;
            let (low, high) = (log_low.exp(), log_high.exp());
            RatioInterval { low, high, log_low, log_high, confidence_achieved }
        });
        let log_ratio = median(&samples[0]) - median(&samples[1]);
        Some(RateRatio { log_ratio, interval, unpaired: true })
    }
}
