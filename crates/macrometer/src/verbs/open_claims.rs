//! What claims leave open, as the lab asks for it: it knows cells and launches, and no claim.

use lab::measure::Open;
use lab::record::Run;
use lab::study::{Gate, LAUNCHES_MIN};
use report::findings::{self, OpenComparison};

/// The comparisons of a run that do not decide their claims yet.
pub fn comparisons(run: &Run) -> Vec<Open> {
    if let Some(gate) = &run.study.gate {
        return of_gate(run, gate);
    }
    let open = super::with_background(run, |background| findings::open(run, background));
    open.into_iter().map(asked).collect()
}

/// Cells of a gate that are not decided; all of them need the launches of the next look.
fn of_gate(run: &Run, gate: &Gate) -> Vec<Open> {
    let launches = run.launches();
    let launches_needed = gate.look_after(launches);
    let open = report::gate::open(run).into_iter();
    open.map(|cells| Open { cells, launches, launches_needed }).collect()
}

fn asked(open: OpenComparison) -> Open {
    let needed = open.launches_needed.and_then(|count| u32::try_from(count).ok());
    // Without an interval nobody can tell; the fewest launches that give one come first.
    let first = open.interval.is_none().then_some(LAUNCHES_MIN);
    let launches = u32::try_from(open.launches).unwrap_or(u32::MAX);
    Open { cells: open.cells, launches, launches_needed: needed.or(first) }
}
