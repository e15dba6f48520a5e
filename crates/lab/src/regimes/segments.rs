//! Transactions: a file sealed, sent in segments and opened again. One of them gives the times of
//! all its actions, each of which is a regime.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Named, Regime, Room, Way, names};

/// A transaction with a segment usually takes so long, by where it is.
const SEGMENT_MEMORY_S: f64 = 5e-6;
const SEGMENT_DISK_S: f64 = 400e-6;
const SEGMENT_FSYNC_S: f64 = 4e-3;

/// One action of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Segments {
    /// Where the segments are.
    pub medium: Medium,
    /// What is timed.
    pub action: Action,
}

/// Where the segments of a transaction are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Medium {
    /// In memory.
    Memory,
    /// In a folder, a file each, as the operating system writes them back.
    Disk,
    /// In a folder, each file and the folder synchronised before the next action.
    Fsync,
}

names!(Medium, "medium", Memory = "memory", Disk = "disk", Fsync = "fsync");

/// What a transaction is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The sender cuts a file or its ciphertext.
    Splitting,
    /// The receiver joins segments.
    Combining,
    /// The sender seals the file, or each part of it.
    Encryption,
    /// The receiver opens it, or each part of it.
    Decryption,
    /// All four, as one.
    Transaction,
}

names!(
    Action,
    "action",
    Splitting = "splitting",
    Combining = "combining",
    Encryption = "encryption",
    Decryption = "decryption",
    Transaction = "transaction",
);

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("segments-{}-{}", self.medium, self.action))
    }
}

impl Regime {
    /// The action of a transaction that is timed, and where its segments are.
    #[must_use]
    pub fn segments(self) -> Option<Segments> {
        if let Self::Segments(own) = self { Some(own) } else { None }
    }
}

impl Room for Segments {
    fn way(&self) -> Way {
        Way::Transactions
    }

    fn leader(&self) -> Option<Regime> {
        Some(Self { action: Action::Transaction, ..*self }.into())
    }

    /// A transaction is compared whenever it is made, so one of them will do.
    fn proved_max(&self) -> Option<usize> {
        Some(1)
    }

    fn without_files(&self) -> Option<Regime> {
        let in_memory = Self { medium: Medium::Memory, ..*self };
        (self.medium != Medium::Memory).then(|| in_memory.into())
    }

    fn segment_s(&self) -> Option<f64> {
        Some(match self.medium {
            Medium::Memory => SEGMENT_MEMORY_S,
            Medium::Disk => SEGMENT_DISK_S,
            Medium::Fsync => SEGMENT_FSYNC_S,
        })
    }
}

impl Named for Segments {
    fn known() -> Vec<Self> {
        let of = |&medium| Action::ALL.iter().map(move |&action| Self { medium, action });
        Medium::ALL.iter().flat_map(of).collect()
    }
}
