//! Capacity: sessions of a rate that a machine carries at a tail, for each way to serve them.

use std::collections::BTreeMap;

use lab::cell::{Candidate, Regime};
use lab::record::{SessionsRecord, Trial};
use lab::study::Asked;
use serde::Serialize;

use super::{AtCapacity, Estimate, Source, offloads, together, windows};
use crate::findings::series::median;
use crate::findings::{Group, RankRow};

/// Capacities of a part in a panel and case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapacityFinding {
    /// Names of the groups that it tells.
    pub groups: Vec<String>,
    /// Messages a second of each session.
    pub rate_per_s: f64,
    /// The longest tail that will do, in milliseconds.
    pub tail_ms: f64,
    /// The share of messages that must not take longer.
    pub tail_quantile: f64,
    /// One a message length.
    pub tables: Vec<CapacityTable>,
}

/// Capacities at one message length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapacityTable {
    /// Message length; the mean of a mix.
    pub len_bytes: u64,
    /// The regimes of its columns: who serves, and where.
    pub regimes: Vec<Regime>,
    /// Candidates, by the most that they carry in any column.
    pub rows: Vec<CapacityRow>,
}

/// What a candidate carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapacityRow {
    /// The candidate whose capacity was sought.
    pub candidate: Candidate,
    /// In each column.
    pub carried: Vec<Option<Carried>>,
    /// True for the offer of its mac that carries most.
    pub best_of_mac: bool,
    /// Whether others than its threads do its work.
    pub offloads: bool,
}

/// Sessions that were carried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Carried {
    /// Its cell, by place in the findings' cells.
    pub cell: usize,
    /// Sessions.
    pub sessions: Estimate,
    /// True where no other candidate is shown to carry more in this column.
    pub tied_with_best: bool,
    /// The tail at that number, in nanoseconds: median of the blocks.
    pub tail_ns: Option<f64>,
    /// Numbers of sessions that were tried, over all blocks.
    pub trials: usize,
    /// What was seen there, and what keeps it from more.
    pub at_capacity: AtCapacity,
}

impl CapacityFinding {
    /// Name of the group under which its tables and charts are kept.
    #[must_use]
    pub fn head(&self) -> &str {
        self.groups.first().map_or("", String::as_str)
    }
}

impl CapacityRow {
    /// The most it carries, and in which column.
    #[must_use]
    pub fn most(&self) -> Option<(usize, &Carried)> {
        let columns = self.carried.iter().enumerate();
        let carried = columns.filter_map(|(column, it)| Some((column, it.as_ref()?)));
        carried.max_by(|x, y| x.1.sessions.value.total_cmp(&y.1.sessions.value))
    }
}

/// Everything about capacities whose parts ask for that view.
pub(crate) fn all(source: Source) -> Vec<CapacityFinding> {
    let windows = windows::by_cell(source.run);
    let sets = together(source.groups, |it| it.of_capacity().is_some());
    let finding = |groups: &Vec<&Group>| {
        let asked = &source.run.study.parts[groups[0].part].sessions;
        let mut lengths: Vec<u64> =
            groups.iter().flat_map(|it| it.sizes.iter().map(|size| size.len_bytes)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        CapacityFinding {
            groups: groups.iter().map(|it| it.name.clone()).collect(),
            rate_per_s: asked.rate_per_s,
            tail_ms: asked.tail_ms,
            tail_quantile: asked.tail_quantile,
            tables: lengths
                .into_iter()
                .map(|len| table(source, (groups, asked), len, &windows))
                .collect(),
        }
    };
    sets.iter().map(finding).collect()
}

fn table(
    source: Source,
    (groups, asked): (&[&Group], &Asked),
    len_bytes: u64,
    windows: &BTreeMap<u32, Vec<&SessionsRecord>>,
) -> CapacityTable {
    let rankings: Vec<&[RankRow]> = groups
        .iter()
        .map(|it| it.sizes.iter().find(|size| size.len_bytes == len_bytes))
        .map(|size| size.map_or(&[][..], |it| &it.ranking))
        .collect();
    let who = |row: &RankRow| &source.cells[row.cell].cell.candidate;
    let mut candidates: Vec<&Candidate> =
        rankings.iter().flat_map(|it| it.iter().map(who)).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let carried = |ranking: &[RankRow], candidate: &Candidate| {
        let row = ranking.iter().find(|row| who(row) == candidate)?;
        let cell = &source.cells[row.cell];
        let records = windows.get(&cell.id).map_or(&[][..], Vec::as_slice);
        Some(Carried {
            cell: row.cell,
            sessions: Estimate::of_cell(cell)?.inverse(1e9 / asked.rate_per_s)?,
            tied_with_best: row.tied_with_best && row.tie_group.is_some(),
            tail_ns: median(records.iter().filter_map(|it| tail_ns(&it.trials)).collect()),
            trials: records.iter().map(|it| it.trials.len()).sum(),
            at_capacity: AtCapacity::of(records),
        })
    };
    let row = |candidate: &Candidate| CapacityRow {
        candidate: candidate.clone(),
        carried: rankings.iter().map(|it| carried(it, candidate)).collect(),
        best_of_mac: false,
        offloads: offloads(source.run, &candidate.provider),
    };
    let mut rows: Vec<CapacityRow> = candidates.into_iter().map(row).collect();
    let most = |row: &CapacityRow| row.most().map_or(-1.0, |it| it.1.sessions.value);
    rows.sort_by(|x, y| most(y).total_cmp(&most(x)));
    let mut seen = std::collections::BTreeSet::new();
    for row in rows.iter_mut().filter(|it| it.most().is_some()) {
        row.best_of_mac = seen.insert(row.candidate.mac.clone());
    }
    CapacityTable { len_bytes, regimes: groups.iter().map(|it| it.regime).collect(), rows }
}

/// The tail at the largest number that was carried.
fn tail_ns(trials: &[Trial]) -> Option<f64> {
    let carried = trials.iter().filter(|it| it.carried);
    carried.max_by_key(|it| it.count).map(|it| it.tail_ns as f64)
}
