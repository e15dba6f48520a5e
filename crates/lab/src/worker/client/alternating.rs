//! Asking for calls of several cells in turn.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Worker, WorkerError};

/// Times of a cell's calls as values and how often, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Alternated {
    /// Nanoseconds, less the cost of an empty bracket.
    pub ns: Vec<(u64, u64)>,
    /// Ticks of the worker's counter, the clock's reads included; none where it has no counter.
    #[serde(default)]
    pub ticks: Vec<(u64, u64)>,
}

#[derive(Deserialize)]
struct Cells {
    cells: BTreeMap<u32, Alternated>,
}

impl Worker {
    /// `count` repetitions of these cells in turn, each repetition with a key and a message of its
    /// own that follow from the seed.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn alternate(
        &mut self,
        ids: &[u32],
        count: u64,
        seed: u64,
    ) -> Result<BTreeMap<u32, Alternated>, WorkerError> {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let Cells { cells } = self.ask(&format!("alternate {count} {seed} {}", ids.join(" ")))?;
        Ok(cells)
    }
}
