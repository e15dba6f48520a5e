//! What instructions cost.

use serde::{Deserialize, Serialize};

/// What an instruction costs on the machine of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// Name and register: `aesenc xmm`; a group that is run together has its numbers before it.
    pub name: String,
    /// What was measured of it.
    pub measure: Measure,
    /// Core cycles of one, or of one group.
    pub cycles: f64,
}

/// What is measured of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Cycles from one to the next that waits for it.
    Latency,
    /// Cycles from one to the next where none waits for another.
    Throughput,
}
