//! What a worker is asked about the regimes of sessions.

use super::{Worker, WorkerError};
use crate::sessions::{Load, Measured};

impl Worker {
    /// One window of sessions.
    ///
    /// # Errors
    /// What the worker did instead of answering.
    pub fn sessions(&mut self, id: u32, load: &Load) -> Result<Measured, WorkerError> {
        let load = serde_json::to_string(load).unwrap_or_default();
        let request = format!("sessions {id} {load}");
        let measured: Measured = self.ask(&request)?;
        let times = [measured.window_ns, measured.cpu_ns, measured.process_cpu_ns];
        if times.iter().all(|ns| ns.is_finite() && *ns >= 0.0) && measured.window_ns > 0.0 {
            return Ok(measured);
        }
        Err(WorkerError::Garbled { request, reply: format!("{times:?} ns") })
    }
}
