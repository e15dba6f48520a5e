//! Workers: every provider runs in a process of its own and speaks the line protocol of
//! `docs/worker-protocol.md`. `serve` is our side inside such a process, `client` the lab's side.

pub mod client;
pub mod serve;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Messages and keys that a cell rotates through, so that no predictor learns one of them.
pub const WINDOWS: usize = 16;

/// Distance between the beginnings of two messages in the pool: one cache line.
pub const MESSAGE_STEP_BYTES: usize = 64;

/// Bytes that the pool needs for messages of `len_bytes`.
#[must_use]
pub fn pool_len_bytes(len_bytes: u64) -> usize {
    len_bytes as usize + (WINDOWS - 1) * MESSAGE_STEP_BYTES
}

/// Bytes that the keys of a cell need: key i begins at byte i.
#[must_use]
pub fn keys_len_bytes(key_len_bytes: u32) -> usize {
    key_len_bytes as usize + WINDOWS - 1
}
