//! Messages handed over at once, each under a key of its own.

use words::KeyLife;

use super::{Named, Regime, Room, names};
use crate::worker::WINDOWS;

/// How many messages, under as many keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Batch {
    /// 4 messages.
    Of4,
    /// 16 messages.
    Of16,
    /// 64 messages.
    Of64,
    /// 256 messages.
    Of256,
    /// 64 messages whose lengths are spread evenly up to the cell's.
    Of64Mixed,
}

names!(
    Batch,
    "batch",
    Of4 = "batch-4",
    Of16 = "batch-16",
    Of64 = "batch-64",
    Of256 = "batch-256",
    Of64Mixed = "batch-64-mixed",
);

impl Batch {
    /// How many messages.
    #[must_use]
    pub fn messages(self) -> usize {
        match self {
            Self::Of4 => 4,
            Self::Of16 => 16,
            Self::Of64 | Self::Of64Mixed => 64,
            Self::Of256 => 256,
        }
    }
}

impl Regime {
    /// The largest batch of messages of one length that so many messages fill.
    #[must_use]
    pub fn batch_of(messages: u64) -> Option<Self> {
        let sizes = [Batch::Of256, Batch::Of64, Batch::Of16, Batch::Of4];
        let fits = |it: &Batch| it.messages() as u64 <= messages;
        sizes.into_iter().find(fits).map(Self::from)
    }
}

impl Room for Batch {
    fn batch(&self) -> Option<usize> {
        Some(self.messages())
    }

    fn mixes_lengths(&self) -> bool {
        *self == Self::Of64Mixed
    }

    fn message_len(&self, i: usize, len: usize) -> usize {
        if !self.mixes_lengths() {
            return len;
        }
        // 7 has no factor in common with 16, so that each sixteenth comes up once in 16 messages.
        len * (i * 7 % WINDOWS + 1) / WINDOWS
    }

    /// A batch has its keys prepared, or all of them anew.
    fn has(&self, key_life: KeyLife) -> bool {
        key_life != KeyLife::OneShot
    }
}

impl Named for Batch {
    fn known() -> Vec<Self> {
        Self::ALL.to_vec()
    }
}
