//! What a bundle says of itself, of its providers and of its machine: JSON files whose unknown keys
//! are passed over.

use lab::machine::Identity;
use serde::{Deserialize, Serialize};

/// What a bundle is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Generation of the format.
    pub schema: u32,
    /// Hash of the pack; the first folder below the store.
    pub study_id: String,
    /// Hash of `machine`; the second folder.
    pub machine_id: String,
    /// Name of the run; the third folder.
    pub run_id: String,
    /// Which host it was: random, and the same for all runs of one data folder.
    pub host_id: String,
    /// What the host is called, where its owner wants it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Version of the program that made the bundle.
    pub macrometer_version: String,
    /// What makes machines comparable.
    pub machine: Identity,
    /// Whether nobody measured it: a simulator made it, for tests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

/// Which test vectors every provider of the run passed, before it was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selftest {
    /// Hash of all vectors: the first 16 bytes of BLAKE3.
    pub vectors_id: String,
    /// Vectors there are.
    pub vectors: u64,
    /// What became of them, provider by provider.
    pub providers: Vec<ProviderTest>,
}

/// What one provider made of the vectors of the macs that it offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderTest {
    /// Name or alias of the provider.
    pub name: String,
    /// Version as the library reports it.
    pub version: String,
    /// Where it was found.
    pub path: String,
    /// Vectors it computed rightly.
    pub passed: u64,
    /// Those it computed wrongly.
    pub failed: u64,
    /// Those it does not take.
    pub refused: u64,
    /// What ended it early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

/// The state of the machine when the run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doctor {
    /// What makes figures of this machine doubtful, a sentence each.
    pub doubts: Vec<String>,
    /// What two identical candidates were found to be; absent where that was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a_a: Option<AaTest>,
}

/// Pairs of identical candidates, compared as the candidates of a run are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AaTest {
    /// Pairs that were compared.
    pub pairs: u64,
    /// Launches of the workers.
    pub launches: u32,
    /// Pairs called different at a level of 0.05, by launches.
    pub called_different: u64,
    /// How many a sound test on a quiet machine calls different: from, to.
    pub band: [u64; 2],
    /// Pairs whose interval of the ratio does not have 1.
    pub intervals_apart: u64,
}

impl AaTest {
    /// Whether no more are called different than would be on a quiet machine.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        let [_, to] = self.band;
        self.called_different <= to
    }
}
