//! The paper's tests: which values make their table. Speeds in calls a second, as in the paper
//! *Comparing the Speeds of HMAC and CMAC*, so that "<" reads "slower than"; a row is a block at
//! one size, or a size with its median.

use std::num::NonZeroUsize;

use stats::{Analysis, Histogram, Sample, Table, analyze};

use super::series::Series;
use super::{CellFinding, Levels, PaperTests, SizeFinding};

/// With more columns a reader finds nothing in the tables, and pairs grow with their square.
pub(super) const COLUMNS_MAX: usize = 16;

/// Bins of the histograms: so many fit into the width of a chart.
const BINS_MAX: NonZeroUsize = NonZeroUsize::new(72).unwrap();

/// Rows are the blocks that all cells at `places` share.
pub(super) fn of_blocks(
    places: &[usize],
    cells: &[CellFinding],
    series: &[Series],
    levels: Levels,
) -> Option<PaperTests> {
    let (first, others) = places.split_first()?;
    let in_all = |block: &&u32| others.iter().all(|&at| series[at].blocks.contains_key(block));
    let blocks: Vec<u32> = series[*first].blocks.keys().filter(in_all).copied().collect();
    let speeds = |at: usize| blocks.iter().map(|block| 1e9 / series[at].blocks[block]).collect();
    of_columns(places, cells, levels, speeds)
}

/// Rows are the sizes at which all candidates of the first size have a median.
pub(super) fn of_sizes(
    sizes: &[SizeFinding],
    cells: &[CellFinding],
    levels: Levels,
) -> Option<PaperTests> {
    let mut places: Vec<usize> = sizes.first()?.ranking.iter().map(|row| row.cell).collect();
    places.sort_unstable();
    let speed = |size: &SizeFinding, at: usize| {
        let same = |place: usize| cells[place].cell.candidate == cells[at].cell.candidate;
        let row = size.ranking.iter().find(|row| same(row.cell))?;
        cells[row.cell].median_ns.map(|ns| 1e9 / ns)
    };
    let whole = |size: &&SizeFinding| places.iter().all(|&at| speed(size, at).is_some());
    let rows: Vec<&SizeFinding> = sizes.iter().filter(whole).collect();
    let speeds = |at: usize| rows.iter().filter_map(|size| speed(size, at)).collect();
    of_columns(&places, cells, levels, speeds)
}

fn of_columns(
    places: &[usize],
    cells: &[CellFinding],
    levels: Levels,
    speeds: impl Fn(usize) -> Vec<f64>,
) -> Option<PaperTests> {
    if places.len() > COLUMNS_MAX {
        return None;
    }
    let mac = |at: usize| cells[at].cell.candidate.mac.as_str();
    let alone = |at: usize| places.iter().filter(|&&other| mac(other) == mac(at)).count() == 1;
    // The paper's columns are macs; where a mac comes from several providers each is a column.
    let name = |at: usize| match alone(at) {
        true => mac(at).to_owned(),
        false => cells[at].cell.candidate.to_string(),
    };
    let columns: Vec<(String, usize)> = places.iter().map(|&at| (name(at), at)).collect();
    let named: Vec<_> = columns.iter().map(|(name, at)| (name.as_str(), speeds(*at))).collect();
    let samples: Option<Vec<Sample>> =
        named.iter().map(|(_, own)| Sample::new(own.clone()).ok()).collect();
    let histograms = Histogram::with_common_bins(&samples?, BINS_MAX);
    let table = Table::new(named).ok()?;
    let analysis: Analysis = analyze(&table, levels.alpha);
    Some(PaperTests { columns, n_rows: table.n_blocks(), histograms, analysis })
}
