//! One call after another: independent, or each message depending on the last tag.

use super::{Named, Regime, Room, names};

/// Whether calls depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Calls {
    /// One tag after another, independent.
    Single,
    /// Each message depends on the last tag.
    Latency,
}

names!(Calls, "regime of calls", Single = "single", Latency = "latency");

impl Regime {
    /// Those that a worker knows which does not say what it knows.
    #[must_use]
    pub fn known_to_all() -> Vec<Self> {
        Calls::ALL.iter().map(|&own| own.into()).collect()
    }
}

impl Room for Calls {
    fn is_chained(&self) -> bool {
        *self == Self::Latency
    }
}

impl Named for Calls {
    fn known() -> Vec<Self> {
        Self::ALL.to_vec()
    }
}
