//! What KHC's authors count, as the command tells it to the report.

use lab::cell::Cell;
use report::findings::Work;

/// Compressions of a call.
pub fn work(cell: &Cell) -> Option<Work> {
    let calls = synthetic::khc_compressions(cell)?;
    Some(Work { calls, key_schedules: 0, key_material: None })
}
