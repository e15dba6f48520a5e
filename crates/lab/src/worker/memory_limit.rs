//! A limit on the memory of a worker of our own binary, while it does what is timed.
//!
//! It is a soft `RLIMIT_DATA`, which counts private writable memory and not the code of mapped
//! libraries, counted from what the worker holds when a sample begins: the messages and the
//! provider's own state are not the work's.

use std::ffi::OsString;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use thiserror::Error;

use crate::sessions::account::memory_bytes;

/// The environment variable that tells a worker its limit in bytes.
pub const VARIABLE: &str = "MACROMETER_MEMORY_LIMIT_BYTES";

/// A limit on what is taken beyond what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Bytes that may be taken beyond what is held.
    pub bytes: u64,
}

/// Why a limit cannot be held, or not be kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MemoryLimitError {
    /// What the environment says is none.
    #[error("{VARIABLE}={0:?}: not a number of bytes")]
    NotBytes(OsString),
    /// This system does not tell what a process holds.
    #[error("memory limits need Linux, which tells what a process holds")]
    NotLinux,
    /// The system refused it.
    #[error("no memory limit: {0}")]
    NotSet(Errno),
    /// It leaves no room for what is to be done.
    #[error(
        "does not fit: {needed_bytes} bytes needed, the memory limit is {}",
        byte_text(*limit_bytes)
    )]
    NoRoom {
        /// What is needed.
        needed_bytes: usize,
        /// The limit, in bytes.
        limit_bytes: u64,
    },
}

/// The limit holds until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    before: Rlimit,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Only the soft limit was lowered, so it may be raised again.
        let _ = setrlimit(Resource::Data, self.before);
    }
}

impl MemoryLimit {
    /// The one that the environment tells of.
    ///
    /// # Errors
    /// When the variable is no number of bytes, or this system does not tell what a process holds.
    pub fn of_environment() -> Result<Option<Self>, MemoryLimitError> {
        let Some(value) = std::env::var_os(VARIABLE) else { return Ok(None) };
        let bytes = value.to_str().and_then(|text| text.parse().ok());
        let bytes = bytes.ok_or_else(|| MemoryLimitError::NotBytes(value.clone()))?;
        held_bytes().map(|_| Some(Self { bytes }))
    }

    /// Begins to hold.
    pub(super) fn hold(self) -> Result<Held, MemoryLimitError> {
        let before = getrlimit(Resource::Data);
        let most = held_bytes()?.saturating_add(self.bytes);
        let current = Some(before.current.map_or(most, |bytes| bytes.min(most)));
        setrlimit(Resource::Data, Rlimit { current, ..before })
            .map_err(MemoryLimitError::NotSet)?;
        Ok(Held { before })
    }

    /// Whether there is room for what needs so many bytes, tried before it is begun: a process that
    /// finds none on its way ends.
    pub(super) fn admit(self, needed_bytes: usize) -> Result<(), MemoryLimitError> {
        if Vec::<u8>::new().try_reserve_exact(needed_bytes).is_ok() {
            return Ok(());
        }
        Err(MemoryLimitError::NoRoom { needed_bytes, limit_bytes: self.bytes })
    }
}

/// Private writable memory of this process.
fn held_bytes() -> Result<u64, MemoryLimitError> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    memory_bytes(&status, "VmData").ok_or(MemoryLimitError::NotLinux)
}

/// `64 MiB`, `1500 bytes`.
#[must_use]
pub fn byte_text(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(shift, _)| bytes >> shift << shift == bytes && bytes > 0);
    unit.map_or(format!("{bytes} bytes"), |(shift, name)| format!("{} {name}", bytes >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_largest_unit_that_is_whole() {
        let told = [64 << 20, 1536 << 10, 3 << 30, 1500].map(byte_text);
        assert_eq!(told, ["64 MiB", "1536 KiB", "3 GiB", "1500 bytes"]);
    }
}
