//! Which budget is expected to decide what a gate left open, by what was seen.

use lab::record::Run;
use lab::study::Gate;
use stats::{Confidence, MAD_TO_SD, Margin, Sample, looks_after, mad, median, pairs_for};

use super::{ALPHA, GateFindings, GateRow};

/// The chance that it is enough.
const POWER: f64 = 0.8;

/// A budget is told with so much to spare, and none beyond a day.
const SPARE: f64 = 1.2;
const BUDGET_S_MAX: f64 = 86_400.0;

/// Seconds in all with which every open cell is expected to be decided; `None` where nothing is
/// open or a cell lies too near the margin.
pub(super) fn budget_s(run: &Run, gate: &Gate, findings: &GateFindings) -> Option<f64> {
    let launches = findings.launches.max(1);
    let launch_s = run.spent_s / f64::from(launches);
    let needed = findings.open().map(|row| launches_for(gate, findings, row));
    let needed = needed.collect::<Option<Vec<u32>>>()?.into_iter().max()?;
    let more_s = f64::from(needed.saturating_sub(launches)) * launch_s;
    let budget_s = ((run.spent_s + more_s) * SPARE / 10.0).ceil() * 10.0;
    (budget_s <= BUDGET_S_MAX).then_some(budget_s)
}

/// The look that is expected to decide a cell.
fn launches_for(gate: &Gate, findings: &GateFindings, row: &GateRow) -> Option<u32> {
    let first = *gate.looks.first()?;
    if findings.launches < first {
        return Some(first);
    }
    let values = Sample::new(row.log_ratios.clone()).ok()?;
    let bound = Margin::new(findings.margin).ok()?.log();
    let distance = median(&values) - bound;
    let spread = mad(&values) * MAD_TO_SD;
    let looks = looks_after(&gate.looks, ALPHA);
    let mut later = looks.iter().filter(|look| look.launches > findings.launches);
    let decides = |alpha: f64, launches: u32| {
        let confidence = Confidence::new(1.0 - 2.0 * alpha).ok()?;
        let pairs = pairs_for(distance.abs(), spread, POWER, confidence)?;
        (pairs <= launches).then_some(launches)
    };
    later.find_map(|look| {
        // That it is slower is shown against all cells, that it is not against its own level.
        let cells = if distance > 0.0 { findings.cells.len().max(1) as f64 } else { 1.0 };
        decides(look.alpha.value() / cells, look.launches)
    })
}
