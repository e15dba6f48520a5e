//! A gate: a new version against its base, two workers of each, so that what disturbs one process
//! weighs half, on both sides alike. The command makes it; a study's file has none.

use serde::{Deserialize, Serialize};

use super::{Study, StudyError};

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
    /// The same once more, under another name. Absent in gates that had one worker of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_again: Option<String>,
    /// Launches after each of which it is looked at what is decided, ascending. There is a value
    /// for each cell in all of the first; later ones measure what is open.
    pub looks: Vec<u32>,
}

impl Gate {
    /// All that take part: the base first, which is believed where tags differ.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        [&self.base, &self.again, &self.new].into_iter().chain(&self.new_again)
    }

    /// The first look after more than so many launches.
    #[must_use]
    pub fn look_after(&self, launches: u32) -> Option<u32> {
        self.looks.iter().copied().find(|&look| look > launches)
    }
}

impl Study {
    /// Whether its gate, if it has one, can be measured.
    pub(super) fn check_gate(&self) -> Result<(), StudyError> {
        let Some(Gate { looks, .. }) = &self.gate else { return Ok(()) };
        if !self.claims.is_empty() || self.race.is_some() {
            return Err(StudyError::NotBoth { field: "gate", other: "claims or a race" });
        }
        let is_ascending = looks.windows(2).all(|pair| pair[0] < pair[1]);
        match looks.first() {
            Some(&first) if first == self.launches && is_ascending => Ok(()),
            _ => Err(StudyError::GateLooks),
        }
    }
}
