//! What a worker is asked about the regimes `segments-…`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::{Empty, Timing, Worker, WorkerError, is_clock, word};
use crate::cell::Regime;
use crate::record::FaultCount;
use crate::regimes::segments::Action;

/// The reply to `segments`: a time for each action.
#[derive(Debug, Clone, Deserialize)]
pub struct Actions {
    /// Of all iterations together.
    pub actions: BTreeMap<Action, ActionTime>,
    /// Core clock estimated beside them.
    #[serde(default)]
    pub core_hz: Option<f64>,
}

impl Actions {
    /// The time of the action that a regime is of, or of all.
    pub(crate) fn of(&self, regime: Regime) -> Timing {
        let action = regime.segments().map_or(Action::Transaction, |it| it.action);
        let ActionTime { elapsed_ns, ticks } = self.actions[&action];
        Timing { elapsed_ns, ticks, core_hz: self.core_hz }
    }
}

/// The time of one action.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ActionTime {
    /// Nanoseconds of all iterations.
    pub elapsed_ns: f64,
    /// The same in ticks, where the worker has a counter.
    #[serde(default)]
    pub ticks: Option<u64>,
}

/// The reply to `faults`.
#[derive(Debug, Clone, Deserialize)]
pub struct Faults {
    /// Bytes of a nonce.
    pub nonce_len_bytes: u32,
    /// Bytes of a tag.
    pub tag_len_bytes: u32,
    /// Bytes sent in front of each part to bind it.
    pub bound_len_bytes: u32,
    /// Length of the blocks that a ciphertext fills up; 1 where it fills up none.
    pub ciphertext_block_len_bytes: u32,
    /// What was planted, and what was refused.
    pub faults: Vec<FaultCount>,
}

/// How much longer an answer may take for each file of a transaction: a disk that has used up what
/// it may write at once takes a millisecond for each, and now and then many.
const FILE_PATIENCE: Duration = Duration::from_millis(30);

impl Worker {
    /// Names the folder for its segments, which must be a
    /// [`Folder`](crate::segments::folder::Folder). Whoever made it removes it; the worker does so
    /// only when nobody is there any more.
    ///
    /// # Errors
    /// What the worker did instead of answering; likewise below.
    pub fn folder(&mut self, folder: &Path) -> Result<(), WorkerError> {
        let path = folder.to_str().filter(|path| !path.contains('\n'));
        let path = path.ok_or_else(|| {
            WorkerError::Refused(format!("{}: not a path in plain text", folder.display()))
        })?;
        let Empty {} = self.ask(&format!("folder {path}"))?;
        Ok(())
    }

    /// Hands over a file that transactions of its length take instead of the pool. Its length goes
    /// before it, so that no failure is told with a short file in its words.
    #[expect(clippy::missing_errors_doc, reason = "as `folder`")]
    pub fn file(&mut self, content: &[u8]) -> Result<(), WorkerError> {
        let Empty {} = self.ask(&format!("file {} {}", content.len(), word(content)))?;
        Ok(())
    }

    /// One sample of every action, of about `files` files in each transaction.
    #[expect(clippy::missing_errors_doc, reason = "as `folder`")]
    pub fn segments(
        &mut self,
        id: u32,
        iterations: u64,
        files: u64,
    ) -> Result<Actions, WorkerError> {
        let request = format!("segments {id} {iterations}");
        let all = iterations.saturating_mul(files);
        let more = FILE_PATIENCE.saturating_mul(u32::try_from(all).unwrap_or(u32::MAX));
        let reply: Actions = self.ask_within(&request, more)?;
        let times = || reply.actions.values().map(|time| time.elapsed_ns);
        let is_whole = Action::ALL.iter().all(|action| reply.actions.contains_key(action));
        let are_times = times().all(|ns| ns.is_finite() && ns >= 0.0);
        if is_whole && are_times && is_clock(reply.core_hz) {
            return Ok(reply);
        }
        let (times, core_hz) = (times().collect::<Vec<_>>(), reply.core_hz);
        let reply = format!("{times:?} ns, core clock {core_hz:?}");
        Err(WorkerError::Garbled { request, reply })
    }

    /// Plants `each` faults of every kind into the scheme's segments.
    #[expect(clippy::missing_errors_doc, reason = "as `folder`")]
    pub fn faults(&mut self, id: u32, each: u32, seed: u64) -> Result<Faults, WorkerError> {
        self.ask(&format!("faults {id} {each} {seed}"))
    }
}
