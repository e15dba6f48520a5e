//! The working set: time of a message over the number of keys in use, which shows where caches end.

use serde::Serialize;

use lab::cell::Candidate;

use super::{Estimate, Source, rows, together};
use crate::findings::{Group, RatioFinding};

/// Keys of a part in a panel and case, at one message length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkingSetFinding {
    /// Names of the groups that it tells, by their number of keys.
    pub groups: Vec<String>,
    /// Message length.
    pub len_bytes: u64,
    /// Numbers of keys, ascending.
    pub keys: Vec<u32>,
    /// Candidates, by their time with the fewest keys.
    pub rows: Vec<WorkingSetRow>,
}

/// A candidate over the number of keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkingSetRow {
    /// The candidate whose keys they are.
    pub candidate: Candidate,
    /// True for the fastest offer of its mac with the fewest keys.
    pub best_of_mac: bool,
    /// Its cell at each number of keys, by place in the findings' cells.
    pub cells: Vec<Option<usize>>,
    /// Nanoseconds a message at each.
    pub ns: Vec<Option<Estimate>>,
    /// With the most keys over with the fewest.
    pub growth: Option<RatioFinding>,
}

impl WorkingSetFinding {
    /// Name of the group under which its table and chart are kept.
    #[must_use]
    pub fn head(&self) -> &str {
        self.groups.first().map_or("", String::as_str)
    }
}

/// One finding a part, panel, case and message length.
pub(crate) fn all(source: Source) -> Vec<WorkingSetFinding> {
    let mut found = Vec::new();
    for mut groups in together(source.groups, |it| it.of_keys().is_some()) {
        groups.sort_by_key(|it| it.of_keys());
        let mut lengths: Vec<u64> =
            groups.iter().flat_map(|it| it.sizes.iter().map(|size| size.len_bytes)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        found.extend(lengths.into_iter().filter_map(|len| one(source, &groups, len)));
    }
    found
}

fn one(source: Source, groups: &[&Group], len_bytes: u64) -> Option<WorkingSetFinding> {
    let size = |group: &&Group| group.sizes.iter().position(|it| it.len_bytes == len_bytes);
    let sizes: Vec<_> =
        groups.iter().filter_map(|it| Some((it.of_keys()?, &it.sizes[size(it)?]))).collect();
    let mut rows: Vec<WorkingSetRow> = Vec::new();
    for row in sizes.iter().flat_map(|it| &it.1.ranking) {
        let candidate = &source.cells[row.cell].cell.candidate;
        if rows.iter().any(|it| it.candidate == *candidate) {
            continue;
        }
        let own = |at: &usize| source.cells[*at].cell.candidate == *candidate;
        let cells: Vec<Option<usize>> =
            sizes.iter().map(|it| it.1.ranking.iter().map(|row| row.cell).find(own)).collect();
        let ns = cells.iter().map(|at| Estimate::of_cell(&source.cells[(*at)?])).collect();
        let ends = cells.first().copied().flatten().zip(cells.last().copied().flatten());
        let ratio = |(few, many): (usize, usize)| {
            rows::ratio(&source.series[many], &source.series[few], source)
        };
        rows.push(WorkingSetRow {
            candidate: candidate.clone(),
            best_of_mac: row.best_of_mac,
            cells,
            ns,
            growth: ends.filter(|it| it.0 != it.1).and_then(ratio),
        });
    }
    (!rows.is_empty()).then(|| WorkingSetFinding {
        groups: groups.iter().map(|it| it.name.clone()).collect(),
        len_bytes,
        keys: sizes.iter().map(|it| it.0.get()).collect(),
        rows,
    })
}
