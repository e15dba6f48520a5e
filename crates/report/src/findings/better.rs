//! By how many percent each mac is better than each other at one size: every pair of best offers.

use serde::Serialize;
use stats::{Comparison, Verdict};

use super::ranks::inverse;
use super::series::{Series, pair};
use super::{Group, Interval, Levels, RankRow, RatioFinding};
use crate::format::{ABSENT, Figure};

/// One mac against another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairFinding {
    /// The one that it is said of, by place in [`Findings::cells`](super::Findings::cells).
    pub row: usize,
    /// The one that it is compared with.
    pub column: usize,
    /// Time of the row over time of the column.
    pub ratio: RatioFinding,
    /// The row against the column.
    pub verdict: Verdict,
}

impl PairFinding {
    /// By which share the row takes less than the column, (column − row) / column, with its
    /// interval; negative where it takes more, absent where no difference is shown.
    #[must_use]
    pub fn better(&self) -> Option<RatioFinding> {
        self.shown(|ratio| 1.0 - ratio)
    }

    /// The same share of the row, (column − row) / row: the other reading of “x % better”.
    #[must_use]
    pub fn better_of_row(&self) -> Option<RatioFinding> {
        self.shown(|ratio| 1.0 / ratio - 1.0)
    }

    /// What falls as the ratio grows, so that the ends of the interval change places.
    fn shown(&self, share: impl Fn(f64) -> f64) -> Option<RatioFinding> {
        let is_shown = matches!(self.verdict, Verdict::Faster | Verdict::Slower);
        let ends = |it: Interval| Interval { low: share(it.high), high: share(it.low), ..it };
        is_shown.then(|| RatioFinding {
            value: share(self.ratio.value),
            interval: self.ratio.interval.map(ends),
        })
    }
}

impl RatioFinding {
    /// A share of 1 and its interval in percent for print, beside 0.
    pub(crate) fn percent(&self) -> Figure {
        let ends = self.interval.map(|it| (100.0 * it.low, 100.0 * it.high));
        Figure::against(100.0 * self.value, ends, &[0.0])
    }
}

impl PairFinding {
    /// What stands where neither is shown better.
    pub(crate) fn neither(&self) -> &'static str {
        if self.verdict == Verdict::CannotConclude { ABSENT } else { "=" }
    }
}

/// Both orders of every pair of best offers, in the order of the macs' names.
pub(super) fn of(ranking: &[RankRow], series: &[Series], levels: Levels) -> Vec<PairFinding> {
    let mut best: Vec<usize> =
        ranking.iter().filter(|row| row.best_of_mac).map(|row| row.cell).collect();
    best.sort_unstable();
    let all = best.iter().flat_map(|&row| best.iter().map(move |&column| (row, column)));
    all.filter(|(row, column)| row != column)
        .filter_map(|(row, column)| {
            let (_, pair) = pair([&series[row], &series[column]]);
            let (confidence, margin) = (levels.confidence, levels.margin);
            let comparison = Comparison::between(&pair[0], &pair[1], confidence, margin).ok()?;
            let (ratio, verdict) = (inverse(&comparison), comparison.verdict);
            Some(PairFinding { row, column, ratio, verdict })
        })
        .collect()
}

impl Group {
    /// The best offer of each MAC at each size.
    pub(crate) fn best(&self) -> impl Iterator<Item = &RankRow> {
        self.sizes.iter().flat_map(|size| &size.ranking).filter(|row| row.best_of_mac)
    }
}
