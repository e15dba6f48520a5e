//! Who is fastest at one size: `stats::Ranking` in the order of the launches that all candidates
//! share, each pair over all that it shares.

use std::collections::BTreeSet;

use stats::{Comparison, Differences, Ranked, Ranking, Table, Times};

use super::series::{self, Series, paired};
use super::{CellFinding, Interval, Levels, RankRow, RatioFinding, SizeFinding, Unit};

/// The ranking of the cells at `places`.
pub(super) fn of(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<RankRow> {
    let (whole, mut broken) = series::whole(places, series);
    let median_ns = |at: &usize| cells[*at].median_ns.unwrap_or(f64::INFINITY);
    broken.sort_by(|a, b| median_ns(a).total_cmp(&median_ns(b)));
    let mut rows = ranked(&whole, cells, series, levels);
    rows.extend(broken.into_iter().map(unranked));
    let mut seen = BTreeSet::new();
    for row in &mut rows {
        row.best_of_mac = row.rank.is_some() && seen.insert(&cells[row.cell].cell.candidate.mac);
    }
    for mac in seen {
        let own = whole.iter().copied().filter(|&at| cells[at].cell.candidate.mac == *mac);
        let within = ranked(&own.collect::<Vec<_>>(), cells, series, levels);
        let tied = |row: &RankRow| within.iter().any(|it| it.cell == row.cell && it.tied_with_best);
        rows.iter_mut().for_each(|row| row.tied_with_best_of_mac |= tied(row));
    }
    rows
}

impl SizeFinding {
    /// The ranking of the macs that nothing speaks against; of all where that would be none.
    pub(super) fn without_caveats(&self) -> &[RankRow] {
        self.recommended.as_ref().unwrap_or(&self.ranking)
    }
}

/// Macs of a ranking, beside its first, that are not shown slower.
pub(super) fn others_tied(ranking: &[RankRow]) -> usize {
    let tied = ranking.iter().filter(|row| row.best_of_mac && row.tied_with_best);
    tied.count().saturating_sub(1)
}

fn ranked(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<RankRow> {
    if let &[only] = places {
        return vec![RankRow {
            rank: Some(1),
            tie_group: Some(1),
            tied_with_best: true,
            ..unranked(only)
        }];
    }
    let own: Vec<&Series> = places.iter().map(|&at| &series[at]).collect();
    let beside: Vec<_> = own.iter().map(|own| own.beside_all()).collect();
    let (unit, columns) = paired(&beside.iter().map(|own| &**own).collect::<Vec<_>>());
    let named = places.iter().zip(columns).map(|(&at, values)| (cells[at].path.as_str(), values));
    let times = Table::new(named.collect()).and_then(Times::new);
    let Ok(times) = times else {
        return places.iter().map(|&at| unranked(at)).collect();
    };
    let ranking = by_pairs((&times, unit), &own, levels);
    let row = |(place, ranked): (usize, &Ranked)| RankRow {
        cell: places[ranked.column],
        rank: Some(place + 1),
        tie_group: ranked.tie_group,
        best_of_mac: false,
        tied_with_best_of_mac: false,
        tied_with_best: ranked.tied_with_best,
        to_best: ranked.to_best.as_ref().map(inverse),
        verdict: ranked.to_best.as_ref().map(|it| it.verdict),
    };
    ranking.ranked.iter().enumerate().map(row).collect()
}

/// Each pair by all that it shares: for an open claim some are measured on when others are not.
/// Where that tells otherwise, a ranking is of what was measured side by side.
fn by_pairs((times, common): (&Times, Unit), own: &[&Series], levels: Levels) -> Ranking {
    let n_common = times.table().n_blocks();
    let differences = |i: usize, j: usize| {
        let own = [own[i], own[j]];
        let may_differ = |it: &Series| it.launches.len() > n_common || it.has_launches_apart();
        // Mostly all share the same launches, and these are for everything.
        if common == Unit::Launch && !own.iter().any(|it| may_differ(it)) {
            return times.log_differences(i, j);
        }
        let (_, pair) = series::pair(own);
        let pair = Differences::of_logs(&pair[0], &pair[1]);
        pair.unwrap_or_else(|_| times.log_differences(i, j))
    };
    Ranking::by(times.table(), differences, levels.confidence, levels.margin)
}

pub(super) fn unranked(cell: usize) -> RankRow {
    RankRow {
        cell,
        rank: None,
        tie_group: None,
        best_of_mac: false,
        tied_with_best_of_mac: false,
        tied_with_best: false,
        to_best: None,
        verdict: None,
    }
}

/// Time of the subject over time of the reference: `stats` tells how many times *faster* the
/// subject is, a table how many times longer it takes.
pub(crate) fn inverse(comparison: &Comparison) -> RatioFinding {
    let ratio = &comparison.ratio;
    RatioFinding {
        value: (-ratio.log_ratio).exp(),
        interval: ratio.interval.map(|it| Interval {
            low: (-it.log_high).exp(),
            high: (-it.log_low).exp(),
            confidence: it.confidence_achieved,
        }),
    }
}
