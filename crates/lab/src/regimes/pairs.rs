//! Two messages under two keys handed over at once.

use std::fmt;

use words::KeyLife;

use super::{Named, Room};

/// Two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pairs;

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("pairs")
    }
}

impl Room for Pairs {
    fn batch(&self) -> Option<usize> {
        Some(2)
    }

    fn has(&self, key_life: KeyLife) -> bool {
        key_life != KeyLife::OneShot
    }
}

impl Named for Pairs {
    fn known() -> Vec<Self> {
        vec![Self]
    }
}
