//! What the pilot decided: who speaks for a mac, and against whom that was found.

use serde::{Deserialize, Serialize};

use crate::cell::{Candidate, KeyLife, Regime};

/// A panel's choice, made by the pilot: the candidate that speaks for a mac.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// Name of the panel.
    pub panel: String,
    /// Name of the mac.
    pub mac: String,
    /// Who was chosen for it.
    pub candidate: Candidate,
    /// Name of the part; absent in older archives: all parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The key life; absent in older archives: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_life: Option<KeyLife>,
    /// What the rivals were compared in; empty in older archives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<PilotCell>,
    /// Who was compared, the chosen one among them; empty in older archives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<Rival>,
}

impl Chosen {
    /// Whether this is the choice of a candidate for a panel, a part and a key life.
    #[must_use]
    pub fn is_of(&self, panel: &str, part: &str, life: KeyLife, candidate: &Candidate) -> bool {
        self.panel == panel
            && self.part.as_deref().is_none_or(|own| own == part)
            && self.key_life.is_none_or(|own| own == life)
            && self.candidate == *candidate
    }
}

/// What the pilot timed of every rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PilotCell {
    /// How calls followed one another.
    pub regime: Regime,
    /// Length of each message in bytes.
    pub len_bytes: u64,
    /// Length of the key in bytes.
    pub key_len_bytes: u32,
}

/// What the pilot saw of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rival {
    /// The candidate that was timed.
    pub candidate: Candidate,
    /// Nanoseconds a call in each [`PilotCell`], in their order; absent where it was refused.
    pub times_ns: Vec<Option<f64>>,
}

impl Rival {
    /// In how many cells it was timed.
    #[must_use]
    pub fn done(&self) -> usize {
        self.times_ns.iter().flatten().count()
    }
}
