//! A capacity is a number of sessions. So that everything that ranks times ranks it too, it is
//! measured and compared as a time: that between two messages of all its sessions. What is told of
//! a cell must not call that a time of a call.

use lab::cell::Regime;
use lab::record::Run;
use lab::regimes::sessions::Quantity;
use serde::Serialize;

use crate::findings::series::Series;
use crate::findings::{CellFinding, Interval};

/// Sessions that are carried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CapacityOfCell {
    /// Messages that each session sends a second.
    pub rate_per_s: f64,
    /// Mean over all blocks.
    pub mean_sessions: f64,
    /// What the median time stands for, over launches, or over blocks where there are few.
    pub median_sessions: f64,
    /// Interval of that median.
    pub interval_sessions: Option<Interval>,
}

/// Messages a second of each session, where the capacity of a cell of this part is sought.
#[must_use]
pub(crate) fn rate_per_s(run: &Run, regime: Regime, part: usize) -> Option<f64> {
    let sessions = regime.sessions()?;
    let part = run.study.parts.get(part).filter(|_| sessions.quantity == Quantity::Capacity)?;
    Some(part.sessions.rate_per_s)
}

/// Gives cells of a capacity their quantity, and takes from them what it stood in for.
pub(crate) fn capacities_apart(run: &Run, series: &[Series], cells: &mut [CellFinding]) {
    for (cell, own) in cells.iter_mut().zip(series) {
        let Some(rate_per_s) = rate_per_s(run, cell.cell.regime, cell.part) else { continue };
        let sessions = |ns: f64| 1e9 / (rate_per_s * ns);
        let of_blocks: Vec<f64> = own.blocks.values().copied().map(sessions).collect();
        let mean = of_blocks.iter().sum::<f64>() / of_blocks.len().max(1) as f64;
        cell.capacity = cell.median_ns.map(|median_ns| CapacityOfCell {
            rate_per_s,
            mean_sessions: mean,
            median_sessions: sessions(median_ns),
            interval_sessions: cell.interval_ns.map(|it| Interval {
                low: sessions(it.high),
                high: sessions(it.low),
                confidence: it.confidence,
            }),
        });
        (cell.mean_ns, cell.median_ns, cell.interval_ns) = (None, None, None);
        (cell.cycles_estimated, cell.cycles_per_byte_estimated) = (None, None);
        (cell.cycles_per_byte_nominal, cell.mib_per_s) = (None, None);
        (cell.box_plot, cell.histogram) = (None, None);
    }
}
