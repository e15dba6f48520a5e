//! Cycles a byte by the formula of papers, T·F/L: the mean time of a call times a clock that the
//! processor is sold with, over the length. It is no count of cycles where the core runs at another
//! clock; beside it stand those estimated by the core's own.

use lab::record::{ClockRecord, Run};
use serde::Serialize;

use super::series::Series;
use super::{CellFinding, Findings};
use crate::format;

/// The clock F of T·F/L.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NominalClock {
    /// Cycles a second.
    pub hz: f64,
    /// What it is: `nominal clock`, or `rate of the time-stamp counter`.
    pub source: String,
}

impl NominalClock {
    /// The clock that the processor's name or the system tells, else the rate of the time-stamp
    /// counter, which is near it; absent where time was taken otherwise.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let ClockRecord { source, ticks_hz, nominal_hz, .. } = &run.clock;
        // Where nothing else is known, the archive has the counter's rate in its place.
        let is_told = |hz: &f64| (hz / ticks_hz - 1.0).abs() > 1e-9;
        let told = nominal_hz.filter(is_told).map(|hz| (hz, "nominal clock".to_owned()));
        let counted = (source == "time-stamp counter")
            .then(|| (*ticks_hz, "rate of the time-stamp counter".to_owned()));
        told.or(counted).map(|(hz, source)| NominalClock { hz, source })
    }
}

/// Fills in the mean over all samples, and T·F/L.
pub(super) fn fill(cells: &mut [CellFinding], series: &[Series], clock: Option<&NominalClock>) {
    for (cell, own) in cells.iter_mut().zip(series) {
        let count = own.blocks.len();
        if count == 0 {
            continue;
        }
        let mean_ns = own.blocks.values().sum::<f64>() / count as f64;
        let len = cell.cell.mean_len_bytes();
        cell.mean_ns = Some(mean_ns);
        cell.cycles_per_byte_nominal =
            clock.filter(|_| len > 0.0).map(|it| mean_ns / 1e9 * it.hz / len);
    }
}

impl Findings {
    /// Which cycles a call is taken apart into, and which ticks the authors' CSV files count.
    pub(crate) fn clocks_apart(&self, run: &Run) -> Option<String> {
        let ClockRecord { source, ticks_hz, core_hz, .. } = &run.clock;
        let core = core_hz.map(format::hertz)?;
        Some(format!(
            "Cycles here are those of the core, at {core} when the run began. The CSV of `--format \
             crprf` counts ticks of the {source}, at {} whatever the core does, and includes the \
             reading of the clock in each call.",
            format::hertz(*ticks_hz)
        ))
    }

    /// Why T·F/L and core cycles differ, in a sentence.
    pub(crate) fn two_clocks(&self, run: &Run) -> String {
        let Some(NominalClock { hz, source }) = &self.nominal else {
            return "T·F/L is absent: no nominal clock is known.".into();
        };
        let core = run.clock.core_hz.map(|hz| format!(" ({} at the start)", format::hertz(hz)));
        format!(
            "T·F/L is the mean time × F = {} ({source}) over the length; core cycles are the \
             median time × the clock at which the core was seen to run{} over the length.",
            format::hertz(*hz),
            core.unwrap_or_default()
        )
    }
}
