//! Cold starts, asked of a worker that has just been started.

use serde::Deserialize;

use super::{Worker, WorkerError, summary, word};
use crate::cell::KeyLife;

/// The reply to `cold`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct FirstCall {
    /// Nanoseconds of the call.
    pub elapsed_ns: f64,
    /// Its tag, in hexadecimal.
    pub tag: String,
}

impl Worker {
    /// The first call of a mac in a process that has done nothing with it.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn cold(
        &mut self,
        mac: &str,
        key_life: KeyLife,
        key: &[u8],
        message: &[u8],
    ) -> Result<FirstCall, WorkerError> {
        let request = format!("cold {mac} {key_life} {} {}", word(key), word(message));
        let first: FirstCall = self.ask(&request)?;
        if first.elapsed_ns.is_finite() && first.elapsed_ns > 0.0 {
            return Ok(first);
        }
        let reply = format!("{} ns", first.elapsed_ns);
        Err(WorkerError::Garbled { request: summary(&request), reply })
    }
}
