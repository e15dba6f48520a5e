//! Blocks that two processes measured at once, each believing it was the only one: older archives
//! let them. A block that is there twice is two halves of different blocks, and none is used.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::{Event, EventKind, Run};

/// Takes them out of a run that was read, and tells so among its events.
pub(super) fn take_out(run: &mut Run) {
    let mut seen: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    for sample in &run.samples {
        *seen.entry((sample.cell, sample.launch, sample.block)).or_default() += 1;
    }
    let doubled: BTreeSet<_> =
        seen.into_iter().filter(|(_, count)| *count > 1).map(|(key, _)| key).collect();
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
