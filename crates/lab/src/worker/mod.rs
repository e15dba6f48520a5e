//! Workers: every provider runs in a process of its own and speaks the line protocol of
//! `docs/worker-protocol.md`. `serve` is our side inside such a process, `client` the lab's side.

pub mod client;
pub mod memory_limit;
pub mod serve;

pub use words::{Inputs, Sealed};

/// Version of the protocol.
pub const PROTOCOL: u32 = 2;

/// Messages and keys that a cell rotates through, so that no predictor learns one of them.
pub const WINDOWS: usize = 16;

/// How many calls come untimed before those that are timed: after the other workers had the
/// processor, the first call finds cold caches.
#[must_use]
pub(crate) fn lead_in(calls: u64) -> u64 {
    (calls / 16).max(1)
}

/// Files up to this length are proved in their medium; longer ones in memory, since each is
/// compared after its timing all the same.
pub(crate) const PROVED_IN_PLACE_BYTES: usize = 1024;

/// Distance between the beginnings of two messages in the pool: one cache line.
pub const MESSAGE_STEP_BYTES: usize = 64;

/// Bytes that the pool needs for messages of `len_bytes`.
#[must_use]
pub fn pool_len_bytes(len_bytes: u64) -> usize {
    let len = usize::try_from(len_bytes).unwrap_or(usize::MAX);
    // More than there can be, where a worker was asked for that.
    len.saturating_add((WINDOWS - 1) * MESSAGE_STEP_BYTES)
}

/// Bytes that the keys of a cell need: key i begins at byte i.
#[must_use]
pub fn keys_len_bytes(key_len_bytes: u32) -> usize {
    key_len_bytes as usize + WINDOWS - 1
}
