//! What a provider says of itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Different, KeyLife};

/// One mac as one provider has it, on one code path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Canonical name in the catalog of `macs`, or `null`.
    pub mac: String,
    /// The code path that runs: `sha-ni`, `aes-ni`, `avx2`, `soft`, …
    pub kernel: String,
    /// The key lives this provider has a call for.
    pub key_lives: Vec<KeyLife>,
}

/// What a provider says of itself: the part of a worker's reply to `info` that is its own.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Info {
    /// Name of the provider, or the alias it was opened under (`openssl-4.0`).
    pub name: String,
    /// Version as the library itself reports it.
    pub version: String,
    /// Where it was found: a shared object, an interpreter, or `built in`.
    pub path: String,
    /// Whatever else decides the figures: build flags, modules used.
    pub detail: String,
    /// What it can compute.
    pub offers: Vec<Offer>,
    /// What it has and is not offered, for it gives other answers.
    pub different: Vec<Different>,
    /// MACs it was tried for and does not give at all, with what it said: its build has none, or
    /// the mode it is in does not allow it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
    /// Whether tags may be computed elsewhere than in the thread that asks for them, by a device or
    /// another thread: processor time of that thread is then only a share of the work.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offloads: bool,
}
