//! What a reader of a survey looks for first: the macs that the study names, which are in wide use,
//! whatever their rank, beside the fastest.

use lab::record::Run;
use serde::Serialize;

use super::{CellFinding, Group, RankRow, SizeFinding, ranks};

/// Lengths that have room on the screen.
const LENGTHS_MAX: usize = 4;

/// Lengths that are told, where they were measured; else the first three.
const TOLD_BYTES: [u64; 3] = [64, 1024, 16_384];

/// Others that stand beside them in a run that is narrowed.
const OTHERS_MAX: usize = 5;

/// The named macs of one ranking, beside the fastest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InUse {
    /// Name of the group.
    pub group: String,
    /// Message lengths.
    pub lens_bytes: Vec<u64>,
    /// The named macs that anybody has, in the study's order; behind them, in a run that is
    /// narrowed, others that were asked for.
    pub macs: Vec<NamedMac>,
    /// Whether there are no others.
    pub are_named: bool,
    /// How many others were asked for and have no place here.
    #[serde(skip)]
    pub others_left_out: usize,
    /// The fastest of what is widely used without a caution, at each length; absent in a run that
    /// is narrowed.
    pub widely: Vec<Option<First>>,
    /// The fastest without a caution, at each length.
    pub any_use: Vec<Option<First>>,
    /// The fastest of all, at each length.
    pub of_all: Vec<Option<First>>,
}

/// A named mac.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMac {
    /// Canonical name of the mac.
    pub mac: String,
    /// The cell of its best offer at each length, by place in
    /// [`Findings::cells`](super::Findings::cells).
    pub cells: Vec<Option<usize>>,
}

/// Who is first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct First {
    /// The cell, by place in [`Findings::cells`](super::Findings::cells).
    pub cell: usize,
    /// Whether another mac is not shown slower.
    pub tied: bool,
}

/// One for each ranking that has any of the named macs and others beside them.
pub(super) fn all(run: &Run, groups: &[Group], cells: &[CellFinding]) -> Vec<InUse> {
    let named = &run.study.named;
    let is_narrowed = run.narrowed_by().is_some();
    let mac = |row: &RankRow| &cells[row.cell].cell.candidate.mac;
    let is_told = |group: &&Group| {
        let is_named = |row: &RankRow| named.contains(mac(row));
        let is_ranked = group.is_alone();
        let is_beside = group.best().any(is_named) && !group.best().all(is_named);
        is_ranked && !named.is_empty() && (is_beside || is_narrowed)
    };
    let of = |group: &Group| {
        let sizes = asked(group, is_narrowed || run.study.workload.is_some());
        let best_of = |size: &&SizeFinding, name: &str| {
            let best = size.ranking.iter().find(|row| row.best_of_mac && mac(row) == name)?;
            let own = size.ranking.iter().filter(|row| mac(row) == name);
            Some(sure_or_lowest(best, own, cells)?.cell)
        };
        let mut names = named.clone();
        let mut others_left_out = 0;
        if is_narrowed {
            // Of what somebody asked for by name, nothing is too rare.
            for name in sizes.iter().flat_map(|size| &size.ranking).map(mac) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            others_left_out = names.len().saturating_sub(named.len() + OTHERS_MAX);
            names.truncate(named.len() + OTHERS_MAX);
        }
        let macs = names.iter().map(|name| NamedMac {
            mac: name.clone(),
            cells: sizes.iter().map(|size| best_of(size, name)).collect(),
        });
        let macs: Vec<NamedMac> = macs.filter(|it| it.cells.iter().any(Option::is_some)).collect();
        let any_use = |size: &&SizeFinding| first(size.without_caveats(), cells);
        InUse {
            group: group.name.clone(),
            lens_bytes: sizes.iter().map(|size| size.len_bytes).collect(),
            are_named: macs.iter().all(|it| named.contains(&it.mac)),
            others_left_out,
            macs,
            widely: sizes.iter().map(|size| first(size.in_use.as_deref()?, cells)).collect(),
            any_use: sizes.iter().map(any_use).collect(),
            of_all: sizes.iter().map(|size| first(&size.ranking, cells)).collect(),
        }
    };
    groups.iter().filter(is_told).map(of).collect()
}

/// The lengths of the screen; of a run that somebody narrowed to few, all of them.
fn asked(group: &Group, is_narrowed: bool) -> Vec<&SizeFinding> {
    if is_narrowed && group.sizes.len() <= LENGTHS_MAX {
        return group.sizes.iter().collect();
    }
    let is_asked = |size: &&SizeFinding| TOLD_BYTES.contains(&size.len_bytes);
    let asked: Vec<&SizeFinding> = group.sizes.iter().filter(is_asked).collect();
    if asked.is_empty() { group.sizes.iter().take(3).collect() } else { asked }
}

fn first(ranking: &[RankRow], cells: &[CellFinding]) -> Option<First> {
    let row = sure_or_lowest(ranking.first()?, ranking.iter(), cells)?;
    Some(First { cell: row.cell, tied: ranks::others_tied(ranking) > 0 })
}

/// Who is first of these or, where that rests on too few launches, whose median is the lowest:
/// nothing more is told of it, and it stands beside other medians. Nobody, where there are none.
pub(super) fn sure_or_lowest<'a>(
    first: &'a RankRow,
    all: impl Iterator<Item = &'a RankRow>,
    cells: &[CellFinding],
) -> Option<&'a RankRow> {
    if cells[first.cell].is_sure() {
        return Some(first);
    }
    let timed = all.filter_map(|row| Some((row, cells[row.cell].median_ns?)));
    timed.min_by(|x, y| x.1.total_cmp(&y.1)).map(|it| it.0)
}

impl InUse {
    /// What “without caveats” means.
    pub(crate) const ANY_USE: &str = "Without caveats: the fastest MAC that has none, such as a \
                                      nonce that must not be used twice, or one message per key.";

    /// What its macs have in common.
    pub(crate) fn title(&self) -> &'static str {
        if self.are_named { "In wide use" } else { "What was asked for" }
    }

    /// The fastest, by what they are the fastest of: those without caveats, and of all where these
    /// are others.
    pub(crate) fn fastest(&self) -> Vec<(&'static str, &[Option<First>])> {
        let mut told = vec![("without caveats", &self.any_use[..])];
        let cells =
            |all: &[Option<First>]| all.iter().map(|it| it.map(|it| it.cell)).collect::<Vec<_>>();
        if cells(&self.any_use) != cells(&self.of_all) {
            told.push(("fastest of all", &self.of_all));
        }
        told
    }
}
