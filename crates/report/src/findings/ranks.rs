//! Who is fastest at one size: `stats::Ranking` over the launches that all candidates share.

use std::collections::BTreeSet;

use stats::{Comparison, Ranked, Ranking, Table, Times};

use super::series::{LAUNCHES_MIN, Series, paired};
use super::{CellFinding, Interval, Levels, RankRow, RatioFinding};

/// The ranking of the cells at `places`.
pub(super) fn of(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<RankRow> {
    // One candidate whose worker failed early must not leave all others with its few blocks. One
    // with launches enough is no such candidate, though others were measured on for an open claim.
    let stayed = places.iter().map(|&at| &series[at]).filter(|own| !own.has_left);
    let most = stayed.map(|own| own.blocks.len()).max().unwrap_or(0);
    let is_whole = |own: &Series| {
        let has_most = most > 0 && own.blocks.len() * 2 >= most;
        !own.has_left && (own.launches.len() >= LAUNCHES_MIN || has_most)
    };
    let (whole, mut broken): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|&&at| is_whole(&series[at]));
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

fn ranked(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Vec<RankRow> {
    if let &[only] = places {
        return vec![RankRow {
            rank: Some(1),
            tier: Some(1),
            tied_with_best: true,
            ..unranked(only)
        }];
    }
    let own: Vec<&Series> = places.iter().map(|&at| &series[at]).collect();
    let (_, columns) = paired(&own);
    let named = places.iter().zip(columns).map(|(&at, values)| (cells[at].path.as_str(), values));
    let times = Table::new(named.collect()).and_then(Times::new);
    let Ok(times) = times else {
        return places.iter().map(|&at| unranked(at)).collect();
    };
    let ranking = Ranking::of(&times, levels.confidence, levels.margin);
    let row = |(place, ranked): (usize, &Ranked)| RankRow {
        cell: places[ranked.column],
        rank: Some(place + 1),
        tier: ranked.tier,
        best_of_mac: false,
        tied_with_best_of_mac: false,
        tied_with_best: ranked.tied_with_best,
        to_best: ranked.to_best.as_ref().map(inverse),
        verdict: ranked.to_best.as_ref().map(|it| it.verdict),
    };
    ranking.ranked.iter().enumerate().map(row).collect()
}

pub(super) fn unranked(cell: usize) -> RankRow {
    RankRow {
        cell,
        rank: None,
        tier: None,
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
