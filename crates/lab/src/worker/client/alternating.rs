//! Asking for calls of several cells in turn.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Worker, WorkerError, calls, summary};

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
        let words: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let request = format!("alternate {count} {seed} {}", words.join(" "));
        let Cells { cells } = self.ask(&request)?;
        let asked: BTreeSet<u32> = ids.iter().copied().collect();
        let is_whole = |it: &Alternated| {
            let of_ticks = if it.ticks.is_empty() { Some(count) } else { calls(&it.ticks) };
            (calls(&it.ns), of_ticks) == (Some(count), Some(count))
        };
        if cells.keys().eq(asked.iter()) && cells.values().all(is_whole) {
            return Ok(cells);
        }
        let counted = cells.iter().map(|(id, it)| (*id, calls(&it.ns), calls(&it.ticks)));
        let reply = format!("calls of {:?}", counted.take(4).collect::<Vec<_>>());
        Err(WorkerError::Garbled { request: summary(&request), reply })
    }
}
