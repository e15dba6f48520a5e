//! Cold starts: the first call of each mac in a process just started, all macs of a case in one.

use words::KeyLife;

use super::{Named, Regime, Room, Way, names};

/// Who comes first in a process just started, and pays for what the others find loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cold {
    /// The first mac of the case, always.
    Fixed,
    /// Another one in each launch.
    Rotated,
}

names!(Cold, "cold start", Fixed = "cold-fixed", Rotated = "cold-rotated");

impl Regime {
    /// Who comes first in a process just started, where such are timed.
    #[must_use]
    pub fn cold(self) -> Option<Cold> {
        if let Self::Cold(own) = self { Some(own) } else { None }
    }
}

impl Room for Cold {
    fn way(&self) -> Way {
        Way::FirstCalls
    }

    /// What a first call pays for is mostly the set-up.
    fn has(&self, key_life: KeyLife) -> bool {
        key_life == KeyLife::NewKey
    }
}

impl Named for Cold {
    fn known() -> Vec<Self> {
        Self::ALL.to_vec()
    }
}
