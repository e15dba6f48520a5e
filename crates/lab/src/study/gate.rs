//! A gate: a new version against its base, and the base against itself. The command makes it; a
//! study's file has none.

use serde::{Deserialize, Serialize};

use super::Study;

/// Who is who in a gate, and when it is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Name of the provider that is the base.
    pub base: String,
    /// The same once more, under another name: the control.
    pub again: String,
    /// Name of the provider that is judged.
    pub new: String,
    /// Launches after each of which it is looked at what is decided, ascending. There is a value
    /// for each cell in all of the first; later ones measure what is open.
    pub looks: Vec<u32>,
}

impl Gate {
    /// The first look after more than so many launches.
    #[must_use]
    pub fn look_after(&self, launches: u32) -> Option<u32> {
        self.looks.iter().copied().find(|&look| look > launches)
    }
}

impl Study {
    /// Whether its gate, if it has one, can be measured.
    pub(super) fn check_gate(&self) -> Result<(), String> {
        let Some(Gate { looks, .. }) = &self.gate else { return Ok(()) };
        if !self.claims.is_empty() || self.race.is_some() {
            return Err("gate: not in a study with claims or a race".into());
        }
        let is_ascending = looks.windows(2).all(|pair| pair[0] < pair[1]);
        match looks.first() {
            Some(&first) if first == self.launches && is_ascending => Ok(()),
            _ => Err("gate: looks must ascend from the study's launches".into()),
        }
    }
}
