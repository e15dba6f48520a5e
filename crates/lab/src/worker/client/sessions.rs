//! What a worker is asked about the regimes of sessions, and of many keys.

use std::time::Duration;

use serde::de::DeserializeOwned;

use super::{Worker, WorkerError, calls, is_clock, summary};
use crate::cell::Regime;
use crate::record::sessions::{Load, Measured};

/// What a session may take to begin and to end, beside the window: far more than it does.
const SESSION_PATIENCE: Duration = Duration::from_millis(5);

/// What a key may take to be set up, where a cell opens with many of them.
const KEY_PATIENCE: Duration = Duration::from_micros(100);

impl Worker {
    /// One window of sessions.
    ///
    /// # Errors
    /// What the worker did instead of answering.
    pub fn sessions(&mut self, id: u32, load: &Load) -> Result<Measured, WorkerError> {
        let text = serde_json::to_string(load).unwrap_or_default();
        let request = format!("sessions {id} {text}");
        // The time of the sessions is no hanging, nor is a round of all of them at both ends.
        let their_own = Duration::from_secs_f64((2e-3 * load.to_ms).clamp(0.0, 1e6));
        let more = their_own + SESSION_PATIENCE * load.count;
        let measured: Measured = self.ask_within(&request, more)?;
        let Measured { window_ns, cpu_ns, window_cpu_ns, process_cpu_ns, core_hz, .. } = measured;
        let Measured { messages, bytes, behind, .. } = measured;
        let accounts = [window_cpu_ns, process_cpu_ns].map(|it| it.unwrap_or(0.0));
        let times = [window_ns, cpu_ns, accounts[0], accounts[1]];
        let are_times = times.iter().all(|ns| ns.is_finite() && *ns >= 0.0) && window_ns > 0.0;
        // An archive keeps no greater number.
        let counts = [messages, bytes, behind];
        let are_counts = counts.iter().all(|count| i64::try_from(*count).is_ok());
        let are_counts = are_counts && calls(&measured.times).is_some();
        if are_times && are_counts && is_clock(core_hz) {
            return Ok(measured);
        }
        let reply = format!("{times:?} ns, {counts:?}, core clock {core_hz:?}");
        Err(WorkerError::Garbled { request: summary(&request), reply })
    }

    /// Asks, and waits so much longer than for other answers.
    pub(super) fn ask_within<T: DeserializeOwned>(
        &mut self,
        request: &str,
        more: Duration,
    ) -> Result<T, WorkerError> {
        let usual = self.patience;
        self.patience += more;
        let reply = self.ask(request);
        self.patience = usual;
        reply
    }
}

/// How much longer a cell of this regime may take to open than others.
pub(super) fn to_open(regime: Regime) -> Duration {
    regime.keys_in_turn().map_or(Duration::ZERO, |count| KEY_PATIENCE * count.get())
}
