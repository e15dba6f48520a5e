//! Blocks that two processes measured at once, each believing it was the only one: older archives
//! let them. A block that is there twice is two halves of different blocks, and none is used.

use std::collections::BTreeSet;

use crate::record::{Event, EventKind, Run};

/// Takes them out of a run that was read, and tells so among its events.
pub(super) fn take_out(run: &mut Run) {
    let mut seen: Vec<(u32, u32, u32)> =
        run.samples.iter().map(|it| (it.cell, it.launch, it.block)).collect();
    seen.sort_unstable();
    let doubled: BTreeSet<_> =
        seen.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
    if doubled.is_empty() {
        return;
    }
    let before = run.samples.len();
    run.samples.retain(|it| !doubled.contains(&(it.cell, it.launch, it.block)));
    run.sessions.retain(|it| !doubled.contains(&(it.cell, it.launch, it.block)));
    let out = before - run.samples.len();
    let text = format!(
        "{out} of {before} samples are left out: two processes measured this run at the same time \
         and wrote the same blocks"
    );
    let unix_s = run.events.last().map_or(run.created_unix_s, |event| event.unix_s);
    run.events.push(Event { unix_s, kind: EventKind::Excluded, text });
}
