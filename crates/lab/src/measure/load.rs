//! What sessions are put on: how many, when it counts, and on which processors.

use crate::cell::Cell;
use crate::record::sessions::Load;
use crate::record::{Bound, Processor, SettledLoad};
use crate::regimes::sessions::{Binding, SESSIONS_MAX, Serving, Sessions};
use crate::sessions::cpus_of;
use crate::sessions::needs::Needs;
use crate::study::Part;

/// Most threads that a capacity is sought with: beyond, the system's scheduler is all that is seen.
const CAPACITY_THREADS_MAX: u32 = 20_000;

/// A capacity is sought within one part in so many of the memory that is there.
const CAPACITY_MEMORY_SHARE: u64 = 4;

/// How many sessions, and when it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) count: u32,
    /// t1 in milliseconds.
    pub(super) from_ms: f64,
    /// t2 in milliseconds.
    pub(super) to_ms: f64,
}

/// The processors of a run, in its order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Processors(Vec<Processor>);

impl Processors {
    pub(super) fn new(processors: &[Processor]) -> Self {
        Self(processors.to_vec())
    }

    /// Processors at work under a binding.
    pub(super) fn at_work(&self, binding: Binding) -> usize {
        let bound = cpus_of(binding, &self.0).len();
        if bound == 0 { self.0.len().max(1) } else { bound }
    }

    /// What is put on for a regime of a part.
    pub(super) fn load(
        &self,
        part: &Part,
        sessions: Sessions,
        len_bytes: u64,
        frame: Frame,
    ) -> Load {
        let asked = &part.sessions;
        let Frame { count, from_ms, to_ms } = frame;
        Load {
            serving: sessions.serving,
            count,
            cpus: cpus_of(sessions.binding, &self.0),
            pinned: matches!(sessions.binding, Binding::Pinned(_) | Binding::PinnedAll),
            lengths: asked.lengths(len_bytes),
            verify: asked.verify,
            rekey_every: asked.rekey_every,
            rate_per_s: None,
            from_ms,
            to_ms,
        }
    }

    pub(super) fn needs(&self, load: &Load) -> Needs {
        Needs::of(load, self.0.len().max(1))
    }

    /// Most sessions that a capacity is sought among: what this machine allows.
    pub(super) fn sessions_max(&self, part: &Part, sessions: Sessions, len_bytes: u64) -> u32 {
        let fits = |count| self.searched(part, sessions, len_bytes, count).check().is_ok();
        let (mut fitting, mut too_many) = (1, tried_max(sessions) + 1);
        while too_many - fitting > 1 {
            let middle = fitting + (too_many - fitting) / 2;
            if fits(middle) { fitting = middle } else { too_many = middle }
        }
        fitting
    }

    /// What a search of a capacity would need to try so many sessions.
    fn searched(&self, part: &Part, sessions: Sessions, len_bytes: u64, count: u32) -> Needs {
        let frame = Frame { count, from_ms: 0.0, to_ms: 1.0 };
        let Needs { threads, memory_bytes } =
            self.needs(&self.load(part, sessions, len_bytes, frame));
        Needs { threads, memory_bytes: memory_bytes.saturating_mul(CAPACITY_MEMORY_SHARE) }
    }

    /// What allows no more sessions than `most`, the most that are tried.
    pub(super) fn bound(
        &self,
        part: &Part,
        sessions: Sessions,
        len_bytes: u64,
        most: u32,
    ) -> Bound {
        let Some(more) = most.checked_add(1).filter(|more| *more <= tried_max(sessions)) else {
            return Bound::Search;
        };
        let needed = self.searched(part, sessions, len_bytes, more);
        let threads_only = Needs { memory_bytes: 0, ..needed };
        if threads_only.check().is_err() { Bound::Threads } else { Bound::Memory }
    }
}

/// Most sessions that a search tries, whatever the machine has.
fn tried_max(sessions: Sessions) -> u32 {
    match sessions.serving {
        Serving::Threads => CAPACITY_THREADS_MAX,
        Serving::Pooled | Serving::Batched => SESSIONS_MAX,
    }
}

/// Whether these sessions were settled for such a cell.
pub(super) fn is_of(load: &SettledLoad, part: u32, cell: &Cell) -> bool {
    let regime = cell.measured_as().regime;
    (load.part, load.regime, load.len_bytes) == (part, regime, cell.len_bytes)
}
