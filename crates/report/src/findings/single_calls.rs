//! Calls timed one by one, and which of them older programs lost: their workers counted every call
//! above 2,047 ns as one of 2 ns.

use std::collections::BTreeMap;

use lab::record::{Run, SingleCalls};

use super::SingleQuantiles;

/// The longest time that was counted as what it was, and what all longer ones were counted as.
const LONGEST_NS: u64 = 2047;
const LOST_NS: u64 = 2;

/// The quantiles of each cell that has any, by its number. Calls that were lost were the longest:
/// where they are too few to reach the 99th percentile, what lies below is as good as ever.
pub(crate) fn all(run: &Run) -> BTreeMap<u32, SingleQuantiles> {
    let of = |own: &SingleCalls| {
        let lost = if run.single_calls_are_whole { 0 } else { lost(&own.counts) };
        let calls: u64 = own.counts.iter().map(|(_, count)| count).sum();
        if lost * 100 > calls {
            return None;
        }
        let told = quantiles(&restored(&own.counts, lost))?;
        let p99_9_ns = told.p99_9_ns.filter(|_| lost * 1000 <= calls);
        let p50_ticks = quantile(&own.ticks, 0.5);
        Some((own.cell, SingleQuantiles { p99_9_ns, p50_ticks, ..told }))
    };
    run.single_calls.iter().filter_map(of).collect()
}

/// The mean of a cell's calls, where none was lost.
pub(crate) fn mean_ns(run: &Run, cell: u32) -> Option<f64> {
    let own = run.single_calls.iter().find(|it| it.cell == cell && run.single_calls_are_whole)?;
    let calls: u64 = own.counts.iter().map(|(_, count)| count).sum();
    let total: f64 = own.counts.iter().map(|(ns, count)| *ns as f64 * *count as f64).sum();
    (calls > 0).then(|| total / calls as f64)
}

/// One sentence where calls were lost.
pub(super) fn warning(run: &Run) -> Option<String> {
    if run.single_calls_are_whole {
        return None;
    }
    let hit = run.single_calls.iter().filter(|own| lost(&own.counts) > 0).count();
    let told = all(run);
    let left_out = run.single_calls.iter().filter(|own| !told.contains_key(&own.cell)).count();
    (hit > 0).then(|| {
        format!(
            "single calls: the version that measured this run counted calls above 2,047 ns as \
             2 ns, in {hit} of {} cells; p50 to p99.9 of the {left_out} cells of which that was \
             more than 1 % of the calls are left out, and p99.9 wherever it could be wrong",
            run.single_calls.len()
        )
    })
}

/// How many calls were counted as something else.
fn lost(counts: &[(u64, u64)]) -> u64 {
    let is_cut = counts.iter().all(|(ns, _)| *ns <= LONGEST_NS);
    let at = counts.iter().find(|(ns, _)| *ns == LOST_NS);
    at.filter(|_| is_cut).map_or(0, |(_, count)| *count)
}

/// The calls that were lost, behind all others.
fn restored(counts: &[(u64, u64)], lost: u64) -> Vec<(u64, u64)> {
    let mut counts = counts.to_vec();
    if lost > 0 {
        counts.retain(|(ns, _)| *ns != LOST_NS);
        counts.push((LONGEST_NS + 1, lost));
    }
    counts
}

/// Quantiles of times, each with how often it was seen, ascending.
pub(crate) fn quantiles(counts: &[(u64, u64)]) -> Option<SingleQuantiles> {
    let calls: u64 = counts.iter().map(|(_, count)| count).sum();
    let at = |share: f64| quantile(counts, share);
    Some(SingleQuantiles {
        calls,
        p50_ns: at(0.5)?,
        p90_ns: at(0.9)?,
        p99_ns: at(0.99)?,
        p99_9_ns: at(0.999).filter(|_| calls >= 1000),
        p50_ticks: None,
    })
}

/// The smallest value that at least this share of all did not exceed.
pub(crate) fn quantile(counts: &[(u64, u64)], share: f64) -> Option<u64> {
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let needed = (share * all as f64).ceil() as u64;
    let mut seen = 0;
    counts.iter().find_map(|&(value, count)| {
        seen += count;
        (seen >= needed).then_some(value)
    })
}
